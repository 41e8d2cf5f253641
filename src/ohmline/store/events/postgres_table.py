"""The table of a log in PostgreSQL: its address, its statements, and the lock that gives it one owner."""

from __future__ import annotations

import os
import re
import socket
import time
from dataclasses import dataclass
from typing import Any, final

from ohmline.errors import FileFormatError, ParameterError, ProjectInUse
from ohmline.extras import require
from ohmline.sql import quoted

APPLICATION = 0x4F686D6C
VERSION = 1
"""The format that is written; every one up to it is read."""
NAME = "ohmline_events"
"""The name of the table where the address has none."""
_MARK = "ohmline events, format "
_PATIENCE = 10.0
_PROCESS = re.compile(r"process (\d+) on (.*)")
_WAIT = {"connect_timeout": "10", "tcp_user_timeout": "30000"}

_GUARD = """CREATE OR REPLACE FUNCTION ohmline_events_only_grow() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'events are never changed or deleted'; END $$"""
_OWNER = """SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.classid = %s AND l.objid = (%s::bigint & 4294967295)::oid
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"""
_COLUMNS = {
    "seq": "bigint",
    "time": "text",
    "actor": "text",
    "key": "text",
    "kind": "text",
    "payload": "text",
    "hash": "text",
}


@final
@dataclass(frozen=True)
class Table:
    """Where a log is, and the statements that read and write it."""

    options: dict[str, Any]
    name: str
    shown: str

    @property
    def quoted(self) -> str:
        """The name as SQL has it."""
        return quoted(self.name, "table")

    @property
    def make(self) -> str:
        """Makes the table."""
        columns = ", ".join(f"{name} {kind} NOT NULL" for name, kind in _COLUMNS.items())
        return f"CREATE TABLE {self.quoted} ({columns}, PRIMARY KEY (seq))"

    @property
    def guard(self) -> str:
        """Lets rows be added and nothing else."""
        return (
            f"CREATE TRIGGER only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON {self.quoted} "
            "FOR EACH STATEMENT EXECUTE FUNCTION ohmline_events_only_grow()"
        )

    @property
    def comment(self) -> str:
        """Says what the table is."""
        return f"COMMENT ON TABLE {self.quoted} IS '{_MARK}{VERSION}'"

    @property
    def select(self) -> str:
        """Some rows after one, up to another."""
        return f"SELECT {', '.join(_COLUMNS)} FROM {self.quoted} WHERE seq > %s AND seq <= %s ORDER BY seq LIMIT %s"

    @property
    def last(self) -> str:
        """The last row."""
        return f"SELECT seq, hash FROM {self.quoted} ORDER BY seq DESC LIMIT 1"

    @property
    def insert(self) -> str:
        """Adds rows, given as columns, if the log ends with (seq, hash)."""
        columns = ", ".join(f"%s::{kind}[]" for kind in _COLUMNS.values())
        return (
            f"INSERT INTO {self.quoted} SELECT * FROM unnest({columns}) WHERE (%s::bigint, %s::text) = "
            f"(SELECT coalesce(max(seq), -1), coalesce(max(hash), repeat('0', 64)) FROM ({self.last}) AS end_of_log)"
        )

    @property
    def delete(self) -> str:
        """Removes the rows after one."""
        return f"DELETE FROM {self.quoted} WHERE seq > %s"

    @property
    def unguarded(self) -> str:
        """Lets rows be removed, until the end of a transaction that guards them again."""
        return f"ALTER TABLE {self.quoted} DISABLE TRIGGER only_grow"

    @property
    def guarded(self) -> str:
        """Lets rows be added and nothing else again."""
        return f"ALTER TABLE {self.quoted} ENABLE TRIGGER only_grow"


def table_of(address: str) -> Table:
    """The table that an address names."""
    psycopg = require("psycopg", "postgres")
    where, _, name = address.partition("#")
    if name and not re.fullmatch(r"[a-z0-9_-]{1,63}", name):
        raise ParameterError(
            f"the name of a table, after the #, has 1 to 63 small letters, digits, - or _; got {name!r}"
        )
    try:
        options = psycopg.conninfo.conninfo_to_dict(where)
    except psycopg.Error:  # its words could hold the password
        raise ParameterError(
            "the address of a PostgreSQL database must look like postgresql://user@host/name, and this one does not"
        ) from None
    place = f"{options.get('host', 'localhost')}/{options.get('dbname', '')}"
    table = name or NAME
    return Table({**_WAIT, **options}, table, f"the table {table} of PostgreSQL at {place}")


def lock(connection: Any, table: Table) -> None:
    """Make this session the owner of the log, or say who is; wait where the server has yet to notice that one died."""
    key = connection.execute("SELECT hashtext(current_schema() || '.' || %s)", (table.name,)).fetchone()[0]
    until = time.monotonic() + _PATIENCE
    while not connection.execute("SELECT pg_try_advisory_lock(%s, %s)", (APPLICATION, key)).fetchone()[0]:
        who = _owner(connection, key)
        if who and (time.monotonic() > until or not _has_died(who)):
            raise ProjectInUse(f"{table.shown} is in use by {who}; end that one first, or take another")
        time.sleep(0.05)


def _owner(connection: Any, key: int) -> str:
    """Who has the lock, in words; empty if nobody has it any more."""
    found = connection.execute(_OWNER, (APPLICATION, key)).fetchone()
    if found is None:
        return ""
    named = _PROCESS.search(found[0] or "")
    return named.group() if named else "another process"


def _has_died(who: str) -> bool:
    """Whether it was a process of this machine, and is there no more."""
    found = _PROCESS.fullmatch(who)
    if os.name != "posix" or found is None or not socket.gethostname().startswith(found.group(2)):
        return False
    try:
        os.kill(int(found.group(1)), 0)  # which does nothing to it
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def unlock(connection: Any) -> None:
    """Let others have the log at once; the server may take a while to see that a session is closed."""
    connection.execute("SELECT pg_advisory_unlock_all()")


def who_am_i() -> str:
    """What the server knows this process by."""
    return f"ohmline: process {os.getpid()} on {socket.gethostname()}"[:63]


def make_table(connection: Any, table: Table, *, empty: bool) -> None:
    """Make the table if it is not there and may be empty; an error where it is not ours, or of a newer format."""
    about = connection.execute(
        "SELECT c.oid, obj_description(c.oid, 'pg_class') FROM pg_class c WHERE c.relname = %s AND c.relnamespace = "
        "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())",
        (table.name,),
    ).fetchone()
    if about is None and empty:
        with connection.transaction():
            for statement in (table.make, _GUARD, table.guard, table.comment):
                connection.execute(statement)
        return
    if about is None:
        raise FileFormatError(
            f"{table.shown} is gone, but events in it were acknowledged; restore it from a copy"
        )
    version = re.fullmatch(rf"{_MARK}(\d+)", about[1] or "")
    if version is None:
        raise FileFormatError(f"{table.shown} is that of another program, not a log of events; name another")
    if int(version.group(1)) > VERSION:
        raise FileFormatError(
            f"{table.shown} has format {version.group(1)}, and this version reads formats up to {VERSION}; "
            "pip install --upgrade ohmline"
        )
    guards = connection.execute(
        "SELECT count(*) FROM pg_trigger WHERE tgrelid = %s AND tgname = 'only_grow' AND tgenabled = 'O'",
        (about[0],),
    ).fetchone()[0]
    if guards != 1:
        raise FileFormatError(
            f"{table.shown} lost the trigger that guards its events; restore it from a copy"
        )


def first_line(error: Exception) -> str:
    """What the server said, in one line."""
    return str(error).strip().partition("\n")[0] or type(error).__name__
