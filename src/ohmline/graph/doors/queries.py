"""Graphs and labels out of databases."""

from __future__ import annotations

from typing import Any

from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.extras import require
from ohmline.graph.doors.frames import Frame, ListsFrame, arrow_frame
from ohmline.sql import fetch, told


def query_frame(connection: Any, query: str, parameters: Any) -> Frame:
    """The result of a query over a connection of DB-API 2 or ADBC."""
    result = fetch(connection, query, parameters)
    if isinstance(result, list):
        return ListsFrame(result)
    with told(f"the query {shown(query)} failed", "check it, and that the connection is open"):
        return arrow_frame(result)


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
