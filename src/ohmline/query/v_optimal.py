"""V-optimality: the label after which all nodes together vary least."""

from __future__ import annotations

from typing import final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.checks import count
from ohmline.query.candidates import best_columns
from ohmline.query.field import Field
from ohmline.query.whole_field import FieldQuery


@final
class VOptimal(FieldQuery):
    """Chooses the node whose label removes most from the sum of all variances: sum_j C_ij^2 / (noise + C_ii).

    The sums are estimated for all nodes from random combinations of the columns, which are kept up from choice to
    choice, and computed exactly for the most promising ones. Cost per choice: a solve for each of those.

    Parameters
    ----------
    candidates
        For how many nodes the sum is exact, at least 1. Default 16.

    References
    ----------
    Ji, Han, A variance minimization criterion to active learning on graphs, AISTATS 2012.
    """

    because = "its label lowers the variance of all nodes most"

    def __init__(self, candidates: int = 16) -> None:
        self.candidates = count(candidates, "candidates", least=1)

    def scores(self, field: Field, open: Bools, rng: np.random.Generator) -> Floats:
        spread = field.noise + field.variance
        return sqlengths(
            field, open, np.divide(1, spread, out=np.zeros(len(open)), where=spread > 0), self.candidates
        )


def sqlengths(field: Field, open: Bools, times: Floats, candidates: int) -> Floats:
    """sum_j C_ij^2 times a factor of each node: for the nodes where it seems largest; minus infinity for all others."""
    scores = np.full(len(open), -np.inf)
    for places, columns in best_columns(field, open, lambda: field.sqlengths() * times, candidates):
        scores[places] = (columns**2).sum(axis=1) * times[places]
    return scores
