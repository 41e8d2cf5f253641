"""The columns that a query gives."""

from __future__ import annotations

from typing import Any

from ohmline.checks import shown, text
from ohmline.errors import DatabaseError
from ohmline.sql.connection import cursor_of, driver_of, told

BATCH = 50_000
"""Rows that are fetched at a time."""


def fetch(connection: Any, query: str, parameters: Any = None) -> Any:
    """The result of a query: what hands over Arrow where the driver has it, else pairs of a name and its values."""
    text(query, "query")
    failure, remedy = f"the query {shown(query)} failed", "check it, and that the connection is open"
    with cursor_of(connection) as cursor, told(failure, remedy):
        if driver_of(connection) == "duckdb":
            relation = connection.sql(query, params=parameters)
            return _expect_rows(relation, query)
        cursor.execute(query) if parameters is None else cursor.execute(query, parameters)
        names = [column[0] for column in _expect_rows(cursor.description, query)]
        if hasattr(cursor, "fetch_arrow_table"):  # ADBC
            return cursor.fetch_arrow_table()
        columns: list[list[Any]] = [[] for _ in names]
        while rows := cursor.fetchmany(BATCH):
            for column, values in zip(columns, zip(*rows, strict=True), strict=True):
                column.extend(values)
        return list(zip(names, columns, strict=True))


def _expect_rows(result: Any, query: str) -> Any:
    if result is None:
        raise DatabaseError(f"the query {shown(query)} gives no rows; give a SELECT")
    return result
