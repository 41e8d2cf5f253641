"""The nearest nodes: of a point, and the lists that every node keeps."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import inlined, internal, reassociated
from ohmline.learn.local_manifold.state import LISTED, Summary


@reassociated
def sqdistance(a: Floats, b: Floats) -> float:
    """The squared distance of two points."""
    total = 0.0
    for k in range(a.shape[0]):
        apart = a[k] - b[k]
        total += apart * apart
    return total


@internal
def place(index: Ints, value: Floats, last: int, which: int, far: float) -> None:
    """Put a node into a list of which the places before `last` are taken; of two equally far the lower comes first."""
    p = last
    while p > 0 and (value[p - 1] > far or (value[p - 1] == far and index[p - 1] > which)):
        value[p], index[p] = value[p - 1], index[p - 1]
        p -= 1
    value[p], index[p] = far, which


@internal
def nearest_of(row: Floats, n: int, skip: int, most: int, index: Ints, value: Floats) -> int:
    """The `most` smallest of the first n entries, without `skip`, smallest first; how many there are."""
    found = 0
    for j in range(n):
        if j == skip or (found == most and row[j] >= value[most - 1]):
            continue
        place(index, value, min(found, most - 1), j, row[j])
        found = min(found + 1, most)
    return found


@inlined
def list_anew(state: Summary, k: int) -> None:
    """The list of node k, from all distances."""
    found = nearest_of(state.sqdist[k], state.tally.size[0], k, LISTED, state.near[k], state.near_sq[k])
    for a in range(found, LISTED):
        state.near[k, a], state.near_sq[k, a] = -1, np.inf


@internal
def keep_listed(index: Ints, value: Floats, q: int, far: float) -> bool:
    """Move q, whose distance is `far` now, within a list; whether what is listed is still right.

    Nodes outside the list are as far as its last, so a listed node that comes nearer than that stays.
    """
    found, where = LISTED, -1
    for a in range(LISTED):
        if index[a] < 0:
            found = a
            break
        if index[a] == q:
            where = a
    if far >= value[LISTED - 1]:  # infinite in a list that is not full
        return (
            where < 0 and far > value[LISTED - 1]
        )  # listed: another may be nearer; a tie: the lower comes first
    if where >= 0:
        for a in range(where, found - 1):
            index[a], value[a] = index[a + 1], value[a + 1]
        found -= 1
        index[found], value[found] = -1, np.inf
    place(index, value, min(found, LISTED - 1), q, far)
    return True


@inlined
def is_listed(near: Ints, k: int, q: int) -> bool:
    """Whether q is in the list of k, without a branch."""
    listed = False
    for a in range(LISTED):
        listed |= near[k, a] == q
    return listed


@internal
def update_lists(state: Summary, moved: int, fresh: int) -> None:
    """Bring every list up to date after the distances of `moved` and `fresh` changed; -1 for none."""
    near, near_sq, sqdist = state.near, state.near_sq, state.sqdist
    for k in range(state.tally.size[0]):
        right = k != moved and k != fresh
        for q in (moved, fresh):
            if right and q >= 0:
                far = sqdist[q, k]
                if far <= near_sq[k, LISTED - 1] or is_listed(near, k, q):
                    right = keep_listed(near[k], near_sq[k], q, far)
        if not right:
            list_anew(state, k)
