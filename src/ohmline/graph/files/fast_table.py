"""Large text tables, column by column through polars: only those in which nothing is unusual."""

from __future__ import annotations

import csv
import importlib.util
import io
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np

from ohmline.arrays import Ints
from ohmline.errors import FileFormatError
from ohmline.graph.files.paths import FileLimits, suffix_of
from ohmline.graph.files.separator import SAMPLE, delimiter_of
from ohmline.graph.files.spelling import NODES, listed_line
from ohmline.graph.files.table import Table, is_comment

LARGE = 2**20
"""Bytes from which on a file is read in columns: below, loading polars takes longer than reading."""
_ODD = [bytes([k]) for k in (0, 11, 12, 28, 29, 30, 31)]
"""Letters that not every reader takes for a blank, or for none."""
_NEWLINE, _RETURN, _COMMENTS = 10, 13, (35, 37)


def fast_table(path: Path, raw: bytes, limits: FileLimits) -> Table | None:
    """The table in columns; None where the file is small, or anything in it needs the careful reader.

    Whatever this accepts, the careful reader would read in the same way: every line is one row, all rows have as many
    columns as the first, and no cell is quoted across lines.
    """
    if len(raw) < LARGE or importlib.util.find_spec("polars") is None:
        return None
    if any(letter in raw for letter in _ODD) or raw.count(b"\r") != raw.count(b"\r\n"):
        return None
    found = _below_comments(path, raw.removeprefix(b"\xef\xbb\xbf"))
    if found is None:
        return None
    data, skipped, nodes = found
    starts = _row_starts(data, limits)
    if starts is None:
        return None
    end = starts[SAMPLE] if len(starts) > SAMPLE else len(data)
    sample = data[: int(end)].decode("utf-8", "replace").rstrip("\n").split("\n")
    first = sample[0]
    delimiter = delimiter_of(path, skipped + 1, sample, strict=False)
    if delimiter is None and suffix_of(path) in (".csv", ".tsv"):
        return None  # one column, in which a blank is part of the name; or not what its name says
    separator = " " if delimiter is None else delimiter
    width = len(next(csv.reader([first], delimiter=separator)))
    plain = b'"' not in data
    if delimiter is None and (not plain or b"\t" in data or not data.isascii()):
        return None  # there any blank separates, and so do several
    if plain and data.count(separator.encode()) != len(starts) * (width - 1):
        return None
    columns = _columns(data, separator, plain=plain)
    if columns is None or len(columns) != width or len(columns[0]) != len(starts):
        return None
    lines = np.arange(skipped + 1, skipped + 1 + len(starts))
    return Table(path, columns, lambda: lines.tolist(), nodes, blanks=delimiter is None)


def _below_comments(path: Path, data: bytes) -> tuple[bytes, int, list[Hashable] | None] | None:
    """The rows below the comments at the top, how many lines these take, and the nodes that they list.

    None where one of them may be a row.
    """
    nodes, skipped, place = None, 0, 0
    while data[place : place + 1] in (b"#", b"%", b"\n"):
        end = data.find(b"\n", place)
        end = len(data) if end < 0 else end
        skipped += 1
        if data.startswith(NODES.encode(), place):
            try:
                line = data[place:end].decode()
            except UnicodeDecodeError:
                raise FileFormatError(
                    f"{path}, line {skipped}: the list of nodes is not UTF-8 text"
                ) from None
            nodes = listed_line(path, skipped, line.removesuffix("\r"))
        elif end > place and not is_comment(data[place:end].decode("utf-8", "replace")):
            return None
        place = end + 1
    return data[place:].rstrip(b"\r\n") + b"\n", skipped, nodes


def _row_starts(data: bytes, limits: FileLimits) -> Ints | None:
    """Where each row begins; None where a line is empty, a comment, or longer than the limit."""
    letters = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(letters == _NEWLINE)
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1])
    heads = letters[starts]
    odd = np.isin(heads, [_NEWLINE, _RETURN, *_COMMENTS]).any()
    return None if odd or int(np.diff(ends, prepend=-1).max()) > limits.line else starts


def _columns(data: bytes, separator: str, *, plain: bool) -> list[Any] | None:
    import polars

    try:
        frame = polars.read_csv(
            io.BytesIO(data),
            has_header=False,
            infer_schema=False,
            separator=separator,
            quote_char=None if plain else '"',
        )
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException):
        return None
    columns = []
    for series in frame.iter_columns():
        stripped = (series.fill_null("") if plain else series).str.strip_chars()
        if stripped.null_count() or (not plain and stripped.str.contains('["\n]').any()):
            return None
        columns.append(stripped)
    empty = [column == "" for column in columns]
    if separator == " " and any(gaps.any() for gaps in empty):
        return None
    for gaps in empty[1:]:
        empty[0] &= gaps
    return None if empty[0].any() else columns  # a line of nothing but separators is skipped
