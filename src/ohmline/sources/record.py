"""One record of a stream: a node, what there is to read about it, and its edges.

As JSON it is an object with `node`, and if there are any `fields` (texts by name), `neighbours` (ids, or pairs of an id
and a weight), `edges` (pairs or triples) and `key`:

    {"node": "p7", "fields": {"text": "A short title"}, "neighbours": ["p3", ["p5", 2.0]]}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple, final

from ohmline.checks import number, shown
from ohmline.errors import ParameterError
from ohmline.labelling.answers import id_of, written_id
from ohmline.learn.classes import writable
from ohmline.project.commands import expect_key

NAMES = frozenset(("node", "fields", "neighbours", "edges", "key"))
"""What a record can have."""
DEEPEST = 4
"""How deep an id may be nested."""


@final
class Record(NamedTuple):
    """What an item is made of; `key` is "" where the record brings none."""

    node: Hashable
    fields: dict[str, str] | None
    edges: tuple[tuple[Hashable, Hashable, float], ...]
    key: str


def record_of(value: Any) -> Record:
    """A record from what JSON gave, or a ParameterError that says what is wrong with it."""
    if not isinstance(value, Mapping):
        raise ParameterError(f"a record must be an object with a node, got {shown(value)}")
    unknown = [name for name in value if name not in NAMES]
    if unknown:
        raise ParameterError(
            f"a record has no {shown(unknown[0])}; it has {', '.join(sorted(NAMES))}, and what is to be read goes into "
            "fields"
        )
    if "node" not in value:
        raise ParameterError(f"a record must have a node, got {shown(dict(value))}")
    node = node_of(value["node"])
    edges = [_edge(edge) for edge in _listed(value.get("edges"), "edges")]
    edges += [_neighbour(node, end) for end in _listed(value.get("neighbours"), "neighbours")]
    return Record(node, fields_of(value.get("fields")), tuple(edges), expect_key(value.get("key", "")))


def json_record(text: str | bytes) -> Record:
    """A record from a line of JSON."""
    return record_of(json_value(text))


def json_value(text: str | bytes) -> Any:
    """What a line of JSON says."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"not a line of JSON: {shown(text)} ({type(error).__name__}: {error})") from None


def node_of(value: Any, depth: int = DEEPEST) -> Hashable:
    """An id: a string, a number, or a list of them."""
    if isinstance(value, list | tuple) and depth and value:
        return tuple(node_of(part, depth - 1) for part in value)
    odd = value is None or value != value or isinstance(value, list | tuple | dict | bool)
    if odd or not writable(value):
        raise ParameterError(f"a node must be a string, a number or a list of them, got {shown(value)}")
    return id_of(value)


def fields_of(value: Any) -> dict[str, str] | None:
    """Texts by name; numbers are written out."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ParameterError(f"fields must be texts by name, got {shown(value)}")
    for name, words in value.items():
        if not isinstance(name, str) or not isinstance(words, str | int | float):
            raise ParameterError(f"fields must be texts by name, got {shown(words)} for {shown(name)}")
    return {name: words if isinstance(words, str) else str(words) for name, words in value.items()}


def key_of(*parts: Any) -> str:
    """A key for an item that brings none: the same for the same parts, and else another."""
    body = json.dumps([_plain(part) for part in parts], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(body.encode("ascii")).hexdigest()[:40]


def _plain(part: Any) -> Any:
    if isinstance(part, Record):
        edges = [[written_id(a), written_id(b), w] for a, b, w in part.edges]
        return [written_id(part.node), part.fields, edges]
    return part


def _listed(value: Any, name: str) -> Iterable[Any]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise ParameterError(f"{name} must be a list, got {shown(value)}")
    return value


def _edge(edge: Any) -> tuple[Hashable, Hashable, float]:
    if not isinstance(edge, list | tuple) or len(edge) not in (2, 3):
        raise ParameterError(f"an edge must be a pair or a triple with a weight, got {shown(edge)}")
    weight = number(edge[2], "the weight of an edge", least=0.0) if len(edge) == 3 else 1.0
    return node_of(edge[0]), node_of(edge[1]), weight


def _neighbour(node: Hashable, end: Any) -> tuple[Hashable, Hashable, float]:
    """An edge to a neighbour: its id, or a pair of the id and a weight (an id that is a pair goes into `edges`)."""
    if isinstance(end, list | tuple):
        if len(end) != 2:
            raise ParameterError(
                f"a neighbour must be an id, or a pair of an id and a weight, got {shown(end)}"
            )
        return _edge([node, *end])
    return _edge([node, end])


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")
