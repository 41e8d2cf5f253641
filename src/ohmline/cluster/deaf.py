"""Processes that do not hear Ctrl-C, which a terminal sends to all at once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """In a `with`: threads and processes that are started within never hear Ctrl-C; whoever started them ends them.

    Where a system has no masks of signals, they hear it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # when it starts, it makes the thread hear Ctrl-C again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
