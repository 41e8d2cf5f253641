"""The smallest cut: how little weight separates a graph into two parts."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats
from ohmline.checks import flag, room
from ohmline.errors import GraphError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.measure.distances import lengths


def minimum_cut(graph: Graph, *, weighted: bool = True) -> float:
    """The least cut of any labelling that has both labels; 0 on a disconnected graph.

    Cost: O(n^3), by merging the last two nodes of a maximum adjacency order again and again (Stoer and Wagner), with
    8 n^2 bytes.

    Parameters
    ----------
    graph
        A graph of at least two nodes; without negative weights, unless only the edges are counted.
    weighted
        False to count the edges between the two parts and not their weights, nor the signs of these. Default True.

    Examples
    --------
    >>> from ohmline.graph import generate
    >>> [minimum_cut(family.graph) for family in (generate.barbell(4), generate.ring(6), generate.hypercube(3))]
    [1.0, 2.0, 3.0]
    """
    expect_graph(graph)
    weighted = flag(weighted, "weighted")
    if graph.n < 2:
        raise GraphError("a minimum cut needs at least two nodes, and the graph has one")
    if weighted:
        lengths(graph)  # refuses negative weights
    if not graph.is_connected:
        return 0.0
    room(8 * graph.n**2, f"the minimum cut of {graph.n} nodes")
    matrix = graph.adjacency.toarray()
    return _stoer_wagner(matrix if weighted else (matrix != 0).astype(np.float64))


def _stoer_wagner(matrix: Floats) -> float:
    left, best = np.ones(len(matrix), dtype=bool), np.inf
    for remaining in range(len(matrix), 1, -1):
        pull = np.where(left, 0.0, -1.0)
        before = last = -1
        for _ in range(remaining):  # each time the node that is tied most to those already taken
            before, last = last, int(pull.argmax())
            tie = float(pull[last])
            pull += matrix[last]
            pull[last] = -np.inf
            pull[~left] = -1.0
        best = min(best, tie)
        matrix[before] += matrix[last]
        matrix[:, before] = matrix[before]
        matrix[before, before] = 0.0
        left[last] = False
    return best
