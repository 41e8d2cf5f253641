"""Pictures as a source of vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import AnyArray, Floats, Ints, finite
from ohmline.checks import fraction, listed, shown
from ohmline.errors import ParameterError, ShapeError
from ohmline.game.vectors import BATCH, VectorSource
from ohmline.learn.labels import plain_label


@final
class Images(VectorSource):
    """Pictures in random order, as rows of pixels.

    The pictures of a sample, and of an endless stream, come in shuffled order; none comes again before all have come,
    and a new shuffle starts where one ends.

    Parameters
    ----------
    images
        A stack of pictures, or one row of pixels per picture; every value is finite. Where the largest absolute value
        is above 1, all are divided by it.
    labels
        The label of each picture.
    classes
        The labels whose pictures are kept; None (default) keeps all.
    label_rate
        The share of points whose label is shown, from 0 to 1. Default 0.02.

    Examples
    --------
    >>> pictures = np.arange(12).reshape(3, 2, 2)
    >>> source = Images(pictures, ["a", "b", "a"], classes=["a"])
    >>> points, labels = source.sample(np.arange(2), np.random.default_rng(0))
    >>> points.shape, labels.tolist()
    ((2, 4), ['a', 'a'])
    """

    def __init__(
        self,
        images: ArrayLike,
        labels: Iterable[Any],
        *,
        classes: Iterable[Any] | None = None,
        label_rate: float = 0.02,
    ) -> None:
        try:
            pixels = np.asarray(images, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ShapeError(
                f"images must be numbers, as many in each picture, got {shown(images)}"
            ) from None
        if pixels.ndim < 2 or not pixels.size:
            raise ShapeError(
                f"images must be a stack of pictures or rows of pixels, got shape {pixels.shape}"
            )
        finite(pixels, "images")
        known = [plain_label(label) for label in listed(labels, "labels")]
        if len(known) != len(pixels):
            raise ShapeError(f"there are {len(pixels)} images and {len(known)} labels; give one label each")
        if classes is not None:
            wanted = {plain_label(label) for label in listed(classes, "classes")}
            kept = [k for k, label in enumerate(known) if label in wanted]
            if not kept:
                raise ParameterError(f"no image has a label in {shown(classes)}")
            pixels, known = pixels[kept], [known[k] for k in kept]
        top = float(np.abs(pixels).max())
        self.points = pixels.reshape(len(pixels), -1) / (top if top > 1 else 1.0)
        self.labels = _label_array(known)
        self.label_rate = fraction(label_rate, "label_rate")

    def sample(self, times: Ints, rng: np.random.Generator) -> tuple[Floats, Any]:
        n = len(times)
        passes = -(-n // len(self.points))
        order = np.concatenate([rng.permutation(len(self.points)) for _ in range(max(passes, 1))])[:n]
        return self.points[order], self.labels[order]

    def __repr__(self) -> str:
        return f"Images({len(self.points)} pictures, label_rate={self.label_rate:g})"

    def _batches(self, rng: np.random.Generator) -> Iterator[tuple[Floats, Any]]:
        while True:
            order = rng.permutation(len(self.points))
            for start in range(0, len(order), BATCH):
                part = order[start : start + BATCH]
                yield self.points[part], self.labels[part]


def _label_array(labels: list[Any]) -> AnyArray:
    """Labels of one kind as numbers or strings of numpy, others as they are."""
    plain = {type(label) for label in labels} in ({int}, {str}, {float}, {bool})
    if plain:
        return np.array(labels)
    array = np.empty(len(labels), dtype=object)
    for k, label in enumerate(labels):  # at once, a tuple would become a row
        array[k] = label
    return array
