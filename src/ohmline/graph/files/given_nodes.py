"""The nodes that are given beside a file of edges, which alone name the isolated ones."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from os import PathLike
from typing import Any

from ohmline.arrays import Bools
from ohmline.checks import flag, none_or, room
from ohmline.errors import FileFormatError, ParameterError
from ohmline.graph.edges import index_from
from ohmline.graph.files.labels import nodes_in
from ohmline.graph.files.paths import FileLimits


def given_nodes(nodes: Any, header: bool | None, limits: FileLimits) -> tuple[list[Hashable] | None, bool]:
    """The nodes of a file or a list, None for none; and whether it is sure that the first one is a node."""
    if isinstance(nodes, str | PathLike):
        return nodes_in(nodes, header=header, limits=limits, name="nodes_header")
    if none_or(flag, header, "nodes_header") is not None:
        raise ParameterError(
            f"nodes_header={header} is about a file of nodes, and none is given; leave it out"
        )
    return none_or(_ids_of, nodes, "nodes"), True


def refuse_doubt(source: Any, listed: Sequence[Hashable], joined: Bools) -> None:
    """Raise where the first line of a file of nodes may be a header that was taken for a node.

    `joined` says of each node that is listed whether it is an end of an edge.
    """
    if len(listed) > 2 and isinstance(listed[0], str) and not joined[0] and joined[1:].mean() > 0.5:
        raise FileFormatError(
            f"{source}, line 1: {listed[0]!r} is no end of an edge, while most of the other nodes are: is it the name "
            "of the column, or a node without edges? Pass nodes_header=True, or nodes_header=False"
        )


def _ids_of(nodes: Any, name: str) -> list[Hashable]:
    index = index_from(nodes)
    room(16 * len(index), f"{name}, a list of {len(index)} ids,")
    return list(index)
