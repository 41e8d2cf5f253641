"""Public names that are imported on first use, read from the imports that type checkers see.

So the names of a package are listed once: as `from package.module import Name as Name` in the `__init__` of the
subpackage that holds them.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def later(home: str, name: str) -> Callable[..., Any]:
    """A function of a package that stands above the caller's, looked up when it is needed.

    For conveniences such as `trace.report()`: a trace knows that there are reports, and nothing of how they are made.

    >>> later("ohmline.markup", "counted")(2, "node")
    '2 nodes'
    """
    found: Callable[..., Any] = getattr(import_module(home), name)
    return found


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package whose names stand under `if TYPE_CHECKING`."""

    def get(name: str) -> Any:
        if name == "__all__":
            return sorted(public_names(package))
        home = public_names(package).get(name) if not name.startswith("_") else None
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)  # the next use finds it at once
        return value

    return get, lambda: sorted(public_names(package))


@cache
def public_names(package: str) -> dict[str, str]:
    """Each public name of a package, and the module that it is imported from (the package itself: a subpackage)."""
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(_source(package))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                if alias.name == "*":
                    found |= dict.fromkeys(public_names(node.module), node.module)
                elif alias.asname == alias.name and not alias.name.startswith("_"):
                    found[alias.name] = node.module
    return found


def _source(package: str) -> str:
    spec = find_spec(package)
    loader: Any = None if spec is None else spec.loader
    source = None if loader is None else loader.get_source(package)
    if source is None:
        raise ImportError(f"the source of {package!r} is not there, so its names are not known")
    return str(source)
