"""What an audit would say after more looks like those that it had."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats
from ohmline.bound.auditing.bets import Population, most_wrong

TRIES = 15
"""How many futures are drawn."""


def median_limit(
    population: Population, wrong: Floats, doubt: Floats, ahead: Floats, alpha: float
) -> tuple[int, int]:
    """The median limit after looks with the guesses `ahead`, and the wrong ones that it has found by then.

    Each future look is wrong with the guessed probability, scaled so that the guesses fit what was found.
    """
    rng = np.random.default_rng(0)
    rate = (wrong.sum() + 0.5) / (len(wrong) + 1)
    guessed = float(doubt.sum() + 0.5 * rate)
    chance = np.full(len(ahead), rate)
    if doubt.sum() > 0:
        chance = np.minimum(ahead * (wrong.sum() + 0.5) / (guessed + 0.5), 1.0)
    both = np.concatenate([doubt, ahead])
    futures = []
    for _ in range(TRIES):
        drawn = (rng.random(len(ahead)) < chance).astype(np.float64)
        looks = np.concatenate([wrong, drawn])
        futures.append((most_wrong(population, looks, both, alpha), int(looks.sum())))
    return sorted(futures)[TRIES // 2]
