"""Small files on the disk: locked, written in place, and synced."""

from __future__ import annotations

import os
import sys
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Protocol, final

from ohmline.store.lock import try_lock

MOST = 2**16
"""The most bytes of a small file that are read."""


class SmallFile(Protocol):
    """What the head of a log needs of its file."""

    def lock(self) -> bool:
        """Lock the file for this process; False where another one has it."""

    def is_there(self) -> bool:
        """Whether the name of the file still leads to it."""

    def read(self) -> bytes:
        """All that is in the file."""

    def write(self, place: int, data: bytes) -> None:
        """Write in place; OSError where that fails."""

    def sync(self) -> None:
        """Return when all that was written is on the disk."""

    def close(self) -> None:
        """Close the file, and give its lock back."""


@final
class DiskFile:
    """A file on the disk."""

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self._path = path
        self._descriptor = os.open(path, flags, 0o644)
        _OPEN.add(self)

    def lock(self) -> bool:
        """Lock the file for this process; False where another one has it."""
        return try_lock(self._descriptor)

    def is_there(self) -> bool:
        """Whether the name of the file still leads to it."""
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))
        except OSError:
            return False

    def read(self) -> bytes:
        """All that is in the file."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        return os.read(self._descriptor, MOST)

    def write(self, place: int, data: bytes) -> None:
        """Write in place."""
        os.lseek(self._descriptor, place, os.SEEK_SET)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def sync(self) -> None:
        """Return when all that was written is on the disk."""
        sync(self._descriptor)

    def close(self) -> None:
        """Close the file, and give its lock back."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)


_OPEN: weakref.WeakSet[DiskFile] = weakref.WeakSet()


def _let_go() -> None:
    """A child that was forked must not keep the lock when its parent has ended."""
    for file in list(_OPEN):
        with suppress(OSError):
            file.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


def told(error: OSError) -> str:
    """What went wrong, in the words of the system."""
    return error.strerror or str(error)


def sync(descriptor: int) -> None:
    """Return when all that was written to an open file is on the disk."""
    if sys.platform == "darwin":
        import fcntl

        with suppress(OSError):  # file systems that cannot do it have fsync
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """Put the name of a new file on the disk too, where folders can be synced."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
