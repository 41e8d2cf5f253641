"""Conjugate gradients with the diagonal as preconditioner: solves that need no factor."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import Stopped, compiled, dot, interrupted


@compiled
def multiply(indptr: Ints, indices: Ints, values: Floats, x: Floats, out: Floats) -> None:
    """out = A x for a matrix in compressed rows."""
    for i in range(len(out)):
        total = 0.0
        for q in range(indptr[i], indptr[i + 1]):
            total += values[q] * x[indices[q]]
        out[i] = total


@compiled
def conjugate_gradients(
    indptr: Ints, indices: Ints, values: Floats, diagonal: Floats, right: Floats, tolerance: float, most: int
) -> tuple[Floats, bool]:
    """x with A x = right, to `tolerance` of the length of `right`; whether it got there.

    A may be singular as long as `right` is in its range.
    """
    n = len(right)
    x, residual = np.zeros(n), right.copy()
    scaled = residual / diagonal
    direction, image = scaled.copy(), np.empty(n)
    energy = dot(residual, scaled, n)
    goal = tolerance * tolerance * dot(right, right, n)
    for _ in range(most):
        if dot(residual, residual, n) <= goal:
            return x, True
        if interrupted():
            raise Stopped("conjugate gradients were interrupted")
        multiply(indptr, indices, values, direction, image)
        step = energy / dot(direction, image, n)
        for i in range(n):
            x[i] += step * direction[i]
            residual[i] -= step * image[i]
            scaled[i] = residual[i] / diagonal[i]
        following = dot(residual, scaled, n)
        for i in range(n):
            direction[i] = scaled[i] + following / energy * direction[i]
        energy = following
    return x, dot(residual, residual, n) <= goal
