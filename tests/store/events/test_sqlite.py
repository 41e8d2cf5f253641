"""Logs in SQLite files: other programs, other files, and files that vanish."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from event_logs import bare, draft, drafts, sqlite_place
from ohmline.errors import FileFormatError, JournalError, ProjectInUse
from ohmline.store.events import SqliteLog, open_log, sqlite_file, sqlite_log

OTHER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for line in sys.stdin:
    print(connection.execute(line).fetchall(), flush=True)
"""


class Other:
    """Another program that has the database open. It must be another process, as locks are those of processes."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", OTHER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def execute(self, statement: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{statement}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        self._process.communicate()


def log_in(folder: Path) -> SqliteLog:
    log = sqlite_place(folder).open()
    assert isinstance(log, SqliteLog)
    return log


# --- what it is not ----------------------------------------------------------------------------------


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "events.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, payload TEXT)")
    before = path.read_bytes()
    with pytest.raises(FileFormatError, match="the database of another program"):
        log_in(tmp_path)
    assert path.read_bytes() == before
    assert not (tmp_path / "events.db-wal").exists()


@pytest.mark.parametrize("content", [b"a,b\n1,2\n" * 100, b"\x1f\x8b" * 600, b"xy"])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "events.db").write_bytes(content)
    with pytest.raises(FileFormatError, match="no SQLite database"):
        log_in(tmp_path)
    assert (tmp_path / "events.db").read_bytes() == content


def test_a_newer_format_is_refused_by_name(tmp_path: Path) -> None:
    log_in(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(FileFormatError, match=r"format 2, .* up to 1; pip install --upgrade ohmline"):
        log_in(tmp_path)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER undeleted",
        "DROP TABLE events",
        "ALTER TABLE events ADD COLUMN more TEXT",
        "CREATE TRIGGER more AFTER INSERT ON events BEGIN SELECT 1; END",
        "PRAGMA user_version = 0",
    ],
)
def test_changed_tables_are_refused(tmp_path: Path, statement: str) -> None:
    with log_in(tmp_path) as log:
        log.append(drafts(0, 2))
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection:
        connection.execute(statement)
    with pytest.raises(FileFormatError, match=r"damaged or were changed|is empty or gone"):
        log_in(tmp_path)


def test_an_index_or_a_view_of_somebody_does_no_harm(tmp_path: Path) -> None:
    with log_in(tmp_path) as log:
        log.append(drafts(0, 2))
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection:
        connection.execute("CREATE VIEW labels AS SELECT * FROM events WHERE kind = 'labelled'")
        connection.execute("CREATE INDEX by_actor ON events (actor)")
        connection.execute("ANALYZE")
    with log_in(tmp_path) as log:
        log.append(drafts(2, 2))
        log.verify()


def test_names_that_sqlite_would_understand_otherwise_are_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:x?mode=memory", "a b'c.db"):
        with open_log(name, tmp_path / "head") as log:
            log.append([draft(0)])
        assert (tmp_path / name).is_file()
        (tmp_path / "head").unlink()


# --- folders -----------------------------------------------------------------------------------------


def test_folders_that_are_not_there_or_in_the_way(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="does not exist; check the name and the folder"):
        log_in(tmp_path / "no")
    with pytest.raises(JournalError, match="cannot be opened"):
        open_log(tmp_path / "no" / "events.db", tmp_path / "events.head")
    (tmp_path / "folder").mkdir()
    with pytest.raises(JournalError, match="is a folder, not a log"):
        open_log(tmp_path / "folder", tmp_path / "events.head")
    with pytest.raises(JournalError, match="is a folder, not the head"):
        open_log(tmp_path / "events.db", tmp_path / "folder")


READ_ONLY = """
import os, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from ohmline.errors import JournalError
from ohmline.store.events import open_log
import apsw
if os.geteuid() == 0:
    os.setuid(65534)
try:
    open_log(Path(sys.argv[1]), Path(sys.argv[2]))
except JournalError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
def test_a_folder_and_a_file_that_cannot_be_written() -> None:
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        refused_where_nothing_can_be_written(Path(folder))


def refused_where_nothing_can_be_written(folder: Path) -> None:
    place, elsewhere = folder / "log", folder / "heads"
    place.mkdir()
    with log_in(place) as log:
        log.append(drafts(0, 2))
    (place / "events.head").chmod(0o444)
    (place / "events.db").chmod(0o444)
    place.chmod(0o555)
    command = [sys.executable, "-c", READ_ONLY, str(place / "events.db")]
    done = subprocess.run([*command, str(place / "events.head")], capture_output=True, text=True, check=False)
    assert "events.head cannot be opened: Permission denied; check who may write there" in done.stdout
    elsewhere.mkdir()
    elsewhere.chmod(0o777)
    done = subprocess.run(
        [*command, str(elsewhere / "events.head")], capture_output=True, text=True, check=False
    )
    assert "read-only" in done.stdout or "cannot be opened" in done.stdout
    place.chmod(0o755)


def test_a_log_behind_a_link_is_the_same_log(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with log_in(tmp_path / "real") as log:
        log.append(drafts(0, 2))
        with pytest.raises(ProjectInUse):
            log_in(tmp_path / "link")
    with log_in(tmp_path / "link") as log:
        assert log.head[0] == 1


# --- others at the same time ---------------------------------------------------------------------------


def test_a_plain_reader_does_not_break_the_writer(tmp_path: Path) -> None:
    with log_in(tmp_path) as log, closing(Other(tmp_path / "events.db")) as reader:
        log.append(drafts(0, 5))
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM events") == "[(5,)]"
        log.append(drafts(5, 5))
        assert reader.execute("SELECT count(*) FROM events") == "[(5,)]"
        reader.execute("COMMIT")
        reader.execute(f"VACUUM INTO '{tmp_path / 'copy.db'}'")
        log.append(drafts(10, 5))
        log.verify()
    (tmp_path / "copied").mkdir()
    shutil.copy(tmp_path / "copy.db", tmp_path / "copied" / "events.db")
    with log_in(tmp_path / "copied") as log:
        assert bare(list(log.read())) == drafts(0, 10)
        log.append(drafts(10, 1))


def test_a_program_that_holds_the_lock_is_waited_for_and_then_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "PATIENCE", 50)
    with log_in(tmp_path) as log, closing(Other(tmp_path / "events.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError, match="another program has locked it; close that program"):
            log.append([draft(0)])
        assert log.writable  # nothing is broken
        other.execute("ROLLBACK")
        log.append([draft(0)])


def test_the_wal_does_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_log, "LONG", 20)
    wal = tmp_path / "events.db-wal"
    with log_in(tmp_path) as log:
        for k in range(200):
            log.append([draft(k, text="x" * 500)])
        size = wal.stat().st_size
        assert size < 30 * 4200
        with closing(Other(tmp_path / "events.db")) as reader:  # while it reads, nothing can be cut off
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM events")
            for k in range(200):
                log.append([draft(k, text="x" * 500)])
            assert wal.stat().st_size > 8 * size
            reader.execute("COMMIT")
            for k in range(50):
                log.append([draft(k, text="x" * 500)])
            assert wal.stat().st_size < 4 * size
    assert not wal.exists()


def test_a_large_batch_and_a_large_event(tmp_path: Path) -> None:
    with log_in(tmp_path) as log:
        log.append(drafts(0, 5000))
        log.append([draft(5000, text="é" * 3_000_000)])
        log.verify()
    with log_in(tmp_path) as log:
        assert log.head[0] == 5000


# --- files that vanish while they are open ------------------------------------------------------------


@pytest.mark.parametrize("name", ["events.db", "events.db-wal"])
@pytest.mark.parametrize("way", ["deleted", "replaced"])
def test_a_file_that_lost_its_name_gets_no_more_events(tmp_path: Path, name: str, way: str) -> None:
    with log_in(tmp_path) as log:
        log.append(drafts(0, 3))
        (tmp_path / name).rename(tmp_path / "kept")
        if way == "replaced":
            (tmp_path / name).write_bytes(b"")
        before = log.head
        with pytest.raises(JournalError, match=rf"{name} was {way}.* while it was open; restore it"):
            log.append([draft(3)])
        assert not log.writable
        assert log.head == before
        assert bare(list(log.read())) == drafts(0, 3)  # from the file that is still open
        (tmp_path / "kept").rename(tmp_path / name)
        assert log.recover()
        assert log.append([draft(3)])[0].seq == 3
    with log_in(tmp_path) as log:
        assert bare(list(log.read())) == drafts(0, 4)


def test_what_is_in_a_wal_that_was_deleted_is_saved(tmp_path: Path) -> None:
    with log_in(tmp_path) as log:
        log.append(drafts(0, 3))
        (tmp_path / "events.db-wal").unlink()
        with pytest.raises(JournalError, match="deleted"):
            log.append([draft(3)])
        assert log.recover()
        assert bare(list(log.read())) == drafts(0, 3)
        log.append([draft(3)])
    with log_in(tmp_path) as log:
        assert bare(list(log.read())) == drafts(0, 4)


def test_an_old_copy_put_in_place_is_not_taken_up(tmp_path: Path) -> None:
    with log_in(tmp_path) as log:
        log.append(drafts(0, 2))
    shutil.copy(tmp_path / "events.db", tmp_path / "old")
    with log_in(tmp_path) as log:
        log.append(drafts(2, 3))
        (tmp_path / "events.db").unlink()
        (tmp_path / "events.db-wal").unlink()
        (tmp_path / "old").rename(tmp_path / "events.db")
        with pytest.raises(JournalError, match="replaced by another file"):
            log.append([draft(5)])
        for _ in range(2):
            assert not log.recover()
            assert "ends with event 1, but event 4 was acknowledged" in log.broken
        with pytest.raises(JournalError, match="is not open now"):
            list(log.read())
    with pytest.raises(FileFormatError, match="ends with event 1, but event 4"):
        log_in(tmp_path)


# --- processes ------------------------------------------------------------------------------------------


FORK = """
import os, sys, time
from pathlib import Path
from tempfile import TemporaryDirectory
from ohmline.store.events import open_log
log = open_log(Path(sys.argv[1]), Path(sys.argv[2]))
begun, begin = os.pipe()
child = os.fork()
if child == 0:
    os.write(begin, b"x")
    time.sleep(60)
    os._exit(0)
os.read(begun, 1)
print(child, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_does_not_keep_the_log(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FORK, str(tmp_path / "events.db"), str(tmp_path / "events.head")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.wait()
        try:
            log_in(tmp_path).close()
        finally:
            os.kill(child, signal.SIGKILL)


def test_a_signal_waits_until_the_append_is_whole(tmp_path: Path) -> None:
    class Came(Exception):
        pass

    def handler(number: int, frame: object) -> None:
        raise Came

    with log_in(tmp_path) as log:
        real = log._insert

        def interrupted(rows: list[sqlite_log.Row]) -> None:
            os.kill(os.getpid(), signal.SIGTERM)
            real(rows)

        before = signal.signal(signal.SIGTERM, handler)
        log._insert = interrupted  # type: ignore[method-assign]
        try:
            with pytest.raises(Came):
                log.append(drafts(0, 3))
        finally:
            signal.signal(signal.SIGTERM, before)
        log._insert = real  # type: ignore[method-assign]
        assert log.head[0] == 2
        assert log.append([draft(3)])[0].seq == 3


def test_an_append_that_is_interrupted_after_all_is_taken_back(tmp_path: Path) -> None:
    with log_in(tmp_path) as log:
        log.append(drafts(0, 2))
        real = log._insert

        def interrupted(rows: list[sqlite_log.Row]) -> None:
            real(rows)
            raise KeyboardInterrupt

        log._insert = interrupted  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            log.append(drafts(2, 2))
        log._insert = real  # type: ignore[method-assign]
        assert log.head[0] == 1
        assert log.recover()
        assert bare(list(log.read())) == drafts(0, 2)
        log.append(drafts(2, 2))
    with log_in(tmp_path) as log:
        assert bare(list(log.read())) == drafts(0, 4)
