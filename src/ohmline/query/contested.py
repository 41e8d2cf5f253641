"""Contested: the label that says most about the nodes that are still undecided."""

from __future__ import annotations

from typing import final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.compiled import compiled
from ohmline.query.field import Field
from ohmline.query.levelled import level
from ohmline.query.sigma_optimal import removed
from ohmline.query.whole_field import FieldQuery

LITTLE = 1e-2
"""What every class is worth before any label, on the scale from 0 to 1: the faint voice of a label far away, of
whatever class, settles nothing. Chosen with `level` on block models and on Cora and PubMed with other first labels than
those that report."""


@final
class Contested(FieldQuery):
    """Chooses the node whose label says most about the nodes that are still contested.

    A node is contested as far as its second best class comes near the best: n_j = (second / best)^2, with a little
    added to both, so that it is 1 where nothing is known, however few classes have come up. The values of each class
    are divided by the root of their sum before, so that the largest class is not ahead everywhere. A label at i removes
    (sum_j n_j C_ij)^2 / (noise + C_ii) from the variance of the sum of all values, each weighted by how contested it
    is. That is Sigma-optimality where it matters: what is settled already counts for nothing, so that it goes from the
    middle of large unknown regions to their borders as labels come.

    Cost per choice: two solves.

    Examples
    --------
    >>> import ohmline as ohm
    >>> star = ohm.Graph.from_edges([("hub", k) for k in range(5)] + [("hub", "a"), ("a", "b")])
    >>> ohm.suggest(ohm.LocalLGC(star), 2, ohm.Contested())[0]
    'hub'
    """

    because = "its label says most about nodes that are still contested"

    def scores(self, field: Field, open: Bools, rng: np.random.Generator) -> Floats:
        near = contested(field.mean * level(field.mean))
        return removed(field, near * near * open)


@compiled
def contested(mean: Floats) -> Floats:
    """Second best over best at each node, with `LITTLE` added to both: 1 where nothing is known."""
    out = np.empty(mean.shape[0])
    for j in range(mean.shape[0]):
        first, second = 0.0, 0.0
        for c in range(mean.shape[1]):
            if mean[j, c] > first:
                first, second = mean[j, c], first
            elif mean[j, c] > second:
                second = mean[j, c]
        out[j] = (second + LITTLE) / (first + LITTLE)
    return out
