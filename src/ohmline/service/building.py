"""Graphs, edges, fields and labels from what a request holds."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from ohmline.checks import shown
from ohmline.errors import ConflictingLabels, ParameterError
from ohmline.graph.graph import Graph
from ohmline.service.ids import label_of, node_of
from ohmline.service.shapes.requests import NewGraph, NewNode


def edges_of(written: Iterable[list[Any]]) -> list[tuple[Hashable, Hashable, float]]:
    """Edges with their weights, which are 1 where none is said.

    >>> edges_of([["a", "b"], ["b", "c", 2.5]])
    [('a', 'b', 1.0), ('b', 'c', 2.5)]

    Parameters
    ----------
    written
        Lists of two nodes and, if it is not 1, a weight.
    """
    found = []
    for edge in written:
        weight = edge[2] if len(edge) == 3 else 1.0
        if type(weight) not in (int, float) or not abs(weight) <= 1e12:
            raise ParameterError(f"the edge {shown(edge)} has no weight; the third entry must be a number")
        found.append((node_of(edge[0]), node_of(edge[1]), float(weight)))
    return found


def graph_of(new: NewGraph, more: Iterable[NewNode]) -> Graph:
    """The graph of a request: its nodes in the order in which they are listed, then the ends of its edges.

    Parameters
    ----------
    new
        The graph.
    more
        Nodes with texts, which are nodes of the graph as well.
    """
    edges = edges_of(new.edges)
    nodes: dict[Hashable, None] = dict.fromkeys(node_of(node) for node in new.nodes)
    nodes |= dict.fromkeys(node_of(each.id) for each in more)
    nodes |= dict.fromkeys(end for a, b, _ in edges for end in (a, b))
    if not nodes:
        raise ParameterError("the graph has no nodes; list edges, or nodes")
    return Graph.from_edges(edges, nodes=list(nodes))


def fields_of(new: NewNode) -> dict[str, str]:
    """What there is to read about a node.

    Parameters
    ----------
    new
        The node.
    """
    found = dict(new.fields)
    for name in ("text", "image"):
        value = getattr(new, name)
        if value is not None:
            found[name] = value
    return found


def labels_of(written: Iterable[list[Any]]) -> dict[Hashable, Any]:
    """Labels by node; a node with two different ones is refused.

    Parameters
    ----------
    written
        Lists of a node and its label.
    """
    found: dict[Hashable, Any] = {}
    for pair in written:
        node, label = node_of(pair[0]), label_of(pair[1])
        if found.setdefault(node, label) != label:
            raise ConflictingLabels(
                f"node {shown(node)} has the labels {shown(found[node])} and {shown(label)}; keep one of the two"
            )
    return found
