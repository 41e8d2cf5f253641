"""Text tables: columns with their line numbers, a header or none, and ids that are numbers or names."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.checks import shown
from ohmline.errors import FileFormatError, GraphError
from ohmline.graph.columns import LABEL, NODE, PAIRS, Coded, coded
from ohmline.graph.files.paths import FileLimits, content, suffix_of, text

NODES = "# ohmline-nodes: "
"""A comment that lists the nodes, in order and with their types, where the rows cannot tell."""

SAMPLE = 200
"""How many lines decide what separates the columns."""
HEADERS = frozenset(word for pair in PAIRS for word in pair) | {*NODE, *LABEL, "weight"}
"""What people call the columns of edges and of labels."""
_COMMENTS = ("#", "%")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


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
        found = _careful_table(path, text(path, raw), limits, wanted, one_column=one_column)
    return found


def _careful_table(path: Path, written: str, limits: FileLimits, wanted: str, *, one_column: bool) -> Table:
    """The table row by row: the one that says what is wrong, and on which line."""
    rows: list[list[str]] = []
    lines: list[int] = []
    nodes: list[Hashable] | None = None
    kept: list[tuple[int, str]] = []
    glued: list[tuple[int, str]] = []
    for number, line in enumerate(written.split("\n"), 1):
        if line.startswith(NODES):
            nodes = listed_line(path, number, line)
        elif line.startswith(_COMMENTS):
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
    for number, row in _split(path, kept, delimiter):
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


def typed(ids: Sequence[str]) -> list[Hashable]:
    """Whole numbers if every id is one in its usual spelling, else the ids as they are.

    >>> typed(["10", "2"]), typed(["007", "2"])
    ([10, 2], ['007', '2'])
    """
    try:
        numbers = [int(text) for text in ids]
    except ValueError:  # not a number, or one of thousands of digits
        return list(ids)
    return list(numbers) if all(str(n) == text for n, text in zip(numbers, ids, strict=True)) else list(ids)


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


def spelled(nodes: Iterable[Hashable], path: Path) -> list[str]:
    """The ids as text, refused where they could not be read back."""
    spellings = []
    for node in nodes:
        if isinstance(node, bool) or not isinstance(node, int | str):
            raise FileFormatError(
                f"{path}: node {node!r} is neither a whole number nor a string and cannot be written; "
                "give the nodes such names first"
            )
        spelling = str(node)
        if not is_spelling(spelling):
            raise FileFormatError(
                f"{path}: node {node!r} is empty or has blanks around it or control characters in it; "
                "give it another name before writing"
            )
        spellings.append(spelling)
    if len(set(spellings)) != len(spellings):
        twice = next(s for s in spellings if spellings.count(s) > 1)
        raise FileFormatError(f"{path}: two nodes would both be written as {twice!r}; rename one of them")
    return spellings


def is_spelling(text: str) -> bool:
    """Whether a cell with this text is read back as it was: no blanks around it, and no control characters.

    >>> is_spelling("A\\u00a0b"), is_spelling("a "), is_spelling("a\\nb")
    (True, False, False)
    """
    if not text or text != text.strip():
        return False
    return text.isprintable() or not any(
        char == "\ufeff" or unicodedata.category(char) in ("Cc", "Cs", "Cn") for char in text
    )


def csv_bytes(rows: Iterable[Sequence[Any]]) -> bytes:
    """Rows separated by commas; one that would begin like a comment is quoted, and so no comment.

    >>> csv_bytes([["node", "label"], ["#1", "a"]])
    b'node,label\\n"#1","a"\\n'
    """
    buffer = io.StringIO(newline="")
    plain = csv.writer(buffer, lineterminator="\n")
    quoted = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        (quoted if row and str(row[0]).startswith(_COMMENTS) else plain).writerow(row)
    return buffer.getvalue().encode("utf-8")


@final
class Spellings:
    """Nodes by the way they are written: 1 and "1" are written alike, and then neither is meant."""

    def __init__(self, nodes: Iterable[Hashable]) -> None:
        self._nodes: dict[str, Hashable] = {}
        self._twice: dict[str, Hashable] = {}
        for node in nodes:
            if self._nodes.setdefault(str(node), node) is not node:
                self._twice[str(node)] = node

    def __contains__(self, spelling: str) -> bool:
        return spelling in self._nodes

    def get(self, spelling: str) -> Hashable:
        """The node that is so written, or the spelling itself where there is none; two nodes are an error."""
        if spelling in self._twice:
            raise GraphError(
                f"{spelling!r} may be the node {self._nodes[spelling]!r} or the node {self._twice[spelling]!r}, which "
                "are both written so; rename one of them"
            )
        return self._nodes.get(spelling, spelling)


def nodes_json(nodes: Iterable[Hashable]) -> str:
    """The nodes in order and with their types, on one line."""
    return json.dumps(list(nodes), ensure_ascii=False)


def listed_nodes(spelling: str) -> list[Hashable]:
    """The nodes of such a list, or ValueError."""
    nodes = json.loads(spelling)
    if not isinstance(nodes, list) or not all(type(node) in (int, str) for node in nodes):
        raise ValueError("expected a JSON list of numbers and strings")
    return nodes


def listed_line(path: Path, number: int, line: str) -> list[Hashable]:
    """The nodes that a comment lists."""
    try:
        return listed_nodes(line.removeprefix(NODES))
    except ValueError as error:
        raise FileFormatError(
            f"{path}, line {number}: the list of nodes is broken ({error}); remove the line or mend it"
        ) from None


def is_comment(line: str) -> bool:
    """Whether a line is a comment beyond doubt: nothing, or a blank, follows the # or % that it begins with.

    >>> is_comment("# Nodes: 34"), is_comment("%%"), is_comment("#cats,#dogs")
    (True, True, False)
    """
    rest = line.lstrip("#%")
    return line.startswith(_COMMENTS) and (not rest or rest[0].isspace())


def _refuse_like_rows(
    path: Path, glued: list[tuple[int, str]], delimiter: str | None, width: int, *, before: int
) -> None:
    """Raise where a line that begins with # or % has the columns of a row: neither loses an edge nor invents one.

    Above the rows it may be a header of the usual words.
    """
    for number, line in glued:
        try:
            cells = next(iter(_split(path, [(number, line)], delimiter)))[1]
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


def delimiter_of(path: Path, number: int, sample: Sequence[str], *, strict: bool = True) -> str | None:
    """What separates the columns of the lines, the first of which is line `number`; None for blanks.

    It is the first of tab, comma and semicolon that gives all lines the same number of columns, at least two; what is
    quoted does not count. A comma that only ever stands in one column of numbers, as in `a;b;1,5`, is a decimal comma,
    and what separates the others is taken. Where none fits all lines, it is the first one of the first line.
    """
    widths = {d: _width(path, sample, d) for d in "\t,;"}
    found = [d for d in "\t,;" if widths[d] > 1]
    if "," in found[:1]:
        others = [";"] if suffix_of(path) in (".csv", ".tsv") else [";", None]
        for other in others:
            if _width(path, sample, other) > 1 and _decimal_commas(path, sample, other):
                return other
    if found:
        return found[0]
    one = [(number, sample[0])]
    present = [d for d in "\t,;" if d in sample[0]]
    delimiter = next((d for d in present if _cells(path, one, d, least=2)), next(iter(present), None))
    if delimiter is None and strict and suffix_of(path) in (".csv", ".tsv"):
        raise FileFormatError(
            f"{path}, line {number}: no comma, tab or semicolon; the file is not what its name says"
        )
    return delimiter


def _cells(
    path: Path, kept: list[tuple[int, str]], delimiter: str | None, least: int = 1
) -> list[list[str]] | None:
    """The cells of lines; None where they do not all have as many, or fewer than `least`, or quotes are broken."""
    try:
        rows = [row for _, row in _split(path, kept, delimiter)]
    except FileFormatError:
        return None
    return rows if len({len(row) for row in rows}) == 1 and len(rows[0]) >= least else None


def _width(path: Path, sample: Sequence[str], delimiter: str | None) -> int:
    """How many columns all lines have; 0 where that differs."""
    if delimiter is not None and delimiter not in sample[0]:
        return 0
    rows = _cells(path, list(enumerate(sample, 1)), delimiter)
    return len(rows[0]) if rows else 0


def _decimal_commas(path: Path, sample: Sequence[str], delimiter: str | None) -> bool:
    """Whether all commas stand in numbers of one column, which is not the first."""
    rows = _cells(path, list(enumerate(sample, 1)), delimiter) or []
    with_comma = {k for row in rows for k, cell in enumerate(row) if "," in cell}
    return (
        len(with_comma) == 1
        and 0 not in with_comma
        and all(has_decimal_comma(cell) for row in rows for cell in row if "," in cell)
    )


def has_decimal_comma(cell: str) -> bool:
    """Whether a cell is a number written with a decimal comma.

    >>> has_decimal_comma("1,5"), has_decimal_comma("1.5"), has_decimal_comma("a,5")
    (True, False, False)
    """
    return _DECIMAL_COMMA.fullmatch(cell) is not None


def decimal_point(column: Sequence[str]) -> dict[str, float] | str:
    """The numbers of a column in which some have a decimal comma; or the first cell whose comma may mean thousands.

    A comma is the decimal one where no cell of the column has a point, and one at least cannot mean thousands.

    >>> decimal_point(["1,5", "2"]), decimal_point(["1,500", "2"])
    ({'1,5': 1.5, '2': 2.0}, '1,500')
    """
    commas = [cell for cell in column if has_decimal_comma(cell)]
    pointed = any("." in cell for cell in column)
    if pointed or all(_THOUSANDS.fullmatch(cell) for cell in commas):
        return commas[0]
    return {cell: float(cell.replace(",", ".")) for cell in column if cell in commas or is_number(cell)}


def _split(path: Path, kept: list[tuple[int, str]], delimiter: str | None) -> Iterator[tuple[int, list[str]]]:
    if delimiter is None:
        whole = suffix_of(path) in (".csv", ".tsv")  # one column, in which a blank is part of the name
        yield from ((number, [line.strip()] if whole else line.split()) for number, line in kept)
        return
    number = kept[0][0]

    def feed() -> Iterator[str]:
        nonlocal number
        for number, line in kept:  # noqa: B007
            yield line

    try:
        for row in csv.reader(feed(), delimiter=delimiter, strict=True, skipinitialspace=True):
            yield number, [field.strip() for field in row]
    except csv.Error as error:
        raise FileFormatError(
            f"{path}, line {number}: broken quotes ({error}); the file may be cut short"
        ) from None


def is_number(field: str) -> bool:
    """Whether a cell is a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def _columns(number: int) -> str:
    return f"{number} column" if number == 1 else f"{number} columns"
