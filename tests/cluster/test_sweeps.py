"""Independent pieces of work on real workers: grids, experiments, benchmarks; and the commands that ask for them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import ohmline as ohm
from graph_parts import features_of, ring_of_rings, table_of, write_parts
from ohmline.cli.app import app
from ohmline.cluster import Cluster, read_manifest
from ohmline.cluster.benches import cluster_steps


def ran(*arguments: str, code: int = 0) -> Any:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output + result.stderr
    return result


def pid() -> int:
    return os.getpid()


def make(mu: float) -> ohm.OnlineLGC:
    line = ohm.Graph.from_edges([(k, k + 1) for k in range(39)])
    return ohm.OnlineLGC(ohm.SpectralKernel(line, rank=10), mu)


@pytest.mark.slow
def test_a_grid_is_tuned_on_the_workers(cluster: Cluster) -> None:
    stream = ohm.Stream(range(40), [1] * 20 + [-1] * 20)
    grid = {"mu": [0.001, 0.1, 10.0]}
    here = ohm.tune(make, stream, grid, jobs=1, progress=False)
    with cluster.sweeps():
        there = ohm.tune(make, stream, grid, progress=False)
    assert there == here


@pytest.mark.slow
def test_experiments_and_benchmarks_run_on_the_workers(cluster: Cluster, tmp_path: Path) -> None:
    here = json.loads(ran("reproduce", "hp2006-octopus", "--quick", "--json").stdout)
    more = ("--cluster", cluster.address, "--out", str(tmp_path))
    there = json.loads(ran("reproduce", "hp2006-octopus", "--quick", "--json", *more).stdout)
    assert there["rows"] == here["rows"]
    assert (tmp_path / "hp2006-octopus.html").exists()
    again = json.loads(ran("reproduce", "hp2006-octopus", "--quick", "--json", *more).stdout)
    assert again == there  # its seconds, too: it was kept, and not run again
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from ohmline import lab\n"
        "@lab.add_experiment('own', 'one of mine')\n"
        "def own(settings):\n"
        "    return lab.Result([lab.Row('d', 'm', 'x', ours=1.0)], [])\n"
    )
    both = ran("reproduce", "hp2006-octopus", "own", "--quick", "--json", "--with", str(mine), *more)
    octopus, own = json.loads(both.stdout)
    assert octopus == there
    assert own["rows"][0]["ours"] == 1.0
    measured = json.loads(ran("bench", "event", "--json", "--cluster", cluster.address).stdout)
    assert measured["name"] == "event"


@pytest.mark.slow
def test_commands_on_a_cluster_and_on_workers_of_their_own(cluster: Cluster, tmp_path: Path) -> None:
    graph = ring_of_rings()
    edges, out = write_parts(graph, tmp_path / "edges", text=True), tmp_path / "out"
    told = json.loads(
        ran(
            "embed", str(edges), "--out", str(out), "--rank", "4", "--cluster", cluster.address, "--json"
        ).stdout
    )
    assert (told["nodes"], told["rank"], told["parts"]) == (graph.n, 4, 6)
    kernel = ohm.SpectralKernel(graph, rank=4)
    np.testing.assert_allclose(features_of(out)["n007"], kernel.features(7), atol=1e-5)
    (tmp_path / "labels.csv").write_text("node,label\nn000,left\nn040,right\n")
    said = ran(
        "predict",
        str(edges),
        str(tmp_path / "labels.csv"),
        "--out",
        str(tmp_path / "said"),
        "--workers",
        "2",
        "--blocks",
        "3",
    ).output
    assert "2 of 72 nodes are labelled" in said
    assert table_of(tmp_path / "said").num_rows == graph.n


@pytest.mark.slow
def test_embed_on_this_machine_writes_the_same_form(tmp_path: Path) -> None:
    graph = ring_of_rings()
    ohm.graph.write(graph, tmp_path / "edges.csv")
    ran("embed", str(tmp_path / "edges.csv"), "--out", str(tmp_path / "out"), "--rank", "5")
    manifest = read_manifest(tmp_path / "out")
    kernel = ohm.SpectralKernel(graph, rank=5)
    np.testing.assert_allclose(manifest.about["eigenvalues"], kernel.eigenpairs[0], atol=1e-12)
    assert max(manifest.about["residuals"]) < 1e-10
    found = features_of(tmp_path / "out", manifest)
    for k in range(graph.n):
        np.testing.assert_allclose(found[k], kernel.features(k), atol=1e-8)


def test_embed_on_this_machine_keeps_the_pairs_and_shows_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bool] = []
    kept = tmp_path / "pairs"
    plain = ohm.SpectralKernel.__init__

    def heard(self: ohm.SpectralKernel, *arguments: Any, **options: Any) -> None:
        told.append(options["progress"])
        plain(self, *arguments, **options)

    monkeypatch.setattr(ohm.SpectralKernel, "__init__", heard)
    ohm.graph.write(ring_of_rings(), tmp_path / "edges.csv")
    found = []
    for name in ("one", "two"):
        more = ("--rank", "5", "--cache", str(kept))
        ran("embed", str(tmp_path / "edges.csv"), "--out", str(tmp_path / name), *more)
        found.append(features_of(tmp_path / name))
        if name == "one":
            (stored,) = kept.iterdir()
            written = stored.stat().st_mtime_ns
    assert told == [True, True]
    assert stored.stat().st_mtime_ns == written
    for node, row in found[0].items():
        np.testing.assert_array_equal(row, found[1][node])
    options = ("--cache", str(kept), "--workers", "2")
    assert "--cache" in ran("embed", str(tmp_path), *options, code=2).stderr


@pytest.mark.slow
def test_nobody_outside_can_reach_local_workers(cluster: Cluster) -> None:
    pids = {*cluster.everywhere(pid).values(), os.getpid()}
    listing = subprocess.run(["ss", "-ltnpH"], capture_output=True, text=True, check=True).stdout
    mine = [line.split()[3] for line in listing.splitlines() if any(f"pid={pid}," in line for pid in pids)]
    assert mine
    assert all(address.startswith("127.0.0.1:") for address in mine), mine


@pytest.mark.slow
def test_the_benchmark_runs_at_a_small_size() -> None:
    measured = cluster_steps(nodes=20_000, columns=20, repeat=1)
    assert measured.ratio > 0
    assert measured.details["random_edges"] == pytest.approx(100_000, rel=0.01)
    assert (
        measured.details["random_exchanged_rows_per_row"] > measured.details["local_exchanged_rows_per_row"]
    )
