"""How a command ends when it is asked to: in order, so that no half-written file or temporary folder stays."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

ASKED = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that ask a process to end: Ctrl-C, the system or another program, a terminal that was closed."""
PATIENCE = 2.0
"""Seconds after which being asked again ends the command at once. `timeout` asks twice in the same moment."""


def at_once() -> None:
    """While modules load, nothing is begun that would have to be ended: whoever asks for the end gets it."""
    for number in ASKED:
        _answer(number, _leave)


def in_order() -> None:
    """From now on Ctrl-C is Python's `KeyboardInterrupt`, and the others raise `SystemExit` with 128 + their number."""
    asked: dict[int, float] = {}
    own = os.getpid()

    def leave_in_order(number: int, frame: Any) -> None:
        if os.getpid() != own:  # a process that was forked from this one has nothing to put in order
            _leave(number, frame)
        if number in asked:
            if time.monotonic() - asked[number] > PATIENCE:
                _leave(number, frame)
            return  # an exception would cut short what the first one has begun
        asked[number] = time.monotonic()
        sys.exit(128 + number)

    for number in ASKED:
        _answer(number, signal.default_int_handler if number == signal.SIGINT else leave_in_order)


def _answer(number: int, handler: Callable[[int, Any], Any]) -> None:
    if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, or a shell that runs it in the background
        signal.signal(number, handler)


def _leave(number: int, frame: Any) -> None:
    os._exit(128 + number)
