"""A graph of a hundred million edges in a file: made in a stream, opened, played on; and what a billion would take.

The graph is a ring with random edges: node i is joined with one node of each of nine stretches of ten that follow it,
and with one anywhere. Memory without a file behind it (RssAnon) is counted apart from the pages of the mapped file
(RssFile), which the system takes back whenever it needs room.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ohmline.checks import count
from ohmline.graph.streaming import Edges, Numbers
from ohmline.graph.streaming.spill import NONE
from ohmline.lab.bench import Bench, Measured, target
from ohmline.lab.benches.child import memory_of, run_child

NODES = 10_000_000
"""With ten edges per node: a hundred million edges."""
DEGREE = 10
TRIALS = 100_000
PART = 1 << 17
LIMIT = 2 * 2**30


def write_ring(path: Path, nodes: int) -> dict[str, Any]:
    """The graph, written without ever being in memory; how long that took."""
    rng = np.random.default_rng(0)
    coder = Numbers(nodes)
    start = time.process_time()
    with Edges(signed=False, symmetrise=False, parallel=None, folder=path.parent) as edges:
        for low in range(0, nodes, PART):
            here = np.arange(low, min(low + PART, nodes))
            for k in range(DEGREE):
                step = (
                    rng.integers(1, nodes, len(here))
                    if k == 0
                    else rng.integers(10 * k - 9, 10 * k + 1, len(here))
                )
                edges.add(coder.codes(np.column_stack([here, (here + step) % nodes])), NONE, coder.top)
        edges.write(coder, path)
    return {"write_seconds": time.process_time() - start, "file_bytes": path.stat().st_size}


def billion(nodes: int = NODES, trials: int = TRIALS) -> Measured:
    """Open, 100,000 trials of LocalLGC, and the most memory; the ratio is 2 GiB over the memory beside the file."""
    count(nodes, "nodes", least=200)
    with TemporaryDirectory() as name:
        path = Path(name) / "ring.ohmg"
        written = write_ring(path, nodes)
        written["writer_peak_bytes"] = memory_of().get("VmHWM", 0)
        played = run_child("ohmline.lab.benches.billion_once", str(path), str(trials))
    most = played["most_anonymous_bytes"] or played["anonymous_bytes_at_the_end"]
    arrays = written["file_bytes"]
    # Ten times the nodes and edges: the arrays of the file grow tenfold, and so does what a learner keeps per node.
    per_node = (most - played["anonymous_bytes_after_opening"]) / nodes
    return Measured(
        "billion",
        LIMIT / max(most, 1),
        "2 GiB of memory without a file behind it (RssAnon), looked at a hundred times a second from outside",
        {
            "nodes": nodes,
            "edges_listed": nodes * DEGREE,
            "trials": trials,
            **written,
            **played,
            "a_billion_edges": {
                "nodes": 10 * NODES,
                "file_gigabytes": 10 * arrays / 1e9 * NODES / nodes,
                "learner_gigabytes": per_node * 10 * NODES / 1e9,
            },
            "targets": [
                target("bytes beside the mapped file, of 2 GiB", most, most=LIMIT),
                target("seconds to open", played["open_seconds"], most=1.0),
            ],
        },
    )


BENCHES: dict[str, Bench] = {"billion": billion}
