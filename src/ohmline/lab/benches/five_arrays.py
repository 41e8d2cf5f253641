"""LocalLGC as it would be without records, caps and sweeps: the reference of its benchmark on a large graph.

The same push, rounds and updates over one array for each thing that is known of a node, for graphs without weights.
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import compiled, internal

RIDGE = 0.1
COARSEST, FINEST, CAUTION, EARLY = 1e-2, 3e-4, 0.1, 5.0


@internal
def push_all(
    indptr: Ints,
    indices: AnyArray,
    q: Floats,
    x: Floats,
    r: Floats,
    seen: AnyArray,
    queued: AnyArray,
    queue: Ints,
    touched: Ints,
    count: int,
    tolerance: float,
) -> int:
    """Push until no r_j exceeds tolerance Q_jj; how many nodes were reached."""
    head, tail, waiting = 0, 0, 0
    for a in range(count):
        if r[touched[a]] > tolerance * q[touched[a]]:
            queue[tail] = touched[a]
            queued[touched[a]] = True
            tail, waiting = tail + 1, waiting + 1
    while waiting > 0:
        j = queue[head % queue.shape[0]]
        head, waiting = head + 1, waiting - 1
        queued[j] = False
        moved = r[j] / q[j]
        r[j] = 0.0
        x[j] += moved
        for p in range(indptr[j], indptr[j + 1]):
            k = indices[p]
            r[k] += moved
            if not seen[k]:
                seen[k] = True
                touched[count] = k
                count += 1
            if not queued[k] and r[k] > tolerance * q[k]:
                queued[k] = True
                queue[tail % queue.shape[0]] = k
                tail, waiting = tail + 1, waiting + 1
    return count


@compiled
def play_arrays(indptr: Ints, indices: AnyArray, order: Ints, truth: Ints, classes: int, mu: float) -> int:
    """A game in which every label is learned; the number of mistakes."""
    n, mistakes = indptr.shape[0] - 1, 0
    q = np.empty(n)
    q[:] = indptr[1:] - indptr[:-1] + RIDGE
    x, r, estimate = np.zeros(n), np.zeros(n), np.zeros((n, classes))
    seen, queued, label = np.zeros(n, np.bool_), np.zeros(n, np.bool_), np.full(n, -1)
    queue, touched, known = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(classes, np.bool_)
    score = np.zeros(classes)
    for labels, t in enumerate(order):
        caution = max(CAUTION, min(1.0, EARLY * known.sum() / max(labels, 1)))
        touched[0], count = t, 1
        r[t], seen[t], tolerance = 1.0, True, COARSEST
        while True:
            count = push_all(indptr, indices, q, x, r, seen, queued, queue, touched, count, tolerance)
            score[:] = 0.0
            left = 0.0
            for a in range(count):
                j = touched[a]
                if label[j] >= 0:
                    score[label[j]] += x[j] / mu
                if r[j] > 0:
                    left += r[j]
                    for c in range(classes):
                        score[c] += estimate[j, c] * r[j]
            best = np.argmax(score)
            rest = 0.0
            for c in range(classes):
                if c != best:
                    rest = max(rest, score[c])
            if tolerance <= FINEST or score[best] - rest > caution * left:
                break
            tolerance = max(tolerance / 3, FINEST)
        y = truth[t]
        mistakes += best != y or score[best] <= 0
        step = 1 / (mu + x[t])
        estimate[t] = score
        for a in range(count):
            j = touched[a]
            for c in range(classes):
                wish = (1.0 if c == y else 0.0) - score[c]
                estimate[j, c] = min(max(estimate[j, c] + x[j] * wish * step, 0.0), 1.0)
            x[j] = r[j] = 0.0
            seen[j] = False
        label[t], known[y] = y, True
        q[t] += 1 / mu
    return mistakes
