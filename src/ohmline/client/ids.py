"""Nodes and keys as a request has them. This package does without the learners, so that it is imported quickly."""

from __future__ import annotations

import json
import uuid
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from ohmline.checks import shown, text
from ohmline.errors import ParameterError


def node_in(written: Any) -> Hashable:
    """The node in a reply: a list is a tuple.

    Parameters
    ----------
    written
        What JSON gave.
    """
    return tuple(map(node_in, written)) if isinstance(written, list) else written


def written_node(node: Any) -> Any:
    """A node for a request: a tuple is a list.

    Parameters
    ----------
    node
        The node.
    """
    if isinstance(node, tuple | list):
        return [written_node(part) for part in node]
    if isinstance(node, bool) or not isinstance(node, str | int | float) or node != node:
        raise ParameterError(f"a node must be a text, a number or a tuple of them, got {shown(node)}")
    return node


def written_edges(edges: Iterable[Any]) -> list[list[Any]]:
    """Edges for a request: pairs, or triples with a weight.

    Parameters
    ----------
    edges
        The edges.
    """
    found = []
    for edge in edges:
        if not isinstance(edge, tuple | list) or len(edge) not in (2, 3):
            raise ParameterError(f"an edge must be a pair or a triple with a weight, got {shown(edge)}")
        found.append([written_node(edge[0]), written_node(edge[1]), *edge[2:]])
    return found


def json_of(node: Any) -> str:
    """A node for a query, as JSON.

    Parameters
    ----------
    node
        The node.
    """
    return json.dumps(written_node(node))


def key_or_new(key: Any) -> str:
    """The idempotency key that was given, or a random one: a request that is sent twice is done once.

    Parameters
    ----------
    key
        A key; "" for a new one.
    """
    return text(key, "key") or uuid.uuid4().hex


def new_node(node: Any, fields: Mapping[str, str]) -> dict[str, Any]:
    """A node with what there is to read about it, as a request has it.

    Parameters
    ----------
    node
        The node.
    fields
        Texts by name.
    """
    special = {name: fields[name] for name in ("text", "image") if name in fields}
    rest = {name: value for name, value in fields.items() if name not in special}
    return {"id": written_node(node), **special, **({"fields": rest} if rest else {})}
