"""The step of `OnlineLogistic`: one label, and some earlier ones once more.

| symbol | here |
|---|---|
| w_c, b_c | column c of `weights`; its last row is the bias |
| G_c | `squares`, the sums of the squared slopes of each weight |
| eta | `step` |
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import compiled, implements, internal
from ohmline.learn.step import learn, view

LAST_COIN = 2**31 - 1
"""The largest state of the generator that draws what is learned again."""


class LogisticSpace(NamedTuple):
    """The rows of the nodes, and the options."""

    indptr: Ints
    indices: Ints
    values: Floats
    step: float
    replays: int


class LogisticState(NamedTuple):
    """The weights, and the labels that may be learned again."""

    weights: AnyArray
    """One row per feature and one for the bias, one column per class."""
    squares: AnyArray
    label: Ints
    """The class at each node, -1 for none."""
    past: Ints
    """The nodes that have a label, in the order in which they got the first."""
    many: Ints
    """How many there are."""
    order: Ints
    """The codes of the classes, in the order in which they were first seen."""
    seen: Ints
    coin: Ints


@internal
def chances(space: LogisticSpace, state: LogisticState, x: int, chance: Floats) -> None:
    """The probability of each class seen; the others are left as they are."""
    bias = state.weights.shape[0] - 1
    top = -np.inf
    for k in range(state.seen[0]):
        c = state.order[k]
        chance[c] = state.weights[bias, c]
    for a in range(space.indptr[x], space.indptr[x + 1]):
        j, value = space.indices[a], space.values[a]
        for k in range(state.seen[0]):
            c = state.order[k]
            chance[c] += value * state.weights[j, c]
    for k in range(state.seen[0]):
        top = max(top, chance[state.order[k]])
    total = 0.0
    for k in range(state.seen[0]):
        c = state.order[k]
        chance[c] = np.exp(chance[c] - top)
        total += chance[c]
    for k in range(state.seen[0]):
        chance[state.order[k]] /= total


@internal
def decide(state: LogisticState, chance: Floats) -> tuple[int, float]:
    """The most probable class, the first seen among equals, and its lead; -1 before the first label."""
    best, top, second = -1, 0.0, 0.0
    for k in range(state.seen[0]):
        c = state.order[k]
        if best < 0 or chance[c] > top:
            best, top, second = c, chance[c], top
        else:
            second = max(second, chance[c])
    return best, top - second


@internal
def descend(space: LogisticSpace, state: LogisticState, x: int, y: int, chance: Floats) -> float:
    """One step against the slope at a label; the squared length of the move."""
    chances(space, state, x, chance)
    bias, moved = state.weights.shape[0] - 1, 0.0
    for a in range(space.indptr[x], space.indptr[x + 1] + 1):
        last = a == space.indptr[x + 1]
        j, value = (bias, 1.0) if last else (space.indices[a], space.values[a])
        for k in range(state.seen[0]):
            c = state.order[k]
            slope = (chance[c] - (1.0 if c == y else 0.0)) * value
            state.squares[j, c] += slope * slope
            if state.squares[j, c] > 0.0:  # the square of a slope may be 0 where the slope is not
                change = space.step * slope / np.sqrt(state.squares[j, c])
                state.weights[j, c] -= change
                moved += change * change
    return moved


@implements(view, LogisticState)
def view_logistic(space: LogisticSpace, state: LogisticState, x: int) -> tuple[int, float]:
    chance = np.zeros(state.order.shape[0])
    chances(space, state, x, chance)
    return decide(state, chance)


@implements(learn, LogisticState)
def learn_logistic(
    space: LogisticSpace, state: LogisticState, x: int, y: int, margin: float
) -> tuple[bool, float]:
    known = False
    for k in range(state.seen[0]):
        known = known or state.order[k] == y
    if not known:
        state.order[state.seen[0]] = y
        state.seen[0] += 1
    chance = np.zeros(state.order.shape[0])
    moved = descend(space, state, x, y, chance)
    many, fresh = state.many[0], state.label[x] < 0
    state.label[x] = y
    if many > 0:
        for _ in range(space.replays):
            state.coin[0] = (state.coin[0] * 1103515245 + 12345) % (LAST_COIN + 1)
            again = state.past[(state.coin[0] >> 8) % many]
            moved += descend(space, state, again, state.label[again], chance)
    if fresh:
        state.past[many] = x
        state.many[0] += 1
    return moved > 0.0, moved


@compiled
def logistic_chances(space: LogisticSpace, state: LogisticState, x: int, chance: Floats) -> bool:
    """The probability of each class, callable from Python; False before the first label."""
    chances(space, state, x, chance)
    return state.seen[0] > 0


@compiled
def logistic_table(
    space: LogisticSpace, state: LogisticState, places: Ints, codes: Ints, margins: Floats, table: AnyArray
) -> None:
    """`view` and the probabilities of many nodes."""
    for k in range(places.shape[0]):
        chances(space, state, places[k], table[k])
        codes[k], margins[k] = decide(state, table[k])
