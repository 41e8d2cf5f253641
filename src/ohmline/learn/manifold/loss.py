"""The loss on a labelled point: its value, its slope, and its proximal step.

| paper 003 | here |
|---|---|
| c(f(x), y) | `value(kind, f, y)` |
| c'(f(x), y) | `slope(kind, f, y)` |
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from ohmline.compiled import compiled

HINGE, SQUARED_HINGE, LOGISTIC, SQUARED = range(4)


class Loss(StrEnum):
    """A convex loss c(f, y) of a score f and a sign y.

    Examples
    --------
    >>> Loss.HINGE.value_at(0.25, 1), Loss("squared").value_at(0.5, -1)
    (0.75, 2.25)
    """

    HINGE = "hinge"
    """max(1 - y f, 0): the paper's."""
    SQUARED_HINGE = "squared-hinge"
    """max(1 - y f, 0)^2."""
    LOGISTIC = "logistic"
    """log(1 + exp(-y f))."""
    SQUARED = "squared"
    """(f - y)^2."""

    @property
    def code(self) -> int:
        """Its number in compiled code."""
        return list(Loss).index(self)

    def value_at(self, f: float, y: int) -> float:
        """The loss c(f, y).

        Parameters
        ----------
        f
            A score.
        y
            -1 or +1.
        """
        return float(value(self.code, float(f), float(y)))

    def slope_at(self, f: float, y: int) -> float:
        """The derivative of c in f; at the hinge's corner the one with the larger step.

        Parameters
        ----------
        f
            A score.
        y
            -1 or +1.
        """
        return float(slope(self.code, float(f), float(y)))


@compiled
def value(kind: int, f: float, y: float) -> float:
    """c(f, y)."""
    if kind == HINGE:
        return max(1.0 - y * f, 0.0)
    if kind == SQUARED_HINGE:
        return max(1.0 - y * f, 0.0) ** 2
    if kind == LOGISTIC:
        z = -y * f
        return max(z, 0.0) + np.log1p(np.exp(-abs(z)))
    return (f - y) ** 2


@compiled
def slope(kind: int, f: float, y: float) -> float:
    """c'(f, y); the hinge's is -y for y f <= 1, as printed below eq. (5)."""
    if kind == HINGE:
        return -y if y * f <= 1.0 else 0.0
    if kind == SQUARED_HINGE:
        return -2.0 * y * max(1.0 - y * f, 0.0)
    if kind == LOGISTIC:
        return -y / (1.0 + np.exp(y * f))
    return 2.0 * (f - y)


@compiled
def proximal(kind: int, f: float, y: float, step: float, kxx: float) -> float:
    """The a that minimises step * c(f + a kxx, y) + a^2 kxx / 2: an implicit step on the label.

    However large `step` is, f(x) moves to the label's side of the loss and never past it.
    """
    if kxx <= 0.0:
        return 0.0
    if kind == HINGE:
        return y * min(step, max(1.0 - y * f, 0.0) / kxx)
    if kind == SQUARED_HINGE:
        return y * 2.0 * step * max(1.0 - y * f, 0.0) / (1.0 + 2.0 * step * kxx)
    if kind == SQUARED:
        return 2.0 * step * (y - f) / (1.0 + 2.0 * step * kxx)
    # Logistic: a = step * y * s with s = 1 / (1 + exp(y f + step * kxx * s)) in (0, 1); the left side
    # rises and the right side falls in s, so halving brackets the root.
    low, high = 0.0, 1.0
    for _ in range(60):
        s = 0.5 * (low + high)
        z = y * f + step * kxx * s
        if s < (np.exp(-z) / (1.0 + np.exp(-z)) if z > 0 else 1.0 / (1.0 + np.exp(z))):
            low = s
        else:
            high = s
    return step * y * 0.5 * (low + high)
