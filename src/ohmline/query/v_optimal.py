"""V-optimality: the label after which all nodes together vary least."""

from __future__ import annotations

from typing import final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.checks import count
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
        if self.candidates >= int(open.sum()):
            wanted = np.flatnonzero(open)
        else:
            guess = np.divide(field.sqlengths(), spread, out=np.zeros(len(open)), where=open & (spread > 0))
            wanted = promising(np.where(open, guess, -np.inf), self.candidates)
        scores = np.full(len(open), -np.inf)
        for i in wanted.tolist():
            column = field.column(i)
            scores[i] = column @ column / spread[i] if spread[i] > 0 else 0.0
        return scores


def promising(scores: Floats, k: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The positions of the k largest scores, in ascending order."""
    return np.sort(np.argpartition(-scores, k - 1)[:k])
