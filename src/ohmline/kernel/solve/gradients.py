"""Preconditioned conjugate gradients whose residual is the true one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import Stopped, compiled, dot, interrupted, reassociated
from ohmline.kernel.iterate import multiply
from ohmline.kernel.solve.elimination import substitute


@compiled
def gradients(
    indptr: Ints,
    indices: Any,
    values: Floats,
    inverse: Floats,
    order: Ints,
    columns: Ints,
    rows: Any,
    shares: Floats,
    pivots: Floats,
    right: Floats,
    goal: float,
    most: int,
) -> tuple[Floats, float, int]:
    """(x, length of right - A x, steps) for A x = right, to a residual of length `goal` or `most` steps.

    The preconditioner is an approximate factor, or the diagonal where `order` is empty. The residual that steps the
    recursion drifts from the true one; so it is computed afresh where it seems small enough, and the iteration starts
    again from there as long as that halves it.
    """
    n = len(right)
    x, residual, work = np.zeros(n), right.copy(), np.empty(n)
    scaled, image, direction = np.empty(n), np.empty(n), np.zeros(n)
    steps, reached = 0, np.sqrt(dot(right, right, n))
    while reached > goal and steps < most:
        energy, share = _condition(inverse, order, columns, rows, shares, pivots, residual, work, scaled), 0.0
        while steps < most and energy > 0.0:
            if interrupted():
                raise Stopped("conjugate gradients were interrupted")
            turn(direction, scaled, share)
            curvature = bend(indptr, indices, values, direction, image)
            if not curvature > 0.0:
                break
            steps += 1
            if advance(x, residual, direction, image, energy / curvature) <= goal * goal:
                break
            following = _condition(inverse, order, columns, rows, shares, pivots, residual, work, scaled)
            share, energy = following / energy, following
        multiply(indptr, indices, values, x, image)
        for i in range(n):
            residual[i] = right[i] - image[i]
        length = np.sqrt(dot(residual, residual, n))
        if not length < reached / 2:
            return x, length, steps
        reached = length
    return x, reached, steps


@reassociated
def turn(direction: Floats, scaled: Floats, share: float) -> None:
    for i in range(len(direction)):
        direction[i] = scaled[i] + share * direction[i]


@compiled
def bend(indptr: Ints, indices: Any, values: Floats, x: Floats, out: Floats) -> float:
    """out = A x, and x'Ax."""
    curvature = 0.0
    for i in range(len(out)):
        total = 0.0
        for q in range(indptr[i], indptr[i + 1]):
            total += values[q] * x[indices[q]]
        out[i] = total
        curvature += total * x[i]
    return curvature


@reassociated
def advance(x: Floats, residual: Floats, direction: Floats, image: Floats, step: float) -> float:
    """One step along `direction`; the squared length of the residual after it."""
    square = 0.0
    for i in range(len(x)):
        x[i] += step * direction[i]
        left = residual[i] - step * image[i]
        residual[i] = left
        square += left * left
    return square


@reassociated
def scale(inverse: Floats, residual: Floats, scaled: Floats) -> float:
    energy = 0.0
    for i in range(len(residual)):
        scaled[i] = inverse[i] * residual[i]
        energy += scaled[i] * residual[i]
    return energy


@compiled
def _condition(
    inverse: Floats,
    order: Ints,
    columns: Ints,
    rows: Any,
    shares: Floats,
    pivots: Floats,
    residual: Floats,
    work: Floats,
    scaled: Floats,
) -> float:
    if len(order) == 0:
        return scale(inverse, residual, scaled)
    substitute(order, columns, rows, shares, pivots, residual, work, scaled)
    return dot(residual, scaled, len(residual))
