"""Whether the first row of a table names its columns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ohmline.errors import FileFormatError, ParameterError
from ohmline.graph.columns import NODE, index_of
from ohmline.graph.files.separator import has_decimal_comma, is_number
from ohmline.graph.files.spelling import is_missing_word
from ohmline.graph.files.table import HEADERS, Table

_LOG = logging.getLogger("ohmline")


def expect_header(header: bool | None, columns: Iterable[Any]) -> bool | None:
    """Whether there is a header, as far as was said: a column that is given by its name says that there is one."""
    named = next((column for column in columns if isinstance(column, str)), None)
    if named is None:
        return header
    if header is False:
        raise ParameterError(
            f"{named!r} names a column, and header=False says that columns have no names; give its number, from 0"
        )
    return True


def split_header(table: Table, header: bool) -> tuple[list[Hashable], Table]:
    """The names of the columns and the rows below them."""
    if not header:
        return [f"column {k + 1}" for k in range(table.width)], table
    names: list[Hashable] = [*table.row(0)]
    _LOG.info("%s: the first row names the columns: %s", table.path, names)
    rest = table.body()
    if not rest.height and table.nodes is None:
        raise FileFormatError(f"{table.path} has a header and no rows; expected at least one")
    return names, rest


def edges_header(table: Table, s: int, t: int, w: int | None) -> bool:
    """Whether the first row of an edge list names the columns.

    It does if it uses the usual words. A number names no column, neither as an end nor as a weight, except that the
    first row is never an edge if its ends are not numbers while those of all other rows are. Otherwise neither end may
    come again, and it is a header if its weight is a word, or, where blanks do not separate, if every other row shares
    an end with another one. In these last two cases an edge could be taken for a header: the one edge of its own
    component; a warning is logged.
    """
    first = table.row(0)
    said = first_row_says(first, s, t, w)
    if said is not None:
        return said
    if table.height < 2:
        return w is not None
    rest = table.body()
    if rest.is_numeric(s) and rest.is_numeric(t):
        return True
    if first[s] == first[t]:
        return False
    _, sources, targets = index_of(table.coded(s), table.coded(t))
    times = np.bincount(np.concatenate([sources, targets]))
    again = np.maximum(times[sources], times[targets]) > 1
    if again[0]:
        return False
    if w is not None:
        return guessed(table.path, first)
    if table.blanks or table.height < 3 or not again[1:].all():
        return False
    return guessed(table.path, first)


def first_row_says(first: Sequence[str], s: int, t: int, w: int | None) -> bool | None:
    """Whether the first row of an edge list names the columns, as far as it says by itself; None where it does not."""
    if first[s].lower() in HEADERS and first[t].lower() in HEADERS:
        return True
    if w is not None and first[w].lower() in HEADERS and not is_number(first[s]) and not is_number(first[t]):
        return True
    if is_number(first[s]) or is_number(first[t]) or (w is not None and not _names_column(first[w])):
        return False
    return None


def labels_header(
    table: Table, n: int, y: int, known: Callable[[str], bool] | None, *, tell: bool = True
) -> bool:
    """Whether the first row of a table of labels names the columns.

    It does if it uses the usual words. A number names no column. With a graph it does if the graph has no such node
    while it has others of the table, and its label comes not again, which is logged as a warning; without one, if its
    node is not a number while all others are.
    """
    first = table.row(0)
    if first[n].lower() in HEADERS and first[y].lower() in HEADERS:
        return True
    if table.height < 2 or is_number(first[n]):
        return False
    if n != y and not _names_column(first[y]) and first[n].lower() not in NODE:
        return False
    rest = table.body()
    if known is None:
        return rest.is_numeric(n)
    if known(first[n]) or first[y] in rest.cells(y):
        return False
    nodes = rest.coded(n)
    if not any(known(str(nodes.names[code])) for code in nodes.used()):
        return False
    return first[n].lower() in NODE or not tell or guessed(table.path, first, of_labels=True)


def may_be_header(table: Table, n: int, y: int) -> bool:
    """Whether the first row of a table of labels names the columns unless there is such a node."""
    first = table.row(0)
    return labels_header(table, n, y, lambda node: node != first[n], tell=False)


def _names_column(cell: str) -> bool:
    """Whether a cell can be the name of a column: no number, not empty, and none of the words for a missing value."""
    return not is_missing_word(cell) and not is_number(cell) and not has_decimal_comma(cell)


def guessed(path: Path, first: Sequence[str], *, of_labels: bool = False) -> bool:
    """The first row is taken for a header, which somebody may want to know.

    The command line has a flag for the header of each file, and reads from the record whose it is.
    """
    _LOG.warning(
        "%s: the first row, %s, is taken for the names of the columns; if it is one like the others, pass header=False",
        path,
        ", ".join(first),
        extra={"of_labels": of_labels},
    )
    return True
