"""Many classes: LocalLGC with all of them at every node, and with the eight of the largest values at each.

Graphs of communities, one for each class, and WordNet where it is here. Both learners play the first tenth of the
nodes in one process, in turns; time is that of the processor, and the faster of two games counts. The graphs of
communities are swept and in single precision, as large ones are; WordNet is neither.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ohmline import data
from ohmline.arrays import Ints
from ohmline.game import Stream, play
from ohmline.graph import Graph
from ohmline.lab.bench import Bench, Measured, target
from ohmline.lab.benches.large_graphs import communities
from ohmline.learn import LocalLGC
from ohmline.learn.local_lgc.few import FewClasses

KEPT = 8
"""Classes that are kept of a node."""
COUNTS = (10, 100, 300)
"""Numbers of communities."""
FASTER, MISTAKES = 1.5, 1.01
"""With a hundred communities, wanted: how many times less time, with at most so many times the mistakes."""


def bytes_of(learner: LocalLGC) -> int:
    """What the estimate of a learner takes."""
    estimate = learner.state.estimate
    return int((estimate.rows if isinstance(estimate, FewClasses) else estimate).nbytes)


def one_graph(graph: Graph, labels: Ints, trials: int, repeat: int = 2) -> dict[str, Any]:
    """Both learners on one graph."""
    order = np.random.default_rng(1).permutation(graph.n)[:trials]
    classes = list(range(int(labels.max()) + 1))
    stream, found = Stream(order, labels[order]), dict[str, Any]()
    for turn in range(repeat + 1):
        for name, kept in (("all", None), ("few", KEPT)):
            learner = LocalLGC(graph, classes, classes_kept=kept)
            if turn == 0:  # compiled before it counts
                play(learner, Stream(order[:1], labels[order[:1]]))
                continue
            start = time.process_time()
            mistakes = play(learner, stream).mistakes
            seconds = time.process_time() - start
            mine = found.setdefault(name, {"microseconds_a_trial": np.inf})
            mine["microseconds_a_trial"] = min(mine["microseconds_a_trial"], 1e6 * seconds / trials)
            mine["mistakes"], mine["estimate_gib"] = mistakes, bytes_of(learner) / 2**30
    found["times_less_time"] = found["all"]["microseconds_a_trial"] / found["few"]["microseconds_a_trial"]
    return found


def many_classes(n: int = 250_000, counts: tuple[int, ...] = COUNTS, *, words: bool = True) -> Measured:
    """Each graph; the ratio is that of the time of a trial with 100 communities."""
    details: dict[str, Any] = {"nodes": n, "trials": n // 10, "kept": KEPT}
    for count in counts:
        graph, labels = communities(n, classes=count)
        details[f"{count} communities"] = one_graph(graph, labels, n // 10)
    if words and data.is_here("wordnet30"):
        part = data.load("wordnet30")
        graph = Graph.from_scipy(part.graph.adjacency)
        details["wordnet30"] = one_graph(graph, part.codes, graph.n // 10)
    hundred = details[f"{100 if 100 in counts else counts[-1]} communities"]
    targets = [
        target("100 communities: times less time", hundred["times_less_time"], least=FASTER),
        target(
            "100 communities: mistakes over those with all classes",
            hundred["few"]["mistakes"] / max(hundred["all"]["mistakes"], 1),
            most=MISTAKES,
        ),
    ]
    return Measured(
        "many-classes",
        hundred["times_less_time"],
        "the same game with every class kept at every node",
        {**details, "targets": targets},
    )


BENCHES: dict[str, Bench] = {"many-classes": many_classes}
