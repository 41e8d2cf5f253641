"""A snapshot of `LocalManifold`, checked whole before any of it is used."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.errors import SnapshotError
from ohmline.learn.contract import State
from ohmline.learn.local_manifold.drift import Heads
from ohmline.learn.local_manifold.state import Summary, Tally
from ohmline.learn.local_manifold.step import derive
from ohmline.learn.ranges import Range, in_range
from ohmline.learn.snapshots import saved_count, saved_flag, saved_number, take

KIND = "LocalManifold"
COUNT = Range(0, 2**62)
LARGEST = 1e300
MOST_WRONG = 100.0
"""No record of mistakes grows so large."""


def saved_options(state: State) -> dict[str, Any]:
    """The parameters, as the learner's class takes them; 0 stands for None."""
    memory, weight = (saved_number(state, KIND, name) for name in ("memory", "label_weight"))
    return {
        "size": saved_count(state, KIND, "size"),
        "memory": memory or None,
        "drift": saved_flag(state, KIND, "drift") if "drift" in state else False,  # younger than the others
        "label_weight": weight or None,
    }


def saved_state(state: State, size: int, classes: int, drift: bool) -> Summary | Heads | None:
    """The summary in a snapshot, or both; None where there was none yet."""
    if not drift:
        return _summary(state, size, classes) if "centre" in state else None
    if "wrong" not in state and "long.centre" not in state:
        return None
    long, short = (_summary(_part(state, f"{name}."), size, classes) for name in ("long", "short"))
    if long.centre.shape != short.centre.shape or not np.array_equal(long.order, short.order):
        raise SnapshotError(
            "the snapshot's two summaries are of different features or classes; it is damaged"
        )
    heads = Heads(long, short, np.zeros(2), np.zeros(1))
    kept = {"wrong": heads.wrong, "behind": heads.behind}
    ranges = {name: Range(0.0, MOST_WRONG) for name in kept}
    for name, value in in_range(None, ranges, kept, {name: take(state, KIND, name) for name in kept}).items():
        kept[name][:] = value
    return heads


def _part(state: State, prefix: str) -> State:
    """What belongs to one of two summaries."""
    return {name[len(prefix) :]: value for name, value in state.items() if name.startswith(prefix)}


def _summary(state: State, size: int, classes: int) -> Summary:
    """A summary of a snapshot, with what follows from it."""
    centre = take(state, KIND, "centre")
    if centre.ndim != 2 or centre.shape[1] == 0 or len(centre) > size:
        raise SnapshotError(
            f"the snapshot's centre has shape {centre.shape}, this learner has room for {size} nodes with one feature "
            "or more; it is damaged"
        )
    fresh, n = Summary.empty(size, centre.shape[1], classes), len(centre)
    fresh.tally.size[0] = n
    wanted = fresh.arrays()
    found = in_range(None, _ranges(n, classes), wanted, {name: take(state, KIND, name) for name in wanted})
    _expect_consistent(found, n, classes)
    for name in ("centre", "mass", "label", "held"):
        getattr(fresh, name)[:n] = found[name]
    fresh.sqdist[:n, :n], fresh.soft[:n, :classes] = found["sqdist"], found["soft"]
    fresh.order[:], fresh.counts[:] = found["order"], found["counts"]
    for name in Tally._fields:
        getattr(fresh.tally, name)[:] = found[f"tally.{name}"]
    derive(fresh)
    return fresh


def _ranges(n: int, classes: int) -> dict[str, Range]:
    return {
        "sqdist": Range(0.0, LARGEST),
        "mass": Range(0.0, LARGEST),
        "label": Range(-1, classes - 1),
        "held": Range(0.0, LARGEST),
        "soft": Range(0.0, LARGEST),
        "order": Range(-1, classes - 1),
        "counts": Range(0.0, LARGEST),
        "tally.size": Range(n, n),
        "tally.seen": Range(0, classes),
        "tally.trials": COUNT,
        "tally.labelled": COUNT,
        "tally.points": Range(0.0, LARGEST),
        "tally.labels": Range(0.0, LARGEST),
        "tally.error": Range(0.0, 1.0),
        "tally.unit": Range(1.0, LARGEST),
        "tally.sharpness": Range(0.0, LARGEST),
    }


def _expect_consistent(found: dict[str, AnyArray], n: int, classes: int) -> None:
    """Refuse columns that belong to no class or to two, and masses and labels that are not there."""
    seen, order = int(found["tally.seen"][0]), found["order"]
    named = order[:seen]
    if len(set(named.tolist())) < seen or np.any(named < 0) or np.any(order[seen:] >= 0):
        raise SnapshotError(
            f"the snapshot names {seen} classes in the order {order.tolist()!r:.80}, but each must be there once, and "
            "then -1; it is damaged"
        )
    if (
        np.any(found["label"] >= seen)
        or np.any(found["soft"][:, seen:] != 0)
        or not np.all(found["mass"] > 0)
    ):
        raise SnapshotError(
            "the snapshot has nodes of classes that were never learned, or nodes without a mass; it is damaged"
        )
    if seen and not (found["tally.points"][0] > 0 and found["tally.labels"][0] > 0):
        raise SnapshotError("the snapshot has classes and no labels; it is damaged")
