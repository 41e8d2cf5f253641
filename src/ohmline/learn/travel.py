"""Learners that hold a function of the user's: pickle writes a function by its name, so it must have one."""

from __future__ import annotations

import sys
from functools import partial
from inspect import currentframe, isfunction
from typing import Any

from ohmline.errors import LearnerError

WRITERS = frozenset({"copy", "cloudpickle", "dill", "joblib"})
"""Modules that copy functions, or write them down themselves, under whatever name."""


def expect_named(learner: Any, parameter: str, given: Any, example: str) -> None:
    """Raise where plain pickle is about to write a function that it could not find again.

    Parameters
    ----------
    learner
        Who holds the function.
    parameter
        The name of the parameter that it was given for.
    given
        The function, or whatever was given in its place.
    example
        What the body of a function with a name would return.
    """
    nameless = _nameless(given)
    if nameless is None or _is_copied():
        return
    raise LearnerError(
        f"this {type(learner).__name__} cannot be pickled: its {parameter} is {nameless.__qualname__!r}, which has no "
        f"name in a module, and pickle writes functions by name. Give a function that is defined at the top of a "
        f"module (def {parameter}(...): return {example}), or functools.partial of a class, or save the learner with "
        "ohmline.save, or write it with cloudpickle"
    )


def _nameless(given: Any) -> Any:
    """The function in `given` that cannot be found by its name; None where each can."""
    if isinstance(given, partial):
        inside = (given.func, *given.args, *given.keywords.values())
        return next((found for found in map(_nameless, inside) if found is not None), None)
    if not isfunction(given):
        return None
    found: Any = sys.modules.get(given.__module__)
    for part in given.__qualname__.split("."):
        found = getattr(found, part, None)
    return None if found is given else given


def _is_copied() -> bool:
    """Whether somebody up the stack copies functions, or writes them down whole."""
    frame = currentframe()
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in WRITERS:
            return True
        frame = frame.f_back
    return False
