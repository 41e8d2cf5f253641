"""Expected model change: the label that is expected to move the hypothesis farthest."""

from __future__ import annotations

from typing import final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.checks import count
from ohmline.query.field import Field
from ohmline.query.v_optimal import sqlengths
from ohmline.query.whole_field import FieldQuery, shares


@final
class ModelChange(FieldQuery):
    """Chooses the node whose label is expected to change the values of all nodes most.

    Label y moves the field f by C_i (e_y - f_i) / (noise + C_ii), whose squared length over all nodes is
    ||e_y - f_i||^2 sum_j C_ij^2 / (noise + C_ii)^2; the mean over y is taken with the shares of the classes. The sums
    are estimated and then computed for the most promising nodes, as in `VOptimal`.

    Parameters
    ----------
    candidates
        For how many nodes the sum is exact, at least 1. Default 16.

    References
    ----------
    Settles, Craven, Ray, Multiple-instance active learning, NIPS 2007.
    """

    because = "its label is expected to change the predictions most"

    def __init__(self, candidates: int = 16) -> None:
        self.candidates = count(candidates, "candidates", least=1)

    def scores(self, field: Field, open: Bools, rng: np.random.Generator) -> Floats:
        mean, spread = field.mean, field.noise + field.variance
        surprise = np.ones(len(mean))
        if mean.shape[1]:
            surprise = (shares(mean) * (1 - 2 * mean)).sum(axis=1) + (mean * mean).sum(axis=1)
        times = np.divide(surprise, spread * spread, out=np.zeros(len(mean)), where=spread > 0)
        return sqlengths(field, open, times, self.candidates)
