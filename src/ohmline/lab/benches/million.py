"""A hundred thousand trials on graphs of a million nodes: time per trial beside a tenth of the size, and memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ohmline.game import Stream, play
from ohmline.graph import Graph
from ohmline.kernel import Constant, TreeKernel
from ohmline.lab.bench import Bench, Measured, target
from ohmline.lab.benches.large_graphs import FAMILIES
from ohmline.learn import LocalLGC, Perceptron, Pounce, SpanningTree

ROOM = 8 * 2**30
"""The most bytes that a run may have in memory at any time."""
LIMITS = {("LocalLGC", "grid"): 1.3, ("LocalLGC", "kNN"): 1.3, ("LocalLGC", "hubs"): 2.0}
"""How much longer a trial may take on ten times as many nodes; 2 for the tree learner on every graph."""
HUBS = 60e-6
"""Seconds that a trial of LocalLGC may take on the large graph of hubs."""

LEARNERS: dict[str, Any] = {
    "Perceptron": lambda graph: Perceptron(TreeKernel(graph) + Constant(1.0)),
    "Pounce": lambda graph: Pounce(TreeKernel(graph)),
    "LocalLGC": lambda graph: LocalLGC(graph, [-1, 1]),
    "SpanningTree": lambda graph: SpanningTree(graph, [-1, 1]),
}


def one_run(folder: str, name: str, trials: int, repeat: int) -> dict[str, float]:
    """One learner's games on the graph in a folder, in this process."""
    graph, labels = _read(Path(folder))
    order = np.random.default_rng(1).permutation(graph.n)[:trials]
    stream = Stream(order, labels[order])
    learner = LEARNERS[name](graph)
    play(
        LEARNERS[name](Graph.from_edges([(0, 1), (1, 2)])), Stream([0, 1], [-1, 1])
    )  # compiled before it counts
    put_back = learner.checkpoint()
    seconds = []
    for k in range(repeat):
        if k:
            put_back()
            put_back = learner.checkpoint()
        start = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        trace = play(learner, stream)
        seconds.append(resource.getrusage(resource.RUSAGE_SELF).ru_utime - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "seconds_per_trial": min(seconds) / len(order),
        "mistakes": trace.mistakes,
        "peak_bytes": peak,
        "nodes": graph.n,
    }


def _write(folder: Path, graph: Graph, labels: Any) -> None:
    for name, array in (("indptr", graph.indptr), ("indices", graph.indices), ("labels", labels)):
        np.save(folder / f"{name}.npy", array)


def _read(folder: Path) -> tuple[Graph, Any]:
    indptr, indices, labels = (np.load(folder / f"{name}.npy") for name in ("indptr", "indices", "labels"))
    n = len(indptr) - 1
    return Graph.from_scipy(sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=(n, n))), labels


def in_child(folder: str, name: str, trials: int, repeat: int) -> dict[str, float]:
    """The same in a process of its own, whose peak of memory is its own too."""
    code = (
        "import json, sys; from ohmline.lab.benches.million import one_run; "
        "print(json.dumps(one_run(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))"
    )
    command = [sys.executable, "-c", code, folder, name, str(trials), str(repeat)]
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **single})
    return dict(json.loads(done.stdout.splitlines()[-1]))


def million(n: int = 1_000_000, trials: int = 100_000, repeat: int = 3) -> Measured:
    """Every learner on every graph; the ratio is the least of wanted over measured growth of the time per trial."""
    found: dict[str, Any] = {}
    targets, worst = [], float("inf")
    with tempfile.TemporaryDirectory() as place:
        for family, make in FAMILIES.items():
            folders = {}
            for size in (n // 10, n):
                folders[size] = Path(place) / f"{family}-{size}"
                folders[size].mkdir()
                _write(folders[size], *make(size, 0))
            for name in LEARNERS:
                count = min(trials, n // 10)
                small, large = (in_child(str(folders[s]), name, count, repeat) for s in (n // 10, n))
                ratio = large["seconds_per_trial"] / max(small["seconds_per_trial"], 1e-12)
                found[f"{name}, {family}"] = {
                    "microseconds_per_trial": 1e6 * large["seconds_per_trial"],
                    "microseconds_on_a_tenth": 1e6 * small["seconds_per_trial"],
                    "ratio": ratio,
                    "mistakes": large["mistakes"],
                    "peak_gib": large["peak_bytes"] / 2**30,
                }
                targets.append(target(f"{name}, {family}: peak bytes", large["peak_bytes"], most=ROOM))
                most = LIMITS.get((name, family), 2.0 if name == "SpanningTree" else None)
                if most is not None:
                    worst = min(worst, most / max(ratio, 1e-12))
                    targets.append(
                        target(f"{name}, {family}: time per trial over a tenth's", ratio, most=most)
                    )
                if (name, family) == ("LocalLGC", "hubs"):
                    targets.append(
                        target(f"{name}, {family}: seconds", large["seconds_per_trial"], most=HUBS)
                    )
    return Measured(
        "million",
        worst,
        f"the same game on {n // 10} nodes, by the wanted factor",
        {**found, "targets": targets},
    )


BENCHES: dict[str, Bench] = {"million": million}
