"""Frames of other libraries as numbers, in the order of a graph's nodes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.checks import shown
from ohmline.errors import ParameterError, ShapeError
from ohmline.graph.nodes import NodeIndex


def columns_of(frame: Any, nodes: NodeIndex, node: Hashable | None) -> tuple[Floats, list[Hashable]]:
    """The numbers of a pandas or polars frame, one row per node, and the names of its columns."""
    names = list(frame.columns)
    if node is not None and node not in names:
        raise ParameterError(f"the frame has no column {shown(node)}; it has {shown(names)}")
    wanted = [name for name in names if node is None or name != node]
    try:
        columns = [np.asarray(frame[name], dtype=np.float64) for name in wanted]
    except (TypeError, ValueError):
        raise ParameterError(
            f"the columns of the frame must be numbers, got {shown(names)}; name the column of the nodes with node=, "
            "and leave the other texts out"
        ) from None
    table = np.column_stack(columns) if columns else np.zeros((len(frame), 0))
    return (table if node is None else table[_places(frame[node], nodes, node)]), wanted


def _places(column: Any, nodes: NodeIndex, node: Hashable) -> list[int]:
    """For each node of the graph the row of the frame that is about it."""
    listed = column.to_list() if hasattr(column, "to_list") else list(column)
    where = {x: k for k, x in enumerate(listed)}
    if len(where) < len(listed):
        raise ShapeError(f"the column {shown(node)} names a node twice; give one row for each node")
    missing = [x for x in nodes if x not in where]
    if missing:
        raise ShapeError(
            f"the frame has no row for node {shown(missing[0])} ({len(missing)} in all); give every node a row"
        )
    return [where[x] for x in nodes]
