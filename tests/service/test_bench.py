"""The benchmark of the service measures what it says."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ohmline.errors import DataError
from ohmline.service.benches import serving
from ohmline.service.benches.load import Connection, Line, crowd, paced, share
from service.running import Running


def test_the_graph_is_connected_and_of_the_size_that_is_named() -> None:
    graph, truth = serving.blocks(500)
    assert (graph.n, graph.is_connected) == (500, True)
    assert len(truth) == 500


def test_a_sync_is_measured_for_every_line(tmp_path: Path) -> None:
    times = serving.synced(tmp_path / "floor", 5)
    assert len(times) == 5
    assert (tmp_path / "floor").stat().st_size == 1500
    assert share(times, 0.99) >= share(times, 0.5) > 0


def test_the_client_counts_good_answers_only(served: Running) -> None:
    line = Line(served.started.address, served.started.token)
    before = served.project().seq

    async def work() -> tuple[list[float], list[float]]:
        answers = (line.post(served.url("/labels"), {"node": k % 30, "label": "left"}) for k in range(10**6))
        many = await crowd(line, answers, 4, 0.2)
        few = await paced(line, [line.post(served.url("/predict"), {"node": 1})] * 5, 100.0, 60.0)
        connection = await Connection.open(line)
        with pytest.raises(DataError, match="404"):
            await connection.ask(line.post(served.url("/predict"), {"node": "nobody"}))
        connection.close()
        return many, few

    many, few = asyncio.run(work())
    assert served.project().seq - before == len(many)
    assert len(few) == 5


@pytest.mark.slow
def test_the_whole_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "SECONDS", 0.5)
    monkeypatch.setenv("OHMLINE_SERVE_NODES", "2000")
    document = serving.serving().document()
    assert document["name"] == "serve"
    assert document["details"]["nodes"] == 2000
    assert len(document["details"]["targets"]) == 5
    assert document["ratio"] > 0
