"""What the arrays of a learner's state may hold, so that a snapshot is checked before compiled code reads it.

Compiled code does not look whether an index lies within an array. So every whole number of a state has a stated
range, and a snapshot with another one is refused. Floating-point numbers are finite unless a range says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.checks import shown
from ohmline.errors import LearnerError, SnapshotError

Limit = Callable[[Any, Mapping[str, AnyArray]], float]
"""The largest entry, from the learner and the arrays of the snapshot."""


class Range(NamedTuple):
    """The entries that an array may have; NaN is never among them."""

    least: float
    most: float | Limit


def _last_node(learner: Any, arrays: Mapping[str, AnyArray]) -> float:
    return len(learner.nodes) - 1


def _nodes(learner: Any, arrays: Mapping[str, AnyArray]) -> float:
    return len(learner.nodes)


def _last_class(learner: Any, arrays: Mapping[str, AnyArray]) -> float:
    return len(learner.classes) - 1


def _classes(learner: Any, arrays: Mapping[str, AnyArray]) -> float:
    return len(learner.classes)


def up_to_length_of(name: str) -> Range:
    """How many entries of another array's last axis are in use."""
    return Range(0, lambda learner, arrays: arrays[name].shape[-1])


FLAGS = Range(0, 1)
SIGNS = Range(-1, 1)
"""Labels: -1, +1, and 0 for none."""
POSITIONS = Range(0, _last_node)
POSITIONS_OR_NONE = Range(-1, _last_node)
NODE_COUNT = Range(0, _nodes)
CLASSES_OR_NONE = Range(-1, _last_class)
CLASS_COUNT = Range(0, _classes)
TRIALS = Range(-1, lambda learner, arrays: max(len(learner.nodes) - 1, 1))
"""Positions and signs of the trials of a game, one below the other."""
MAY_BE_INFINITE = Range(-inf, inf)


def in_range(
    learner: Any, ranges: Mapping[str, Range], wanted: Mapping[str, AnyArray], saved: Mapping[str, AnyArray]
) -> dict[str, AnyArray]:
    """Copies of the saved arrays, if each has the type, the shape and the range that is wanted."""
    for name, mine in wanted.items():
        found = saved[name]
        if found.dtype != mine.dtype:
            raise SnapshotError(
                f"the snapshot's {name} holds {found.dtype}, this learner needs {mine.dtype}; "
                "restore the arrays as they were saved"
            )
        if found.shape != mine.shape:
            raise SnapshotError(
                f"the snapshot's {name} has shape {found.shape}, this kernel needs {mine.shape}; "
                "restore it over the kernel it was made with"
            )
    for name, array in saved.items():
        _expect_range(learner, ranges, name, array, saved)
    return {name: np.array(array) for name, array in saved.items()}


def expect_listed(arrays: Mapping[str, AnyArray], items: str, size: str) -> AnyArray:
    """The first `size` of the items, if each is there once: compiled code adds what is missing at the end."""
    listed = arrays[items][: int(arrays[size][0])]
    if len(np.unique(listed)) != len(listed) or np.any(listed < 0):
        raise SnapshotError(
            f"the first {len(listed)} entries of the snapshot's {items} must all differ, as {size} says that there are "
            f"so many, got {shown(listed.tolist())}; the snapshot is damaged"
        )
    return listed


def expect_order(arrays: Mapping[str, AnyArray], labels: AnyArray) -> None:
    """Raise unless `order` names `seen` classes, every class of the labels among them, and then none."""
    listed = expect_listed(arrays, "order", "seen")
    there = np.unique(labels[labels >= 0])
    if np.any(arrays["order"][len(listed) :] >= 0) or not np.isin(there, listed).all():
        raise SnapshotError(
            "the snapshot's order must name every class of its labels, and then be -1; the snapshot is damaged"
        )


def _expect_range(
    learner: Any, ranges: Mapping[str, Range], name: str, array: AnyArray, arrays: Mapping[str, AnyArray]
) -> None:
    if name in ranges:
        least, limit = ranges[name]
        most = limit(learner, arrays) if callable(limit) else limit
        good = (array >= least) & (array <= most)
        words = f"lie from {least:g} to {most:g}"
    elif array.dtype.kind in "iu":
        raise LearnerError(
            f"{type(learner).__name__} has whole numbers in state.{name} and states no range for them; add "
            f"{name!r} to its `ranges`, because compiled code does not check an index"
        )
    else:
        good, words = np.isfinite(array), "be finite"
    if not np.all(good):
        where = tuple(int(k) for k in np.argwhere(~good)[0])
        raise SnapshotError(
            f"the snapshot's {name}{list(where)} is {array[where]}, but must {words}; the snapshot is damaged, or "
            "of another graph"
        )
