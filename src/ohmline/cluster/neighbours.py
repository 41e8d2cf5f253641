"""Nearest-neighbour graphs of vectors that no single machine holds: exact, block against block."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.checks import count, flag, instance, none_or
from ohmline.cluster.engine import Cluster
from ohmline.cluster.layout import even_bounds, owners
from ohmline.cluster.loading import MOST_BLOCKS, PER_WORKER
from ohmline.cluster.manifest import Manifest, Part, finish, result_folder, write_part
from ohmline.cluster.vectors import Vectors, open_vectors
from ohmline.errors import ParameterError
from ohmline.extras import require
from ohmline.graph.build import Gaussian
from ohmline.graph.files.paths import replacing

SPARE = 8
"""Neighbours fetched beyond k, so that a tie at the k-th can usually be settled among them."""
LEAST_SIDE, LARGEST_SIDE = 256, 4096
"""Rows that are compared with as many others at a time."""


@final
@dataclass(frozen=True)
class Search:
    """What every task of a search knows."""

    vectors: Vectors
    k: int
    bounds: tuple[int, ...]
    folder: Path
    centre: Floats
    slack: float
    """More than a squared distance can be off when it is computed from inner products."""
    side: int
    mutual: bool
    width: float | None


def knn(
    vectors: str | os.PathLike[str],
    k: int,
    out: str | os.PathLike[str],
    cluster: Cluster,
    *,
    mutual: bool = False,
    weights: Gaussian | None = None,
    blocks: int | None = None,
) -> Manifest:
    """Write the edges of the k-nearest-neighbour graph of vectors in parts, exactly, as `ohmline.graph.knn` has it.

    Every block of rows is compared with all others in turns; the cost grows with the square of the number of rows.

    Parameters
    ----------
    vectors
        A `.npy` file, or a folder, pattern or file of Parquet with one column of lists of numbers, or columns of
        numbers, and perhaps a column `node` of ids. All workers see it under the same name.
    k
        How many nearest rows are the neighbours of a row, from 1 to the number of rows less one.
    out
        The folder to write, which must not exist: parts with the columns `source`, `target` and `weight`, each edge
        once, and `_manifest.json`. `embed` and `predict` take it as their edges.
    cluster
        The workers.
    mutual
        True joins two rows when each is among the k nearest of the other. False (default) joins them when either is.
    weights
        What edges of a given length weigh: `Gaussian(width)`, with its width given; 1 each by default.
    blocks
        How many blocks of rows, each one part of the result; None (default) for two for each worker.

    Returns
    -------
    Manifest
        The parts; `about` has the number of nodes.
    """
    instance(cluster, Cluster, "cluster", "make one with Cluster.connect or Cluster.local")
    k, mutual = count(k, "k", least=1), flag(mutual, "mutual")
    if weights is not None and instance(weights, Gaussian, "weights").width is None:
        raise ParameterError("Gaussian() reads its width off all edges at once; give one: Gaussian(width)")
    chosen = none_or(count, blocks, "blocks", least=1, most=MOST_BLOCKS) or PER_WORKER * len(
        cluster.workers()
    )
    with result_folder(out) as folder:
        work = folder / "work"
        found = open_vectors(cluster, vectors, work)
        if k >= found.n:
            raise ParameterError(f"k is {k}; {found.n} rows have at most {found.n - 1} neighbours each")
        bounds = even_bounds(found.n, chosen)
        sums = cluster.map(moments, range(chosen), found, bounds)
        centre = np.sum([each for each, _ in sums], axis=0) / found.n
        # |x - c| <= |x| + |c| for every row, so this is at least the largest squared length after centring.
        largest = (np.sqrt(max(each for _, each in sums)) + np.linalg.norm(centre)) ** 2
        side = int(np.clip(np.sqrt(min(cluster.room().values()) / 64), LEAST_SIDE, LARGEST_SIDE))
        search = Search(
            found,
            k,
            bounds,
            work,
            centre,
            1e-12 * found.dimensions * largest,
            side,
            mutual,
            None if weights is None else weights.width,
        )
        cluster.map(write_nearest, range(chosen), search)
        parts = cluster.map(write_edges, range(chosen), search, folder)
        return finish(folder, "edges", parts, {"nodes": found.n, "k": k, "mutual": mutual})


def moments(block: int, vectors: Vectors, bounds: tuple[int, ...]) -> tuple[Floats, float]:
    """The sum of a block's rows, and their largest squared length."""
    total, largest = np.zeros(vectors.dimensions), 0.0
    for low in range(bounds[block], bounds[block + 1], LARGEST_SIDE):
        rows = vectors.rows(low, min(low + LARGEST_SIDE, bounds[block + 1]))
        if not np.isfinite(rows).all():
            raise ParameterError(
                f"a vector in rows {low} to {low + len(rows)} is not finite; fill or drop it"
            )
        total += rows.sum(axis=0)
        largest = max(largest, float((rows**2).sum(axis=1).max()))
    return total, largest


def write_nearest(block: int, search: Search) -> None:
    """The nearest others of each row of a block, nearest first, ties by position."""
    first, last = search.bounds[block], search.bounds[block + 1]
    nearest = np.empty((last - first, search.k), np.int64)
    for low in range(first, last, search.side):
        high = min(low + search.side, last)
        nearest[low - first : high - first] = _nearest(low, high, search)
    with replacing(_nearest_file(search, block)) as beside, beside.open("wb") as out:
        np.save(out, nearest, allow_pickle=False)


def _nearest(low: int, high: int, search: Search) -> Ints:
    """For some rows: candidates by inner products, whose lengths are then computed from the differences."""
    n, fetched = search.vectors.n, min(search.k + 1 + SPARE, search.vectors.n)
    rows = search.vectors.rows(low, high)
    centred = rows - search.centre
    squares = (centred**2).sum(axis=1)[:, None]
    best, where = np.full((len(rows), fetched), np.inf), np.zeros((len(rows), fetched), np.int64)
    for start in range(0, n, search.side):
        others = search.vectors.rows(start, min(start + search.side, n)) - search.centre
        away = squares + (others**2).sum(axis=1) - 2 * (centred @ others.T)
        places = np.arange(start, start + len(others))
        if len(others) > fetched:
            some = np.argpartition(away, fetched - 1, axis=1)[:, :fetched]
            away, some = np.take_along_axis(away, some, axis=1), places[some]
        else:
            some = np.broadcast_to(places, away.shape)
        every, all_places = np.hstack([best, away]), np.hstack([where, some])
        kept = np.argpartition(every, fetched - 1, axis=1)[:, :fetched]
        best, where = np.take_along_axis(every, kept, axis=1), np.take_along_axis(all_places, kept, axis=1)
    return _settled(low, rows, best, where, search)


def _settled(low: int, rows: Floats, rough: Floats, where: Ints, search: Search) -> Ints:
    """The k nearest among the candidates; where the furthest of them is not clearly beyond the k-th, among all."""
    k, n, fetched = search.k, search.vectors.n, where.shape[1]
    lengths = np.empty(where.shape)
    for column in range(fetched):
        others = search.vectors.take(where[:, column])
        lengths[:, column] = np.sqrt(((rows - others) ** 2).sum(axis=1))
    lengths[where == np.arange(low, low + len(rows))[:, None]] = np.inf  # nobody is its own neighbour
    order = np.lexsort((where, lengths), axis=1)[:, :k]
    nearest: Ints = np.take_along_axis(where, order, axis=1)
    if fetched < n:
        kth = np.take_along_axis(lengths, order[:, -1:], axis=1)[:, 0]
        for i in np.flatnonzero(~(rough.max(axis=1) > kth**2 + search.slack)):
            nearest[i] = _searched(low + int(i), rows[i], search)
    return nearest


def _searched(position: int, row: Floats, search: Search) -> Ints:
    """The k nearest of one row, by the lengths to all others."""
    best, where = np.empty(0), np.empty(0, np.int64)
    for start in range(0, search.vectors.n, search.side):
        others = search.vectors.rows(start, min(start + search.side, search.vectors.n))
        away = np.sqrt(((others - row) ** 2).sum(axis=1))
        places = np.arange(start, start + len(others))
        away[places == position] = np.inf
        best, where = np.append(best, away), np.append(where, places)
        order = np.lexsort((where, best))[: search.k]
        best, where = best[order], where[order]
    return where


def write_edges(block: int, search: Search, folder: Path) -> Part:
    """The edges that a block has to write: those to later rows, and to earlier ones that do not list it."""
    arrow = require("pyarrow", "cluster")
    first = search.bounds[block]
    nearest = np.load(_nearest_file(search, block))
    source = np.repeat(np.arange(first, first + len(nearest)), search.k)
    target = nearest.ravel()
    returned = _listed(target, source, search)
    keep = (source < target) & returned if search.mutual else (source < target) | ~returned
    source, target = source[keep], target[keep]
    weight = np.ones(len(source))
    if search.width is not None:
        apart = search.vectors.take(source) - search.vectors.take(target)
        weight = Gaussian(search.width).weights(np.sqrt((apart**2).sum(axis=1)))
    names = search.vectors.names
    table: dict[str, Any] = {"source": names(source), "target": names(target), "weight": arrow.array(weight)}
    return write_part(folder, block, arrow.table(table))


def _listed(rows: Ints, wanted: Ints, search: Search) -> Any:
    """Whether each of `rows` has the one that is wanted among its nearest."""
    found = np.zeros(len(rows), np.bool_)
    owner = owners(search.bounds, rows)
    for b in np.unique(owner).tolist():
        theirs = np.load(_nearest_file(search, b), mmap_mode="r")
        mine = np.flatnonzero(owner == b)
        found[mine] = (theirs[rows[mine] - search.bounds[b]] == wanted[mine, None]).any(axis=1)
    return found


def _nearest_file(search: Search, block: int) -> Path:
    return search.folder / f"nearest-{block:05d}.npy"
