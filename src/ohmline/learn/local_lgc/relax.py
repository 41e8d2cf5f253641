"""The estimate after a change that learning does not cover: equations of Q F = b that no longer hold are mended.

A label learned at a fresh node moves F by a truncated update, and marks where Q F = b may now be off as *stale*.
Whatever else changes (a label corrected or withdrawn, an edge added) changes one equation or two. Where one is off
by d, F + Q^-1 e_j d' is right, which takes one local solve for all classes. What that leaves, and the stale equations,
are then solved in turn, each node's neighbours after it, until none is off by more than tolerance ridge. Each diagonal
entry of Q exceeds the rest of its row by at least `ridge`, so that no entry of F is then off by more than `tolerance`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import Stopped, compiled, internal
from ohmline.errors import LearnerError
from ohmline.learn.local_lgc.adjacency import Adjacency, demand, root, times, width_of
from ohmline.learn.local_lgc.global_solve import all_places, conjugate_gradients
from ohmline.learn.local_lgc.local_solve import UNLIMITED, lower
from ohmline.learn.local_lgc.nodes import QUEUED, STALE, lift_mark, marked, put_mark
from ohmline.learn.local_lgc.scratch import begin, leave, listen

SWEEPS = 16
"""Equations may be solved in turn this many times each before conjugate gradients take over."""
DOUBLE, SINGLE = 1e-14, 1e-6
"""Below this share of Q_jj an equation is as good as it gets with F in double or in single precision."""


@internal
def rounding_of(estimate: AnyArray) -> float:
    """Which of the two it is."""
    return DOUBLE if estimate.itemsize == 8 else SINGLE


@internal
def drop_class(adjacency: Adjacency, state: Any, t: int, old: int) -> bool:
    """Where no node connected with t has class `old` any more: its scores there are 0, exactly; whether that is so.

    So a score is above 0 only where a label of its class can be reached.
    """
    nodes, home = state.nodes, root(adjacency, t)
    if state.counts[old] > 0:
        for j in range(nodes.shape[0]):
            if nodes[j].label == old and root(adjacency, j) == home:
                return False
    for j in range(nodes.shape[0]):
        if root(adjacency, j) == home:
            state.estimate[j, old] = 0.0
    return True


@internal
def off_by(adjacency: Adjacency, state: Any, j: Any, row: Floats) -> float:
    """How far Q F = b is off at j; `row` is set to what Q_jj F_j should be."""
    demand(adjacency, state.nodes, state.estimate, j, row)
    q, worst = state.nodes[j].q, 0.0
    for c in range(row.shape[0]):
        worst = max(worst, abs(row[c] - q * state.estimate[j, c]))
    return worst


@internal
def correct(adjacency: Adjacency, state: Any, k: int) -> None:
    """F + x d', where Q F = b is off by d at k and x solves Q x = e_k."""
    nodes, solve, estimate = state.nodes, state.solve, state.estimate
    off = np.empty(estimate.shape[1])
    put_mark(nodes, k, STALE)
    worst = off_by(adjacency, state, k, off)
    goal = adjacency.tolerance * adjacency.ridge
    if worst <= goal:
        return
    for c in range(off.shape[0]):
        off[c] -= nodes[k].q * estimate[k, c]
    usual = adjacency.ridge + adjacency.extent[1] / adjacency.extent[0]
    begin(adjacency, nodes, solve, k)
    lower(adjacency, nodes, solve, k, goal / (worst * usual), np.int64(UNLIMITED))
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        put_mark(nodes, j, STALE)
        x = nodes[j].x
        for c in range(off.shape[0]):
            estimate[j, c] = min(max(estimate[j, c] + x * off[c], adjacency.least), 1.0)


@compiled
def mend(adjacency: Adjacency, state: Any, i: int, j: int) -> None:
    """The equations at i and j have changed: solve them, and what this puts out."""
    correct(adjacency, state, i)
    if j != i:
        correct(adjacency, state, j)
    relax(adjacency, state, adjacency.tolerance)


@compiled
def relax(adjacency: Adjacency, state: Any, tolerance: float) -> None:
    """Mend every equation that is marked stale, and those that this puts out, until all hold."""
    nodes, solve, estimate = state.nodes, state.solve, state.estimate
    queue, finest = solve.queue, rounding_of(estimate)
    if solve.found[0].busy:
        raise LearnerError(
            "this learner is in the middle of a solve, which a signal interrupted; ask again after it"
        )
    solve.found[0].node = -1
    row = np.empty(estimate.shape[1])
    capacity, head, waiting, walked = queue.shape[0], 0, 0, 0
    for j in range(nodes.shape[0]):
        if marked(nodes, j, STALE):
            queue[waiting] = j
            put_mark(nodes, j, QUEUED)
            waiting += 1
    tail = waiting if waiting < capacity else 0
    goal, limit = tolerance * adjacency.ridge, SWEEPS * (adjacency.extent[0] + adjacency.extent[1])
    while waiting > 0:
        if walked > limit:
            leave(queue, nodes, head, waiting)
            solve_all(adjacency, state, goal)
            break
        if listen(solve):
            leave(queue, nodes, head, waiting)
            raise Stopped
        j = queue[head]
        head = head + 1 if head + 1 < capacity else 0
        waiting -= 1
        lift_mark(nodes, j, QUEUED)
        ends, q = adjacency.stop[j] - adjacency.start[j] + 1, nodes[j].q
        walked += ends
        solve.found[0].unheard += ends * row.shape[0]
        if off_by(adjacency, state, np.int64(j), row) <= max(goal, finest * q):
            continue
        for c in range(row.shape[0]):
            estimate[j, c] = row[c] / q
        for p in range(adjacency.start[j], adjacency.stop[j]):
            k = adjacency.neighbour[p]
            if not marked(nodes, k, QUEUED):
                put_mark(nodes, k, QUEUED)
                queue[tail] = k
                tail = tail + 1 if tail + 1 < capacity else 0
                waiting += 1
    for j in range(nodes.shape[0]):
        lift_mark(nodes, j, STALE)


@internal
def solve_all(adjacency: Adjacency, state: Any, goal: float) -> None:
    """Q F = b for every class by conjugate gradients, until no equation is off by more than `goal`."""
    nodes, where = state.nodes, all_places(adjacency)
    x, r = np.zeros(nodes.shape[0]), np.zeros(nodes.shape[0])
    finest = rounding_of(state.estimate)
    slack, widest = finest, 1.0
    for j in where:
        slack = max(slack, finest * nodes[j].q)
        widest = max(widest, width_of(adjacency, nodes, j))
    for c in range(state.estimate.shape[1]):
        before = np.inf
        while True:
            worst = 0.0
            for j in where:
                x[j] = min(max(state.estimate[j, c], adjacency.least), 1.0)
            for j in where:
                wanted = 1 / adjacency.mu if nodes[j].label == c else 0.0
                r[j] = wanted - times(adjacency, nodes, x, j)
                worst = max(worst, abs(r[j]))
            if worst <= max(goal, slack) or worst > before / 2:
                break
            before = worst
            tight = 0.5 * goal / widest  # nowhere is |r_j| then above goal / 2
            if conjugate_gradients(adjacency, nodes, state.solve, where, x, r, tight, np.inf):
                raise Stopped
            for j in where:
                state.estimate[j, c] = min(max(x[j], adjacency.least), 1.0)


@compiled
def largest_error(adjacency: Adjacency, state: Any, where: Ints) -> float:
    """A bound on the largest error of F: the equation that is off most / ridge."""
    row = np.empty(state.estimate.shape[1])
    largest = 0.0
    for j in where:
        largest = max(largest, off_by(adjacency, state, j, row))
    return largest / adjacency.ridge
