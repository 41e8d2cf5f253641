"""The array types that the package speaks, and the checks of arrays at its border."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ohmline.checks import count as count
from ohmline.checks import fraction as fraction
from ohmline.checks import non_negative as non_negative
from ohmline.checks import positive as positive
from ohmline.checks import shown
from ohmline.errors import OhmlineError, ParameterError, ShapeError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
AnyArray = NDArray[Any]


def vector(values: ArrayLike, name: str, *, length: int | None = None) -> Floats:
    """A finite float64 vector, or an error that names the first bad entry."""
    array = numbers(values, name, 1, "one dimension")
    _expect_length(array, name, length)
    finite(array, name)
    return array


def matrix(values: ArrayLike, name: str) -> Floats:
    """A finite float64 matrix, or an error that names the first bad entry."""
    array = numbers(values, name, 2, "two dimensions (rows and columns)")
    finite(array, name)
    return array


def flags(values: ArrayLike, name: str, *, length: int | None = None) -> Bools:
    """A vector of True and False; nothing is broadcast."""
    array = _array(values, name)
    if array.ndim != 1 or (array.size and array.dtype.kind != "b"):
        raise ShapeError(f"{name} must be a list of True and False, got {shown(values)}")
    _expect_length(array, name, length)
    return array.astype(np.bool_)


def whole_numbers(values: ArrayLike, name: str, *, low: int, high: int, length: int | None = None) -> Ints:
    """An int64 vector with entries from `low` to `high`; a new array."""
    array = _array(values, name)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ShapeError(f"{name} must be a list of whole numbers, got {shown(values)}")
    _expect_length(array, name, length)
    bad = np.flatnonzero((array < low) | (array > high)) if array.size else array
    if len(bad):
        raise ParameterError(f"{name}[{bad[0]}] is {array[bad[0]]}; it must lie from {low} to {high}")
    return array.astype(np.int64)


def _refuse_columns_of_text(values: Any, name: str, error: type[OhmlineError]) -> None:
    """Raise where a frame has columns that hold texts, and name them."""
    columns = getattr(values, "columns", None)
    if columns is None or callable(columns) or not hasattr(values, "__getitem__"):
        return
    texts = {}
    for column in columns:
        cells = np.asarray(values[column], dtype=object).ravel().tolist()
        found = next((cell for cell in cells if isinstance(cell, str)), None)
        if found is not None:
            texts[column] = found
    if texts:
        first, *rest = texts
        more = f" and {len(rest)} more" if rest else ""
        raise error(
            f"{name} must be numbers, and its column {shown(first)}{more} holds texts, such as {shown(texts[first])}; "
            "leave such columns out"
        )


def numbers(
    values: ArrayLike, name: str, dimensions: int, words: str, error: type[OhmlineError] = ShapeError
) -> Floats:
    """A float64 array of so many dimensions, which may hold infinities and NaN."""
    array = _array(values, name, error)
    if array.dtype.kind in "OUS":
        _refuse_columns_of_text(values, name, error)
    if array.dtype.kind == "O":
        array = _from_objects(array, values, name, error)
    if array.dtype.kind not in "biuf":
        raise error(f"{name} must be numbers, got {shown(values)}")
    if array.ndim != dimensions:
        raise ShapeError(f"{name} must have {words}, got shape {array.shape}")
    return array.astype(np.float64, copy=False)


def read_only(array: AnyArray) -> AnyArray:
    """A copy that nobody can write to."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


def frozen(array: AnyArray) -> AnyArray:
    """The array itself, which nobody can write to from now on."""
    array.flags.writeable = False
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


def refuse_masked(values: Any, name: str, error: type[OhmlineError] = ParameterError) -> None:
    """Raise where entries of a masked array are hidden: what lies beneath a mask means nothing."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise error(
            f"{name} has {int(np.ma.getmaskarray(values).sum())} masked entries; remove or fill them first"
        )


def _array(values: ArrayLike, name: str, error: type[OhmlineError] = ShapeError) -> AnyArray:
    refuse_masked(values, name, error)
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        raise error(f"{name} must be an array whose rows are equally long, got {shown(values)}") from None


def _from_objects(array: AnyArray, values: Any, name: str, error: type[OhmlineError]) -> Floats:
    """Python numbers of mixed kinds, such as large whole numbers, None (missing) and fractions."""
    if any(isinstance(entry, str | bytes | complex) for entry in array.ravel().tolist()):
        raise error(f"{name} must be numbers, got {shown(values)}")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise error(f"{name} must be numbers, got {shown(values)}") from None


def _expect_length(array: AnyArray, name: str, length: int | None) -> None:
    if length is not None and array.shape[0] != length:
        raise ShapeError(f"{name} must have {length} entries, got {array.shape[0]}")
