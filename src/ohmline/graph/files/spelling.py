"""How ids are written, so that they are read back as they were."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, final

from ohmline.errors import FileFormatError, GraphError
from ohmline.graph.nodes import NodeIndex

NODES = "# ohmline-nodes: "
"""A comment that lists the nodes, in order and with their types, where the rows cannot tell."""
_WHOLE = re.compile(r"[+-]?[0-9]+(\.0*)?")
COMMENTS = ("#", "%")
"""What a line of comment begins with."""


_MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "-", "?", "."})


def is_missing_word(cell: str) -> bool:
    """Whether a cell is what programs and people write for a value that is missing: nothing, NA, NaN, null, ...

    >>> is_missing_word("NaN"), is_missing_word("Nancy")
    (True, False)
    """
    return cell.lower() in _MISSING


def missing_among_numbers(ids: Iterable[str]) -> str | None:
    """A word for a missing value in ids that are whole numbers otherwise; None where there is none.

    Among names such a word is a name: NA is Namibia, and Nan somebody.

    >>> missing_among_numbers(["1", "NA", "3"]), missing_among_numbers(["NA", "ZA"])
    ('NA', None)
    """
    found, numbers = None, False
    for cell in ids:
        if is_missing_word(cell):
            found = cell if found is None else found
        elif not _WHOLE.fullmatch(cell):
            return None
        else:
            numbers = True
    return found if numbers else None


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


@final
class IndexSpellings:
    """The same over ids that are all numbers or all strings, so that no two are written alike and no table is built."""

    def __init__(self, nodes: NodeIndex) -> None:
        self._nodes = nodes

    def __contains__(self, spelling: str) -> bool:
        return self._place(spelling) >= 0

    def get(self, spelling: str) -> Hashable:
        """The node that is so written, or the spelling itself where there is none."""
        place = self._place(spelling)
        return spelling if place < 0 else self._nodes[place]

    def _place(self, spelling: str) -> int:
        if self._nodes.table is not None:
            return self._nodes.table.find_spelling(spelling)
        number = typed([spelling])[0]
        return number if isinstance(number, int) and 0 <= number < len(self._nodes) else -1


def spellings_of(nodes: NodeIndex) -> Spellings | IndexSpellings:
    """The nodes of a graph by the way they are written."""
    return IndexSpellings(nodes) if nodes.is_range or nodes.table is not None else Spellings(nodes)


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
        (quoted if row and str(row[0]).startswith(COMMENTS) else plain).writerow(row)
    return buffer.getvalue().encode("utf-8")


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
