"""Whether the first row of a table names its columns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from ohmline.errors import FileFormatError, ParameterError
from ohmline.graph.columns import LABEL, NODE, PAIRS, index_of
from ohmline.graph.files.table import Table, is_number

_LOG = logging.getLogger("ohmline")
_HEADERS = frozenset(word for pair in PAIRS for word in pair) | {*NODE, *LABEL, "node_id", "weight"}


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

    It does if it uses the usual words, if its weight is not a number, if its ends are not numbers while those of all
    other rows are, or, where blanks do not separate, if neither of its ends comes again while every other row shares
    an end with another one. Only in the last case could an edge be taken for a header: the one edge of its own
    component, in front of a file that has no other such component.
    """
    first = table.row(0)
    if first[s].lower() in _HEADERS and first[t].lower() in _HEADERS:
        return True
    if w is not None and not is_number(first[w]):
        return True
    if table.height < 2:
        return False
    rest = table.body()
    if not is_number(first[s]) and not is_number(first[t]) and rest.is_numeric(s) and rest.is_numeric(t):
        return True
    if table.blanks or table.height < 3 or first[s] == first[t]:
        return False
    _, sources, targets = index_of(table.coded(s), table.coded(t))
    times = np.bincount(np.concatenate([sources, targets]))
    again = np.maximum(times[sources], times[targets]) > 1
    return not again[0] and bool(again[1:].all())


def labels_header(table: Table, n: int, y: int, known: Callable[[str], bool] | None) -> bool:
    """Whether the first row of a table of labels names the columns.

    It does if it uses the usual words. With a graph it does if the graph has no such node while it has others of the
    table, and its label comes not again; without one, if its node is not a number while all others are.
    """
    first = table.row(0)
    if first[n].lower() in _HEADERS and first[y].lower() in _HEADERS:
        return True
    if table.height < 2:
        return False
    rest = table.body()
    if known is None:
        return not is_number(first[n]) and rest.is_numeric(n)
    if known(first[n]) or first[y] in rest.cells(y):
        return False
    nodes = rest.coded(n)
    return any(known(str(nodes.names[code])) for code in nodes.used())
