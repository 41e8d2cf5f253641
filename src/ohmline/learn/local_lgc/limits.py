"""What LocalLGC can be asked to compute in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats, positive
from ohmline.checks import count, room, shown
from ohmline.errors import ParameterError, WeightError
from ohmline.graph.graph import Graph
from ohmline.learn.local_lgc.few import bytes_a_place

MOST_KEPT = 1000
"""A row of few classes is searched from end to end."""
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
    """The mean size of a weight; 1 for a graph without edges."""
    if not len(weights):
        return 1.0
    weights = np.abs(weights) if float(weights.min()) < 0 else weights
    with np.errstate(over="ignore"):
        mean = float(weights.mean())
    if np.isfinite(mean) and mean > 0:
        return mean
    largest = float(weights.max())  # the sum overflows, or the mean is 0 in rounding
    return largest * float((weights / largest).mean()) if largest > 0 else 1.0


SOFTEST = 0.6
"""mu on graphs of few neighbours."""
FEW_NEIGHBOURS = 5.0
"""The mean number of neighbours up to which that holds."""
FIRMEST = 1e-6
"""mu on graphs of more neighbours than about 400: a label is met to a millionth, and Q stays far from rounding."""


def mu_of(nodes: int, entries: int) -> float:
    """How far a label may be missed on a graph of so many nodes, each of which has entries / nodes neighbours.

    Where a node has many neighbours, their sum outweighs its own label, and labels have to be held the more firmly.

    >>> mu_of(100, 400), round(mu_of(100, 1000), 6)
    (0.6, 0.075)
    """
    if entries <= FEW_NEIGHBOURS * nodes:
        return SOFTEST
    return max(SOFTEST * (FEW_NEIGHBOURS * nodes / entries) ** 3, FIRMEST)


def expect_room(nodes: int, classes: int, *, single: bool, places: int | None = None) -> None:
    """Refuse a learner over so many nodes and classes that it would not fit; `places` are those of a row of few."""
    row = classes * (4 if single else 8) if places is None else places * bytes_a_place(single=single)
    kept = "" if places is None else f", of which {places} are kept"
    room(float(nodes) * (PER_NODE + row), f"LocalLGC over {nodes} nodes and {classes} classes{kept}")


def places_for(kept: Any, graph: Graph) -> int | None:
    """The places of a row for `classes_kept`, or an error; None where every class is kept."""
    if kept is None:
        return None
    places = count(kept, "classes_kept", least=1, most=MOST_KEPT)
    if graph.signed:
        raise ParameterError(
            f"classes_kept={shown(kept)} needs a graph without signs: with them a class may lead by being below 0 "
            "least, so that none can be left out; leave classes_kept out"
        )
    return places


def check_weights(weights: Floats, unit: float) -> None:
    """Refuse weights that leave double precision once they are counted in units."""
    largest = max(float(weights.max()), -float(weights.min())) if len(weights) else 0.0
    if not largest <= LARGEST * unit:
        raise WeightError(
            f"the largest weight, {largest:g}, is more than {LARGEST:g} times the unit {unit:g}; "
            "give a larger unit, or leave it out"
        )
