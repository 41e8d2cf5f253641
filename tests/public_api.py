"""The public names and their parameters, one per line: `python tests/public_api.py > docs/public-api.txt`."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

from ohmline.lazy_names import public_names

MODULES = (
    "",
    "graph",
    "graph.generate",
    "graph.measure",
    "kernel",
    "learn",
    "query",
    "game",
    "bound",
    "data",
    "lab",
    "labelling",
    "check",
    "cluster",
    "recipes",
    "sources",
    "client",
    "client.records",
    "widget",
    "job",
    "store",
    "project",
    "adapt.sklearn",
    "adapt.river",
    "adapt.networkx",
    "adapt.sql",
)


def lines() -> Iterator[str]:
    """Every public name, with the names, kinds and defaults of its parameters."""
    for part in MODULES:
        module = importlib.import_module(f"ohmline.{part}".rstrip("."))
        for name in sorted(names_of(module)):
            value = getattr(module, name)
            if inspect.ismodule(value):
                continue
            place = f"{module.__name__}.{name}"
            yield place + signature(value)
            if inspect.isclass(value):
                yield from (f"{place}.{line}" for line in members(value))


def names_of(module: Any) -> list[str]:
    """What a module offers: its `__all__`, or what it holds of this package; of an adapter what it says or defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    if module.__name__.startswith("ohmline.adapt."):
        own = {
            name
            for name, value in vars(module).items()
            if getattr(value, "__module__", "") == module.__name__
        }
        return [name for name in {*own, *public_names(module.__name__)} if not name.startswith("_")]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("ohmline")
    ]


def members(kind: type) -> Iterator[str]:
    """The public methods and properties of a class, inherited ones of this package too."""
    for name in sorted(dir(kind)):
        if name.startswith("_"):
            continue
        owner = next((c for c in kind.__mro__ if name in vars(c)), kind)
        if not owner.__module__.startswith("ohmline"):
            continue
        value = inspect.getattr_static(kind, name)
        if isinstance(value, classmethod | staticmethod):
            value = value.__func__
        yield name + (signature(value) if inspect.isfunction(value) else "")


def signature(value: Any) -> str:
    """The parameters without their types; defaults that are plain values are shown."""
    if not callable(value):
        return ""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return "(...)"
    shown, keyword_only = [], False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            shown.append("*")
        keyword_only |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        mark = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = ""
        if parameter.default is not parameter.empty:
            plain = parameter.default is None or type(parameter.default) in (bool, int, float, str)
            default = f"={parameter.default!r}" if plain else "=..."
        shown.append(mark + parameter.name + default)
    return f"({', '.join(shown)})"


if __name__ == "__main__":
    print("\n".join(lines()))
