"""A log of events in an SQLite file.

The file has one table, to which triggers let nothing be done but to add. It is in WAL mode with `synchronous=FULL`: a
commit returns when the disk has it, and readers never wait. The shorter `NORMAL` would lose what was acknowledged in a
power cut. The -wal file is copied into the database after an append that made it long, in the thread that appended.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, final

from ohmline.errors import FileFormatError, JournalError
from ohmline.store.disk import DiskFile, SmallFile, sync_folder
from ohmline.store.events.checked_rows import Unreadable
from ohmline.store.events.event import Row
from ohmline.store.events.failed import Failed
from ohmline.store.events.log import EventLog
from ohmline.store.events.sqlite_file import (
    UNDELETED,
    VERSION,
    apsw,
    check_pages,
    connect,
    damaged,
    failed,
    identity,
    is_new,
    make,
    opening,
)
from ohmline.store.head import NOTHING, Head

LONG = 1000
"""Pages in the -wal file from which on it is copied into the database."""
_COLUMNS = "seq, time, actor, key, kind, payload, hash"
_INSERT = f"INSERT INTO events ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
_SELECT = f"SELECT {_COLUMNS} FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
_LAST = "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1"


@final
class SqliteLog(EventLog):
    """A log of events in an SQLite file.

    Parameters
    ----------
    path
        The name of the file. It is made if it does not exist.
    head
        The name of the file that keeps the head of the log.
    trusted
        The number and the hash of an event up to which the chain need not be checked again; None (default) for none.
    vfs
        The SQLite file system to go through; None (default) for the usual one.
    open_head
        Opens the file of the head.
    synchronous
        How SQLite syncs. Anything but `"FULL"` (default) loses acknowledged events in a power cut.
    """

    def __init__(
        self,
        path: Path,
        head: Path,
        *,
        trusted: tuple[int, str] | None = None,
        vfs: str | None = None,
        open_head: Callable[[Path], SmallFile] = DiskFile,
        synchronous: str = "FULL",
    ) -> None:
        apsw()
        self._path = Path(os.path.realpath(path))
        if os.path.isdir(self._path):  # also where nobody may look
            raise JournalError(f"{path} is a folder, not a log of events")
        super().__init__(str(path), Head(head, str(path), open_file=open_head))
        self._vfs, self._synchronous = vfs, synchronous
        self._reading = threading.Lock()
        self._writer: Any = None
        self._reader: Any = None
        try:
            self._connect()
            with opening(self._path):
                if trusted is None:
                    check_pages(self._reader, self._path)
                self._begin(trusted)
                self._ready()
            self._head.write(*self._last)
        except OSError as error:
            self.close()
            raise JournalError(f"{self._head.path} cannot be written: {error.strerror or error}") from None
        except BaseException:
            self.close()
            raise

    def _connect(self) -> None:
        """Open the file, and make its tables where it is new."""
        with opening(self._path):
            self._expect_something()
            self._writer = connect(self._path, self._vfs)
            if is_new(self._writer, self._path):
                if self._head.seq >= 0:
                    raise self._gone()
                self._writer.execute("PRAGMA auto_vacuum = NONE")
                self._in_wal_mode()
                make(self._writer)
                sync_folder(self._path.parent)
            self._reader = connect(self._path, self._vfs, reader=True)

    def _expect_something(self) -> None:
        """Refuse a file that is empty before SQLite sees it, which would throw away the -wal file."""
        try:
            size = os.stat(self._path).st_size
        except FileNotFoundError:
            size = 0
        if size < 512 and self._head.seq >= 0:  # the smallest database
            raise self._gone()

    def _gone(self) -> FileFormatError:
        return FileFormatError(
            f"{self.name} is empty or gone, but event {self._head.seq} was acknowledged; {self._restore()}"
        )

    def _ready(self) -> None:
        """Make a file that was found sound ready to be written."""
        self._in_wal_mode()
        self._pages = 0
        self._next = LONG
        self._writer.set_wal_hook(self._grown)
        self._probe()  # makes the -wal file
        self._reader.execute(_LAST).fetchall()  # opens it, so that both have the same one from now on
        self._files = {path: identity(path) for path in (self._path, Path(f"{self._path}-wal"))}
        for connection in (self._writer, self._reader):
            connection.config(apsw().SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)

    def _in_wal_mode(self) -> None:
        mode = self._writer.pragma("journal_mode", "WAL")
        if mode != "wal":
            raise JournalError(
                f"{self.name} cannot be in WAL mode here ({mode}); keep it on a disk of this machine"
            )
        self._writer.execute(f"PRAGMA synchronous = {self._synchronous}; PRAGMA fullfsync = ON")
        self._writer.execute(
            f"PRAGMA journal_size_limit = {4 * LONG * 4096}"
        )  # after a long read of somebody

    def _grown(self, connection: Any, database: str, pages: int) -> int:
        self._pages = pages
        return 0

    def _rows(self, after: int, last: int, most: int) -> list[Row]:
        sqlite = apsw()
        try:
            with self._reading:
                if self._reader is None:
                    raise JournalError(f"{self.name} is not open now; open it again")
                found: list[Row] = self._reader.execute(_SELECT, (after, last, most)).fetchall()
                return found
        except damaged() as error:
            raise Unreadable(f"it is damaged ({error})") from None
        except sqlite.Error as error:
            raise JournalError(
                f"{self.name} cannot be read ({error}); mend the disk, then open it again"
            ) from None

    def _end(self) -> tuple[int, str]:
        self._expect_connection()
        try:
            found = self._writer.execute(_LAST).fetchone()
        except damaged() as error:
            raise FileFormatError(
                f"the end of {self.name} is damaged ({error}); restore it from a copy"
            ) from None
        except apsw().Error as error:
            raise failed(error) from None
        return (-1, NOTHING) if found is None else found

    def _insert(self, rows: list[Row]) -> None:
        self._expect_the_same_files()
        with self._transaction():
            if self._end() != self.head:
                raise Failed("another program has written to it", "open it again")
            self._writer.executemany(_INSERT, rows)

    def _remove(self, after: int) -> None:
        with self._transaction():  # all of this is done or none of it, also the trigger's absence
            self._writer.execute("DROP TRIGGER undeleted")
            self._writer.execute("DELETE FROM events WHERE seq > ?", (after,))
            self._writer.execute(UNDELETED)

    def _probe(self) -> None:
        with self._transaction():
            self._writer.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._expect_connection()
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            yield
            self._writer.execute("COMMIT")
        except (apsw().Error, FileFormatError) as error:
            self._roll_back()
            raise failed(error) from None
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        with suppress(apsw().Error):
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")

    def _expect_connection(self) -> None:
        if self._writer is None:
            raise Failed("it could not be opened again", "open it again")

    def _tidy(self) -> None:
        """Copy the -wal file into the database where it is long, so that it does not grow without end.

        What is acknowledged stays in the -wal file until the copy is on the disk, so an error here loses nothing.
        """
        if self._pages < self._next:
            self._next = min(self._next, self._pages + LONG)
            return
        sqlite = apsw()
        self._next = self._pages + LONG
        try:
            self._writer.wal_checkpoint(mode=sqlite.SQLITE_CHECKPOINT_PASSIVE)
        except (sqlite.FullError, sqlite.BusyError):
            pass  # again later
        except sqlite.Error as error:
            self.broken = failed(error).why

    def _reconnect(self) -> None:
        """Open the files again if they are not those that were open."""
        if self._writer is not None and all(identity(path) == found for path, found in self._files.items()):
            return
        with suppress(apsw().Error):
            if self._writer is not None:  # this saves what is in a -wal file that has lost its name
                self._writer.wal_checkpoint(mode=apsw().SQLITE_CHECKPOINT_PASSIVE)
        self._drop(keep=True)
        try:
            self._connect()
            with opening(self._path):
                self._check(self.head, self._end()[0], self.head)
                self._ready()
        except BaseException:
            self._drop(keep=True)  # the next time begins anew
            raise

    def _expect_the_same_files(self) -> None:
        """Refuse to write where nobody would find it: into a file that has lost its name."""
        for path, found in self._files.items():
            now = identity(path)
            if now != found:
                what = "deleted" if now is None else "replaced by another file"
                raise Failed(f"{path} was {what} while it was open", "restore it, and open the log again")

    def _check_tables(self) -> None:
        with opening(self._path), self._reading:
            is_new(self._reader, self._path)
            check_pages(self._reader, self._path)

    def _shut(self) -> None:
        self._drop(keep=bool(self.broken))

    def _drop(self, *, keep: bool) -> None:
        """Close the connections; `keep` leaves the -wal file as it is."""
        with self._reading:
            for name in ("_reader", "_writer"):
                connection = getattr(self, name)
                setattr(self, name, None)
                if connection is not None:
                    with suppress(apsw().Error):
                        if keep:
                            connection.config(apsw().SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                        connection.close()
