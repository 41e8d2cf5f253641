"""Lines of a file that others write to: whole ones only, and none that is endless."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, NamedTuple, final

LONGEST = 1 << 20
"""The most bytes of a line."""
CHUNK = 1 << 13


@final
class Line(NamedTuple):
    """A line of a file: its bytes without the line end (the beginning of one that is too long), and where it ends."""

    start: int
    end: int
    content: bytes
    too_long: bool


def whole_line(file: IO[bytes], offset: int) -> Line | None:
    """The line that begins at a byte of an unbuffered file; None where it is not there to its end yet."""
    file.seek(offset)
    content, end = b"", offset
    while chunk := file.read(CHUNK):
        stop = chunk.find(b"\n")
        content += (chunk if stop < 0 else chunk[:stop])[: LONGEST + 1 - len(content)]
        if stop >= 0:
            return Line(offset, end + stop + 1, content[:LONGEST].rstrip(b"\r"), len(content) > LONGEST)
        end += len(chunk)
    return None


def rest_of(file: IO[bytes], offset: int) -> bytes:
    """What stands after the last whole line, at most a little of it."""
    file.seek(offset)
    return file.read(CHUNK)


def is_at(file: IO[bytes], path: Path) -> bool:
    """Whether an open file is still the one of that name."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False
    ours = os.fstat(file.fileno())
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)
