"""Local solves: one column of Q^-1, as far as a tolerance asks for it, and no further.

Q = L + ridge I + (1/mu on the labelled nodes) is diagonally dominant, so a residual can be pushed
from node to node until little is left of it anywhere. Labelled nodes screen what lies behind
them: the more is known, the less a solve touches.

| recipe | here | meaning |
|---|---|---|
| Q_jj | `precision[j]` | weighted degree + ridge, + 1/mu once j is labelled |
| x | `LocalSolve.x` | the column of Q^-1 so far, from below |
| r | `LocalSolve.r` | what is still to be pushed: e_t = Q x + r, exactly |
| tol | `tolerance` | no r_j is left above tolerance Q_jj |

Everything stays non-negative, and x only ever grows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.compiled import compiled, internal


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


FOUND = np.dtype(
    [
        ("node", np.int64),  # at which the last solve was; -1 for none
        ("touched", np.int64),  # nodes reached
        ("edges", np.int64),  # edges walked
        ("code", np.int64),  # the prediction
        ("margin", np.float64),  # the gap of the two best classes
        ("variance", np.float64),  # what a query is told
        ("residual", np.float64),  # ||r||_1
    ]
)
"""What a solve found, by name."""


class LocalSolve(NamedTuple):
    """The last solve: no knowledge, only work that need not be done twice."""

    x: Floats
    r: Floats
    queue: Ints
    queued: Bools
    touched: Ints
    """The nodes where x or r is not zero, in the order in which they were reached."""
    seen: Bools
    base: Floats
    """b'x: the part of each class's score that is certain."""
    score: Floats
    """b'x + F'r."""
    found: AnyArray
    """One record of type `FOUND`."""

    @classmethod
    def empty(cls, nodes: int, classes: int) -> LocalSolve:
        found = np.zeros(1, FOUND)
        found["node"] = found["code"] = -1
        return cls(
            np.zeros(nodes),
            np.zeros(nodes),
            np.zeros(nodes, np.int64),
            np.zeros(nodes, np.bool_),
            np.zeros(nodes, np.int64),
            np.zeros(nodes, np.bool_),
            np.zeros(classes),
            np.zeros(classes),
            found,
        )

    def forget(self) -> None:
        """What was solved no longer holds."""
        self.found["node"] = -1


COARSEST = 1e-2
"""The tolerance of a solve's first round."""
FINER = 1 / 3
"""Each further round divides the tolerance by three."""


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


@internal
def begin(adjacency: Adjacency, precision: Floats, solve: LocalSolve, t: int) -> None:
    """Wipe the last solve, and push the unit at t."""
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        solve.x[j] = 0.0
        solve.r[j] = 0.0
        solve.seen[j] = False
    solve.found[0].node = -1
    solve.found[0].edges = adjacency.size[t]
    solve.touched[0] = t
    solve.seen[t] = True
    solve.x[t] = 1 / precision[t]
    count = 1
    for p in range(adjacency.start[t], adjacency.start[t] + adjacency.size[t]):
        k = adjacency.neighbour[p]
        solve.r[k] = adjacency.weight[p] / precision[t]
        solve.seen[k] = True
        solve.touched[count] = k
        count += 1
    solve.found[0].touched = count


@internal
def push(adjacency: Adjacency, precision: Floats, solve: LocalSolve, tolerance: float) -> None:
    """Push, first in first out, until no r_j exceeds tolerance Q_jj."""
    start, size, neighbour, weight = adjacency.start, adjacency.size, adjacency.neighbour, adjacency.weight
    x, r, queue, queued = solve.x, solve.r, solve.queue, solve.queued
    touched, seen = solve.touched, solve.seen
    capacity = queue.shape[0]
    count, edges = solve.found[0].touched, solve.found[0].edges
    head, waiting = 0, 0
    for a in range(count):
        j = touched[a]
        if r[j] > tolerance * precision[j]:
            queue[waiting] = j
            queued[j] = True
            waiting += 1
    tail = waiting if waiting < capacity else 0
    while waiting > 0:
        j = queue[head]
        head = head + 1 if head + 1 < capacity else 0
        waiting -= 1
        queued[j] = False
        moved = r[j] / precision[j]
        r[j] = 0.0
        x[j] += moved
        edges += size[j]
        for p in range(start[j], start[j] + size[j]):
            k = neighbour[p]
            r[k] += moved * weight[p]
            if not seen[k]:
                seen[k] = True
                touched[count] = k
                count += 1
            if not queued[k] and r[k] > tolerance * precision[k]:
                queued[k] = True
                queue[tail] = k
                tail = tail + 1 if tail + 1 < capacity else 0
                waiting += 1
    solve.found[0].touched = count
    solve.found[0].edges = edges


@compiled
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
def demand(adjacency: Adjacency, label: Ints, estimate: Floats, j: int, row: Floats) -> None:
    """What Q_jj F_j should be, given the neighbours: b_j + sum w_jk F_k."""
    row[:] = 0.0
    if label[j] >= 0:
        row[label[j]] = 1 / adjacency.mu
    for p in range(adjacency.start[j], adjacency.start[j] + adjacency.size[j]):
        k = adjacency.neighbour[p]
        for c in range(row.shape[0]):
            row[c] += adjacency.weight[p] * estimate[k, c]


@compiled
def gauss_seidel(adjacency: Adjacency, precision: Floats, label: Ints, estimate: Floats, n: int) -> None:
    """One symmetric Gauss-Seidel sweep over Q F = b."""
    row = np.empty(estimate.shape[1])
    for step in range(2 * n):
        j = 2 * n - 1 - step if step >= n else step
        demand(adjacency, label, estimate, j, row)
        for c in range(row.shape[0]):
            estimate[j, c] = row[c] / precision[j]


@compiled
def largest_error(adjacency: Adjacency, precision: Floats, label: Ints, estimate: Floats, n: int) -> float:
    """A bound on the largest error of F: its largest residual / ridge.

    Each diagonal entry of Q exceeds the rest of its row by at least `ridge`.
    """
    row = np.empty(estimate.shape[1])
    largest = 0.0
    for j in range(n):
        demand(adjacency, label, estimate, j, row)
        for c in range(row.shape[0]):
            largest = max(largest, abs(row[c] - precision[j] * estimate[j, c]))
    return largest / adjacency.ridge
