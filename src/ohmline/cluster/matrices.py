"""The matrices that are made from the weights of a graph, block by block: Laplacians, and the system of predictions."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats
from ohmline.cluster.labels import Given
from ohmline.cluster.rows import RowBlock

EPSILON = float(np.finfo(np.float64).eps)


def laplacian(block: RowBlock, normalised: bool) -> None:
    """L or D^-1/2 L D^-1/2; isolated nodes have zero rows."""
    if not normalised:
        block.shape(np.ones(block.n), block.degree)
        return
    linked = block.degree > 0
    scale: Floats = np.where(linked, 1 / np.sqrt(np.where(linked, block.degree, 1.0)), 0.0)
    block.shape(scale, linked.astype(np.float64))


def system(block: RowBlock, given: Given, ridge: float, mu: float, unit: float) -> None:
    """Q, scaled to a unit diagonal."""
    precision = block.degree / unit + ridge
    precision[given.at(block)[0]] += 1 / mu
    block.shape(1 / np.sqrt(precision), np.ones(block.n))


def target_of(block: RowBlock, given: Given, made: int, mu: float, classes: int) -> None:
    """b: 1/mu at the class of every labelled node; scaled."""
    found = np.zeros((block.n, classes))
    rows, codes = given.at(block)
    found[rows, codes] = block.scale[rows] / mu
    block.columns[made] = found


def totals(block: RowBlock, x: int) -> Floats:
    """The sum of each column over the block."""
    return np.asarray(np.maximum(block.columns[x], 0.0).sum(axis=0))


def largest_residual(block: RowBlock, x: int) -> float:
    """The largest entry of b - Q F, with more than what rounding can have hidden of it."""
    values = block.columns[x]
    if not values.size:
        return 0.0
    sizes = np.diff(block.begin)
    hidden = EPSILON * (16 + 8 * sizes) / block.scale**2
    return float((np.abs(values).max(axis=1) / block.scale + hidden).max())
