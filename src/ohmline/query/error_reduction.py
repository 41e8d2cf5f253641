"""Expected error reduction: the label after which fewest mistakes are expected."""

from __future__ import annotations

from typing import final

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.checks import count
from ohmline.compiled import any_order
from ohmline.query.candidates import best_columns
from ohmline.query.contested import contested
from ohmline.query.field import Field
from ohmline.query.levelled import level
from ohmline.query.sigma_optimal import removed
from ohmline.query.whole_field import FieldQuery, shares

UNLIKELY = 0.02
"""A class with a smaller share is taken not to come."""
LITTLE = 1e-12
"""Added to every squared value, so that all classes have equal shares where nothing is known."""
BLOCK = 1024
"""Nodes that are looked at together, so that what is computed for them stays near the processor."""


@final
class ErrorReduction(FieldQuery):
    """Chooses the node whose label is expected to lower the number of mistakes most: the default of `suggest`.

    For every class that a candidate may have, the field is moved as its label would move it, and the mistakes that
    would then be expected are counted at all open nodes: 1 less the share of the best class, in squared values, because
    the values of a field are too modest for probabilities. The values of each class are first divided by the root of
    their sum over all nodes, or with few labels the largest class would be ahead nearly everywhere. Candidates are the
    nodes that promise most by `Contested`, half of them where labels reach and half where none does, if there are both;
    their columns are held from choice to choice. Until two classes have come up it chooses as `Contested` does.

    Cost per choice: two solves, one more for each two candidates that are new, and a pass over all nodes for each
    candidate and class.

    Parameters
    ----------
    candidates
        How many nodes are tried, at least 1. Default 24.

    References
    ----------
    Zhu, Lafferty, Ghahramani, Combining active learning and semi-supervised learning using Gaussian fields and
    harmonic functions, ICML 2003 workshop.
    """

    because = "its label is expected to settle most mistakes"

    def __init__(self, candidates: int = 24) -> None:
        self.candidates = count(candidates, "candidates", least=1)

    def scores(self, field: Field, open: Bools, rng: np.random.Generator) -> Floats:
        rise = level(field.mean)
        mean = field.mean * rise
        near = contested(mean)
        if np.count_nonzero((field.mean > 0).any(axis=0)) < 2:  # no mistake can be expected yet
            return removed(field, near * near * open)
        scores, chance = np.full(len(open), -np.inf), shares(mean)
        values, weights = np.ascontiguousarray(mean.T), open.astype(np.float64)
        now = settled(values)

        def guess() -> Floats:
            return fairly(removed(field, near * near * open), field, open, self.candidates)

        for places, columns in best_columns(field, open, guess, self.candidates):
            scores[places] = settled_after(values, columns, places, field.noise, chance, weights, rise)
            scores[places] -= weights @ now
        return scores


def fairly(promise: Floats, field: Field, open: Bools, k: int) -> Floats:
    """What nodes promise, the best half of the k candidates raised above all others on each side of a border.

    Where no label reaches, a label removes more variance than anywhere else, however small the part is that it
    settles: many small parts would leave no candidate where labels are. How many mistakes it settles is then counted.
    """
    reached = (field.mean > 0).any(axis=1)
    sides = [np.flatnonzero(open & reached), np.flatnonzero(open & ~reached)]
    if k < 2 or min(map(len, sides)) == 0:
        return promise
    raised = promise / max(float(promise[open].max()), LITTLE)  # at most 1
    for side in sides:
        raised[side[np.argsort(-promise[side], kind="stable")[: k // 2]]] += 2.0
    return raised


def settled(values: Floats) -> Floats:
    """The share of the best class at each node, in squared values; `values` has a row for each class."""
    squares = np.maximum(values, 0.0) ** 2 + LITTLE
    return np.asarray(squares.max(axis=0) / squares.sum(axis=0))


@any_order
def settled_after(
    values: Floats,
    columns: Floats,
    places: Ints,
    noise: float,
    chance: Floats,
    weights: Floats,
    rise: Floats,
) -> Floats:
    """What `settled` is expected to sum to after the label of each of these nodes, with a weight for every node.

    Whatever the label of i is, every value at j falls by s f_i with s = C_ij / (noise + C_ii); then that of the label's
    class y rises by s rise_y.
    """
    classes, n = values.shape
    found = np.zeros(len(places))
    total, first, second = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for k in range(len(places)):
        i, column = places[k], columns[k]
        spread = noise + max(column[i], 0.0)
        scale = 1 / spread if spread > 0 else 0.0
        believed = 0.0
        for y in range(classes):
            believed += chance[i, y] if chance[i, y] >= UNLIKELY else 0.0
        for start in range(0, n, BLOCK):
            size = min(BLOCK, n - start)
            steps, weight = column[start : start + size], weights[start : start + size]
            total[:] = LITTLE * classes
            first[:] = 0.0
            second[:] = 0.0
            for c in range(classes):
                row, fall = values[c, start : start + size], scale * values[c, i]
                for j in range(size):  # two loops, each over few enough arrays to vectorise
                    value = row[j] - steps[j] * fall
                    value = value if value > 0.0 else 0.0
                    total[j] += value * value
                for j in range(size):
                    value = row[j] - steps[j] * fall
                    value = value if value > 0.0 else 0.0
                    square = value * value
                    lower = square if square < first[j] else first[j]
                    second[j] = lower if lower > second[j] else second[j]
                    first[j] = square if square > first[j] else first[j]
            for y in range(classes):
                if chance[i, y] < UNLIKELY:
                    continue
                row, fall, sum_ = values[y, start : start + size], scale * values[y, i], 0.0
                lift = scale * rise[y]
                for j in range(size):
                    value = row[j] - steps[j] * fall
                    risen = value + steps[j] * lift
                    value = value if value > 0.0 else 0.0
                    risen = risen if risen > 0.0 else 0.0
                    old, new = value * value, risen * risen
                    top = first[j] if old < first[j] else second[j]
                    top = new if new > top else top
                    # What is divided by is never 0; `/` would ask each time, and not vectorise.
                    sum_ += weight[j] * np.divide(top + LITTLE, total[j] - old + new)
                found[k] += chance[i, y] / believed * sum_
    return found
