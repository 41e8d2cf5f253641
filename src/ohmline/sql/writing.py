"""A table of a database, written in one transaction."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from itertools import islice
from typing import Any, final

import numpy as np

from ohmline.checks import shown
from ohmline.errors import ParameterError, ShapeError
from ohmline.extras import require
from ohmline.sql.connection import UNWRITTEN, cursor_of, driver_of, told, transaction
from ohmline.sql.names import kind_of, quoted

BATCH = 50_000
"""Rows that are written at a time."""


@final
class IfExists(StrEnum):
    """What becomes of a table that is there already."""

    FAIL = "fail"
    REPLACE = "replace"
    APPEND = "append"


def write_table(
    connection: Any,
    table: str,
    columns: Mapping[str, Sequence[Any]],
    *,
    if_exists: IfExists | str = IfExists.FAIL,
    schema: str | None = None,
) -> int:
    """Write columns into a table of a database, in one transaction: all rows are there afterwards, or none.

    The transaction is committed. If the connection has one open already, what was pending in it is committed too
    (inside a block of psycopg's `connection.transaction()` that block commits); if writing fails, it is as it was.
    DuckDB has no savepoints, so there an open transaction is refused; ADBC rolls all of it back.

    Parameters
    ----------
    connection
        An open connection of DB-API 2 (sqlite3, psycopg, DuckDB, ...) or ADBC.
    table
        The name of the table, as it is: it is quoted, so it may have capitals and blanks.
    columns
        Values by the name of their column, equally many in each; None is NULL. Whole numbers, numbers, flags and
        strings get columns of that kind; any other value, and a column of mixed kinds, is written as text.
    if_exists
        `"fail"` (default) leaves a table that is there already alone, with an error; `"replace"` drops it first;
        `"append"` adds the rows to it.
    schema
        The schema of the table; None (default) for the usual one.

    Returns
    -------
    int
        How many rows were written.

    Examples
    --------
    >>> import sqlite3
    >>> connection = sqlite3.connect(":memory:")
    >>> write_table(connection, "predictions", {"node": ["ada", "bob"], "prediction": ["human", None]})
    2
    >>> connection.execute("SELECT * FROM predictions").fetchall()
    [('ada', 'human'), ('bob', None)]
    >>> connection.close()
    """
    names, values, height = _checked(columns)
    mode = _if_exists(if_exists)
    kinds = [kind_of(column) for column in values]
    values = [_as(kind, column) for kind, column in zip(kinds, values, strict=True)]
    target = (
        quoted(table, "table") if schema is None else f"{quoted(schema, 'schema')}.{quoted(table, 'table')}"
    )
    with cursor_of(connection) as cursor:
        if hasattr(cursor, "adbc_ingest"):
            _ingest(connection, cursor, table, schema, _arrow(names, kinds, values), mode)
            return height
        with transaction(connection, cursor, f"the table {shown(table)} was not written"):
            if mode is IfExists.REPLACE:
                cursor.execute(f"DROP TABLE IF EXISTS {target}")
            there = "IF NOT EXISTS " if mode is IfExists.APPEND else ""
            listed = [quoted(name, "a column") for name in names]
            typed = ", ".join(f"{name} {kind}" for name, kind in zip(listed, kinds, strict=True))
            cursor.execute(f"CREATE TABLE {there}{target} ({typed})")
            _insert(connection, cursor, f"{target} ({', '.join(listed)})", kinds, values)
    return height


def _checked(columns: Any) -> tuple[list[str], list[list[Any]], int]:
    if not isinstance(columns, Mapping) or not columns:
        raise ParameterError(f"columns must map the name of each column to its values, got {shown(columns)}")
    names = list(columns)
    for name in names:
        quoted(name, "a column")
    if len({name.lower() for name in names}) != len(names):
        lower = [name.lower() for name in names]
        twice = next(name for name in names if lower.count(name.lower()) > 1)
        raise ParameterError(
            f"two columns are called {shown(twice)}, which databases do not tell apart; rename one"
        )
    values = [_plain(column, name) for name, column in columns.items()]
    sizes = [len(column) for column in values]
    if len(set(sizes)) > 1:
        raise ShapeError(f"the columns of a table must be equally long, got {sizes} entries")
    return names, values, sizes[0]


def _plain(column: Any, name: str) -> list[Any]:
    if isinstance(column, np.ndarray):
        return column.tolist()
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        raise ParameterError(f"column {shown(name)} must be a list of values, got {shown(column)}")
    return [value.item() if isinstance(value, np.generic) else value for value in column]


def _as(kind: str, column: list[Any]) -> list[Any]:
    """Values of one kind, so that every driver takes them."""
    if kind == "TEXT":
        return [value if value is None or isinstance(value, str) else str(value) for value in column]
    return [None if v is None else float(v) for v in column] if kind == "DOUBLE PRECISION" else column


def _arrow(names: list[str], kinds: list[str], values: list[list[Any]]) -> Any:
    """The columns as an Arrow table."""
    arrow = require("pyarrow", "sql")
    types = {
        "TEXT": arrow.string(),
        "BIGINT": arrow.int64(),
        "DOUBLE PRECISION": arrow.float64(),
        "BOOLEAN": arrow.bool_(),
    }
    columns = [arrow.array(column, types[kind]) for kind, column in zip(kinds, values, strict=True)]
    return arrow.table(columns, names=names)


def _if_exists(value: Any) -> IfExists:
    if isinstance(value, str) and value in [*IfExists]:
        return IfExists(value)
    raise ParameterError(f"if_exists must be 'fail', 'replace' or 'append', got {shown(value)}")


def _insert(connection: Any, cursor: Any, target: str, kinds: list[str], values: list[list[Any]]) -> None:
    """Write the rows by the fastest way that the driver has."""
    if not values[0]:
        return
    if driver_of(connection) == "psycopg":
        with cursor.copy(f"COPY {target} FROM STDIN") as copy:
            for row in zip(*values, strict=True):
                copy.write_row(row)
        return
    if driver_of(connection) == "duckdb":
        connection.register("ohmline_rows", _arrow([f"c{k}" for k in range(len(values))], kinds, values))
        try:
            cursor.execute(f"INSERT INTO {target} SELECT * FROM ohmline_rows")
        finally:
            connection.unregister("ohmline_rows")
        return
    places = _places(connection, len(values))
    if places[0] == "%s":  # there a % in a name would begin a place, too
        target = target.replace("%", "%%")
    statement = f"INSERT INTO {target} VALUES ({', '.join(places)})"
    rows = zip(*values, strict=True)
    while part := list(islice(rows, BATCH)):
        cursor.executemany(statement, part)


def _places(connection: Any, n: int) -> list[str]:
    style = getattr(sys.modules.get(driver_of(connection)), "paramstyle", "qmark")
    if style in ("format", "pyformat"):
        return ["%s"] * n
    return [f":{k + 1}" for k in range(n)] if style in ("numeric", "named") else ["?"] * n


def _ingest(connection: Any, cursor: Any, table: str, schema: str | None, rows: Any, mode: IfExists) -> None:
    """Write through ADBC, which makes the table itself."""
    quoted(table, "table")
    how = {IfExists.FAIL: "create", IfExists.REPLACE: "replace", IfExists.APPEND: "create_append"}[mode]
    options = {} if schema is None else {"db_schema_name": schema}
    with told(f"the table {shown(table)} was not written", UNWRITTEN):
        try:
            cursor.adbc_ingest(table, rows, mode=how, **options)
            connection.commit()
        except BaseException:
            with suppress(Exception):
                connection.rollback()
            raise
