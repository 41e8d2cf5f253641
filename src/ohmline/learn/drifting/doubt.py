"""Doubt: what a label says about the labels of others, when its node has changed or has kept its class.

The confidence c_j of a label makes its precision c_j / mu. A node that is labelled the same again vouches for those
that it hears: c_j = 1 - (1 - c_j) exp(-16 x_j / x_t). A node that has changed from `old` to y speaks against all that
are near it through nodes that are not known to be of another class: of what F says there of `old`, a part goes over to
y, and labels of `old` are doubted. It works because solves are truncated: with exact ones r = 0, and F is never read.
"""

from __future__ import annotations

import numpy as np

from ohmline.compiled import internal
from ohmline.learn.drifting.solve import QUEUED, SEEN
from ohmline.learn.drifting.state import DOUBT, DriftSpace, DriftState

FIRMNESS = 16.0
"""How quickly doubt and confidence saturate with nearness."""
LEAST = 0.005
"""The confidence that doubt leaves."""
LEAK = 0.01
"""What stops the walk from a changed node at each node, in mean degrees."""
NEAR = 1e-3
"""The tolerance of that walk."""
MOST_EDGES = 400_000
"""It walks so many edges at most."""


@internal
def agree(state: DriftState, t: int) -> None:
    """The same label again at t: labels of its class that the solve at t touched are believed more."""
    solves, old = state.solves, state.label[t]
    x = solves.x[DOUBT]
    for a in range(solves.found[DOUBT]):
        j = solves.touched[DOUBT, a]
        if j != t and state.label[j] == old and x[j] > 0:
            state.confidence[j] = 1 - (1 - state.confidence[j]) * np.exp(-FIRMNESS * x[j] / x[t])


@internal
def walk(space: DriftSpace, state: DriftState, t: int, old: int) -> int:
    """Push from t without entering nodes labelled other than `old`; how many nodes were touched.

    The rows of the doubting expert hold it: its solve is no longer needed.
    """
    solves = state.solves
    x, r, touched = solves.x[DOUBT], solves.r[DOUBT], solves.touched[DOUBT]
    queue, mark, capacity = solves.queue, solves.mark, solves.queue.shape[0]
    for a in range(solves.found[DOUBT]):
        x[touched[a]] = 0.0
        r[touched[a]] = 0.0
    leak = LEAK * space.mean_degree
    count, head, waiting, left = 1, 0, 1, MOST_EDGES
    touched[0], queue[0], r[t] = t, t, 1.0
    mark[t] = SEEN | QUEUED
    tail = 1 if capacity > 1 else 0
    while waiting > 0 and left > 0:
        j = queue[head]
        head = head + 1 if head + 1 < capacity else 0
        waiting -= 1
        mark[j] &= ~QUEUED
        moved = r[j] / (space.degree[j] + leak)
        r[j] = 0.0
        x[j] += moved
        left -= space.start[j + 1] - space.start[j]
        for p in range(space.start[j], space.start[j + 1]):
            k = space.neighbour[p]
            if state.label[k] >= 0 and state.label[k] != old:
                continue  # it absorbs what comes: its edge is counted in the degree of j
            r[k] += moved * space.weight[p & space.every]
            if mark[k] & SEEN == 0:
                mark[k] |= SEEN
                touched[count] = k
                count += 1
            if mark[k] & QUEUED == 0 and r[k] > NEAR * (space.degree[k] + leak):
                mark[k] |= QUEUED
                queue[tail] = k
                tail = tail + 1 if tail + 1 < capacity else 0
                waiting += 1
    for a in range(count):
        mark[touched[a]] = 0
    solves.found[DOUBT] = count
    return count


@internal
def disagree(space: DriftSpace, state: DriftState, t: int, old: int, y: int) -> None:
    """t has changed from `old` to y: so may have what is near it."""
    solves = state.solves
    count = walk(space, state, t, old)
    x, estimate = solves.x[DOUBT], state.estimate[DOUBT]
    for a in range(count):
        j = solves.touched[DOUBT, a]
        if j == t or x[j] <= 0:
            continue
        near = min(x[j] / x[t], 1.0)
        kept = np.exp(-FIRMNESS * near)
        gone = (1 - kept) * estimate[j, old]
        estimate[j, old] -= gone
        estimate[j, y] = min(estimate[j, y] + gone * near, 1.0)
        if state.label[j] == old:
            state.confidence[j] = max(LEAST, state.confidence[j] * kept)
