"""Nearest neighbours on real worker processes: the graph of a single machine, ties included."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ohmline as ohm
from graph_parts import table_of
from ohmline.cluster import Cluster, knn
from ohmline.cluster.neighbours import write_nearest
from ohmline.errors import FileFormatError, ParameterError


def edges_of(table: pa.Table) -> list[tuple[Any, Any, float]]:
    """Each edge, lower end first, in order."""
    columns = (table[name].to_pylist() for name in ("source", "target", "weight"))
    return sorted((min(s, t), max(s, t), w) for s, t, w in zip(*columns, strict=True))


def edges_here(graph: ohm.Graph) -> list[tuple[Any, Any, float]]:
    return sorted(zip(*(column.tolist() for column in graph.edges()), strict=True))


def test_a_grid_full_of_ties(cluster: Cluster, tmp_path: Path) -> None:
    rows = np.array([(x, y) for x in range(14) for y in range(10)], dtype=float)
    np.save(tmp_path / "rows.npy", rows)
    width = ohm.graph.Gaussian(1.5)
    manifest = knn(tmp_path / "rows.npy", 3, tmp_path / "out", cluster, weights=width, blocks=3)
    found, here = (
        edges_of(table_of(tmp_path / "out", manifest)),
        edges_here(ohm.graph.knn(rows, 3, weights=width)),
    )
    assert [edge[:2] for edge in found] == [edge[:2] for edge in here]
    np.testing.assert_allclose([edge[2] for edge in found], [edge[2] for edge in here])


@pytest.mark.slow
@pytest.mark.parametrize("mutual", [False, True])
def test_vectors_in_parquet_with_ids(cluster: Cluster, tmp_path: Path, mutual: bool) -> None:
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((700, 5)) + 1000.0
    (tmp_path / "rows").mkdir()
    for k, part in enumerate(np.array_split(np.arange(700), 3)):
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(rows[part].ravel()), 5)
        table = pa.table({"node": [f"v{i:03d}" for i in part], "vector": vectors})
        pq.write_table(table, tmp_path / "rows" / f"{k}.parquet")
    knn(tmp_path / "rows", 6, tmp_path / "out", cluster, mutual=mutual, blocks=4)
    graph = ohm.graph.knn(rows, 6, mutual=mutual)
    here = sorted((f"v{i:03d}", f"v{j:03d}", w) for i, j, w in edges_here(graph))
    assert edges_of(table_of(tmp_path / "out")) == here


def test_bad_vectors_are_refused(cluster: Cluster, tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.zeros(5))
    np.save(tmp_path / "few.npy", np.zeros((3, 2)))
    (tmp_path / "text.npy").write_text("no")
    with pytest.raises(FileFormatError, match="expected rows of numbers"):
        knn(tmp_path / "one.npy", 1, tmp_path / "out", cluster)
    with pytest.raises(FileFormatError, match=r"cannot be read as \.npy"):
        knn(tmp_path / "text.npy", 1, tmp_path / "out", cluster)
    with pytest.raises(ParameterError, match="at most 2 neighbours"):
        knn(tmp_path / "few.npy", 3, tmp_path / "out", cluster)
    with pytest.raises(ParameterError, match="give one: Gaussian"):
        knn(tmp_path / "few.npy", 1, tmp_path / "out", cluster, weights=ohm.graph.Gaussian())
    assert not (tmp_path / "out").exists()


def pid(task: int) -> int:
    return os.getpid()


def test_a_worker_killed_in_the_middle_changes_no_edge(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).random((600, 3)))
    undisturbed = knn(tmp_path / "rows.npy", 4, tmp_path / "one", cluster, blocks=12)
    plain, killed = cluster._client.submit, []

    def submit(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if function is write_nearest and arguments[0] == 8 and not killed:  # the blocks before are in hand
            killed.append(plain(pid, 0, pure=False).result())
            assert killed[0] != os.getpid()
            os.kill(killed[0], signal.SIGKILL)
        return plain(function, *arguments, **options)

    monkeypatch.setattr(cluster._client, "submit", submit)
    disturbed = knn(tmp_path / "rows.npy", 4, tmp_path / "two", cluster, blocks=12)
    assert len(killed) == 1
    assert disturbed.parts == undisturbed.parts
    assert table_of(tmp_path / "two", disturbed).equals(table_of(tmp_path / "one", undisturbed))
    assert sorted(os.listdir(tmp_path)) == ["one", "rows.npy", "two"]
