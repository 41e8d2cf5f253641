"""Databases: the columns of a query in, a table in one transaction out.

Any connection of Python's database interface (DB-API 2: sqlite3, psycopg, DuckDB, ...) or of ADBC will do. Names of
tables and columns are quoted, and values never become part of a statement.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from enum import StrEnum
from itertools import islice
from typing import Any, final

import numpy as np

from ohmline.checks import shown
from ohmline.checks import text as text_of
from ohmline.errors import DatabaseError, OhmlineError, ParameterError, ShapeError
from ohmline.extras import require

_DUCKDB = ("_duckdb", "duckdb")
BATCH = 50_000
"""Rows that are fetched or written at a time."""
LONGEST_NAME = 63
"""Bytes of the longest name of a table or a column: PostgreSQL cuts a longer one short without a word."""


@final
class IfExists(StrEnum):
    """What becomes of a table that is there already."""

    FAIL = "fail"
    REPLACE = "replace"
    APPEND = "append"


def fetch(connection: Any, query: str, parameters: Any = None) -> Any:
    """The result of a query: what hands over Arrow where the driver has it, else pairs of a name and its values."""
    text_of(query, "query")
    failure, remedy = f"the query {shown(query)} failed", "check it, and that the connection is open"
    with cursor_of(connection) as cursor, told(failure, remedy):
        if _module(connection) in _DUCKDB:
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


def write_table(
    connection: Any,
    table: str,
    columns: Mapping[str, Sequence[Any]],
    *,
    if_exists: IfExists | str = IfExists.FAIL,
    schema: str | None = None,
) -> int:
    """Write columns into a table of a database, in one transaction: all rows are there afterwards, or none.

    The transaction is committed. If the connection has one open already, what was pending in it is committed too; if
    writing fails, it is as it was (DuckDB has no savepoints, so there an open transaction is refused).

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
    values = [_as_text(c) if kind == "TEXT" else c for c, kind in zip(values, kinds, strict=True)]
    target = (
        quoted(table, "table") if schema is None else f"{quoted(schema, 'schema')}.{quoted(table, 'table')}"
    )
    with cursor_of(connection) as cursor:
        if hasattr(cursor, "adbc_ingest"):
            _ingest(connection, cursor, table, schema, dict(zip(names, values, strict=True)), mode)
            return height
        with transaction(connection, cursor, f"the table {shown(table)} was not written"):
            if mode is IfExists.REPLACE:
                cursor.execute(f"DROP TABLE IF EXISTS {target}")
            there = "IF NOT EXISTS " if mode is IfExists.APPEND else ""
            listed = [quoted(name, "a column") for name in names]
            typed = ", ".join(f"{name} {kind}" for name, kind in zip(listed, kinds, strict=True))
            cursor.execute(f"CREATE TABLE {there}{target} ({typed})")
            _insert(connection, cursor, f"{target} ({', '.join(listed)})", listed, values)
    return height


def quoted(name: Any, what: str) -> str:
    """A name between quotes, so that nothing in it can be taken for SQL.

    >>> quoted('say "hi"; DROP TABLE x', "table")
    '"say ""hi""; DROP TABLE x"'
    """
    text_of(name, f"the name of {what}")
    if not name.strip() or not name.isprintable() or len(name.encode("utf-8", "replace")) > LONGEST_NAME:
        raise ParameterError(
            f"the name of {what} must be 1 to {LONGEST_NAME} printable characters, got {shown(name)}; give another one"
        )
    doubled = name.replace(chr(34), chr(34) * 2)
    return f'"{doubled}"'


def kind_of(column: Sequence[Any]) -> str:
    """The type of a column in SQL.

    >>> kind_of([1, None]), kind_of([1, 0.5]), kind_of([True]), kind_of([1, "x"])
    ('BIGINT', 'DOUBLE PRECISION', 'BOOLEAN', 'TEXT')
    """
    kinds = set(map(type, column)) - {type(None)}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in column if value is not None):
        return "BIGINT"
    return "DOUBLE PRECISION" if kinds and kinds <= {int, float} else "TEXT"


@contextmanager
def cursor_of(connection: Any) -> Iterator[Any]:
    """A cursor of a connection, closed at the end."""
    if not hasattr(connection, "cursor") and hasattr(connection, "exec_driver_sql"):
        raise ParameterError(
            "this is a connection of SQLAlchemy; give connection.connection.driver_connection"
        )
    if not callable(getattr(connection, "cursor", None)):
        raise ParameterError(
            f"connection must be an open connection of DB-API 2 or ADBC, got {shown(connection)}; connect first"
        )
    with told("the connection cannot be used", "connect again"):
        # DuckDB: a cursor is a connection of its own there, outside the transaction of this one.
        cursor = _Kept(connection) if _module(connection) in _DUCKDB else connection.cursor()
    with closing(cursor):
        yield cursor


@contextmanager
def told(what: str, remedy: str) -> Iterator[None]:
    """Turn whatever error a driver raises into ours, with its words."""
    try:
        yield
    except OhmlineError:
        raise
    except Exception as error:  # every driver has errors of its own
        words = " ".join(str(error).split()) or type(error).__name__
        raise DatabaseError(f"{what}: {words[:300]}; {remedy}") from error


@contextmanager
def transaction(connection: Any, cursor: Any, failure: str) -> Iterator[None]:
    """What is done inside is done altogether or not at all, and committed."""
    idle = (
        getattr(getattr(connection, "info", None), "transaction_status", None) == 0
    )  # psycopg: none is open
    with told(failure, "see what the database says"):
        if _module(connection) in _DUCKDB:
            # There BEGIN inside a transaction would undo it, and two statements outside have two numbers.
            numbers = {cursor.execute("SELECT txid_current()").fetchone() for _ in range(2)}
            if len(numbers) == 1:
                raise DatabaseError(
                    f"{failure}: DuckDB has no savepoints; commit or roll back the transaction of this connection first"
                )
            cursor.execute("BEGIN TRANSACTION")
            commit, undo = "COMMIT", "ROLLBACK"
        elif (
            getattr(connection, "in_transaction", None) is False
            or getattr(connection, "autocommit", None) is True
        ):  # sqlite3, and whoever makes every statement a transaction of its own
            cursor.execute("BEGIN")
            commit, undo = "COMMIT", "ROLLBACK"
        else:
            cursor.execute("SAVEPOINT ohmline_write")
            commit, undo = "RELEASE SAVEPOINT ohmline_write", "ROLLBACK TO SAVEPOINT ohmline_write"
    with told(failure, _REMEDY):
        try:
            yield
            cursor.execute(commit)
            if commit != "COMMIT":
                connection.commit()
        except BaseException:
            with suppress(Exception):  # the error that is under way says more
                cursor.execute(undo)
                if idle:
                    connection.rollback()
            raise


_REMEDY = "nothing was changed; pass if_exists='replace' or if_exists='append' if the table is there already"


class _Kept:
    """A DuckDB connection that serves as its own cursor and stays open."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def close(self) -> None:
        """Leave the connection open."""


def _module(connection: Any) -> str:
    return type(connection).__module__.partition(".")[0]


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


def _as_text(column: list[Any]) -> list[Any]:
    return [value if value is None or isinstance(value, str) else str(value) for value in column]


def _if_exists(value: Any) -> IfExists:
    if isinstance(value, str) and value in [*IfExists]:
        return IfExists(value)
    raise ParameterError(f"if_exists must be 'fail', 'replace' or 'append', got {shown(value)}")


def _insert(connection: Any, cursor: Any, target: str, listed: list[str], values: list[list[Any]]) -> None:
    """Write the rows by the fastest way that the driver has."""
    if not values[0]:
        return
    if _module(connection) == "psycopg":
        with cursor.copy(f"COPY {target} FROM STDIN") as copy:
            for row in zip(*values, strict=True):
                copy.write_row(row)
        return
    if _module(connection) in _DUCKDB:
        table = require("pyarrow", "sql").table(values, names=[f"c{k}" for k in range(len(values))])
        connection.register("ohmline_rows", table)
        try:
            cursor.execute(f"INSERT INTO {target} SELECT * FROM ohmline_rows")
        finally:
            connection.unregister("ohmline_rows")
        return
    places = _places(connection, len(listed))
    if places[0] == "%s":  # there a % in a name would begin a place, too
        target = target.replace("%", "%%")
    statement = f"INSERT INTO {target} VALUES ({', '.join(places)})"
    rows = zip(*values, strict=True)
    while part := list(islice(rows, BATCH)):
        cursor.executemany(statement, part)


def _places(connection: Any, n: int) -> list[str]:
    style = getattr(sys.modules.get(_module(connection)), "paramstyle", "qmark")
    if style in ("format", "pyformat"):
        return ["%s"] * n
    return [f":{k + 1}" for k in range(n)] if style in ("numeric", "named") else ["?"] * n


def _ingest(
    connection: Any, cursor: Any, table: str, schema: str | None, columns: Mapping[str, Any], mode: IfExists
) -> None:
    """Write through ADBC, which makes the table itself."""
    quoted(table, "table")
    arrow = require("pyarrow", "sql").table(dict(columns))
    how = {IfExists.FAIL: "create", IfExists.REPLACE: "replace", IfExists.APPEND: "create_append"}[mode]
    options = {} if schema is None else {"db_schema_name": schema}
    with told(f"the table {shown(table)} was not written", _REMEDY):
        try:
            cursor.adbc_ingest(table, arrow, mode=how, **options)
            connection.commit()
        except BaseException:
            with suppress(Exception):
                connection.rollback()
            raise
