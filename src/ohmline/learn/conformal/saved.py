"""A snapshot of `ConformalSets`, checked whole before any of it is used."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import AnyArray, read_only
from ohmline.errors import SnapshotError
from ohmline.learn.conformal.levels import LEAST_STEP, NEVER, Levels, Target
from ohmline.learn.snapshots import State, saved_count, saved_number, take

KIND = "ConformalSets"


def saved_member(state: State) -> State:
    """The snapshot of the learner inside."""
    return {key.removeprefix("learner/"): state[key] for key in state if key.startswith("learner/")}


def saved_layers(state: State) -> int:
    """How many `ConformalSets` are around one another in a snapshot."""
    key, found = "kind", 0
    while key in state and state[key].tolist() == KIND:
        key, found = f"learner/{key}", found + 1
    return found


def saved_levels(state: State) -> Levels:
    """What was asked for and what came of it, if they can belong together."""
    coverage, step = _row(state, "coverage").tolist(), saved_number(state, KIND, "step")
    window, labels = saved_count(state, KIND, "window"), saved_count(state, KIND, "labels")
    if not coverage or not all(0 < each < 1 for each in coverage) or len(set(coverage)) < len(coverage):
        raise _damaged("coverage", "must be different numbers above 0 and below 1")
    if not LEAST_STEP <= step <= 1:
        raise _damaged("step", f"must lie from {LEAST_STEP:g} to 1")
    if window < 1 or labels < 0:
        raise _damaged("window or labels", "must be at least 1, or 0")
    missed, strange = _row(state, "missed").tolist(), _row(state, "strangeness")
    if len(missed) != len(coverage) or not all(0 <= each <= labels for each in missed):
        raise _damaged("missed", "must say for each coverage how many of the labels were missed")
    if (
        len(strange) > min(window, labels)
        or not (((strange >= 0) & (strange <= 1)) | (strange == NEVER)).all()
    ):
        raise _damaged(
            "strangeness", f"must be numbers from 0 to 1, or {NEVER:g}, one for each label at most"
        )
    levels = Levels(
        Target(tuple(coverage), step, window),
        tuple(missed),
        labels,
        read_only(np.where(strange == NEVER, np.inf, strange)),
    )
    inside = all(-step <= levels.level(k) <= 1 + step for k in range(len(coverage)))
    if not inside:
        raise _damaged("missed", "does not follow from the labels: no level leaves [-step, 1 + step]")
    return levels


def _row(state: State, key: str) -> AnyArray:
    found = take(state, KIND, key)
    kind = "i" if key == "missed" else "f"
    if found.ndim != 1 or found.dtype.kind != kind or not np.isfinite(found).all():
        raise _damaged(key, "must be a row of finite numbers")
    return np.array(found)


def _damaged(key: str, why: str) -> SnapshotError:
    return SnapshotError(f"the snapshot's {key} {why}; it is damaged, or not one of {KIND}: take a new one")
