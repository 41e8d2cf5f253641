"""A snapshot of LocalLGC, checked whole before any of it is used."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.errors import SnapshotError
from ohmline.learn.contract import State
from ohmline.learn.local_lgc.adjacency import renew_all
from ohmline.learn.local_lgc.chances import MOST_CURVATURE, MOST_POWER
from ohmline.learn.local_lgc.few import wrong_rows
from ohmline.learn.local_lgc.nodes import nodes_of
from ohmline.learn.local_lgc.trust import MOST_TRUST, TRUST, fresh_trust
from ohmline.learn.local_lgc.worth import worths_off
from ohmline.learn.ranges import Range, in_range
from ohmline.learn.snapshots import saved_count, saved_flag, saved_list, saved_number, take

KIND = "LocalLGC"
NUMBERS = ("ridge", "mu", "tolerance", "caution", "unit")
"""The parameters that are numbers."""
MISMATCH = 1e-6
"""How far what is due may be off, relative to what it is the difference of."""
FLAGS = ("guess", "reach")
"""Those that are on or off."""
LATER = {"sweeps": np.array(0), "classes_kept": np.array(0)}
"""What snapshots of earlier versions lack, and how those learners were."""


class Added(NamedTuple):
    """What came to the graph later."""

    nodes: list[Any]
    ends: Ints
    weights: Floats


def saved_options(state: State) -> dict[str, Any]:
    """The parameters, as the learner's class takes them."""
    counts = {name: saved_count(state if name in state else LATER, KIND, name) for name in LATER}
    return {
        **{name: saved_number(state, KIND, name) for name in NUMBERS},
        **{name: saved_flag(state, KIND, name) for name in FLAGS},
        **counts,
        "classes_kept": counts["classes_kept"] or None,
    }


def saved_growth(state: State, n: int) -> Added:
    """The nodes and edges that were added to a graph of n nodes."""
    nodes = saved_list(state, KIND, "added_nodes")
    weights = take(state, KIND, "added_weights")
    many = len(weights) if weights.ndim else 0
    wanted = {"added_edges": np.zeros((many, 2), np.int64), "added_weights": np.zeros(many)}
    ranges = {"added_edges": Range(0, n + len(nodes) - 1)}
    found = in_range(None, ranges, wanted, {name: take(state, KIND, name) for name in wanted})
    return Added(nodes, found["added_edges"], found["added_weights"])


def expect_settings(state: State, settings: State) -> None:
    """Refuse a snapshot of a learner with other parameters, classes, or additions to its graph."""
    for key, mine in settings.items():
        found = take(state if key in state else LATER, KIND, key)
        if found.dtype.kind != mine.dtype.kind or not np.array_equal(found, mine):
            raise refused(key, "is not that of this learner")


def saved_arrays(learner: Any, state: State, kept: dict[str, AnyArray]) -> dict[str, AnyArray]:
    """The arrays of the state in a snapshot, if they can be those of this learner."""
    saved = {name: take(state, KIND, f"state.{name}") for name in kept}
    saved["sharpness"] = saved_powers(saved["sharpness"])
    ranges = {**learner.ranges, "estimate": Range(learner.space.least, 1.0)}
    found = in_range(learner, ranges, kept, saved)
    if "kept" in found and wrong_rows(found["estimate"], found["kept"]).any():
        raise refused("state.kept", "must name a class once for each value above 0 of a node, and -1 for 0")
    labels = found["label"][found["label"] >= 0]
    if not np.array_equal(np.bincount(labels, minlength=len(learner.classes)), found["counts"]):
        raise refused("state.counts", "must count the nodes of each class")
    seen = found["order"][found["order"] >= 0]
    ordered = np.array_equal(found["order"][: len(seen)], seen) and len(set(seen.tolist())) == len(seen)
    if not ordered or not set(labels.tolist()) <= set(seen.tolist()):
        raise refused("state.order", "must name each class that was learned once, then -1")
    nodes = nodes_of(found["label"], found["precision"])
    renew_all(learner.space, nodes)
    if not np.array_equal(nodes["q"], found["precision"]):
        raise refused("state.precision", "does not follow from the graph and the labels")
    off = worths_off(learner.space, learner.state, found)
    if off > MISMATCH:
        raise refused("state.due", "does not follow from the labels and from 'state.worth'")
    return found


def saved_powers(found: AnyArray) -> AnyArray:
    """The powers of the probabilities and the trust in their leader; earlier versions have a part of them.

    Two numbers are the power of the shares and its squared slopes, which sum up to on average what the curvature does;
    five are the powers and their curvature: the trust then starts anew.
    """
    if found.dtype != np.float64 or not np.isfinite(found).all():
        return found
    if found.shape == (2,) and bool((found >= 0).all()):
        found = np.array([min(found[0], MOST_POWER), 0.0, min(found[1], MOST_CURVATURE), 0.0, 0.0])
    if found.shape == (5,):
        found = np.concatenate([found, fresh_trust()])
    if found.shape == (5 + TRUST,):
        alpha, beta, one, both, two = found[:5].tolist()
        powers = 0 <= alpha <= MOST_POWER and 0 <= beta <= MOST_POWER
        if not powers or not min(one, two) >= 0 or not both * both <= one * two * (1 + MISMATCH) + MISMATCH:
            raise refused(
                "state.sharpness", f"must be two powers from 0 to {MOST_POWER:g} and their curvature"
            )
        curvature = np.zeros((3, 3))
        curvature[np.triu_indices(3)] = found[8:]
        least = np.linalg.eigvalsh(curvature, UPLO="U")[0]
        if not (abs(found[5:8]) <= MOST_TRUST).all() or not least >= -MISMATCH * (1 + np.trace(curvature)):
            raise refused(
                "state.sharpness",
                f"must have three weights from -{MOST_TRUST:g} to {MOST_TRUST:g} and their curvature",
            )
    return found


def refused(key: str, why: str) -> SnapshotError:
    """The error for one entry of a snapshot."""
    return SnapshotError(f"the snapshot's {key!r} {why}; it is damaged, or not one of {KIND}: take a new one")
