"""One way to show an object: as the call that makes it."""

from __future__ import annotations

import inspect
from enum import Enum
from functools import cache
from typing import Any

import numpy as np


def represent(thing: Any, *, defaults: bool = False, **given: Any) -> str:
    """The call that makes `thing`, from its attributes of the same names as its parameters.

    Arguments that equal their defaults are left out, unless `defaults` asks for them; `given` are values that
    differ from the attribute's.

    >>> class Box:
    ...     def __init__(self, width, *, deep=False):
    ...         self.width, self.deep = width, deep
    >>> represent(Box(2.5)), represent(Box(3, deep=True))
    ('Box(2.5)', 'Box(3, deep=True)')
    """
    shown = []
    for name, keyword, default in _parameters(type(thing)):  # type: ignore[arg-type]
        value = given[name] if name in given else getattr(thing, name)
        if not defaults and _same(value, default):
            continue
        shown.append(f"{name}={_short(value)}" if keyword or shown_by_name(default) else _short(value))
    return f"{type(thing).__name__}({', '.join(shown)})"


def shown_by_name(default: Any) -> bool:
    """Whether an argument has a default, so that those before it may be missing."""
    return default is not inspect.Parameter.empty


@cache
def _parameters(kind: type) -> tuple[tuple[str, bool, Any], ...]:
    """Name, whether it is given by keyword only, and default, for each parameter."""
    return tuple(
        (name, p.kind is p.KEYWORD_ONLY, p.default)
        for name, p in inspect.signature(kind).parameters.items()
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    )


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    return type(value) is type(default) and not isinstance(value, np.ndarray) and bool(value == default)


def _short(value: Any) -> str:
    if isinstance(value, Enum):
        return repr(str(value)) if isinstance(value, str) else f"{type(value).__name__}.{value.name}"
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."
