"""Labels of nodes out of mappings, tables and databases: one check for all of them."""

from __future__ import annotations

import logging
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
from ohmline.graph.spelling import did_you_mean, warn_of_typos

_LOG = logging.getLogger("ohmline")
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
    is an integer, since pandas makes 1 into 1.0 where other labels are missing. Blanks around a text in a table do not
    count, as in a file. Classes that look like one class written in two ways (`legit` and `Legit`; a single `legti`
    beside many `legit`) stay two, and a warning in the log names them.

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
        Whether labels of nodes that `graph` does not have are left out; how many these are is logged as a warning. By
        default they are an error.

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


def labels_in_order(labels: Any, graph: Graph) -> list[tuple[Hashable, Hashable]]:
    """The labels of a table or a file, or pairs, in their order, with the same node as often as it comes."""
    if isinstance(labels, str | PathLike):
        from ohmline.graph.files.labels import read_labels_in_order

        return read_labels_in_order(labels, graph)
    frame = None if isinstance(labels, Mapping) else frame_of(labels)
    if frame is not None:
        rows = frame_rows(frame, None, None, "the table of labels")
    else:
        rows = Listed("the labels", *_rows(labels), "row", lambda k: k + 1)
    return ordered_labels(rows, graph, skip_unknown=False)


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
    return checked_labels(frame_rows(frame, node, label, what), graph, skip_unknown=skip_unknown)


def frame_rows(frame: Frame, node: Column | None, label: Column | None, what: str) -> Listed:
    """The rows of two columns of a table."""
    n, y = label_columns(frame.names, node, label, what=what, error=LabelError)
    column = ids_of(frame, n, what, LabelError)
    values = [
        value.strip() if isinstance(value, str) else value for value in frame.values(y)
    ]  # as in a text file
    return Listed(what, listed_ids(column), values, "row", lambda k: k + 1)


def checked_labels(rows: Listed, graph: Graph | None, *, skip_unknown: bool) -> dict[Hashable, Hashable]:
    """The label of every node that has one; an unknown node and a second label are errors."""
    values, kept = _kept(rows, graph, skip_unknown=skip_unknown)
    first: dict[Hashable, int] = {}
    for k in kept:
        node, label = rows.nodes[k], values[k]
        before = first.setdefault(node, k)
        if values[before] != label:
            raise ConflictingLabels(
                f"{rows.what}: node {shown(node)} has the label {shown(values[before])} on {rows.row(before)} and "
                f"{shown(label)} on {rows.row(k)}; keep one of the two{_hint(rows, graph)}"
            )
    return {node: values[k] for node, k in first.items()}


def ordered_labels(
    rows: Listed, graph: Graph | None, *, skip_unknown: bool
) -> list[tuple[Hashable, Hashable]]:
    """Every row that has a label, in order; an unknown node is an error, a second label of a node is none."""
    values, kept = _kept(rows, graph, skip_unknown=skip_unknown)
    return [(rows.nodes[k], values[k]) for k in kept]


def _kept(rows: Listed, graph: Graph | None, *, skip_unknown: bool) -> tuple[list[Hashable], list[int]]:
    """The labels of all rows, None for a missing one, and the rows that count."""
    _refuse_edges(rows, graph)
    values = [
        None if is_missing(label) or (isinstance(label, str) and not label) else _plain(label)
        for label in rows.labels
    ]
    there = [k for k, label in enumerate(values) if label is not None]
    if graph is None:
        warn_of_typos(rows.what, [values[k] for k in there])
        return values, there
    unknown = [k for k in there if rows.nodes[k] not in graph.nodes]
    if unknown and not skip_unknown:
        raise _unknown(rows, unknown, graph)
    if unknown:
        nodes = list(dict.fromkeys(rows.nodes[k] for k in unknown))
        _LOG.warning(
            "%s: %d of %d labels are left out, since the graph does not have their nodes, for example %s%s",
            rows.what,
            len(unknown),
            len(there),
            shown(nodes[0]),
            did_you_mean(nodes[0], graph.nodes),
        )
    dropped = set(unknown)
    kept = [k for k in there if k not in dropped]
    warn_of_typos(rows.what, [values[k] for k in kept])
    return values, kept


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
    alone = rows.unit == "line" and len(rows.nodes) == 1 and rows.number(0) == 1 and isinstance(node, str)
    head = "no labels below the header, if this line is one; otherwise " if alone else ""
    meant = "" if kind else did_you_mean(node, graph.nodes)
    return UnknownNode(
        f"{rows.what}, {rows.row(k)}: {head}unknown node {shown(node)}{others}{meant}; the graph has {graph.n} nodes, "
        f"for example {graph.nodes[0]!r}{kind}; mend the ids, name nodes without edges with nodes=..., or pass "
        f"skip_unknown=True to leave such labels out{_hint(rows, graph)}"
    )


def _kind(node: Hashable) -> str:
    return {int: "a number", str: "a string"}.get(type(node), f"a {type(node).__name__}")


def _hint(rows: Listed, graph: Graph | None) -> str:
    """A word about a file of edges that was given for one of labels: its labels are nodes themselves."""
    spellings = {str(node) for nodes in (rows.nodes, () if graph is None else graph.nodes) for node in nodes}
    both = sum(str(label) in spellings for label in rows.labels)
    if both <= len(rows.labels) // 2 or not _many(rows):
        return ""
    if graph is not None and not any(node in graph.nodes for node in rows.nodes):
        return ". Most of these labels are nodes: if the label stands before the node, pass node=1, label=0"
    return ". Most of these labels are nodes themselves: is this the file of edges?"


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
