"""Connections of every driver: a cursor, errors in our words, and a transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

from ohmline.checks import shown
from ohmline.errors import DatabaseError, OhmlineError, ParameterError

UNWRITTEN = (
    "nothing was changed; pass if_exists='replace' or if_exists='append' if the table is there already"
)


def driver_of(connection: Any) -> str:
    """The name of the package that a connection comes from."""
    name = type(connection).__module__.partition(".")[0]
    return "duckdb" if name == "_duckdb" else name


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
        cursor = _Kept(connection) if driver_of(connection) == "duckdb" else connection.cursor()
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
    with told(failure, UNWRITTEN):
        if driver_of(connection) == "psycopg":
            with connection.transaction():
                yield
            _commit_unless_inside(connection)
            return
        begin, commit, undo = _words(connection, cursor, failure)
        cursor.execute(begin)
        try:
            yield
            cursor.execute(commit)
            if commit != "COMMIT":
                connection.commit()
        except BaseException:
            with suppress(Exception):  # the error that is under way says more
                cursor.execute(undo)
            raise


def _words(connection: Any, cursor: Any, failure: str) -> tuple[str, str, str]:
    """How a transaction, or a part of the one that is open, begins, ends and is undone."""
    whole = "BEGIN", "COMMIT", "ROLLBACK"
    if driver_of(connection) == "duckdb":
        # There BEGIN inside a transaction would undo it, and two statements outside have two numbers.
        numbers = {cursor.execute("SELECT txid_current()").fetchone() for _ in range(2)}
        if len(numbers) == 1:
            raise DatabaseError(
                f"{failure}: DuckDB has no savepoints; commit or roll back the transaction of this connection first"
            )
        return whole
    outside = getattr(connection, "in_transaction", None) is False  # sqlite3
    if outside or getattr(connection, "autocommit", None) is True:
        return whole
    part = "SAVEPOINT ohmline_write"
    return part, f"RELEASE {part}", f"ROLLBACK TO {part}"


def _commit_unless_inside(connection: Any) -> None:
    """Commit what psycopg has pending; inside a block of connection.transaction() that block does."""
    try:
        connection.commit()
    except Exception as error:
        if "Transaction context" not in str(error):
            raise


class _Kept:
    """A DuckDB connection that serves as its own cursor and stays open."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def close(self) -> None:
        """Leave the connection open."""
