"""Scales that keep large classes from drowning small ones while labels are few."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats


def level(mean: Floats) -> Floats:
    """What each class is multiplied by: 1 over the root of the sum of its values, so that the sum of all stays.

    The field hears every label of the graph, so that with few of them the class that has most is ahead nearly
    everywhere, and a choice would be made between nodes that seem to be settled.
    """
    mass = np.maximum(mean, 0.0).sum(axis=0)
    scales = np.zeros(len(mass))
    scales[mass > 0] = 1 / np.sqrt(mass[mass > 0])
    total = float(scales @ mass)
    return scales * (mass.sum() / total) if total > 0 else np.ones(len(mass))
