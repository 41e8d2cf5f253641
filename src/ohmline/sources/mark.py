"""How far a file was read: a small file of its own, and by what the file is known again."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, final

from ohmline.checks import shown
from ohmline.errors import FileFormatError, SourceError

FORMAT = 1
KNOWN_BY = 512
"""So many bytes at the beginning, and as many before the mark, tell a file from another one of its name."""


@final
@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a file.

    Attributes
    ----------
    round
        How many files of this name there were before.
    offset
        All lines before this byte are done.
    line
        How many lines that is.
    digest
        Of the bytes by which the file is known again.
    """

    round: int = 0
    offset: int = 0
    line: int = 0
    digest: str = ""


def digest_of(file: IO[bytes], offset: int) -> str:
    """By which a file that was read up to a byte is known again; the position in the file is left as it was."""
    before = file.tell()
    file.seek(0)
    head = file.read(min(KNOWN_BY, offset))
    file.seek(max(0, offset - KNOWN_BY))
    tail = file.read(min(KNOWN_BY, offset))
    file.seek(before)
    return hashlib.sha256(head + b"\0" + tail).hexdigest()


def fits(file: IO[bytes], mark: Mark) -> bool:
    """Whether a file is the one that was read up to the mark."""
    size = os.fstat(file.fileno()).st_size
    return size >= mark.offset and (not mark.offset or digest_of(file, mark.offset) == mark.digest)


def read_mark(path: Path) -> Mark:
    """The mark in a file; the beginning where there is none."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Mark()
    except OSError as error:
        raise SourceError(f"the mark {path} cannot be read: {error}") from None
    try:
        value = json.loads(content)
        if value.pop("format") != FORMAT:
            raise ValueError("another format")
        mark = Mark(**value)
        whole = all(type(n) is int and n >= 0 for n in (mark.round, mark.offset, mark.line))
        if not whole or not isinstance(mark.digest, str):
            raise ValueError("odd values")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise FileFormatError(
            f"{path} is no mark of how far a file was read: {shown(content)}; delete it to read the file from the "
            "beginning (items that were taken before count once)"
        ) from None
    return mark


def write_mark(path: Path, mark: Mark) -> None:
    """Replace the mark, whole or not at all."""
    beside = path.with_name(path.name + ".new")
    try:
        with beside.open("wb") as file:
            file.write(json.dumps({"format": FORMAT, **asdict(mark)}).encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise SourceError(f"the mark {path} cannot be written: {error}") from None


def append_line(path: Path, value: dict[str, Any]) -> None:
    """One more line of JSON in a file, on the disk when this returns."""
    try:
        with path.open("ab") as file:
            file.write(json.dumps(value).encode("ascii") + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error}") from None
