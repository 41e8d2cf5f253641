"""Widths from data, when the user gives none."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from ohmline.arrays import Floats


class Bandwidth(StrEnum):
    """How a width is read off the first points of a stream."""

    NEIGHBOURS = "neighbours"
    """From the distance to near neighbours: for data along a curve or surface."""
    MEDIAN = "median"
    """From the median of all distances: for compact clouds."""

    def kernel_width(self, points: Floats) -> float:
        """sigma_K: how far a label speaks."""
        return median_width(points) if self is Bandwidth.MEDIAN else neighbour_width(points, 3)

    def graph_width(self, points: Floats) -> float:
        """sigma: how far apart two points can be and count as neighbours; below the kernel's."""
        return self.kernel_width(points) / 1.5


def median_width(points: Floats) -> float:
    """The median distance between two different points; 1 where there is none.

    >>> median_width(np.array([[0.0], [1.0], [3.0]]))
    2.0
    """
    between = _distances(points)[np.triu_indices(len(points), 1)]
    return _median_of_positive(between)


def neighbour_width(points: Floats, k: int) -> float:
    """The median distance to the k-th nearest other point (the farthest, where there are fewer).

    >>> neighbour_width(np.array([[0.0], [1.0], [3.0], [7.0]]), 1)
    1.5
    """
    if len(points) < 2:
        return 1.0
    ordered = np.sort(_distances(points), axis=1)[:, 1:]
    return _median_of_positive(ordered[:, min(k, len(points) - 1) - 1])


def _distances(points: Floats) -> Floats:
    return np.asarray(np.sqrt(np.sum((points[:, None] - points[None]) ** 2, axis=2)))


def _median_of_positive(distances: Floats) -> float:
    apart = distances[distances > 0]
    return float(np.median(apart)) if len(apart) else 1.0
