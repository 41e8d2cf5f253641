"""Events for the tests of logs, and the places where logs can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from ohmline.store.events import Draft, Event, EventLog, open_log

_NUMBERS = count()


def draft(k: int, **payload: Any) -> Draft:
    """An event that can be told from all others."""
    about = payload or {"node": f"n{k}", "label": "é\u2028", "p": 0.1 * k}
    return Draft(f"2026-11-16T09:30:{k % 60:02d}Z", "ann", f"key-{k}", "labelled", about)


def drafts(first: int, number: int) -> list[Draft]:
    """Some events in order."""
    return [draft(k) for k in range(first, first + number)]


def bare(events: Sequence[Event]) -> list[Draft]:
    """What was given to the log."""
    return [Draft(e.time, e.actor, e.key, e.kind, e.payload) for e in events]


@dataclass(frozen=True)
class Place:
    """Where a log is."""

    address: str | Path
    head: Path

    def open(self, **options: Any) -> EventLog:
        return open_log(self.address, self.head, **options)


def sqlite_place(folder: Path) -> Place:
    return Place(folder / "events.db", folder / "events.head")


def postgres_place(folder: Path, server: str) -> Place:
    """A table of its own on a server."""
    return Place(f"{server}#log-{next(_NUMBERS)}", folder / "postgres.head")
