"""Ctrl-C in compiled code: a loop that can run long asks now and then whether somebody wants it to stop."""

from __future__ import annotations

from typing import Any

from numba import types

from ohmline.compiled.decorators import internal

_check_signals: Any = types.ExternalFunction("PyErr_CheckSignals", types.intc())
_clear_error: Any = types.ExternalFunction("PyErr_Clear", types.void())


class Stopped(KeyboardInterrupt, Exception):
    """Ctrl-C, as compiled code can raise it: it knows subclasses of `Exception` only."""


@internal
def interrupted() -> bool:
    """Whether a signal came whose handler raised, as that of Ctrl-C does: the caller tidies up and raises `Stopped`.

    Signals are delivered to the main thread, so in any other thread nothing is ever found.
    """
    if _check_signals() == 0:
        return False
    _clear_error()
    return True
