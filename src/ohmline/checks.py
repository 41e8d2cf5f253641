"""The checks at every public door: each gives the value as the package wants it, or an error that names it.

Strings are not numbers and numbers are not flags: `"0.5"`, `"no"` and `1` are refused where a number, a flag and a
flag are wanted, because Python would take every one of them for something that nobody meant.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from difflib import get_close_matches
from enum import Enum
from math import inf, isfinite
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ohmline.errors import LabelError, OhmlineError, ParameterError, TooLarge
from ohmline.memory import memory_there

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

MEMORY = 16
"""GiB that one array of a graph or a kernel may take where neither OHMLINE_MEMORY nor the system says how many."""
SHARE = 0.75
"""How much of the memory of the machine or its container one array may take."""
LARGEST_COUNT = sys.maxsize
"""The largest whole number that compiled code can count to."""


def shown(value: object, length: int = 80) -> str:
    """What an error message shows of a value: its repr, cut short; its type where it cannot even be shown."""
    try:
        text = repr(value)
    except Exception:  # a value that cannot be shown must not hide the error about it
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= length else f"{text[: length - 3]}..."


def almost(given: object, known: Iterable[str]) -> str:
    """A word about the name that is most like one that is not there; "" where none is like it.

    >>> almost("reed", ["read", "play"]), almost("x", ["read"])
    ("; did you mean 'read'?", '')
    """
    found = get_close_matches(str(given), list(known), 1)
    return f"; did you mean {found[0]!r}?" if found else ""


def number(value: Any, name: str, *, least: float = -inf, most: float = inf) -> float:
    """A finite number from `least` to `most`.

    >>> number(3, "mu"), number(np.float32(0.5), "mu")
    (3.0, 0.5)
    >>> number("0.5", "mu")
    Traceback (most recent call last):
    ohmline.errors.ParameterError: mu must be a number, got '0.5'; strings and flags are not numbers
    """
    found = _real(value, name)
    if not isfinite(found) or not least <= found <= most:
        raise ParameterError(f"{name} must be {_span(least, most)}, got {shown(value)}")
    return found


def positive(value: Any, name: str) -> float:
    """A finite number above 0."""
    found = _real(value, name)
    if not found > 0 or not isfinite(found):
        raise ParameterError(f"{name} must be a finite number above 0, got {shown(value)}")
    return found


def non_negative(value: Any, name: str) -> float:
    """A finite number of at least 0."""
    found = _real(value, name)
    if not found >= 0 or not isfinite(found):
        raise ParameterError(f"{name} must be a finite number of at least 0, got {shown(value)}")
    return found


def fraction(value: Any, name: str) -> float:
    """A number from 0 to 1."""
    found = _real(value, name)
    if not 0 <= found <= 1:
        raise ParameterError(f"{name} must lie between 0 and 1, got {shown(value)}")
    return found


def count(value: Any, name: str, *, least: int = 0, most: int = LARGEST_COUNT) -> int:
    """A whole number from `least` to `most`.

    >>> count(10**400, "trials")
    Traceback (most recent call last):
    ohmline.errors.ParameterError: trials must be a whole number of at most 9223372036854775807, got 1000...
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, got {shown(value)}")
    if value > most:
        raise ParameterError(f"{name} must be a whole number of at most {most}, got {shown(value)}")
    return int(value)


def flag(value: Any, name: str) -> bool:
    """True or False, and nothing that Python would merely take for one of them."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def seed_of(value: Any, name: str = "seed") -> int:
    """A seed: a whole number of at least 0, of any size."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 0:
        raise ParameterError(f"{name} must be a whole number of at least 0, got {shown(value)}")
    return int(value)


def generator(seed: Any, name: str = "seed") -> np.random.Generator:
    """Random numbers that are the same for the same seed."""
    return np.random.default_rng(seed_of(seed, name))


def room(size: float, what: str, instead: str = "make it smaller") -> None:
    """Refuse what would take more memory than the machine should give: `size` in bytes, `what` in words."""
    limit = memory_limit()
    if size > limit:
        raise TooLarge(
            f"{what} would take {size / 2**30:.3g} GiB of memory, more than {limit / 2**30:.3g}; {instead}, or "
            "set OHMLINE_MEMORY to the number of GiB that it may take"
        )


def memory_limit() -> float:
    """Bytes that one array may take: what OHMLINE_MEMORY says (GiB), or three quarters of the memory there is."""
    said = os.environ.get("OHMLINE_MEMORY")
    if said is None:
        there = memory_there()
        return MEMORY * 2.0**30 if there is None else SHARE * there
    try:
        limit = float(said)
    except ValueError:
        limit = -1.0
    if not limit >= 0:
        raise ParameterError(
            f"OHMLINE_MEMORY must be a number of GiB, such as 16, got {shown(said)}; set or unset it"
        )
    return limit * 2**30


def file_path(value: Any, name: str = "path") -> Path:
    """The name of a file."""
    if not isinstance(value, str | os.PathLike) or not str(value) or "\0" in str(value):
        raise ParameterError(f"{name} must be the name of a file, got {shown(value)}")
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        raise ParameterError(f"{name} {shown(value)} has characters that no file name can have") from None
    return Path(value)


def text(value: Any, name: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise ParameterError(f"{name} must be a string, got {shown(value)}")
    return str(value)


def instance(
    value: T, kind: type[Any], name: str, remedy: str = "", error: type[OhmlineError] = ParameterError
) -> T:
    """A value of a class: a graph where a graph is wanted, a kernel where a kernel is.

    >>> instance("karate.csv", dict, "state", "give what snapshot() gave")
    Traceback (most recent call last):
    ohmline.errors.ParameterError: state must be a dict, got 'karate.csv'; give what snapshot() gave
    """
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        advice = f"; {remedy}" if remedy else ""
        raise error(f"{name} must be {article} {kind.__name__}, got {shown(value)}{advice}")
    return value


def choice(value: Any, kind: type[E], name: str) -> E:
    """A member of an enum."""
    if not isinstance(value, kind):
        members = ", ".join(f"{kind.__name__}.{member.name}" for member in kind)
        raise ParameterError(f"{name} must be one of {members}, got {shown(value)}")
    return value


def function(value: Any, name: str, remedy: str = "") -> Callable[..., Any]:
    """Something that can be called."""
    if not callable(value):
        advice = f"; {remedy}" if remedy else ""
        raise ParameterError(f"{name} must be a function, got {shown(value)}{advice}")
    return value


def iterator(values: Any, name: str) -> Iterator[Any]:
    """The items of any iterable, one after the other."""
    try:
        return iter(values)
    except TypeError:
        raise ParameterError(f"{name} must be a list or another iterable, got {shown(values)}") from None


def listed(values: Any, name: str) -> list[Any]:
    """The items of any iterable, in a list of our own; the rows of a frame, which by itself gives its columns."""
    if hasattr(values, "columns") and callable(getattr(values, "to_numpy", None)):
        values = values.to_numpy()
    return list(iterator(values, name))


def hashable(value: Any, name: str, error: type[OhmlineError] = LabelError) -> Hashable:
    """A value that can be looked up: a number, a string, a tuple of them; NumPy's numbers become Python's."""
    plain = value.item() if isinstance(value, np.generic) else value
    try:
        hash(plain)
    except TypeError:
        raise error(f"{name} {shown(value)} is not hashable; use a number, a string or a tuple") from None
    return plain


def pairs(values: Any, name: str, words: str = "(a, b)") -> list[tuple[Any, Any]]:
    """A list of pairs."""
    found: list[tuple[Any, Any]] = []
    for k, item in enumerate(listed(values, name)):
        try:
            first, second = item
        except (TypeError, ValueError):
            raise ParameterError(f"item {k} of {name} is {shown(item)}; expected a pair {words}") from None
        found.append((first, second))
    return found


def none_or(check: Callable[..., T], value: Any, name: str, **options: Any) -> T | None:
    """None as it is, anything else through `check`."""
    return None if value is None else check(value, name, **options)


def or_infinite(check: Callable[..., float], value: Any, name: str) -> float:
    """Infinity as it is, anything else through `check`."""
    endless = isinstance(value, float | np.floating) and value == inf
    return inf if endless else check(value, name)


def _real(value: Any, name: str) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real | np.integer | np.floating):
        raise ParameterError(
            f"{name} must be a number, got {shown(value)}; strings and flags are not numbers"
        )
    try:
        return float(value)
    except OverflowError:
        raise ParameterError(f"{name} must be a number below 1e308 in size, got {shown(value)}") from None


def _span(least: float, most: float) -> str:
    if least > -inf and most < inf:
        return f"a number from {least:g} to {most:g}"
    if least > -inf:
        return f"a finite number of at least {least:g}"
    return f"a finite number of at most {most:g}" if most < inf else "a finite number"
