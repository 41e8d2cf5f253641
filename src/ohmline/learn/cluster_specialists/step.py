"""The compiled step of the specialists: those awake at a node vote, and at its label the wrong ones lose their weight.

| paper (SCS, Herbster and Robinson 2019, section 3) | here |
|---|---|
| w_t of a specialist | `weight` brought up to date, in units of 1 / number of specialists |
| alpha | `space.keep` = log(1 - alpha), for each tick |
| A_t, the specialists awake at i_t | the intervals on the way from the whole line down to the node |
| m | `clock`, in ticks |

Differs, where `space.every` is set: the paper changes weights at mistakes alone. Then specialists that were wrong all
the while, and were outvoted, still have what they began with; the first label of another class lets them win
everywhere. Here they lose their weight at every label, and a label that was said rightly shares it too, but `MISTAKE`
times less than a mistake, just so that no weight becomes 0. The paper's bound holds as it is (Theorem 2): its proof
measures how far the weights are from those of the specialists that are right, which a label brings nearer whether or
not it was said, and it allows for a share of alpha in each trial.

A class that has not been seen has specialists too, all such classes the same ones: their weight is that of an interval
without labels where no label came, and otherwise what was shared since the last one came. A class that is seen for the
first time takes these weights. Where weights change at mistakes alone, its specialists weigh 1, as all began.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, implements, inlined, internal
from ohmline.learn.cluster_specialists.state import MISTAKE, SpecialistState, Spines
from ohmline.learn.contract import TIE
from ohmline.learn.step import learn, view


@inlined
def left_end(lo: int, hi: int) -> int:
    """The last place of the left half of an interval."""
    return (lo + hi) >> 1


@internal
def hear_tree(spines: Spines, state: SpecialistState, t: int, x: int) -> None:
    """The weights of the specialists of tree t that are awake at x, by class, and the class of the most."""
    said, k = state.hall.said, spines.component[x]
    lo: Any = spines.first[k]
    hi: Any = spines.first[k + 1] - 1
    p: Any = np.int64(spines.place[x, t])
    interval, now, seen, others = 2 * lo, state.clock[t, k], state.seen[0], 0.0
    for c in range(seen):
        said[t, state.order[c]] = 0.0
    while True:
        # Fixed share, once for each tick since the weight was written: w (1 - alpha) + alpha times the mean.
        old = (now - max(state.since[t, interval], 0)) * spines.keep
        kept, shared = np.exp(old), -np.expm1(old)
        for c in range(seen):
            y = state.order[c]
            said[t, y] += kept * state.weight[t, interval, y] + shared
        if spines.every:
            others += shared if state.since[t, interval] >= 0 else 1.0
        if lo == hi:
            break
        middle = left_end(lo, hi)
        if p <= middle:
            hi = middle
            interval += 1
        else:
            interval += 2 * (middle - lo + 1)
            lo = middle + 1
    state.hall.others[t] = others
    best, most = -1, 0.0
    for c in range(seen if now > 0 else 0):  # the first label of a component finds every tree wrong
        y = state.order[c]
        if best < 0 or said[t, y] > most:
            best, most = y, said[t, y]
    state.hall.vote[t] = best


@internal
def hear(spines: Spines, state: SpecialistState, x: int) -> None:
    """Ask all trees about x, unless they were asked last."""
    if state.hall.node[0] == x:
        return
    for t in range(spines.place.shape[1]):
        hear_tree(spines, state, t, x)
    state.hall.node[0] = x


@internal
def tally(spines: Spines, state: SpecialistState, x: int) -> bool:
    """`score`: each class's share of the votes, one of trees + 1 votes being split by weight; False for none.

    The split vote breaks ties, and never overrules a lead in trees.
    """
    hear(spines, state, x)
    hall, trees = state.hall, spines.place.shape[1]
    if hall.vote[0] < 0:  # a label reaches all trees or none
        return False
    for c in range(state.seen[0]):
        hall.score[state.order[c]] = 0.0
    for t in range(trees):
        awake = 0.0
        for c in range(state.seen[0]):
            awake += hall.said[t, state.order[c]]
        for c in range(state.seen[0]):
            y = state.order[c]
            hall.score[y] += hall.said[t, y] / (awake * trees)
        hall.score[hall.vote[t]] += 1.0
    for c in range(state.seen[0]):
        hall.score[state.order[c]] /= trees + 1.0
    return True


@internal
def teach(spines: Spines, state: SpecialistState, x: int, y: int) -> int:
    """Learn class y at x; how many trees were wrong."""
    hear(spines, state, x)
    known = False
    for c in range(state.seen[0]):
        known = known or state.order[c] == y
    if not known:
        state.order[state.seen[0]] = y
        state.seen[0] += 1
        if spines.every:
            join(state, y)
    wrong = 0
    for t in range(spines.place.shape[1]):
        said = state.hall.vote[t] == y
        if said and not spines.every:
            continue
        if not known:
            hear_tree(spines, state, t, x)
        correct(spines, state, t, x, y)
        state.clock[t, spines.component[x]] += 1 if said else MISTAKE
        wrong += not said
    state.label[x] = y
    state.hall.node[0] = -1
    return wrong


@internal
def join(state: SpecialistState, y: int) -> None:
    """Give class y the weights of a class that has not been seen, as of when each interval was last written."""
    for t in range(state.since.shape[0]):
        for interval in range(state.since.shape[1]):
            if state.since[t, interval] >= 0:
                state.weight[t, interval, y] = 0.0


@internal
def correct(spines: Spines, state: SpecialistState, t: int, x: int, y: int) -> None:
    """Of the specialists of tree t awake at x, those for y take over the weight of the others."""
    k, seen = spines.component[x], state.seen[0]
    lo: Any = spines.first[k]
    hi: Any = spines.first[k + 1] - 1
    p: Any = np.int64(spines.place[x, t])
    interval, clock = 2 * lo, state.clock[t, k]
    awake = state.hall.others[t]
    for c in range(seen):
        awake += state.hall.said[t, state.order[c]]
    raised = awake / state.hall.said[t, y]
    while True:
        old = (clock - max(state.since[t, interval], 0)) * spines.keep
        now = np.exp(old) * state.weight[t, interval, y] - np.expm1(old)
        for c in range(seen):
            state.weight[t, interval, state.order[c]] = 0.0
        state.weight[t, interval, y] = now * raised
        state.since[t, interval] = clock
        if lo == hi:
            break
        middle = left_end(lo, hi)
        if p <= middle:
            hi = middle
            interval += 1
        else:
            interval += 2 * (middle - lo + 1)
            lo = middle + 1


@implements(view, SpecialistState)
def view_specialists(space: Any, state: SpecialistState, x: int) -> tuple[int, float]:
    if not tally(space, state, x):
        return -1, 0.0
    best, top, second = -1, 0.0, 0.0
    for c in range(state.seen[0]):
        y = state.order[c]
        score = state.hall.score[y]
        if best < 0 or score > top + TIE:
            best, top, second = y, score, top
        else:
            second = max(second, score)
    return best, top - second if top - second > TIE else 0.0


@implements(learn, SpecialistState)
def learn_specialists(
    space: Any, state: SpecialistState, x: int, y: int, margin: float
) -> tuple[bool, float]:
    wrong = teach(space, state, x, y)
    return space.every or wrong > 0, wrong / space.place.shape[1]


@compiled
def shares(spines: Spines, state: SpecialistState, where: Ints, share: Floats) -> None:
    """For the nodes `where`, each class's part."""
    for a in range(where.shape[0]):
        known = tally(spines, state, where[a])
        for c in range(share.shape[1]):
            share[a, c] = 0.0
        for c in range(state.seen[0] if known else 0):
            share[a, state.order[c]] = state.hall.score[state.order[c]]
