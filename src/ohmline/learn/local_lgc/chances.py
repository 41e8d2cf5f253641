"""Probabilities from scores: shares with a floor, sharpened by a power that is fitted online."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import internal
from ohmline.learn.local_lgc.state import LocalState

FLOOR = 0.02
"""Share of the score that every class gets before the shares are sharpened into probabilities."""
RATE = 0.4
"""Step of the online fit of the sharpness, divided by the root of the sum of its squared slopes."""


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
