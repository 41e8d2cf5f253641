"""What the learners on random spanning trees make of a graph and its labels on average over the draw.

A tree drawn by Wilson's law holds an edge of weight w with probability p = w r, r the effective resistance between its
ends. A line crosses every edge of its tree at most twice. So the sum that limits the mistakes on a line (see
`ohmline.bound.trees`) is on average at most twice the sum over the edges of the graph, each with its p.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Floats
from ohmline.bound.contract import rounded_up
from ohmline.bound.trees import codes_of_nodes, stays_and_changes
from ohmline.checks import flag
from ohmline.compiled import compiled
from ohmline.graph.graph import Graph
from ohmline.graph.measure import resistance_matrix
from ohmline.graph.random_trees import expect_positive

EXACT = 2000
"""Nodes up to which all effective resistances are computed."""
STEPS = 200
"""How many speeds are tried."""


@dataclass(frozen=True, slots=True)
class ExpectedMistakes:
    """A limit on the mistakes of one random spanning tree, on average over its draw.

    Attributes
    ----------
    value
        The limit. A single draw may err more often; `SpanningTreeBound` and `WeightedTreeBound` are certain of theirs.
    cut
        The expected number of cut edges of the tree, the sum of w r over the cut edges of the graph; an upper limit of
        it where `exact` is False.
    edges
        How many edges of the graph are cut.
    exact
        Whether effective resistances are exact; else each is limited from above by the edge itself and the ways over
        one common neighbour, beside each other.
    """

    value: float
    cut: float
    edges: int
    exact: bool


def expected_mistakes(graph: Graph, labels: Any, *, weighted: bool = False) -> ExpectedMistakes:
    """How often `SpanningTree` (or `WeightedTree`) errs at most on average, for labels that are chosen before the draw.

    The tree must be drawn by the exact law (`Draw.WILSON`, or a learner whose `exact_law` is True), and neither labels
    nor order may depend on it. For two classes and one component of n nodes it is at most
    c log2((n - 1) / c) + c / ln 2 + 1 with c = 2 sum w r over the cut edges, which in a dense cluster is far less
    than their number: Herbster, Lever and Pontil (2008).

    Parameters
    ----------
    graph
        The graph, without negative weights.
    labels
        The label of every node, as a list in the order of the nodes or a mapping; any number of classes.
    weighted
        Whether the learner is `WeightedTree`. Default False.

    Returns
    -------
    ExpectedMistakes
        The limit, and the expected cut that it follows from.

    Examples
    --------
    >>> import ohmline as ohm
    >>> barbell = ohm.graph.generate.barbell(20)
    >>> found = expected_mistakes(barbell.graph, barbell.labels)
    >>> round(found.value, 1), round(found.cut, 2)
    (12.4, 1.0)
    """
    expect_positive(graph, "expected_mistakes")
    weighted = flag(weighted, "weighted")
    codes, classes = codes_of_nodes(labels, graph.nodes)
    sources, targets, weights = graph.edges()
    chance, exact = _chances(graph, sources, targets, weights)
    differ = codes[sources] != codes[targets]
    lengths = weights.min() / weights if weighted and len(weights) else np.ones(len(weights))
    cut = float(chance[differ].sum())
    value = graph.n_components + _least(chance, lengths, differ, max(classes, 2), graph, weighted=weighted)
    return ExpectedMistakes(
        rounded_up(min(value, float(graph.n)), 1e-9), cut, int(np.count_nonzero(differ)), exact
    )


def _least(
    chance: Floats, lengths: Floats, differ: AnyArray, classes: int, graph: Graph, *, weighted: bool
) -> float:
    """The least limit over the speeds that are tried."""
    if not differ.any():
        return 0.0
    crossed, between = 2 * float(chance[differ].sum()), graph.n - graph.n_components
    found = float("inf")
    for speed in np.geomspace(1e-3 / float(lengths.sum()), 50 / float(lengths[differ].min()), STEPS):
        stays, changes = stays_and_changes(lengths, speed, classes)
        if weighted:
            value = 2 * float(chance @ stays) + 2 * float(chance[differ] @ changes[differ])
        else:  # every length is 1, and a line has one edge less than it has nodes
            c = min(crossed, between)
            value = (between - c) * float(stays[0]) + c * float(changes[0])
        found = min(found, value)
    return found


def _chances(graph: Graph, sources: AnyArray, targets: AnyArray, weights: Floats) -> tuple[Floats, bool]:
    """The probability that each edge is in the tree, or an upper limit of it; and whether it is exact."""
    if graph.n <= EXACT:
        found = weights * resistance_matrix(graph)[sources, targets]
        return np.minimum(found, 1.0), True
    return near_chances(graph.indptr, graph.indices, graph.weights, sources, targets, weights), False


@compiled
def near_chances(
    indptr: AnyArray, indices: AnyArray, rows: Floats, sources: AnyArray, targets: AnyArray, weights: Floats
) -> Floats:
    """w / (w + the conductance of all ways over one common neighbour): no more than w r can be, by Rayleigh's law."""
    chance = np.empty(weights.shape[0])
    for e in range(weights.shape[0]):
        p, q, around = indptr[sources[e]], indptr[targets[e]], 0.0
        while p < indptr[sources[e] + 1] and q < indptr[targets[e] + 1]:
            if indices[p] == indices[q]:
                around += rows[p] / (rows[p] + rows[q]) * rows[q]
                p += 1
                q += 1
            elif indices[p] < indices[q]:
                p += 1
            else:
                q += 1
        chance[e] = weights[e] / (weights[e] + around)
    return chance
