"""The voltages of a network whose poles are held at +1 and -1 and its ground at 0, without a harmful subtraction.

A negative edge asks for opposite values. It is an edge between a node and the mirror image of another, where every
node i has a mirror image that is held at -u_i; the energy of the two copies together is twice that of the network.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.sparse import csgraph

from ohmline.arrays import Bools, Floats
from ohmline.graph.elimination import eliminate


def voltages(table: Floats, weights: Floats, y: Floats) -> tuple[float, Floats]:
    """The least energy and the function that has it, of the edges of a signed Laplacian and its vertex weights.

    y is +1 or -1 where the value is held, and 0 elsewhere. The energy has nearly full relative precision, whatever the
    ratio of the weights; a value has the absolute precision of a rounding. Nodes that no pole reaches are at 0.
    """
    edges = table.copy()
    np.fill_diagonal(edges, 0.0)
    alike, opposed = np.maximum(-edges, 0.0), np.maximum(edges, 0.0)
    if not opposed.any():
        return _positive(alike, weights, y)
    both = np.block([[alike, opposed], [opposed, alike]])
    energy, u = _positive(both, np.append(weights, weights), np.append(y, -y))
    return energy / 2, u[: len(y)]


def _positive(conductance: Floats, ground: Floats, y: Floats) -> tuple[float, Floats]:
    """The same for edges that all ask for equal values.

    With the free nodes eliminated three poles are left: those at +1 in one, those at -1 in one, and the ground.
    """
    poles = [y > 0, y < 0]
    held = poles[0] | poles[1]
    free = np.flatnonzero(~held & _reached(conductance, held | (ground > 0)))
    to_pole = np.column_stack([conductance[np.ix_(free, np.flatnonzero(pole))].sum(axis=1) for pole in poles])
    to_pole = np.column_stack([to_pole, ground[free]])
    across = float(conductance[np.ix_(*map(np.flatnonzero, poles))].sum())
    down = float(ground[held].sum())
    u = y.copy()
    if len(free):
        with np.errstate(all="ignore"):  # what leaves the range of numbers comes out as infinite or nan
            shares, pivots = eliminate(conductance[np.ix_(free, free)], to_pole.sum(axis=1))
            factor = -np.triu(shares, 1)
            np.fill_diagonal(factor, pivots)
            # The factor has one sign off its diagonal, so that these are sums of positive terms.
            half = linalg.solve_triangular(factor, to_pole, trans="T", check_finite=False)
            chances = linalg.solve_triangular(factor, half[:, :2], check_finite=False)
            across += float(half[:, 0] @ half[:, 1])
            down += float((half[:, 0] + half[:, 1]) @ half[:, 2])
        u[free] = chances[:, 0] - chances[:, 1]
    return 4 * across + down, u


def _reached(conductance: Floats, sources: Bools) -> Bools:
    """Which nodes have a path to a source."""
    part = csgraph.connected_components(conductance > 0, directed=False)[1]
    return np.asarray(np.isin(part, part[sources]))
