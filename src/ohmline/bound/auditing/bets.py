"""Bets against "at least so many are wrong", and the limit that the lost bets of that claim leave.

A population of N predictions holds m wrong ones. They are looked at one by one, in random order and without
replacement. If m were known, the next one would be wrong with probability mu, what is left of m over what is left of N.
Whoever bets against "m are wrong" at these odds owns, in expectation, no more tomorrow than today: his wealth is a
non-negative martingale that begins at 1, and by Ville's inequality it *ever* reaches 1/alpha with probability alpha at
most. So every m whose bettor has become that rich at some look is ruled out, however often one looks (Waudby-Smith and
Ramdas, "Estimating means of bounded random variables by betting", 2024, section 5, for sampling without replacement).

The bets may use what is known beforehand. Let s be a guess of how likely a prediction is wrong, b a number that past
looks chose, and s' the mean of s over what is left. Then x - b (s - s') has the mean of x, and a smaller variance where
the guess is good. This is what strata do, without their price: a claim about the sum over strata has to be
refuted for every way to divide it among them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled.decorators import compiled

STAKES = np.array([0.2, 0.4, 0.6, 0.8, 0.95])
"""The bets that are mixed: the share of the wealth that is lost at once when the worst happens."""
TRUST = 30.0
"""The guesses are believed as if so many looks of typical spread had shown nothing yet."""


class Population(NamedTuple):
    """What is known of all predictions before the first look: how many, and the guesses of their being wrong."""

    size: int
    least: float
    total: float
    variance: float

    @classmethod
    def of(cls, doubt: Floats) -> Population:
        """The population with these guesses."""
        return cls(len(doubt), float(doubt.min()), float(doubt.sum()), float(doubt.var()))


def most_wrong(population: Population, wrong: Floats, doubt: Floats, alpha: float) -> int:
    """The largest number of wrong predictions in the population that the looks so far leave possible.

    Parameters
    ----------
    population
        All predictions.
    wrong, doubt
        1 or 0, and the guess, for each prediction that was looked at, in the order of the looks.
    alpha
        The probability with which the limit may fall below the truth at any look.

    Returns
    -------
    int
        The limit.
    """
    found = int(wrong.sum())
    low, high = found, population.size - (len(wrong) - found)
    goal = -np.log(alpha)

    def is_refuted(m: int) -> bool:
        return bool(refuted(m, population, wrong, doubt, STAKES, TRUST, goal))

    if not is_refuted(high):
        return high
    while high - low > 1:  # wealth grows with m, so what is refuted is everything from some number on
        middle = (low + high) // 2
        low, high = (low, middle) if is_refuted(middle) else (middle, high)
    return low


@compiled
def refuted(
    m: int, population: Population, wrong: Floats, doubt: Floats, stakes: Floats, trust: float, goal: float
) -> bool:
    """Whether the bettor against "m are wrong" ever reached the wealth whose logarithm is `goal`."""
    wealth = np.full(len(stakes), -np.log(len(stakes)))
    left, guessed = float(m), population.total
    centre = population.total / population.size
    together, spread = 0.0, trust * population.variance
    for t in range(len(wrong)):
        still = population.size - t
        mu, middle = left / still, guessed / still
        if mu < 0.0 or mu > 1.0:  # more wrong ones were found than m, or too few are left
            return True
        belief = min(max(together / spread, 0.0), 1.0) if spread > 0.0 else 0.0
        worst = 1.0 - mu + belief * max(middle - population.least, 0.0)
        if worst > 0.0:
            gain = (mu - wrong[t] + belief * (doubt[t] - middle)) / worst
            if mixed(wealth, stakes, max(gain, -1.0)) >= goal:
                return True
        elif wrong[t] == 0.0:  # all that were left had to be wrong
            return True
        left -= wrong[t]
        guessed -= doubt[t]
        together += (doubt[t] - centre) * wrong[t]
        spread += (doubt[t] - centre) ** 2
    return left < 0.0 or left > population.size - len(wrong)


@compiled
def mixed(wealth: Floats, stakes: Floats, gain: float) -> float:
    """Settle one bet at every stake; the logarithm of the wealth in all. `wealth` holds logarithms."""
    most = -np.inf
    for k in range(len(stakes)):
        wealth[k] += np.log1p(stakes[k] * gain)
        most = max(most, wealth[k])
    together = 0.0
    for k in range(len(stakes)):
        together += np.exp(wealth[k] - most)
    return most + np.log(together)
