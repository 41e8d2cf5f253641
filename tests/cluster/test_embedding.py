"""The embedding on real worker processes: the one of a single machine, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from graph_parts import features_of, ring_of_rings, write_parts
from ohmline.cluster import Cluster, Manifest, embed
from ohmline.cluster.spread import SpreadRows

RANK = 4


def pid(task: int) -> int:
    return os.getpid()


def expect_features(folder: Path, manifest: Manifest, graph: ohm.Graph, names: Any, close: float) -> None:
    kernel = ohm.SpectralKernel(graph, rank=RANK, normalised=manifest.about["normalised"])
    np.testing.assert_allclose(manifest.about["eigenvalues"], kernel.eigenpairs[0], atol=close)
    found = features_of(folder, manifest)
    assert len(found) == graph.n
    for k in range(graph.n):
        np.testing.assert_allclose(found[names(k)], kernel.features(k), atol=100 * close)


def test_a_killed_worker_changes_no_bit(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = ring_of_rings()
    edges = write_parts(graph, tmp_path / "edges", text=True)
    options: dict[str, Any] = {"rank": RANK, "blocks": 4, "tolerance": 1e-5}
    undisturbed = embed(edges, tmp_path / "one", cluster, **options)
    assert undisturbed.about["lost_workers"] == 0
    expect_features(tmp_path / "one", undisturbed, graph, lambda k: f"n{k:03d}", 1e-4)
    call, made = SpreadRows._call, []

    def killing(self: SpreadRows, *arguments: Any) -> Any:
        made.append(arguments)
        if len(made) == 15:  # in the middle of a filter
            victim = cluster.map(pid, [0])[0]
            assert victim != os.getpid()
            os.kill(victim, signal.SIGKILL)
        return call(self, *arguments)

    monkeypatch.setattr(SpreadRows, "_call", killing)
    disturbed = embed(edges, tmp_path / "two", cluster, **options, checkpoint=0.05)
    assert len(made) > 30
    assert disturbed.about["lost_workers"] >= 1
    assert disturbed.parts == undisturbed.parts
    assert disturbed.about["eigenvalues"] == undisturbed.about["eigenvalues"]
    assert sorted(os.listdir(tmp_path)) == ["edges", "one", "two"]


@pytest.mark.slow
@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("normalised", [False, True])
def test_features_are_those_of_one_machine(
    cluster: Cluster, tmp_path: Path, normalised: bool, text: bool
) -> None:
    graph = ring_of_rings()
    edges = write_parts(graph, tmp_path / "edges", text=text)
    manifest = embed(edges, tmp_path / "out", cluster, rank=RANK, normalised=normalised, blocks=5)
    expect_features(tmp_path / "out", manifest, graph, lambda k: f"n{k:03d}" if text else k, 1e-7)


@pytest.mark.slow
def test_isolated_nodes_and_several_components(cluster: Cluster, tmp_path: Path) -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2), (4, 5), (5, 6), (6, 4), (6, 8)], nodes=range(10))
    edges = write_parts(graph, tmp_path / "edges", 2)
    embed(edges, tmp_path / "out", cluster, rank=9, nodes=10, blocks=3)
    features = np.array(list(features_of(tmp_path / "out").values()))
    kernel = ohm.SpectralKernel(graph, rank=9)
    rows = np.array([kernel.features(k) for k in range(10)])
    np.testing.assert_allclose(features @ features.T, rows @ rows.T, rtol=1e-5, atol=1e-4)


@pytest.mark.slow
def test_what_did_not_converge_is_kept_and_said(
    cluster: Cluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    edges = write_parts(ohm.graph.generate.ring(30).graph, tmp_path / "edges", 2)
    with caplog.at_level("WARNING"):
        found = embed(edges, tmp_path / "out", cluster, rank=3, tolerance=1e-300)
    assert found.about["converged"] is False
    assert "did not converge" in caplog.text
    assert found.rows == 30
    assert len(found.about["residuals"]) == 3
