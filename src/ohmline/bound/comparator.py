"""Comparators that are any function of the nodes, not labellings alone: one for each side of a theorem's choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, vector
from ohmline.bound.asked_trials import Evidence, by_position
from ohmline.bound.contract import Assumption
from ohmline.graph.nodes import NodeIndex

RIGHT = "the comparator has the sign of the label on every trial that the hypothesis was projected for"


def function_of(comparator: Any, nodes: NodeIndex) -> Floats:
    """A function of the nodes from an array over positions, or from a mapping of node to value."""
    if isinstance(comparator, Mapping):
        comparator = by_position(comparator, nodes)
    return vector(comparator, "comparator", length=len(nodes))


def is_labelling(u: Floats) -> bool:
    """Whether every value is -1 or +1."""
    return bool(np.all(np.abs(u) == 1))


def least_margin(seen: Evidence, u: Floats, where: Bools) -> float:
    """The least y_t u(i_t) over some trials; 1 where there is none."""
    margins = seen.labels[where] * u[seen.positions[where]]
    return float(margins.min()) if len(margins) else 1.0


def right_side(margin: float) -> Assumption:
    """Whether a comparator with this least margin separates; it is then stretched until the margin is 1."""
    return Assumption(RIGHT, True, margin > 0)
