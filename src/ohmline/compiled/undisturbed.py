"""Work that no signal may cut in two: Ctrl-C, alarms and requests to end wait until the work is done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

FAULTS = ("SIGSEGV", "SIGFPE", "SIGBUS", "SIGILL", "SIGABRT")
"""Signals of a program that cannot go on."""
ANSWERED = tuple(
    signal.Signals(number)
    for number in sorted(signal.valid_signals())
    if number in signal.Signals.__members__.values() and signal.Signals(number).name not in FAULTS
)
"""The signals that a program may answer by an exception: Ctrl-C, requests to end, alarms, its own."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """In a `with`: a signal whose handler is a function, which may raise an exception, is delivered at the end.

    For a few assignments that belong together, and for the compiler, which is left in pieces by an exception in its
    midst. Signals reach the main thread alone, so that there is nothing to do in any other.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in ANSWERED}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    came: dict[int, Any] = {}

    def remember(number: int, frame: Any) -> None:
        came[number] = frame

    try:
        for number in handlers:
            signal.signal(number, remember)
        yield
    finally:
        _hand_back(handlers, came)


def _hand_back(handlers: dict[Any, Any], came: dict[int, Any]) -> None:
    """Put the handlers back, and let each one answer what came meanwhile; an exception keeps none from its turn."""
    if not handlers:
        return
    number, handler = handlers.popitem()
    try:
        signal.signal(number, handler)
        if number in came:
            handler(number, came[number])
    finally:
        _hand_back(handlers, came)
