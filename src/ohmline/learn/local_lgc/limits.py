"""What LocalLGC can be asked to compute in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats, positive
from ohmline.checks import room, shown
from ohmline.errors import ParameterError, WeightError

LARGEST = 1e12
"""Ridge, mu and weights may be this many times larger or smaller than the unit; beyond, Q is singular in rounding."""

PER_NODE = 80
"""Bytes for each node beside F: its record, its places in two lists, trees of connected nodes, variances."""


def within(value: Any, name: str, *, least: float = 0.0, most: float = float("inf")) -> float:
    """A number above 0 in a range, or an error that names it."""
    number = positive(value, name)
    if not least <= number <= most:
        bounds = f"at least {least:g} and at most {most:g}" if least > 0 else f"at most {most:g}"
        raise ParameterError(
            f"{name} must be {bounds}, got {shown(value)}; rounding leaves nothing of what is beyond"
        )
    return number


def unit_of(weights: Floats) -> float:
    """The mean weight; 1 for a graph without edges."""
    if not len(weights):
        return 1.0
    with np.errstate(over="ignore"):
        mean = float(weights.mean())
    if np.isfinite(mean) and mean > 0:
        return mean
    largest = float(weights.max())  # the sum overflows, or the mean is 0 in rounding
    return largest * float((weights / largest).mean()) if largest > 0 else 1.0


def expect_room(nodes: int, classes: int, *, single: bool) -> None:
    """Refuse a learner over so many nodes and classes that it would not fit."""
    size = float(nodes) * (PER_NODE + classes * (4 if single else 8))
    room(size, f"LocalLGC over {nodes} nodes and {classes} classes")


def check_weights(weights: Floats, unit: float) -> None:
    """Refuse weights that leave double precision once they are counted in units."""
    if len(weights) and not float(weights.max()) <= LARGEST * unit:
        raise WeightError(
            f"the largest weight, {float(weights.max()):g}, is more than {LARGEST:g} times the unit {unit:g}; "
            "give a larger unit, or leave it out"
        )
