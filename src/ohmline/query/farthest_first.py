"""Farthest first: the node of which least is known."""

from __future__ import annotations

from typing import final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.query.field import Field
from ohmline.query.whole_field import FieldQuery


@final
class FarthestFirst(FieldQuery):
    """Chooses the node of largest variance given the labels so far; of equals the first.

    With `Projection.min_norm` over a Laplacian kernel that variance is the effective resistance from the node to the
    labelled ones (with a bias: nearly so), and the choice lowers the largest entry of `ohmline.bound.Further.open`,
    which limits how many mistakes can still come: `further(kernel, labels).at_most(cut)`. It does not look at labels,
    only at where they are, and covers the graph evenly, its leaves and corners first.

    Cost per choice: one solve.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.graph.generate.line(9)
    >>> learner = ohm.Projection.min_norm(ohm.LaplacianKernel(line.graph) + ohm.Constant(1.0))
    >>> _ = learner.learn_one(0, -1)
    >>> list(ohm.suggest(learner, 3, ohm.FarthestFirst()))
    [8, 4, 2]
    """

    because = "far from every label"

    def scores(self, field: Field, open: Bools, rng: np.random.Generator) -> Floats:
        return field.variance
