"""The array types that the package speaks, and the checks at its border."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ohmline.errors import ParameterError, ShapeError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
AnyArray = NDArray[Any]


def vector(values: ArrayLike, name: str, *, length: int | None = None) -> Floats:
    """A finite float64 vector, or an error that names the first bad entry."""
    array = _numbers(values, name, 1, "one dimension")
    if length is not None and array.shape[0] != length:
        raise ShapeError(f"{name} must have {length} entries, got {array.shape[0]}")
    finite(array, name)
    return array


def matrix(values: ArrayLike, name: str) -> Floats:
    """A finite float64 matrix, or an error that names the first bad entry."""
    array = _numbers(values, name, 2, "two dimensions (rows and columns)")
    finite(array, name)
    return array


def _numbers(values: ArrayLike, name: str, dimensions: int, words: str) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be numbers, got {values!r:.80}") from None
    if array.ndim != dimensions:
        raise ShapeError(f"{name} must have {words}, got shape {array.shape}")
    return array


def finite(array: Floats, name: str) -> None:
    """Raise unless every entry is finite."""
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        where = tuple(int(k) for k in bad[0])
        raise ParameterError(
            f"{name}{list(where)} is {array[where]}; every entry must be finite. "
            "Remove or fill the missing values first."
        )


def positive(value: float, name: str) -> float:
    """A finite number above zero."""
    number = _number(value, name)
    if not number > 0 or not np.isfinite(number):
        raise ParameterError(f"{name} must be a finite number above 0, got {value!r}")
    return number


def non_negative(value: float, name: str) -> float:
    """A finite number, zero or more."""
    number = _number(value, name)
    if not number >= 0 or not np.isfinite(number):
        raise ParameterError(f"{name} must be a finite number of at least 0, got {value!r}")
    return number


def fraction(value: float, name: str) -> float:
    """A number in [0, 1]."""
    number = _number(value, name)
    if not 0 <= number <= 1:
        raise ParameterError(f"{name} must lie between 0 and 1, got {value!r}")
    return number


def count(value: int, name: str, *, least: int = 0) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)


def _number(value: float, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a number, got {value!r}") from None
