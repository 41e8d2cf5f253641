"""Which kind of log an address names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ohmline.checks import count, file_path, shown
from ohmline.errors import ParameterError
from ohmline.store.events.log import EventLog
from ohmline.store.events.postgres_log import PostgresLog
from ohmline.store.events.sqlite_log import SqliteLog

SERVERS = ("postgresql://", "postgres://")


def open_log(address: str | Path, head: Path, *, trusted: tuple[int, str] | None = None) -> EventLog:
    """Open a log of events, or make a new one.

    Parameters
    ----------
    address
        The name of an SQLite file, or the address of a PostgreSQL database: `postgresql://host/name`, with the name of
        the table after a `#` if it should not be `ohmline_events`.
    head
        The name of the file that keeps the head of the log, outside of it.
    trusted
        The number and the hash of an event up to which the chain need not be checked again, since a snapshot holds
        what came of it; None (default) to check all.

    Returns
    -------
    EventLog
        The log, which no other process can open as long as this one has it.
    """
    beside = Path(os.path.realpath(file_path(head, "head")))
    known = None if trusted is None else _mark(trusted)
    if isinstance(address, str) and address.startswith(SERVERS):
        return PostgresLog(address, beside, trusted=known)
    return SqliteLog(file_path(address, "address"), beside, trusted=known)


def _mark(trusted: Any) -> tuple[int, str]:
    try:
        seq, digest = trusted
    except (TypeError, ValueError):
        raise ParameterError(f"trusted must be (seq, hash), got {shown(trusted)}") from None
    if not isinstance(digest, str) or len(digest) != 64:
        raise ParameterError(f"the hash of trusted must be 64 hexadecimal digits, got {shown(digest)}")
    return count(seq, "seq of trusted"), digest
