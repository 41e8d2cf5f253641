"""One process at a time: a lock on a file, which the system takes back when the process ends, however it ends."""

from __future__ import annotations

import os
import sys

PLACE = 2**30
"""The byte that is locked on Windows, where nobody could read a locked one."""


def try_lock(descriptor: int) -> bool:
    """Lock an open file for this process; False where another one has locked it.

    Parameters
    ----------
    descriptor
        The open file. Closing it gives the lock back.
    """
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, PLACE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
