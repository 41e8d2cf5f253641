"""One compiled trial of `LocalManifold`: read the point, make room for it, let the labels spread."""

from __future__ import annotations

from ohmline.arrays import Floats
from ohmline.compiled import compiled, implements, internal
from ohmline.learn.local_manifold.chances import sharpen
from ohmline.learn.local_manifold.kriging import read, rebalance, verdict
from ohmline.learn.local_manifold.merging import (
    absorb,
    cheapest_for,
    cheapest_pair,
    merge,
    move_centre,
    price_of_mixing,
    seek_partners,
    settle_in,
    touch,
    update_partners,
)
from ohmline.learn.local_manifold.nearest import list_anew, sqdistance, update_lists
from ohmline.learn.local_manifold.state import Settings, Summary
from ohmline.learn.local_manifold.sweep import classify, fade, join, sweep
from ohmline.learn.step import UNLABELLED, learn, view

REFRESH = 1024
"""Trials after which the distances are computed afresh, so that rounding does not pile up."""
MEMORY = 100.0
"""Labels over which the error is averaged."""
HEAVIEST = 1e100
"""Where the weight of a newcomer is made 1 again, and everything else lighter with it."""


@implements(view, Summary)
def view_summary(space: Settings, state: Summary, x: Floats) -> tuple[int, float]:
    read(state, x)
    return verdict(state)


@implements(learn, Summary)
def learn_summary(space: Settings, state: Summary, x: Floats, y: int, margin: float) -> tuple[bool, float]:
    """The rest of a trial, whose `view` has just read the point into the work space."""
    return True, take_in(space, state, x, y)


@internal
def take_in(space: Settings, state: Summary, x: Floats, y: int) -> float:
    """Learn the point that was read; the squared length of the move of the soft labels."""
    tally = state.tally
    label = UNLABELLED if y == UNLABELLED else note_label(state, y)
    count(space, state, label)
    many = fade(state, 0) if space.growth > 1.0 else 0
    if many > 0:  # what a label kept apart may be merged at once
        update_partners(state, classify(state, many))
    many = 0
    cls = believe(state, label)
    moved, fresh = make_room(state, x, label, cls)
    if moved >= 0:
        many = touch(state, moved, many)
    if fresh >= 0:
        many = touch(state, fresh, many)
    sqlength = 0.0
    if tally.trials[0] % REFRESH == 0:
        measure(state)
    else:
        update_lists(state, moved, fresh)
    if tally.seen[0] > 0:
        join(state)
        sqlength = sweep(space, state)
        many = classify(state, many)
        rebalance(state)
    update_partners(state, many)
    if tally.trials[0] % REFRESH == 0:
        pair(state)
    return sqlength


@internal
def note_label(state: Summary, y: int) -> int:
    """The column of class y; what the label says about how sure and how right predictions are is learned."""
    tally, score = state.tally, state.work.score
    seen = tally.seen[0]
    column, best = seen, 0
    for c in range(seen):
        if state.order[c] == y:
            column = c
        if score[c] > score[best]:
            best = c
    if column == seen:
        state.order[seen], score[seen] = y, 0.0
        tally.seen[0] += 1
    else:
        sharpen(state, column)
    tally.labelled[0] += 1
    wrong = 0.0 if seen > 0 and best == column else 1.0
    tally.error[0] += (wrong - tally.error[0]) / min(tally.labelled[0] + 2.0, MEMORY)
    return column


@internal
def count(space: Settings, state: Summary, label: int) -> None:
    """One more point; where the past fades, a newcomer weighs more than what came before."""
    tally = state.tally
    tally.trials[0] += 1
    tally.unit[0] *= space.growth
    if tally.unit[0] > HEAVIEST:
        lighten(state)
    tally.points[0] += tally.unit[0]
    if label >= 0:
        tally.labels[0] += tally.unit[0]
        state.counts[label] += tally.unit[0]


@internal
def lighten(state: Summary) -> None:
    """Divide all weights by that of a newcomer; the costs of mergers shrink as the masses do."""
    share = 1.0 / state.tally.unit[0]
    for i in range(state.tally.size[0]):
        state.mass[i] *= share
        state.held[i] *= share
    for c in range(state.tally.seen[0]):
        state.counts[c] *= share
    state.tally.points[0] *= share
    state.tally.labels[0] *= share
    state.tally.unit[0] = 1.0
    pair(state)


@internal
def believe(state: Summary, label: int) -> int:
    """The soft label of the point that was read into `balanced`: its label, else what f says; its class."""
    soft, cls, top = state.work.balanced, -1, 0.0
    for c in range(state.tally.seen[0]):
        soft[c] = max(state.work.score[c], 0.0) if label < 0 else 1.0 if c == label else 0.0
        if soft[c] > top:
            cls, top = c, soft[c]
    return cls


@internal
def make_room(state: Summary, x: Floats, label: int, cls: int) -> tuple[int, int]:
    """Put the point where it belongs: (the node that took something in, the slot that is new), -1 for none."""
    tally, work = state.tally, state.work
    n = tally.size[0]
    if n < state.mass.shape[0]:
        tally.size[0] = n + 1
        settle_in(state, n, x, label, work.balanced)
        return -1, n
    kappa = price_of_mixing(tally.error[0])
    near, price = cheapest_for(state, label, cls, kappa)
    i, j, least = cheapest_pair(state, kappa)
    if near >= 0 and price <= least:
        unit = tally.unit[0]
        share = absorb(state, near, label, unit if label >= 0 else 0.0, work.balanced, unit)
        move_centre(state, near, share, x, work.sqdist, work.sqdist[near])
        return near, -1
    if i < 0:  # every node has a label of its own class: the lightest one goes
        lightest = 0
        for k in range(n):
            if state.mass[k] < state.mass[lightest]:
                lightest = k
        settle_in(state, lightest, x, label, work.balanced)
        return -1, lightest
    if state.mass[j] > state.mass[i]:
        i, j = j, i
    merge(state, i, j)
    settle_in(state, j, x, label, work.balanced)
    return i, j


@internal
def measure(state: Summary) -> None:
    """All distances from the centres, and the lists from them."""
    n = state.tally.size[0]
    for i in range(n):
        for k in range(i):
            far = sqdistance(state.centre[i], state.centre[k])
            state.sqdist[i, k] = far
            state.sqdist[k, i] = far
    for i in range(n):
        list_anew(state, i)


@internal
def pair(state: Summary) -> None:
    """The partners of all nodes, from all nodes."""
    for k in range(state.tally.size[0]):
        seek_partners(state, k)


@compiled
def derive(state: Summary) -> None:
    """Everything that follows from the arrays of a snapshot."""
    n = state.tally.size[0]
    for i in range(n):
        state.cls[i] = -2
        list_anew(state, i)
    for a in range(classify(state, 0)):
        state.work.is_touched[state.work.touched[a]] = False
    pair(state)
    if state.tally.seen[0] > 0:
        rebalance(state)
