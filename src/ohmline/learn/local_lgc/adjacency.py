"""The graph as compiled code walks it: adjacency lists that grow, and the rows of Q that follow from them.

Q = L + ridge I + (1/mu on the labelled nodes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, inlined, internal

HEAVY = 3.0
"""An edge counts for at most this many units where a solve asks whether what is left at a node is little."""


class Adjacency(NamedTuple):
    """Growing adjacency lists with room to spare, and the numbers that a solve needs."""

    start: Ints
    """Where the list of node i begins in the pool."""
    size: Ints
    """How many neighbours it has."""
    room: Ints
    """How many fit before the list has to move."""
    neighbour: Ints
    weight: Floats
    """In units of the mean weight, so that ridge and mu suit every graph."""
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
    parent: Ints
    """Trees of the nodes that are connected: a node nearer to the root, or minus the size of the tree at its root."""
    extent: Ints
    """How large the graph is: its nodes, and twice its edges."""


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
    for p in range(adjacency.start[i], adjacency.start[i] + adjacency.size[i]):
        total += adjacency.weight[p]
    return total


@compiled
def diagonals(adjacency: Adjacency, label: Ints, precision: Floats, where: Ints) -> None:
    """These Q_jj afresh."""
    for j in where:
        precision[j] = diagonal(adjacency, j) + (1 / adjacency.mu if label[j] >= 0 else 0.0)


@inlined
def size_of(adjacency: Adjacency, precision: Floats, j: int) -> float:
    """What the residual at j is compared with: Q_jj, or what it would be if no edge were heavier than `HEAVY`.

    What is left at j is spread over its neighbours in the end, all of it. Q_jj counts how many those are as long as
    an edge weighs about a unit; a heavy edge does not make more of them, and a bound in proportion to its weight
    would let the whole unit that is pushed stay where it is.
    """
    if precision[j] <= HEAVY:
        return precision[j]
    return min(precision[j], HEAVY * (adjacency.size[j] + 1))


@internal
def times(adjacency: Adjacency, precision: Floats, values: Floats, j: int) -> float:
    """(Q values)_j."""
    total = precision[j] * values[j]
    for p in range(adjacency.start[j], adjacency.start[j] + adjacency.size[j]):
        total -= adjacency.weight[p] * values[adjacency.neighbour[p]]
    return total


@internal
def demand(adjacency: Adjacency, label: Ints, estimate: Floats, j: int, row: Floats) -> None:
    """What Q_jj F_j should be, given the neighbours: b_j + sum w_jk F_k."""
    row[:] = 0.0
    if label[j] >= 0:
        row[label[j]] = 1 / adjacency.mu
    for p in range(adjacency.start[j], adjacency.start[j] + adjacency.size[j]):
        k = adjacency.neighbour[p]
        for c in range(row.shape[0]):
            row[c] += adjacency.weight[p] * estimate[k, c]


@internal
def connect(adjacency: Adjacency, u: int, v: int, weight: float, used: int) -> int:
    """Append v to u's list, which moves to the end of the pool when it is full; the pool's new end.

    The caller has made sure that the pool has room for a list twice as long.
    """
    if adjacency.size[u] == adjacency.room[u]:
        length = adjacency.size[u]
        for k in range(length):
            adjacency.neighbour[used + k] = adjacency.neighbour[adjacency.start[u] + k]
            adjacency.weight[used + k] = adjacency.weight[adjacency.start[u] + k]
        adjacency.start[u] = used
        adjacency.room[u] = 2 * length + 2
        used += adjacency.room[u]
    p = adjacency.start[u] + adjacency.size[u]
    adjacency.neighbour[p] = v
    adjacency.weight[p] = weight
    adjacency.size[u] += 1
    return used


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
def attach(adjacency: Adjacency, state: Any, i: int, j: int, weight: float, used: int) -> int:
    """Join i and j, whole or not at all for anybody who reads; the pool's new end."""
    used = connect(adjacency, i, j, weight, used)
    used = connect(adjacency, j, i, weight, used)
    join(adjacency, state.labelled, i, j)
    for k in (i, j):
        state.precision[k] = diagonal(adjacency, k) + (1 / adjacency.mu if state.label[k] >= 0 else 0.0)
        state.stale[k] = True
    state.solve.found[0].node = -1
    state.solve.found[0].worths = 0
    return used


@compiled
def count_labels(adjacency: Adjacency, label: Ints, labelled: Ints) -> None:
    """How many nodes of each tree have a label, at its root."""
    labelled[:] = 0
    for j in range(label.shape[0]):
        if label[j] >= 0:
            labelled[root(adjacency, j)] += 1


def precision_of(adjacency: Adjacency, n: int) -> sparse.csr_array:
    """Q of the first n nodes, as if none had a label."""
    size = adjacency.size[:n]
    indptr = np.append(0, np.cumsum(size))
    rows = np.repeat(np.arange(n), size)
    places = adjacency.start[:n][rows] + np.arange(indptr[-1]) - indptr[rows]
    weights = adjacency.weight[places]
    links = sparse.csr_array((weights, adjacency.neighbour[places], indptr), shape=(n, n))
    degree = np.bincount(rows, weights=weights, minlength=n)
    return sparse.csr_array(sparse.diags_array(degree + adjacency.ridge) - links)
