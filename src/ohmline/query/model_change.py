"""Expected model change: the label that is expected to move the hypothesis farthest."""

from __future__ import annotations

from typing import final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.query.field import Field
from ohmline.query.whole_field import FieldQuery, shares


@final
class ModelChange(FieldQuery):
    """Chooses the node whose label is expected to move the hypothesis farthest: the expected `Update.progress`.

    Label y moves the field f by C_i (e_y - f_i) / (noise + C_ii), whose squared length in the space of the field is
    C_ii ||e_y - f_i||^2 / (noise + C_ii)^2; the mean over y is taken with the shares of the classes. It prefers nodes
    of which little is known, whoever depends on them.

    References
    ----------
    Settles, Craven, Ray, Multiple-instance active learning, NIPS 2007.
    """

    because = "its label is expected to move the learner most"

    def scores(self, field: Field, open: Bools, rng: np.random.Generator) -> Floats:
        mean, chance = field.mean, shares(field.mean)
        surprise = (chance * (1 - 2 * mean)).sum(axis=1) + (mean * mean).sum(axis=1)
        if not mean.shape[1]:
            surprise = np.ones(len(mean))
        spread = field.noise + field.variance
        gain = np.divide(field.variance, spread * spread, out=np.zeros(len(mean)), where=spread > 0)
        return np.asarray(gain * surprise)
