"""Conjugate gradients on many columns at once, over rows that lie anywhere.

The matrix has been scaled to a unit diagonal, so that plain steps are those of the Jacobi preconditioner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from ohmline.arrays import Floats
from ohmline.cluster.spread import SpreadRows

MOST_STEPS = 20_000


@final
@dataclass(frozen=True)
class Solution:
    """What was found.

    Attributes
    ----------
    block
        The solution.
    left
        How large what is left is, in the measure that was asked for, computed from the solution itself.
    steps
        How many products were taken.
    """

    block: int
    left: float
    steps: int


def averaged(
    rows: SpreadRows, right: int, rounds: int, heard: Callable[[int], None] = lambda steps: None
) -> Solution:
    """So many rounds of x <- right + (I - A) x, from nothing: a node becomes a mean of its neighbours and its label."""
    x = rows.blend((1.0, right))
    for _ in range(rounds - 1):
        image = rows.product(x)
        then = rows.blend((1.0, x), (1.0, right), (-1.0, image))
        rows.drop(image)
        rows.drop(x)
        x = then
        heard(1)
    return Solution(x, np.inf, rounds - 1)


def conjugate_gradients(
    rows: SpreadRows,
    right: int,
    measure: Callable[[int], float],
    enough: float,
    heard: Callable[[int], None] = lambda steps: None,
) -> Solution:
    """Solve A x = right, until `measure` of the residual is at most `enough` or rounding lets it fall no further.

    The residual of the recurrence drifts from the true one, so it only decides when the true one is worth computing;
    where that is not small enough, the iteration starts again from it.
    """
    x = rows.blend((0.0, right))
    left = measure(right)
    steps = 0
    residual = rows.blend((1.0, right))
    while left > enough and steps < MOST_STEPS:
        x, made = _descend(rows, x, residual, measure, enough / 2, MOST_STEPS - steps, heard)
        steps += made
        image = rows.product(x)
        steps += 1
        residual = rows.blend((1.0, right), (-1.0, image))
        rows.drop(image)
        before, left = left, measure(residual)
        if not left <= before / 2:
            break
    rows.drop(residual)
    return Solution(x, left, steps)


def _descend(
    rows: SpreadRows,
    x: int,
    residual: int,
    measure: Callable[[int], float],
    enough: float,
    most: int,
    heard: Callable[[int], None],
) -> tuple[int, int]:
    """Steps from x on until the residual of the recurrence is small; takes x and the residual over."""
    direction = rows.blend((1.0, residual))
    power = rows.dots(residual, residual)
    made = 0
    while made < most:
        image = rows.product(direction)
        made += 1
        step = _ratio(power, rows.dots(direction, image))
        x, residual = (
            _moved(rows, x, step, direction),
            _moved(rows, residual, -step, image),
        )
        rows.drop(image)
        heard(1)
        after = rows.dots(residual, residual)
        if not step.any() or not np.isfinite(after).all() or measure(residual) <= enough:
            break
        turned = rows.blend((1.0, residual), (_ratio(after, power), direction))
        rows.drop(direction)
        direction, power = turned, after
    rows.drop(direction)
    rows.drop(residual)
    return x, made


def _moved(rows: SpreadRows, x: int, step: Floats, along: int) -> int:
    found = rows.blend((1.0, x), (step, along))
    rows.drop(x)
    return found


def _ratio(above: Floats, below: Floats) -> Floats:
    """The quotient for each column; 0 for columns that are solved already."""
    found: Floats = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    return found
