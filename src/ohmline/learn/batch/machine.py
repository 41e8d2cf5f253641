"""A kernel machine without a bias: min 1/l sum c(f_i, y_i) + 1/2 ||f||^2, solved to the last digits.

| symbol | meaning |
|---|---|
| k | the kernel between the l labelled points |
| y | their signs |
| a | the dual vector, f = k (y a) |

Every solver returns (y a, risk, gap): the gap between the risk and the dual's value is a proven
limit on how far the risk is above its minimum.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ohmline.arrays import Floats
from ohmline.learn.batch.box import box_gap, fill_box
from ohmline.learn.manifold.loss import Loss

Solved = tuple[Floats, float, float]


def minimise(k: Floats, y: Floats, loss: Loss) -> Solved:
    """The minimiser for one function of two signs."""
    if loss is Loss.SQUARED:
        return _squared(k, y)
    if loss is Loss.LOGISTIC:
        return _logistic(k, y)
    return _squared_hinge(k, y) if loss is Loss.SQUARED_HINGE else _hinge(k, y)


def _hinge(k: Floats, y: Floats) -> Solved:
    """Dual: max 1'a - 1/2 a'Qa with Q = yy' * k over 0 <= a <= 1/l."""
    l = len(y)
    q = y[:, None] * k * y / l
    v = fill_box(q)  # l a
    f = q @ v
    risk = float(np.mean(np.maximum(1 - f, 0.0))) + 0.5 * float(v @ f) / l
    return y * v / l, risk, box_gap(v, f - 1) / l


def _squared_hinge(k: Floats, y: Floats) -> Solved:
    """Dual: max 1'a - 1/2 a'(Q + l/2 I)a with Q = yy' * k over 0 <= a.

    With Q + l/2 I = R'R that is the bounded least squares ||R a - b||^2 / 2, R'b = 1.
    """
    from scipy import optimize

    l = len(y)
    q = y[:, None] * k * y
    eigenvalues, vectors = np.linalg.eigh(q + l / 2 * np.eye(l))
    root = np.sqrt(np.maximum(eigenvalues, eigenvalues[-1] * 1e-15))
    found = optimize.lsq_linear(
        root[:, None] * vectors.T,
        vectors.sum(0) / root,
        (0.0, np.inf),
        method="trf",
        tol=1e-14,
        max_iter=1000,
    )
    a = np.maximum(found.x, 0.0)
    f = q @ a
    risk = float(np.mean(np.maximum(1 - f, 0.0) ** 2)) + 0.5 * float(a @ f)
    dual = float(a.sum()) - 0.5 * float(a @ f) - l / 4 * float(a @ a)
    return y * a, risk, risk - dual


def _squared(k: Floats, y: Floats) -> Solved:
    """(k + l/2 I) b = y, b = y a."""
    half = len(y) / 2
    b = linalg.solve(k + half * np.eye(len(y)), y, assume_a="pos")
    f = k @ b
    risk = float(np.mean((y - f) ** 2)) + 0.5 * float(b @ f)
    return b, risk, risk - (float(y @ b) - 0.5 * half * float(b @ b) - 0.5 * float(b @ f))


def _logistic(k: Floats, y: Floats, *, most: int = 200) -> Solved:
    """Newton's method on b, f = k b, with the step halved until the risk falls.

    At the minimum b_i = y_i / (l (1 + exp(y_i f_i))), so this a of the last f is feasible for the
    dual, max 1/l sum H(l a_i) - 1/2 (ya)'k(ya) with H the entropy, and gives the gap.
    """
    l = len(y)

    def risk_of(b: Floats) -> float:
        f = k @ b
        return float(np.mean(np.logaddexp(0, -y * f))) + 0.5 * float(b @ f)

    b = np.zeros(l)
    for _ in range(most):
        pull = 1 / (1 + np.exp(y * (k @ b)))  # l a, between 0 and 1
        residual = b - y * pull / l
        move = linalg.solve(np.eye(l) + (pull * (1 - pull) / l)[:, None] * k, residual)
        step, before = 1.0, risk_of(b)
        while step > 1e-10 and risk_of(b - step * move) > before:
            step /= 2
        b = b - step * move
        if np.abs(residual).max() <= 1e-13 / l:
            break
    pull = 1 / (1 + np.exp(y * (k @ b)))
    entropy = -(pull * np.log(pull) + (1 - pull) * np.log1p(-pull))
    a = pull / l
    dual = float(np.mean(entropy)) - 0.5 * float((y * a) @ k @ (y * a))
    return b, risk_of(b), risk_of(b) - dual
