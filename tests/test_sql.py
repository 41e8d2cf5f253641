"""Tables in databases: written whole or not at all, whatever they are called and whatever is in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohmline.adapt.sql import IfExists, write_table
from ohmline.errors import DatabaseError, ParameterError, ShapeError
from ohmline.graph import Graph, labels_from_sql
from ohmline.sql import kind_of, quoted

duckdb = pytest.importorskip("duckdb")

COLUMNS: dict[str, Any] = {
    "node": ["ada", "bob", "o'hara; DROP TABLE x"],
    "prediction": ["human", None, "bot"],
    "p": np.array([0.5, 0.25, 1.0]),
    "certain": np.array([True, False, True]),
    "n": [1, None, 2**40],
    "odd": [1, "x", (1, 2)],
}
ROWS = [
    ("ada", "human", 0.5, True, 1, "1"),
    ("bob", None, 0.25, False, None, "x"),
    ("o'hara; DROP TABLE x", "bot", 1.0, True, 2**40, "(1, 2)"),
]


@pytest.fixture(params=["sqlite", "duckdb", "adbc", pytest.param("postgres", marks=pytest.mark.slow)])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """An empty database of each kind."""
    if request.param == "sqlite":
        found: Any = sqlite3.connect(tmp_path / "test.db")
    elif request.param == "duckdb":
        found = duckdb.connect(str(tmp_path / "test.duckdb"))
    elif request.param == "adbc":
        found = pytest.importorskip("adbc_driver_sqlite.dbapi").connect(str(tmp_path / "adbc.db"))
    else:
        psycopg = pytest.importorskip("psycopg")
        found = psycopg.connect(request.getfixturevalue("postgres"))
        found.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        found.commit()
    with closing(found):
        yield found


def rows_of(connection: Any, table: str, order: str = "node") -> list[tuple[Any, ...]]:
    with closing(connection.cursor()) as cursor:
        cursor.execute(f"SELECT * FROM {quoted(table, 'table')} ORDER BY {quoted(order, 'column')}")
        return [tuple(row) for row in cursor.fetchall()]


def test_a_table_is_written_and_read_back(connection: Any) -> None:
    assert write_table(connection, "predictions", COLUMNS) == 3
    assert rows_of(connection, "predictions") == ROWS
    found = labels_from_sql(connection, "SELECT node, prediction AS label FROM predictions ORDER BY node")
    assert found == {"ada": "human", "o'hara; DROP TABLE x": "bot"}


def test_a_table_that_is_there_is_left_replaced_or_added_to(connection: Any) -> None:
    write_table(connection, "t", {"node": ["a"], "p": [1.0]})
    with pytest.raises(DatabaseError, match=r"table 't' was not written: .*if_exists='replace'"):
        write_table(connection, "t", {"node": ["b"], "p": [2.0]})
    assert rows_of(connection, "t") == [("a", 1.0)]
    write_table(connection, "t", {"node": ["b"], "p": [2.0]}, if_exists="append")
    assert rows_of(connection, "t") == [("a", 1.0), ("b", 2.0)]
    write_table(connection, "t", {"node": [7]}, if_exists=IfExists.REPLACE)
    assert rows_of(connection, "t") == [(7,)]
    write_table(connection, "new", {"node": ["c"]}, if_exists="append")
    assert rows_of(connection, "new") == [("c",)]


@pytest.mark.parametrize("name", ['say "hi"', "T able", "x; DROP TABLE y", "select", "100%", "ü", "a.b"])
def test_names_are_quoted(connection: Any, name: str) -> None:
    write_table(connection, name, {name: [1, 2], "node": ["a", "b"]})
    assert rows_of(connection, name, name) == [(1, "a"), (2, "b")]


def test_many_rows_and_none(connection: Any) -> None:
    n = 120_000
    assert write_table(connection, "many", {"node": range(n), "p": np.linspace(0, 1, n)}) == n
    with closing(connection.cursor()) as cursor:
        cursor.execute("SELECT count(*), min(node), max(node) FROM many")
        assert tuple(cursor.fetchone()) == (n, 0, n - 1)
    assert write_table(connection, "none", {"node": [], "p": []}) == 0
    assert rows_of(connection, "none") == []


def test_columns_without_values_and_of_mixed_numbers(connection: Any) -> None:
    write_table(
        connection, "t", {"node": [1, 2], "none": [None, None], "mixed": [1, 0.5], "huge": [2**80, None]}
    )
    assert rows_of(connection, "t") == [(1, None, 1.0, str(2**80)), (2, None, 0.5, None)]


def test_edges_come_back_from_every_database(connection: Any) -> None:
    graph = Graph.from_edges([("a", "b", 0.5), ("b", "c", 2.0)])
    table = graph.to_pandas()
    write_table(connection, "edges", {name: table[name].tolist() for name in table})
    assert Graph.from_sql(connection, "SELECT source, target, weight FROM edges", nodes=graph.nodes) == graph
    with pytest.raises(DatabaseError, match=r"query .* failed: .*"):
        Graph.from_sql(connection, "SELECT nothing FROM edges")


class Sulking(str):
    """A value that no driver can write."""

    def __conform__(self, protocol: Any) -> Any:
        raise RuntimeError("no")


def test_nothing_is_left_of_a_table_that_fails_halfway(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    with closing(sqlite3.connect(path)) as connection:
        write_table(connection, "t", {"node": ["a"], "p": [0.5]})
        connection.execute("CREATE TABLE strict (node TEXT, p REAL CHECK (p < 10))")
        connection.commit()
        for table, columns, mode in (
            ("strict", {"node": ["x", "y"], "p": [1.0, 99.0]}, "append"),
            ("t", {"node": ["x", Sulking("y")]}, "replace"),
        ):
            with pytest.raises(DatabaseError, match=f"'{table}' was not written"):
                write_table(connection, table, columns, if_exists=mode)
        assert not connection.in_transaction
    with closing(sqlite3.connect(path)) as connection:
        assert rows_of(connection, "strict") == []
        assert rows_of(connection, "t") == [("a", 0.5)]


def test_what_was_pending_survives_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mine (x)")
        connection.execute("INSERT INTO mine VALUES (1)")
        assert connection.in_transaction
        with pytest.raises(DatabaseError, match="already exists"):
            write_table(connection, "mine", {"x": [2]})
        assert connection.in_transaction
        connection.commit()
        assert connection.execute("SELECT x FROM mine").fetchall() == [(1,)]
        connection.execute("INSERT INTO mine VALUES (3)")
        write_table(connection, "other", {"x": [2]})
    with closing(sqlite3.connect(path)) as connection:  # what was pending was committed with the table
        assert connection.execute("SELECT x FROM mine ORDER BY x").fetchall() == [(1,), (3,)]
        assert connection.execute("SELECT x FROM other").fetchall() == [(2,)]


def test_an_open_transaction_of_duckdb_is_refused() -> None:
    with duckdb.connect() as connection:
        connection.execute("BEGIN TRANSACTION")
        connection.execute("CREATE TABLE mine AS SELECT 1 AS x")
        with pytest.raises(
            DatabaseError, match="commit or roll back the transaction of this connection first"
        ):
            write_table(connection, "t", {"x": [1]})
        connection.execute("COMMIT")
        assert connection.execute("SELECT x FROM mine").fetchall() == [(1,)]


@pytest.mark.slow
def test_postgres_in_every_mode(postgres: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE SCHEMA deep")
        write_table(connection, "t", {"x": [1]})
        write_table(connection, "t", {"x": [5]}, schema="deep")
        assert connection.execute("SELECT x FROM deep.t").fetchall() == [(5,)]
        with pytest.raises(DatabaseError, match="already exists"):
            write_table(connection, "t", {"x": [2]})
        assert connection.execute("SELECT x FROM t").fetchall() == [(1,)]
    with psycopg.connect(postgres) as connection:
        connection.execute("INSERT INTO t VALUES (7)")  # pending
        with pytest.raises(DatabaseError, match="was not written"):
            write_table(connection, "t", {"x": ["not a number"]}, if_exists="append")
        write_table(connection, "u", {"x": [None, "a\tb\\n"]})
        connection.rollback()  # too late: it was committed
        assert connection.execute("SELECT x FROM t ORDER BY x").fetchall() == [(1,), (7,)]
        assert connection.execute("SELECT x FROM u").fetchall() == [(None,), ("a\tb\\n",)]
        connection.rollback()
        with pytest.raises(DatabaseError, match="was not written"):
            write_table(connection, "t", {"x": ["\0"]}, if_exists="replace")
        assert connection.info.transaction_status == 0
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)
        numbers = "SELECT 1::numeric AS s, 2::numeric AS t, 0.5::numeric AS w"
        assert Graph.from_sql(connection, numbers) == Graph.from_edges([(1, 2, 0.5)])
        connection.rollback()
        with connection.transaction(force_rollback=True):  # whose block it is decides
            write_table(connection, "v", {"x": [1]})
            assert connection.execute("SELECT x FROM v").fetchall() == [(1,)]
        assert connection.execute("SELECT to_regclass('v')").fetchone() == (None,)
        closed = psycopg.connect(postgres)
        closed.close()
        with pytest.raises(DatabaseError, match="closed"):
            Graph.from_sql(closed, numbers)


@pytest.mark.slow
def test_postgres_through_adbc(postgres: str) -> None:
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with dbapi.connect(postgres) as connection:
        write_table(connection, "through adbc", COLUMNS, if_exists="replace")
        assert rows_of(connection, "through adbc") == ROWS
        found = Graph.from_sql(connection, 'SELECT node AS source, odd AS target FROM "through adbc"')
        assert found.n_edges == 3


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("t", {}), ParameterError, "columns must map the name"),
        (("t", [1]), ParameterError, "columns must map the name"),
        (("t", {"a": [1], "b": [1, 2]}), ShapeError, r"equally long, got \[1, 2\]"),
        (("t", {"a": [1], "A": [1]}), ParameterError, "two columns are called 'a'"),
        (("t", {"a": "xy"}), ParameterError, "column 'a' must be a list of values"),
        (("t", {"a": 5}), ParameterError, "column 'a' must be a list of values"),
        (("t", {1: [1]}), ParameterError, "name of a column must be a string"),
        (("t", {"": [1]}), ParameterError, "1 to 63 printable"),
        (("t", {"a\0": [1]}), ParameterError, "1 to 63 printable"),
        (("x" * 64, {"a": [1]}), ParameterError, "name of table must be 1 to 63"),
        ((7, {"a": [1]}), ParameterError, "name of table must be a string"),
    ],
)
def test_bad_tables_are_refused_before_anything_is_written(arguments: Any, error: Any, words: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        with pytest.raises(error, match=words):
            write_table(connection, *arguments)
        with pytest.raises(ParameterError, match="if_exists must be"):
            write_table(connection, "t", {"a": [1]}, if_exists="overwrite")
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []
    with pytest.raises(ParameterError, match="connection must be an open connection"):
        write_table("test.db", "t", {"a": [1]})


def test_a_connection_of_sqlalchemy_is_told_what_to_give() -> None:
    class Alchemist:
        def exec_driver_sql(self) -> None: ...

    with pytest.raises(ParameterError, match=r"connection\.connection\.driver_connection"):
        write_table(Alchemist(), "t", {"a": [1]})


values = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.text(max_size=5)
)


@given(st.lists(values, max_size=6))
@settings(max_examples=200, deadline=None)
def test_any_column_comes_back(column: list[Any]) -> None:
    column = [v for v in column if not isinstance(v, str) or "\0" not in v]
    column = [v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for v in column]
    with closing(sqlite3.connect(":memory:")) as connection:
        write_table(connection, "t", {"k": range(len(column)), "x": column})
        found = [x for _, x in rows_of(connection, "t", "k")]
    kind = kind_of(column)
    expected = [v if v is None or kind != "TEXT" else str(v) for v in column]
    assert found == expected
