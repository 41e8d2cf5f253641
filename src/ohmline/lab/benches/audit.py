"""Labels until an audit certifies a goal, beside an exact test that looks once."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import hypergeom

from ohmline.bound.auditing.bets import Population, most_wrong
from ohmline.lab.bench import Bench, Measured, target

SIZE, GOAL, ALPHA, POWER, RUNS = 20_000, 0.05, 0.05, 0.9, 200
ERRORS = (0.01, 0.02, 0.03)


def labels_until(wrong: Any, guesses: Any) -> int:
    """How many labels the audit needs until it says "at most GOAL", found by bisection: its limit never rises."""
    population = Population.of(guesses)
    low, high = 0, len(wrong)
    while high - low > 1:
        middle = (low + high) // 2
        reached = most_wrong(population, wrong[:middle], guesses[:middle], ALPHA) <= GOAL * SIZE
        low, high = (low, middle) if reached else (middle, high)
    return high


def one_look(error: float) -> int:
    """Labels of the smallest exact hypergeometric test that certifies GOAL with probability POWER, looking once."""
    most, truth = int(GOAL * SIZE) + 1, round(error * SIZE)
    for n in range(20, SIZE):
        allowed = int(hypergeom.ppf(ALPHA, SIZE, most, n))
        while allowed >= 0 and hypergeom.cdf(allowed, SIZE, most, n) > ALPHA:
            allowed -= 1
        if allowed >= 0 and hypergeom.cdf(allowed, SIZE, truth, n) >= POWER:
            return n
    return SIZE


def audit() -> Measured:
    """Mean labels to certify "at most 5 % of 20,000 are wrong" at true errors of 1, 2 and 3 %."""
    rng = np.random.default_rng(0)
    targets, details, ratios = [], {}, []
    for error in ERRORS:
        truth = np.zeros(SIZE)
        truth[: round(error * SIZE)] = 1
        ours = float(np.mean([labels_until(rng.permutation(truth), np.zeros(SIZE)) for _ in range(RUNS)]))
        exact = one_look(error)
        ratios.append(exact / ours)
        details[f"labels_at_{100 * error:g}_percent"] = ours
        details[f"one_look_at_{100 * error:g}_percent"] = exact
        targets.append(target(f"at {100 * error:g} %: not more labels than one look", ours, most=exact))
    reference = f"labels of an exact hypergeometric test with one look, planned for power {POWER:g}"
    return Measured("audit", min(ratios), reference, {"size": SIZE, **details, "targets": targets})


BENCHES: dict[str, Bench] = {"audit": audit}
