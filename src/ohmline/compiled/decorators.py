"""The ways in which a function is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from ohmline.compiled.cache import attach

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile `function` for the processor; the machine code is kept on disk.

    It must not return a `NamedTuple` to Python: Numba looks up the class by unpickling it, takes for granted that this
    works, and crashes where Ctrl-C comes just then. A plain tuple needs no look-up.
    """
    return cast(F, attach(njit(function)))


def inlined(function: F) -> F:
    """Compile `function` as a part of whatever compiled code calls it."""
    return cast(F, attach(njit(forceinline=True)(function)))


def internal(function: F) -> F:
    """Compile `function` for calls from compiled code only.

    Without an entry from Python it compiles faster: unpacking large tuples is a good part of the work.
    """
    return cast(F, attach(njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)))


def any_order(function: F) -> F:
    """Compile a loop over finite numbers that takes a maximum, so that it vectorises; no bit depends on the order."""
    return cast(F, attach(njit(fastmath={"nnan", "nsz", "reassoc"})(function)))


def reassociated(function: F) -> F:
    """Compile a reduction whose sums may be taken in any order, so that it vectorises.

    Only for a loop of its own, whose shape is the same wherever it is called from: then every caller sees
    the same bits.
    """
    return cast(F, attach(njit(fastmath={"reassoc", "nsz"})(function)))
