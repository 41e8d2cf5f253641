"""The spanning-tree learners: trials per second on a tree of a million nodes, beside a loop that does nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Ints
from ohmline.compiled import compiled
from ohmline.game import Stream, play
from ohmline.graph import Graph
from ohmline.lab.bench import Bench, Measured, side_by_side, target
from ohmline.lab.benches.large_graphs import joined
from ohmline.learn import SpanningTree, WeightedTree

LEAST = 500_000
"""Trials per second that are wanted."""


def random_tree(n: int, seed: int = 0) -> Graph:
    """A tree in which every node hangs on a random earlier one."""
    nodes = np.arange(1, n)
    return joined((np.random.default_rng(seed).random(n - 1) * nodes).astype(np.int64), nodes, n)


@compiled
def bare(where: Ints, truth: Ints, place: AnyArray, code: AnyArray, prediction: Ints) -> int:
    """The least that such a game can be: find where a node stands, say what is there, write the label down."""
    mistakes = 0
    for t in range(where.shape[0]):
        p = place[where[t], 0]
        prediction[t] = code[p]
        mistakes += prediction[t] != truth[t]
        code[p] = truth[t]
    return mistakes


def trees(n: int = 1_000_000, trials: int = 500_000, repeat: int = 5) -> Measured:
    """A game of `SpanningTree` in trials per second; the ratio is the bare loop's time over the learner's."""
    graph = random_tree(n)
    rng = np.random.default_rng(1)
    labels = np.where(rng.random(n) < 0.5, 1, -1)
    order = rng.permutation(n)[:trials]
    stream = Stream(order, labels[order])
    made: dict[str, Any] = {
        "SpanningTree": SpanningTree(graph, [-1, 1]),
        "WeightedTree": WeightedTree(graph, [-1, 1]),
        "SpanningTree, 7 trees": SpanningTree(graph, [-1, 1], trees=7),
    }
    blank = {name: learner.snapshot() for name, learner in made.items()}
    place = made["SpanningTree"].space.place
    prediction = np.empty(len(order), np.int64)

    def game(name: str) -> Any:
        made[name].load(blank[name])
        return lambda: seconds.setdefault(name, []).append(play(made[name], stream).seconds)

    seconds: dict[str, list[float]] = {}
    base = float("inf")
    for _ in range(repeat):
        for name in made:
            game(name)()
        code = np.zeros(n, np.int16)
        base = min(base, *side_by_side(lambda c=code: bare(order, labels, place, c, prediction), repeat=1))  # type: ignore[misc]
    rates = {name: len(order) / min(found) for name, found in seconds.items()}
    return Measured(
        "trees",
        base * rates["SpanningTree"] / len(order),
        f"a bare loop that looks up and writes down each node of a {n}-node tree",
        {
            "trials_per_second": rates,
            "bare_trials_per_second": len(order) / base,
            "targets": [
                target(f"{name}: trials per second", rate, least=LEAST)
                for name, rate in rates.items()
                if "7" not in name
            ],
        },
    )


BENCHES: dict[str, Bench] = {"trees": trees}
