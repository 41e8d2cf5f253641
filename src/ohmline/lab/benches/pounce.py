"""POUNCE on a graph twenty times as large as one that suits a dense kernel."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.errors import OhmlineError
from ohmline.game import Stream, play
from ohmline.graph import Graph, build
from ohmline.kernel import LaplacianKernel, SolverKernel
from ohmline.lab.bench import Bench, Measured, target
from ohmline.learn import Pounce

LARGE, SMALL = 100_000, 5_000


def plane(n: int) -> tuple[Graph, Ints, Ints]:
    """n random points of the unit square joined to their 8 nearest, labelled by five stripes; an order."""
    rng = np.random.default_rng(0)
    points = rng.random((n, 2))
    labels = np.where(np.floor(points[:, 0] * 5 + 0.3 * np.sin(6 * points[:, 1])) % 2 == 0, 1, -1)
    return build.knn(points, 8), labels.astype(np.int64), rng.permutation(n)


def literal_play(matrix: Floats, order: Ints, labels: Ints) -> int:
    """POUNCE as its box is written, over the dense kernel: Figure 3 of paper 002 in NumPy."""
    diagonal, w = np.diagonal(matrix), np.zeros(len(matrix))
    mistakes: list[int] = [int(order[0])]
    said = {int(order[0]): int(labels[order[0]])}
    for i in order[1:].tolist():
        resistance = diagonal[i] + diagonal[mistakes] - 2 * matrix[i, mistakes]
        near = int(resistance.argmin())
        eta, r = mistakes[near], resistance[near]
        margin = said[eta] + w[i] - w[eta]
        y = int(labels[i])
        if margin * y <= 0:
            w = w + (y - margin) / r * (matrix[i] - matrix[eta])
            mistakes.append(i)
            said[i] = y
    return len(mistakes)


def sparse_run(n: int) -> dict[str, Any]:
    """The whole game through columns on demand, with the peak memory of this process."""
    graph, labels, order = plane(n)
    ready = time.perf_counter()
    kernel = SolverKernel(graph)
    learner = Pounce(kernel)
    start = time.perf_counter()
    trace = play(learner, Stream(order, labels[order]))
    done = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "setup_s": start - ready,
        "play_s": done - start,
        "charged": int(trace.charged.sum()),
        "fill": kernel.fill,
        "peak_mib": peak / (1024 if sys.platform != "darwin" else 1024**2),
    }


def in_a_process_of_its_own() -> dict[str, Any]:
    """`sparse_run` in a fresh interpreter, so that its memory is its own; compiled code is warm."""
    script = (
        "import json; from ohmline.lab.benches.pounce import LARGE, sparse_run; "
        "sparse_run(300); print(json.dumps(sparse_run(LARGE)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OhmlineError(f"the run in a process of its own failed: {done.stderr[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def pounce() -> Measured:
    """100,000 trials on 100,000 nodes against the dense formula on 5,000, scaled to as many trials."""
    ours = in_a_process_of_its_own()
    graph, labels, order = plane(SMALL)
    start = time.perf_counter()
    matrix = LaplacianKernel(graph).space.matrix
    ready = time.perf_counter()
    charged = literal_play(matrix, order, labels)
    setup, playing = ready - start, time.perf_counter() - ready
    scale = LARGE / SMALL
    total = ours["setup_s"] + ours["play_s"]
    return Measured(
        "pounce",
        (setup + scale * playing) / total,
        f"the dense formula on {SMALL} nodes: its kernel once, its trials times {scale:g}",
        {
            "nodes": LARGE,
            "trials": LARGE,
            **ours,
            "dense_setup_s": setup,
            "dense_play_s": playing,
            "dense_charged": charged,
            "ratio_play_only": scale * playing / ours["play_s"],
            "ratio_kernel_per_trial_too": scale * (setup + playing) / total,
            "dense_kernel_of_as_many_nodes_gib": 8 * LARGE**2 / 2**30,
            "targets": [target("peak memory below 1 GiB", ours["peak_mib"], most=1024.0)],
        },
    )


BENCHES: dict[str, Bench] = {"pounce": pounce}
