"""Square tables of numbers that are the same both ways: distances, and matrices of energies."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats
from ohmline.errors import ParameterError, ShapeError


def expect_square(table: Floats, name: str) -> None:
    """Raise unless a table has as many rows as columns, and at least one."""
    if table.shape[0] != table.shape[1] or len(table) == 0:
        raise ShapeError(f"{name} must be a square matrix with at least one row, got shape {table.shape}")


def expect_symmetric(table: Floats, name: str, remedy: str) -> None:
    """Raise where a square table is not the same both ways; the remedy is an expression."""
    if not np.array_equal(table, table.T):
        i, j = np.argwhere(table != table.T)[0]
        raise ParameterError(
            f"{name}[{i}, {j}] is {table[i, j]} and {name}[{j}, {i}] is {table[j, i]}; {name} must be symmetric: pass "
            f"{remedy}"
        )
