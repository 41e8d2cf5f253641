"""The estimate of few classes after a change that learning does not cover; `relax.py` does it for all classes.

Where classes had to leave, Q F = b cannot hold for all of them. It is solved for the places of the rows: with S the
pairs of node and class that have one, everything else counts as 0, and F is within `tolerance` of the solution f_S of
Q_SS f_S = b_S. S itself follows from F: a class that would exceed the smallest value of a row takes its place. That may
go round in circles, so that after as much work as `relax` puts in, S stays as it is and conjugate gradients solve for
each class.

Q_SS is a part of an M-matrix, so that 0 <= f_S <= f: after a change no value of F exceeds that of the exact f by more
than `tolerance`. How far it falls short can be computed: b - Q F is 0 at S, and elsewhere it is what a class that has
no place would have got there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import Stopped, compiled, implements, internal
from ohmline.errors import LearnerError
from ohmline.learn.local_lgc.adjacency import Adjacency, root, times, width_of
from ohmline.learn.local_lgc.exact import error_of
from ohmline.learn.local_lgc.few import FewClasses
from ohmline.learn.local_lgc.few_step import choose, demand_few, smallest
from ohmline.learn.local_lgc.global_solve import conjugate_gradients
from ohmline.learn.local_lgc.local_solve import UNLIMITED, lower
from ohmline.learn.local_lgc.nodes import QUEUED, STALE, lift_mark, marked, put_mark
from ohmline.learn.local_lgc.relax import DOUBLE, SINGLE, SWEEPS
from ohmline.learn.local_lgc.scratch import begin, leave, listen
from ohmline.learn.local_lgc.state import LocalState
from ohmline.learn.local_lgc.step import take_back


@implements(take_back, FewClasses)
def _take_back(estimate: Any, adjacency: Any, state: Any, t: Any, old: Any) -> Any:
    drop_class_few(adjacency, state, t, old)
    mend_few(adjacency, state, t, t)


@internal
def drop_class_few(adjacency: Adjacency, state: Any, t: int, old: int) -> None:
    """Where no node connected with t has class `old` any more, it has no place; another class may need it."""
    nodes, rows, home, known = state.nodes, state.estimate.rows, root(adjacency, t), 0
    if state.counts[old] > 0:
        for j in range(nodes.shape[0]):
            if nodes[j].label == old and root(adjacency, j) == home:
                return
    for c in state.order:
        known += c >= 0
    for j in range(nodes.shape[0]):
        if root(adjacency, j) == home:
            for s in range(rows.shape[1]):
                if rows[j, s].code == old:
                    rows[j, s].value = 0.0
                    if known > rows.shape[1]:
                        put_mark(nodes, j, STALE)


@internal
def room_for(state: Any) -> tuple[Floats, Ints]:
    """Zeros for every class, and room for their codes with a place to spare."""
    classes = state.counts.shape[0]
    return np.zeros(classes), np.empty(classes + 1, np.int64)


@internal
def off_few(rows: Any, j: Any, q: float, total: Floats, codes: Ints, count: int) -> float:
    """How far Q F = b is off at j: at its places, and where a class without one exceeds the smallest."""
    least, worst = q * rows[j, smallest(rows, j)].value, 0.0
    for s in range(rows.shape[1]):
        c: Any = rows[j, s].code
        if rows[j, s].value > 0:
            worst = max(worst, abs(total[c] - q * rows[j, s].value))
            total[c] = -total[c]  # so that the others are told apart
    for a in range(count):
        worst = max(worst, total[codes[a]] - least)
    for s in range(rows.shape[1]):
        c = rows[j, s].code
        if rows[j, s].value > 0:
            total[c] = -total[c]
    return worst


@internal
def forget(total: Floats, codes: Ints, count: int) -> None:
    """0 again at these codes."""
    for a in range(count):
        total[codes[a]] = 0.0


@internal
def add_at(rows: Any, j: Any, c: int, change: float) -> None:
    """The value of class c at j changes; where it has no place it takes that of a smaller one."""
    for s in range(rows.shape[1]):
        if rows[j, s].value > 0 and rows[j, s].code == c:
            rows[j, s].value = min(max(rows[j, s].value + change, 0.0), 1.0)
            return
    low = smallest(rows, j)
    if change > rows[j, low].value:
        rows[j, low].value = min(change, 1.0)
        rows[j, low].code = c


@internal
def correct_few(adjacency: Adjacency, state: Any, k: int) -> None:
    """F + x d', where Q F = b is off by d at k and x solves Q x = e_k, for the classes that have or take a place."""
    nodes, solve, rows, at = state.nodes, state.solve, state.estimate.rows, np.uint64(k)
    total, codes = room_for(state)
    put_mark(nodes, k, STALE)
    count, q = demand_few(adjacency, nodes, rows, at, total, codes, 0), nodes[k].q
    worst, goal = off_few(rows, at, q, total, codes, count), adjacency.tolerance * adjacency.ridge
    if worst <= goal:
        return
    least, many = q * rows[at, smallest(rows, at)].value, 0
    classes, off = np.empty(count + rows.shape[1], np.int64), np.empty(count + rows.shape[1])
    for s in range(rows.shape[1]):
        c: Any = rows[at, s].code
        if rows[at, s].value > 0:
            classes[many], off[many] = c, total[c] - q * rows[at, s].value
            total[c] = 0.0
            many += 1
    for a in range(count):
        if total[codes[a]] > least:
            classes[many], off[many] = codes[a], total[codes[a]]
            many += 1
    usual = adjacency.ridge + adjacency.extent[1] / adjacency.extent[0]
    begin(adjacency, nodes, solve, k)
    lower(adjacency, nodes, solve, k, goal / (worst * usual), np.int64(UNLIMITED))
    for a in range(solve.found[0].touched):
        j: Any = np.uint64(solve.touched[a])
        put_mark(nodes, j, STALE)
        x = nodes[j].x
        for m in range(many):
            add_at(rows, j, classes[m], x * off[m])


@compiled
def mend_few(adjacency: Adjacency, state: Any, i: int, j: int) -> None:
    """The equations at i and j have changed: solve them, and what this puts out."""
    correct_few(adjacency, state, i)
    if j != i:
        correct_few(adjacency, state, j)
    relax_few(adjacency, state, adjacency.tolerance)


@compiled
def relax_few(adjacency: Adjacency, state: Any, tolerance: float) -> None:
    """Mend every equation that is marked stale, and those that this puts out, until all hold at the places of rows."""
    nodes, solve, rows, queue = state.nodes, state.solve, state.estimate.rows, state.solve.queue
    if solve.found[0].busy:
        raise LearnerError(
            "this learner is in the middle of a solve, which a signal interrupted; ask again after it"
        )
    solve.found[0].node = -1
    total, codes = room_for(state)
    capacity, head, waiting, walked = queue.shape[0], 0, 0, 0
    for j in range(nodes.shape[0]):
        if marked(nodes, j, STALE):
            queue[waiting] = j
            put_mark(nodes, j, QUEUED)
            waiting += 1
    tail = waiting if waiting < capacity else 0
    goal, limit = tolerance * adjacency.ridge, SWEEPS * (adjacency.extent[0] + adjacency.extent[1])
    finest = finest_of(rows)
    while waiting > 0:
        if walked > limit:
            leave(queue, nodes, head, waiting)
            solve_places(adjacency, state, goal)
            break
        if listen(solve):
            leave(queue, nodes, head, waiting)
            raise Stopped
        at: Any = np.uint64(queue[head])
        head = head + 1 if head + 1 < capacity else 0
        waiting -= 1
        lift_mark(nodes, at, QUEUED)
        ends, q = adjacency.stop[at] - adjacency.start[at] + 1, nodes[at].q
        walked += ends
        solve.found[0].unheard += ends * rows.shape[1]
        count = demand_few(adjacency, nodes, rows, at, total, codes, 0)
        if off_few(rows, at, q, total, codes, count) <= max(goal, finest * q):
            forget(total, codes, count)
            continue
        for a in range(count):
            total[codes[a]] /= q
        choose(rows, at, total, codes, count)
        for p in range(adjacency.start[at], adjacency.stop[at]):
            k = adjacency.neighbour[p]
            if not marked(nodes, k, QUEUED):
                put_mark(nodes, k, QUEUED)
                queue[tail] = k
                tail = tail + 1 if tail + 1 < capacity else 0
                waiting += 1
    for j in range(nodes.shape[0]):
        lift_mark(nodes, j, STALE)


@internal
def finest_of(rows: Any) -> float:
    """Below which share of Q_jj an equation is as good as it gets."""
    return DOUBLE if rows.itemsize == 16 else SINGLE


@internal
def solve_places(adjacency: Adjacency, state: Any, goal: float) -> None:
    """Q_SS F_S = b_S for every class by conjugate gradients, until no equation is off by more than `goal`."""
    nodes, rows = state.nodes, state.estimate.rows
    n, slack, widest = adjacency.extent[0], finest_of(rows), 1.0
    finest = slack
    x, r = np.zeros(nodes.shape[0]), np.zeros(nodes.shape[0])
    where, place = np.empty(n, np.int32), np.empty(n, np.int64)
    for j in range(n):
        slack = max(slack, finest * nodes[j].q)
        widest = max(widest, width_of(adjacency, nodes, j))
    for c in range(state.counts.shape[0]):
        many = 0
        for j in range(n):
            for s in range(rows.shape[1]):
                if rows[j, s].value > 0 and rows[j, s].code == c:
                    where[many], place[j] = j, s
                    many += 1
        among, before = where[:many], np.inf
        while many > 0:
            worst = 0.0
            for j in among:
                x[j] = min(max(rows[j, place[j]].value, 0.0), 1.0)
            for j in among:
                wanted = 1 / adjacency.mu if nodes[j].label == c else 0.0
                r[j] = wanted - times(adjacency, nodes, x, j)
                worst = max(worst, abs(r[j]))
            if worst <= max(goal, slack) or worst > before / 2:
                break
            before = worst
            tight = 0.5 * goal / widest  # nowhere is |r_j| then above goal / 2
            if conjugate_gradients(adjacency, nodes, state.solve, among, x, r, tight, np.inf):
                raise Stopped
            for j in among:
                rows[j, place[j]].value = min(max(x[j], 0.0), 1.0)
        for j in among:
            x[j] = 0.0


@compiled
def largest_left(adjacency: Adjacency, state: Any, left: Floats) -> None:
    """The largest entry of |b - Q F| at each node, over all classes."""
    nodes, rows = state.nodes, state.estimate.rows
    total, codes = room_for(state)
    for j in range(left.shape[0]):
        at: Any = np.uint64(j)
        count, worst = demand_few(adjacency, nodes, rows, at, total, codes, 0), 0.0
        for s in range(rows.shape[1]):
            c: Any = rows[at, s].code
            if rows[at, s].value > 0:
                worst = max(worst, abs(total[c] - nodes[j].q * rows[at, s].value))
                total[c] = 0.0
        for a in range(count):
            worst = max(worst, total[codes[a]])
        forget(total, codes, count)
        left[j] = worst


def error_few(adjacency: Adjacency, state: LocalState) -> Floats:
    """For each node how far any entry of F, with a place or without, may be from that of the exact f."""
    left = np.empty(int(adjacency.extent[0]))
    largest_left(adjacency, state, left)
    return np.asarray(np.minimum(error_of(adjacency, state, left), 1.0))
