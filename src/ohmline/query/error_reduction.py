"""Expected error reduction: the label after which fewest mistakes are expected."""

from __future__ import annotations

from typing import final

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.checks import count
from ohmline.compiled import compiled
from ohmline.query.candidates import best_columns
from ohmline.query.contested import contested
from ohmline.query.field import Field
from ohmline.query.sigma_optimal import removed
from ohmline.query.whole_field import FieldQuery, shares

NEGLIGIBLE = 1e-3
"""A label is taken not to reach where it moves a value by less than this share of what it moves its own node's."""
UNLIKELY = 1e-3
"""A class with a smaller share is taken not to come."""


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
        scores, chance = np.full(len(open), -np.inf), shares(field.mean)
        for places, columns in best_columns(
            field, open, lambda: removed(field, near * near * open), self.candidates
        ):
            scores[places] = mistakes_saved(field.mean, columns, places, field.noise, chance, open)
        return scores


@compiled
def mistakes_saved(
    mean: Floats, columns: Floats, places: Ints, noise: float, chance: Floats, open: Bools
) -> Floats:
    """How many fewer mistakes are expected at the open nodes after the label of each of these."""
    classes, saved = mean.shape[1], np.zeros(len(places))
    settled, likely, values = np.empty(mean.shape[0]), np.empty(classes, np.int64), np.empty(classes)
    for j in range(mean.shape[0]):
        top, total = 0.0, 0.0
        for c in range(classes):
            sq = max(mean[j, c], 0.0) ** 2
            top, total = max(top, sq), total + sq
        settled[j] = top / total if total > 0 else 1.0 / classes
    for k in range(len(places)):
        i = places[k]
        spread = noise + max(columns[k, i], 0.0)
        if spread <= 0:
            continue
        count, believed = 0, 0.0
        for y in range(classes):
            if chance[i, y] >= UNLIKELY:
                likely[count] = y
                count += 1
                believed += chance[i, y]
        for j in range(mean.shape[0]):
            if not open[j] or abs(columns[k, j]) < NEGLIGIBLE * columns[k, i]:
                continue
            step = columns[k, j] / spread
            # Whatever the label is, every value falls by step f_i; then that of the label's class rises by step.
            first, second, best, total = 0.0, 0.0, -1, 0.0
            for c in range(classes):
                values[c] = mean[j, c] - step * mean[i, c]
                sq = max(values[c], 0.0) ** 2
                total += sq
                if sq > first:
                    first, second, best = sq, first, c
                elif sq > second:
                    second = sq
            after = 0.0
            for q in range(count):
                y = likely[q]
                old, new = max(values[y], 0.0) ** 2, max(values[y] + step, 0.0) ** 2
                top, mass = max(new, second if y == best else first), total - old + new
                after += chance[i, y] * (top / mass if mass > 0 else 1.0 / classes)
            saved[k] += after / believed - settled[j]
    return saved
