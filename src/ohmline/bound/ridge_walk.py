"""Ridge regression walked once more over a game, trial by trial: what it says, and what it would say on average."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.compiled import compiled, dot
from ohmline.learn.lgc.ridge_regression import downdate, gain


def walk(
    rows: Floats, learned: Bools, labels: Floats, means: Floats, mu: float
) -> tuple[Floats, Floats, Floats]:
    """q_t, w_{t-1}' m_t, and that margin's mean, in every trial; from A_0 = mu I.

    Only the trials in `learned` enter A. The mean is over labels with these `means`, as long as nothing that was
    learned was chosen for what the labels were.
    """
    found: tuple[Floats, Floats, Floats] = _walk(rows, learned, labels, means, mu)
    return found


@compiled
def _walk(
    rows: Floats, learned: Bools, labels: Floats, means: Floats, mu: float
) -> tuple[Floats, Floats, Floats]:
    count, d = rows.shape
    inverse = np.eye(d) / mu
    w, average, g = np.zeros(d), np.zeros(d), np.empty(d)
    q, margin, expected = np.empty(count), np.empty(count), np.empty(count)
    for t in range(count):
        gain(inverse, rows[t], g)
        q[t] = max(dot(rows[t], g, d), 0.0)
        margin[t], expected[t] = dot(rows[t], w, d), dot(rows[t], average, d)
        if learned[t]:
            c = (labels[t] - margin[t]) / (1 + q[t])
            e = (means[t] - expected[t]) / (1 + q[t])
            for k in range(d):
                w[k] += c * g[k]
                average[k] += e * g[k]
            downdate(inverse, g, q[t])
    return q, margin, expected
