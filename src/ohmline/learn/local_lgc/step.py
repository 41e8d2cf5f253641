"""The compiled step of `LocalLGC`: score one node, learn one label, take one back.

| recipe | here | meaning |
|---|---|---|
| F | `estimate` | of f = Q^-1 b, one row per node, one column per class |
| b | `label` | e_y / mu at each labelled node |
| score_t | `solve.score` | b'x + F'r |
| v | `found.variance` | x_t / (mu + x_t), or what the label would be worth elsewhere |

A variance is solved for more closely than a prediction, and corrected for what the residual is worth. With
x* = Q^-1 e_t exactly, x*_t = x_t + r'x*, of which x_t + r'x falls short by r'Q^-1 r only. The sum of x* over the
unlabelled nodes is that of x plus r'g, where g_j is the time that a random walk from j spends at unlabelled nodes
before it is stopped, by the ridge or at a label. A walk that forgets where it started is stopped at the rate
ridge + share / (mu + 1/degree), where `share` is that of the labelled nodes, and is anywhere with equal chance: so
g is put at (1 - share) / rate, and r'Q^-1 r at ||r||_1^2 / (rate nodes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.compiled import compiled, implements, internal
from ohmline.learn.contract import TIE
from ohmline.learn.local_lgc.local_solve import (
    COARSEST,
    FINER,
    FINEST,
    Adjacency,
    LocalSolve,
    begin,
    diagonal,
    lower,
    root,
)
from ohmline.learn.local_lgc.relax import drop_class, mend
from ohmline.learn.step import learn, variance, view

FLOOR = 0.02
"""Share of the score that every class gets before the shares are sharpened into probabilities."""
RATE = 0.4
"""Step of the online fit of the sharpness, divided by the root of the sum of its squared slopes."""
CLOSE = 0.5
"""The part of a variance, times the share of walks that end at labels, that may rest on an extrapolation."""


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
    stale: Bools
    """Where Q F = b may be off: a truncated update went there since it last was mended."""
    labelled: Ints
    """At the root of each tree of connected nodes: how many of them have a label."""
    solve: LocalSolve


@internal
def weigh(adjacency: Adjacency, state: LocalState, t: int) -> None:
    """Scores and gap from the x and r of the solve at t."""
    solve = state.solve
    base, score = solve.base, solve.score
    x, r = solve.x, solve.r
    classes = score.shape[0]
    base[:] = 0.0
    score[:] = 0.0
    residual, negative = 0.0, 0.0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        if state.label[j] >= 0:
            base[state.label[j]] += x[j] / adjacency.mu
        if r[j] != 0:
            residual += abs(r[j])
            negative += max(-r[j], 0.0)
            for c in range(classes):
                score[c] += state.estimate[j, c] * r[j]
    for c in range(classes):
        score[c] = max(score[c] + base[c], 0.0)
    best, top, second = first_two(score, state.order)
    if best < 0 and adjacency.guess:
        best = commonest(state)
    solve.found[0].code = best
    solve.found[0].margin = top - second if top - second > TIE else 0.0
    solve.found[0].residual = residual
    solve.found[0].negative = negative


@internal
def weigh_variance(adjacency: Adjacency, state: LocalState, t: int) -> bool:
    """The variance from the x and r of the solve at t; whether they suffice for it."""
    x, r, found = state.solve.x, state.solve.r, state.solve.found
    informed, carried, left = 0.0, 0.0, 0.0
    for a in range(found[0].touched):
        j = state.solve.touched[a]
        if state.label[j] < 0 and j != t:
            informed += x[j]
        carried += x[j] * r[j]
        left += r[j]
    home = root(adjacency, t)
    nodes = -adjacency.parent[home]
    share = state.labelled[home] / nodes
    stopped = share / (adjacency.mu + adjacency.extent[0] / max(adjacency.extent[1], 1))
    rate = adjacency.ridge + stopped
    own = x[t] + carried + left * left / (rate * nodes)
    rest = left * (1 - share) / rate
    informed = max(informed + rest, 0.0)
    worth = informed * informed if adjacency.reach else own
    found[0].variance = worth / (adjacency.mu + own)
    return abs(rest) * stopped <= CLOSE * rate * informed


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


@internal
def look(adjacency: Adjacency, state: LocalState, t: int, caution: float) -> None:
    """Solve at t, round by round, until the gap exceeds `caution` times what is left to push.

    Differs: one fixed tolerance spends most of its pushes on nodes whose class is plain after a
    few. `caution` = infinity gives the fixed tolerance back.
    """
    solve = state.solve
    begin(adjacency, state.precision, solve, t)
    tolerance = max(adjacency.tolerance, COARSEST) if caution < np.inf else adjacency.tolerance
    while True:
        final = lower(adjacency, state.precision, solve, t, tolerance)
        weigh(adjacency, state, t)
        if (
            final
            or tolerance <= adjacency.tolerance
            or solve.found[0].margin > caution * solve.found[0].residual
        ):
            break
        tolerance = max(tolerance * FINER, adjacency.tolerance)
    solve.found[0].node = t


@internal
def look_closely(adjacency: Adjacency, state: LocalState, t: int) -> float:
    """Go on with the solve at t until it suffices for the variance.

    The solve is then no longer the one that predicts, so that it is void: looking changes nothing.
    """
    solve = state.solve
    if solve.found[0].node != t:
        look(adjacency, state, t, adjacency.caution)
    tolerance, final = COARSEST, False
    while not weigh_variance(adjacency, state, t) and not final and tolerance > FINEST:
        solve.found[0].node = -1
        tolerance = tolerance * FINER
        final = lower(adjacency, state.precision, solve, t, tolerance)
    return solve.found[0].variance


@internal
def foresee(adjacency: Adjacency, state: LocalState) -> float:
    """Count the push that every r_j is still due into `base`, without making it; what then is left.

    A push takes the shares of the ridge and of j's own label out of r_j; the rest goes to neighbours.
    """
    solve, left = state.solve, 0.0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        share = solve.r[j] / state.precision[j]
        left += abs(solve.r[j]) - abs(share) * adjacency.ridge
        if state.label[j] >= 0:
            solve.base[state.label[j]] += share / adjacency.mu
            left -= abs(share) / adjacency.mu
    return left


@internal
def settle_class(adjacency: Adjacency, state: LocalState, t: int, tolerance: float) -> bool:
    """Solve at t until its class is certain, or down to `tolerance`; whether it is certain.

    f lies in [0, 1] (maximum principle), so the exact score of each class lies between b'x and
    b'x + ||r||_1: a lead in b'x above ||r||_1 cannot be made up.
    """
    solve = state.solve
    begin(adjacency, state.precision, solve, t)
    step = max(tolerance, COARSEST)
    while True:
        final = lower(adjacency, state.precision, solve, t, step)
        weigh(adjacency, state, t)
        left = foresee(adjacency, state)
        best, top, second = first_two(solve.base, state.order)
        solve.found[0].margin = top - second - left
        if solve.found[0].margin > TIE:
            solve.found[0].code = best
            return True
        if final or step <= tolerance:
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
        state.stale[j] = True
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
    first_seen(state, y)
    if old >= 0:
        progress = 2 * solve.x[t] / (adjacency.mu * adjacency.mu)
        state.label[t] = y
        state.counts[y] += 1
        clear(adjacency, state, t, old)
        return True, progress
    sharpen(state, y)
    move = np.empty(solve.score.shape[0])
    for c in range(move.shape[0]):
        move[c] = ((1.0 if c == y else 0.0) - solve.score[c]) / (adjacency.mu + solve.x[t])
    progress = 0.0
    for c in state.order:  # in the order of learning, which does not depend on how classes are numbered
        if c < 0:
            break
        progress += solve.x[t] * move[c] * move[c]
    spread_change(adjacency, state, t, move)
    state.label[t] = y
    state.precision[t] = diagonal(adjacency, t) + 1 / adjacency.mu
    state.counts[y] += 1
    state.labelled[root(adjacency, t)] += 1
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
    drop_class(adjacency, state, t, old)
    mend(adjacency, state, t, t)


@compiled
def withdraw(adjacency: Adjacency, state: LocalState, t: int) -> None:
    """Forget the class at t."""
    old = state.label[t]
    state.label[t] = -1
    state.precision[t] = diagonal(adjacency, t)
    state.labelled[root(adjacency, t)] -= 1
    clear(adjacency, state, t, old)


@internal
def score_mass(state: LocalState) -> float:
    """The sum of the scores, in the order in which the classes were learned."""
    mass = 0.0
    for c in state.order:
        if c < 0:
            break
        mass += state.solve.score[c]
    return mass


@internal
def largest_share(state: LocalState, mass: float) -> float:
    """The largest share of the score: a high power of each share would be 0, but not of their ratios to this one."""
    return state.solve.score.max() / mass + FLOOR if mass > 0 else 1.0


@internal
def chances(state: LocalState, chance: Floats) -> None:
    """Probability of each class: shares of the score with a floor, to the power of `sharpness`.

    Where no label reaches: how often each class was learned, plus one.
    """
    score = state.solve.score
    mass = score_mass(state)
    total, top = 0.0, largest_share(state, mass)
    for c in range(chance.shape[0]):
        if mass > 0:
            chance[c] = ((score[c] / mass + FLOOR) / top) ** state.sharpness[0]
        else:
            chance[c] = state.counts[c] + 1.0
        total += chance[c]
    for c in range(chance.shape[0]):
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
    total, slope, top = 0.0, 0.0, largest_share(state, mass)
    for c in state.order:
        if c < 0:
            break
        share = score[c] / mass + FLOOR
        chance = (share / top) ** state.sharpness[0]
        total += chance
        slope += chance * np.log(share)
    slope = slope / total - np.log(score[y] / mass + FLOOR)
    state.sharpness[1] += slope * slope
    if state.sharpness[1] > 0:
        state.sharpness[0] = max(state.sharpness[0] - RATE * slope / np.sqrt(state.sharpness[1]), 0.0)


@compiled
def look_at(adjacency: Adjacency, state: LocalState, t: int) -> None:
    """`look`, unless the scratch holds that solve already."""
    if state.solve.found[0].node != t:
        look(adjacency, state, t, adjacency.caution)


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
    chances(state, chance)
    return True


class Settled(NamedTuple):
    """What a solve proves about one node."""

    certain: bool
    code: int
    margin: float
    x: float
    residual: float
    negative: float
    edges: int


@compiled
def certain_at(adjacency: Adjacency, state: LocalState, t: int, tolerance: float) -> Settled:
    """`settle_class`, with all that it found."""
    certain = settle_class(adjacency, state, t, tolerance)
    found = state.solve.found[0]
    x = state.solve.x[t]
    return Settled(certain, found.code, found.margin, x, found.residual, found.negative, found.edges)


@implements(view, LocalState)
def view_local(space: Any, state: LocalState, x: int) -> tuple[int, float]:
    look_at(space, state, x)
    return state.solve.found[0].code, state.solve.found[0].margin


@implements(variance, LocalState)
def variance_local(space: Any, state: LocalState, x: int) -> float:
    return look_closely(space, state, x)


@implements(learn, LocalState)
def learn_local(space: Any, state: LocalState, x: int, y: int, margin: float) -> tuple[bool, float]:
    look_at(space, state, x)  # `view` ran on the same node just before, so its solve is still there
    return learn_class(space, state, x, y)
