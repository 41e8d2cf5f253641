"""A hundred thousand trials on graphs of a million nodes: time per trial beside a tenth of the size, and memory.

A trial costs more while labels are few, because a solve ends at labels. So the tenth of the size plays a tenth of the
trials: both end with the same share of their nodes labelled. What as many trials cost there, which labels every node,
is printed beside it.

LocalLGC sweeps its estimate on the large graph and not on the small one, so that the two play by different means; the
small game with sweeps is printed too. A trial is a walk in memory, and the small graph lies in the processor's cache:
how much longer a bare chain of accesses takes over as many bytes as each learner reads, ten times as many, is the
ratio of a game that only waits for memory. Time is that of the processor, of the program and of the system on its
behalf, which is where the first touch of new memory is paid for. The least of several games counts, and of two rounds
in which the two sizes take turns, so that a busy minute does not meet one of them alone. Whoever else uses the machine
still empties the small graph's cache, which flatters the ratio: believe what was measured while nothing else ran.

Perceptron and Pounce have a kernel. That of a random spanning tree (`TreeKernel`) is the one that a user would take
here: an entry costs a logarithm. `SolverKernel` solves for a column at every update, which takes tenths of a second on
a million nodes, and there are thousands of updates; `SpectralKernel` takes minutes before the first trial.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ohmline.game import Stream, play
from ohmline.graph import Graph
from ohmline.kernel import Constant, TreeKernel
from ohmline.lab.bench import Bench, Measured, target
from ohmline.lab.benches.child import memory_of
from ohmline.lab.benches.large_graphs import FAMILIES
from ohmline.lab.benches.local_lgc import chase, ring_of_accesses
from ohmline.learn import LocalLGC, Perceptron, Pounce, SpanningTree
from ohmline.learn.local_lgc.sweeps import SWEEPS

ROOM = 8 * 2**30
"""The most bytes that a run may have in memory at any time."""
LIMITS = {("LocalLGC", "grid"): 1.3, ("LocalLGC", "kNN"): 1.3, ("LocalLGC", "hubs"): 2.0}
"""How much longer a trial may take on ten times as many nodes and labels; 2 for the tree learner on every graph."""
HUBS = 60e-6
"""Seconds that a trial of LocalLGC may take on the large graph of hubs."""
ROUNDS = 2
"""How often the small and the large game take turns."""
LONG = 1.0
"""Seconds of games in all, at least: a game of a few milliseconds is repeated more often, ..."""
MOST_GAMES = 40
"""... but not more often than this."""

LEARNERS: dict[str, Any] = {
    "Perceptron": lambda graph: Perceptron(TreeKernel(graph) + Constant(1.0)),
    "Pounce": lambda graph: Pounce(TreeKernel(graph)),
    "LocalLGC": lambda graph: LocalLGC(graph, [-1, 1]),
    "SpanningTree": lambda graph: SpanningTree(graph, [-1, 1]),
}
SWEPT = "LocalLGC, swept"
"""Not a learner of its own: what LocalLGC is on the large graph, for the small one."""


def one_run(folder: str, name: str, trials: int, repeat: int) -> dict[str, float]:
    """One learner's games on the graph in a folder, in this process."""
    graph, labels = _read(Path(folder))
    order = np.random.default_rng(1).permutation(graph.n)[:trials]
    stream = Stream(order, labels[order])
    make = LEARNERS[name] if name != SWEPT else lambda g: LocalLGC(g, [-1, 1], sweeps=SWEEPS)
    learner = make(graph)
    play(make(Graph.from_edges([(0, 1), (1, 2)])), Stream([0, 1], [-1, 1]))  # compiled before it counts
    put_back = learner.checkpoint()
    seconds: list[float] = []
    while len(seconds) < repeat or (sum(seconds) < LONG and len(seconds) < MOST_GAMES):
        if seconds:
            put_back()
            put_back = learner.checkpoint()
        start = time.process_time()
        trace = play(learner, stream)
        seconds.append(time.process_time() - start)
    held = (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    )  # also what was held before this program began
    peak = memory_of().get("VmHWM", held)
    return {
        "seconds_per_trial": min(seconds) / len(order),
        "mistakes": trace.mistakes,
        "peak_bytes": peak,
        "nodes": graph.n,
        "nanoseconds_an_access": 1e9 * access_seconds(bytes_of(learner, graph)),
    }


def bytes_of(learner: Any, graph: Graph) -> int:
    """What a learner reads of its graph, or of the line through it, and what it keeps of each node."""
    if isinstance(learner, LocalLGC):
        arrays = (learner.state.nodes, learner.state.estimate, graph.indptr, graph.indices)
        return sum(int(array.nbytes) for array in arrays)
    if isinstance(learner, SpanningTree):
        return int(learner.space.place.nbytes + learner.state.marks.code.nbytes)
    return 16 * graph.n  # where a node stands on its tree, and its part of the hypothesis


def access_seconds(size: int, steps: int = 300_000, repeat: int = 3) -> float:
    """The processor's time for one access of a chain over so many bytes, each of which waits for the one before."""
    following = ring_of_accesses(size)
    chase(following, 10)
    seconds = []
    for _ in range(repeat):
        start = time.process_time()
        chase(following, steps)
        seconds.append(time.process_time() - start)
    return min(seconds) / steps


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


def in_turns(
    folders: dict[int, Path], name: str, games: list[tuple[int, int]], repeat: int
) -> list[dict[str, float]]:
    """Games of one learner, each of so many trials on a graph of one size: the fastest of the rounds of each."""
    rounds = [
        [in_child(str(folders[size]), name, count, repeat) for size, count in games] for _ in range(ROUNDS)
    ]
    return [min(runs, key=lambda run: run["seconds_per_trial"]) for runs in zip(*rounds, strict=True)]


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
                games = [(n // 10, trials // 10), (n, trials), (n // 10, trials)]
                small, large, all_labelled = in_turns(folders, name, games, repeat)
                ratio = large["seconds_per_trial"] / max(small["seconds_per_trial"], 1e-12)
                bare = large["nanoseconds_an_access"] / max(small["nanoseconds_an_access"], 1e-3)
                found[f"{name}, {family}"] = {
                    "microseconds_per_trial": 1e6 * large["seconds_per_trial"],
                    "microseconds_on_a_tenth": 1e6 * small["seconds_per_trial"],
                    "microseconds_on_a_tenth_all_trials": 1e6 * all_labelled["seconds_per_trial"],
                    "ratio": ratio,
                    "ratio_of_bare_accesses": bare,
                    "nanoseconds_an_access": large["nanoseconds_an_access"],
                    "mistakes": large["mistakes"],
                    "peak_gib": large["peak_bytes"] / 2**30,
                }
                if name == "LocalLGC":
                    swept = in_child(str(folders[n // 10]), SWEPT, trials // 10, repeat)
                    found[f"{name}, {family}"]["microseconds_on_a_tenth_swept"] = (
                        1e6 * swept["seconds_per_trial"]
                    )
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
        f"a tenth of the game on {n // 10} nodes, by the wanted factor",
        {**found, "targets": targets},
    )


BENCHES: dict[str, Bench] = {"million": million}
