"""Which sources the machine code of a function was made from, and one hash of them.

Compiled code holds what it calls, so that it depends on the module it stands in and on all that this module imports,
down to the last. Beside them it depends on the classes of its arguments, and on the bodies of generic functions for
them, which may stand in modules that nobody here imports: `generic.py` knows those.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

from ohmline.compiled.generic import modules_with_bodies

PACKAGE = "ohmline"
ROOT = Path(__file__).resolve().parents[1]
_STATEMENT = rf"(?:from ({PACKAGE}[\w.]*) import (\([^)]*\)|[^\n]*)|import ({PACKAGE}[\w.]*))"
IMPORT = re.compile(rf"^{_STATEMENT}", re.MULTILINE)
INNER = re.compile(rf"^[ \t]*{_STATEMENT}", re.MULTILINE)
"""The imports within functions, too."""


def fingerprint(modules: Iterable[str], *, inner: bool = False) -> str:
    """One hash of these modules and of everything that they are compiled with; with `inner` of all that they run."""
    known: set[str] = set()
    waiting = set(modules)
    while waiting:
        known |= waiting
        waiting = {
            other for name in waiting for other in imports(name, inner=inner) | modules_with_bodies(name)
        } - known
    return _hash(frozenset(known))


def fingerprint_of(work: Callable[..., Any]) -> str:
    """One hash of the sources behind a function, of this package or of somebody's own file.

    What functions import for themselves counts, too: it is not compiled with the function, but it is run.
    """
    while isinstance(work, partial):
        work = work.func
    if place(work.__module__) is not None:
        return fingerprint([work.__module__], inner=True)
    try:
        text = Path(inspect.getfile(work)).read_bytes()
    except (OSError, TypeError):  # typed in at a prompt
        text = repr(getattr(work, "__code__", work)).encode()
    return hashlib.sha256(text + fingerprint([PACKAGE], inner=True).encode()).hexdigest()


@cache
def _hash(modules: frozenset[str]) -> str:
    digest = hashlib.sha256()
    for name in sorted(modules):
        digest.update(f"{name} {hashlib.sha256(source(name)).hexdigest()}\n".encode())
    return digest.hexdigest()


@cache
def imports(name: str, *, inner: bool = False) -> frozenset[str]:
    """The modules of this package that a module imports; what a function imports for itself is never compiled."""
    found: set[str] = set()
    for origin, names, module in (INNER if inner else IMPORT).findall(source(name).decode()):
        found.add(origin or module)
        parts = (f"{origin}.{word}" for word in re.findall(r"\w+", names))
        found.update(part for part in parts if place(part) is not None)
    return frozenset(found)


@cache
def source(name: str) -> bytes:
    """The text of a module; nothing for one that is not a file of this package."""
    path = place(name)
    return b"" if path is None else path.read_bytes()


@cache
def place(name: str) -> Path | None:
    """The file of a module of this package."""
    package, *inner = name.split(".")
    if package != PACKAGE:
        return None
    stem = ROOT.joinpath(*inner)
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)
