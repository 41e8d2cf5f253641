"""Which graph files this user has checked already, so that the next opening takes no time.

What is remembered lies in the user's own cache, never beside the file, where whoever sends a file could send a promise
along. It holds for one file (device, inode) in one state (size and the times of the last changes, of which one cannot
be set back).
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

Stamp = tuple[int, int, int, int, int]
"""Device, inode, size, and when content and entry of a file last changed, in nanoseconds."""


def cache_folder() -> Path:
    """`OHMLINE_CACHE` if it is set, else the user's cache folder of this system."""
    named = os.environ.get("OHMLINE_CACHE")
    if named:
        return Path(named)
    import pooch

    return Path(pooch.os_cache("ohmline"))


def stamp_of(status: os.stat_result) -> Stamp:
    """The state of a file."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def is_remembered(stamp: Stamp) -> bool:
    """Whether a file in this state was checked before."""
    try:
        return _note(stamp).read_text() == repr(stamp)
    except OSError:
        return False


def remember(stamp: Stamp) -> None:
    """A file in this state was checked, or written by ourselves; where nothing can be noted, it is checked again."""
    with suppress(OSError):
        note = _note(stamp)
        note.parent.mkdir(parents=True, exist_ok=True)
        beside = note.with_suffix(f".{os.getpid()}.{token_hex(4)}.part")
        beside.write_text(repr(stamp))
        beside.replace(note)


def _note(stamp: Stamp) -> Path:
    return cache_folder() / "checked-graphs" / sha256(repr(stamp).encode()).hexdigest()
