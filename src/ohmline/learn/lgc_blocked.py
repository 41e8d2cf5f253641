"""The steps of paper 004 when the order is known ahead: many gains by one matrix product.

For a block of B trials the gains with respect to the A^-1 before the block are one product
G = M_B A^-1. Inside the block, A^-1 is that matrix less s s' for every label learned since
(s = g / sqrt(1 + q)), so a trial's true gain is its row of G less (s . m) s for each, and its
q the old one less (s . m)^2. At the end of the block the same terms are taken off A^-1, by
one product again. The predictions are those of the streaming step; margins and variances
agree to rounding, because the sums are taken in another order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.compiled import compiled, dot
from ohmline.learn.lgc_step import margin_of, spread
from ohmline.learn.stepping import Log, Trials, asks


@compiled
def run_blocked(space: Any, state: Any, trials: Trials, spent: int, log: Log, block: int) -> int:
    """As ``run``, with ``block`` trials ahead at a time; the number of labels asked for so far."""
    positions, truth, revealed, draws = trials.where, trials.truth, trials.revealed, trials.draws
    rule, first = trials.rule, trials.first
    w, inverse = state.weights, state.inverse
    d = w.shape[0]
    rows = np.empty((block, d), w.dtype)  # M_B
    gains = np.empty((block, d), w.dtype)  # G, then the true gains where a label is learned
    learned = np.empty((block, d), w.dtype)  # s of each label learned in this block
    along = np.empty(block, w.dtype)  # s . m of the trial at hand
    change = np.empty((d, d), w.dtype)  # sum of s s'
    for start in range(0, len(positions), block):
        size = min(block, len(positions) - start)
        for b in range(size):
            i = positions[start + b]
            for e in range(d):  # twice as fast as copying the row as a slice
                rows[b, e] = space.rows[i, e]
        np.dot(rows[:size], inverse, gains[:size])
        k = 0
        for b in range(size):
            t, i = start + b, positions[start + b]
            m, g = rows[b], gains[b]
            margin = margin_of(w, m, state.sqnorm[0], space.diagonal[i])
            q = float(dot(m, g, d))
            for j in range(k):
                along[j] = dot(learned[j], m, d)
                q -= along[j] * along[j]
            q = max(q, 0.0)
            variance = spread(q, state.before[0])
            log.prediction[t] = 1 if margin >= 0 else -1
            log.margin[t] = margin
            log.variance[t] = variance
            if not (revealed[t] and asks(rule, first + t, margin, variance, spent, draws[t])):
                continue
            spent += 1
            log.asked[t] = True
            y = truth[t]
            if margin * y > 0 and not state.every[0]:
                continue
            for j in range(k):
                for e in range(d):
                    g[e] -= along[j] * learned[j, e]
            c = (y - margin) / (1 + q)
            log.updated[t] = True
            log.progress[t] = c * c * float(dot(g, g, d))
            scale = 1 / np.sqrt(1 + q)
            for e in range(d):
                w[e] += c * g[e]
                learned[k, e] = scale * g[e]
            state.sqnorm[0] = dot(w, w, d)
            k += 1
        if k:
            np.dot(learned[:k].T, learned[:k], change)
            for j in range(d):
                row, less = inverse[j], change[j]
                for e in range(d):
                    row[e] -= less[e]
    return spent
