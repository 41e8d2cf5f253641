"""Columns of numbers and words in the text files of data sets."""

from __future__ import annotations

import io

import numpy as np

from ohmline.arrays import AnyArray, Ints
from ohmline.errors import DataError
from ohmline.extras import require


def whole(content: bytes, columns: int, name: str, *, separator: str = ",", header: bool = False) -> Ints:
    """The first columns of a text, all of them whole numbers."""
    table = read(content, name, separator=separator, header=header)
    if len(table) < columns:
        raise DataError(
            f"{name} has {len(table)} columns, and {columns} are needed; take it from a fresh copy"
        )
    found = np.empty((len(table[0]), columns), dtype=np.int64)
    for k, column in enumerate(table[:columns]):
        if column.dtype.kind == "f" and np.isfinite(column).all() and (column == np.trunc(column)).all():
            column = column.astype(np.int64)  # some sources write 3.0 for 3
        if column.dtype.kind not in "iu":
            raise DataError(f"column {k + 1} of {name} must hold whole numbers; take it from a fresh copy")
        found[:, k] = column
    return found


def read(content: bytes, name: str, *, separator: str = ",", header: bool = False) -> list[AnyArray]:
    """The columns of a text, each an array of numbers or of words."""
    polars = require("polars", "io")
    if not content.strip():
        raise DataError(f"{name} is empty; take it from a fresh copy")
    try:
        frame = polars.read_csv(
            io.BytesIO(content), has_header=header, separator=separator, infer_schema_length=10_000
        )
    except polars.exceptions.PolarsError as error:
        raise DataError(
            f"{name} is no table ({str(error).splitlines()[0]}); take it from a fresh copy"
        ) from None
    return [column.to_numpy() for column in frame.get_columns()]
