"""Uncertainty: the two best classes are nearly level."""

from __future__ import annotations

from typing import final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.query.field import Field, leaders
from ohmline.query.whole_field import FieldQuery


@final
class Uncertainty(FieldQuery):
    """Chooses the node of smallest relative gap: (first - second) / first for the values of the two best classes.

    Where nothing is known at all there is no gap, and such nodes come first. It looks at the node alone: one that
    nobody depends on is asked for as soon as any other. It needs no variance, so that every learner over a kernel will
    do.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(6)])
    >>> learner = ohm.LocalLGC(line)
    >>> _ = learner.learn_one(0, "red"), learner.learn_one(6, "blue")
    >>> list(ohm.suggest(learner, 1, ohm.Uncertainty()))
    [3]
    """

    needs_variance = False
    because = "its two best classes are nearly level"

    def scores(self, field: Field, open: Bools, rng: np.random.Generator) -> Floats:
        return nearness(field.mean)


def nearness(mean: Floats) -> Floats:
    """Second best over best: 1 for a tie or where nothing is known, 0 where only one class is."""
    first, second = leaders(mean)
    return np.where(first > 0, second / np.where(first > 0, first, 1.0), 1.0)
