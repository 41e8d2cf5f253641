"""Prediction: the nearest nodes, weighed as a Gaussian process weighs them."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import internal
from ohmline.learn.contract import TIE
from ohmline.learn.local_manifold.nearest import nearest_of, sqdistance
from ohmline.learn.local_manifold.state import Summary
from ohmline.learn.manifold.expansion import exponentials

RIDGE = 0.1
"""What is added to the diagonal of K: how far a node's soft label may be missed."""
SMALLEST = 1e-290
"""Below this a mean squared distance cannot be divided by: all the points are taken for one."""


@internal
def read(state: Summary, x: Floats) -> None:
    """f(x) into the work space, and the distances to every node on the way."""
    n, seen, work = state.tally.size[0], state.tally.seen[0], state.work
    for i in range(n):
        work.sqdist[i] = sqdistance(state.centre[i], x)
    if seen == 0:
        return
    k = nearest_of(work.sqdist, n, -1, work.near.shape[0], work.near, work.near_sq)
    weigh(state, k)
    spare = 1.0  # what the weights leave of 1 goes to the mean of all
    for a in range(k):
        spare -= work.weight[a]
    for c in range(seen):
        work.score[c] = 0.0
    for a in range(k):
        soft, share = state.soft[work.near[a]], work.weight[a] + spare / k
        total = 0.0
        for c in range(seen):
            total += soft[c]
        for c in range(seen):
            work.score[c] += share * (soft[c] / total if total > 0.0 else 1.0 / seen)
    for c in range(seen):
        work.balanced[c] = work.score[c] * state.balance[c]


@internal
def weigh(state: Summary, k: int) -> None:
    """(K + ridge I)^-1 k_x over the first k of `near`, into `weight`; K is a Gaussian at the scale of the place."""
    work, gram = state.work, state.work.gram
    p, total = 0, 0.0
    for a in range(k):
        row = state.sqdist[work.near[a]]
        gram[p] = 0.0
        for b in range(1, k - a):
            gram[p + b] = row[work.near[a + b]]
            total += gram[p + b]
        p += k - a
    mean = 2.0 * total / (k * k)
    gain = 1.0 / mean if mean > SMALLEST else 0.0
    exponentials(gram, gain, p, gram)
    exponentials(work.near_sq, gain, k, work.weight)
    solve(gram, k, work.weight)


@internal
def solve(gram: Floats, k: int, v: Floats) -> None:
    """(gram + ridge I)^-1 v in place of v, with gram = U' D^-1 U in place of gram: rows of its upper half."""
    p = 0
    for j in range(k):
        gram[p] += RIDGE
        head = gram[p : p + k - j]
        q = p + k - j
        share = 1.0 / head[0]
        v[j] *= share
        for i in range(1, k - j):
            step = head[i] * share
            below = gram[q : q + k - j - i]
            right = head[i:]
            for b in range(k - j - i):
                below[b] -= step * right[b]
            v[j + i] -= head[i] * v[j]
            q += k - j - i
        p += k - j
    for j in range(k - 1, -1, -1):
        p -= k - j
        total = 0.0
        for b in range(1, k - j):
            total += gram[p + b] * v[j + b]
        v[j] -= total / gram[p]


@internal
def verdict(state: Summary) -> tuple[int, float]:
    """(code of the class, gap to the next one) of the point that was read; a gap within rounding is a tie."""
    best, first, second, scale = -1, -np.inf, -np.inf, 0.0
    for c in range(state.tally.seen[0]):
        score = state.work.balanced[c]
        scale = max(scale, abs(score))
        if score > first:
            best, first, second = c, score, first
        elif score > second:
            second = score
    if best < 0:
        return -1, 0.0
    margin = first if second == -np.inf else first - second
    if abs(margin) <= TIE * scale:
        margin = 0.0
        for c in range(best):  # the class that was learned first, also where rounding puts another one ahead
            if first - state.work.balanced[c] <= TIE * scale:
                best = c
                break
    return state.order[best], margin


@internal
def rebalance(state: Summary) -> None:
    """sqrt(q_c / M_c): what brings the mass that each class has in the summary towards its share of the labels."""
    n, seen, tally = state.tally.size[0], state.tally.seen[0], state.tally
    mean = state.work.sums
    for c in range(seen):
        mean[c] = 0.0
    whole = 0.0
    for i in range(n):
        soft, total = state.soft[i], 0.0
        for c in range(seen):
            total += soft[c]
        whole += state.mass[i]
        share = state.mass[i] / total if total > 0.0 else 0.0
        for c in range(seen):
            mean[c] += share * soft[c] if total > 0.0 else state.mass[i] / seen
    labels = tally.labels[0] / tally.unit[0] + seen
    for c in range(seen):
        wanted = (state.counts[c] / tally.unit[0] + 1.0) / labels
        state.balance[c] = np.sqrt(wanted * whole / mean[c]) if mean[c] > 0.0 else 1.0
