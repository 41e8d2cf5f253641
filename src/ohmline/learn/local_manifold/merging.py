"""The budget: which two nodes become one, at Ward's cost, and what becomes of them."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import inlined, internal
from ohmline.learn.local_manifold.state import Summary

SAME, OTHER = range(2)
"""The partner of the same class, and that of another one."""
LEAST_ERROR = 0.01
"""The error that is taken for granted, so that the cost of mixing classes stays within bounds."""


@inlined
def price_of_mixing(error: float) -> float:
    """kappa: how many times as much it costs to merge nodes of two classes, which are right so often."""
    return max(1.0, (1.0 - error) / max(error, LEAST_ERROR))


@inlined
def ward(sqdist: float, one: float, other: float) -> float:
    """By how much the squared distances of points to their nodes grow in a merger of two masses."""
    return sqdist * (one * other / (one + other))


@inlined
def seek_partners(state: Summary, k: int) -> None:
    """The two partners of node k, from all nodes."""
    row, mass, label, cls = state.sqdist[k], state.mass[k], state.label[k], state.cls[k]
    state.partner[k, SAME], state.partner[k, OTHER] = -1, -1
    state.cost[k, SAME], state.cost[k, OTHER] = np.inf, np.inf
    for j in range(state.tally.size[0]):
        if j != k and (label < 0 or state.label[j] < 0 or state.label[j] == label):
            cost = ward(row[j], mass, state.mass[j])
            kind = SAME if state.cls[j] == cls else OTHER
            if cost < state.cost[k, kind]:
                state.cost[k, kind], state.partner[k, kind] = cost, j


@inlined
def compare_partner(state: Summary, k: int, q: int) -> None:
    """Take q for a partner of k where it is cheaper; of two equally cheap the lower one."""
    if state.label[k] >= 0 and state.label[q] >= 0 and state.label[q] != state.label[k]:
        return
    kind = SAME if state.cls[q] == state.cls[k] else OTHER
    cost = ward(state.sqdist[k, q], state.mass[k], state.mass[q])
    if cost < state.cost[k, kind] or (cost == state.cost[k, kind] and q < state.partner[k, kind]):
        state.cost[k, kind], state.partner[k, kind] = cost, q


@inlined
def touch(state: Summary, k: int, many: int) -> int:
    """Note that something about node k changed; how many were noted."""
    if state.work.is_touched[k]:
        return many
    state.work.is_touched[k] = True
    state.work.touched[many] = k
    return many + 1


@internal
def update_partners(state: Summary, many: int) -> None:
    """Bring every partner up to date after the touched nodes changed, and forget that they did."""
    work = state.work
    for k in range(state.tally.size[0]):
        same, other = state.partner[k, SAME], state.partner[k, OTHER]
        if (
            work.is_touched[k]
            or (same >= 0 and work.is_touched[same])
            or (other >= 0 and work.is_touched[other])
        ):
            seek_partners(state, k)
        else:
            for a in range(many):
                compare_partner(state, k, work.touched[a])
    for a in range(many):
        work.is_touched[work.touched[a]] = False


@internal
def cheapest_pair(state: Summary, kappa: float) -> tuple[int, int, float]:
    """The two nodes that cost least to merge, and what; -1 where no two may be merged."""
    first, second, least = -1, -1, np.inf
    for k in range(state.tally.size[0]):
        for kind in (SAME, OTHER):
            cost = state.cost[k, kind] * (kappa if kind == OTHER else 1.0)
            if cost < least:
                first, second, least = k, state.partner[k, kind], cost
    return first, second, least


@internal
def cheapest_for(state: Summary, label: int, cls: int, kappa: float) -> tuple[int, float]:
    """The node that costs least to merge with the point that was read, and what."""
    which, least, unit = -1, np.inf, state.tally.unit[0]
    for i in range(state.tally.size[0]):
        if label < 0 or state.label[i] < 0 or state.label[i] == label:
            cost = ward(state.work.sqdist[i], state.mass[i], unit)
            if state.cls[i] != cls:
                cost *= kappa
            if cost < least:
                which, least = i, cost
    return which, least


@inlined
def absorb(state: Summary, i: int, label: int, held: float, soft: Floats, mass: float) -> float:
    """Node i takes in a mass with its label and soft label; the share that the newcomer has of both."""
    share = mass / (state.mass[i] + mass)
    for c in range(state.tally.seen[0]):
        state.soft[i, c] += share * (soft[c] - state.soft[i, c])
    state.mass[i] += mass
    state.held[i] += held
    if label >= 0:
        state.label[i] = label
    return share


@internal
def move_centre(state: Summary, i: int, share: float, to: Floats, from_there: Floats, apart: float) -> None:
    """Move the centre of i by a share of the way to another point, and its distances to all nodes with it.

    The squared distance of a weighted mean follows from those of its parts, so that no feature is read for it.
    """
    for a in range(to.shape[0]):
        state.centre[i, a] += share * (to[a] - state.centre[i, a])
    less = share * (1.0 - share) * apart
    for k in range(state.tally.size[0]):
        state.sqdist[i, k] = max((1.0 - share) * state.sqdist[i, k] + share * from_there[k] - less, 0.0)
    state.sqdist[i, i] = 0.0
    for k in range(state.tally.size[0]):
        state.sqdist[k, i] = state.sqdist[i, k]


@internal
def merge(state: Summary, i: int, j: int) -> None:
    """Node i takes in node j, whose slot is free from then on; the distances of x to i change too."""
    work, apart = state.work, state.sqdist[i, j]
    share = absorb(state, i, state.label[j], state.held[j], state.soft[j], state.mass[j])
    less = share * (1.0 - share) * apart
    work.sqdist[i] = max((1.0 - share) * work.sqdist[i] + share * work.sqdist[j] - less, 0.0)
    move_centre(state, i, share, state.centre[j], state.sqdist[j], apart)


@internal
def settle_in(state: Summary, slot: int, x: Floats, label: int, soft: Floats) -> None:
    """Put the point that was read into a slot of its own."""
    unit = state.tally.unit[0]
    for a in range(x.shape[0]):
        state.centre[slot, a] = x[a]
    for k in range(state.tally.size[0]):
        state.sqdist[slot, k] = state.work.sqdist[k]
        state.sqdist[k, slot] = state.work.sqdist[k]
    state.sqdist[slot, slot] = 0.0
    state.mass[slot], state.label[slot] = unit, label
    state.held[slot] = unit if label >= 0 else 0.0
    for c in range(state.tally.seen[0]):
        state.soft[slot, c] = soft[c]
