"""From scores to probabilities: a power for each head, fitted online, and their weighted mean.

A head gives class c a probability in proportion to (its share of the score + .02) to a power, which follows gradient
steps on -log(probability of the label), each taken after the label was scored. A head that knows nothing says how
often each class was learned. Classes without a label have no probability here.
"""

from __future__ import annotations

import numpy as np

from ohmline.compiled import internal
from ohmline.learn.drifting.state import HEADS, DriftState

FLOOR = 0.02
"""Share of the score that every class gets before the shares are raised to the power."""
RATE = 0.4
"""Of the gradient steps, divided by the root of the sum of squared slopes."""
SHARPEST = 20.0
"""The largest power: with it no probability is so small that it becomes 0."""


@internal
def mass_of(state: DriftState, head: int) -> float:
    """The sum of a head's scores."""
    mass = 0.0
    for c in state.order:
        if c < 0:
            break
        mass += state.solves.score[head, c]
    return mass


@internal
def mix(state: DriftState) -> None:
    """Probabilities of all heads, and their mean by weight."""
    solves = state.solves
    chance, mean = solves.chance, solves.mean
    mean[:] = 0.0
    solves.silent[0] = 1
    for k in range(HEADS):
        mass, total = mass_of(state, k), 0.0
        if mass > 0:
            solves.silent[0] = 0
        for c in state.order:
            if c < 0:
                break
            if mass > 0:
                chance[k, c] = (solves.score[k, c] / mass + FLOOR) ** state.sharp[k]
            else:
                chance[k, c] = state.counts[c] + 1.0
            total += chance[k, c]
        for c in state.order:
            if c < 0:
                break
            chance[k, c] /= total
            mean[c] += state.followed.weights[k] * chance[k, c]


@internal
def sharpen(state: DriftState, y: int) -> None:
    """A gradient step of every power on -log(probability of y)."""
    score = state.solves.score
    for k in range(HEADS):
        mass = mass_of(state, k)
        if mass <= 0:
            continue
        total, slope = 0.0, 0.0
        for c in state.order:
            if c < 0:
                break
            share = score[k, c] / mass + FLOOR
            raised = share ** state.sharp[k]
            total += raised
            slope += raised * np.log(share)
        slope = slope / total - np.log(score[k, y] / mass + FLOOR)
        state.slopes[k] += slope * slope
        state.sharp[k] = min(max(state.sharp[k] - RATE * slope / np.sqrt(state.slopes[k]), 0.0), SHARPEST)
