"""Labels of nodes out of mappings, tables and databases: one check for all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, final

import numpy as np

from ohmline.checks import flag, hashable, none_or, pairs, shown
from ohmline.errors import ConflictingLabels, LabelError, UnknownNode
from ohmline.graph.columns import Column, label_columns, listed_ids
from ohmline.graph.doors.frames import Frame, column_frame, frame_of, is_missing
from ohmline.graph.doors.tables import ids_of
from ohmline.graph.graph import Graph, expect_graph

_SWAPPED = 10
"""From so many rows on, rows that are all edges of the graph are no accident."""


@final
@dataclass(frozen=True)
class Listed:
    """Rows of nodes and labels, None for a missing label, and what they are called in errors."""

    what: str
    nodes: Sequence[Hashable]
    labels: Sequence[Any]
    unit: str
    number: Callable[[int], int]

    def row(self, k: int) -> str:
        """Where row k stands."""
        return f"{self.unit} {self.number(k)}"


def labels_of(
    labels: Any,
    *,
    graph: Graph | None = None,
    node: str | int | None = None,
    label: str | int | None = None,
    skip_unknown: bool = False,
) -> dict[Hashable, Hashable]:
    """Take labels from whatever holds them: a mapping, pairs, a frame, a pandas Series, or a file.

    A label that is None, NaN or empty means that the node has none: it is left out. A number that is whole
    is an integer, since pandas makes 1 into 1.0 where other labels are missing.

    Parameters
    ----------
    labels
        A mapping from nodes to labels; a list of pairs (node, label); a frame of pandas, polars or Arrow, or a relation
        of DuckDB, with a column of each; a pandas Series with the nodes as its index; or the name of a file that
        `read_labels` reads.
    graph
        The graph whose nodes are labelled; those that it does not have raise `UnknownNode`. None (default) takes the
        ids as they are.
    node, label
        The columns of the nodes and of the labels, by name or by number (from 0). None (default) for those called node
        (node_id, id, name) and label (class, y), or the first two of two columns. Only tables and files have columns.
    skip_unknown
        Whether labels of nodes that `graph` does not have are left out. By default they are an error.

    Returns
    -------
    dict
        The label of every node that has one.

    Examples
    --------
    >>> graph = Graph.from_edges([("ada", "bob"), ("bob", "cleo")])
    >>> labels_of({"ada": "human", "bob": None}, graph=graph)
    {'ada': 'human'}
    >>> labels_of([("ada", "human"), ("zoe", "bot")], graph=graph)
    Traceback (most recent call last):
    ohmline.errors.UnknownNode: the labels, row 2: unknown node 'zoe'; the graph has 3 nodes, for example 'ada'; ...
    """
    graph = none_or(expect_graph, graph, "graph")
    skip_unknown = flag(skip_unknown, "skip_unknown")
    if isinstance(labels, str | PathLike):
        from ohmline.graph.files.labels import read_labels

        return read_labels(labels, graph=graph, node=node, label=label, skip_unknown=skip_unknown)
    frame = None if isinstance(labels, Mapping) else frame_of(labels)
    if frame is not None:
        return frame_labels(frame, node, label, graph, skip_unknown=skip_unknown, what="the table of labels")
    nodes, values = _rows(labels)
    rows = Listed("the labels", nodes, values, "row", lambda k: k + 1)
    return checked_labels(rows, graph, skip_unknown=skip_unknown)


def labels_from_sql(
    connection: Any,
    query: str,
    *,
    parameters: Any = None,
    graph: Graph | None = None,
    node: str | int | None = None,
    label: str | int | None = None,
    skip_unknown: bool = False,
) -> dict[Hashable, Hashable]:
    """Take labels from the rows that a query gives; NULL means that the node has none.

    Parameters
    ----------
    connection
        An open connection of Python's database interface (DB-API 2: sqlite3, psycopg, DuckDB, ...) or ADBC.
    query
        A SELECT.
    parameters
        The values of the query's parameters, as the driver takes them; None (default) for a query without.
    graph, node, label, skip_unknown
        As for `labels_of`.

    Returns
    -------
    dict
        The label of every node that has one.

    Examples
    --------
    >>> import sqlite3
    >>> connection = sqlite3.connect(":memory:")
    >>> labels_from_sql(connection, "SELECT 'ada' AS id, 'human' AS class UNION ALL SELECT 'bob', NULL")
    {'ada': 'human'}
    >>> connection.close()
    """
    from ohmline.graph.doors.queries import query_frame

    graph = none_or(expect_graph, graph, "graph")
    frame = query_frame(connection, query, parameters)
    return frame_labels(
        frame,
        node,
        label,
        graph,
        skip_unknown=flag(skip_unknown, "skip_unknown"),
        what="the result of the query",
    )


def frame_labels(
    frame: Frame,
    node: Column | None,
    label: Column | None,
    graph: Graph | None,
    *,
    skip_unknown: bool,
    what: str,
) -> dict[Hashable, Hashable]:
    """Labels from two columns of a table."""
    n, y = label_columns(frame.names, node, label, what=what, error=LabelError)
    column = ids_of(frame, n, what, LabelError)
    rows = Listed(what, listed_ids(column), frame.values(y), "row", lambda k: k + 1)
    return checked_labels(rows, graph, skip_unknown=skip_unknown)


def checked_labels(rows: Listed, graph: Graph | None, *, skip_unknown: bool) -> dict[Hashable, Hashable]:
    """The label of every node that has one; an unknown node and a second label are errors."""
    _refuse_edges(rows, graph)
    values = [
        None if is_missing(label) or (isinstance(label, str) and not label) else _plain(label)
        for label in rows.labels
    ]
    if graph is not None:
        unknown = [
            k for k, node in enumerate(rows.nodes) if values[k] is not None and node not in graph.nodes
        ]
        if unknown and not skip_unknown:
            raise _unknown(rows, unknown, graph)
        dropped = set(unknown)
    else:
        dropped = set()
    first: dict[Hashable, int] = {}
    for k, (node, label) in enumerate(zip(rows.nodes, values, strict=True)):
        if label is None or k in dropped:
            continue
        before = first.setdefault(node, k)
        if values[before] != label:
            raise ConflictingLabels(
                f"{rows.what}: node {shown(node)} has the label {shown(values[before])} on {rows.row(before)} and "
                f"{shown(label)} on {rows.row(k)}; keep one of the two{_hint(rows, graph)}"
            )
    return {node: values[k] for node, k in first.items()}


def _rows(labels: Any) -> tuple[list[Hashable], list[Any]]:
    """Nodes and labels of a mapping, a Series or pairs."""
    if isinstance(labels, Mapping):
        return list(labels), list(labels.values())
    series = column_frame(labels)
    if series is not None:
        index = getattr(labels, "index", None)
        keys = None if index is None or callable(index) else column_frame(index)
        if keys is None:
            raise LabelError(
                f"labels must say whose they are, got a column, {shown(labels)}; give a table of two columns"
            )
        column = ids_of(keys, 0, "the index of the labels", LabelError)
        return listed_ids(column), series.values(0)
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise LabelError(
            f"labels must map nodes to labels, got {shown(labels)}; give {{node: label}}, a table or a file"
        )
    listed = pairs(labels, "labels", "(node, label)")
    return [hashable(node, "node") for node, _ in listed], [label for _, label in listed]


def _plain(label: Any) -> Hashable:
    """A label as a Python object; a whole number is an integer."""
    found = hashable(label, "label")
    return int(found) if isinstance(found, float) and found.is_integer() else found


def _unknown(rows: Listed, unknown: list[int], graph: Graph) -> UnknownNode:
    """The error about labels of nodes that the graph does not have."""
    k, distinct = unknown[0], list(dict.fromkeys(rows.nodes[each] for each in unknown))
    node = distinct[0]
    others = f", and {len(distinct) - 1} more that it does not have" if len(distinct) > 1 else ""
    near = next((each for each in graph.nodes if str(each) == str(node)), None)
    kind = "" if near is None else f" and {near!r}, which is {_kind(near)} where this is {_kind(node)}"
    return UnknownNode(
        f"{rows.what}, {rows.row(k)}: unknown node {shown(node)}{others}; the graph has {graph.n} nodes, for example "
        f"{graph.nodes[0]!r}{kind}; mend the ids, name nodes without edges with nodes=..., or pass skip_unknown=True "
        f"to leave such labels out{_hint(rows, graph)}"
    )


def _kind(node: Hashable) -> str:
    return {int: "a number", str: "a string"}.get(type(node), f"a {type(node).__name__}")


def _hint(rows: Listed, graph: Graph | None) -> str:
    """A word about a file of edges that was given for one of labels: its labels are nodes themselves."""
    spellings = {str(node) for nodes in (rows.nodes, () if graph is None else graph.nodes) for node in nodes}
    both = sum(str(label) in spellings for label in rows.labels)
    swapped = both > len(rows.labels) // 2 and _many(rows)
    return ". Most of these labels are nodes themselves: is this the file of edges?" if swapped else ""


def _many(rows: Listed) -> bool:
    """Whether there are too many different labels for classes: more than one for every four rows."""
    return len(set(map(str, rows.labels))) > len(rows.labels) // 4


def _refuse_edges(rows: Listed, graph: Graph | None) -> None:
    """Raise where every row is an edge of the graph, and every edge a row: this is the file of edges."""
    if graph is None or len(rows.nodes) < max(_SWAPPED, graph.n_edges) or not _many(rows):
        return
    spellings = {str(node): k for k, node in enumerate(graph.nodes)}
    ends = [
        (spellings.get(str(u), -1), spellings.get(str(v), -1))
        for u, v in zip(rows.nodes, rows.labels, strict=True)
    ]
    places = np.array(ends, np.int64)
    if (places < 0).any():
        return
    present = np.asarray(graph.adjacency[places[:, 0], places[:, 1]]).ravel() != 0
    if (present | (places[:, 0] == places[:, 1])).all():
        raise LabelError(
            f"{rows.what}: every row is an edge of the graph, so this is the file of edges; give the file of labels, "
            "which has a node and its label in each row"
        )
