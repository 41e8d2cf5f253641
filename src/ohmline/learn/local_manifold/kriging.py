"""Prediction: the nearest nodes, weighed as a Gaussian process weighs them."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import inlined, internal
from ohmline.learn.contract import TIE
from ohmline.learn.local_manifold.nearest import nearest_of, sqdistance
from ohmline.learn.local_manifold.state import LANES, Summary
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
    spare, unknown = 1.0, 0.0  # what the weights leave of 1 goes to the mean of all
    for a in range(k):
        spare -= work.weight[a]
    for a in range(k):
        share, whole = work.weight[a] + spare / k, state.whole[work.near[a]]
        unknown += 0.0 if whole > 0.0 else share / seen
        work.weight[a] = share / whole if whole > 0.0 else 0.0
    add_rows(state.soft, work.near, work.weight, k, seen, work.score)
    for c in range(seen):
        work.score[c] += unknown
        work.balanced[c] = work.score[c] * state.balance[c]


@inlined
def add_rows(rows: Floats, which: Ints, weight: Floats, many: int, columns: int, out: Floats) -> None:
    """The weighted sum of some rows into `out`, `LANES` columns at a time: one instruction adds them all."""
    for c in range(0, columns, LANES):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for e in range(many):
            j, w = which[e], weight[e]
            s0 += w * rows[j, c]
            s1 += w * rows[j, c + 1]
            s2 += w * rows[j, c + 2]
            s3 += w * rows[j, c + 3]
        out[c], out[c + 1], out[c + 2], out[c + 3] = s0, s1, s2, s3


@internal
def weigh(state: Summary, k: int) -> None:
    """(K + ridge I)^-1 k_x over the first k of `near`, into `weight`; K is a Gaussian at the scale of the place."""
    work, far = state.work, state.work.far
    p, total = 0, 0.0
    for a in range(k):
        row = state.sqdist[work.near[a]]
        for b in range(a, k):
            far[p + b - a] = row[work.near[b]]
            total += far[p + b - a]
        p += k - a
    mean = 2.0 * total / (k * k)
    gain = 1.0 / mean if mean > SMALLEST else 0.0
    exponentials(far, gain, p, work.gram)
    exponentials(work.near_sq, gain, k, work.weight)
    solve(work.gram, k, work.weight)


@internal
def solve(gram: Floats, k: int, v: Floats) -> None:
    """(gram + ridge I)^-1 v in place of v, by elimination with two pivots at a time; gram is spoiled.

    gram has the rows of its upper half one after the other, row j from its diagonal on.
    """
    p = 0
    for j in range(0, k - 1, 2):
        m = k - j
        first, second = gram[p : p + m], gram[p + m : p + 2 * m - 1]
        first[0] += RIDGE
        share = 1.0 / first[0]
        step = first[1] * share
        for b in range(m - 1):
            second[b] -= step * first[b + 1]
        second[0] += RIDGE
        other = 1.0 / second[0]
        v[j] *= share
        v[j + 1] = (v[j + 1] - first[1] * v[j]) * other
        p += 2 * m - 1
        q = p
        for i in range(2, m):
            row, above, next_above = gram[q : q + m - i], first[i:], second[i - 1 :]
            step, next_step = first[i] * share, second[i - 1] * other
            for b in range(m - i):
                row[b] -= step * above[b] + next_step * next_above[b]
            v[j + i] -= first[i] * v[j] + second[i - 1] * v[j + 1]
            q += m - i
    if k % 2 == 1:
        v[k - 1] /= gram[p] + RIDGE
    p = k * (k + 1) // 2 - 1
    for j in range(k - 2, -1, -1):
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
    mean, heaped, unknown = state.work.sums, 0.0, 0.0
    for c in range(seen):
        mean[c] = 0.0
    for i in range(n):
        heaped += state.mass[i]
        if state.whole[i] > 0.0:
            share = state.mass[i] / state.whole[i]
            for c in range(seen):
                mean[c] += share * state.soft[i, c]
        else:
            unknown += state.mass[i] / seen
    labels = tally.labels[0] / tally.unit[0] + seen
    for c in range(seen):
        wanted = (state.counts[c] / tally.unit[0] + 1.0) / labels
        there = (mean[c] + unknown) / heaped
        state.balance[c] = np.sqrt(wanted / there) if there > 0.0 else 1.0
