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


def expect_no_gaps(table: Floats, names: list[Hashable], nodes: NodeIndex) -> None:
    """Raise where a number of a frame is missing or infinite, with its column and node."""
    bad = np.argwhere(~np.isfinite(table))
    if len(bad) and len(table) == len(nodes):
        place, column = map(int, bad[0])
        raise ParameterError(
            f"column {shown(names[column])} of the frame is {table[place, column]} at node {shown(nodes[place])}, and "
            f"{len(bad) - 1:,} more entries are missing or infinite; remove or fill the missing values first"
        )


def columns_of(frame: Any, nodes: NodeIndex, node: Hashable | None) -> tuple[Floats, list[Hashable]]:
    """The numbers of a pandas or polars frame, one row per node, and the names of its columns.

    Whose a row is says the column `node`, or else an index of pandas that holds the nodes, or else its place.
    """
    names = list(frame.columns)
    if node is not None and node not in names:
        raise ParameterError(f"the frame has no column {shown(node)}; it has {shown(names)}")
    wanted = [name for name in names if node is None or name != node]
    columns: list[Floats] = []
    others: list[Hashable] = []
    for name in wanted:
        try:
            columns.append(np.asarray(frame[name], dtype=np.float64))
        except (TypeError, ValueError):
            others.append(name)
    if others:
        first = "" if node is not None else "name the column of the nodes with node=; "
        raise ParameterError(
            f"the columns of the frame must be numbers, and {shown(others)} are not; {first}leave texts out, or make a "
            "column of 0 and 1 for each of their values, as pandas.get_dummies does"
        )
    table = np.column_stack(columns) if columns else np.zeros((len(frame), 0))
    if node is None:
        places = rows_by_index(frame, nodes, "the frame")
    else:
        column = frame[node]
        ids = column.to_list() if hasattr(column, "to_list") else list(column)
        places = rows_of_nodes(ids, nodes, f"the column {shown(node)}")
    return (table if places is None else table[places]), wanted
