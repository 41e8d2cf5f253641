"""Points as compiled code takes them: finite rows of one length, whose squares are finite too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, matrix, vector
from ohmline.checks import iterator
from ohmline.errors import ParameterError, ShapeError

LARGEST = 1e120
"""Features above this could not be squared, summed and weighed."""


def row_of(x: ArrayLike, dimension: int | None) -> Floats:
    """One point; `dimension` is None where any number of features will do."""
    row = np.ascontiguousarray(vector(x, "x"))
    _expect_features(len(row), dimension)
    _expect_moderate(row, "x")
    return row


def rows_of(xs: Iterable[ArrayLike], dimension: int | None) -> Floats:
    """Many points, one per row."""
    if isinstance(xs, np.ndarray) and xs.ndim == 2:
        rows = np.require(matrix(xs, "x"), requirements=["C", "W"])  # one compiled form for all
        _expect_features(rows.shape[1], dimension)
        _expect_moderate(rows, "x")
        return rows
    found: list[Any] = []
    for t, x in enumerate(iterator(xs, "xs")):
        row = vector(x, f"x[{t}]", length=dimension)
        _expect_features(len(row), dimension)
        _expect_moderate(row, f"x[{t}]")
        dimension = len(row)
        found.append(row)
    return np.array(found).reshape(len(found), dimension or 0)


def _expect_features(found: int, dimension: int | None) -> None:
    if found == 0:
        raise ShapeError("a point must have one feature or more, got none")
    if dimension is not None and found != dimension:
        raise ShapeError(
            f"x has {found} features, but the points before it had {dimension}; "
            "a learner's points must all have the same features"
        )


def _expect_moderate(values: Floats, name: str) -> None:
    if values.size and max(values.max(), -values.min()) > LARGEST:
        where = tuple(int(k) for k in np.argwhere(np.abs(values) > LARGEST)[0])
        raise ParameterError(
            f"{name}{list(where)} is {values[where]:g}; features above {LARGEST:g} in size cannot be squared and "
            "weighed, scale them first"
        )
