"""Text tables: rows with their line numbers, a header or none, and ids that are numbers or names."""

from __future__ import annotations

import csv
import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from ohmline.errors import FileFormatError
from ohmline.graph.files.paths import FileLimits, suffix_of, text

NODES = "# ohmline-nodes: "
"""A comment that lists the nodes, in order and with their types, where the rows cannot tell."""

_COMMENTS = ("#", "%")
_HEADERS = frozenset(
    {"source", "target", "from", "to", "src", "dst", "tail", "head", "start", "end", "citing", "cited"}
    | {"node", "node1", "node2", "node_1", "node_2", "node_id", "id", "id1", "id2", "fromnodeid", "tonodeid"}
    | {"name", "label", "class", "y", "weight"}
)


@final
@dataclass(frozen=True)
class Table:
    """The rows of a text file and where they stand in it."""

    path: Path
    rows: list[list[str]]
    lines: list[int]
    nodes: list[Hashable] | None
    """The nodes that the file lists itself."""

    def column(self, k: int) -> list[str]:
        """Column k of every row."""
        return [row[k] for row in self.rows]

    def error(self, row: int, message: str) -> FileFormatError:
        """An error that names the file and the line of a row."""
        return FileFormatError(f"{self.path}, line {self.lines[row]}: {message}")


def read_table(
    path: Path, limits: FileLimits, *, columns: Sequence[int], header: bool | None, ids: int
) -> Table:
    """The rows of `path`, each with as many columns as the first: one of `columns`.

    Tabs, commas, semicolons or blanks separate, whichever of these the first row has. Lines that
    begin with # or % are comments. The first `ids` columns hold ids, and a third one weights.
    `header` says whether the first row is one; None leaves that to the rows.
    """
    rows: list[list[str]] = []
    lines: list[int] = []
    nodes: list[Hashable] | None = None
    kept: list[tuple[int, str]] = []
    written = text(path, limits)
    if written.lstrip()[:9].lower().startswith(("<!doctype", "<html", "<?xml")):
        raise FileFormatError(f"{path}, line 1: this is a web page or XML, not a table; download it again")
    for number, line in enumerate(written.split("\n"), 1):
        if line.startswith(NODES):
            nodes = _listed(path, number, line)
        elif line.strip() and not line.startswith(_COMMENTS):
            if len(line) > limits.line:
                raise FileFormatError(
                    f"{path}, line {number}: {len(line)} characters, more than {limits.line}; if that is right, pass "
                    "limits=FileLimits(line=...) with a larger number"
                )
            kept.append((number, line))
    if not kept and nodes is None:
        raise FileFormatError(f"{path} has no rows; expected {_wanted(columns)} columns in each line")
    for number, row in _split(path, kept):
        if len(row) not in columns or (rows and len(row) != len(rows[0])):
            wanted = len(rows[0]) if rows else _wanted(columns)
            raise FileFormatError(
                f"{path}, line {number}: {_columns(len(row))}, expected {wanted} "
                "(separated by tab, comma, semicolon or blank as in the first row); "
                "the file may be cut short, or not be what its name says"
            )
        if not all(row):
            raise FileFormatError(
                f"{path}, line {number}: column {row.index('') + 1} is empty; leave no gaps"
            )
        rows.append(row)
        lines.append(number)
    if rows and (has_header(rows, ids) if header is None else header):
        del rows[0], lines[0]
    if not rows and nodes is None:
        raise FileFormatError(f"{path} has a header and no rows; expected at least one")
    return Table(path, rows, lines, nodes)


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
        if not spelling or spelling != spelling.strip() or not spelling.isprintable():
            raise FileFormatError(
                f"{path}: node {node!r} is empty or has blanks around it or control characters in it; "
                "give it another name before writing"
            )
        spellings.append(spelling)
    if len(set(spellings)) != len(spellings):
        twice = next(s for s in spellings if spellings.count(s) > 1)
        raise FileFormatError(f"{path}: two nodes would both be written as {twice!r}; rename one of them")
    return spellings


def nodes_json(nodes: Iterable[Hashable]) -> str:
    """The nodes in order and with their types, on one line."""
    return json.dumps(list(nodes), ensure_ascii=False)


def listed_nodes(spelling: str) -> list[Hashable]:
    """The nodes of such a list, or ValueError."""
    nodes = json.loads(spelling)
    if not isinstance(nodes, list) or not all(type(node) in (int, str) for node in nodes):
        raise ValueError("expected a JSON list of numbers and strings")
    return nodes


def _listed(path: Path, number: int, line: str) -> list[Hashable]:
    try:
        return listed_nodes(line.removeprefix(NODES))
    except ValueError as error:
        raise FileFormatError(
            f"{path}, line {number}: the list of nodes is broken ({error}); remove the line or mend it"
        ) from None


def _split(path: Path, kept: list[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    if not kept:
        return
    first, line = kept[0]
    delimiter = next((d for d in "\t,;" if d in line), None)
    if delimiter is None:
        if suffix_of(path) in (".csv", ".tsv"):
            raise FileFormatError(
                f"{path}, line {first}: no comma, tab or semicolon; the file is not what its name says"
            )
        yield from ((number, line.split()) for number, line in kept)
        return
    number = first

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


def has_header(rows: list[list[str]], ids: int) -> bool:
    """Whether the first row names the columns.

    It does if it uses the usual words, if its weight is not a number, or if its ids are not
    numbers while those of all other rows are.
    """
    first = rows[0]
    if all(field.lower() in _HEADERS for field in first[:2]):
        return True
    if len(first) == 3 and not _is_number(first[2]):
        return True
    return (
        len(rows) > 1
        and not any(_is_number(field) for field in first[:ids])
        and all(_is_number(field) for row in rows[1:] for field in row[:ids])
    )


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _wanted(columns: Sequence[int]) -> str:
    return " or ".join(str(c) for c in columns)


def _columns(number: int) -> str:
    return f"{number} column" if number == 1 else f"{number} columns"
