"""Which points carry which label: the border of the batch learners."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.errors import LabelError, ShapeError
from ohmline.graph.nodes import NodeIndex


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
        listed = [y.item() if isinstance(y, np.generic) else y for y in labels]
        if len(listed) != length:
            raise ShapeError(
                f"one label a point is needed, got {len(listed)} labels for {length} points; "
                "use None where there is no label"
            )
        known = [None if y is None or y != y else y for y in listed]
        try:
            present = {y for y in known if y is not None}
        except TypeError:
            raise LabelError("labels must be hashable: numbers or strings") from None
        if not present:
            raise LabelError("no point has a label; give at least one label that is not None")
        if present <= {-1, 1}:
            present = {-1, 1}
        classes = tuple(sorted(present, key=lambda y: (type(y).__name__, y)))
        number = {y: code for code, y in enumerate(classes)}
        return cls(np.array([-1 if y is None else number[y] for y in known], dtype=np.int64), classes)

    @classmethod
    def on(cls, nodes: NodeIndex, labels: Mapping[Hashable, Any] | Iterable[Any]) -> Labelling:
        """From one label per node, or from a mapping that names the labelled nodes only."""
        if isinstance(labels, Mapping):
            listed: list[Any] = [None] * len(nodes)
            for node, label in labels.items():
                listed[nodes.position(node)] = label
            return cls.of(listed, len(nodes))
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
                f"every label is {self.classes[0]!r}; give labels of at least two classes "
                "(or -1 and +1, where both are understood)"
            )
        if len(self.classes) == 2:
            return np.where(codes == 1, 1.0, -1.0)[:, None]
        return np.where(codes[:, None] == np.arange(len(self.classes)), 1.0, -1.0)
