"""Hypothesis strategies for graphs, labellings and streams, shared by all tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import ohmline as ohm


def usual_mu(graph: ohm.Graph) -> float:
    """The mu that LocalLGC takes unless it is told: 0.6, and less where a node has more than five neighbours."""
    degree = sum(len(graph.neighbours(x)) for x in graph.nodes) / graph.n
    return 0.6 * min(1.0, (5 / max(degree, 1e-9)) ** 3)


@st.composite
def graphs(
    draw: st.DrawFn,
    *,
    min_nodes: int = 2,
    max_nodes: int = 12,
    connected: bool = False,
    weighted: bool = True,
    named: bool = False,
    extra_edges: bool = True,
) -> ohm.Graph:
    """Random graphs: a random forest (or tree) plus random edges; may have isolated nodes."""
    n = draw(st.integers(min_nodes, max_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pairs = set()
    for k in range(1, n):
        if connected or rng.random() < 0.7:
            pairs.add((int(rng.integers(k)), k))
    for _ in range(draw(st.integers(0, 2 * n)) if extra_edges else 0):
        a, b = sorted(int(v) for v in rng.integers(n, size=2))
        if a != b:
            pairs.add((a, b))
    names = [f"node {k}" for k in range(n)] if named else list(range(n))
    edges = [
        (names[a], names[b], float(rng.choice([0.5, 1.0, 2.0, rng.random() + 0.1])) if weighted else 1.0)
        for a, b in sorted(pairs)
    ]
    return ohm.Graph.from_edges(edges, nodes=names)


@st.composite
def games(
    draw: st.DrawFn, *, classes: int = 2, repeats: bool = True, **options: object
) -> tuple[ohm.Graph, ohm.Stream, np.ndarray]:
    """A graph, a stream over its nodes, and the labelling behind the stream."""
    graph = draw(graphs(**options))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if classes == 2:
        labelling = rng.choice([-1, 1], size=graph.n)
    else:
        labelling = np.array([f"class {k}" for k in rng.integers(classes, size=graph.n)])
    trials = rng.integers(graph.n, size=2 * graph.n) if repeats else rng.permutation(graph.n)
    stream = ohm.Stream([graph.nodes[int(i)] for i in trials], labelling[trials])
    return graph, stream, labelling


BIAS_AND_RIDGE = (st.sampled_from([0.1, 1.0, 5.0]), st.sampled_from([0.0, 0.5, 2.0]))
"""The terms of a kernel."""
