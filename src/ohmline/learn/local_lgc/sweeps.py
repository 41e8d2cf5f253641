"""The estimate of a large graph, brought nearer to f at all nodes each time the labels have doubled.

A label moves F where its local solve went, and no further. On a large graph most nodes are far from every solve while
labels are few, so that a solve there ends late and knows little. A sweep F_j <- (b_j + sum_k w_jk F_k) / Q_jj over all
nodes in their order, then back, hands on what is known; two of them, forth and back, come so seldom that they
cost little for each label.

The first time is when one node in 160 has a label. Whether it is time follows from the number of labels alone, so that
a snapshot needs to know nothing of it, and it is done before the next label is learned: a sweep that is interrupted
has learned nothing, and is made again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.compiled import Stopped, generic, internal, prefetch
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.nodes import STALE, put_mark
from ohmline.learn.local_lgc.scratch import listen
from ohmline.learn.local_lgc.state import LocalState

MANY = 200_000
"""Graphs with more nodes than this are swept, unless told otherwise."""
LOOSER = 1e-3
"""The tolerance of local solves where F is swept, unless told otherwise: F is nearer to f there."""
SHARE = 160
"""One node in so many has a label when F is swept for the first time."""
AHEAD = 24
"""The rows of F of neighbours so many places ahead are on their way from memory."""
SWEEPS = 2
"""Sweeps each time, forth and back in turn. Four cost twice as much and save .3 % of the mistakes, one costs 1 %."""


@internal
def is_time(adjacency: Adjacency, state: LocalState) -> bool:
    """Whether F has to be swept before the next label: at so many labels, and each time they have doubled."""
    if adjacency.sweeps == 0:
        return False
    labels, first = state.counts.sum(), max(adjacency.extent[0] // SHARE, 1)
    times = labels // first
    return times > 0 and times * first == labels and times & (times - 1) == 0


@internal
def sweep_all(adjacency: Adjacency, state: LocalState) -> None:
    """Bring F nearer to f everywhere."""
    nodes = state.nodes
    for j in range(adjacency.extent[0]):
        put_mark(nodes, j, STALE)
    for turn in range(adjacency.sweeps):
        sweep_once(state.estimate, adjacency, state, turn % 2 == 0)


def _sweep_every_class(estimate: Any, adjacency: Any, state: Any, forth: Any) -> Any:
    if estimate.shape[1] == 2:
        sweep_two(adjacency, state, forth)
    else:
        sweep_many(adjacency, state, forth)


@generic("estimate", default=_sweep_every_class)
def sweep_once(estimate: Any, adjacency: Any, state: Any, forth: Any) -> None:
    """F_j <- (b_j + sum_k w_jk F_k) / Q_jj, kept where f lies, at all nodes in their order or back."""
    raise TypeError("compiled code only")


@internal
def sweep_many(adjacency: Adjacency, state: LocalState, forth: bool) -> None:
    """F_j <- (b_j + sum_k w_jk F_k) / Q_jj, kept where f lies, at all nodes in their order or back."""
    nodes, estimate = state.nodes, state.estimate
    n, classes, kind = adjacency.extent[0], estimate.shape[1], estimate.dtype.type
    row, ends = np.empty(classes, estimate.dtype), adjacency.neighbour.shape[0]
    rows, width = estimate.ctypes.data, classes * estimate.itemsize
    for step in range(n):
        j = step if forth else n - 1 - step
        for c in range(classes):
            row[c] = 0.0
        if nodes[j].label >= 0:
            row[nodes[j].label] = 1 / adjacency.mu
        first, last = adjacency.start[j], adjacency.stop[j]
        for p in range(first, last):
            far = p + AHEAD if forth else p - AHEAD
            if 0 <= far < ends:
                prefetch(rows + adjacency.neighbour[far] * width, 1)
                prefetch(rows + adjacency.neighbour[far] * width + width - 1, 1)
            k, w = adjacency.neighbour[p], kind(adjacency.weight[p & adjacency.every])
            for c in range(classes):
                row[c] += w * estimate[k, c]
        share = kind(1 / nodes[j].q)
        for c in range(classes):
            estimate[j, c] = max(min(row[c] * share, 1), adjacency.least)
        state.solve.found[0].unheard += last - first
        if listen(state.solve):
            raise Stopped


@internal
def sweep_two(adjacency: Adjacency, state: LocalState, forth: bool) -> None:
    """The same for two classes, bit for bit: sums that stay in registers take half of the time."""
    nodes, estimate = state.nodes, state.estimate
    n, kind, ends = adjacency.extent[0], estimate.dtype.type, adjacency.neighbour.shape[0]
    rows, width = estimate.ctypes.data, 2 * estimate.itemsize
    for step in range(n):
        j = step if forth else n - 1 - step
        one = kind(1 / adjacency.mu if nodes[j].label == 0 else 0)
        two = kind(1 / adjacency.mu if nodes[j].label == 1 else 0)
        first, last = adjacency.start[j], adjacency.stop[j]
        for p in range(first, last):
            far = p + AHEAD if forth else p - AHEAD
            if 0 <= far < ends:
                prefetch(rows + adjacency.neighbour[far] * width, 1)
            k, w = adjacency.neighbour[p], kind(adjacency.weight[p & adjacency.every])
            one += w * estimate[k, 0]
            two += w * estimate[k, 1]
        share = kind(1 / nodes[j].q)
        estimate[j, 0] = max(min(one * share, 1), adjacency.least)
        estimate[j, 1] = max(min(two * share, 1), adjacency.least)
        state.solve.found[0].unheard += last - first
        if listen(state.solve):
            raise Stopped
