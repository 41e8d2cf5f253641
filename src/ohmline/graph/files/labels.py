"""Nodes and their labels in files: tables as text, and Parquet."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from os import PathLike
from pathlib import Path
from typing import final

from ohmline.checks import file_path, flag, instance, none_or
from ohmline.errors import FileFormatError, GraphError, LabelError
from ohmline.graph.columns import NODE, Column, label_columns, listed_ids, place_of
from ohmline.graph.doors.tables import ids_of
from ohmline.graph.files.header import expect_header, labels_header, may_be_header, split_header
from ohmline.graph.files.paths import FileLimits, suffix_of
from ohmline.graph.files.spelling import is_spelling, spellings_of, typed
from ohmline.graph.files.table import Table, read_table, typed_columns, wrong_width
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.labels import Listed, checked_labels, frame_rows, ordered_labels

_WHOLE = re.compile(r"^\+?(-?[0-9]+)(?:\.0*)?$")
"""A whole number as people write labels, and programs where others are missing: +1, 1.0."""


def read_labels(
    path: str | PathLike[str],
    *,
    graph: Graph | None = None,
    header: bool | None = None,
    node: str | int | None = None,
    label: str | int | None = None,
    skip_unknown: bool = False,
    limits: FileLimits | None = None,
) -> dict[Hashable, Hashable]:
    """Read labels from a text file with two columns, node and label, one line per node; or from a Parquet file.

    Separators, comments and compression are as for the edge lists of `ohmline.graph.read`. Ids and
    labels are whole numbers where all of them are (a label may be written +1 or 1.0). An empty label, or NaN, means
    that the node has none: it is left out. A node may be listed again with the same label; with another one it is an
    error that names both lines.

    Parameters
    ----------
    path
        The name of the file.
    graph
        The graph whose nodes are labelled: the ids are then its own, and those that it does not have raise
        `UnknownNode`. An id that may be two nodes, such as 1 and "1", raises `LabelError`. None (default) takes the ids
        as they are written.
    header
        Whether the first row names the columns. None (default) sees that from the rows: it does if it uses the usual
        words (node, id, label, class, ...), or if `graph` does not have its node, has others, and no other row has its
        label, which is logged as a warning. Without a graph, it does if its node is not a number and all others are. A
        row whose node or label is a number is no header.
    node, label
        The columns of the nodes and of the labels, by name or by number (from 0). None (default) for those with the
        usual names, or the first two of two columns.
    skip_unknown
        Whether labels of nodes that `graph` does not have are left out. By default they are an error.
    limits
        How large the file may be. None (default) for `FileLimits()`.

    Returns
    -------
    dict
        The label of every node that has one, in the order of their first lines.
    """
    header, graph = none_or(flag, header, "header"), none_or(expect_graph, graph, "graph")
    skip_unknown = flag(skip_unknown, "skip_unknown")
    most = FileLimits() if limits is None else instance(limits, FileLimits, "limits")
    rows = _rows(file_path(path), most, header, node, label, graph)
    return checked_labels(rows, graph, skip_unknown=skip_unknown)


def read_labels_in_order(
    path: str | PathLike[str],
    graph: Graph,
    *,
    header: bool | None = None,
    node: str | int | None = None,
    label: str | int | None = None,
    skip_unknown: bool = False,
) -> list[tuple[Hashable, Hashable]]:
    """The labels of a file line by line, with the same node as often as it comes: labels that change over time."""
    rows = _rows(file_path(path), FileLimits(), header, node, label, graph)
    return ordered_labels(rows, graph, skip_unknown=skip_unknown)


@final
class LabelsApart:
    """The labels of a text file for a graph that is elsewhere, which alone knows whether the first row is a header.

    Parameters
    ----------
    path
        The file.
    header, node, label
        As for `read_labels`.
    integers
        Whether the ids of the graph are whole numbers; otherwise they are strings.
    """

    def __init__(
        self,
        path: Path,
        *,
        header: bool | None,
        node: str | int | None,
        label: str | int | None,
        integers: bool,
    ) -> None:
        self._table = _whole(path, FileLimits())
        self._options = header, node, label
        self._integers = integers
        self._first = _columns(self._table, *self._options, _everybody)

    @property
    def in_doubt(self) -> bool:
        """Whether the first row names the columns if the graph has no such node."""
        if expect_header(self._options[0], self._options[1:]) is not None:
            return False
        table, n, y = self._first
        return table is self._table and may_be_header(table, n, y)

    @property
    def spellings(self) -> list[str]:
        """The nodes as they are written, those of the first row among them, each once."""
        return list(dict.fromkeys(self._table.cells(self._first[1])))

    def read(self, has: Callable[[str], bool] | None = None) -> dict[Hashable, Hashable]:
        """The labels; ids as the graph would have them.

        Parameters
        ----------
        has
            Whether the graph has a node that is written so; None (default) as if the first row named the columns where
            that is in doubt.
        """
        table, n, y = self._first
        if self.in_doubt:
            doubted = table.row(0)[n]
            guess = has or (lambda node: node != doubted)
            table, n, y = _columns(table, *self._options, guess, tell=has is not None)
        table.refuse_gaps(n)
        nodes: list[Hashable] = [*table.cells(n)]
        if self._integers:
            nodes = [typed([str(node)])[0] for node in nodes]
        return checked_labels(_listed(table, nodes, y), None, skip_unknown=False)


def _everybody(node: str) -> bool:
    """A graph that has every node."""
    return True


def _whole(path: Path, limits: FileLimits) -> Table:
    """All rows of a text file."""
    whole = read_table(path, limits, wanted="2")
    if not whole.height:
        raise FileFormatError(f"{path} has no rows; expected 2 columns in each line")
    return whole


def _rows(
    place: Path,
    limits: FileLimits,
    header: bool | None,
    node: Column | None,
    label: Column | None,
    graph: Graph | None,
) -> Listed:
    """The rows of a file below its header."""
    if suffix_of(place) == ".parquet":
        from ohmline.graph.files.parquet import parquet_frame

        return frame_rows(parquet_frame(place, limits)[0], node, label, str(place))
    known = None if graph is None else spellings_of(graph.nodes)
    has = None if known is None else known.__contains__
    table, n, y = _columns(_whole(place, limits), header, node, label, has)
    table.refuse_gaps(n)
    nodes: list[Hashable] = list(table.cells(n))
    if known is None:
        nodes = listed_ids(typed_columns(table, n)[0])
    else:
        try:
            nodes = [known.get(str(spelling)) for spelling in nodes]
        except GraphError as error:
            raise LabelError(f"{place}: {error}") from None
    return _listed(table, nodes, y)


def _listed(table: Table, nodes: list[Hashable], y: int) -> Listed:
    """Nodes and their labels, with the lines that they stand on."""
    return Listed(str(table.path), nodes, _labels(table.cells(y)), "line", lambda row: table.lines[row])


def read_nodes(
    path: str | PathLike[str],
    *,
    node: str | int | None = None,
    header: bool | None = None,
    limits: FileLimits | None = None,
) -> list[Hashable]:
    """Read the ids of nodes from a text file, one per line in any number of columns, or from a Parquet file.

    Such a list names isolated nodes, which no edge names: `read(edges, nodes=...)` takes it.

    Parameters
    ----------
    path
        The name of the file.
    node
        The column of the ids, by name or by number (from 0). None (default) for the one called node, node_id, id or
        name, or else the first.
    header
        Whether the first row names the columns. None (default) sees that from the rows: it does if it uses one of these
        words for the ids, or if its id is not a number and all others are.
    limits
        How large the file may be. None (default) for `FileLimits()`.

    Returns
    -------
    list
        The ids, each once, in the order of their first lines.
    """
    return nodes_in(path, node=node, header=header, limits=limits)[0]


def nodes_in(
    path: str | PathLike[str],
    *,
    node: str | int | None = None,
    header: bool | None = None,
    limits: FileLimits | None = None,
    name: str = "header",
) -> tuple[list[Hashable], bool]:
    """The ids that `read_nodes` reads, and whether it is sure that the first one is no name of the column.

    `name` is what the caller calls `header`.
    """
    header, sure = none_or(flag, header, name), True
    most = FileLimits() if limits is None else instance(limits, FileLimits, "limits")
    place = file_path(path)
    if suffix_of(place) == ".parquet":
        from ohmline.graph.files.parquet import parquet_frame

        frame, _ = parquet_frame(place, most)
        column = ids_of(frame, _node_column(frame.names, node, place), str(place), FileFormatError)
    else:
        table = read_table(place, most, wanted="1 or more", one_column=True)
        said = expect_header(header, (node,))
        if said is None:
            first = _node_column(table.row(0), node, place)
            said = sure = labels_header(table, first, first, None)
        names, rest = split_header(table, said)
        k = _node_column(names, node, place)
        rest.refuse_gaps(k)
        column = typed_columns(rest, k)[0]
    return list(dict.fromkeys(listed_ids(column))), sure


def _node_column(names: list[Hashable] | list[str], node: Column | None, path: Path) -> int:
    if node is not None:
        return place_of(names, node, "node", str(path), FileFormatError)
    lower = [str(name).lower() for name in names]
    return next((lower.index(word) for word in NODE if word in lower), 0)


def _columns(
    whole: Table,
    header: bool | None,
    node: Column | None,
    label: Column | None,
    has: Callable[[str], bool] | None,
    *,
    tell: bool = True,
) -> tuple[Table, int, int]:
    """The rows below the header, and which of their columns are the nodes and the labels."""
    said = expect_header(header, (node, label))
    first: list[Hashable] = [*whole.row(0)]
    if said is None:
        try:
            places = label_columns(first, node, label, what=str(whole.path), error=FileFormatError)
        except FileFormatError:
            said = True
        else:
            said = labels_header(whole, *places, has, tell=tell)
    if whole.width != 2 and node is None and label is None:
        try:
            label_columns(first, None, None, what=str(whole.path), error=FileFormatError)
        except FileFormatError:
            looks = "; this looks like a file of edges, and labels come second" if whole.width == 3 else ""
            raise wrong_width(
                whole, f"2 (a node and its label{looks})", "name them with node=... and label=..."
            ) from None
    names, table = split_header(whole, said)
    n, y = label_columns(names, node, label, what=str(whole.path), error=FileFormatError)
    return table, n, y


def written_form(label: Hashable) -> str:
    """How a label is known again in a file: a whole number in its usual spelling, whether 1, +1 or 1.0 is written.

    >>> written_form("+1"), written_form(1), written_form("red")
    ('1', '1', 'red')
    """
    return _WHOLE.sub(r"\1", str(label))


def label_values(written: list[str]) -> list[Hashable]:
    """Names of classes as `read_labels` has them: whole numbers where all are, also those written +1 or 1.0.

    >>> label_values(["+1", "-1"]), label_values(["1", "a"])
    ([1, -1], ['1', 'a'])
    """
    numbers = typed([written_form(each) for each in written])
    return numbers if numbers and isinstance(numbers[0], int) else list(written)


def is_label(written: str) -> bool:
    """Whether a label that is written so can be read back.

    >>> is_label("red"), is_label("NaN"), is_label("")
    (True, False, False)
    """
    return is_spelling(written) and written.lower() != "nan"


def _labels(cells: list[str]) -> list[Hashable]:
    """Labels as they are written: whole numbers where all are, None where a cell is empty or NaN."""
    kinds = iter(label_values([cell for cell in cells if cell and cell.lower() != "nan"]))
    return [next(kinds) if cell and cell.lower() != "nan" else None for cell in cells]
