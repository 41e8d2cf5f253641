"""How much memory this machine has, or the container that the process runs in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

ROOT = Path("/")
"""Where the system's own files lie."""


@cache
def memory_there() -> int | None:
    """Bytes of memory that the process can have at all; None where the system does not say.

    The least of what the machine has and what its control groups (a container, a batch system, a systemd unit) allow.
    """
    return memory_under(ROOT)


def memory_under(root: Path) -> int | None:
    """The same with the files of the system below `root`."""
    found = [*_limits(root)]
    with suppress(AttributeError, OSError, ValueError):  # no Unix
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min((size for size in found if size > 0), default=None)


def _limits(root: Path) -> Iterator[int]:
    """The limits of the control groups that this process is in, and of those around them, in either version."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, kinds, place = (*line.split(":", 2), "", "")[:3]
        if kinds and "memory" not in kinds.split(","):
            continue
        mount, name = ("memory", "memory.limit_in_bytes") if kinds else ("", "memory.max")
        top = root / "sys/fs/cgroup" / mount
        folder = top / place.lstrip("/")
        for group in (folder, *folder.parents):
            with suppress(OSError, ValueError):  # no such file from within a container, or "max"
                yield int((group / name).read_text())
            if group == top:
                break
