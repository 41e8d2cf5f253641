"""Streams of vectors: generated, drifting, from files read in pieces, or without an end.

A *source* draws points with labels from some distribution, which may change with time. Its
`stream(trials)` is finite, for `play`; its `endless()` never stops, for `follow`.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import AnyArray, Floats, Ints, finite, vector
from ohmline.checks import (
    count,
    fraction,
    function,
    iterator,
    listed,
    non_negative,
    none_or,
    positive,
    room,
    seed_of,
    shown,
)
from ohmline.errors import ParameterError, ShapeError
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.learn.contract import OnlineLearner, expect_learner
from ohmline.learn.labels import plain_label
from ohmline.representation import represent

BATCH = 256
"""Points of an endless stream that are drawn at a time."""
POINT = 64
"""Bytes that a point takes while it is drawn, at the least."""


class VectorSource(ABC):
    """Draws points with labels, few of which are shown to the learner.

    A subclass gives `sample` and `label_rate`; the rest follows.
    """

    label_rate: float
    """The share of points whose label is shown, from 0 to 1."""

    @abstractmethod
    def sample(self, times: Ints, rng: np.random.Generator) -> tuple[Floats, Any]:
        """Draw one point for each of `times`.

        Parameters
        ----------
        times
            The moment of each point, as a whole number; the first point of a stream is at 0.
        rng
            Draws the points.

        Returns
        -------
        points, labels
            The points, one per row, and the label of each.
        """

    @final
    def at(self, time: int, n: int, seed: int = 0) -> tuple[Floats, Any]:
        """A test set: points with labels as they are at one moment.

        Parameters
        ----------
        time
            The moment, counted in points of the stream from 0.
        n
            How many points, at least 0.
        seed
            Draws the points, which differ from those of a stream with the same seed. Default 0.

        Returns
        -------
        points, labels
            The points, one per row, and the label of each.
        """
        times = np.full(_points(n, "n"), count(time, "time"))
        return self.sample(times, np.random.default_rng([seed_of(seed), 2]))

    @final
    def stream(self, trials: int, seed: int = 0) -> Stream:
        """A finite stream for `play`: every label is known to the trace, and a few are shown to the learner.

        Parameters
        ----------
        trials
            How many points, at least 0.
        seed
            Draws the points and the labels that are shown. Default 0.
        """
        seed, times = seed_of(seed), np.arange(_points(trials, "trials"))
        points, labels = self.sample(times, np.random.default_rng([seed, 0]))
        shown = np.random.default_rng([seed, 1]).random(len(points)) < self.label_rate
        return Stream(points, labels, revealed=shown)

    @final
    def endless(self, seed: int = 0) -> Iterator[tuple[Floats, Any]]:
        """A stream (point, label or None) without an end, for `follow`.

        Parameters
        ----------
        seed
            Draws the points and the labels that are shown. Default 0.
        """
        return self._endless(seed_of(seed))

    def _endless(self, seed: int) -> Iterator[tuple[Floats, Any]]:
        coins = np.random.default_rng([seed, 1])
        for points, labels in self._batches(np.random.default_rng([seed, 0])):
            for x, y, coin in zip(points, labels, coins.random(len(points)), strict=True):
                yield x, (y.item() if isinstance(y, np.generic) else y) if coin < self.label_rate else None

    def _batches(self, rng: np.random.Generator) -> Iterator[tuple[Floats, Any]]:
        """An endless stream in batches."""
        for start in itertools.count(0, BATCH):
            yield self.sample(np.arange(start, start + BATCH), rng)

    def __repr__(self) -> str:
        return represent(self)


@final
class Spirals(VectorSource):
    """Two arms of a spiral, labelled -1 and +1: paper 003's toy data, and its drifting form.

    Points are spread evenly along the arms, which lie half a turn apart and run out to radius 1.

    Parameters
    ----------
    turns
        How often an arm winds round per unit of radius, above 0. Default 1.5.
    inner
        The radius at which the arms begin, from 0 to 1. Default 0.12.
    noise
        The standard deviation of the noise on each coordinate, at least 0. Default 0.02.
    period
        After how many points the whole picture has turned once, above 0. None (default) for a picture at rest.
    label_rate
        The share of points whose label is shown, from 0 to 1. Default 0.02.

    Examples
    --------
    >>> points, labels = Spirals(noise=0.0).sample(np.arange(4), np.random.default_rng(0))
    >>> np.hypot(*points.T).round(2)
    array([0.9 , 0.96, 0.78, 0.86])
    >>> Spirals(period=4000).stream(1000)
    Stream(1000 trials, ... labels)
    """

    def __init__(
        self,
        *,
        turns: float = 1.5,
        inner: float = 0.12,
        noise: float = 0.02,
        period: float | None = None,
        label_rate: float = 0.02,
    ) -> None:
        self.turns = positive(turns, "turns")
        self.inner = fraction(inner, "inner")
        self.noise = non_negative(noise, "noise")
        self.period = None if period is None else positive(period, "period")
        self.label_rate = fraction(label_rate, "label_rate")

    def sample(self, times: Ints, rng: np.random.Generator) -> tuple[Floats, Any]:
        n = len(times)
        labels = np.where(rng.random(n) < 0.5, 1, -1)
        radius = np.sqrt(self.inner**2 + (1 - self.inner**2) * rng.random(n))
        angle = 2 * np.pi * self.turns * radius + np.where(labels > 0, 0.0, np.pi)
        if self.period is not None:
            angle = angle + 2 * np.pi * times / self.period
        points = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        return points + self.noise * rng.standard_normal((n, 2)), labels


@final
class SwissRoll(VectorSource):
    """A rolled-up sheet in three dimensions, cut into stripes along the roll: labels 0 .. stripes - 1.

    Parameters
    ----------
    stripes
        The number of stripes, and so of classes, at least 2. Default 2.
    noise
        The standard deviation of the noise on each coordinate, at least 0. Default 0.05.
    label_rate
        The share of points whose label is shown, from 0 to 1. Default 0.02.

    Examples
    --------
    >>> points, labels = SwissRoll().sample(np.arange(5), np.random.default_rng(0))
    >>> points.shape, sorted(set(labels.tolist()))
    ((5, 3), [0, 1])
    """

    def __init__(self, *, stripes: int = 2, noise: float = 0.05, label_rate: float = 0.02) -> None:
        self.stripes = count(stripes, "stripes", least=2)
        self.noise = non_negative(noise, "noise")
        self.label_rate = fraction(label_rate, "label_rate")

    def sample(self, times: Ints, rng: np.random.Generator) -> tuple[Floats, Any]:
        n = len(times)
        along = rng.random(n)
        angle = 1.5 * np.pi * (1 + 2 * along)
        height = 21 * rng.random(n)
        points = np.column_stack([angle * np.cos(angle), height, angle * np.sin(angle)])
        labels = np.minimum((along * self.stripes).astype(np.int64), self.stripes - 1)
        return points + self.noise * rng.standard_normal((n, 3)), labels


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


def follow(
    learner: OnlineLearner[Any, Any],
    points: Iterable[tuple[ArrayLike, Any]],
    *,
    chunk: int = 1024,
    limit: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Trace]:
    """Play a stream of points in pieces, and give the trace of each piece; the learner is changed.

    For streams that are too long to hold, or never end: memory does not grow. A bad point is an
    error that names it; the points before it are learned first, and the learner stays usable.

    Parameters
    ----------
    learner
        A learner over vectors.
    points
        Pairs (point, label), with None for a point without a label. All points have the same number of features.
    chunk
        How many points make a piece, at least 1. Default 1024.
    limit
        Stop after so many points; None (default) goes on to the end of the stream.
    progress
        Called with the number of points played since its last call.

    Examples
    --------
    >>> import ohmline as ohm
    >>> learner = ohm.OnlineManifold(ohm.RBF(0.1), smoothness=ohm.Manifold(0.05))
    >>> for trace in follow(learner, Spirals().endless(), limit=3000, chunk=1000):
    ...     print(trace)
    Trace(1000 trials, ... mistakes, ... labels asked)
    Trace(1000 trials, ... mistakes, ... labels asked)
    Trace(1000 trials, ... mistakes, ... labels asked)
    """
    expect_learner(learner)
    none_or(function, progress, "progress")
    source = iterator(points, "points")
    if limit is not None:
        source = islice(source, count(limit, "limit"))
    return _pieces(learner, source, count(chunk, "chunk", least=1), progress)


def _pieces(
    learner: OnlineLearner[Any, Any],
    source: Iterator[tuple[ArrayLike, Any]],
    size: int,
    progress: Callable[[int], None] | None,
) -> Iterator[Trace]:
    seen, width = 0, None
    while True:
        rows: list[Floats] = []
        labels: list[Any] = []
        broken: Exception | None = None
        try:
            for pair in islice(source, size):
                row, y = _pair(pair, seen + len(rows) + 1, width)
                width = len(row)
                rows.append(row)
                labels.append(y)
        except Exception as error:
            broken = error
        if rows:
            yield play(learner, Stream(np.array(rows), labels), progress=progress)
        seen += len(rows)
        if broken is not None:
            raise broken
        if len(rows) < size:
            break
    if not seen:
        raise ParameterError("the stream ended before its first point; it must hold one point or more")


def _points(value: Any, name: str) -> int:
    """How many points are drawn, if there is room for them."""
    number = count(value, name)
    room(POINT * number, f"a stream of {number} points")
    return number


def _label_array(labels: list[Any]) -> AnyArray:
    """Labels of one kind as numbers or strings of numpy, others as they are."""
    plain = {type(label) for label in labels} in ({int}, {str}, {float}, {bool})
    if plain:
        return np.array(labels)
    array = np.empty(len(labels), dtype=object)
    for k, label in enumerate(labels):  # at once, a tuple would become a row
        array[k] = label
    return array


def _pair(pair: Any, number: int, width: int | None) -> tuple[Floats, Any]:
    try:
        x, y = pair
    except (TypeError, ValueError):
        raise ShapeError(
            f"point {number} is {shown(pair)}; a stream gives pairs (x, y), with y None when there is no label"
        ) from None
    row = vector(x, f"point {number}")
    if width is not None and len(row) != width:
        raise ShapeError(f"point {number} has {len(row)} features, but the points before it had {width}")
    return row, y
