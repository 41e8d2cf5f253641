"""Replies as records: a dataclass says what a reply must hold, and what it does not know is left out."""

from __future__ import annotations

import types
from collections.abc import Hashable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ohmline.checks import shown
from ohmline.client.ids import node_in
from ohmline.errors import ServiceError

T = TypeVar("T")
Node = Annotated[Hashable, "a list in JSON"]
"""A node: a list in JSON is a tuple here."""


def decoded(kind: type[T], value: Any) -> T:
    """A value of that type from JSON, or a ServiceError that says what is missing.

    Parameters
    ----------
    kind
        A dataclass, a tuple of one type, a union with None, or a plain type.
    value
        What JSON gave.
    """
    found: T = _read(kind, value)
    return found


def _read(kind: Any, value: Any) -> Any:
    origin = get_origin(kind)
    if kind is Any:
        return value
    if origin is Annotated:
        return node_in(value)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in get_args(kind):
            return None
        return _read(next(part for part in get_args(kind) if part is not type(None)), value)
    if origin is tuple:
        return _tuple(get_args(kind), value)
    if origin is dict or kind is dict:
        return _expected(dict, value)
    if is_dataclass(kind):
        return _record(kind, value)
    if kind is float:
        return float(_expected((int, float), value))
    return _expected(kind, value)


def _tuple(parts: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    items = _expected(list, value)
    if len(parts) == 2 and parts[1] is Ellipsis:
        return tuple(_read(parts[0], item) for item in items)
    if len(items) != len(parts):
        raise ServiceError(f"a reply has {shown(value)}; expected {len(parts)} values")
    return tuple(_read(part, item) for part, item in zip(parts, items, strict=True))


def _record(kind: Any, value: Any) -> Any:
    found, given = {}, _expected(dict, value)
    for field in fields(kind):
        if field.name in given:
            found[field.name] = _read(_hints(kind)[field.name], given[field.name])
        elif field.default is MISSING and field.default_factory is MISSING:
            raise ServiceError(
                f"a reply lacks {field.name!r}: {shown(value)}; are the service and this client of the same version?"
            )
    return kind(**found)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _expected(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ServiceError(
            f"a reply has {shown(value)} where something else was expected; is this a service of ohmline?"
        )
    return value


def part_of(value: Any, name: str) -> list[Any]:
    """A list in a reply.

    Parameters
    ----------
    value
        The reply.
    name
        The name of the list.
    """
    found = _expected(dict, value).get(name)
    if not isinstance(found, list):
        raise ServiceError(f"a reply lacks {name!r}: {shown(value)}; is this a service of ohmline?")
    return found
