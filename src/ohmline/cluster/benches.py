"""`ohmline bench cluster`: what a step costs on two worker processes, beside SciPy's product in this process.

Seconds are of processor time, summed over the workers: what is left of a busy machine does not change them much. On
this machine an exchange is a copy between processes, so the cost of a real network comes on top: the bytes say how much
travels.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ohmline.arrays import Ints
from ohmline.cluster.engine import Cluster
from ohmline.cluster.layout import Layout
from ohmline.cluster.loading import load
from ohmline.cluster.matrices import laplacian
from ohmline.cluster.parts import edge_parts
from ohmline.cluster.rows import RowBlock
from ohmline.cluster.spread import SpreadRows
from ohmline.extras import require
from ohmline.lab.bench import Bench, Measured, target

NODES, DEGREE, COLUMNS, PARTS, WORKERS, BLOCKS, REPEAT = 400_000, 10, 64, 8, 2, 4, 3


def cluster_steps(nodes: int = NODES, columns: int = COLUMNS, repeat: int = REPEAT) -> Measured:
    """Reading, product, Gram matrix and blend, each for every edge or row and column."""
    details: dict[str, Any] = {"nodes": nodes, "columns": columns, "workers": WORKERS, "blocks": BLOCKS}
    with Cluster.local(WORKERS) as cluster, tempfile.TemporaryDirectory() as place:
        cluster.map(_warm, [0] * WORKERS)
        ratios = {}
        for name, edges in (("local", local_edges(nodes)), ("random", random_edges(nodes))):
            found, ratios[name] = _measured(cluster, Path(place, name), edges, nodes, columns, repeat)
            details |= {f"{name}_{key}": value for key, value in found.items()}
    details["targets"] = [
        target("processor time of a product over SciPy's, local edges", 1 / ratios["local"], most=2.0),
        target("processor time of a product over SciPy's, random edges", 1 / ratios["random"], most=4.0),
    ]
    return Measured(
        "cluster", ratios["local"], "scipy.sparse's product in one process, processor time", details
    )


def local_edges(nodes: int) -> tuple[Ints, Ints]:
    """Edges between nodes that lie near each other, as after a good ordering."""
    rng = np.random.default_rng(0)
    source = np.repeat(np.arange(nodes), DEGREE // 2)
    return source, (source + rng.integers(1, 1000, len(source))) % nodes


def random_edges(nodes: int) -> tuple[Ints, Ints]:
    """Edges between any two nodes: the most that can have to be exchanged."""
    rng = np.random.default_rng(1)
    return rng.integers(0, nodes, nodes * DEGREE // 2), rng.integers(0, nodes, nodes * DEGREE // 2)


def _measured(
    cluster: Cluster, folder: Path, edges: tuple[Ints, Ints], nodes: int, columns: int, repeat: int
) -> tuple[dict[str, float], float]:
    folder.mkdir()
    _write(folder / "edges", *edges)
    before, begun = _tasks_spent(cluster), time.monotonic()
    layout = load(cluster, edge_parts(folder / "edges"), folder, nodes=nodes, blocks=BLOCKS)
    reading, waited = _tasks_spent(cluster) - before, time.monotonic() - begun
    entries, wide = layout.entries, layout.n * columns
    with SpreadRows(cluster, layout, columns=columns, live=6) as rows:
        rows.shape(laplacian, True)
        x = rows.random(columns, 0)
        product = _spent(rows, lambda: rows.drop(rows.product(x)), repeat)
        gram = _spent(rows, lambda: rows.gram(x, x), repeat)
        blend = _spent(rows, lambda: rows.drop(rows.blend((1.0, x), (2.0, x), (3.0, x))), repeat)
    halo = sum(size.halo for size in layout.sizes)
    reference = _scipy(layout, edges, columns, repeat)
    found = {
        "edges": entries // 2,
        "read_us_per_edge": 1e6 * reading / (entries / 2),
        "read_wall_s": waited,
        "product_s": product,
        "product_ns_per_entry_and_column": 1e9 * product / (entries * columns),
        "scipy_ns_per_entry_and_column": 1e9 * reference / (entries * columns),
        "exchanged_rows_per_row": halo / layout.n,
        "exchanged_bytes": 8.0 * halo * columns,
        "gram_ns_per_entry_and_column": 1e9 * gram / (wide * columns),
        "blend_ns_per_number": 1e9 * blend / (3 * wide),
    }
    return found, reference / product


def _write(folder: Path, source: Ints, target_: Ints) -> None:
    arrow, parquet = require("pyarrow", "cluster"), require("pyarrow.parquet", "cluster")
    folder.mkdir()
    for k, places in enumerate(np.array_split(np.arange(len(source)), PARTS)):
        table = arrow.table({"source": source[places], "target": target_[places]})
        parquet.write_table(table, folder / f"part-{k}.parquet")


def _scipy(layout: Layout, edges: tuple[Ints, Ints], columns: int, repeat: int) -> float:
    ends = np.concatenate(edges), np.concatenate(edges[::-1])
    upper = sparse.coo_array((np.ones(len(ends[0])), ends), shape=(layout.n, layout.n))
    matrix, x = sparse.csr_array(upper), np.random.default_rng(0).standard_normal((layout.n, columns))
    best = float("inf")
    for _ in range(repeat):
        begun = time.process_time()
        matrix @ x
        best = min(best, time.process_time() - begun)
    return best


def _spent(rows: SpreadRows, work: Callable[[], Any], repeat: int) -> float:
    """Seconds of processor time of all workers, the least of several runs."""
    best = float("inf")
    for _ in range(repeat):
        before = dict(rows.read(_clock))
        work()
        after = dict(rows.read(_clock))
        best = min(best, sum(after[process] - before[process] for process in after))
    return best


def _clock(block: RowBlock) -> tuple[int, float]:
    return os.getpid(), time.process_time()


def _tasks_spent(cluster: Cluster) -> float:
    """Seconds of processor time of all workers so far."""
    return float(sum(cluster.everywhere(time.process_time).values()))


def _warm(task: int) -> None:
    """Import what tasks need."""
    require("pyarrow.parquet", "cluster")
    require("pyarrow.compute", "cluster")


BENCHES: dict[str, Bench] = {"cluster": cluster_steps}
