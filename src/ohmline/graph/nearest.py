"""The nearest rows of each row of a matrix, exactly."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints

FEW = 4000
"""Up to so many rows all pairs are compared at once; an index takes longer to make, and to import."""
SPARE = 8
"""Neighbours fetched beyond k, so that a tie at the k-th can usually be settled among them."""


def lengths_of(rows: AnyArray, edges: Ints, block: int = 65_536) -> Floats:
    """Euclidean lengths of the edges, from the differences themselves."""
    lengths = np.empty(len(edges))
    for k in range(0, len(edges), block):
        part = edges[k : k + block]
        lengths[k : k + block] = np.sqrt(((rows[part[:, 0]] - rows[part[:, 1]]) ** 2).sum(axis=1))
    return lengths


def rounding(centred: Floats) -> float:
    """More than a squared distance can be off when it is computed from inner products."""
    return float(1e-12 * centred.shape[1] * (centred**2).sum(axis=1).max())


def all_pairs(centred: Floats, fetched: int) -> tuple[Floats, Ints]:
    """About how far the nearest rows of each row are, itself among them, in any order but the farthest last."""
    lengths = (centred**2).sum(axis=1)
    apart = lengths[:, None] + lengths - 2 * (centred @ centred.T)
    found = np.argpartition(apart, fetched - 1, axis=1)[:, :fetched]
    return np.sqrt(np.maximum(np.take_along_axis(apart, found, axis=1), 0.0)), found


def by_index(centred: Floats, fetched: int) -> tuple[Floats, Ints]:
    """The same by the index that scikit-learn chooses."""
    from sklearn.neighbors import NearestNeighbors

    rough, found = NearestNeighbors(n_neighbors=fetched).fit(centred).kneighbors(centred)
    return rough, found


def nearest(rows: Floats, k: int) -> Ints:
    """For each row the positions of its k nearest others, nearest first, ties by position.

    The search gives candidates, whose lengths are then computed from the differences. Where the
    last candidate is not clearly further than the k-th neighbour, the whole row is searched.
    """
    n = len(rows)
    centred = rows - rows.mean(axis=0)
    fetched = min(k + 1 + SPARE, n)
    rough, found = (all_pairs if n <= FEW else by_index)(centred, fetched)
    sources = np.repeat(np.arange(n), fetched)
    lengths = lengths_of(rows, np.column_stack([sources, found.ravel()])).reshape(n, fetched)
    lengths[found == np.arange(n)[:, None]] = np.inf  # nobody is its own neighbour
    order = np.lexsort((found, lengths), axis=1)[:, :k]
    nearest = np.take_along_axis(found, order, axis=1).astype(np.int64)
    if fetched < n:
        kth = np.take_along_axis(lengths, order[:, -1:], axis=1)[:, 0]
        for i in np.flatnonzero(~(rough[:, -1] ** 2 > kth**2 + rounding(centred))):
            away = np.sqrt(((rows - rows[i]) ** 2).sum(axis=1))
            away[i] = np.inf
            nearest[i] = np.lexsort((np.arange(n), away))[:k]
    return nearest
