"""Work that Ctrl-C may not cut in two: it waits until the work is done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def undisturbed() -> Iterator[None]:
    """In a `with`: a Ctrl-C that comes within is delivered at the end.

    For a few assignments that belong together, and for the compiler, which is left in pieces by an exception in its
    midst. Signals reach the main thread alone, so that there is nothing to do in any other.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came: list[tuple[int, Any]] = []

    def remember(number: int, frame: Any) -> None:
        came.append((number, frame))

    try:
        signal.signal(signal.SIGINT, remember)
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[-1])
