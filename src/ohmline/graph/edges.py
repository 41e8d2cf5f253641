"""Edge lists: their columns, their nodes, and the checks that they must pass."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from enum import StrEnum
from numbers import Real
from typing import Any, Literal, TypedDict, final

import numpy as np
from scipy import sparse

from ohmline.arrays import AnyArray, Bools, Floats, Ints, refuse_masked
from ohmline.checks import listed, shown
from ohmline.errors import DirectedError, GraphError, ParameterError, ShapeError, WeightError
from ohmline.graph.columns import Coded
from ohmline.graph.nodes import NodeIndex

LIBRARIES = ("pandas", "polars", "pyarrow")
"""Whose columns are taken over whole, not row by row."""


@final
class Parallel(StrEnum):
    """What becomes of several edges between the same two nodes."""

    SUM = "sum"
    MAX = "max"
    REFUSE = "refuse"


class Rules(TypedDict, total=False):
    """What every way to build a graph can be told about its edges; see `Graph.from_edges`."""

    signed: bool
    symmetrise: bool
    parallel: Parallel | Literal["sum", "max", "refuse"] | None


class Build(Rules, total=False):
    """The same, and the nodes."""

    nodes: Iterable[Hashable] | None


def parallel_of(value: Any) -> Parallel | None:
    """A way to treat parallel edges, by its name or as a member of the enum."""
    if value is None:
        return None
    if isinstance(value, str) and value in [*Parallel]:
        return Parallel(value)
    raise ParameterError(f"parallel must be 'sum', 'max', 'refuse' or None, got {shown(value)}")


def split_edges(edges: Iterable[Sequence[Any]] | AnyArray) -> tuple[Any, Any, Any]:
    """Columns of an edge list: sources, targets, weights."""
    if isinstance(edges, np.ndarray):
        refuse_masked(edges, "an array of edges", GraphError)
        if edges.ndim != 2 or edges.shape[1] not in (2, 3):
            raise ShapeError(f"an array of edges must have 2 or 3 columns, got shape {edges.shape}")
        ends = edges[:, :2]
        if ends.dtype.kind == "f":
            if not np.all(np.abs(ends) < 2**53) or not np.array_equal(ends, np.round(ends)):
                raise GraphError(
                    "the first two columns of an array of edges are node ids and must be whole numbers; "
                    "pass a list of (u, v, weight) for other ids"
                )
            ends = ends.astype(np.int64)
        return ends[:, 0], ends[:, 1], edges[:, 2] if edges.shape[1] == 3 else None
    sources: list[Hashable] = []
    targets: list[Hashable] = []
    weights: list[float] = []
    for k, edge in enumerate(listed(edges, "edges")):
        row = edge.ndim == 1 if isinstance(edge, np.ndarray) else isinstance(edge, Sequence)
        if not row or isinstance(edge, str | bytes) or len(edge) not in (2, 3):
            raise GraphError(f"edge {k} is {shown(edge)}; expected (u, v) or (u, v, weight)")
        sources.append(edge[0])
        targets.append(edge[1])
        weights.append(edge[2] if len(edge) == 3 else 1.0)
    return sources, targets, weights


def column_of(values: Any, name: str, *, numbers: bool = False) -> Any:
    """One column of an edge list, as a list, an array of one dimension, or ids that are coded already."""
    if isinstance(values, Coded):
        return values
    if type(values).__module__.partition(".")[0] in LIBRARIES:
        return _foreign_column(values, name, numbers=numbers)
    if isinstance(values, np.ndarray):
        refuse_masked(values, name, GraphError)
        if values.ndim != 1:
            raise ShapeError(f"{name} must have one dimension, got shape {values.shape}")
        return values
    return values if isinstance(values, list) else listed(values, name)


def _foreign_column(values: Any, name: str, *, numbers: bool) -> Any:
    from ohmline.graph.doors.frames import column_frame

    frame = column_frame(values)
    if frame is None:
        raise GraphError(f"{name} must be one column, got {type(values).__name__}; give a column of it")
    column = frame.numbers(0) if numbers else frame.ids(0)
    if isinstance(column, Coded) and np.any(column.codes < 0):
        row = int(np.flatnonzero(column.codes < 0)[0])
        raise GraphError(f"{name} has no id in row {row + 1}; drop such rows, or give the node an id")
    return column


def index_from(nodes: Any) -> NodeIndex:
    """The ids that `nodes=` gives, out of a column of another library where it is one."""
    if type(nodes).__module__.partition(".")[0] not in LIBRARIES:
        return NodeIndex(nodes)
    column = _foreign_column(nodes, "nodes", numbers=False)
    return NodeIndex(column.items() if isinstance(column, Coded) else column.tolist())


def matrix_of(adjacency: Any) -> Any:
    """A matrix as NumPy or SciPy sees it."""
    if sparse.issparse(adjacency):
        return adjacency
    refuse_masked(adjacency, "an adjacency matrix", WeightError)
    try:
        return np.asarray(adjacency)
    except (TypeError, ValueError):
        raise ShapeError(
            f"an adjacency matrix must have rows that are equally long, got {shown(adjacency)}"
        ) from None


def weights_of(weights: Any) -> Floats:
    """A column of weights as numbers."""
    refuse_masked(weights, "the weights", WeightError)
    array = np.asarray(weights) if isinstance(weights, np.ndarray) else None
    if array is not None and array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if set(map(type, weights)) <= {float, int, type(None)}:
        with suppress(OverflowError):  # a whole number that is too large is named below
            return np.array(weights, np.float64)
    found = np.empty(len(weights))
    for k, weight in enumerate(weights):
        try:
            real = weight is None or isinstance(weight, Real | Decimal | np.integer | np.floating)
            found[k] = np.nan if weight is None else weight if real else _refuse(weight)
        except (OverflowError, TypeError, ValueError):
            _refuse(weight)
    return found


def _refuse(weight: Any) -> float:
    raise WeightError(f"edge weight {shown(weight)} is not a number; give a finite number above 0")


def ordered(ends: Iterable[Hashable]) -> list[Hashable]:
    """Every id once: whole numbers in their order, others as they appear."""
    try:
        seen = dict.fromkeys(ends)
    except TypeError:
        raise GraphError("node ids must be hashable (numbers, strings, tuples); convert them first") from None
    return sorted(seen) if all(type(end) is int for end in seen) else [*seen]  # type: ignore[type-var]


def check_weights(s: Ints, t: Ints, weights: Floats, index: NodeIndex, *, signed: bool) -> None:
    """Raise unless every weight is finite, and positive in an unsigned graph."""
    for bad, remedy in (
        (~np.isfinite(weights), "weights must be finite; drop the edge or give it a weight"),
        (
            (weights < 0) & (not signed),
            "weights must not be negative; pass signed=True if a negative weight means dissimilar nodes",
        ),
    ):
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            raise WeightError(
                f"the weight of edge ({index[int(s[k])]!r}, {index[int(t[k])]!r}) is {weights[k]}; {remedy}"
            )


def combined(s: Ints, t: Ints, weights: Floats, how: Parallel, index: NodeIndex) -> tuple[Ints, Ints, Floats]:
    """Each pair (s, t) once: its weights added up, the largest of them, or an error where there are several.

    Weights are added in ascending order, so the sum does not depend on the order of the rows.
    """
    order = np.lexsort((weights, t, s))
    s, t, weights = s[order], t[order], weights[order]
    first = np.ones(len(s), np.bool_)
    first[1:] = (s[1:] != s[:-1]) | (t[1:] != t[:-1])
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, len(s)))
    if how is Parallel.REFUSE and np.any(sizes > 1):
        g = int(np.flatnonzero(sizes > 1)[0])
        k, several = int(starts[g]), int(np.count_nonzero(sizes > 1))
        raise GraphError(
            f"edge ({index[int(s[k])]!r}, {index[int(t[k])]!r}) is listed {sizes[g]} times, with weights from "
            f"{weights[k]} to {weights[k + sizes[g] - 1]} ({several} such edges in all); list every edge once, or pass "
            "parallel='sum' or parallel='max'"
        )
    if how is Parallel.MAX:
        return s[starts], t[starts], weights[starts + sizes - 1]
    with np.errstate(over="ignore"):
        total = np.add.reduceat(weights, starts) if len(starts) else weights
    s, t = s[starts], t[starts]
    check_weights(s, t, total, index, signed=True)  # a sum may be too large for a number
    kept = total != 0
    return s[kept], t[kept], total[kept]


def refuse_asymmetry(
    low: Ints, high: Ints, weights: Floats, last: Bools, forward: Bools, index: NodeIndex, *, listed: bool
) -> None:
    """An edge with two weights, or a matrix entry without its mirror, is directed input."""
    if not len(low):
        return
    group = np.cumsum(np.append(0, last[:-1]))
    n_groups = int(group[-1]) + 1
    smallest = np.full(n_groups, np.inf)
    largest = np.full(n_groups, -np.inf)
    np.minimum.at(smallest, group, weights)
    np.maximum.at(largest, group, weights)
    ways = np.bincount(group, weights=np.where(forward, 1, 0), minlength=n_groups)
    sizes = np.bincount(group, minlength=n_groups)
    bad = smallest != largest
    if not listed:
        bad |= (ways == 0) | (ways == sizes)
    if bad.any():
        g = int(np.flatnonzero(bad)[0])
        k = int(np.flatnonzero(group == g)[0])
        u, v = index[int(low[k])], index[int(high[k])]
        if smallest[g] != largest[g]:
            what = f"edge ({u!r}, {v!r}) has two weights, {smallest[g]} and {largest[g]}"
        else:
            what = f"edge ({u!r}, {v!r}) of weight {largest[g]} goes one way only"
        several = ", or pass parallel='sum' or parallel='max' if these are several edges"
        remedy = several if listed and smallest[g] != largest[g] else ""
        raise DirectedError(
            f"{what}; the graph is undirected: pass symmetrise=True to take max(S, S'){remedy}"
        )
