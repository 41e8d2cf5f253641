"""Work that Ctrl-C and requests to end may not cut in two: they wait until the work is done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ASKED = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that a program may answer by an exception: Ctrl-C, and requests to end."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """In a `with`: a Ctrl-C, or a request to end that raises an exception, is delivered at the end.

    For a few assignments that belong together, and for the compiler, which is left in pieces by an exception in its
    midst. Signals reach the main thread alone, so that there is nothing to do in any other.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in ASKED}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    came: list[tuple[int, Any]] = []

    def remember(number: int, frame: Any) -> None:
        came.append((number, frame))

    try:
        for number in handlers:
            signal.signal(number, remember)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if came:
            number, frame = came[-1]
            answer: Any = handlers[signal.Signals(number)]
            answer(number, frame)
