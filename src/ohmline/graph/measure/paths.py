"""Resistance from above, by paths beside one another."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from ohmline.checks import listed, shown
from ohmline.errors import GraphError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.measure.distances import lengths


def parallel_resistance(
    graph: Graph, a: Hashable, b: Hashable, paths: Iterable[Sequence[Hashable]] | None = None
) -> float:
    """An upper bound on the resistance of two nodes: that of edge-disjoint paths between them, side by side.

    It is 1 / (1/d_1 + 1/d_2 + ...) for paths of lengths d_1, d_2, ..., so at most d/l for l of them that are no
    longer than d: the rule by which paper 001, section 4, bounds thick barbells. Leaving out edges never lowers a
    resistance (Corollary 3.1). Infinite between components.

    Parameters
    ----------
    graph, a, b
        As for `resistance`.
    paths
        Paths from a to b as lists of nodes, no edge in two of them. None (default) takes a shortest path, then a
        shortest one among the other edges, and so on.

    Examples
    --------
    >>> from ohmline.graph import generate
    >>> ring = generate.ring(4).graph
    >>> parallel_resistance(ring, 0, 1), parallel_resistance(ring, 0, 1, [[0, 1]])
    (0.75, 1.0)
    """
    expect_graph(graph)
    i, j = graph.nodes.position(a), graph.nodes.position(b)
    matrix = lengths(graph)
    if i == j:
        return 0.0
    if paths is None:
        found = _shortest_paths(matrix, i, j)
    else:
        found = [_length(graph, path, i, j) for path in _disjoint(graph, listed(paths, "paths"))]
    conductance = math.fsum(1 / length for length in found)
    return 1 / conductance if conductance > 0 else math.inf


def _shortest_paths(matrix: sparse.csr_array, i: int, j: int) -> list[float]:
    """The lengths of paths from i to j, each a shortest one without the edges of those before."""
    left = matrix.copy()
    found: list[float] = []
    while True:
        apart, previous = csgraph.dijkstra(left, directed=False, indices=i, return_predecessors=True)
        if not np.isfinite(apart[j]):
            return found
        found.append(float(apart[j]))
        end = j
        while end != i:
            start = int(previous[end])
            left[start, end] = left[end, start] = np.inf
            end = start


def _disjoint(graph: Graph, paths: list[Sequence[Hashable]]) -> list[list[int]]:
    """The paths by position, or an error that names an edge that two of them share."""
    used: set[tuple[int, int]] = set()
    out = []
    for path in paths:
        steps = [graph.nodes.position(node) for node in listed(path, "a path")]
        for start, end in pairwise(steps):
            edge = (min(start, end), max(start, end))
            if edge in used:
                ends = graph.nodes[edge[0]], graph.nodes[edge[1]]
                raise GraphError(f"the edge {shown(ends)} is used twice; give paths that share no edge")
            used.add(edge)
        out.append(steps)
    return out


def _length(graph: Graph, path: list[int], i: int, j: int) -> float:
    if len(path) < 2 or (path[0], path[-1]) != (i, j):
        ends = graph.nodes[i], graph.nodes[j]
        raise GraphError(
            f"the path {shown([graph.nodes[p] for p in path])} must lead from one of {shown(ends)} to the other"
        )
    steps = [float(graph.adjacency[start, end]) for start, end in pairwise(path)]
    if not all(steps):
        at = steps.index(0.0)
        ends = graph.nodes[path[at]], graph.nodes[path[at + 1]]
        raise GraphError(f"there is no edge {shown(ends)}; a path goes along edges of the graph")
    return math.fsum(1 / weight for weight in steps)
