"""Adaptive conformal inference: the level of each coverage, and the strangeness of the last labels.

| Gibbs and Candes | here | |
|---|---|---|
| alpha | 1 - `coverage` | how often a label may be missed |
| alpha_t | `level` | the level that the next set is made at |
| gamma | `step` | how far one label moves it |
| err_t | `missed` | whether the label was outside of its set |
| S_i | `strangeness` | 1 - the probability of the label; infinite for a class that had none yet |

alpha_{t+1} = alpha_t + gamma (alpha - err_t). A set at a level of 0 or less holds everything and at one of 1 or more
nothing, so that alpha_t never leaves [-gamma, 1 + gamma], and summing up gives for every sequence of labels

  |mean of err_t - alpha| <= (max(alpha_1, 1 - alpha_1) + gamma) / (gamma T).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import Any

import numpy as np

from ohmline.arrays import Floats, read_only
from ohmline.learn.conformal.label_set import LabelSet

NEVER = 2.0
"""How a snapshot writes the strangeness of a class that had no label yet, which is infinite."""
LEAST_STEP = 1e-6
SURE = 1e-9
"""A label this close to the limit is in the set: probabilities have rounding errors."""


@dataclass(frozen=True, slots=True)
class Target:
    """What was asked for."""

    coverage: tuple[float, ...]
    """How often a set shall hold the label."""
    step: float
    """gamma."""
    window: int
    """How many labels are remembered."""


@dataclass(frozen=True, slots=True)
class Levels:
    """What is remembered for the sets; replaced at each label, never changed in place."""

    target: Target
    missed: tuple[int, ...]
    """How many labels were outside of their sets, for each coverage."""
    labels: int
    """How many labels there were."""
    strangeness: Floats
    """That of the last labels, the oldest first."""

    @classmethod
    def fresh(cls, target: Target) -> Levels:
        return cls(target, (0,) * len(target.coverage), 0, read_only(np.zeros(0)))

    def level(self, k: int) -> float:
        """alpha_t for the coverage at k: the sum of all steps, so that no rounding adds up."""
        alpha = 1 - self.target.coverage[k]
        return alpha + self.target.step * (self.labels * alpha - self.missed[k])

    def limit(self, k: int) -> float:
        """How strange a label in the set may be, for the coverage at k: -inf for none, inf for all there are."""
        level, n = self.level(k), len(self.strangeness)
        if level >= 1:
            return -inf
        rank = ceil((n + 1) * (1 - level))
        if level <= 0 or rank > n:
            return inf
        return float(np.partition(self.strangeness, rank - 1)[rank - 1])

    def told(self, k: int, chances: dict[Any, float], classes: tuple[Any, ...]) -> LabelSet:
        """The set for probabilities; where there are none, nothing can be left out but by a level of 1."""
        limit = self.limit(k)
        if limit == -inf:
            return LabelSet(())
        if limit == inf or not chances:
            return LabelSet(tuple(sorted(chances, key=chances.__getitem__, reverse=True)) or classes, True)
        within = [label for label, chance in chances.items() if 1 - chance <= limit + SURE]
        return LabelSet(tuple(sorted(within, key=chances.__getitem__, reverse=True)))

    def learned(self, label: Any, chances: dict[Any, float], classes: tuple[Any, ...]) -> Levels:
        """What is remembered after a label of a thing for which these probabilities had been said."""
        missed = [m + (label not in self.told(k, chances, classes)) for k, m in enumerate(self.missed)]
        kept = self.strangeness
        if chances:  # "don't know" is not strange, whatever the label
            strange = max(1 - chances[label], 0.0) if label in chances else inf
            kept = read_only(np.append(kept, strange)[-self.target.window :])
        return Levels(self.target, tuple(missed), self.labels + 1, kept)
