"""A disk that fails on purpose, below SQLite and below the head of a log.

All writes go through a `Disk`, which remembers what was written to each file since it was last synced. A power cut
keeps any of the unsynced sectors and forgets the others, as real disks do; names that were made or removed and whose
folder was not synced are kept up to some point in time. What is left can be put into another folder and opened there.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from ohmline.store import head as head_module
from ohmline.store.events import SqliteLog, sqlite_log

SECTOR = 512
_NUMBERS = count()


@dataclass
class Content:
    """One file: what is on the disk for sure, and what was written since."""

    durable: bytearray = field(default_factory=bytearray)
    since: list[tuple[int, bytes | None]] = field(default_factory=list)

    def write(self, place: int, data: bytes) -> None:
        self.since.append((place, bytes(data)))

    def truncate(self, size: int) -> None:
        self.since.append((size, None))

    def sync(self) -> None:
        for place, data in self.since:
            _apply(self.durable, place, data)
        self.since.clear()

    def now(self) -> bytes:
        found = bytearray(self.durable)
        for place, data in self.since:
            _apply(found, place, data)
        return bytes(found)

    def after_a_cut(self, chance: np.random.Generator) -> bytes:
        """What the disk may hold after a power cut: each unsynced sector is there or not."""
        found = bytearray(self.durable)
        kept = chance.choice([0.0, 0.1, 0.5, 0.9, 1.0])
        for place, data in self.since:
            if data is None:
                if chance.random() < kept:
                    _apply(found, place, None)
                continue
            start = place
            while start < place + len(data):
                stop = min((start // SECTOR + 1) * SECTOR, place + len(data))
                if chance.random() < kept:
                    _apply(found, start, data[start - place : stop - place])
                elif stop > len(found) and chance.random() < 0.5:
                    found.extend(bytes(stop - len(found)))  # the size arrived, and the sector did not
                start = stop
        return bytes(found)


def _apply(found: bytearray, place: int, data: bytes | None) -> None:
    if data is None:
        del found[place:]
        return
    if len(found) < place:
        found.extend(bytes(place - len(found)))
    found[place : place + len(data)] = data


class Disk:
    """The files of one folder, and a plan of what goes wrong.

    `plan` is called with the number and the kind of each step ("sync events.db") before it is done, and says what
    happens: None (all is well), "cut" (the power is gone, and with it everything after), "full" or "broken".
    """

    def __init__(
        self, folder: Path, chance: np.random.Generator, plan: Callable[[int, str], str | None] | None = None
    ) -> None:
        self.folder = folder
        self.plan = plan or (lambda number, kind: None)
        self.steps = 0
        self.kinds: list[str] = []
        self.left: dict[str, bytes] | None = None
        """What is left after a power cut."""
        self._chance = chance
        self._lasting = {each.name: Content(bytearray(each.read_bytes())) for each in folder.iterdir()}
        self._names = dict(self._lasting)
        self._moves: list[tuple[str, Content | None]] = []
        self._vfs = _Vfs(f"failing-{next(_NUMBERS)}", self)

    def open(self, **options: Any) -> SqliteLog:
        """A log on this disk."""
        return SqliteLog(
            self.folder / "events.db",
            self.folder / "events.head",
            vfs=self._vfs.name,
            open_head=lambda path: _HeadFile(self, path),
            **options,
        )

    def step(self, kind: str) -> str | None:
        """Something is about to be done; what goes wrong with it."""
        if self.left is not None:
            return "broken"
        self.steps += 1
        self.kinds.append(kind)
        wrong = self.plan(self.steps, kind)
        if wrong == "cut":
            self.left = self._after_a_cut()
            return "broken"
        return wrong

    def content(self, path: str | Path) -> Content:
        """The file of that name, made if it is not there."""
        name = os.path.basename(path)
        if name not in self._names:
            self._names[name] = Content()
            self._moves.append((name, self._names[name]))
        return self._names[name]

    def remove(self, path: str | Path) -> None:
        name = os.path.basename(path)
        self._names.pop(name, None)
        self._moves.append((name, None))

    def sync_folder(self) -> None:
        self._lasting = dict(self._names)
        self._moves.clear()

    def _after_a_cut(self) -> dict[str, bytes]:
        names = dict(self._lasting)
        for name, content in self._moves[: self._chance.integers(len(self._moves) + 1)]:
            if content is None:
                names.pop(name, None)
            else:
                names[name] = content
        return {name: content.after_a_cut(self._chance) for name, content in names.items()}


def put(left: dict[str, bytes], folder: Path) -> None:
    """Write what was left into a folder, in place of what is there."""
    for old in list(folder.iterdir()):
        old.unlink()
    for name, data in left.items():
        (folder / name).write_bytes(data)


@pytest.fixture
def without_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders are synced in the model alone, which is told by the first sync of a new file."""
    for module in (head_module, sqlite_log):
        monkeypatch.setattr(module, "sync_folder", lambda folder: None)


def _sqlite_error(wrong: str) -> Exception:
    return apsw.FullError("database or disk is full") if wrong == "full" else apsw.IOError("disk I/O error")


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self.disk = disk
        self.synced_folder = not (flags[0] & (apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL))
        super().__init__("", name, flags)
        self.content = disk.content(path)
        self.name = os.path.basename(path)

    def _step(self, kind: str) -> None:
        wrong = self.disk.step(f"{kind} {self.name}")
        if wrong is not None:
            raise _sqlite_error(wrong)

    def xWrite(self, data: bytes, offset: int) -> None:
        self._step("write")
        self.content.write(offset, data)
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        self._step("truncate")
        self.content.truncate(newsize)
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:
        self._step("sync")
        self.content.sync()
        if not self.synced_folder:  # as SQLite does for a new journal
            self.disk.sync_folder()
            self.synced_folder = True


class _Vfs(apsw.VFS):
    def __init__(self, name: str, disk: Disk) -> None:
        self.name = name
        self.disk = disk
        super().__init__(name, "")

    def xOpen(self, name: Any, flags: list[int]) -> _File:
        return _File(self.disk, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        wrong = self.disk.step(f"delete {os.path.basename(filename)}")
        if wrong is not None:
            raise _sqlite_error(wrong)
        self.disk.remove(filename)
        if syncdir:
            self.disk.sync_folder()
        super().xDelete(filename, syncdir)


class _HeadFile:
    def __init__(self, disk: Disk, path: Path) -> None:
        self.disk = disk
        self.name = path.name
        self.new = path.name not in disk._names
        self.content = disk.content(path)

    def _step(self, kind: str) -> None:
        wrong = self.disk.step(f"{kind} {self.name}")
        if wrong is not None:
            number = errno.ENOSPC if wrong == "full" else errno.EIO
            raise OSError(number, os.strerror(number))

    def lock(self) -> bool:
        return True

    def is_there(self) -> bool:
        return True

    def read(self) -> bytes:
        return self.content.now()

    def write(self, place: int, data: bytes) -> None:
        self._step("write")
        self.content.write(place, data)

    def sync(self) -> None:
        self._step("sync")
        self.content.sync()
        if self.new:  # the head syncs the folder when it is made
            self.disk.sync_folder()
            self.new = False

    def close(self) -> None:
        pass
