"""Nearest rows cluster by cluster: every row lies in several clusters, which are searched exactly and merged.

Memory holds one cluster at a time and the table of neighbours, so that the rows may stay in a file. A neighbour is
missed only where it shares none of a row's clusters.
"""

from __future__ import annotations

import itertools

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.graph.nearest import lengths_of, nearest
from ohmline.graph.stored_rows import Rows
from ohmline.progress import Advance, reporting

SIZE = 4000
"""Rows that a cluster should have."""
OVERLAP = 4
"""How many clusters a row lies in."""
SAMPLED = 64
"""Rows for each cluster from which centres are found."""
ROUNDS = 10
"""Rounds of k-means."""


def by_clusters(
    rows: Rows,
    k: int,
    rng: np.random.Generator,
    size: int = SIZE,
    progress: Advance | bool | None = None,
) -> Ints:
    """For each row the positions of the k nearest others that share a cluster with it, nearest first."""
    n = rows.n
    size = max(size, 2 * k + 2)
    found, lengths = np.full((n, k), -1, np.int64), np.full((n, k), np.inf)
    members = groups(rows, max(1, -(-n * OVERLAP // size)), rng)
    with reporting(progress, f"the {k} nearest of {n:,} rows, by clusters", len(members)) as report:
        for group in members:
            # A cluster that came out too large is searched in random parts, each with rows of all of it.
            for part in parts(group, 4 * size, k, rng):
                merge(rows, part, k, found, lengths)
            report(1)
    short = np.flatnonzero(found[:, -1] < 0)
    for start in range(0, len(short), size):  # rows of clusters that are smaller than k
        fill(rows, short[start : start + size], k, found, lengths)
    return found


def groups(rows: Rows, count: int, rng: np.random.Generator) -> list[Ints]:
    """The members of each cluster, ascending; every row is in the `OVERLAP` whose centres are nearest."""
    if count <= OVERLAP:
        return [np.arange(rows.n)]
    centres = centres_of(rows, count, rng)
    chosen = np.empty((rows.n, OVERLAP), np.int32)
    for first, block in rows.blocks():
        square = (centres**2).sum(axis=1) - 2 * block @ centres.T
        chosen[first : first + len(block)] = np.argpartition(square, OVERLAP - 1, axis=1)[:, :OVERLAP]
    order = np.argsort(chosen.ravel(), kind="stable")
    edges = np.searchsorted(chosen.ravel()[order], np.arange(count + 1))
    return [order[a:b] // OVERLAP for a, b in itertools.pairwise(edges) if b > a]


def centres_of(rows: Rows, count: int, rng: np.random.Generator) -> Floats:
    """The centres of a k-means of a sample."""
    sample = rows.take(np.sort(rng.choice(rows.n, min(SAMPLED * count, rows.n), replace=False)))
    centres = sample[rng.choice(len(sample), count, replace=False)]
    for _ in range(ROUNDS):
        square = (centres**2).sum(axis=1) - 2 * sample @ centres.T
        owner = square.argmin(axis=1)
        sums = np.zeros_like(centres)
        np.add.at(sums, owner, sample)
        counts = np.bincount(owner, minlength=count)
        there = counts > 0
        centres[there] = sums[there] / counts[there, None]
    return centres


def parts(group: Ints, most: int, k: int, rng: np.random.Generator) -> list[Ints]:
    """The group itself, or random parts of it that are small enough."""
    if len(group) <= max(most, k + 1):
        return [group]
    pieces = -(-len(group) // most)
    return [np.sort(part) for part in np.array_split(rng.permutation(group), pieces)]


def merge(rows: Rows, group: Ints, k: int, found: Ints, lengths: Floats) -> None:
    """Put the nearest rows within a group into the table, where they are nearer than what is there."""
    inside = min(k, len(group) - 1)
    if inside < 1:
        return
    block = rows.take(group)
    near = nearest(block, inside)
    pairs = np.column_stack([np.repeat(np.arange(len(group)), inside), near.ravel()])
    away = lengths_of(block, pairs).reshape(near.shape)
    put(group, group[near], away, k, found, lengths)


def fill(rows: Rows, short: Ints, k: int, found: Ints, lengths: Floats) -> None:
    """The exact neighbours of a few rows, among all."""
    points = rows.take(short)
    for first, block in rows.blocks():
        for a, i in enumerate(short.tolist()):
            away = np.sqrt(((block - points[a]) ** 2).sum(axis=1))
            if first <= i < first + len(block):
                away[i - first] = np.inf
            best = np.argsort(away, kind="stable")[:k]
            put(np.array([i]), (first + best)[None], away[best][None], k, found, lengths)


def put(where: Ints, near: Ints, away: Floats, k: int, found: Ints, lengths: Floats) -> None:
    """The k nearest of what is in the table at these rows and of what comes; ties by position."""
    names = np.concatenate([found[where], near], axis=1)
    far = np.concatenate([lengths[where], away], axis=1)
    order = np.argsort(names, axis=1, kind="stable")
    names, far = np.take_along_axis(names, order, axis=1), np.take_along_axis(far, order, axis=1)
    again = np.zeros(names.shape, np.bool_)
    again[:, 1:] = names[:, 1:] == names[:, :-1]
    far[again | (names < 0)] = np.inf
    best = np.argsort(far, axis=1, kind="stable")[:, :k]  # names ascend, so that ties go by position
    lengths[where] = np.take_along_axis(far, best, axis=1)
    chosen = np.take_along_axis(names, best, axis=1)
    found[where] = np.where(np.isfinite(lengths[where]), chosen, -1)
