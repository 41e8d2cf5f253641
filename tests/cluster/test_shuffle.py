"""Edges in parts to blocks of rows: the graph that one machine builds from the same edges."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import ohmline as ohm
from ohmline.cluster.layout import block_folder, even_bounds
from ohmline.cluster.naming import hashes, owner_of, read_ids, write_names, write_numbers
from ohmline.cluster.parts import edge_parts
from ohmline.cluster.shuffle import Plan, assemble, largest_id, write_runs
from ohmline.errors import DataError, DirectedError, GraphError, OhmlineError
from ohmline.graph.edges import parallel_of


def shuffled(
    folder: Path, *, blocks: int, numbered: bool, parallel: str | None = None
) -> tuple[Any, list[Any]]:
    """The adjacency matrix, put together from its blocks, and the ids of its rows."""
    parts = edge_parts(folder / "edges")
    pieces = range(len(parts.pieces))
    if numbered:
        bounds = even_bounds(1 + max(largest_id(k, parts) for k in pieces), blocks)
    else:
        for k in pieces:
            write_names((k, parts, blocks, folder))
        sizes = [write_numbers(b, len(pieces), folder) for b in range(blocks)]
        bounds = tuple(np.append(0, np.cumsum(sizes)).tolist())
    plan = Plan(parts, bounds, not numbered, folder, parallel_of(parallel))
    runs = tuple(write_runs(k, plan) for k in pieces)
    n, rows, ids = bounds[-1], [], []
    for b in range(blocks):
        found = assemble(b, plan, runs)
        place = block_folder(folder, b)
        begin, neighbour, weight, halo = (
            np.load(place / f"{name}.npy") for name in ("begin", "neighbour", "weight", "halo")
        )
        assert (found.size.entries, found.size.halo) == (len(neighbour), len(halo))
        where = np.concatenate([np.arange(bounds[b], bounds[b + 1]), halo])
        rows.append(sparse.csr_array((weight, where[neighbour], begin), shape=(bounds[b + 1] - bounds[b], n)))
        ids += range(bounds[b], bounds[b + 1]) if numbered else read_ids(folder, b).to_pylist()
    return sparse.vstack(rows).toarray(), ids


def write(folder: Path, edges: list[tuple[Any, Any, float]], parts: int = 2) -> None:
    (folder / "edges").mkdir()
    for k in range(parts):
        mine = edges[k::parts]
        columns = {name: [edge[i] for edge in mine] for i, name in enumerate(("source", "target", "weight"))}
        kind = pa.int64() if isinstance(edges[0][0], int) else pa.string()
        schema = pa.schema([("source", kind), ("target", kind), ("weight", pa.float64())])
        pq.write_table(pa.table(columns, schema=schema), folder / "edges" / f"{k}.parquet", row_group_size=3)


IDS = st.integers(0, 11)
WEIGHTS = st.sampled_from([0.5, 1.0, 1.0, 2.25, 0.0])


@settings(max_examples=25)
@given(
    edges=st.lists(st.tuples(IDS, IDS, WEIGHTS), min_size=1, max_size=25),
    kind=st.sampled_from(["positions", "numbers", "strings"]),
    parallel=st.sampled_from([None, "sum", "max", "refuse"]),
    blocks=st.integers(1, 4),
)
def test_the_graph_is_that_of_one_machine(
    tmp_path_factory: pytest.TempPathFactory, edges: Any, kind: str, parallel: Any, blocks: int
) -> None:
    if kind == "numbers":
        edges = [(7 * s - 20, 7 * t - 20, w) for s, t, w in edges]
    elif kind == "strings":
        edges = [(f"é{s}", f"é{t}", w) for s, t, w in edges]
    folder = tmp_path_factory.mktemp("shuffle")
    write(folder, edges)
    listed = range(1 + max(max(edge[:2]) for edge in edges)) if kind == "positions" else None
    try:
        graph: Any = ohm.Graph.from_edges(edges, parallel=parallel, nodes=listed)
    except OhmlineError as error:
        with pytest.raises(type(error)):
            shuffled(folder, blocks=blocks, numbered=kind == "positions", parallel=parallel)
        return
    matrix, ids = shuffled(folder, blocks=blocks, numbered=kind == "positions", parallel=parallel)
    assert sorted(ids) == sorted(graph.nodes)
    order = [graph.nodes.position(node) for node in ids]
    np.testing.assert_array_equal(matrix, graph.adjacency.toarray()[np.ix_(order, order)])


def test_hashes_are_fixed_and_spread_evenly() -> None:
    words = pa.array([f"node {k}" for k in range(20_000)] + ["", "a", "aa"])
    found = hashes(words)
    assert len(np.unique(found)) == len(words)
    assert found[-3:].tolist() == [hashes(pa.array([word]))[0] for word in ("", "a", "aa")]
    assert hashes(words[5:9]).tolist() == found[5:9].tolist()
    assert hashes(pa.array(["ohm", "line"])).tolist() == [OHM, LINE]
    for ids in (words, pa.array(np.arange(20_000) * 4096)):
        counts = np.bincount(owner_of(ids, 8), minlength=8)
        assert counts.min() > 0.9 * len(ids) / 8


def reference(word: str) -> int:
    """The hash of a string, letter by letter."""
    golden, mask = 0x9E3779B97F4A7C15, 2**64 - 1
    total, power = 0, golden
    for letter in word.encode():
        total = (total + (letter + 1) * power) & mask
        power = power * golden & mask
    x = (total + golden) & mask
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return x ^ (x >> 31)


OHM, LINE = reference("ohm"), reference("line")


def test_edges_with_two_weights_are_named(tmp_path: Path) -> None:
    write(tmp_path, [(0, 1, 1.0), (2, 3, 1.0), (1, 0, 2.0)])
    with pytest.raises(
        DirectedError, match=r"edge \(0, 1\), by position, .* from 1.0 to 2.0; list every edge once"
    ):
        shuffled(tmp_path, blocks=2, numbered=True)


def test_ids_below_zero_are_no_positions(tmp_path: Path) -> None:
    write(tmp_path, [(0, -1, 1.0)], 1)
    with pytest.raises(GraphError, match="-1 is no position; pass numbered=False"):
        shuffled(tmp_path, blocks=2, numbered=True)


def test_a_block_for_which_the_disk_has_no_room_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    n = 5000
    write(tmp_path, [(k, k + 1, 1.0) for k in range(n - 1)], 1)
    parts, bounds = edge_parts(tmp_path / "edges"), even_bounds(n, 1)
    plan = Plan(parts, bounds, False, tmp_path / "work", None)
    plan.folder.mkdir()
    runs = (write_runs(0, plan),)
    before = sorted(tmp_path.rglob("*"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))  # a disk of that size, for this process
    try:
        with pytest.raises(DataError, match="block-00000 cannot be written: the disk is probably full"):
            assemble(0, plan, runs)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert sorted(tmp_path.rglob("*")) == before
    assemble(0, plan, runs)
