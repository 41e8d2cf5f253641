"""The compiled step of `LocalLGC`: score one node, learn one label, take one back.

| recipe | here | meaning |
|---|---|---|
| F | `estimate` | of f = Q^-1 b, one row per node, one column per class |
| b | `nodes[j].label` | e_y / mu at each labelled node |
| score_t | `solve.score` | b'x + F'r |
| v | `worth.py` | x_t / (mu + x_t), or what the label would be worth elsewhere |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.compiled import compiled, generic, implements, internal
from ohmline.learn.local_lgc.adjacency import Adjacency, renew, root
from ohmline.learn.local_lgc.certain import settle_class
from ohmline.learn.local_lgc.chances import chances, sharpen
from ohmline.learn.local_lgc.coming import part_to_come
from ohmline.learn.local_lgc.local_solve import COARSEST, CUT_SHORT, FINER, SETTLED, lower
from ohmline.learn.local_lgc.nodes import STALE, put_mark
from ohmline.learn.local_lgc.relax import drop_class, mend
from ohmline.learn.local_lgc.scratch import UNKNOWN, begin
from ohmline.learn.local_lgc.signs import lift, put_down
from ohmline.learn.local_lgc.state import LocalState, first_two, weigh
from ohmline.learn.local_lgc.sweeps import is_time, sweep_all
from ohmline.learn.local_lgc.worth import hear_label, own_variance, variance_elsewhere
from ohmline.learn.step import ahead, learn, variance, view

EARLY = 5.0
"""Labels for each class up to which a solve is as careful as a proof; beyond, care falls as their number grows."""


@internal
def caution_now(adjacency: Adjacency, state: LocalState) -> float:
    """How careful to be: `caution`, and more while few labels have been learned.

    Differs: with few labels the estimate is far from f wherever a truncated update did not reach, in dense clusters
    above all, and a gap that rests on it may be wrong.
    """
    labels, classes = 0, 0
    for count in state.counts:
        labels += count
        classes += count > 0
    if adjacency.caution * labels >= EARLY * classes:
        return adjacency.caution
    return max(adjacency.caution, min(1.0, EARLY * classes / max(labels, 1)))


@internal
def look(adjacency: Adjacency, state: LocalState, t: int, caution: float) -> None:
    """Solve at t, round by round, until the gap exceeds `caution` times what is left to push.

    Differs: one fixed tolerance spends most of its pushes on nodes whose class is plain after a
    few. `caution` = infinity gives the fixed tolerance back.
    """
    begin(adjacency, state.nodes, state.solve, t)
    first = max(adjacency.tolerance, COARSEST) if caution < np.inf else adjacency.tolerance
    go_on(adjacency, state, t, caution, first, adjacency.most)


@internal
def go_on(
    adjacency: Adjacency, state: LocalState, t: int, caution: float, tolerance: float, most: int
) -> None:
    """Go on with the solve at t from a round with this tolerance on, up to so many edges beside those of t."""
    solve = state.solve
    limit = most + adjacency.stop[t] - adjacency.start[t]
    while True:
        end = lower(adjacency, state.nodes, solve, t, tolerance, limit)
        weigh(adjacency, state, t)
        if (
            end != SETTLED
            or tolerance <= adjacency.tolerance
            or solve.found[0].margin > caution * solve.found[0].residual
        ):
            break
        tolerance = max(tolerance * FINER, adjacency.tolerance)
    solve.found[0].cut = tolerance if end == CUT_SHORT else 0.0
    solve.found[0].node = t


def spread_every_class(
    estimate: Floats, adjacency: Adjacency, state: LocalState, t: int, y: int, move: Floats
) -> None:
    """`spread_change` over rows that hold every class."""
    nodes, solve = state.nodes, state.solve
    for c in range(move.shape[0]):
        estimate[t, c] = solve.score[c]
    for a in range(solve.found[0].touched):
        j: Any = np.uint64(solve.touched[a])
        put_mark(nodes, j, STALE)
        x = nodes[j].x
        if x != 0:
            for c in range(np.uint64(move.shape[0])):
                estimate[j, c] = min(max(estimate[j, c] + x * move[c], adjacency.least), 1.0)
    solve.found[0].node = -1


@generic("estimate", default=spread_every_class)
def spread_change(estimate: Any, adjacency: Any, state: Any, t: Any, y: Any, move: Any) -> None:
    """F_t = score, then F += x move', kept in [0, 1], or in [-1, 1] with signs, where f lies too.

    Without signs no entry of `move` is above 0 but that of y, which is being learned.
    """
    raise TypeError("compiled code only")


@internal
def learn_class(adjacency: Adjacency, state: LocalState, t: int, y: int) -> tuple[bool, float]:
    """Learn class y at t, whose solve is in the scratch; a class it had before is corrected."""
    old, x, solve = state.nodes[t].label, state.nodes[t].x, state.solve
    if old == y:
        return False, 0.0
    if is_time(adjacency, state):
        sweep_all(adjacency, state)
        weigh(adjacency, state, t)  # the solve at t holds as it was, and is worth more now
    first_seen(state, y)
    if old >= 0:
        progress = 2 * x / (adjacency.mu * adjacency.mu)
        state.nodes[t].label = y
        state.counts[y] += 1
        clear(adjacency, state, t, old)
        return True, progress
    if adjacency.least < 0:
        lift(solve, state.order, state.counts)
        sharpen(state, state.nodes[t].q, y)
        put_down(solve)
    else:
        sharpen(state, state.nodes[t].q, y)
    if solve.found[0].cut > 0:
        caution, most = caution_now(adjacency, state), adjacency.most_learned // (state.counts.sum() + 1)
        go_on(adjacency, state, t, caution, solve.found[0].cut, max(adjacency.most, most))
        x = state.nodes[t].x
    move = np.empty(solve.score.shape[0])
    for c in range(move.shape[0]):
        move[c] = ((1.0 if c == y else 0.0) - solve.score[c]) / (adjacency.mu + x)
    progress = 0.0
    for c in state.order:  # in the order of learning, which does not depend on how classes are numbered
        if c < 0:
            break
        progress += x * move[c] * move[c]
    spread_change(state.estimate, adjacency, state, t, y, move)
    state.nodes[t].label = y
    renew(adjacency, state.nodes, t)
    state.counts[y] += 1
    state.labelled[root(adjacency, t)] += 1
    hear_label(adjacency, state, t)
    return True, progress


@internal
def first_seen(state: LocalState, y: int) -> None:
    """Note class y in the order of learning."""
    for k in range(state.order.shape[0]):
        if state.order[k] == y:
            break
        if state.order[k] < 0:
            state.order[k] = y
            break


@internal
def clear(adjacency: Adjacency, state: LocalState, t: int, old: int) -> None:
    """The label at t is no longer `old`: mend the estimate, everywhere."""
    state.counts[old] -= 1
    take_back(state.estimate, adjacency, state, t, old)


def _take_back(estimate: Any, adjacency: Any, state: Any, t: Any, old: Any) -> Any:
    drop_class(adjacency, state, t, old)
    mend(adjacency, state, t, t)


@generic("estimate", default=_take_back)
def take_back(estimate: Any, adjacency: Any, state: Any, t: Any, old: Any) -> None:
    """The label at t is no longer `old`: its class leaves what it cannot reach any more, and the estimate is mended."""
    raise TypeError("compiled code only")


@compiled
def withdraw(adjacency: Adjacency, state: LocalState, t: int) -> None:
    """Forget the class at t."""
    old = state.nodes[t].label
    state.nodes[t].label = -1
    renew(adjacency, state.nodes, t)
    state.labelled[root(adjacency, t)] -= 1
    state.solve.found[0].worths = UNKNOWN
    clear(adjacency, state, t, old)


@compiled
def look_at(adjacency: Adjacency, state: LocalState, t: int) -> None:
    """`look`, unless the scratch holds that solve already."""
    if state.solve.found[0].node != t:
        look(adjacency, state, t, caution_now(adjacency, state))


@compiled
def scores_at(adjacency: Adjacency, state: LocalState, t: int, score: Floats) -> None:
    """The scores at t, copied out before anybody else can look elsewhere."""
    look_at(adjacency, state, t)
    for c in range(score.shape[0]):
        score[c] = state.solve.score[c]


@compiled
def chances_at(adjacency: Adjacency, state: LocalState, t: int, chance: Floats) -> bool:
    """The probabilities at t; False, and none, where the prediction is "don't know"."""
    look_at(adjacency, state, t)
    if state.solve.found[0].code < 0:
        return False
    if adjacency.least < 0:
        lift(state.solve, state.order, state.counts)
        chances(state, state.nodes[t].q, chance)
        put_down(state.solve)
    else:
        chances(state, state.nodes[t].q, chance)
    return True


@compiled
def survey(
    adjacency: Adjacency,
    state: LocalState,
    where: Ints,
    codes: Ints,
    margins: Floats,
    certain: Bools,
    chance: Floats,
    heard: Bools,
) -> None:
    """What local solves say of the nodes `where`, one after the other, and which of them have a score at all."""
    for a in range(where.shape[0]):
        look_at(adjacency, state, where[a])
        found = state.solve.found[0]
        heard[a] = adjacency.least < 0 or first_two(state.solve.score, state.order)[0] >= 0
        codes[a], margins[a] = found.code, found.margin
        if found.code < 0:
            chance[a] = np.nan
            certain[a] = False
            continue
        if adjacency.least < 0:
            lift(state.solve, state.order, state.counts)
        chances(state, state.nodes[where[a]].q, chance[a])
        proven, _ = settle_class(adjacency, state, where[a], adjacency.tolerance)
        certain[a] = proven and state.solve.found[0].code == codes[a]
        state.solve.found[0].node = -1


@implements(view, LocalState)
def view_local(space: Any, state: LocalState, x: int) -> tuple[int, float]:
    look_at(space, state, x)
    return state.solve.found[0].code, state.solve.found[0].margin


@implements(variance, LocalState)
def variance_local(space: Any, state: LocalState, x: int) -> float:
    look_at(space, state, x)
    return variance_elsewhere(space, state, x) if space.reach else own_variance(space, state, x)


@implements(ahead, LocalState)
def ahead_local(space: Any, state: LocalState, x: int, shown: Bools, again: float) -> float:
    look_at(space, state, x)
    return part_to_come(space, state, x, shown, again)


@implements(learn, LocalState)
def learn_local(space: Any, state: LocalState, x: int, y: int, margin: float) -> tuple[bool, float]:
    look_at(space, state, x)  # `view` ran on the same node just before, so its solve is still there
    return learn_class(space, state, x, y)
