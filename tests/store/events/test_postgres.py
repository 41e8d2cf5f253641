"""Logs in PostgreSQL: sessions that are lost, servers that are not safe, tables of others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from event_logs import Place, bare, draft, drafts, postgres_place
from ohmline.errors import FileFormatError, JournalError, ParameterError, ProjectInUse
from ohmline.store.events import PostgresLog, open_log
from ohmline.store.events.event import Row
from ohmline.store.events.failed import Failed

psycopg = pytest.importorskip("psycopg")


@pytest.fixture
def place(postgres: str, tmp_path: Path) -> Place:
    return postgres_place(tmp_path, postgres)


@contextmanager
def session(place: Place) -> Iterator[Any]:
    with closing(psycopg.connect(str(place.address).partition("#")[0], autocommit=True)) as connection:
        yield connection


def end_sessions(place: Place, log: PostgresLog, *connections: str) -> None:
    """The server drops connections of the log."""
    with session(place) as connection:
        for name in connections:
            pid = getattr(log, name).info.backend_pid
            assert connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,)).fetchone() == (True,)


def opened(place: Place) -> PostgresLog:
    log = place.open()
    assert isinstance(log, PostgresLog)
    return log


def test_a_lost_session_is_an_error_and_is_found_again(place: Place) -> None:
    with opened(place) as log:
        log.append(drafts(0, 3))
        end_sessions(place, log, "_writer", "_reader")
        with pytest.raises(JournalError, match=r"nothing was added.*the server did not do it"):
            log.append(drafts(3, 2))
        assert not log.writable
        assert bare(list(log.read())) == drafts(0, 3)
        assert log.recover()
        log.append(drafts(3, 2))
        assert bare(list(log.read())) == drafts(0, 5)
        with pytest.raises(ProjectInUse):  # the new session has the lock
            open_log(place.address, place.head.with_name("other.head"))
    with opened(place) as log:
        assert bare(list(log.read())) == drafts(0, 5)


def test_rows_whose_commit_was_never_heard_of_are_taken_back(place: Place) -> None:
    with opened(place) as log:
        log.append(drafts(0, 3))
        real = log._insert

        def lost(rows: list[Row]) -> None:
            real(rows)
            end_sessions(place, log, "_writer")
            raise Failed("the answer was lost", "try again")

        log._insert = lost  # type: ignore[method-assign]
        with pytest.raises(JournalError, match="the answer was lost"):
            log.append(drafts(3, 2))
        log._insert = real  # type: ignore[method-assign]
        assert log.head[0] == 2
        assert bare(list(log.read())) == drafts(0, 3)
        assert log.recover()
        log.append(drafts(7, 4))
        assert bare(list(log.read())) == drafts(0, 3) + drafts(7, 4)
        log.verify()


def test_a_log_that_another_owner_took_over_is_not_written(place: Place, tmp_path: Path) -> None:
    with opened(place) as log:
        log.append(drafts(0, 3))
        end_sessions(place, log, "_writer")
        with pytest.raises(JournalError):
            log.append([draft(3)])
        with open_log(place.address, tmp_path / "theirs.head") as theirs:
            theirs.append(drafts(50, 2))
            assert not log.recover()
            assert "is in use by process" in log.broken
        assert not log.recover()
        assert "another program has written to it" in log.broken
        with pytest.raises(JournalError, match="another program has written"):
            log.append([draft(3)])
    with opened(place) as log:
        assert bare(list(log.read())) == drafts(0, 3) + drafts(50, 2)


def test_tables_of_others_and_newer_ones_are_left_alone(place: Place, postgres: str, tmp_path: Path) -> None:
    name = str(place.address).partition("#")[2]
    with session(place) as connection:
        connection.execute(f'CREATE TABLE "{name}" (seq bigint)')
        with pytest.raises(FileFormatError, match="that of another program"):
            place.open()
        connection.execute(f"COMMENT ON TABLE \"{name}\" IS 'ohmline events, format 2'")
        with pytest.raises(FileFormatError, match=r"format 2, .* up to 1; pip install --upgrade ohmline"):
            place.open()
        connection.execute(f'DROP TABLE "{name}"')
        with opened(place) as log:
            log.append(drafts(0, 2))
        connection.execute(f'ALTER TABLE "{name}" DISABLE TRIGGER only_grow')
        with pytest.raises(FileFormatError, match="lost the trigger"):
            place.open()
        connection.execute(f'DROP TABLE "{name}"')
        with pytest.raises(FileFormatError, match="is gone, but events in it were acknowledged"):
            place.open()


def test_two_logs_in_one_database_do_not_meet(postgres: str, tmp_path: Path) -> None:
    one, two = (postgres_place(tmp_path, postgres) for _ in range(2))
    with open_log(one.address, tmp_path / "1") as first, open_log(two.address, tmp_path / "2") as second:
        first.append(drafts(0, 2))
        second.append(drafts(5, 1))
        assert bare(list(first.read())) == drafts(0, 2)
        assert bare(list(second.read())) == drafts(5, 1)


def test_a_commit_is_synced_whatever_the_default_is(place: Place) -> None:
    with session(place) as connection:
        name = connection.info.dbname
        connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
        try:
            with opened(place) as log:
                assert log._writer.execute("SHOW synchronous_commit").fetchone() == ("on",)
        finally:
            connection.execute(f"ALTER DATABASE {name} RESET synchronous_commit")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_server_without_fsync_is_refused(tmp_path: Path) -> None:
    pgserver = pytest.importorskip("pgserver")
    folder = mkdtemp(prefix="ohmline-postgres-")
    server = pgserver.get_server(folder, cleanup_mode="stop")
    server.psql("ALTER SYSTEM SET fsync = off")
    server.cleanup()
    server = pgserver.get_server(folder, cleanup_mode="delete")  # which it has from now on
    try:
        with pytest.raises(JournalError, match=r"fsync = off and loses acknowledged events.*turn fsync on"):
            open_log(server.get_uri(), tmp_path / "head")
    finally:
        server.cleanup()


def test_a_password_is_never_shown(tmp_path: Path) -> None:
    for address in (
        "postgresql://ann:secret@127.0.0.1:1/nowhere",
        "postgresql://ann:secret@[bad/nowhere",
        "postgresql://ann:secret@127.0.0.1:1/nowhere#Bad Name",
        "postgresql://ann:secret@127.0.0.1:1/nowhere?no_such_option=1",
    ):
        with pytest.raises((JournalError, ParameterError)) as caught:
            open_log(address, tmp_path / "head")
        assert "secret" not in str(caught.value)
        assert "PostgreSQL" in str(caught.value) or "name of a table" in str(caught.value)
