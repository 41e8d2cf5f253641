"""The compiled step of `LocalLGC`: score one node, learn one label, take one back.

| recipe | here | meaning |
|---|---|---|
| F | `estimate` | of f = Q^-1 b, one row per node, one column per class |
| b | `label` | e_y / mu at each labelled node |
| score_t | `solve.score` | b'x + F'r |
| v | `own` | x_t / (mu + x_t) |
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, implements, internal
from ohmline.learn.contract import TIE
from ohmline.learn.local_lgc.local_solve import (
    COARSEST,
    FINER,
    Adjacency,
    LocalSolve,
    begin,
    diagonal,
    push,
)
from ohmline.learn.step import learn, variance, view

FLOOR = 0.02
"""Share of the score that every class gets before the shares are sharpened into probabilities."""
RATE = 0.4
"""Step of the online fit of the sharpness, divided by the root of the sum of its squared slopes."""


class LocalState(NamedTuple):
    """What the learner knows; `solve` is not part of it."""

    estimate: Floats
    label: Ints
    """The class at each node, -1 for none."""
    counts: Ints
    """How many nodes have each class."""
    order: Ints
    """The classes in the order in which they were first learned, then -1."""
    sharpness: Floats
    """The power that turns shares into probabilities, and the sum of its squared slopes so far."""
    precision: Floats
    solve: LocalSolve


@internal
def weigh(adjacency: Adjacency, state: LocalState, t: int) -> None:
    """Scores, gap and variances from the x and r of the solve at t."""
    solve = state.solve
    base, score = solve.base, solve.score
    x, r = solve.x, solve.r
    classes = score.shape[0]
    base[:] = 0.0
    score[:] = 0.0
    residual, informed = 0.0, 0.0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        if state.label[j] >= 0:
            base[state.label[j]] += x[j] / adjacency.mu
        elif j != t:
            informed += x[j]
        if r[j] > 0:
            residual += r[j]
            for c in range(classes):
                score[c] += state.estimate[j, c] * r[j]
    for c in range(classes):
        score[c] += base[c]
    best, top, second = first_two(score, state.order)
    own = x[t] / (adjacency.mu + x[t])
    if best < 0 and adjacency.guess:
        best = commonest(state)
    solve.found[0].code = best
    solve.found[0].margin = top - second if top - second > TIE else 0.0
    solve.found[0].residual = residual
    solve.found[0].variance = informed * informed / (adjacency.mu + x[t]) if adjacency.reach else own


@internal
def first_two(score: Floats, order: Ints) -> tuple[int, float, float]:
    """The class of the largest positive score (-1: none; of equals the first learned), it, the next."""
    best, top, second = -1, 0.0, 0.0
    for c in order:
        if c < 0:
            break
        if score[c] > top:
            best, top, second = c, score[c], top
        else:
            second = max(second, score[c])
    return best, top, second


@internal
def commonest(state: LocalState) -> int:
    """The class of most nodes, the first learned among equals; -1 before any label."""
    best, most = -1, 0
    for c in state.order:
        if c < 0:
            break
        if state.counts[c] > most:
            best, most = c, state.counts[c]
    return best


@compiled
def look(adjacency: Adjacency, state: LocalState, t: int, caution: float) -> None:
    """Solve at t, round by round, until the gap exceeds `caution` times what is left to push.

    Differs: one fixed tolerance spends most of its pushes on nodes whose class is plain after a
    few. `caution` = infinity gives the fixed tolerance back.
    """
    solve = state.solve
    begin(adjacency, state.precision, solve, t)
    tolerance = max(adjacency.tolerance, COARSEST) if caution < np.inf else adjacency.tolerance
    while True:
        push(adjacency, state.precision, solve, tolerance)
        weigh(adjacency, state, t)
        if tolerance <= adjacency.tolerance or solve.found[0].margin > caution * solve.found[0].residual:
            break
        tolerance = max(tolerance * FINER, adjacency.tolerance)
    solve.found[0].node = t


@internal
def foresee(adjacency: Adjacency, state: LocalState) -> float:
    """Count the push that every r_j is still due into `base`, without making it; what then is left.

    A push takes the shares of the ridge and of j's own label out of r_j; the rest goes to neighbours.
    """
    solve, left = state.solve, 0.0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        share = solve.r[j] / state.precision[j]
        left += solve.r[j] - share * adjacency.ridge
        if state.label[j] >= 0:
            solve.base[state.label[j]] += share / adjacency.mu
            left -= share / adjacency.mu
    return left


@compiled
def settle_class(adjacency: Adjacency, state: LocalState, t: int, tolerance: float) -> bool:
    """Solve at t until its class is certain, or down to `tolerance`; whether it is certain.

    f lies in [0, 1] (maximum principle), so the exact score of each class lies between b'x and
    b'x + ||r||_1: a lead in b'x above ||r||_1 cannot be made up.
    """
    solve = state.solve
    begin(adjacency, state.precision, solve, t)
    step = max(tolerance, COARSEST)
    while True:
        push(adjacency, state.precision, solve, step)
        weigh(adjacency, state, t)
        left = foresee(adjacency, state)
        best, top, second = first_two(solve.base, state.order)
        solve.found[0].margin = top - second - left
        if solve.found[0].margin > TIE:
            solve.found[0].code = best
            return True
        if step <= tolerance:
            return False
        step = max(step * FINER, tolerance)


@internal
def spread_change(adjacency: Adjacency, state: LocalState, t: int, move: Floats) -> None:
    """F_t = score, then F += x move', kept in [0, 1], where f lies too."""
    solve, estimate = state.solve, state.estimate
    for c in range(move.shape[0]):
        estimate[t, c] = solve.score[c]
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        if solve.x[j] > 0:
            for c in range(move.shape[0]):
                estimate[j, c] = min(max(estimate[j, c] + solve.x[j] * move[c], 0.0), 1.0)
    solve.found[0].node = -1


@internal
def learn_class(adjacency: Adjacency, state: LocalState, t: int, y: int) -> tuple[bool, float]:
    """Learn class y at t, whose solve is in the scratch; a class it had before is corrected."""
    old, solve = state.label[t], state.solve
    if old == y:
        return False, 0.0
    move = np.empty(solve.score.shape[0])
    if old < 0:
        sharpen(state, y)
        for c in range(move.shape[0]):
            move[c] = ((1.0 if c == y else 0.0) - solve.score[c]) / (adjacency.mu + solve.x[t])
    else:
        move[:] = 0.0
        move[y] = 1 / adjacency.mu
        move[old] = -1 / adjacency.mu
        state.counts[old] -= 1
    for k in range(state.order.shape[0]):
        if state.order[k] == y:
            break
        if state.order[k] < 0:
            state.order[k] = y
            break
    progress = 0.0
    for c in state.order:  # in the order of learning, which does not depend on how classes are numbered
        if c < 0:
            break
        progress += solve.x[t] * move[c] * move[c]
    spread_change(adjacency, state, t, move)
    state.label[t] = y
    state.precision[t] = diagonal(adjacency, t) + 1 / adjacency.mu
    state.counts[y] += 1
    return True, progress


@compiled
def withdraw(adjacency: Adjacency, state: LocalState, t: int) -> None:
    """Forget the class at t: Sherman-Morrison, backwards."""
    look(adjacency, state, t, np.inf)
    old, solve = state.label[t], state.solve
    move = np.empty(solve.score.shape[0])
    for c in range(move.shape[0]):
        move[c] = (solve.score[c] - (1.0 if c == old else 0.0)) / (adjacency.mu - solve.x[t])
    spread_change(adjacency, state, t, move)
    state.label[t] = -1
    state.precision[t] = diagonal(adjacency, t)
    state.counts[old] -= 1


@internal
def score_mass(state: LocalState) -> float:
    """The sum of the scores, in the order in which the classes were learned."""
    mass = 0.0
    for c in state.order:
        if c < 0:
            break
        mass += state.solve.score[c]
    return mass


@compiled
def chances(state: LocalState, chance: Floats) -> None:
    """Probability of each class: shares of the score with a floor, to the power of `sharpness`.

    Where no label reaches: how often each class was learned, plus one.
    """
    score = state.solve.score
    mass = score_mass(state)
    total = 0.0
    for c in range(score.shape[0]):
        if mass > 0:
            chance[c] = (score[c] / mass + FLOOR) ** state.sharpness[0]
        else:
            chance[c] = state.counts[c] + 1.0
        total += chance[c]
    for c in range(score.shape[0]):
        chance[c] /= total


@internal
def sharpen(state: LocalState, y: int) -> None:
    """One AdaGrad step of the sharpness on -log(probability of y) among the classes learned before.

    A label of a class never learned before says nothing about how sure to be of the others.
    """
    score = state.solve.score
    mass = score_mass(state)
    if mass <= 0 or state.counts[y] == 0:
        return
    total, slope = 0.0, 0.0
    for c in state.order:
        if c < 0:
            break
        share = score[c] / mass + FLOOR
        chance = share ** state.sharpness[0]
        total += chance
        slope += chance * np.log(share)
    slope = slope / total - np.log(score[y] / mass + FLOOR)
    state.sharpness[1] += slope * slope
    state.sharpness[0] = max(state.sharpness[0] - RATE * slope / np.sqrt(state.sharpness[1]), 0.0)


@compiled
def look_at(adjacency: Adjacency, state: LocalState, t: int) -> None:
    """`look`, unless the scratch holds that solve already."""
    if state.solve.found[0].node != t:
        look(adjacency, state, t, adjacency.caution)


@implements(view, LocalState)
def view_local(space: Any, state: LocalState, x: int) -> tuple[int, float]:
    look_at(space, state, x)
    return state.solve.found[0].code, state.solve.found[0].margin


@implements(variance, LocalState)
def variance_local(space: Any, state: LocalState, x: int) -> float:
    look_at(space, state, x)
    return state.solve.found[0].variance


@implements(learn, LocalState)
def learn_local(space: Any, state: LocalState, x: int, y: int, margin: float) -> tuple[bool, float]:
    look_at(space, state, x)  # `view` ran on the same node just before, so its solve is still there
    return learn_class(space, state, x, y)
