"""Graphs and labels out of databases."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from ohmline.checks import shown
from ohmline.errors import OhmlineError, ParameterError
from ohmline.extras import require
from ohmline.graph.columns import Column
from ohmline.graph.doors.frames import Frame, ListsFrame, arrow_frame
from ohmline.graph.edges import Build
from ohmline.graph.streaming import Edges, Forecast
from ohmline.progress import Advance, reporting
from ohmline.sql import fetch, told

INSTEAD = (
    'write it to a graph file, which needs no such memory (ohmline.graph.convert(relation, "graph.ohmg")), and open '
    'that with Graph.open("graph.ohmg")'
)
"""What to do with a relation whose graph does not fit into memory."""

if TYPE_CHECKING:
    from ohmline.graph.graph import Graph


def query_frame(connection: Any, query: str, parameters: Any) -> Frame:
    """The result of a query over a connection of DB-API 2 or ADBC."""
    result = fetch(connection, query, parameters)
    if isinstance(result, list):
        return ListsFrame(result)
    with told(f"the query {shown(query)} failed", "check it, and that the connection is open"):
        return arrow_frame(result)


def streamed(
    relation: Any,
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
    *,
    what: str,
    finish: Callable[[Edges, Any], Any] | None = None,
    folder: Path | None = None,
    progress: Advance | bool | None = None,
    **rules: Unpack[Build],
) -> Any:
    """What `finish` makes of a relation of DuckDB; None where its rows are few, or must be looked at together.

    Without `finish` it is a graph in memory, which is refused as soon as it is foreseen not to fit.
    """
    if not hasattr(relation, "__arrow_c_stream__") or rules.pop("nodes", None) is not None:
        return None
    if importlib.util.find_spec("pyarrow") is None:
        return None
    import pyarrow

    from ohmline.graph.doors import arrow_stream

    try:
        reader = pyarrow.RecordBatchReader.from_stream(relation)
        first, everything = arrow_stream.peeked(reader, arrow_stream.LARGE)
        rows = sum(batch.num_rows for batch in first)
        if rows < arrow_stream.LARGE or len(set(reader.schema.names)) < len(reader.schema.names):
            return None
        streams = chain([everything], _again(relation))
        with reporting(progress, f"reading {what}", None) as advance:
            return arrow_stream.stream_batches(
                lambda: next(streams),
                list(reader.schema.names),
                rows,
                source,
                target,
                weight,
                what=what,
                finish=_graph_of if finish is None else finish,
                advance=advance,
                folder=folder,
                forecast=Forecast(what, 0, INSTEAD) if finish is None else None,
                **rules,  # type: ignore[misc]
            )
    except OhmlineError:
        raise
    except (
        Exception
    ):  # Unusual; every driver has errors of its own, and whoever reads it whole has words for them
        return None


def _graph_of(edges: Edges, coder: Any) -> Graph:
    return edges.graph(coder)


def _again(relation: Any) -> Iterator[Any]:
    """The rows of a relation from the first on, as often as somebody asks."""
    import pyarrow

    while True:
        yield pyarrow.RecordBatchReader.from_stream(relation)


def duckdb_relation(relation: Any, connection: Any) -> Any:
    """The relation of a query; what is given where it is one."""
    if not isinstance(relation, str):
        return relation
    place = require("duckdb", "sql").default_connection() if connection is None else connection
    return fetch(place, relation, None)


def duckdb_frame(relation: Any, connection: Any) -> Frame:
    """A relation of DuckDB, or the result of a query in it."""
    if isinstance(relation, str):
        place = require("duckdb", "sql").default_connection() if connection is None else connection
        return query_frame(place, relation, None)
    if not hasattr(relation, "__arrow_c_stream__"):
        raise ParameterError(
            f"expected a relation of DuckDB or a query as a string, got {shown(relation)}; connection.sql gives one"
        )
    with told("the relation of DuckDB cannot be read", "check it, and that its connection is open"):
        return arrow_frame(relation)
