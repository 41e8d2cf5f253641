"""The compiled step of ``LocalLGC``: score one node, learn one label, take one back.

| recipe | here | meaning |
|---|---|---|
| F | ``estimate`` | of f = Q^-1 b, a row a node, a column a class |
| b | ``label`` | e_y / mu at each labelled node |
| score_t | ``scratch.score`` | b'x + F'r |
| v | ``scratch.real[OWN]`` | x_t / (mu + x_t) |
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, implements
from ohmline.learn.contract import TIE
from ohmline.learn.push import (
    COARSEST,
    CODE,
    FINER,
    MARGIN,
    NODE,
    OWN,
    RESIDUAL,
    TOLD,
    TOUCHED,
    Scratch,
    Wires,
    begin,
    diagonal,
    push,
)
from ohmline.learn.stepping import learn, view

FLOOR = 0.02
"""Share of the score that every class gets before the shares are sharpened into probabilities."""
RATE = 0.4
"""Step of the online fit of the sharpness, divided by the root of the sum of its squared slopes."""


class LocalState(NamedTuple):
    """What the learner knows; ``scratch`` is not part of it."""

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
    scratch: Scratch


@compiled
def weigh(wires: Wires, state: LocalState, t: int) -> None:
    """Scores, gap and variances from the x and r of the solve at t."""
    scratch = state.scratch
    base, score = scratch.base, scratch.score
    x, r = scratch.x, scratch.r
    classes = score.shape[0]
    base[:] = 0.0
    score[:] = 0.0
    residual, informed = 0.0, 0.0
    for a in range(scratch.whole[TOUCHED]):
        j = scratch.touched[a]
        if state.label[j] >= 0:
            base[state.label[j]] += x[j] / wires.mu
        elif j != t:
            informed += x[j]
        if r[j] > 0:
            residual += r[j]
            for c in range(classes):
                score[c] += state.estimate[j, c] * r[j]
    for c in range(classes):
        score[c] += base[c]
    best, top, second = first_two(score, state.order)
    own = x[t] / (wires.mu + x[t])
    if best < 0 and wires.guess:
        best = commonest(state)
    scratch.whole[CODE] = best
    scratch.real[MARGIN] = top - second if top - second > TIE else 0.0
    scratch.real[OWN] = own
    scratch.real[RESIDUAL] = residual
    scratch.real[TOLD] = informed * informed / (wires.mu + x[t]) if wires.reach else own


@compiled
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


@compiled
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
def look(wires: Wires, state: LocalState, t: int, caution: float) -> None:
    """Solve at t, round by round, until the gap exceeds ``caution`` times what is left to push.

    Differs: one fixed tolerance spends most of its pushes on nodes whose class is plain after a
    few. ``caution`` = infinity gives the fixed tolerance back.
    """
    scratch = state.scratch
    begin(wires, state.precision, scratch, t)
    tolerance = max(wires.tolerance, COARSEST) if caution < np.inf else wires.tolerance
    while True:
        push(wires, state.precision, scratch, tolerance)
        weigh(wires, state, t)
        if tolerance <= wires.tolerance or scratch.real[MARGIN] > caution * scratch.real[RESIDUAL]:
            break
        tolerance = max(tolerance * FINER, wires.tolerance)
    scratch.whole[NODE] = t


@compiled
def foresee(wires: Wires, state: LocalState) -> float:
    """Count the push that every r_j is still due into ``base``, without making it; what then is left.

    A push takes the shares of the ridge and of j's own label out of r_j; the rest goes to neighbours.
    """
    scratch, left = state.scratch, 0.0
    for a in range(scratch.whole[TOUCHED]):
        j = scratch.touched[a]
        share = scratch.r[j] / state.precision[j]
        left += scratch.r[j] - share * wires.ridge
        if state.label[j] >= 0:
            scratch.base[state.label[j]] += share / wires.mu
            left -= share / wires.mu
    return left


@compiled
def settle_class(wires: Wires, state: LocalState, t: int, tolerance: float) -> bool:
    """Solve at t until its class is certain, or down to ``tolerance``; whether it is certain.

    f lies in [0, 1] (maximum principle), so the exact score of each class lies between b'x and
    b'x + ||r||_1: a lead in b'x above ||r||_1 cannot be made up.
    """
    scratch = state.scratch
    begin(wires, state.precision, scratch, t)
    step = max(tolerance, COARSEST)
    while True:
        push(wires, state.precision, scratch, step)
        weigh(wires, state, t)
        left = foresee(wires, state)
        best, top, second = first_two(scratch.base, state.order)
        scratch.real[MARGIN] = top - second - left
        if scratch.real[MARGIN] > TIE:
            scratch.whole[CODE] = best
            return True
        if step <= tolerance:
            return False
        step = max(step * FINER, tolerance)


@compiled
def shift(wires: Wires, state: LocalState, t: int, move: Floats) -> None:
    """F_t = score, then F += x move', kept in [0, 1], where f lies too."""
    scratch, estimate = state.scratch, state.estimate
    for c in range(move.shape[0]):
        estimate[t, c] = scratch.score[c]
    for a in range(scratch.whole[TOUCHED]):
        j = scratch.touched[a]
        if scratch.x[j] > 0:
            for c in range(move.shape[0]):
                estimate[j, c] = min(max(estimate[j, c] + scratch.x[j] * move[c], 0.0), 1.0)
    scratch.whole[NODE] = -1


@compiled
def absorb(wires: Wires, state: LocalState, t: int, y: int) -> tuple[bool, float]:
    """Learn class y at t, whose solve is in the scratch; a class it had before is corrected."""
    old, scratch = state.label[t], state.scratch
    if old == y:
        return False, 0.0
    move = np.empty(scratch.score.shape[0])
    if old < 0:
        sharpen(state, y)
        for c in range(move.shape[0]):
            move[c] = ((1.0 if c == y else 0.0) - scratch.score[c]) / (wires.mu + scratch.x[t])
    else:
        move[:] = 0.0
        move[y] = 1 / wires.mu
        move[old] = -1 / wires.mu
        state.counts[old] -= 1
    progress = 0.0
    for c in range(move.shape[0]):
        progress += scratch.x[t] * move[c] * move[c]
    shift(wires, state, t, move)
    state.label[t] = y
    state.precision[t] = diagonal(wires, t) + 1 / wires.mu
    state.counts[y] += 1
    for k in range(state.order.shape[0]):
        if state.order[k] == y:
            break
        if state.order[k] < 0:
            state.order[k] = y
            break
    return True, progress


@compiled
def withdraw(wires: Wires, state: LocalState, t: int) -> None:
    """Forget the class at t: Sherman-Morrison, backwards."""
    look(wires, state, t, np.inf)
    old, scratch = state.label[t], state.scratch
    move = np.empty(scratch.score.shape[0])
    for c in range(move.shape[0]):
        move[c] = (scratch.score[c] - (1.0 if c == old else 0.0)) / (wires.mu - scratch.x[t])
    shift(wires, state, t, move)
    state.label[t] = -1
    state.precision[t] = diagonal(wires, t)
    state.counts[old] -= 1


@compiled
def chances(state: LocalState, chance: Floats) -> None:
    """Probability of each class: shares of the score with a floor, to the power of ``sharpness``.

    Where no label reaches: how often each class was learned, plus one.
    """
    score = state.scratch.score
    mass = score.sum()
    total = 0.0
    for c in range(score.shape[0]):
        if mass > 0:
            chance[c] = (score[c] / mass + FLOOR) ** state.sharpness[0]
        else:
            chance[c] = state.counts[c] + 1.0
        total += chance[c]
    for c in range(score.shape[0]):
        chance[c] /= total


@compiled
def sharpen(state: LocalState, y: int) -> None:
    """One AdaGrad step of the sharpness on -log(probability of y) among the classes learned before.

    A label of a class never learned before says nothing about how sure to be of the others.
    """
    score = state.scratch.score
    mass = score.sum()
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
def look_at(wires: Wires, state: LocalState, t: int) -> None:
    """``look``, unless the scratch holds that solve already."""
    if state.scratch.whole[NODE] != t:
        look(wires, state, t, wires.caution)


@implements(view, LocalState, "state")
def _(space: Any, state: LocalState, i: int) -> tuple[int, float, float]:
    look_at(space, state, i)
    return state.scratch.whole[CODE], state.scratch.real[MARGIN], state.scratch.real[TOLD]


@implements(learn, LocalState, "state")
def _(space: Any, state: LocalState, i: int, y: int, margin: float, variance: float) -> tuple[bool, float]:
    # ``view`` ran on the same node just before, so its solve is still in the scratch.
    return absorb(space, state, i, y)
