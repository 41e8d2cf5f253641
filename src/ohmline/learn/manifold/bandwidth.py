"""Widths from data, when the user gives none."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from ohmline.arrays import Floats

LOPSIDED = 100.0
"""How many times as far as the others a feature may spread before a learner warns that it decides alone."""


class Bandwidth(StrEnum):
    """How a width is read off the first points of a stream."""

    NEIGHBOURS = "neighbours"
    """From the distances to near neighbours: for data along a curve or surface, and the default.

    The kernel's is 0.7 times the median distance to the third neighbour. The graph's makes the weights
    of a point count as three neighbours: in high dimension, where all distances are alike, that
    is much narrower than the distances themselves, and keeps the classes apart.
    """
    MEDIAN = "median"
    """A wide kernel, for compact clouds with little to tell apart by shape: its width is a quarter of the median of
    all distances. The graph's width is that of `NEIGHBOURS`: a share of all distances joins everything to everything.
    """

    def kernel_width(self, points: Floats) -> float:
        """sigma_K, the width of the kernel: how far a label reaches.

        Parameters
        ----------
        points
            One row per point.
        """
        return 0.25 * median_width(points) if self is Bandwidth.MEDIAN else 0.7 * neighbour_width(points, 3)

    def graph_width(self, points: Floats) -> float:
        """sigma, the width of the graph weights: how far apart two points can be and count as neighbours.

        Parameters
        ----------
        points
            One row per point.
        """
        return effective_width(points, 3.0)


def median_width(points: Floats) -> float:
    """The median distance between two different points; 1 where there is none.

    Parameters
    ----------
    points
        One row per point.

    Examples
    --------
    >>> median_width(np.array([[0.0], [1.0], [3.0]]))
    2.0
    """
    between = _distances(points)[np.triu_indices(len(points), 1)]
    return _median_of_positive(between)


def neighbour_width(points: Floats, k: int) -> float:
    """The median distance to the k-th nearest other point (the farthest, where there are fewer).

    Parameters
    ----------
    points
        One row per point.
    k
        Which neighbour, at least 1.

    Examples
    --------
    >>> neighbour_width(np.array([[0.0], [1.0], [3.0], [7.0]]), 1)
    1.5
    """
    if len(points) < 2:
        return 1.0
    ordered = np.sort(_distances(points), axis=1)[:, 1:]
    return _median_of_positive(ordered[:, min(k, len(points) - 1) - 1])


def effective_width(points: Floats, neighbours: float) -> float:
    """The width at which a point's Gaussian weights are worth a given number of points (the median over points).

    The worth of weights is exp of the entropy of their shares: k equal ones are worth k.

    Parameters
    ----------
    points
        One row per point.
    neighbours
        How many points the weights are worth, above 1.

    Examples
    --------
    >>> round(effective_width(np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), 3.0), 3)
    1.187
    """
    if len(points) < 2:
        return 1.0
    sq = _distances(points) ** 2
    np.fill_diagonal(sq, np.inf)
    sq -= sq.min(axis=1, keepdims=True)  # shares do not change
    farther = sq[np.isfinite(sq) & (sq > 0)]
    if not len(farther):
        return neighbour_width(points, 1)
    scale = np.median(farther)
    low, high = np.full(len(points), 1e-8), np.full(len(points), 1e8)
    for _ in range(60):  # the worth falls as the sharpness rises: halve in logarithms
        sharp = np.sqrt(low * high)
        w = np.exp(-sq / scale * sharp[:, None])
        shares = w / w.sum(axis=1, keepdims=True)
        entropy = -np.sum(shares * np.log(np.maximum(shares, 1e-300)), axis=1)
        wide = np.exp(entropy) > neighbours
        low, high = np.where(wide, sharp, low), np.where(wide, high, sharp)
    return float(np.median(np.sqrt(scale / (2 * low))))


def different(points: Floats) -> Floats:
    """The points without repetitions: widths come from distances, and equal points have none.

    >>> different(np.array([[1.0], [0.0], [1.0]]))
    array([[1.], [0.]])
    """
    _, first = np.unique(points, axis=0, return_index=True)
    return points[np.sort(first)]


def unit_scale(points: Floats) -> Floats:
    """The factor that gives each feature a standard deviation of 1; 1 for a feature that does not vary.

    >>> unit_scale(np.array([[0.0, 7.0], [4.0, 7.0]]))
    array([0.5, 1. ])
    """
    spread = points.std(axis=0) if len(points) else np.zeros(points.shape[1])
    return np.asarray(1.0 / np.where(spread > 0, spread, 1.0))


def lopsided(points: Floats) -> tuple[int, float] | None:
    """The feature that decides distances alone, and how many times as far as the others it spreads; or None.

    It is compared with the median over the other features that vary.

    >>> lopsided(np.array([[0.0, 0.0], [1.0, 2000.0]]))
    (1, 2000.0)
    """
    spread = points.std(axis=0)
    widest = int(np.argmax(spread))
    others = np.delete(spread, widest)
    others = others[others > 0]
    if not len(others) or spread[widest] <= LOPSIDED * np.median(others):
        return None
    return widest, float(spread[widest] / np.median(others))


def _distances(points: Floats) -> Floats:
    return np.asarray(np.sqrt(np.sum((points[:, None] - points[None]) ** 2, axis=2)))


def _median_of_positive(distances: Floats) -> float:
    apart = distances[distances > 0]
    return float(np.median(apart)) if len(apart) else 1.0
