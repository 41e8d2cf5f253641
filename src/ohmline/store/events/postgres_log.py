"""A log of events in a table of a PostgreSQL database.

The table is that of the SQLite file, and so are the hashes. One statement checks where the log ends, adds all rows and
commits, and the server answers when its disk has them. The session that writes holds an advisory lock, so that one
process owns the log whatever machine it runs on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, final

from ohmline.errors import JournalError
from ohmline.extras import require
from ohmline.store.disk import DiskFile, SmallFile
from ohmline.store.events.checked_rows import Unreadable
from ohmline.store.events.event import Row
from ohmline.store.events.failed import Failed
from ohmline.store.events.log import EventLog
from ohmline.store.events.postgres_table import (
    Table,
    first_line,
    lock,
    make_table,
    table_of,
    unlock,
    who_am_i,
)
from ohmline.store.head import NOTHING, Head


@final
class PostgresLog(EventLog):
    """A log of events in a table of a PostgreSQL database.

    Parameters
    ----------
    address
        Where the database is: `postgresql://user@host/name`, with the name of the table after a `#` if it should not
        be `ohmline_events`. The connection must not go through a pooler that shares sessions.
    head
        The name of the file that keeps the head of the log.
    trusted
        The number and the hash of an event up to which the chain need not be checked again; None (default) for none.
    open_head
        Opens the file of the head.
    """

    def __init__(
        self,
        address: str,
        head: Path,
        *,
        trusted: tuple[int, str] | None = None,
        open_head: Callable[[Path], SmallFile] = DiskFile,
    ) -> None:
        self._psycopg = require("psycopg", "postgres")
        self._table: Table = table_of(address)
        name = self._table.shown
        super().__init__(name, Head(head, name, open_file=open_head))
        self._reading = threading.Lock()
        self._writer: Any = None
        self._reader: Any = None
        try:
            with self._told():
                self._writer = self._connected()
                lock(self._writer, self._table)
                make_table(self._writer, self._table, empty=self._head.seq < 0)
                self._reader = self._connected(reader=True)
                self._begin(trusted)
            self._head.write(*self._last)
        except Failed as failure:
            self.close()
            raise JournalError(f"{name}: {failure.why}; {failure.remedy}") from None
        except OSError as error:
            self.close()
            raise JournalError(f"{self._head.path} cannot be written: {error.strerror or error}") from None
        except BaseException:
            self.close()
            raise

    def _connected(self, *, reader: bool = False) -> Any:
        connection = self._psycopg.connect(
            **self._table.options, application_name=who_am_i(), autocommit=True
        )
        if reader:
            connection.execute("SET default_transaction_read_only = on")
        elif connection.execute("SHOW fsync").fetchone()[0] != "on":
            connection.close()
            raise JournalError(
                f"the server of {self.name} runs with fsync = off and loses acknowledged events in a power cut; turn "
                "fsync on"
            )
        elif connection.execute("SHOW synchronous_commit").fetchone()[0] == "off":
            connection.execute("SET synchronous_commit = on")
        return connection

    def _rows(self, after: int, last: int, most: int) -> list[Row]:
        psycopg = self._psycopg
        with self._reading:
            try:
                return self._selected(after, last, most)
            except (psycopg.InternalError, psycopg.DataError) as error:
                raise Unreadable(f"it is damaged ({first_line(error)})") from None
            except psycopg.Error as error:
                raise JournalError(
                    f"{self.name} cannot be read ({first_line(error)}); is the server there?"
                ) from None

    def _selected(self, after: int, last: int, most: int) -> list[Row]:
        """Rows, from a new connection where the old one is lost."""
        if self._closed:
            raise JournalError(f"{self.name} is closed; open it again")
        if self._reader is not None:
            with suppress(self._psycopg.OperationalError):
                return self._reader.execute(self._table.select, (after, last, most)).fetchall()
        self._hang_up("_reader")
        self._reader = self._connected(reader=True)
        return self._reader.execute(self._table.select, (after, last, most)).fetchall()

    def _end(self) -> tuple[int, str]:
        with self._told():
            found = self._session().execute(self._table.last).fetchone()
        return (-1, NOTHING) if found is None else found

    def _insert(self, rows: list[Row]) -> None:
        columns = map(list, zip(*rows, strict=True))
        with self._told():
            done = self._session().execute(self._table.insert, (*columns, *self.head))
            if done.rowcount != len(rows):
                raise Failed("another program has written to it", "open it again")

    def _remove(self, after: int) -> None:
        session = self._session()
        with self._told(), session.transaction():
            session.execute(self._table.unguarded)
            session.execute(self._table.delete, (after,))
            session.execute(self._table.guarded)

    def _probe(self) -> None:
        with self._told():
            self._session().execute(self._table.comment)

    def _session(self) -> Any:
        if self._writer is None:
            raise Failed("there is no connection to the server", "start it, then try again")
        return self._writer

    def _check_tables(self) -> None:
        with self._told():
            make_table(self._session(), self._table, empty=False)

    def _tidy(self) -> None:
        pass

    def _reconnect(self) -> None:
        """Connect and lock again, if the session is lost; while it lingers on the server, the lock is not ours."""
        with self._told():
            if self._writer is not None and not self._writer.closed:
                with suppress(self._psycopg.Error):
                    self._writer.execute("SELECT 1")
                    return
            self._hang_up("_writer")
            self._writer = self._connected()
            try:
                lock(self._writer, self._table)
                make_table(self._writer, self._table, empty=False)
                self._check(self.head, self._end()[0], self.head)
            except BaseException:
                self._hang_up("_writer")
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """In a `with`: errors of the driver become errors that say whether the log can go on."""
        psycopg = self._psycopg
        try:
            yield
        except psycopg.errors.UniqueViolation:
            raise Failed("another program has written to it", "open it again") from None
        except (psycopg.DataError, psycopg.errors.ProgramLimitExceeded) as error:
            raise Failed(
                f"the server refused it ({first_line(error)})", "change that", lasting=False
            ) from None
        except psycopg.Error as error:
            raise Failed(
                f"the server did not do it ({first_line(error)})", "mend that, then try again"
            ) from None

    def _shut(self) -> None:
        with self._reading:
            self._hang_up("_reader")
        self._hang_up("_writer")

    def _hang_up(self, name: str) -> None:
        connection = getattr(self, name)
        setattr(self, name, None)
        if connection is not None:
            with suppress(self._psycopg.Error):
                unlock(connection)
            with suppress(self._psycopg.Error):
                connection.close()
