"""Cover numbers: how many sets of a given diameter it takes to cover a set (paper 002)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse import csgraph

from ohmline.arrays import Bools, Floats, Ints, numbers
from ohmline.checks import count, non_negative
from ohmline.errors import ParameterError
from ohmline.graph.graph import signs
from ohmline.graph.measure.cliques import cover_by_cliques
from ohmline.graph.measure.tables import expect_square, expect_symmetric


@final
@dataclass(frozen=True, eq=False)
class Cover:
    """A cover, how many sets it has, and whether fewer would do.

    What `cover` and its kin return. Theorems need an upper bound on the cover number alone.

    Attributes
    ----------
    number
        Sets in the cover; infinite where there is no cover.
    exact
        Whether no smaller cover exists; else `number` is an upper bound, which suffices in a bound.
    lower
        A proven lower bound on the cover number; equal to `number` when exact.
    sets
        The sets, as positions; they partition the points.
    """

    number: float
    exact: bool
    lower: float
    sets: tuple[Ints, ...]


def cover(distances: ArrayLike, rho: float, *, effort: int = 1_000_000) -> Cover:
    """N(X, rho): the fewest sets of diameter at most rho that cover the points (eq. (8)).

    The sets are cliques of the graph "at most rho apart", whose smallest cover is found by removing
    points that others dominate and then by branch and bound in every connected part that is left. A part
    that would take more than `effort`, or has more than 400 points, keeps the best cover found: `number` is
    then an upper bound, and `exact` is False unless the lower bound meets it.

    Parameters
    ----------
    distances
        Any discrepancy: a symmetric square table of numbers of at least 0, with zeros on the diagonal, in which
        entries may be infinite. For paper 002's Theorem 2 it is `resistance_matrix(graph)`.
    rho
        The largest diameter of a set, at least 0.
    effort
        The most node visits of branch and bound in one part, at least 0. The default, 1,000,000, takes a few
        seconds at most.

    Examples
    --------
    >>> line = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    >>> found = cover(line, 1)
    >>> found.number, found.exact
    (2, True)
    """
    near = discrepancy(distances) <= _radius(rho)
    return _clique_cover(near, effort)


def component_cover(distances: ArrayLike, rho: float) -> Cover:
    """C(X, rho): the fewest rho-path-connected sets that cover the points (eq. (25)); exact.

    Parameters
    ----------
    distances
        Any discrepancy, as for `cover`.
    rho
        The longest step of a path within a set, at least 0.

    Examples
    --------
    >>> component_cover([[0, 1, 2], [1, 0, 1], [2, 1, 0]], 1).number
    1
    """
    return _component_cover(discrepancy(distances) <= _radius(rho))


def separating_cover(distances: ArrayLike, labels: ArrayLike, *, effort: int = 1_000_000) -> Cover:
    """N°: the smallest N(X, rho) over the rho below every distance between two labels (eq. (26)).

    Its sets hold one label each. Infinite when two points with different labels are 0 apart.

    Parameters
    ----------
    distances
        Any discrepancy, as for `cover`.
    labels
        -1 or +1 for every point.
    effort
        The limit of branch and bound, as for `cover`.
    """
    near = _nearer_than_other_label(distances, labels)
    return _no_cover() if near is None else _clique_cover(near, effort)


def component_separating_cover(distances: ArrayLike, labels: ArrayLike) -> Cover:
    """C°: the smallest C(X, rho) over the rho below every distance between two labels (eq. (27)).

    Exact. Infinite when two points with different labels are 0 apart.

    Parameters
    ----------
    distances, labels
        As for `separating_cover`.

    Examples
    --------
    >>> component_separating_cover([[0, 1, 3], [1, 0, 2], [3, 2, 0]], [1, 1, -1]).number
    2
    """
    near = _nearer_than_other_label(distances, labels)
    return _no_cover() if near is None else _component_cover(near)


def _clique_cover(near: Bools, effort: int) -> Cover:
    sets, lower = cover_by_cliques(near, count(effort, "effort"))
    return Cover(len(sets), len(sets) == lower, lower, tuple(sets))


def _component_cover(near: Bools) -> Cover:
    number, part = csgraph.connected_components(sparse.csr_array(near), directed=False)
    sets = tuple(np.flatnonzero(part == k) for k in range(number))
    return Cover(int(number), True, int(number), sets)


def _no_cover() -> Cover:
    return Cover(math.inf, True, math.inf, ())


def _nearer_than_other_label(distances: ArrayLike, labels: ArrayLike) -> Bools | None:
    """Pairs nearer than delta, the least distance between two labels; None when delta is 0.

    Both cover numbers fall as rho grows and change only at distances that occur, so the
    minimum over 0 < rho < delta is that of "nearer than delta".
    """
    table = discrepancy(distances)
    u = signs(labels, len(table))
    across = table[np.ix_(u > 0, u < 0)]
    delta = float(across.min()) if across.size else math.inf
    return None if delta == 0 else table < delta


def discrepancy(distances: ArrayLike) -> Floats:
    """Distances of any kind as a table, if they are a discrepancy: symmetric, 0 on the diagonal, none below 0."""
    table = numbers(distances, "distances", 2, "two dimensions (rows and columns)")
    expect_square(table, "distances")
    if np.isnan(table).any() or (table < 0).any():
        i, j = np.argwhere(np.isnan(table) | (table < 0))[0]
        raise ParameterError(
            f"distances[{i}, {j}] is {table[i, j]}; expected 0 or more (infinity is allowed)"
        )
    if np.any(np.diagonal(table) != 0):
        i = int(np.flatnonzero(np.diagonal(table))[0])
        raise ParameterError(f"distances[{i}, {i}] is {table[i, i]}; a point is at distance 0 from itself")
    expect_symmetric(table, "distances", "np.maximum(d, d.T)")
    return table


def _radius(rho: float) -> float:
    return math.inf if isinstance(rho, float) and rho == math.inf else non_negative(rho, "rho")
