"""Graphs from tables: two columns of ids and perhaps one of weights."""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np

from ohmline.checks import shown
from ohmline.errors import GraphError, OhmlineError
from ohmline.graph.columns import Column, edge_columns, gaps_of
from ohmline.graph.doors.frames import Frame
from ohmline.graph.edges import Build
from ohmline.graph.graph import Graph


def graph_from(
    frame: Frame,
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
    *,
    what: str,
    error: type[OhmlineError] = GraphError,
    **build: Unpack[Build],
) -> Graph:
    """A graph from a table; `what` is its name in errors."""
    s, t, w = edge_columns(frame.names, source, target, weight, what=what, error=error)
    if not frame.height and build.get("nodes") is None:
        raise error(f"{what} has no rows; expected at least one edge, or nodes=[...]")
    ends = [ids_of(frame, k, what, error) for k in (s, t)]
    weights = None if w is None else frame.numbers(w)
    return Graph.from_columns(ends[0], ends[1], weights, **build)


def ids_of(frame: Frame, k: int, what: str, error: type[OhmlineError] = GraphError) -> Any:
    """A column of node ids in which none is missing."""
    try:
        column = frame.ids(k)
    except GraphError as trouble:
        raise error(f"{what}, column {shown(frame.names[k])}: {trouble}") from None
    gaps = gaps_of(column)
    if gaps.any():
        row = int(np.flatnonzero(gaps)[0]) + 1
        raise error(
            f"{what}, row {row}: column {shown(frame.names[k])} is empty, in {int(gaps.sum())} of {len(gaps)} rows; "
            "leave no gaps: drop such rows, or give the nodes ids"
        )
    return column
