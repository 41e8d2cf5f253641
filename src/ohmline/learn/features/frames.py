"""Frames of other libraries as numbers, in the order of a graph's nodes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.graph.doors.indexed import rows_by_index, rows_of_nodes
from ohmline.graph.nodes import NodeIndex


def columns_of(frame: Any, nodes: NodeIndex, node: Hashable | None) -> tuple[Floats, list[Hashable]]:
    """The numbers of a pandas or polars frame, one row per node, and the names of its columns.

    Whose a row is says the column `node`, or else an index of pandas that holds the nodes, or else its place.
    """
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
    if node is None:
        places = rows_by_index(frame, nodes, "the frame")
    else:
        column = frame[node]
        ids = column.to_list() if hasattr(column, "to_list") else list(column)
        places = rows_of_nodes(ids, nodes, f"the column {shown(node)}")
    return (table if places is None else table[places]), wanted
