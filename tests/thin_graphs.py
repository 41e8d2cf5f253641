"""Small graphs of small width, whose labellings can be listed."""

from __future__ import annotations

import itertools

import numpy as np

import ohmline as ohm

KINDS = ("ring", "grid", "series-parallel", "clique with tails", "forest", "any", "signed")


def thin_graph(kind: str, rng: np.random.Generator, *, most: int = 9) -> ohm.Graph:
    """A graph of at most `most` nodes, with whole weights, sometimes in two components."""
    n = int(rng.integers(3, most + 1))
    pairs: list[tuple[int, int]] = []
    if kind == "ring":
        pairs = [(k, (k + 1) % n) for k in range(n)]
    elif kind == "grid":
        n = 3 * max(n // 3, 1)
        pairs = [(k, k + 1) for k in range(n - 1) if k % 3 != 2] + [(k, k + 3) for k in range(n - 3)]
    elif kind == "series-parallel":
        pairs = [(0, 1)]
        for k in range(2, n):  # a new node beside an edge, or in its middle
            edge = pairs[int(rng.integers(len(pairs)))]
            pairs += [(edge[0], k), (edge[1], k)]
            if rng.random() < 0.5:
                pairs.remove(edge)
    elif kind == "clique with tails":
        m = int(rng.integers(3, min(n, 5) + 1))
        pairs = [*itertools.combinations(range(m), 2), *((int(rng.integers(k)), k) for k in range(m, n))]
    elif kind == "forest":
        pairs = [(int(rng.integers(k)), k) for k in range(1, n) if rng.random() < 0.8]
    else:
        pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.4]
    heavy = rng.random() < 0.4
    weights = rng.integers(1, 4, size=len(pairs)) if heavy else np.ones(len(pairs), np.int64)
    if kind == "signed":
        weights = weights * rng.choice([-1, 1], size=len(pairs))
    edges = [(a, b, float(w)) for (a, b), w in zip(pairs, weights, strict=True)]
    lonely = int(rng.integers(2))
    return ohm.Graph.from_edges(edges, nodes=range(n + lonely), signed=kind == "signed")


def every_labelling(graph: ohm.Graph) -> np.ndarray:
    """All 2^n of them, one per row."""
    return np.array(list(itertools.product((-1, 1), repeat=graph.n)))


def cuts(graph: ohm.Graph, table: np.ndarray) -> np.ndarray:
    """The cut of every row, edge by edge."""
    a, b, w = graph.edges()
    violated = table[:, a] * table[:, b] * np.sign(w) < 0
    return np.asarray(violated @ np.abs(w))
