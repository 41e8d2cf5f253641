"""The step of `LocalLGC` over rows of few classes: what depends on how the estimate is kept.

Where no class ever had to leave, every number is the one that rows of all classes give, bit for bit. A learned label
raises the values of its own class and lowers those of all others, so that at each touched node the places are lowered,
one class is raised, and no other class has to be looked at. Where there is no room for it, it takes the place of the
smallest value if it is larger; otherwise what it would have had is gone.

Which place is the first empty one, and which of equal values leaves, follows from the order of events and of
neighbours, never from how classes are numbered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import Stopped, implements, internal, prefetch
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.coming import two_best
from ohmline.learn.local_lgc.few import FewClasses
from ohmline.learn.local_lgc.nodes import STALE, put_mark
from ohmline.learn.local_lgc.scratch import LocalSolve, listen
from ohmline.learn.local_lgc.state import AHEAD, CLOSE, LocalState, add_up
from ohmline.learn.local_lgc.step import spread_change
from ohmline.learn.local_lgc.sweeps import AHEAD as EDGES_AHEAD
from ohmline.learn.local_lgc.sweeps import sweep_once


@internal
def add_up_few(
    estimate: FewClasses, adjacency: Adjacency, nodes: Any, solve: LocalSolve
) -> tuple[float, float]:
    """`add_up`: an empty place adds 0."""
    base, score, rows = solve.base, solve.score, estimate.rows
    residual, negative, places = 0.0, 0.0, np.uint64(rows.shape[1])
    count, first, width = solve.found[0].touched, rows.ctypes.data, rows.shape[1] * rows.itemsize
    far = width * rows.shape[0] > CLOSE
    for a in range(count):
        if far and a + AHEAD < count:
            prefetch(first + solve.touched[a + AHEAD] * width, width)
        j: Any = np.uint64(solve.touched[a])
        label, r = nodes[j].label, nodes[j].r
        if label >= 0:
            base[label] += nodes[j].x / adjacency.mu
        residual += abs(r)
        negative += max(-r, 0.0)
        for s in range(places):
            score[rows[j, s].code] += rows[j, s].value * r
    return residual, negative


@implements(add_up, FewClasses)
def _add_up(estimate: Any, adjacency: Any, nodes: Any, solve: Any) -> Any:
    return add_up_few(estimate, adjacency, nodes, solve)


@internal
def smallest(rows: Any, j: Any) -> Any:
    """The first place of row j that has the smallest value."""
    low: Any = np.uint64(0)
    for s in range(np.uint64(rows.shape[1])):
        low = s if rows[j, s].value < rows[j, low].value else low
    return low


@internal
def choose(rows: Any, j: Any, total: Floats, codes: Ints, count: int) -> None:
    """Row j keeps the largest of `total`, which is above 0 at some of the first `count` codes, and is 0 afterwards."""
    least, places = np.inf, np.uint64(rows.shape[1])
    for s in range(places):  # the classes that are there, in their places: few others then have to be put in
        c: Any = rows[j, s].code
        if rows[j, s].value > 0:
            rows[j, s].value = total[c]
            total[c] = 0.0
        least = min(least, rows[j, s].value)
    for a in range(count):
        c = np.uint64(codes[a])
        value = total[c]
        total[c] = 0.0
        if value > least:
            low = smallest(rows, j)
            rows[j, low].value = value
            rows[j, low].code = c
            least = rows[j, smallest(rows, j)].value


@internal
def spread_few(
    estimate: FewClasses, adjacency: Adjacency, state: LocalState, t: int, y: int, move: Floats
) -> None:
    """`spread_change`."""
    nodes, solve, rows = state.nodes, state.solve, estimate.rows
    known, places, at = 0, np.uint64(rows.shape[1]), np.uint64(t)
    for c in state.order:
        if c < 0:
            break
        known += 1
    choose(rows, at, solve.score.copy(), state.order, known)
    for a in range(solve.found[0].touched):
        j: Any = np.uint64(solve.touched[a])
        put_mark(nodes, j, STALE)
        x = nodes[j].x
        if x != 0:
            low: Any = np.uint64(0)
            there, least = False, np.inf
            for s in range(places):
                before, c = rows[j, s].value, rows[j, s].code
                after = min(max(before + x * move[c], 0.0), 1.0) if before > 0 else 0.0
                rows[j, s].value = after
                there = there or (before > 0 and c == y)
                if after < least:
                    low, least = s, after
            raised = min(x * move[y], 1.0)
            if not there and raised > least:
                rows[j, low].value = raised
                rows[j, low].code = y
    solve.found[0].node = -1


@implements(spread_change, FewClasses)
def _spread(estimate: Any, adjacency: Any, state: Any, t: Any, y: Any, move: Any) -> Any:
    spread_few(estimate, adjacency, state, t, y, move)


@internal
def demand_few(
    adjacency: Adjacency, nodes: Any, rows: Any, j: Any, total: AnyArray, codes: Ints, ahead: int
) -> int:
    """What Q_jj F_j should be, given the neighbours, into `total`, which is 0 before; its classes, and how many."""
    places, ends, kind = np.uint64(rows.shape[1]), adjacency.neighbour.shape[0], total.dtype.type
    first, width, count = rows.ctypes.data, rows.shape[1] * rows.itemsize, 0
    if nodes[j].label >= 0:
        total[nodes[j].label] = 1 / adjacency.mu
        codes[0] = nodes[j].label
        count = 1
    for p in range(adjacency.start[j], adjacency.stop[j]):
        far = p + ahead
        if ahead != 0 and 0 <= far < ends:
            prefetch(first + adjacency.neighbour[far] * width, width)
        k: Any = np.uint64(adjacency.neighbour[p])
        w = kind(adjacency.weight[p & adjacency.every])
        for s in range(places):
            c: Any = rows[k, s].code
            before = total[c]
            after = before + w * rows[k, s].value
            total[c] = after
            # No branch, because nobody can foretell it: `codes` has a place to spare.
            codes[np.uint64(count)] = c
            count += (before == 0) & (after > 0)
    return count


@internal
def sweep_few(estimate: FewClasses, adjacency: Adjacency, state: LocalState, forth: bool) -> None:
    """`sweep_once`: of what a node hears, its row keeps the largest."""
    nodes, rows, classes = state.nodes, estimate.rows, state.counts.shape[0]
    total, codes = scratch_like(rows, classes)
    kind = total.dtype.type
    n, ahead = adjacency.extent[0], EDGES_AHEAD if forth else -EDGES_AHEAD
    for step in range(n):
        j: Any = np.uint64(step if forth else n - 1 - step)
        count = demand_few(adjacency, nodes, rows, j, total, codes, ahead)
        share = kind(1 / nodes[j].q)
        for a in range(count):
            total[codes[a]] = min(total[codes[a]] * share, kind(1))
        choose(rows, j, total, codes, count)
        state.solve.found[0].unheard += adjacency.stop[j] - adjacency.start[j]
        if listen(state.solve):
            raise Stopped


@internal
def scratch_like(rows: Any, classes: int) -> tuple[AnyArray, Ints]:
    """Zeros for every class in the precision of the rows, and room for their codes with a place to spare."""
    return np.zeros(classes, rows["value"].dtype), np.empty(classes + 1, np.int64)


@implements(sweep_once, FewClasses)
def _sweep(estimate: Any, adjacency: Any, state: Any, forth: Any) -> Any:
    sweep_few(estimate, adjacency, state, forth)


@implements(two_best, FewClasses)
def _two_best(estimate: Any, j: Any) -> Any:
    first, second = 0.0, 0.0
    for s in range(estimate.rows.shape[1]):
        value = estimate.rows[j, s].value
        if value > first:
            first, second = value, first
        elif value > second:
            second = value
    return first, second
