"""Local solves: one column of Q^-1, as far as a tolerance asks for it, and no further.

Q = L + ridge I + (1/mu on the labelled nodes) is diagonally dominant, so a residual can be pushed
from node to node until little is left of it anywhere. Labelled nodes screen what lies behind
them: the more is known, the less a solve touches.

| recipe | here | meaning |
|---|---|---|
| Q_jj | ``precision[j]`` | weighted degree + ridge, + 1/mu once j is labelled |
| x | ``scratch.x`` | the column of Q^-1 so far, from below |
| r | ``scratch.r`` | what is still to be pushed: e_t = Q x + r, exactly |
| tol | ``tolerance`` | no r_j is left above tolerance Q_jj |

Everything stays non-negative, and x only ever grows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.compiled import compiled


class Wires(NamedTuple):
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


class Scratch(NamedTuple):
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
    whole: Ints
    """node of the last view (-1: none), nodes touched, edges touched, prediction code."""
    real: Floats
    """margin, own variance, residual mass, variance that a query is told."""

    @classmethod
    def empty(cls, nodes: int, classes: int) -> Scratch:
        return cls(
            np.zeros(nodes),
            np.zeros(nodes),
            np.zeros(nodes, np.int64),
            np.zeros(nodes, np.bool_),
            np.zeros(nodes, np.int64),
            np.zeros(nodes, np.bool_),
            np.zeros(classes),
            np.zeros(classes),
            np.array([-1, 0, 0, -1]),
            np.zeros(4),
        )


NODE, TOUCHED, EDGES, CODE = range(4)
MARGIN, OWN, RESIDUAL, TOLD = range(4)
COARSEST = 1e-2
"""The tolerance of a solve's first round."""
FINER = 1 / 3
"""Each further round divides the tolerance by three."""


@compiled
def diagonal(wires: Wires, i: int) -> float:
    """Weighted degree + ridge, summed in the order of the list: the same bits on every road to it."""
    total = wires.ridge
    for p in range(wires.start[i], wires.start[i] + wires.size[i]):
        total += wires.weight[p]
    return total


@compiled
def diagonals(wires: Wires, label: Ints, precision: Floats, where: Ints) -> None:
    """These Q_jj afresh."""
    for j in where:
        precision[j] = diagonal(wires, j) + (1 / wires.mu if label[j] >= 0 else 0.0)


@compiled
def begin(wires: Wires, precision: Floats, scratch: Scratch, t: int) -> None:
    """Wipe the last solve, and push the unit at t."""
    for a in range(scratch.whole[TOUCHED]):
        j = scratch.touched[a]
        scratch.x[j] = 0.0
        scratch.r[j] = 0.0
        scratch.seen[j] = False
    scratch.whole[NODE] = -1
    scratch.whole[EDGES] = wires.size[t]
    scratch.touched[0] = t
    scratch.seen[t] = True
    scratch.x[t] = 1 / precision[t]
    count = 1
    for p in range(wires.start[t], wires.start[t] + wires.size[t]):
        k = wires.neighbour[p]
        scratch.r[k] = wires.weight[p] / precision[t]
        scratch.seen[k] = True
        scratch.touched[count] = k
        count += 1
    scratch.whole[TOUCHED] = count


@compiled
def push(wires: Wires, precision: Floats, scratch: Scratch, tolerance: float) -> None:
    """Push, first in first out, until no r_j exceeds tolerance Q_jj."""
    start, size, neighbour, weight = wires.start, wires.size, wires.neighbour, wires.weight
    x, r, queue, queued = scratch.x, scratch.r, scratch.queue, scratch.queued
    touched, seen = scratch.touched, scratch.seen
    capacity = queue.shape[0]
    count, edges = scratch.whole[TOUCHED], scratch.whole[EDGES]
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
    scratch.whole[TOUCHED] = count
    scratch.whole[EDGES] = edges


@compiled
def connect(wires: Wires, u: int, v: int, weight: float, used: int) -> int:
    """Append v to u's list, which moves to the end of the pool when it is full; the pool's new end.

    The caller has made sure that the pool has room for a list twice as long.
    """
    if wires.size[u] == wires.room[u]:
        length = wires.size[u]
        for k in range(length):
            wires.neighbour[used + k] = wires.neighbour[wires.start[u] + k]
            wires.weight[used + k] = wires.weight[wires.start[u] + k]
        wires.start[u] = used
        wires.room[u] = 2 * length + 2
        used += wires.room[u]
    p = wires.start[u] + wires.size[u]
    wires.neighbour[p] = v
    wires.weight[p] = weight
    wires.size[u] += 1
    return used


@compiled
def demand(wires: Wires, label: Ints, estimate: Floats, j: int, row: Floats) -> None:
    """What Q_jj F_j should be, given the neighbours: b_j + sum w_jk F_k."""
    row[:] = 0.0
    if label[j] >= 0:
        row[label[j]] = 1 / wires.mu
    for p in range(wires.start[j], wires.start[j] + wires.size[j]):
        k = wires.neighbour[p]
        for c in range(row.shape[0]):
            row[c] += wires.weight[p] * estimate[k, c]


@compiled
def sweep(wires: Wires, precision: Floats, label: Ints, estimate: Floats, n: int) -> None:
    """One symmetric Gauss-Seidel sweep over Q F = b."""
    row = np.empty(estimate.shape[1])
    for step in range(2 * n):
        j = 2 * n - 1 - step if step >= n else step
        demand(wires, label, estimate, j, row)
        for c in range(row.shape[0]):
            estimate[j, c] = row[c] / precision[j]


@compiled
def worst(wires: Wires, precision: Floats, label: Ints, estimate: Floats, n: int) -> float:
    """A bound on the largest error of F: its largest residual / ridge.

    Each diagonal entry of Q exceeds the rest of its row by at least ``ridge``.
    """
    row = np.empty(estimate.shape[1])
    largest = 0.0
    for j in range(n):
        demand(wires, label, estimate, j, row)
        for c in range(row.shape[0]):
            largest = max(largest, abs(row[c] - precision[j] * estimate[j, c]))
    return largest / wires.ridge
