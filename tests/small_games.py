"""Small games with many ties, for comparison with exact rational arithmetic."""

from __future__ import annotations

import numpy as np

import ohmline as ohm
import rational


def small_graph(rng: np.random.Generator, *, most: int = 8) -> ohm.Graph:
    """Few nodes and few different weights, so that ties abound; sometimes several components."""
    n = int(rng.integers(2, most + 1))
    edges = [
        (i, j, float(rng.choice([0.5, 1.0, 2.0])))
        for i in range(n)
        for j in range(i + 1, n)
        if rng.random() < 0.45
    ]
    if rng.random() < 0.5:
        edges = [(i, j, 1.0) for i, j, _ in edges]
    return ohm.Graph.from_edges(edges, nodes=range(n))


def small_trials(graph: ohm.Graph, rng: np.random.Generator, *, noise: bool) -> list[tuple[int, int]]:
    labels = rng.choice([-1, 1], size=graph.n)
    nodes = rng.integers(graph.n, size=2 * graph.n)
    flips = rng.random(len(nodes)) < (0.15 if noise else 0.0)
    return [(int(i), int(-labels[i] if flip else labels[i])) for i, flip in zip(nodes, flips, strict=True)]


def assert_same_game(trace: ohm.Trace, oracle: rational.Played) -> None:
    assert trace.predictions == oracle.predictions
    assert trace.updated.tolist() == oracle.updated
    assert (trace.margin == 0).tolist() == [m == 0 for m in oracle.margins]
    np.testing.assert_allclose(trace.margin, [float(m) for m in oracle.margins], atol=1e-8)
    np.testing.assert_allclose(trace.progress, [float(p) for p in oracle.progress], rtol=1e-7, atol=1e-9)
