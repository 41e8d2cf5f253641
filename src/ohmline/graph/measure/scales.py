"""How steep an exponential embedding must be: the a' of paper 002's Theorem 8."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csgraph

from ohmline.arrays import Floats
from ohmline.errors import GraphError
from ohmline.graph.graph import signs
from ohmline.graph.measure.covers import component_separating_cover, discrepancy


class SufficientScale(NamedTuple):
    """From which a on Theorem 8 promises C° + 1 mistakes.

    Attributes
    ----------
    a
        a' = ln(4 n+ n- (m - 1)) / (delta - rho), with m the points of the largest set. Infinite where two points with
        different labels are 0 apart, 0 where any a will do.
    printed
        The proof's 3 ln(4 |X|) / (delta - rho), which is never smaller.
    rho
        The longest step that the sets of C° need.
    delta
        The least distance between two labels.
    cover
        C°, the number of sets.
    """

    a: float
    printed: float
    rho: float
    delta: float
    cover: float


def sufficient_scale(distances: ArrayLike, labels: ArrayLike) -> SufficientScale:
    """The scale beyond which POUNCE errs at most C° + 1 times on an exponential embedding (paper 002, Theorem 8).

    The proof asks for an excess ||u||^2 R below 1, with R the largest resistance within a set of the cover. A path of
    at most m - 1 steps, each of at most e^{a rho} ohm, gives R; the n+ n- edges between the labels give
    ||u||^2 <= 4 n+ n- e^{-a delta}. So every a above ln(4 n+ n- (m - 1)) / (delta - rho) will do. The paper counts |X|
    steps and |X|^2 edges and rounds up to 3 ln(4 |X|).

    Parameters
    ----------
    distances
        Any discrepancy, as for `cover`, in which all points are connected by finite distances.
    labels
        -1 or +1 for every point.

    Examples
    --------
    >>> found = sufficient_scale([[0, 1, 3], [1, 0, 2], [3, 2, 0]], [1, 1, -1])
    >>> round(found.a, 3), round(found.printed, 3), found.cover
    (2.079, 7.455, 2)
    """
    table = discrepancy(distances)
    u = signs(labels, len(table))
    if csgraph.connected_components(np.isfinite(table), directed=False)[0] > 1:
        raise GraphError(
            "some points are infinitely far from others, and Theorem 8 is about connected points; take the points of "
            "one component at a time"
        )
    cover = component_separating_cover(table, u)
    across = table[np.ix_(u > 0, u < 0)]
    delta = float(across.min()) if across.size else math.inf
    if delta == 0:
        return SufficientScale(math.inf, math.inf, 0.0, 0.0, math.inf)
    rho = max(longest_step(table[np.ix_(part, part)]) for part in cover.sets)
    links = max(len(part) for part in cover.sets) - 1
    gap = delta - rho
    least = scale_for(across.size, links, gap)
    printed = 3 * math.log(4 * len(u)) / gap if across.size else 0.0
    return SufficientScale(least, printed, rho, delta, cover.number)


def scale_for(pairs: int, links: int, gap: float) -> float:
    """ln(4 pairs links) / gap, 0 where there is no pair or no link: 4 pairs links e^{-a gap} < 1 beyond it."""
    return math.log(4 * pairs * links) / gap if pairs and links else 0.0


def longest_step(table: Floats) -> float:
    """The least rho at which these points are path-connected: the largest edge of their shortest spanning tree."""
    reached = table[0].copy()
    left = np.ones(len(table), dtype=bool)
    left[0], longest = False, 0.0
    while left.any():
        i = int(np.flatnonzero(left)[reached[left].argmin()])
        longest = max(longest, float(reached[i]))
        left[i] = False
        reached = np.minimum(reached, table[i])
    return longest
