"""The estimate of a large graph, brought nearer to f at all nodes each time the labels have doubled.

A label moves F where its local solve went, and no further. On a large graph most nodes are far from every solve while
labels are few, so that a solve there ends late and knows little. A sweep F_j <- (b_j + sum_k w_jk F_k) / Q_jj over all
nodes in their order, then back, hands on what is known; four of them cost about as much as the edges of a few thousand
trials, and come so seldom that this is little for each label.

The first time is when one node in 160 has a label. Whether it is time follows from the number of labels alone, so that
a snapshot needs to know nothing of it, and it is done before the next label is learned: a sweep that is interrupted
has learned nothing, and is made again.
"""

from __future__ import annotations

import numpy as np

from ohmline.compiled import Stopped, internal
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
SWEEPS = 4
"""Sweeps each time, forth and back in turn."""


@internal
def is_time(adjacency: Adjacency, state: LocalState) -> bool:
    """Whether F has to be swept before the next label: at so many labels, and each time they have doubled."""
    if not adjacency.sweeps:
        return False
    labels, first = state.counts.sum(), max(adjacency.extent[0] // SHARE, 1)
    times = labels // first
    return times > 0 and times * first == labels and times & (times - 1) == 0


@internal
def sweep_all(adjacency: Adjacency, state: LocalState) -> None:
    """Bring F nearer to f everywhere."""
    nodes, estimate = state.nodes, state.estimate
    n, classes = adjacency.extent[0], estimate.shape[1]
    row = np.empty(classes, estimate.dtype)
    for j in range(n):
        put_mark(nodes, j, STALE)
    for turn in range(SWEEPS):
        for step in range(n):
            j = step if turn % 2 == 0 else n - 1 - step
            for c in range(classes):
                row[c] = 0.0
            if nodes[j].label >= 0:
                row[nodes[j].label] = 1 / adjacency.mu
            first, last = adjacency.start[j], adjacency.stop[j]
            for p in range(first, last):
                k, w = adjacency.neighbour[p], estimate.dtype.type(adjacency.weight[p & adjacency.every])
                for c in range(classes):
                    row[c] += w * estimate[k, c]
            share = estimate.dtype.type(1 / nodes[j].q)
            for c in range(classes):
                estimate[j, c] = min(row[c] * share, 1)
            state.solve.found[0].unheard += last - first
            if listen(state.solve):
                raise Stopped
