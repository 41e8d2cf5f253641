"""Columns by name into files and frames: what every table of results shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from ohmline.checks import file_path, shown
from ohmline.errors import DataError
from ohmline.extras import require
from ohmline.graph.files.paths import replacing, write_bytes
from ohmline.graph.files.spelling import csv_bytes

Columns = Mapping[str, Any]
"""Sequences or arrays of one length, by the name of their column; None is an empty cell."""


def write_frame(columns: Columns) -> Any:
    """A polars data frame."""
    polars = require("polars", "io")
    refuse_unwritable(columns)
    return polars.DataFrame({name: _values(column) for name, column in columns.items()}, strict=True)


def write_arrow(columns: Columns) -> Any:
    """A pyarrow table."""
    require("pyarrow", "io")
    return write_frame(columns).to_arrow()


def write_parquet(columns: Columns, path: str | Path) -> None:
    """A Parquet file, whole or not at all."""
    frame = write_frame(columns)
    with replacing(file_path(path)) as beside:
        frame.write_parquet(beside)


def write_csv(columns: Columns, path: str | Path) -> None:
    """A CSV file in UTF-8, whole or not at all; None and NaN are empty cells."""
    file = file_path(path)
    refuse_unwritable(columns)
    rows = zip(*(_cells(column) for column in columns.values()), strict=True)
    write_bytes(file, csv_bytes(chain([list(columns)], rows)))


def refuse_unwritable(columns: Columns) -> None:
    """Raise where a name or a text is not one that files can hold: half of a character, or a zero byte."""
    for name, column in columns.items():
        texts = (
            () if isinstance(column, np.ndarray) else (value for value in column if isinstance(value, str))
        )
        for text in (name, *texts):
            if (not text.isascii() and not _is_unicode(text)) or "\0" in text:
                raise DataError(f"{shown(text)} cannot be written as text; rename that node or class")


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def plain_columns(columns: Columns) -> dict[str, list[Any]]:
    """The columns in Python's own types, None for NaN."""
    return {
        name: [None if isinstance(value, float) and isnan(value) else value for value in _listed(column)]
        for name, column in columns.items()
    }


def _listed(column: Any) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


def _cells(column: Any) -> list[Any]:
    """What a CSV file shows."""
    values = _listed(column)
    if isinstance(column, np.ndarray) and column.dtype.kind == "b":
        return ["true" if value else "false" for value in values]
    return ["" if value is None or (isinstance(value, float) and isnan(value)) else value for value in values]


def _values(column: Any) -> Any:
    """A column of one type: numbers where all are, else text. NaN becomes null."""
    if isinstance(column, np.ndarray):
        if column.dtype.kind == "f" and np.isnan(column).any():
            return [None if isnan(value) else value for value in column.tolist()]
        return column
    return _of_one_type(list(column))


def _of_one_type(values: Sequence[Any]) -> list[Any]:
    there = {type(value) for value in values if value is not None}
    small = all(value is None or abs(value) < 2**63 for value in values) if there == {int} else True
    if len(there) <= 1 and there <= {int, float, str, bool} and small:
        return list(values)
    if there == {int, float} and all(abs(value) < 2**53 for value in values if type(value) is int):
        return [None if value is None else float(value) for value in values]
    return [None if value is None else str(value) for value in values]
