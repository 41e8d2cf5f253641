"""Streams of vectors from files, read in pieces: however long the file, memory stays flat."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.checks import count, file_path, flag, listed, shown
from ohmline.errors import DataError, FileFormatError, ParameterError
from ohmline.extras import require

WHOLE = re.compile(r"[+-]?[0-9]{1,300}(\.0*)?")
"""A whole number as people and programs write it."""

SHOWN = 12
"""Of more columns than this an error names the first and the last ones."""


def read_points(
    path: str | Path,
    *,
    label: str | int | None = "label",
    features: Sequence[str | int] | None = None,
    header: bool = True,
    chunk: int = 4096,
) -> Iterator[tuple[Floats, Any]]:
    """Read labelled points from a CSV or Parquet file, one (point, label or None) per row, for `play` and `follow`.

    CSV files need nothing else installed; files that end in `.parquet` need the extra `io`. One rule for labels, in
    both: a whole number is an integer, however it is written (`1`, `1.0`, `+1`); an empty cell and NaN are None, a
    missing label; anything else is itself. An error names the row, counted from 1 below the header, and comes only
    after the rows before it were given.

    Parameters
    ----------
    path
        The file.
    label
        The column of the labels, by name or by number (from 0; negative numbers count from the end). None when the
        file has no labels. Default `"label"`, and with `header=False`, where columns have no names, the last one.
    features
        The columns of the point, by name or by number; None (default) takes all but the label.
    header
        Whether the first row of a CSV file names the columns. Default True; with False the columns have numbers
        only, and the label is the last one unless `label` says otherwise.
    chunk
        How many rows of a Parquet file are read at a time, at least 1. Default 4096.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "points.csv"
    ...     _ = path.write_text("a,b,label\\n0.5,1,\\n2,3,cat\\n")
    ...     list(read_points(path))
    [(array([0.5, 1. ]), None), (array([2., 3.]), 'cat')]
    """
    file = file_path(path)
    if not file.is_file():
        raise DataError(f"there is no file {file}; check the path")
    size, header = count(chunk, "chunk", least=1), flag(header, "header")
    columns = [] if features is None else listed(features, "features")
    for column in [*columns, *([] if label is None else [label])]:
        if isinstance(column, bool) or not isinstance(column, str | int | np.integer):
            raise ParameterError(f"a column must be a name or a number, got {shown(column)}")
    features = None if features is None else columns
    if not header and label == "label":
        label = -1  # without names the last column holds the labels
    if file.suffix.lower() == ".parquet":
        yield from _parquet(file, label, features, size)
    else:
        yield from _csv(file, label, features, header)


def _csv(
    file: Path, label: str | int | None, features: Sequence[str | int] | None, header: bool
) -> Iterator[tuple[Floats, Any]]:
    with file.open(newline="", encoding="utf-8") as lines:
        rows = csv.reader(lines)
        number, names, places, where = 0, None, None, None
        try:
            for row in rows:
                if not row:
                    continue
                if names is None:
                    names = row if header else [str(k) for k in range(len(row))]
                    where, places = _places(file, names, label, features)
                    if header:
                        continue
                number += 1
                if len(row) != len(names):
                    raise FileFormatError(
                        f"{file.name}, row {number}: {len(row)} columns, but the first row has {len(names)}; "
                        "the file may have broken off"
                    )
                text = "" if where is None else row[where].strip()
                yield _numbers(file, number, [row[k] for k in places or ()]), _label(text)
        except (csv.Error, UnicodeDecodeError) as error:
            raise FileFormatError(
                f"{file.name}, after row {number}: not a CSV file in UTF-8 ({error})"
            ) from None
    if not number:
        raise FileFormatError(f"{file.name} has no rows; it must hold one point or more")


def _parquet(
    file: Path, label: str | int | None, features: Sequence[str | int] | None, chunk: int
) -> Iterator[tuple[Floats, Any]]:
    polars = require("polars", "io")
    try:
        table = polars.scan_parquet(file)
        names = table.collect_schema().names()
        where, places = _places(file, names, label, features)
        start = 0
        while True:
            part = table.slice(start, chunk).collect()
            columns = [part.to_series(k).cast(polars.Float64).to_numpy() for k in places]
            labels = [None] * len(part) if where is None else part.to_series(where).to_list()
            block = np.column_stack(columns)
            for k, y in enumerate(labels):
                if not np.isfinite(block[k]).all():
                    raise FileFormatError(
                        f"{file.name}, row {start + k + 1}: {block[k].tolist()!r:.80} is not all finite"
                    )
                yield np.ascontiguousarray(block[k]), _label(y)
            start += len(part)
            if len(part) < chunk:
                break
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise FileFormatError(f"{file.name} cannot be read as Parquet: {reason}") from None
    if not start:
        raise FileFormatError(f"{file.name} has no rows; it must hold one point or more")


def _places(
    file: Path, names: list[str], label: str | int | None, features: Sequence[str | int] | None
) -> tuple[int | None, list[int]]:
    """Where the label and the features are."""
    where = None if label is None else _place(file, names, label)
    if features is None:
        places = [k for k in range(len(names)) if k != where]
    else:
        places = [_place(file, names, name) for name in features]
    if not places:
        raise FileFormatError(f"{file.name} has no columns of features beside the label {shown(label)}")
    return where, places


def _place(file: Path, names: list[str], column: str | int) -> int:
    if isinstance(column, int) and -len(names) <= column < len(names):
        return column % len(names)
    if isinstance(column, str) and column in names:
        return names.index(str(column))
    raise FileFormatError(
        f"{file.name} has no column {shown(column)}; it has {_listing(names)}. "
        "Name the label with label=... (None when there is none)"
    )


def _listing(names: list[str]) -> str:
    """The names of the columns; of many the first and the last, since labels are often there."""
    if len(names) <= SHOWN:
        return ", ".join(names)
    half = SHOWN // 2
    return f"{len(names)} columns: {', '.join(names[:half])}, ..., {', '.join(names[-half:])}"


def _numbers(file: Path, number: int, cells: list[str]) -> Floats:
    try:
        row = np.array([float(cell) for cell in cells])
    except ValueError:
        bad = next(cell for cell in cells if not _is_number(cell))
        raise FileFormatError(f"{file.name}, row {number}: {bad!r} is not a number") from None
    if not np.isfinite(row).all():
        raise FileFormatError(
            f"{file.name}, row {number}: {cells!r:.80} is not all finite; remove or fill such rows first"
        )
    return row


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _label(cell: Any) -> Any:
    """None for an empty cell and for NaN, an integer for a whole number, and anything else as it is."""
    if isinstance(cell, str):
        text = cell.strip()
        if not text or text.lower() == "nan":
            return None
        return int(text.partition(".")[0]) if WHOLE.fullmatch(text) else text
    if isinstance(cell, float):
        return None if isnan(cell) else int(cell) if cell.is_integer() else cell
    return cell
