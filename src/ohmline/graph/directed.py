"""Edges with a direction as several types of edges: which way they go, and whom two nodes have in common."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ohmline.arrays import AnyArray
from ohmline.checks import count, room
from ohmline.graph.edges import column_of, split_edges, weights_of
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.relations import AHEAD, BACK, Columns, Relations, graph_of, placed, ways_of

DIRECT, TARGETS, SOURCES = "direct", "same targets", "same sources"
"""The names of the three types."""


def directions(
    edges: Iterable[Sequence[Any]] | AnyArray,
    *,
    nodes: Iterable[Hashable] | None = None,
    most: int = 64,
) -> Relations:
    """Edges with a direction as three types, of which `TypedLGC` learns how much each counts.

    - `"direct"`: the edges themselves, each way told apart (`Compatibility` learns which classes point to which).
    - `"same targets"`: two nodes that point to a third one (bibliographic coupling, A A'): buyers of one shop.
    - `"same sources"`: two nodes that a third one points to (co-citation, A'A): articles cited together.

    Where u and v have the node h in common, and d nodes in all point to h (or from it), that adds 1/d to the weight of
    the edge between u and v, so that a node that everybody points to joins nobody closely. Nodes with more than `most`
    are left out of it: the two types together have at most `most` times as many entries as there are edges.

    Parameters
    ----------
    edges
        Pairs `(source, target)` or triples `(source, target, weight)`, or an array with such columns. Weights count in
        the direct edges alone; those of repeated edges add up. Loops are dropped.
    nodes
        The ids in the order of their positions, isolated ones too; None (default) takes the ends of the edges.
    most
        The largest number of neighbours of a node that are joined through it, at least 2. Default 64.

    Returns
    -------
    Relations
        The three types. One without any pair is an empty graph.

    Examples
    --------
    >>> import ohmline as ohm
    >>> bought = [("ann", "shop"), ("bob", "shop"), ("bob", "bank")]
    >>> relations = ohm.graph.directions(bought)
    >>> relations["same targets"].neighbours("ann"), relations["same sources"].neighbours("shop")
    ({'bob': 0.5}, {'bank': 0.5})
    """
    most = count(most, "most", least=2)
    sources, targets, weights = split_edges(edges)
    sources, targets = column_of(sources, "sources"), column_of(targets, "targets")
    known = None if weights is None else weights_of(column_of(weights, "weights", numbers=True))
    index, s, t = placed(sources, targets, nodes)
    columns = Columns(s, t, np.ones(len(s)) if known is None else known)
    graph = graph_of(columns, index, directed=True, parallel=None)
    ways = ways_of(graph, columns)
    ahead = _arcs(graph, (ways & AHEAD) > 0)
    back = _arcs(graph, (ways & BACK) > 0)
    types = {
        DIRECT: graph,
        TARGETS: _shared(ahead, graph.nodes, most),
        SOURCES: _shared(back, graph.nodes, most),
    }
    return Relations(types, {DIRECT: ways})


def _arcs(graph: Graph, there: AnyArray) -> sparse.csr_array:
    """The matrix of those entries of a graph that are there, each 1."""
    rows = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    ones = np.ones(int(there.sum()))
    return sparse.csr_array((ones, (rows[there], graph.indices[there])), shape=(graph.n, graph.n))


def _shared(arcs: sparse.csr_array, nodes: NodeIndex, most: int) -> Graph:
    """Rows of a matrix joined by the columns that they share."""
    through = np.asarray(arcs.sum(axis=0)).ravel()
    kept = (through >= 2) & (through <= most)
    room(
        24.0 * float((through[kept] ** 2).sum()),
        "the pairs of nodes with a neighbour in common",
        "give a smaller most",
    )
    share = np.zeros(len(through))
    share[kept] = 1 / through[kept]
    pairs = sparse.csr_array(arcs @ sparse.diags_array(share) @ arcs.T)
    pairs = sparse.csr_array((pairs + pairs.T) / 2)
    pairs.setdiag(0.0)
    pairs.eliminate_zeros()
    pairs.sort_indices()
    return Graph(pairs, nodes)
