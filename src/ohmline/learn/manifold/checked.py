"""The arrays of a snapshot of `OnlineManifold`, checked before compiled code reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.errors import SnapshotError
from ohmline.learn.ranges import Range, in_range

COUNT = Range(0, 2**62)


def checked_arrays(model: Any, classes: int, part: Callable[[str], AnyArray]) -> dict[str, AnyArray]:
    """Copies of every array of the state by dotted name, if each fits a fresh model of these options."""
    capacity = _capacity(model, part)
    wanted = {
        "order": model.state.order,
        "seen": model.state.seen,
        **flat("expansion", _with_capacity(model.expansion, capacity)),
        **flat("basis", model.state.basis),
    }
    prefix = {"order": "model.order", "seen": "model.seen"}
    saved = {name: part(prefix.get(name, name)) for name in wanted}
    leaves = len(wanted["basis.child"]) if "basis.child" in wanted else 0
    places = Range(-leaves, max(leaves - 1, 0))
    ranges = {
        "order": Range(-1, classes - 1),
        "seen": Range(0, len(model.state.order)),
        "expansion.mass": Range(0, 1e18),  # a leaf keeps its first points at the places that its mass counts
        "expansion.label": Range(-1, classes - 1),
        "expansion.born": COUNT,
        "expansion.size": Range(0, capacity),
        "expansion.time": COUNT,
        "expansion.labels": COUNT,
        "expansion.random": Range(0, 2**64),
        "basis.stored": COUNT,
        "basis.root": places,
        "basis.splits": Range(0, leaves),
        "basis.child": places,
    }
    found = in_range(model, ranges, wanted, saved)
    _expect_order(found["order"], int(found["seen"][0]))
    if leaves:
        _expect_tree(found)
    return found


def flat(name: str, state: Any) -> dict[str, AnyArray]:
    """The arrays of a tuple, and of the tuples within it, by dotted name."""
    if isinstance(state, np.ndarray):
        return {name: state}
    if not isinstance(state, tuple):
        return {}
    return {key: a for k, v in state._asdict().items() for key, a in flat(f"{name}.{k}", v).items()}  # type: ignore[attr-defined]


def _capacity(model: Any, part: Callable[[str], AnyArray]) -> int:
    """For how many elements the snapshot has room; its Gram matrix shows that they are there."""
    gram, mine = part("expansion.gram"), model.expansion.gram.shape
    grows = model.options.basis.grows
    if (
        gram.ndim != 3
        or gram.shape[1] != gram.shape[2]
        or ((gram.shape[1] < mine[1] or not grows) and gram.shape != mine)
    ):
        raise SnapshotError(
            f"the snapshot's expansion.gram has shape {gram.shape}, this learner needs {mine}"
        )
    return int(gram.shape[1])


def _with_capacity(expansion: Any, capacity: int) -> Any:
    return expansion if capacity == len(expansion.mass) else expansion.grown(capacity)


def _expect_order(order: AnyArray, seen: int) -> None:
    """Refuse classes that are said twice or not at all: a new one would be written past the end."""
    said = order[:seen]
    if len(set(said.tolist())) < seen or np.any(said < 0):
        raise SnapshotError(
            f"the snapshot says {seen} classes in the order {said.tolist()!r:.80}, but each must be there once; "
            "it is damaged"
        )


def _expect_tree(arrays: Mapping[str, AnyArray]) -> None:
    """Refuse a tree whose walks need not end: children come after their parents, leaves are there."""
    splits, size = int(arrays["basis.splits"][0]), int(arrays["expansion.size"][0])
    root, child = int(arrays["basis.root"][0]), arrays["basis.child"][:splits]
    later = (child > np.arange(splits)[:, None]) & (child < splits)
    good = (
        splits <= max(size - 1, 0)
        and np.all(later | ((child < 0) & (child >= -max(size, 1))))
        and (root == 0 if splits else -max(size, 1) <= root < 0)
    )
    if not good:
        raise SnapshotError(
            "the snapshot's tree has branches that lead nowhere; it is damaged, save it again"
        )
