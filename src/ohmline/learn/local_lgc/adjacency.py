"""The graph as compiled code walks it: lists of neighbours, and the rows of Q that follow from them.

Q = L + ridge I + (1/mu on the labelled nodes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, inlined, internal
from ohmline.learn.local_lgc.nodes import HEAVY_EDGES, lift_mark, put_mark

HEAVY = 3.0
"""An edge counts for at most this many units where a solve asks whether what is left at a node is little."""


class Adjacency(NamedTuple):
    """The lists of neighbours, and the numbers that a solve needs.

    The arrays are the graph's own, which nobody can write to, for as long as it has not grown: a graph that lies in a
    file is not copied. `GrowingGraph` puts others in their place.
    """

    start: Ints
    """Where the list of node i begins in the pool."""
    stop: Ints
    """Where it ends."""
    neighbour: Ints
    weight: Floats
    """In units of the mean weight, so that ridge and mu suit every graph; one number where all weigh one unit."""
    every: int
    """-1 where each entry of the pool has a weight of its own, 0 where all have the same: `p & every` is its place."""
    ridge: float
    mu: float
    tolerance: float
    """Where a solve ends at the latest."""
    caution: float
    """A solve ends once the gap exceeds this many times the residual; infinity: never before."""
    guess: bool
    """Whether the most frequent class is said where no label reaches."""
    reach: bool
    """Whether a query is told the variance that a label removes elsewhere, or the node's own."""
    most: int
    """A solve that predicts walks so many edges at most, beside those of the node itself."""
    most_learned: int
    """A solve that learns may walk so many divided by the number of labels, where that is more."""
    sweeps: int
    """How often all of F is swept each time the labels have doubled; see `sweeps.py`."""
    parent: Ints
    """Trees of the nodes that are connected: a node nearer to the root, or minus the size of the tree at its root."""
    extent: Ints
    """How large the graph is: its nodes, and twice its edges."""
    least: float
    """Below which no score lies: 0, or -1 where edges may be negative; see `signs.py`."""

    @property
    def size(self) -> Ints:
        """How many neighbours each node has."""
        return self.stop - self.start


@internal
def root(adjacency: Adjacency, j: int) -> int:
    """The node that stands for all that are connected with j."""
    while adjacency.parent[j] >= 0:
        j = adjacency.parent[j]
    return j


@internal
def diagonal(adjacency: Adjacency, i: int) -> float:
    """Weighted degree + ridge, summed in the order of the list: the same bits however it came about."""
    total = adjacency.ridge
    for p in range(adjacency.start[i], adjacency.stop[i]):
        total += abs(adjacency.weight[p & adjacency.every])
    return total


@internal
def renew(adjacency: Adjacency, nodes: Any, j: int) -> None:
    """Q_jj afresh, after a change of j's label or edges."""
    q = diagonal(adjacency, j) + (1 / adjacency.mu if nodes[j].label >= 0 else 0.0)
    nodes[j].q = q
    if q > HEAVY and q > HEAVY * (adjacency.stop[j] - adjacency.start[j] + 1):
        put_mark(nodes, j, HEAVY_EDGES)
    else:
        lift_mark(nodes, j, HEAVY_EDGES)


@compiled
def renew_all(adjacency: Adjacency, nodes: Any) -> None:
    """Q_jj afresh for every node of the graph."""
    for j in range(adjacency.extent[0]):
        renew(adjacency, nodes, j)


@inlined
def width_of(adjacency: Adjacency, nodes: Any, j: int) -> float:
    """What the residual at j is compared with: Q_jj, or what it would be if no edge were heavier than `HEAVY`.

    What is left at j is spread over its neighbours in the end, all of it. Q_jj counts how many those are as long as
    an edge weighs about a unit; a heavy edge does not make more of them, and a bound in proportion to its weight
    would let the whole unit that is pushed stay where it is.
    """
    if nodes[j].mark & HEAVY_EDGES == 0:
        return nodes[j].q
    return HEAVY * (adjacency.stop[j] - adjacency.start[j] + 1)


@internal
def times(adjacency: Adjacency, nodes: Any, values: Floats, j: int) -> float:
    """(Q values)_j."""
    total = nodes[j].q * values[j]
    for p in range(adjacency.start[j], adjacency.stop[j]):
        total -= adjacency.weight[p & adjacency.every] * values[adjacency.neighbour[p]]
    return total


@internal
def demand(adjacency: Adjacency, nodes: Any, estimate: Floats, j: int, row: Floats) -> None:
    """What Q_jj F_j should be, given the neighbours: b_j + sum w_jk F_k."""
    row[:] = 0.0
    if nodes[j].label >= 0:
        row[nodes[j].label] = 1 / adjacency.mu
    for p in range(adjacency.start[j], adjacency.stop[j]):
        k, w = adjacency.neighbour[p], adjacency.weight[p & adjacency.every]
        for c in range(row.shape[0]):
            row[c] += w * estimate[k, c]


@internal
def join(adjacency: Adjacency, labelled: Ints, u: int, v: int) -> None:
    """u and v are connected from now on; the smaller tree hangs under the larger."""
    one, other = root(adjacency, u), root(adjacency, v)
    adjacency.extent[1] += 2
    if one != other:
        if adjacency.parent[one] > adjacency.parent[other]:
            one, other = other, one
        adjacency.parent[one] += adjacency.parent[other]
        adjacency.parent[other] = one
        labelled[one] += labelled[other]
        labelled[other] = 0


@compiled
def count_labels(adjacency: Adjacency, nodes: Any, labelled: Ints) -> None:
    """How many nodes of each tree have a label, at its root."""
    labelled[:] = 0
    for j in range(nodes.shape[0]):
        if nodes[j].label >= 0:
            labelled[root(adjacency, j)] += 1


def precision_of(adjacency: Adjacency, n: int) -> sparse.csr_array:
    """Q of the first n nodes, as if none had a label."""
    start, size = adjacency.start[:n], adjacency.size[:n]
    indptr = np.append(0, np.cumsum(size))
    rows = np.repeat(np.arange(n), size)
    places = start[rows] + np.arange(indptr[-1]) - indptr[rows]
    weights = adjacency.weight[places & adjacency.every]
    links = sparse.csr_array((weights, adjacency.neighbour[places], indptr), shape=(n, n))
    degree = np.bincount(rows, weights=np.abs(weights), minlength=n)
    return sparse.csr_array(sparse.diags_array(degree + adjacency.ridge) - links)
