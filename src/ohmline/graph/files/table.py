"""Text tables: columns with their line numbers, a header or none, and ids that are numbers or names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.checks import shown
from ohmline.errors import FileFormatError
from ohmline.graph.columns import LABEL, NODE, PAIRS, Coded, coded
from ohmline.graph.files.paths import FileLimits, content, text
from ohmline.graph.files.separator import SAMPLE, delimiter_of, is_number, split
from ohmline.graph.files.spelling import COMMENTS, NODES, listed_line, typed

HEADERS = frozenset(word for pair in PAIRS for word in pair) | {*NODE, *LABEL, "weight"}
"""What people call the columns of edges and of labels."""


@final
class Table:
    """The columns of a text file, all of equal length, and where their rows stand in it.

    A column is a list of strings, or a column of polars, which reads large files without a Python object per cell.
    """

    def __init__(
        self,
        path: Path,
        columns: Sequence[Any],
        lines: Callable[[], Sequence[int]],
        nodes: list[Hashable] | None,
        *,
        blanks: bool,
    ) -> None:
        self.path = path
        self.nodes = nodes
        """The nodes that the file lists itself."""
        self.blanks = blanks
        """Whether blanks separate the columns."""
        self._columns = list(columns)
        self._lines = lines
        self._first = 0
        self._coded: dict[int, Coded] = {}

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self._columns)

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self._columns[0]) - self._first if self._columns else 0

    def row(self, k: int) -> list[str]:
        """The cells of a row."""
        return [str(column[self._first + k]) for column in self._columns]

    def body(self) -> Table:
        """The table without its first row."""
        rest = Table(self.path, self._columns, self._lines, self.nodes, blanks=self.blanks)
        rest._first, rest._coded = self._first + 1, self._coded
        return rest

    def cells(self, k: int) -> list[str]:
        """Column k, as Python strings."""
        column = self._columns[k]
        return (column if isinstance(column, list) else column.to_list())[self._first :]

    def coded(self, k: int) -> Coded:
        """Column k, each spelling once."""
        if k not in self._coded:
            column = self._columns[k]
            if isinstance(column, list):
                self._coded[k] = coded(column)
            else:
                from ohmline.graph.doors.frames import coded_strings

                self._coded[k] = coded_strings(column)
        return self._coded[k].rows(slice(self._first, None))

    def whole(self, k: int) -> Ints | None:
        """Column k as whole numbers, where they can be had without looking at each in Python."""
        column = self._columns[k]
        if isinstance(column, list):
            return None
        import polars

        part = column.slice(self._first)
        numbers = part.cast(polars.Int64, strict=False)
        usual = not numbers.null_count() and bool((numbers.cast(polars.String) == part).all())
        return numbers.to_numpy() if usual else None

    def floats(self, k: int) -> Floats | None:
        """Column k as numbers, likewise; None where one of its cells is none."""
        column = self._columns[k]
        if isinstance(column, list):
            return None
        import polars

        numbers = column.slice(self._first).cast(polars.Float64, strict=False)
        return None if numbers.null_count() else np.array(numbers.to_numpy())

    def is_numeric(self, k: int) -> bool:
        """Whether every cell of column k is a number."""
        if self.floats(k) is not None:
            return True
        found = self.coded(k)
        return all(is_number(str(found.names[code])) for code in found.used())

    @cached_property
    def lines(self) -> Sequence[int]:
        """The line of every row, found when an error asks for it."""
        return self._lines()[self._first :]

    def error(self, row: int, message: str) -> FileFormatError:
        """An error that names the file and the line of a row."""
        return FileFormatError(f"{self.path}, line {self.lines[row]}: {message}")

    def refuse_gaps(self, k: int) -> None:
        """Raise unless every cell of column k has something in it."""
        column = self._columns[k]
        if isinstance(column, list):
            gaps = [row for row, cell in enumerate(column[self._first :]) if not cell]
        else:
            gaps = (column.slice(self._first) == "").arg_true().to_list()
        if gaps:
            raise self.error(gaps[0], f"column {k + 1} is empty; leave no gaps{self.or_header(gaps[0])}")

    def or_header(self, row: int) -> str:
        """A word for errors about the first row of the file, which may have been meant as a header."""
        first = row == 0 and self._first == 0
        return ". If this row names the columns, pass header=True" if first else ""


def read_table(path: Path, limits: FileLimits, *, wanted: str, one_column: bool = False) -> Table:
    """The rows of `path`, the first of which may be a header, each with as many columns as the first.

    Tabs, commas, semicolons or blanks separate; see `delimiter_of`. Lines that begin with # or % are comments; see
    `is_comment`. `wanted` says how many columns there should be, and `one_column` that one is enough
    even in a file whose name promises separators.
    """
    from ohmline.graph.files.fast_table import fast_table

    raw = content(path, limits)
    if raw.lstrip()[:9].lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        raise FileFormatError(f"{path}, line 1: this is a web page or XML, not a table; download it again")
    found = fast_table(path, raw, limits)
    if found is None:
        found = careful_table(path, text(path, raw), limits, wanted, one_column=one_column)
    return found


def careful_table(
    path: Path, written: str, limits: FileLimits, wanted: str, *, one_column: bool = False
) -> Table:
    """The table row by row: the one that says what is wrong, and on which line."""
    rows: list[list[str]] = []
    lines: list[int] = []
    nodes: list[Hashable] | None = None
    kept: list[tuple[int, str]] = []
    glued: list[tuple[int, str]] = []
    for number, line in enumerate(written.split("\n"), 1):
        if line.startswith(NODES):
            nodes = listed_line(path, number, line)
        elif line.startswith(COMMENTS):
            if not is_comment(line):
                glued.append((number, line))
        elif line.strip():
            if len(line) > limits.line:
                raise FileFormatError(
                    f"{path}, line {number}: {len(line)} characters, more than {limits.line}; if that is right, pass "
                    "limits=FileLimits(line=...) with a larger number"
                )
            kept.append((number, line))
    if not kept and nodes is None:
        raise FileFormatError(f"{path} has no rows; expected {wanted} columns in each line")
    sample = [line for _, line in kept[:SAMPLE]]
    delimiter = delimiter_of(path, kept[0][0], sample, strict=not one_column) if kept else None
    for number, row in split(path, kept, delimiter):
        if rows and len(row) != len(rows[0]):
            raise FileFormatError(
                f"{path}, line {number}: {_columns(len(row))}, expected {len(rows[0])} "
                "(separated by tab, comma, semicolon or blank as in the first row); "
                "the file may be cut short, or not be what its name says"
            )
        rows.append(row)
        lines.append(number)
    if rows:
        _refuse_like_rows(path, glued, delimiter, len(rows[0]), before=lines[0])
    columns = [list(column) for column in zip(*rows, strict=True)]
    return Table(path, columns, lambda: lines, nodes, blanks=delimiter is None)


def wrong_width(table: Table, wanted: str, remedy: str) -> FileFormatError:
    """The error about a table with too few or too many columns."""
    return table.error(0, f"{_columns(table.width)}, expected {wanted}; {remedy}, or leave the others out")


def typed_columns(table: Table, *places: int) -> list[Ints | Coded]:
    """Columns of ids: whole numbers if all ids of all of them are, else strings."""
    numbers = [table.whole(k) for k in places]
    if all(column is not None for column in numbers):
        return [column for column in numbers if column is not None]
    columns = [table.coded(k) for k in places]
    used = [column.used() for column in columns]
    kinds = typed([str(c.names[code]) for c, codes in zip(columns, used, strict=True) for code in codes])
    if kinds and isinstance(kinds[0], str):
        return [*columns]
    found: list[Ints | Coded] = []
    for column, codes in zip(columns, used, strict=True):
        names: list[Hashable] = [None] * len(column.names)
        for code in codes:
            names[code] = int(str(column.names[code]))
        found.append(Coded(names, column.codes))
    return found


def is_comment(line: str) -> bool:
    """Whether a line is a comment beyond doubt: nothing, or a blank, follows the # or % that it begins with.

    >>> is_comment("# Nodes: 34"), is_comment("%%"), is_comment("#cats,#dogs")
    (True, True, False)
    """
    rest = line.lstrip("#%")
    return line.startswith(COMMENTS) and (not rest or rest[0].isspace())


def _refuse_like_rows(
    path: Path, glued: list[tuple[int, str]], delimiter: str | None, width: int, *, before: int
) -> None:
    """Raise where a line that begins with # or % has the columns of a row: neither loses an edge nor invents one.

    Above the rows it may be a header of the usual words.
    """
    for number, line in glued:
        try:
            cells = next(iter(split(path, [(number, line)], delimiter)))[1]
        except FileFormatError:
            continue
        words = [cell.lstrip("#%").lower() for cell in cells]
        if len(cells) != width or (number < before and sum(word in HEADERS for word in words) > 1):
            continue
        raise FileFormatError(
            f"{path}, line {number}: {shown(line.rstrip())} begins like a comment and has the columns of a row; put a "
            f"blank after the {line[0]} if it is a comment, or quote the name in a .csv or .tsv file if it is a row: "
            f'"{cells[0]}"'
        )


def _columns(number: int) -> str:
    return f"{number} column" if number == 1 else f"{number} columns"
