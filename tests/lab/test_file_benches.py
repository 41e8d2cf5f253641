"""The benchmarks of reading and of graph files, at a size that takes seconds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ohmline.graph import Graph, read
from ohmline.graph.doors import arrow_stream
from ohmline.graph.files import stream_edges
from ohmline.lab.benches import billion, read_once
from ohmline.lab.benches.read import write_edges


def test_every_reader_reads_the_same_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_edges, "LARGE", 1)
    monkeypatch.setattr(arrow_stream, "LARGE", 1)
    write_edges(tmp_path, 3000, "some")
    for kind in ("numbers", "names"):
        nodes = {read_once.ours(tmp_path / f"some-{kind}{suffix}")[0] for suffix in (".csv", ".parquet")}
        nodes |= {
            reader(tmp_path / f"some-{kind}{suffix}")[0]
            for suffix in (".txt", ".parquet")
            for reader in (read_once.with_igraph, read_once.with_networkx)
        }
        assert len(nodes) == 1
    assert read(tmp_path / "some-numbers.csv") == read(tmp_path / "some-numbers.parquet")


def test_the_ring_has_the_edges_that_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(billion, "PART", 100)
    billion.write_ring(tmp_path / "ring.ohmg", 1000)
    ring = Graph.open(tmp_path / "ring.ohmg", verify=True)
    assert ring.n == 1000
    assert 9000 < ring.n_edges <= 10000
    source, end, _ = ring.edges()
    apart = np.minimum(end - source, 1000 - (end - source))
    assert (apart <= 90).mean() > 0.9


@pytest.mark.slow
def test_the_benchmarks_run() -> None:
    from ohmline.lab.benches.read import read as bench

    assert {line["target"] for line in bench(20_000, repeat=1).details["targets"]} >= {
        "names.csv: igraph / ours"
    }
    found = billion.billion(20_000, 500)
    assert found.details["mistakes"] < 400
    assert found.details["targets"][0]["met"]
