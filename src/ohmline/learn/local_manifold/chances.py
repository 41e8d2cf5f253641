"""Probabilities: shares of the scores with a floor, sharpened by a power that is fitted online."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, internal
from ohmline.learn.local_lgc.chances import FLOOR
from ohmline.learn.local_manifold.kriging import read, verdict
from ohmline.learn.local_manifold.state import Summary

RATE = 0.4
"""Step of the online fit of the power, divided by the root of the sum of its squared slopes."""


@internal
def shares(state: Summary) -> float:
    """The share of each class that was seen into the sums, with a floor; the largest."""
    seen, sums = state.tally.seen[0], state.work.sums
    total, top = 0.0, 0.0
    for c in range(seen):
        sums[c] = max(state.work.balanced[c], 0.0)
        total += sums[c]
    for c in range(seen):
        sums[c] = (sums[c] / total if total > 0.0 else 1.0 / seen) + FLOOR
        top = max(top, sums[c])
    return top


@internal
def chances(state: Summary, chance: Floats) -> None:
    """The probability of each class, by its code, at the point that was read; one that was never seen has the floor."""
    top, power = shares(state), state.tally.sharpness[0]
    chance[:] = (FLOOR / top) ** power
    for c in range(state.tally.seen[0]):
        chance[state.order[c]] = (state.work.sums[c] / top) ** power
    total = 0.0
    for value in chance:
        total += value
    for c in range(chance.shape[0]):
        chance[c] /= total


@internal
def sharpen(state: Summary, y: int) -> None:
    """One AdaGrad step of the power on -log(probability of y), a class that was seen before."""
    sharpness, sums = state.tally.sharpness, state.work.sums
    top = shares(state)
    total, slope = 0.0, 0.0
    for c in range(state.tally.seen[0]):
        chance = (sums[c] / top) ** sharpness[0]
        total += chance
        slope += chance * np.log(sums[c])
    slope = slope / total - np.log(sums[y])
    sharpness[1] += slope * slope
    if sharpness[1] > 0.0:
        sharpness[0] = max(sharpness[0] - RATE * slope / np.sqrt(sharpness[1]), 0.0)


@compiled
def survey(
    state: Summary, points: Floats, codes: Ints, margins: Floats, chance: Floats, scores: Floats
) -> None:
    """The predictions of many points, with their margins, probabilities and scores by code."""
    for t in range(points.shape[0]):
        read(state, points[t])
        codes[t], margins[t] = verdict(state)
        if codes[t] >= 0:
            chances(state, chance[t])
            for c in range(state.tally.seen[0]):
                scores[t, state.order[c]] = state.work.balanced[c]
