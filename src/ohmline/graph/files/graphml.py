"""GraphML: read through igraph, which is quick, and written through networkx, which keeps every digit."""

from __future__ import annotations

import io
import re
import tempfile
import warnings
from collections.abc import Hashable
from pathlib import Path
from typing import Any, Literal, Unpack

from ohmline.errors import DirectedError, FileFormatError
from ohmline.extras import require
from ohmline.graph.edges import Rules
from ohmline.graph.files.paths import FileLimits, content, write_bytes
from ohmline.graph.files.spelling import listed_nodes, nodes_json, spelled, typed
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex

_NODES = "ohmline_nodes"


def read_graphml(
    path: Path, limits: FileLimits, *, weight: str | Literal[False] | None, **rules: Unpack[Rules]
) -> Graph:
    """A graph from GraphML: ids from the attribute `name` or the XML ids, weights from `weight`."""
    found = _parse(path, limits)
    if found.is_directed() and not rules.get("symmetrise", False):
        raise DirectedError(
            f"{path} holds a directed graph; pass symmetrise=True to take max(S, S') of the weights"
        )
    if found.vcount() == 0:
        raise FileFormatError(f"{path} holds a graph without nodes; expected at least one")
    if weight not in (None, False) and weight not in found.es.attributes():
        raise FileFormatError(
            f"{path} has no edge attribute {weight!r}; it has {', '.join(found.es.attributes()) or 'none'}: pass "
            "weight=... with one of them"
        )
    # Without weights all edges weigh 1, as in an attribute that no file can have.
    column = "weight" if weight is None else "" if weight is False else weight
    return Graph.from_igraph(found, weight=column, nodes=_nodes(found, path), **rules)


def write_graphml(graph: Graph, path: Path) -> None:
    """GraphML with the ids as XML ids and the weights as `weight`."""
    networkx = require("networkx", "io")
    names = spelled(graph.nodes, path)
    sources, targets, weights = (column.tolist() for column in graph.edges())
    made = networkx.Graph()
    made.add_nodes_from(names)
    made.add_weighted_edges_from(
        (names[i], names[j], w) for i, j, w in zip(sources, targets, weights, strict=True)
    )
    if NodeIndex(typed(names)) != graph.nodes:
        made.graph[_NODES] = nodes_json(graph.nodes)
    buffer = io.BytesIO()
    networkx.readwrite.graphml.write_graphml_xml(made, buffer)
    write_bytes(path, buffer.getvalue())


def _parse(path: Path, limits: FileLimits) -> Any:
    igraph = require("igraph", "io")
    data = content(path, limits)
    if b"<graphml" not in data:
        raise FileFormatError(
            f"{path} is not GraphML: it has no <graphml> element; give the format that it has"
        )
    with tempfile.TemporaryFile() as plain, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # igraph warns of attributes that it does not know
        plain.write(data)
        plain.seek(0)
        try:
            return igraph.Graph.Read_GraphML(plain)
        except igraph.InternalError as error:
            reason = re.sub(r"^Error at [^:]*:\d+: ", "", str(error)).partition(" -- ")[0]
            raise FileFormatError(
                f"{path} is broken or cut short: {reason} Write or download it again."
            ) from None
        except (ValueError, OverflowError, MemoryError) as error:
            raise FileFormatError(f"{path} is broken: {error}. Write or download it again.") from None


def _nodes(found: Any, path: Path) -> list[Hashable]:
    if _NODES in found.attributes():
        try:
            nodes = listed_nodes(found[_NODES])
        except ValueError as error:
            raise FileFormatError(f"{path}: the attribute {_NODES} is broken ({error}); remove it") from None
        if len(nodes) != found.vcount():
            raise FileFormatError(
                f"{path}: the attribute {_NODES} lists {len(nodes)} nodes and the graph has {found.vcount()}"
            )
        return nodes
    choices = []
    if "name" in found.vs.attributes():
        choices.append([str(name) for name in found.vs["name"]])
    if "id" in found.vs.attributes():  # igraph hands an & of an XML id on as it came
        choices.append([str(name).replace("&#38;", "&") for name in found.vs["id"]])
    for names in choices:
        if len(set(names)) == len(names):
            return typed(names)
    return list(range(found.vcount()))
