"""Sigma-optimality: the label that says most about the sum of all values."""

from __future__ import annotations

from typing import final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.query.field import Field
from ohmline.query.whole_field import FieldQuery


@final
class SigmaOptimal(FieldQuery):
    """Chooses the node whose label removes most variance from the sum of all values: (sum_j C_ij)^2 / (noise + C_ii).

    It does not look at labels, only at where they are. Cost per choice: two solves.

    References
    ----------
    Ma, Garnett, Schneider, Sigma-optimality for active learning on Gaussian random fields, NIPS 2013.
    """

    because = "its label says most about all other nodes together"

    def scores(self, field: Field, open: Bools, rng: np.random.Generator) -> Floats:
        return removed(field, np.ones(len(open)))


def removed(field: Field, weights: Floats) -> Floats:
    """The variance that a label at each node removes from the weighted sum of all values."""
    spread = field.noise + field.variance
    return np.divide(field.times(weights) ** 2, spread, out=np.zeros(len(spread)), where=spread > 0)
