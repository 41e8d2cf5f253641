"""Signed Laplacians: edges, vertices and the least energy (paper 002, Lemma 1 and Theorem 5)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, matrix, vector, whole_numbers
from ohmline.errors import LabelError, ParameterError
from ohmline.graph.elimination import EPS
from ohmline.graph.measure.tables import expect_square, expect_symmetric
from ohmline.graph.measure.voltages import voltages

NEGATIVE = 1e-12
"""A share of a diagonal entry by which a vertex weight may be below 0 and be a rounding error."""


def vertex_weights(matrix: Any) -> Floats:
    """M_ii - (D_i^+ + D_i^-): what a symmetric matrix has on the diagonal beyond its edges (paper 002, Lemma 1).

    A matrix with no vertex weight below 0 is a *signed Laplacian*, diagonally dominant and so positive semidefinite;
    that of a graph has none above 0 either. A vertex weight v acts as an edge of weight v to a ground that is held at
    0: learn on the graph with one node more, joined to i by an edge of weight v_i, and never ask for that node.

    Parameters
    ----------
    matrix
        M, a symmetric matrix, dense or sparse.

    Examples
    --------
    >>> vertex_weights([[3, -1, 1], [-1, 2, 0], [1, 0, 1]])
    array([1., 1., 0.])
    """
    table = _symmetric(matrix)
    off = np.abs(table)
    np.fill_diagonal(off, 0.0)
    return np.asarray(np.diagonal(table) - off.sum(axis=1), dtype=np.float64)


class EnergyParts(NamedTuple):
    """The three sums of Lemma 1, eq. (9), whose total is u'Mu.

    Attributes
    ----------
    alike
        Of |M_ij| (u_i - u_j)^2 over the positive edges, where M_ij < 0: they ask for equal values.
    opposed
        Of |M_ij| (u_i + u_j)^2 over the negative edges, where M_ij > 0: they ask for opposite values.
    vertex
        Of the vertex weights times u_i^2.
    """

    alike: float
    opposed: float
    vertex: float


def energy_parts(matrix: Any, u: ArrayLike) -> EnergyParts:
    """Split u'Mu into edges that want equal values, edges that want opposite ones, and vertices (Lemma 1, eq. (9)).

    Parameters
    ----------
    matrix
        M, a symmetric matrix, dense or sparse.
    u
        One value per row of M.

    Examples
    --------
    >>> energy_parts([[3, -1, 1], [-1, 2, 0], [1, 0, 1]], [1, -1, 1])
    EnergyParts(alike=4.0, opposed=4.0, vertex=2.0)
    """
    table = _symmetric(matrix)
    u = vector(u, "u", length=len(table))
    upper = np.triu(table, 1)
    apart, together = (u[:, None] - u) ** 2, (u[:, None] + u) ** 2
    return EnergyParts(
        float(np.sum(-upper * apart, where=upper < 0)),
        float(np.sum(upper * together, where=upper > 0)),
        float(vertex_weights(table) @ u**2),
    )


class LeastEnergy(NamedTuple):
    """The smoothest function with some labels.

    Attributes
    ----------
    energy
        u'Mu, the minimum over all functions with u_i y_i >= 1 on the labelled nodes, and over those with u_i = y_i.
    u
        A function that attains it and equals the labels.
    """

    energy: float
    u: Floats


def least_energy(matrix: Any, positions: ArrayLike, labels: ArrayLike) -> LeastEnergy:
    """The least u'Mu of a function with these labels, or larger margins (paper 002, Theorem 5, eq. (14)).

    min over u_i y_i >= 1 = min over u_i = y_i, for every signed Laplacian M: larger margins are never smoother. So a
    theorem about functions that *equal* the labels holds for those that separate them, which is how Theorem 2 gets
    its comparators. For a graph's Laplacian the function holds the voltages of eq. (5). Other matrices are refused:
    there a larger margin can be smoother.

    The energy has nearly full relative precision, however far apart the weights are. A vertex weight that is no more
    than a rounding of its diagonal entry counts as 0, so that the Laplacian of a graph has none. A part that no label
    and no vertex weight reaches costs nothing, and is at 0.

    Differs: the paper prints the same set on both sides.

    Parameters
    ----------
    matrix
        M, a signed Laplacian, dense or sparse: symmetric, no vertex weight below 0.
    positions
        The labelled nodes, as rows of M, each once.
    labels
        -1 or +1 for each of them.

    Examples
    --------
    >>> path = [[1, -1, 0], [-1, 2, -1], [0, -1, 1]]
    >>> found = least_energy(path, [0, 2], [1, -1])
    >>> round(found.energy, 12), found.u
    (2.0, array([ 1.,  0., -1.]))
    """
    table = _symmetric(matrix)
    weights = vertex_weights(table)
    low = np.flatnonzero(weights < -NEGATIVE * np.diagonal(table))
    if len(low):
        raise ParameterError(
            f"the vertex weight of row {low[0]} is {weights[low[0]]:.4g}, so this is no signed Laplacian, and "
            "Theorem 5 does not hold; add at least that much to the diagonal"
        )
    rows = whole_numbers(positions, "positions", low=0, high=len(table) - 1)
    if len(np.unique(rows)) != len(rows):
        raise ParameterError("positions lists a node twice; list every labelled node once")
    y = vector(labels, "labels", length=len(rows))
    if not np.all(np.abs(y) == 1):
        raise LabelError("labels must be -1 or +1")
    held = np.zeros(len(table))
    held[rows] = y
    rounding = np.count_nonzero(table, axis=1) * EPS * np.diagonal(table)
    energy, u = voltages(table, np.where(weights > rounding, weights, 0.0), held)
    if not (np.isfinite(energy) and np.isfinite(u).all()):
        raise ParameterError(
            f"the least energy leaves the range of numbers, with entries up to {np.abs(table).max():.3g}; scale the "
            "matrix, and the energy is scaled with it"
        )
    return LeastEnergy(energy, u)


def _symmetric(values: Any) -> Floats:
    table = matrix(values.toarray() if hasattr(values, "toarray") else values, "matrix")
    expect_square(table, "matrix")
    expect_symmetric(table, "matrix", "(matrix + matrix.T) / 2")
    return table
