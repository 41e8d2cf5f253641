"""How the nearest rows are found: exactly, by an index of small worlds, or cluster by cluster."""

from __future__ import annotations

import enum
import importlib.util
import logging
from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.checks import choice, room, shown
from ohmline.device.nearest import nearest_rows
from ohmline.device.seam import CPU, Device
from ohmline.errors import ParameterError
from ohmline.extras import require
from ohmline.graph.clustered_neighbours import by_clusters
from ohmline.graph.nearest import nearest
from ohmline.graph.stored_rows import Rows
from ohmline.progress import Advance

log = logging.getLogger(__name__)

FEW = 20_000
"""Rows up to which the search is exact unless another one is asked for."""
SAMPLE = 200
"""Rows whose exact neighbours tell how many of them an approximate search finds."""
LINKS, CARE_IN_BUILDING, CARE_IN_ASKING = 12, 100, 80
"""The index: links of a node, and how many candidates are kept while it is built and asked."""


class Search(enum.Enum):
    """How the nearest rows are found."""

    EXACT = "exact"
    """Every distance that may matter."""
    APPROXIMATE = "approximate"
    """A hierarchy of small worlds (the extra `ann`): far faster on many rows, and nearly all neighbours are found."""
    CLUSTERS = "clusters"
    """Exactly within overlapping clusters of rows, merged: for rows that do not fit into memory."""


def neighbours(
    rows: Rows,
    k: int,
    search: Search | None,
    seed: int,
    device: Device = CPU,
    progress: Advance | bool | None = None,
) -> tuple[Ints, dict[str, Any]]:
    """For each row the positions of k near others; and what a summary says of the search."""
    if device.is_gpu:
        if search not in (None, Search.EXACT):
            raise ParameterError(
                f'a GPU searches exactly, and search is {shown(search)}; leave it out, or use device="cpu"'
            )
        return nearest_rows(rows.whole(), k, device), {}
    chosen = _chosen(rows, search)
    room(16 * rows.n * (k + 1), f"the {k} nearest of {rows.n} rows")
    if chosen is Search.EXACT:
        return nearest(rows.whole(), k), {}
    rng = np.random.default_rng(seed)
    if chosen is Search.APPROXIMATE:
        found = _by_index(rows.whole(), k, seed)
    else:
        found = by_clusters(rows, k, rng, progress=progress)
    recall, sample = recall_of(rows, found, rng)
    log.info("%s search finds %.4f of the %d nearest of %d sampled rows", chosen.value, recall, k, sample)
    return found, {
        "neighbour_search": chosen.value,
        "neighbour_recall": recall,
        "neighbour_sample": sample,
    }


def _chosen(rows: Rows, search: Search | None) -> Search:
    if search is not None:
        return choice(search, Search, "search")
    if rows.n <= FEW:
        return Search.EXACT
    if rows.stored:
        return Search.CLUSTERS
    if importlib.util.find_spec("voyager") is None:
        log.warning(
            "%d rows are compared exactly, which takes long; pip install 'ohmline[ann]' finds nearly all neighbours "
            "far sooner",
            rows.n,
        )
        return Search.EXACT
    return Search.APPROXIMATE


def _by_index(rows: Floats, k: int, seed: int) -> Ints:
    """The nearest rows by an index of small worlds, one thread, so that it depends on rows and seed alone."""
    voyager = require("voyager", "ann")
    n, d = rows.shape
    room(n * (4 * d + 16 * LINKS + 64), f"an index of {n} rows of {d} numbers")
    centred = rows - rows.mean(axis=0)  # single precision is spent on differences alone
    largest = float(np.abs(centred).max(initial=0.0))
    single = np.ascontiguousarray(centred / largest if largest > 0 else centred, dtype=np.float32)
    index = voyager.Index(
        voyager.Space.Euclidean,
        num_dimensions=d,
        M=LINKS,
        ef_construction=CARE_IN_BUILDING,
        random_seed=seed % 2**31,
        max_elements=n,
    )
    index.add_items(single, num_threads=1)
    wanted = min(k + 1, n)
    found, _ = index.query(single, wanted, num_threads=1, query_ef=max(CARE_IN_ASKING, 2 * wanted))
    return without_themselves(found.astype(np.int64), k)


def without_themselves(found: Ints, k: int) -> Ints:
    """The first k of each row that are not the row itself."""
    own = found == np.arange(len(found))[:, None]
    own[~own.any(axis=1), -1] = True  # where it did not find itself among equal rows, the furthest goes
    return np.ascontiguousarray(found[~own].reshape(len(found), -1)[:, :k])


def recall_of(rows: Rows, found: Ints, rng: np.random.Generator) -> tuple[float, int]:
    """The share of the exact neighbours of a sample that were found; among equally far ones, any counts."""
    n, k = found.shape
    asked = np.sort(rng.choice(n, min(SAMPLE, n), replace=False))
    points = rows.take(asked)
    best = np.full((len(asked), k), np.inf)
    for first, block in rows.blocks():
        for a, i in enumerate(asked.tolist()):  # by the differences themselves, which lose nothing
            square = ((block - points[a]) ** 2).sum(axis=1)
            if first <= i < first + len(block):
                square[i - first] = np.inf
            best[a] = np.partition(np.concatenate([best[a], square]), k - 1)[:k]
    limit = best.max(axis=1) * (1 + 1e-9)
    hits = 0
    for a, i in enumerate(asked.tolist()):
        away = ((rows.take(found[i]) - points[a]) ** 2).sum(axis=1)
        hits += int(np.count_nonzero(away <= limit[a]))
    return hits / (len(asked) * k), len(asked)
