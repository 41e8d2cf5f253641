"""The reference, written as Markdown from the package itself while the site is built.

A page of `docs/api` says `<!-- reference: ohmline.learn -->`; in its place come all public names of that package, each
with its signature, defaults, parameters and methods, inherited ones too. Docstrings are Markdown in numpydoc's
sections, so they are not translated: sections become bold titles and examples get their fences.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

import ohmline as ohm
from ohmline.lazy_names import public_names

MARKER = re.compile(r"^<!-- reference: ([\w.]+) -->$", re.M)
"""The line of a page that is replaced."""

_SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", re.M)


def expand(text: str) -> str:
    """A page with the reference in place of each marker."""
    return MARKER.sub(lambda found: package_page(found.group(1)), text)


def package_page(package: str) -> str:
    """All public names of a package or module: a table, then one section for each."""
    module = importlib.import_module(package)
    about = readable(inspect.getdoc(module))
    named = dict(names_in(package))
    rows = [f"| [`{name}`](#{name.lower()}) | {_first_line(value)} |" for name, value in named.items()]
    table = ["| name | does |\n|---|---|\n" + "\n".join(rows)] if rows else []
    parts = [f"```{{py:currentmodule}} {package}\n```", f"`import {package}`", about, *table]
    for name, value in named.items():
        parts += [f"## {name}", entry(full_name(package, name), value)]
    return "\n\n".join(part for part in parts if part)


def names_in(package: str) -> Iterator[tuple[str, Any]]:
    """The public names of a package; of a module what is defined in it, too."""
    module = importlib.import_module(package)
    listed = dict(public_names(package))
    if not listed or not hasattr(module, "__path__"):
        listed |= {
            name: package + "."
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == package and callable(value)
        }
    for name in sorted(listed, key=str.lower):
        value = getattr(module, name)
        if not inspect.ismodule(value):
            yield name, value


def full_name(package: str, name: str) -> str:
    """The shortest name that a user can write."""
    here = getattr(importlib.import_module(package), name)
    return f"ohmline.{name}" if name in ohm.__all__ and getattr(ohm, name) is here else f"{package}.{name}"


def entry(name: str, value: Any) -> str:
    """One public name, as a directive of Sphinx's Python domain."""
    if not inspect.isclass(value):
        kind = "py:function" if callable(value) and hasattr(value, "__name__") else "py:data"
        about = readable(inspect.getdoc(value)) if kind == "py:function" else f"```python\n{value!r}\n```"
        return _directive(kind, name + (signature(value) if kind == "py:function" else ""), about)
    body = [readable(own_doc(value))]
    if issubclass(value, Enum):
        body += [f"- `{value.__name__}.{member.name}`" for member in value]
        return _directive("py:class", name, "\n".join(body[:1]) + "\n\n" + "\n".join(body[1:]))
    for member, home, found in members(value):
        text = readable(inspect.getdoc(getattr(value, member)))
        if home is not value:
            text = f"*Inherited from `{home.__name__}`.* {text}"
        if not home.__module__.startswith("ohmline"):  # another package's words, in another package's markup
            text = f"*Inherited from `{home.__name__}` of {home.__module__.split('.')[0]}.*"
        if isinstance(found, property) or not callable(getattr(found, "__func__", found)):
            body.append(_directive("py:property", member, text))
        else:
            kinds = {classmethod: ":classmethod:", staticmethod: ":staticmethod:"}
            option = kinds.get(type(found), "")
            body.append(_directive("py:method", member + signature(getattr(value, member)), text, option))
    is_error = issubclass(value, BaseException)
    given = "" if is_error or getattr(value, "_is_protocol", False) else signature(value)
    return _directive("py:exception" if is_error else "py:class", name + given, "\n\n".join(body))


def members(value: type) -> Iterator[tuple[str, type, Any]]:
    """The public methods and properties of a class in their order, those of its bases after its own."""
    seen: set[str] = set()
    for home in value.__mro__:
        if home.__module__ in ("builtins", "abc", "typing", "enum", "collections.abc", "traitlets.traitlets"):
            continue
        for name, found in vars(home).items():
            plain = getattr(found, "__func__", found)
            shown = inspect.isfunction(plain) or isinstance(found, property) or _is_cached(found)
            if not name.startswith("_") and name not in seen and shown:
                yield name, home, found
            seen.add(name)


def _is_cached(found: Any) -> bool:
    return type(found).__name__ == "cached_property"


def own_doc(value: type) -> str | None:
    """A class's docstring, or that of the class that it refines; not the one that dataclasses make up."""
    made_up = (value.__doc__ or "").startswith(f"{value.__name__}(")
    return None if made_up else inspect.getdoc(value)


def signature(value: Any) -> str:
    """The signature with annotations as they are written and defaults that can be read."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    given = list(found.parameters.values())
    if given and given[0].name in ("self", "cls"):
        given = given[1:]
    parts: list[str] = []
    star = False
    for one in given:
        if one.kind is one.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        star = star or one.kind is one.VAR_POSITIONAL
        prefix = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        noted = "" if one.annotation is one.empty else f": {_annotation(one.annotation)}"
        default = "" if one.default is one.empty else f"{' = ' if noted else '='}{_default(one.default)}"
        parts.append(f"{prefix}{one.name}{noted}{default}")
        if one.kind is one.POSITIONAL_ONLY and (
            one is given[-1] or given[given.index(one) + 1].kind is not one.kind
        ):
            parts.append("/")
    back = found.return_annotation
    arrow = "" if back is found.empty or inspect.isclass(value) else f" -> {_annotation(back)}"
    return f"({', '.join(parts)}){arrow}"


def _annotation(given: Any) -> str:
    if given is None or given is type(None):
        return "None"
    text = (
        given
        if isinstance(given, str)
        else getattr(given, "__name__", None)
        if isinstance(given, type)
        else None
    )
    return _parsed(re.sub(r"\b(?:typing|collections\.abc|numpy)\.", "", text or repr(given)), "object")


def _default(given: Any) -> str:
    if isinstance(given, Enum):
        return f"{type(given).__name__}.{given.name}"
    if callable(given) and hasattr(given, "__name__"):
        return _parsed(given.__name__, "...")
    return _parsed(repr(given), f"{type(given).__name__}(...)")


def _parsed(text: str, otherwise: str) -> str:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return otherwise
    return " ".join(text.split())


def readable(doc: str | None) -> str:
    """A docstring as Markdown: titles for sections, a list for parameters, fences around examples."""
    pieces = _SECTION.split((doc or "").strip())
    parts = [fenced(pieces[0].strip())]
    for title, text in zip(pieces[1::2], pieces[2::2], strict=True):
        text = text.strip("\n")
        listed = title in ("Parameters", "Attributes", "Raises", "Returns", "Yields")
        parts += [f"**{title}**", _as_list(text) if listed else fenced(text)]
    return "\n\n".join(part for part in parts if part)


def _as_list(text: str) -> str:
    """The lines `name` and their indented words as a list."""
    lines = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            names = ", ".join(f"`{name.strip()}`" for name in line.split(","))
            lines += ["", f"- {names}:"]
        else:
            lines.append(f"  {line.removeprefix('    ')}".rstrip())
    return "\n".join(lines)


def fenced(text: str) -> str:
    """Every run of example lines, with its output, between fences."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if not inside and line.lstrip().startswith(">>>"):
            lines.append("```pycon")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if inside else lines)


def _first_line(value: Any) -> str:
    doc = own_doc(value) if inspect.isclass(value) else inspect.getdoc(value) if callable(value) else None
    paragraph = (doc or "").strip().split("\n\n")[0].replace("\n", " ")
    return paragraph.replace("|", "\\|")


def _directive(kind: str, argument: str, body: str, option: str = "") -> str:
    longest = max([2, *(len(run) for run in re.findall(r"`{3,}", body))])
    fence = "`" * (longest + 1)
    head = f"{option}\n" if option else ""
    return f"{fence}{{{kind}}} {argument}\n{head}\n{body}\n{fence}"
