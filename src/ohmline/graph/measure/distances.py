"""Geodesic distances: an edge of weight w has length 1 / w."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from ohmline.arrays import Floats, Ints
from ohmline.checks import flag
from ohmline.errors import GraphError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.rows import matrix_over

_BLOCK = 256
"""Sources of one sweep when only the largest distances are kept: bounds the memory."""


def geodesic(graph: Graph, a: Hashable, b: Hashable) -> float:
    """d(a, b): the length of a shortest path; infinite where there is none.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    a, b
        The ids of two nodes.

    Examples
    --------
    >>> geodesic(Graph.from_edges([(0, 1, 2.0), (1, 2, 0.5)]), 0, 2)
    2.5
    """
    expect_graph(graph)
    i, j = graph.nodes.position(a), graph.nodes.position(b)
    return float(_sweep(lengths(graph), np.array([i]))[0, j])


def geodesics_from(graph: Graph, node: Hashable) -> Floats:
    """d(node, q) for every position q; infinite in other components.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    node
        The id of a node.
    """
    row: Floats = _sweep(lengths(graph), np.array([graph.nodes.position(node)]))[0]
    return row


def geodesic_matrix(graph: Graph) -> Floats:
    """d(p, q) for every pair of positions, infinite between components: 8 n^2 bytes.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    """
    return _sweep(lengths(graph), np.arange(expect_graph(graph).n))


def eccentricity(graph: Graph, node: Hashable) -> float:
    """The distance from one node to the furthest; infinite on a disconnected graph.

    Parameters
    ----------
    graph, node
        As for `geodesics_from`.
    """
    return float(geodesics_from(graph, node).max())


def eccentricities(graph: Graph) -> Floats:
    """The eccentricity of every position: its distance to the furthest; infinite on a disconnected graph.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    """
    matrix = lengths(graph)
    blocks = (np.arange(k, min(k + _BLOCK, graph.n)) for k in range(0, graph.n, _BLOCK))
    return np.concatenate([_sweep(matrix, block).max(axis=1) for block in blocks])


def diameter(graph: Graph, *, per_component: bool = False) -> float:
    """D_G: the largest distance; infinite on a disconnected graph.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    per_component
        True for the largest distance inside a component instead, which is always finite. Default False.

    Examples
    --------
    >>> diameter(Graph.from_edges([(0, 1), (2, 3), (3, 4)]), per_component=True)
    2.0
    """
    expect_graph(graph)
    if not flag(per_component, "per_component") and not graph.is_connected:
        return math.inf
    matrix = lengths(graph)
    return max(_component_diameter(matrix, part) for part in components(graph))


def components(graph: Graph) -> list[Ints]:
    """The positions of each component."""
    order = np.argsort(graph.component_of, kind="stable")
    return np.split(order, np.cumsum(np.bincount(graph.component_of))[:-1])


def lengths(graph: Graph) -> sparse.csr_array:
    """The matrix of the edges' lengths (resistances) 1 / w."""
    expect_graph(graph)
    if graph.signed and np.any(graph.weights < 0):
        raise GraphError(
            "distances and resistances need positive weights, and this graph has negative ones; "
            "measure the subgraph of its positive edges, or use the distances of its kernel"
        )
    return matrix_over(graph.indptr, graph.indices, 1 / graph.weights)


def _sweep(matrix: sparse.csr_array, sources: Ints) -> Floats:
    return np.asarray(csgraph.dijkstra(matrix, directed=False, indices=sources), dtype=np.float64)


def _component_diameter(matrix: sparse.csr_array, members: Ints) -> float:
    """Bound every eccentricity by the triangle inequality and sweep until the bounds close.

    From one source v with eccentricity e, that of q lies in [max(e - d, d), e + d], d = d(v, q).
    Sources are taken in turn at the largest upper and the smallest lower bound.
    """
    lower = np.zeros(len(members))
    upper = np.full(len(members), math.inf)
    open_ = np.ones(len(members), dtype=bool)
    best, high = 0.0, True
    while open_.any():
        candidates = np.flatnonzero(open_)
        pick = candidates[upper[candidates].argmax() if high else lower[candidates].argmin()]
        high = not high
        distances = _sweep(matrix, members[[pick]])[0, members]
        eccentric = float(distances.max())
        best = max(best, eccentric)
        lower = np.maximum(lower, np.maximum(eccentric - distances, distances))
        upper = np.minimum(upper, eccentric + distances)
        open_[pick] = False
        open_ &= upper > best
    return best
