"""Expected error reduction: the label after which fewest mistakes are expected."""

from __future__ import annotations

from typing import final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.checks import count
from ohmline.compiled import compiled
from ohmline.query.contested import contested
from ohmline.query.field import Field
from ohmline.query.sigma_optimal import removed
from ohmline.query.v_optimal import promising
from ohmline.query.whole_field import FieldQuery, shares

NEGLIGIBLE = 1e-4
"""A label is taken not to reach where it moves a value by less than this share of what it moves its own node's."""


@final
class ErrorReduction(FieldQuery):
    """Chooses the node whose label is expected to lower the expected number of mistakes most.

    For every class that a candidate may have, the field is moved as its label would move it, and the mistakes are
    counted that would then be expected at the nodes it reaches: 1 less the share of the best class, in squared values,
    because the values of a field are too modest for probabilities. Candidates are the nodes that promise most by
    `Contested`. Cost per choice: a solve for each candidate, and a pass over what it reaches for each class.

    Parameters
    ----------
    candidates
        How many nodes are tried, at least 1. Default 48.

    References
    ----------
    Zhu, Lafferty, Ghahramani, Combining active learning and semi-supervised learning using Gaussian fields and
    harmonic functions, ICML 2003 workshop.
    """

    because = "its label is expected to settle most mistakes"

    def __init__(self, candidates: int = 48) -> None:
        self.candidates = count(candidates, "candidates", least=1)

    def scores(self, field: Field, open: Bools, rng: np.random.Generator) -> Floats:
        near = contested(field.mean)
        if field.mean.shape[1] < 2:  # no class to confuse another with: settle as much as possible
            return removed(field, near * open)
        if self.candidates >= int(open.sum()):
            wanted = np.flatnonzero(open)
        else:
            wanted = promising(np.where(open, removed(field, near * near * open), -np.inf), self.candidates)
        chance, scores = shares(field.mean), np.full(len(open), -np.inf)
        for i in wanted.tolist():
            column = field.column(i)
            spread = field.noise + max(column[i], 0.0)
            scores[i] = mistakes_saved(field.mean, column / spread, i, chance[i], open) if spread > 0 else 0.0
        return scores


@compiled
def mistakes_saved(mean: Floats, step: Floats, i: int, chance: Floats, open: Bools) -> float:
    """How many fewer mistakes are expected at the open nodes after the label of node i."""
    classes = mean.shape[1]
    saved = 0.0
    for j in range(mean.shape[0]):
        if not open[j] or abs(step[j]) < NEGLIGIBLE * abs(step[i]):
            continue
        top, total = 0.0, 0.0
        for c in range(classes):
            value = max(mean[j, c], 0.0)
            top = max(top, value * value)
            total += value * value
        saved -= top / total if total > 0 else 1.0 / classes
        for y in range(classes):
            if chance[y] <= 0:
                continue
            top, total = 0.0, 0.0
            for c in range(classes):
                target = 1.0 if c == y else 0.0
                value = max(mean[j, c] + step[j] * (target - mean[i, c]), 0.0)
                top = max(top, value * value)
                total += value * value
            saved += chance[y] * (top / total if total > 0 else 1.0 / classes)
    return saved
