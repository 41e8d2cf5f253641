"""The head of a log: a small file beside it that says which event was acknowledged last.

A log alone cannot tell that its end is lost: half a log is a log too. So the number and the hash of the last
acknowledged event are also kept in a file of their own, and a log that is shorter than its head is refused.

The file has two places, which are written in turn, each in a block of the disk of its own and with a checksum. A write
that a power cut tears in two leaves the other place as it was. The file never grows after it was made, so that a full
disk still has room for it, and it is locked while a process owns the log.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from ohmline.errors import FileFormatError, JournalError, ProjectInUse
from ohmline.store.disk import DiskFile, SmallFile, sync_folder, told

NOTHING = "0" * 64
"""The hash before the first event."""
BLOCK = 4096
FIRST_SIZE = 512
"""The size of a head of the first form, which is read and written anew."""
_BLANK = b" \n\0"


@final
@dataclass(frozen=True, slots=True)
class Mark:
    """What one place of the file says."""

    number: int
    seq: int
    hash: str
    pid: int
    host: str

    def to_bytes(self) -> bytes:
        """The mark as one line that fills a block."""
        fields = {"n": self.number, "seq": self.seq, "hash": self.hash, "pid": self.pid, "host": self.host}
        body = json.dumps(fields)
        line = f'{body[:-1]}, "sum": "{_sum(body)}"}}'
        return line.encode("ascii").ljust(BLOCK - 1) + b"\n"

    @classmethod
    def of(cls, block: bytes) -> Mark | None:
        """The mark in a block; None where it is damaged."""
        try:
            line = block.rstrip(_BLANK).decode("ascii")
            fields = json.loads(line)
            body, comma, _ = line.rpartition(', "sum": ')
            mark = cls(*(fields[name] for name in ("n", "seq", "hash", "pid", "host")))
            sound = bool(comma) and fields["sum"] == _sum(f"{body}}}")
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        return mark if sound else None


def _sum(body: str) -> str:
    return hashlib.sha256(body.encode("ascii")).hexdigest()[:16]


@final
class Head:
    """The head of a log, locked for this process.

    Parameters
    ----------
    path
        The name of the file. It is made if it does not exist.
    log
        The log, as errors should name it.
    open_file
        Opens the file.
    """

    def __init__(self, path: Path, log: str, *, open_file: Callable[[Path], SmallFile] = DiskFile) -> None:
        self.path = path
        self.log = log
        self._file = _opened(path, open_file)
        try:
            found = self._file.read()
            if not self._file.lock():
                raise in_use(log, _newest(found))
            found = self._file.read()  # what the last owner wrote in the meantime
            newest = _newest(found)
            if newest is None and found.strip(_BLANK):
                raise FileFormatError(
                    f"{path} is damaged, so that nobody can tell whether the end of {log} is lost; restore it from a "
                    f"copy, or delete it to go on with {log} as it is"
                )
            self._number = 0 if newest is None else newest.number
            self._place = BLOCK if newest is not None and newest == Mark.of(found[BLOCK:]) else 0
            self.seq, self.hash = (-1, NOTHING) if newest is None else (newest.seq, newest.hash)
            if len(found) < 2 * BLOCK:
                self._make()
        except OSError as error:
            self.close()
            raise JournalError(f"{path} cannot be written: {told(error)}") from None
        except BaseException:
            self.close()
            raise

    def write(self, seq: int, digest: str) -> None:
        """Say that an event was acknowledged; OSError where that cannot be written.

        After an error the file may say it or not; the next write says what holds then.

        Parameters
        ----------
        seq
            The number of the event.
        digest
            Its hash.
        """
        place = BLOCK - self._place  # the other one, also after an error: the good one stays
        self._number += 1
        self._file.write(place, self._mark(seq, digest).to_bytes())
        self._file.sync()
        self._place, self.seq, self.hash = place, seq, digest

    @property
    def is_there(self) -> bool:
        """Whether the name of the file still leads to it; if not, others could lock another file of that name."""
        return self._file.is_there()

    def close(self) -> None:
        """Let others have the log."""
        self._file.close()

    def _make(self) -> None:
        """Write both places, so that the file has its size from now on."""
        self._number += 1
        mark = self._mark(self.seq, self.hash).to_bytes()
        self._file.write(0, mark + mark)
        self._file.sync()
        self._place = 0
        sync_folder(self.path.parent)

    def _mark(self, seq: int, digest: str) -> Mark:
        return Mark(self._number, seq, digest, os.getpid(), _HOST)


_HOST = socket.gethostname().encode("ascii", "replace").decode("ascii")[:64]


def in_use(log: str, owner: Mark | None = None) -> ProjectInUse:
    """The error for whoever comes second."""
    who = "another process" if owner is None else f"process {owner.pid} on {owner.host}"
    return ProjectInUse(f"{log} is in use by {who}; end that one first, or take another")


def _newest(found: bytes) -> Mark | None:
    marks: list[Any] = [Mark.of(found[:BLOCK]), Mark.of(found[BLOCK:]), _first_form(found)]
    return max((mark for mark in marks if mark), key=lambda mark: mark.number, default=None)


def _first_form(found: bytes) -> Mark | None:
    """What a head of the first form says: one line of 512 bytes, without a checksum."""
    if len(found) != FIRST_SIZE:
        return None
    try:
        fields = json.loads(found)
        mark = Mark(0, fields["seq"], fields["hash"], fields["pid"], fields["host"])
    except (ValueError, KeyError, TypeError):
        return None
    return mark if type(mark.seq) is int and isinstance(mark.hash, str) else None


def _opened(path: Path, open_file: Callable[[Path], SmallFile]) -> SmallFile:
    try:
        return open_file(path)
    except FileNotFoundError:
        raise JournalError(f"{path.parent} does not exist; check the name and the folder") from None
    except IsADirectoryError:
        raise JournalError(f"{path} is a folder, not the head of a log") from None
    except OSError as error:
        raise JournalError(f"{path} cannot be opened: {told(error)}; check who may write there") from None
