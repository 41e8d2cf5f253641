"""Events, and the chain of hashes that holds them together.

The hash of an event is made of the hash before it and of its *body*, which is JSON without blanks:

    {"seq":1,"time":"2026-11-16T09:30:00Z","actor":"ann","key":"k1","kind":"labelled","payload":{"node":"a"}}

Nothing in a body depends on where it is kept, so that the same events have the same hashes in every log.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, final

from ohmline.checks import instance, listed, shown, text
from ohmline.errors import ParameterError

LONGEST = 2**28
"""The most characters in the payload of one event."""

Row = tuple[int, str, str, str, str, str, str]
"""An event as a table has it: seq, time, actor, key, kind, payload as JSON, hash."""

_written = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


@final
@dataclass(frozen=True, slots=True)
class Draft:
    """An event that is not in the log yet, and so has no number and no hash.

    Attributes
    ----------
    time
        When it happened: UTC, as ISO 8601 has it.
    actor
        Who did it.
    key
        The idempotency key of the request; empty if it had none.
    kind
        What was done.
    payload
        The rest, in plain values: what JSON can hold.
    """

    time: str
    actor: str
    key: str
    kind: str
    payload: Mapping[str, Any]

    def __post_init__(self) -> None:
        for name in ("time", "actor", "key", "kind"):
            _storable(getattr(self, name), name)
        instance(self.payload, Mapping, "payload", "give a dict of plain values")


@final
@dataclass(frozen=True, slots=True)
class Event:
    """One event of a log.

    Attributes
    ----------
    seq
        Its number, counted from 0.
    time
        When it happened: UTC, as ISO 8601 has it.
    actor
        Who did it.
    key
        The idempotency key of the request; empty if it had none.
    kind
        What was done.
    payload
        The rest, in plain values.
    hash
        The hash of this event and of all before it.
    """

    seq: int
    time: str
    actor: str
    key: str
    kind: str
    payload: dict[str, Any]
    hash: str

    @classmethod
    def of(cls, row: Row) -> Event:
        """The event of a row, whose hash was checked."""
        return cls(*row[:5], json.loads(row[5]), row[6])


class BrokenChain(Exception):
    """A row that does not follow the one before it."""

    def __init__(self, seq: int) -> None:
        super().__init__(f"event {seq} does not follow the one before it")
        self.seq = seq


def rows_of(drafts: Iterable[Draft], after: tuple[int, str]) -> list[Row]:
    """Number drafts and chain them to the event they come after."""
    seq, before = after
    rows: list[Row] = []
    for draft in listed(drafts, "drafts"):
        instance(draft, Draft, "a draft", "give Draft(time, actor, key, kind, payload)")
        seq += 1
        payload = _payload(draft)
        before = digest(before, seq, draft.time, draft.actor, draft.key, draft.kind, payload)
        rows.append((seq, draft.time, draft.actor, draft.key, draft.kind, payload, before))
    return rows


def digest(before: str, seq: int, time: str, actor: str, key: str, kind: str, payload: str) -> str:
    """The hash of an event whose payload is JSON already."""
    body = (
        f'{{"seq":{seq},"time":{_written(time)},"actor":{_written(actor)},"key":{_written(key)},'
        f'"kind":{_written(kind)},"payload":{payload}}}'
    )
    return sha256(f"{before}{body}".encode("ascii")).hexdigest()


def check_chain(rows: Iterable[Row], after: tuple[int, str]) -> tuple[int, str]:
    """The end of a chain of rows, which begins after an event; BrokenChain where one does not fit."""
    seq, before = after
    for row in rows:
        seq += 1
        try:
            sound = row[0] == seq and digest(before, *row[:6]) == row[6]
        except (TypeError, ValueError):  # a value that no event has; text that is not ASCII
            sound = False
        if not sound:
            raise BrokenChain(seq)
        before = row[6]
    return seq, before


def _payload(draft: Draft) -> str:
    try:
        found = _written(dict(draft.payload))
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError(f"payload cannot be written as JSON ({error}); give plain values") from None
    if len(found) > LONGEST:
        raise ParameterError(
            f"the payload of a {shown(draft.kind)} event has {len(found):,} characters; at most {LONGEST:,} fit, so "
            "make several events of it"
        )
    return found


def _storable(value: Any, name: str) -> None:
    """Refuse a string that a database cannot hold."""
    try:
        text(value, name).encode("utf-8")
    except UnicodeEncodeError:
        raise ParameterError(f"{name} must be text, got {shown(value)}, which UTF-8 cannot write") from None
    if "\0" in value:
        raise ParameterError(f"{name} must be text without NUL characters, got {shown(value)}")
