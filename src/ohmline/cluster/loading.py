"""A graph in parts, read onto the workers of a cluster."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ohmline.checks import count, flag, none_or
from ohmline.cluster.engine import Cluster
from ohmline.cluster.layout import BlockSize, Layout, dealt, even_bounds
from ohmline.cluster.naming import write_names, write_numbers
from ohmline.cluster.parts import EdgeParts
from ohmline.cluster.shuffle import ASSEMBLY, Plan, assemble, largest_id, remove_runs, write_runs
from ohmline.errors import ClusterError, GraphError
from ohmline.graph.edges import parallel_of

PER_WORKER = 2
"""Blocks per worker where the caller does not say how many: what a lost worker had can then be shared out."""
MOST_BLOCKS = 10_000


def load(
    cluster: Cluster,
    parts: EdgeParts,
    folder: Path,
    *,
    numbered: bool = True,
    nodes: int | None = None,
    parallel: Any = None,
    blocks: int | None = None,
    columns: int = 1,
    live: int = 1,
) -> Layout:
    """Read edges in parts into blocks of rows under `folder`, which all workers see.

    So many live blocks of so many columns must fit beside them, which is checked as soon as the number of nodes is
    known.
    """
    positions = flag(numbered, "numbered") and parts.integers
    rule = parallel_of(parallel)
    n_nodes = none_or(count, nodes, "nodes", least=1)
    chosen = _blocks(cluster, parts, none_or(count, blocks, "blocks", least=1, most=MOST_BLOCKS))
    if positions:
        n = _number_of_nodes(cluster, parts) if n_nodes is None else n_nodes
        bounds = even_bounds(n, chosen)
    else:
        every = [(k, parts, chosen, folder) for k in range(len(parts.pieces))]
        cluster.map(write_names, every)
        sizes = cluster.map(write_numbers, range(chosen), len(parts.pieces), folder)
        bounds = tuple(np.append(0, np.cumsum(sizes)).tolist())
    _expect_room(cluster, parts, bounds, columns, live)
    plan = Plan(parts, bounds, not positions, folder, rule)
    runs = tuple(cluster.map(write_runs, range(len(parts.pieces)), plan))
    found = cluster.map(assemble, range(chosen), plan, runs)
    remove_runs(folder)
    return Layout(
        folder,
        bounds,
        tuple(each.size for each in found),
        not positions,
        math.fsum(each.weight for each in found),
        max(each.top for each in found),
    )


def _blocks(cluster: Cluster, parts: EdgeParts, blocks: int | None) -> int:
    """How many blocks: as told, or so many that a worker can put one together; refused where it cannot."""
    least = min(cluster.room().values())
    need = 2.0 * ASSEMBLY * parts.rows
    if least <= 0:
        raise ClusterError(
            "the workers have no memory to spare beside Python itself; give each 512 MiB at least"
        )
    wanted = (
        max(PER_WORKER * len(cluster.workers()), math.ceil(1.3 * need / least)) if blocks is None else blocks
    )
    if need / wanted > least or wanted > MOST_BLOCKS:
        raise ClusterError(
            f"a block of {parts.rows:,} edges in {wanted} blocks needs {need / wanted / 2**30:.3g} GiB to be put "
            f"together, and a worker has {least / 2**30:.3g} GiB to spare; make more blocks, or give more memory"
        )
    return wanted


def _expect_room(
    cluster: Cluster, parts: EdgeParts, bounds: tuple[int, ...], columns: int, live: int
) -> None:
    """Refuse before any edge is moved what cannot fit: the least that even blocks without a halo take."""
    blocks, n = len(bounds) - 1, bounds[-1]
    size = BlockSize(n // blocks, 2 * parts.rows // blocks, 0)
    dealt(Layout(Path(), bounds, (size,) * blocks, False, 0.0, 0.0), cluster.room(), columns, live)


def _number_of_nodes(cluster: Cluster, parts: EdgeParts) -> int:
    n = 1 + max(cluster.map(largest_id, range(len(parts.pieces)), parts))
    if n > 1000 + 16 * parts.rows:
        raise GraphError(
            f"the largest id is {n - 1} and there are {parts.rows} edges; pass numbered=False for ids that are not "
            "0, 1, 2, ..., or nodes= for the number of nodes"
        )
    return n
