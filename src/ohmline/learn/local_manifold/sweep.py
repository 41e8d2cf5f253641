"""The graph over the nodes, and one sweep of the soft labels over it."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Ints
from ohmline.compiled import inlined, internal
from ohmline.learn.local_manifold.merging import touch
from ohmline.learn.local_manifold.state import EDGES, LANES, LISTED, Settings, Summary
from ohmline.learn.manifold.expansion import exponentials

GROUND = 0.01
"""How much of a soft label is lost from node to node, so that what is far from every label says little."""
WEAKEST = 1e-12
"""The least weight of an edge: no node is cut off from its neighbours."""
SMALLEST = 1e-290
"""Below this a product of two scales cannot be divided by: the nodes are taken for one."""
FAINTEST = 0.05
"""A label that has faded to this share of a fresh one is forgotten."""


@inlined
def scale_of(state: Summary, k: int) -> float:
    """sigma_k: the distance to the last neighbour that is listed."""
    for a in range(LISTED - 1, -1, -1):
        if state.near[k, a] >= 0:
            return np.sqrt(state.near_sq[k, a])
    return 0.0


@internal
def join(state: Summary) -> None:
    """e_ij of every edge into the work space, and for each node which edges end there."""
    n, work = state.tally.size[0], state.work
    scale, start = work.sqdist, work.start  # distances of x, which nobody reads any more
    for i in range(n):
        scale[i] = scale_of(state, i)
        start[i] = 0
    for i in range(n):
        for a in range(EDGES):
            j, far = state.near[i, a], 0.0
            if j >= 0:
                product = scale[i] * scale[j]
                far = state.near_sq[i, a] / product if product > SMALLEST else 0.0
                start[j] += not is_edge(state.near, j, i)
            work.far[i * EDGES + a] = far
    exponentials(work.far, 1.0, n * EDGES, work.edge)
    for i in range(1, n):
        start[i] += start[i - 1]
    start[n] = start[n - 1]
    for i in range(n - 1, -1, -1):
        for a in range(EDGES - 1, -1, -1):
            p, j = i * EDGES + a, state.near[i, a]
            edge = max(work.edge[p], WEAKEST)
            if j < 0:
                continue
            mutual = is_edge(state.near, j, i)
            work.edge[p] = (2.0 * edge if mutual else edge) * state.mass[
                j
            ]  # e_ij = e_ji where both are there
            if not mutual:  # filled from the back, so that `start` ends up at the first edge of each node
                start[j] -= 1
                work.source[start[j]], work.incoming[start[j]] = i, edge * state.mass[i]


@inlined
def is_edge(near: Ints, j: int, i: int) -> bool:
    """Whether node j is joined to i by an edge of its own, without a branch."""
    found = False
    for a in range(EDGES):
        found |= near[j, a] == i
    return found


@inlined
def hear_neighbours(state: Summary, i: int) -> float:
    """sum_j S_ij m_j F_j into the sums, `LANES` classes at a time, over both kinds of edges; sum_j S_ij m_j."""
    work, soft, near = state.work, state.soft, state.near
    own, first, last = 0, work.start[i], work.start[i + 1]
    while own < EDGES and near[i, own] >= 0:
        own += 1
    total = 0.0
    for a in range(own):
        total += work.edge[i * EDGES + a]
    for p in range(first, last):
        total += work.incoming[p]
    for c in range(0, state.tally.seen[0], LANES):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for a in range(own):
            j, w = near[i, a], work.edge[i * EDGES + a]
            s0 += w * soft[j, c]
            s1 += w * soft[j, c + 1]
            s2 += w * soft[j, c + 2]
            s3 += w * soft[j, c + 3]
        for p in range(first, last):
            j, w = work.source[p], work.incoming[p]
            s0 += w * soft[j, c]
            s1 += w * soft[j, c + 1]
            s2 += w * soft[j, c + 2]
            s3 += w * soft[j, c + 3]
        work.sums[c], work.sums[c + 1], work.sums[c + 2], work.sums[c + 3] = s0, s1, s2, s3
    return total


@internal
def sweep(settings: Settings, state: Summary) -> float:
    """Every node's soft label from those of its neighbours and its own label, in place; squared length of the move."""
    seen, tally, sums = state.tally.seen[0], state.tally, state.work.sums
    firm = settings.label_weight if settings.label_weight > 0.0 else tally.points[0] / tally.labels[0]
    sqlength = 0.0
    for i in range(tally.size[0]):
        total, label, soft = hear_neighbours(state, i), state.label[i], state.soft[i]
        weight = firm * min(1.0, state.held[i] / tally.unit[0]) if label >= 0 else 0.0
        if total <= 0.0 and label < 0:
            continue
        share = 1.0 / (total * (weight + 1.0 + GROUND)) if total > 0.0 else 0.0
        for c in range(seen):
            sums[c] *= share
        if label >= 0:
            sums[label] += weight / (weight + 1.0 + GROUND) if total > 0.0 else 1.0
        for c in range(seen):
            step = sums[c] - soft[c]
            sqlength += step * step
            soft[c] = sums[c]
    return sqlength


@internal
def classify(state: Summary, many: int) -> int:
    """The class of every node anew; how many nodes are touched, of which `many` were before."""
    seen = state.tally.seen[0]
    for i in range(state.tally.size[0]):
        cls, top, whole = -1, 0.0, 0.0
        for c in range(seen):
            value = state.soft[i, c]
            whole += value
            if value > top:
                cls, top = c, value
        state.whole[i] = whole
        cls = state.label[i] if state.label[i] >= 0 else cls
        if cls != state.cls[i]:
            state.cls[i] = cls
            many = touch(state, i, many)
    return many


@internal
def fade(state: Summary, many: int) -> int:
    """Forget the labels that are too old; how many nodes are touched, of which `many` were before."""
    least = FAINTEST * state.tally.unit[0]
    for i in range(state.tally.size[0]):
        if state.label[i] >= 0 and state.held[i] < least:
            state.label[i], state.held[i] = -1, 0.0
            many = touch(state, i, many)
    return many
