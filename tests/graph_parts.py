"""Graphs in partitioned Parquet, and results read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import ohmline as ohm
from ohmline.cluster import Manifest, read_manifest


def ring_of_rings(rings: int = 6, size: int = 12, seed: int = 0) -> ohm.Graph:
    """Rings of nodes with random weights and chords, joined in a ring: connected, without equal eigenvalues."""
    rng = np.random.default_rng(seed)
    edges = []
    for r in range(rings):
        for k in range(size):
            edges.append((r * size + k, r * size + (k + 1) % size, float(rng.uniform(0.5, 2))))
        edges.append((r * size, (r + 1) % rings * size + size // 2, float(rng.uniform(0.1, 0.3))))
        edges.append((r * size + 1, r * size + size // 2, float(rng.uniform(0.5, 2))))
    return ohm.Graph.from_edges(edges)


def write_parts(graph: ohm.Graph, folder: Path, parts: int = 3, *, text: bool = False) -> Path:
    """The edges of a graph, dealt out over parts, some of them the other way round."""
    folder.mkdir()
    source, target, weight = graph.edges()
    swap = np.arange(len(source)) % 2 == 1
    source, target = np.where(swap, target, source), np.where(swap, source, target)
    for k in range(parts):
        mine = np.arange(len(source)) % parts == k
        ends: list[Any] = [source[mine].tolist(), target[mine].tolist()]
        if text:
            ends = [[f"n{i:03d}" for i in end] for end in ends]
        table = pa.table({"source": ends[0], "target": ends[1], "weight": weight[mine]})
        pq.write_table(table, folder / f"part-{k}.parquet", row_group_size=20)
    return folder


def table_of(folder: Path, manifest: Manifest | None = None) -> pa.Table:
    """All parts of a result, which are those that its manifest lists, to the byte."""
    found = read_manifest(folder).checked(folder, bytes_too=True)
    assert manifest is None or found.parts == manifest.parts
    return pa.concat_tables([pq.read_table(folder / part.name) for part in found.parts])


def features_of(folder: Path, manifest: Manifest | None = None) -> dict[Any, Any]:
    table = table_of(folder, manifest)
    return dict(zip(table["node"].to_pylist(), np.array(table["features"].to_pylist()), strict=True))
