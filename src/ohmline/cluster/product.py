"""The product of a block of rows with columns, compiled: no copies, a few rows at a time."""

from __future__ import annotations

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import compiled

SOME = 2**13
"""Rows of one call, after which other threads may answer."""


@compiled
def multiply_some(
    begin: Ints,
    neighbour: AnyArray,
    entry: Floats,
    diagonal: Floats,
    x: Floats,
    foreign: Floats,
    factor: float,
    a: float,
    y: Floats,
    b: float,
    z: Floats,
    made: Floats,
    left: int,
    low: int,
    high: int,
) -> None:
    """factor A x + a y + b z into `made`: rows `low` to `high`, columns from `left` on, as many as `foreign` has."""
    n, width = x.shape[0], foreign.shape[1]
    for i in range(low, high):
        own = factor * diagonal[i]
        row = made[i, left : left + width]
        for k in range(width):
            row[k] = own * x[i, left + k] + a * y[i, left + k] + b * z[i, left + k]
        for p in range(begin[i], begin[i + 1]):
            w, j = factor * entry[p], neighbour[p]
            other = x[j, left : left + width] if j < n else foreign[j - n]
            for k in range(width):
                row[k] += w * other[k]
