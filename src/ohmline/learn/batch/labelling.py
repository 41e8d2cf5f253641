"""Which points carry which label: the border of the batch learners."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.checks import listed, shown
from ohmline.errors import LabelError, ShapeError
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.labels import plain_label


@dataclass(frozen=True, slots=True)
class Labelling:
    """A class number for every point, -1 where there is no label."""

    codes: Ints
    classes: tuple[Any, ...]

    @classmethod
    def of(cls, labels: Iterable[Any], length: int) -> Labelling:
        """From one label per point; None and NaN mean that there is none.

        Labels that are all -1 or +1 keep both classes even where only one occurs.

        Examples
        --------
        >>> Labelling.of(["b", None, "a"], 3)
        Labelling(codes=array([ 1, -1,  0]), classes=('a', 'b'))
        """
        known = [plain_label(y) for y in listed(labels, "labels")]
        if len(known) != length:
            raise ShapeError(
                f"one label a point is needed, got {len(known)} labels for {length} points; "
                "use None where there is no label"
            )
        present = {y for y in known if y is not None}
        if not present:
            raise LabelError("no point has a label; give at least one label that is not None")
        if present <= {-1, 1}:
            present = {-1, 1}
        try:
            classes = tuple(sorted(present, key=lambda y: (type(y).__name__, y)))
        except TypeError:
            raise LabelError(
                f"the labels {shown(present)} have no order; use numbers or strings as labels"
            ) from None
        number = {y: code for code, y in enumerate(classes)}
        return cls(np.array([-1 if y is None else number[y] for y in known], dtype=np.int64), classes)

    @classmethod
    def on(cls, nodes: NodeIndex, labels: Mapping[Hashable, Any] | Iterable[Any]) -> Labelling:
        """From one label per node, or from a mapping that names the labelled nodes only."""
        if isinstance(labels, Mapping):
            given: list[Any] = [None] * len(nodes)
            for node, label in labels.items():
                given[nodes.position(node)] = label
            return cls.of(given, len(nodes))
        return cls.of(labels, len(nodes))

    @property
    def known(self) -> Bools:
        """Where a label is known."""
        return self.codes >= 0

    def indicator(self) -> Floats:
        """One row per point, one column per class: 1 at the label, 0 elsewhere."""
        return np.where(self.codes[:, None] == np.arange(len(self.classes)), 1.0, 0.0)

    def targets(self) -> Floats:
        """-1 and +1 for the labelled points: one column for two classes, else one per class."""
        codes = self.codes[self.known]
        if len(self.classes) == 1:
            raise LabelError(
                f"every label is {shown(self.classes[0])}; give labels of at least two classes "
                "(or -1 and +1, where both are understood)"
            )
        if len(self.classes) == 2:
            return np.where(codes == 1, 1.0, -1.0)[:, None]
        return np.where(codes[:, None] == np.arange(len(self.classes)), 1.0, -1.0)
