"""Work that no signal may cut in two: whoever wants the process to end waits until the work is done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that ask a process to end, and that it can answer."""


@contextmanager
def whole() -> Iterator[None]:
    """In a `with`: a signal whose handler is a Python function is handled at the end.

    Signals reach the main thread alone, so that there is nothing to do in any other.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in ENDING}
    came: list[tuple[int, Any]] = []

    def remember(number: int, frame: Any) -> None:
        came.append((number, frame))

    held = {number: handler for number, handler in handlers.items() if callable(handler)}
    try:
        for number in held:
            signal.signal(number, remember)
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        for number, frame in came[:1]:
            held[number](number, frame)
