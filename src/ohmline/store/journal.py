"""A journal: a file of events to which lines are added and none is ever changed.

Each line is one event in JSON and ends with its own hash, which is made of the line and of the hash before it:

    {"seq":1,"time":"2026-11-16T09:30:00.000000Z","actor":"ann","kind":"labelled","payload":{...},"hash":"..."}

An event is acknowledged when it and the new *head* are on the disk. The head is a second small file, `NAME.head`, that
says which event was acknowledged last; both files are locked while a process has the journal open. A link is followed
first, so that whoever comes by another name meets the same head and the same lock. So

- a line that was being written when the process or the machine died has no end. It was never acknowledged, and is cut
  off when the journal is opened again;
- a line that was changed or lost in the midst breaks the chain, and is refused with its number;
- a file that lost acknowledged lines at its end is shorter than its head says, and is refused too;
- a file that was deleted or replaced while it was open gets no more lines, which nobody would find again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, final

from ohmline.checks import file_path, instance, text
from ohmline.errors import FileFormatError, JournalError, OhmlineError, ParameterError
from ohmline.graph.files.paths import replacing
from ohmline.store.disk import sync_folder, told
from ohmline.store.head import NOTHING, Head, in_use
from ohmline.store.lock import try_lock
from ohmline.store.whole import whole

FORMAT = "ohmline journal"
VERSION = 1
"""The format that is written; every one up to it is read."""
FIRST = "opened"
"""The kind of the first event, whose payload says what the journal is about."""


@final
@dataclass(frozen=True, slots=True)
class Event:
    """One line of a journal.

    Attributes
    ----------
    seq
        Its number, counted from 0.
    time
        When it was written: UTC, as ISO 8601 has it.
    actor
        Who did it.
    kind
        What was done.
    payload
        The rest, in plain values.
    hash
        The hash of this line and of all before it.
    """

    seq: int
    time: str
    actor: str
    kind: str
    payload: dict[str, Any]
    hash: str


@final
class Journal:
    """An open journal, which nobody else can have open.

    Parameters
    ----------
    path
        The name of the file. It is made if it does not exist.
    about
        What a new journal is about, in plain values; an old one keeps what it has.
    actor
        Who opens it.
    """

    def __init__(self, path: Any, about: Mapping[str, Any], *, actor: str = "") -> None:
        self.path = file_path(path)
        self.actor = text(actor, "actor")
        self.notes: list[str] = []
        """What was mended when the journal was opened, in words."""
        self.broken = ""
        """Why nothing can be written any more; empty while it can."""
        if self.path.is_symlink():
            self.path = Path(os.path.realpath(self.path))
        if self.path.is_dir():
            raise JournalError(f"{self.path} is a folder, not a journal")
        self._head = Head(head_path(self.path), str(self.path))
        self._log = -1
        try:
            if not self.path.exists():
                self._begin(instance(about, Mapping, "about"))
            self._log = _open(self.path, os.O_RDWR)
            if not try_lock(self._log):  # by a hard link, or after the head was deleted
                raise in_use(str(self.path))
            self.events = self._read()
            self._head.write(self.events[-1].seq, self.events[-1].hash)
        except OSError as error:
            self.close()
            raise _unwritable(self.path, error) from None
        except BaseException:
            self.close()
            raise

    @property
    def about(self) -> dict[str, Any]:
        """What the journal is about."""
        return self.events[0].payload

    def append(self, kind: str, payload: Mapping[str, Any]) -> Event:
        """Add an event. When this returns, it is on the disk; where it raises, nothing was added.

        Parameters
        ----------
        kind
            What was done.
        payload
            The rest, in plain values.

        Returns
        -------
        Event
            The event, with its number and its hash.
        """
        if self._log < 0:
            raise JournalError(f"{self.path} is closed; open the journal again")
        if self.broken:
            raise JournalError(
                f"{self.path} cannot be written any more ({self.broken}); open the journal again"
            )
        self._expect_the_same_file()
        last = self.events[-1]
        line, event = _line(last.seq + 1, self.actor, kind, payload, last.hash)
        with whole():
            self._store(line, event)
            self.events.append(event)
        return event

    def close(self) -> None:
        """Let others have the journal."""
        if self._log >= 0:
            descriptor, self._log = self._log, -1
            os.close(descriptor)
        self._head.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Journal {self.path} with {len(self.events):,} events"

    def _expect_the_same_file(self) -> None:
        """Refuse to write where nobody would find it: into a file that has lost its name."""
        mine = os.fstat(self._log)
        try:
            there = os.stat(self.path)
        except OSError:
            what = "deleted"
        else:
            if (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino):
                return
            what = "replaced by another file"
        self.broken = f"it was {what} while it was open"
        raise JournalError(
            f"{self.path} was {what} while it was open, and nothing more is written; restore it, and open the journal "
            "again"
        )

    def _begin(self, about: Mapping[str, Any]) -> None:
        """Make the file, with its first line, whole or not at all."""
        acknowledged = self._head.seq
        if acknowledged > 0:
            raise FileFormatError(
                f"{self.path} is gone, but its line {acknowledged + 1} was acknowledged; restore it from a copy, or "
                f"delete {head_path(self.path)} to begin anew"
            )
        line, _ = _line(0, self.actor, FIRST, {"format": FORMAT, "version": VERSION, **about}, NOTHING)
        try:
            with replacing(self.path) as beside:
                beside.write_bytes(line)
        except OhmlineError as error:
            raise JournalError(str(error)) from None
        sync_folder(self.path.parent)
        self._head.write(-1, NOTHING)

    def _read(self) -> list[Event]:
        acknowledged, digest = self._head.seq, self._head.hash
        raw = _content(self._log, self.path)
        events, end = _parse(raw, self.path)
        if end < len(raw):
            if len(events) <= acknowledged:
                raise FileFormatError(
                    f"{self.path}, line {len(events) + 1}: the line is damaged, and it was acknowledged once; "
                    "restore the file from a copy"
                )
            self.notes.append(
                f"the last line of {self.path} was cut off in the midst of writing and never acknowledged; "
                f"its {len(raw) - end:,} bytes were removed"
            )
            os.ftruncate(self._log, end)
            os.fsync(self._log)
        if acknowledged >= len(events):
            raise FileFormatError(
                f"{self.path} ends with line {len(events)}, but line {acknowledged + 1} was acknowledged: the end of "
                f"the file is lost; restore it from a copy, or delete {head_path(self.path)} to go on without it"
            )
        if acknowledged >= 0 and events[acknowledged].hash != digest:
            raise FileFormatError(
                f"{self.path}, line {acknowledged + 1}: this is not the line that was acknowledged; restore the file "
                f"from a copy, or delete {head_path(self.path)} to go on with this one"
            )
        self._size = end
        return events

    def _store(self, line: bytes, event: Event) -> None:
        """Write a line, or leave the file as it was."""
        synced = False
        try:
            os.lseek(self._log, self._size, os.SEEK_SET)
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._log, rest) :]
            os.fsync(self._log)
            synced = True
            self._head.write(event.seq, event.hash)
        except OSError as error:
            self._take_back(error, synced)
            raise _unwritable(self.path, error) from None
        self._size += len(line)

    def _take_back(self, error: OSError, head: bool) -> None:
        """Make the file as long as it was; the head too, if it may have been written."""
        try:
            if head:  # first, so that the head is never ahead of the file
                self._head.write(self.events[-1].seq, self.events[-1].hash)
            os.ftruncate(self._log, self._size)
            os.fsync(self._log)
        except OSError as second:
            self.broken = told(second)
        if error.errno == errno.EIO:  # what the disk holds now is unknown
            self.broken = self.broken or told(error)


def read_journal(path: Any) -> list[Event]:
    """The events of a journal that may be open elsewhere; a line that is just being written is left out.

    Parameters
    ----------
    path
        The name of the file.

    Returns
    -------
    list of Event
        The events, the first of which says what the journal is about.
    """
    where = file_path(path)
    descriptor = _open(where, os.O_RDONLY)
    try:
        return _parse(_content(descriptor, where), where)[0]
    finally:
        os.close(descriptor)


def head_path(path: Path) -> Path:
    """The file beside a journal that says how far it was acknowledged."""
    return path.with_name(f"{path.name}.head")


def _line(seq: int, actor: str, kind: str, payload: Any, before: str) -> tuple[bytes, Event]:
    """An event, as a line and as itself."""
    time = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    fields = {"seq": seq, "time": time, "actor": actor, "kind": kind, "payload": dict(payload)}
    try:
        body = json.dumps(fields, separators=(",", ":"), allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError(f"payload cannot be written as JSON ({error}); give plain values") from None
    digest = _digest(before, body)
    line = body[:-1] + f',"hash":"{digest}"}}\n'.encode("ascii")
    return line, Event(seq, time, actor, kind, json.loads(body)["payload"], digest)


def _digest(before: str, body: bytes) -> str:
    return hashlib.sha256(before.encode("ascii") + body).hexdigest()


def _parse(raw: bytes, path: Path) -> tuple[list[Event], int]:
    """The events of all lines that have an end, and where the last of them ends."""
    events: list[Event] = []
    before, start = NOTHING, 0
    while (stop := raw.find(b"\n", start)) >= 0:
        event = _event(raw[start:stop], len(events), before, path)
        events.append(event)
        before, start = event.hash, stop + 1
    if not events:
        raise FileFormatError(f"{path} is no journal: it does not begin with one whole line of it")
    return events, start


def _event(line: bytes, seq: int, before: str, path: Path) -> Event:
    place = f"{path}, line {seq + 1}"
    try:
        fields = json.loads(line)
        digest = fields["hash"]
        event = Event(*(fields[name] for name in ("seq", "time", "actor", "kind", "payload", "hash")))
        tail = f',"hash":"{digest}"}}'.encode("ascii")
        sound = line.endswith(tail) and isinstance(event.payload, dict) and isinstance(event.kind, str)
    except (ValueError, KeyError, TypeError, RecursionError):
        sound = False
    if seq == 0 and (not sound or event.kind != FIRST or event.payload.get("format") != FORMAT):
        raise FileFormatError(f"{place}: the file is no journal of ohmline, or its first line is damaged")
    if not sound or event.seq != seq or digest != _digest(before, line[: -len(tail)] + b"}"):
        raise FileFormatError(
            f"{place}: the line is damaged, or a line before it was changed, added or removed; restore the file from "
            "a copy, or keep only the lines before this one"
        )
    if seq == 0:
        _check_version(event.payload.get("version"), path)
    return event


def _check_version(version: Any, path: Path) -> None:
    if type(version) is not int or version < 1:
        raise FileFormatError(f"{path}, line 1: version {version!r} is no version of a journal")
    if version > VERSION:
        raise FileFormatError(
            f"{path} has format {version}, and this version reads formats up to {VERSION}; "
            "pip install --upgrade ohmline"
        )


def _unwritable(path: Path, error: OSError) -> JournalError:
    return JournalError(f"{path} cannot be written: {told(error)}; what was there before is kept")


def _open(path: Path, flags: int, mode: int = 0o644) -> int:
    try:
        return os.open(path, flags | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0), mode)
    except FileNotFoundError:
        missing = path.parent if flags & os.O_CREAT else path
        raise JournalError(f"{missing} does not exist; check the name and the folder") from None
    except IsADirectoryError:
        raise JournalError(f"{path} is a folder, not a journal") from None
    except OSError as error:
        raise JournalError(f"{path} cannot be opened: {told(error)}") from None


def _content(descriptor: int, path: Path) -> bytes:
    pieces: list[bytes] = []
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        while piece := os.read(descriptor, 2**20):
            pieces.append(piece)
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {told(error)}") from None
    return b"".join(pieces)
