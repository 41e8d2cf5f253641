"""The rows of a matrix in memory or in a file, read some at a time and checked as they are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints, finite, matrix
from ohmline.checks import file_path, room, shown
from ohmline.errors import DataError, ParameterError, ShapeError

BLOCK = 16_384
"""Rows that are read at a time."""
LARGEST = 1e140
"""Entries above this, or differences below its inverse, have squares that floating-point numbers do not hold."""


@final
class Rows:
    """The rows of X: an array, an array mapped from a file, or the name of an `.npy` file, which is mapped.

    Parameters
    ----------
    X
        One row per point, at least two; every entry is finite.
    """

    def __init__(self, X: Any) -> None:
        if isinstance(X, str | os.PathLike):
            X = _mapped(X)
        self.stored = isinstance(X, np.memmap)
        """Whether they are in a file."""
        self.source: AnyArray = _checked_file(X) if self.stored else matrix(X, "X")
        if len(self.source) < 2 or self.source.shape[1] == 0:
            raise ParameterError(
                f"X must have at least two rows and one column, got shape {self.source.shape}"
            )
        self.n, self.d = self.source.shape
        if not self.stored:
            _comparable(self.source, whole=True)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, positions: Ints) -> Floats:
        return self.take(positions)

    def take(self, positions: Ints) -> Floats:
        """Some rows, as floating-point numbers of full length."""
        found = np.asarray(self.source[positions], dtype=np.float64)
        if self.stored:
            finite(found, "X")
            _comparable(found, whole=False)
        return found

    def whole(self) -> Floats:
        """All rows, in memory."""
        room(8 * self.n * self.d, f"{self.n} rows of {self.d} numbers")
        return self.take(np.arange(self.n)) if self.stored else self.source

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """The rows some at a time, each block with the number of its first."""
        for first in range(0, self.n, BLOCK):
            yield first, self.take(np.arange(first, min(first + BLOCK, self.n)))


def _comparable(rows: AnyArray, *, whole: bool) -> None:
    """Refuse rows whose squared distances are no numbers, or all 0 although rows differ."""
    if not rows.size:
        return
    largest = float(np.abs(rows).max())
    spread = float(np.ptp(rows, axis=0).max()) if whole else 1.0
    if largest > LARGEST or 0 < spread < 1 / LARGEST:
        size = (
            f"entries up to {largest:.3g}"
            if largest > LARGEST
            else f"rows that differ by at most {spread:.3g}"
        )
        raise ParameterError(f"X has {size}, whose squares leave the range of numbers; scale X")


def _mapped(path: Any) -> AnyArray:
    """The array in an `.npy` file, without reading it."""
    file = file_path(path, "X")
    try:
        return np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(
            f"X names the file {shown(str(file))}, which cannot be read as an .npy file ({error}); write one with "
            "numpy.save"
        ) from None


def _checked_file(X: AnyArray) -> AnyArray:
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ShapeError(f"X must have two dimensions of numbers, got shape {X.shape} of {X.dtype}")
    return X
