"""A graph file opened and played on: `python -m ohmline.lab.benches.billion_once PATH TRIALS`, a process of its own."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from ohmline.game import Stream, play
from ohmline.graph import Graph
from ohmline.lab.benches.child import memory_of
from ohmline.learn import LocalLGC

CLASSES = 5


def class_of(nodes: Any, n: int) -> Any:
    """Stretches of the ring: node i belongs to one of the classes by where it lies."""
    return nodes * 20 // n % CLASSES


def main(path: str, trials: int) -> dict[str, Any]:
    """Seconds to open, to begin and to play, the mistakes, and the memory at each point."""
    small = Path(path).with_name("small.ohmg")
    Graph.from_edges([(k, k + 1) for k in range(50)]).write(small)
    # Imports and compiled code, which is another one for neighbours of 32 bits in read-only arrays.
    play(LocalLGC(Graph.open(small), range(CLASSES)), Stream([1, 2], [0, 1]))
    start = time.perf_counter()
    graph = Graph.open(path)
    opened = time.perf_counter() - start
    nodes = np.random.default_rng(1).choice(graph.n, min(trials, graph.n), replace=False)
    before = memory_of()
    start = time.perf_counter()
    learner = LocalLGC(graph, range(CLASSES))
    begun = time.perf_counter() - start
    start = time.process_time()
    trace = play(learner, Stream(nodes, class_of(nodes, graph.n)))
    seconds = time.process_time() - start
    return {
        "open_seconds": opened,
        "learner_seconds": begun,
        "microseconds_a_trial": 1e6 * seconds / len(nodes),
        "mistakes": int(trace.mistakes),
        "anonymous_bytes_after_opening": before.get("RssAnon", 0),
        "anonymous_bytes_at_the_end": memory_of().get("RssAnon", 0),
        "mapped_bytes_at_the_end": memory_of().get("RssFile", 0),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
