"""What a person reads about a node: texts from a table, made harmless for a terminal."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Hashable
from os import PathLike
from pathlib import Path

from ohmline.checks import file_path
from ohmline.errors import FileFormatError
from ohmline.graph.files.paths import FileLimits, content, text
from ohmline.graph.graph import Graph

NODE_NAMES = ("node", "node_id", "nodeid", "id", "name")
"""A column of one of these names holds the nodes; without one, the first column does."""
_LONGEST = 10**6


def harmless(text: str) -> str:
    """A text that a terminal can only show: no escape sequence, no control character, no change of direction.

    Tabs and line ends stay as blanks and line ends.

    >>> harmless("red \\x1b[31mtext\\x07, left\\u202eright")
    'red �[31mtext�, left�right'
    """
    return "".join(_shown(char) for char in text.replace("\r\n", "\n"))


def _shown(char: str) -> str:
    if char in "\n\u2028\u2029\r\x85":
        return "\n"
    if char == "\t":
        return " "
    kind = unicodedata.category(char)
    return "\ufffd" if kind in ("Cc", "Cs", "Cf") and char not in "\u00ad\u200c\u200d" else char


def read_texts(path: str | PathLike[str], graph: Graph) -> dict[Hashable, str]:
    """What `read_fields` finds about each node, as one text.

    Parameters
    ----------
    path
        The name of the file, separated by commas, tabs or semicolons.
    graph
        The graph.

    Returns
    -------
    dict
        The texts, without control characters.
    """
    return {node: _joined(fields) for node, fields in read_fields(path, graph).items()}


def read_fields(path: str | PathLike[str], graph: Graph) -> dict[Hashable, list[tuple[str, str]]]:
    """What there is to read about each node, from a table with a column of nodes and one or more others.

    The first row names the columns unless its node is one of the graph. A column called node or id holds the nodes, or
    else the first one does. Of several other columns the first is the text, and the rest are shown with their names.
    Fields may be quoted and have line ends in them; nodes that the graph does not have are left out.

    Parameters
    ----------
    path
        The name of the file, separated by commas, tabs or semicolons.
    graph
        The graph.

    Returns
    -------
    dict
        For each node the names and values of its other columns, without control characters.
    """
    where = file_path(path)
    known = {str(node): node for node in graph.nodes}
    rows = _rows(where)
    if not rows:
        raise FileFormatError(f"{where} has no rows; expected a node and its text in each")
    first = [field.strip() for field in rows[0][1]]
    names, column = [""] * len(first), 0
    if first[0] not in known or first[0].lower() in NODE_NAMES:
        names = first
        column = next((k for k, name in enumerate(first) if name.lower() in NODE_NAMES), 0)
        rows = rows[1:]
    found: dict[Hashable, list[tuple[str, str]]] = {}
    lines: dict[Hashable, int] = {}
    for line, row in rows:
        if len(row) != len(first):
            raise FileFormatError(
                f"{where}, line {line}: {len(row)} columns, expected {len(first)} as in the first row; quote "
                "texts that have the separator in them"
            )
        node = known.get(row[column].strip())
        if node is None:
            continue
        if node in found:
            raise FileFormatError(
                f"{where}: node {node!r} has a text on line {lines[node]} and another on line {line}; keep one of them"
            )
        lines[node] = line
        fields = list(zip(names, row, strict=True))
        found[node] = [(harmless(n), harmless(f)) for n, f in fields[:column] + fields[column + 1 :]]
    if not rows:
        raise FileFormatError(f"{where} has a header and no rows; expected a node and its text in each")
    if not found:
        raise FileFormatError(
            f"{where} has a text for no node of the graph: its first node is {rows[0][1][column]!r}, and the graph has "
            f"nodes such as {graph.nodes[0]!r}"
        )
    return found


def _joined(fields: list[tuple[str, str]]) -> str:
    """The first of several fields as it is, a title most often, and the others with the names of their columns."""
    filled = [(name, field.strip()) for name, field in fields if field.strip()]
    lines = [f"{name}: {field}" if name and k else field for k, (name, field) in enumerate(filled)]
    return "\n".join(lines)


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    written = text(path, content(path, FileLimits()))
    line = written.split("\n", 1)[0]
    delimiter = next((d for d in "\t,;" if d in line), None)
    if delimiter is None:
        raise FileFormatError(
            f"{path}, line 1: no comma, tab or semicolon; expected a node and its text, separated by one of them"
        )
    before = csv.field_size_limit(_LONGEST)
    rows: list[tuple[int, list[str]]] = []
    reader = csv.reader(io.StringIO(written, newline=""), delimiter=delimiter, strict=True)
    begins = 1
    try:
        for row in reader:
            if row:
                rows.append((begins, row))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise FileFormatError(f"{path}, line {begins}: {error}; the file may be cut short") from None
    finally:
        csv.field_size_limit(before)
    return rows
