"""Which row of a pandas frame or Series is about which node: what its index says."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from ohmline.checks import shown
from ohmline.errors import ShapeError
from ohmline.graph.nodes import NodeIndex


def index_ids(table: Any) -> list[Hashable] | None:
    """What the index of a pandas frame or Series names its rows; None where it only counts them, or there is none."""
    index = getattr(table, "index", None)
    if index is None or callable(index) or not hasattr(index, "tolist"):
        return None
    ids: list[Hashable] = index.tolist()
    counts = getattr(index, "name", None) is None and ids == list(range(len(ids)))
    return None if counts else ids


def rows_by_index(table: Any, nodes: NodeIndex | Sequence[Hashable], what: str) -> list[int] | None:
    """For each node the row of a frame or Series whose index holds the nodes; None where its rows are in their order.

    An index that only counts the rows (0 to n-1, without a name) says nothing of nodes. One that holds neither nodes
    nor such a count is refused: nobody could say whose its rows are.
    """
    ids = index_ids(table)
    if ids is None:
        return None
    if not set(ids) & set(nodes):
        raise ShapeError(
            f"the index of {what} holds no node of the graph: it begins with {shown(ids[0] if ids else None)}, and the "
            f"graph has nodes such as {shown(nodes[0])}; give it the nodes as index, or call reset_index(drop=True) if "
            "its rows are in the order of graph.nodes"
        )
    return rows_of_nodes(ids, nodes, f"the index of {what}")


def rows_of_nodes(ids: Iterable[Hashable], nodes: Iterable[Hashable], what: str) -> list[int]:
    """For each node the row that names it, or an error about the first that is named twice or never."""
    listed = list(ids)
    where = {x: k for k, x in enumerate(listed)}
    if len(where) < len(listed):
        raise ShapeError(f"{what} names a node twice; give one row for each node")
    missing = [x for x in nodes if x not in where]
    if missing:
        raise ShapeError(
            f"{what} has no row for node {shown(missing[0])} ({len(missing)} in all); give every node a row"
        )
    return [where[x] for x in nodes]
