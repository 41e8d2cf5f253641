"""The SQLite file of a log: how it is opened, what is in it, and what its errors mean."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ohmline.errors import FileFormatError, JournalError, OhmlineError
from ohmline.extras import require
from ohmline.store.events.failed import Failed

APPLICATION = 0x4F686D6C
"""What SQLite knows a file of ours by: "Ohml"."""
VERSION = 1
"""The format that is written; every one up to it is read."""
PATIENCE = 10_000
"""Milliseconds to wait for another program that has the file locked."""

TABLE = """CREATE TABLE events (
    seq INTEGER PRIMARY KEY, time TEXT NOT NULL, actor TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL,
    payload TEXT NOT NULL, hash TEXT NOT NULL
) STRICT"""
UNDELETED = """CREATE TRIGGER undeleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END"""
UNCHANGED = """CREATE TRIGGER unchanged BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END"""
SCHEMA = {"events": TABLE, "unchanged": UNCHANGED, "undeleted": UNDELETED}


def apsw() -> Any:
    """The driver."""
    return require("apsw", "serve")


def damaged() -> tuple[type[Exception], ...]:
    """The errors that say that a file is damaged."""
    return apsw().CorruptError, apsw().NotADBError, apsw().FormatError, UnicodeDecodeError


def connect(path: Path, vfs: str | None, *, reader: bool = False) -> Any:
    """A connection that waits for others instead of failing, and that leaves the file alone when it is closed."""
    sqlite = apsw()
    flags = sqlite.SQLITE_OPEN_READWRITE | (0 if reader else sqlite.SQLITE_OPEN_CREATE)
    connection = sqlite.Connection(str(path), flags=flags, vfs=vfs)
    connection.set_busy_timeout(PATIENCE)
    # Closing must not write a damaged -wal file into a sound database, or a strange one into ours.
    connection.config(sqlite.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.config(sqlite.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(sqlite.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.execute(f"PRAGMA cell_size_check = ON; PRAGMA query_only = {int(reader)}")
    return connection


def is_new(connection: Any, path: Path) -> bool:
    """Whether the file is empty; an error where it is not ours, or of a newer format."""
    application = connection.pragma("application_id")
    version = connection.pragma("user_version")
    rows = connection.execute("SELECT name, type, sql FROM sqlite_schema").fetchall()
    found = {name: sql for name, kind, sql in rows if name in SCHEMA or kind == "trigger"}
    if not rows and application in (0, APPLICATION) and version in (0, VERSION):
        return True
    if application != APPLICATION:
        raise FileFormatError(f"{path} is the database of another program, not a log of events; name another")
    if version > VERSION:
        raise FileFormatError(
            f"{path} has format {version}, and this version reads formats up to {VERSION}; "
            "pip install --upgrade ohmline"
        )
    if version < 1 or found != SCHEMA:
        raise FileFormatError(f"the tables of {path} are damaged or were changed; restore it from a copy")
    return False


def make(connection: Any) -> None:
    """Make the tables, in one transaction."""
    with connection:
        for statement in SCHEMA.values():
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}")


def check_pages(connection: Any, path: Path) -> None:
    """FileFormatError where the pages of the file do not fit together."""
    found = connection.pragma("quick_check")
    if found != "ok":
        raise FileFormatError(f"{path} is damaged ({found}); restore it from a copy")


def identity(path: Path) -> tuple[int, int] | None:
    """Which file has this name now."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def failed(error: Exception) -> Failed:
    """What an error of the driver means for whoever writes."""
    sqlite = apsw()
    if isinstance(error, damaged()):
        return Failed(f"it is damaged ({_words(error)})", "restore it from a copy")
    if isinstance(error, sqlite.FullError):
        return Failed("the disk is full", "make room, then try again")
    if isinstance(error, sqlite.BusyError | sqlite.LockedError):
        return Failed("another program has locked it", "close that program, then try again", lasting=False)
    if isinstance(error, sqlite.TooBigError | sqlite.NoMemError):
        return Failed(f"it is too much at once ({error})", "write less at once", lasting=False)
    return Failed(f"it cannot be written ({_words(error)})", "mend that, then try again")


@contextmanager
def opening(path: Path) -> Iterator[None]:
    """In a `with`: errors of the driver become errors that say what is wrong with the file."""
    sqlite = apsw()
    try:
        yield
    except OhmlineError:
        raise
    except Failed as failure:
        raise JournalError(f"{path}: {failure.why}; {failure.remedy}") from None
    except sqlite.NotADBError:
        raise FileFormatError(
            f"{path} is no SQLite database, or its beginning is damaged; name another, or restore it from a copy"
        ) from None
    except (*damaged(), sqlite.SQLError) as error:
        raise FileFormatError(f"{path} is damaged ({_words(error)}); restore it from a copy") from None
    except sqlite.BusyError:
        raise JournalError(f"{path} is locked by another program; close that one, then try again") from None
    except sqlite.FullError:
        raise JournalError(f"{path} cannot be written: the disk is full; make room") from None
    except sqlite.ReadOnlyError:
        raise JournalError(f"{path} cannot be written: it, or its folder, is read-only") from None
    except (sqlite.Error, OSError) as error:
        raise JournalError(
            f"{path} cannot be opened ({_words(error)}); check the name and who may write there"
        ) from None


def _words(error: Exception) -> str:
    sqlite = apsw()
    code = getattr(error, "extendedresult", None)
    name = sqlite.mapping_extended_result_codes.get(code) or sqlite.mapping_result_codes.get(code)
    return f"{name}: {error}" if name else f"{type(error).__name__}: {error}"
