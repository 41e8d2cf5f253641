"""Edge lists: their columns, their nodes, and the checks that they must pass."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from ohmline.arrays import AnyArray, Bools, Floats, Ints, refuse_masked
from ohmline.checks import listed, shown
from ohmline.errors import DirectedError, GraphError, ShapeError, WeightError
from ohmline.graph.nodes import NodeIndex, plain


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


def column_of(values: Any, name: str) -> Any:
    """One column of an edge list, as a list or an array of one dimension."""
    if isinstance(values, np.ndarray):
        refuse_masked(values, name, GraphError)
        if values.ndim != 1:
            raise ShapeError(f"{name} must have one dimension, got shape {values.shape}")
        return values
    return values if isinstance(values, list) else listed(values, name)


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
    found = np.empty(len(weights))
    for k, weight in enumerate(weights):
        try:
            real = weight is None or isinstance(weight, Real | np.integer | np.floating)
            found[k] = np.nan if weight is None else weight if real else _refuse(weight)
        except (OverflowError, TypeError, ValueError):
            _refuse(weight)
    return found


def _refuse(weight: Any) -> float:
    raise WeightError(f"edge weight {shown(weight)} is not a number; give a finite number above 0")


def index_of(sources: Any, targets: Any) -> tuple[NodeIndex, Ints, Ints]:
    """The nodes that edges name, and the positions of both ends: whole numbers in order, others as they appear."""
    if isinstance(sources, np.ndarray) and isinstance(targets, np.ndarray):
        ends = np.concatenate([sources, targets]) if sources.dtype.kind == targets.dtype.kind else None
        if ends is not None and ends.dtype.kind in "iu" and len(ends):
            names, places = _ranked(ends)
            return NodeIndex(names), places[: len(sources)], places[len(sources) :]
    index = NodeIndex(
        ordered(plain(end) for edge in zip(_items(sources), _items(targets), strict=True) for end in edge)
    )
    return index, index.positions(sources), index.positions(targets)


def _items(column: Any) -> Any:
    return column.tolist() if isinstance(column, np.ndarray) else column


def ordered(ends: Iterable[Hashable]) -> list[Hashable]:
    """Every id once: whole numbers in their order, others as they appear."""
    try:
        seen = dict.fromkeys(ends)
    except TypeError:
        raise GraphError("node ids must be hashable (numbers, strings, tuples); convert them first") from None
    return sorted(seen) if all(type(end) is int for end in seen) else [*seen]  # type: ignore[type-var]


def _ranked(ends: Ints) -> tuple[Iterable[int] | int, Ints]:
    """The different whole numbers in their order, and the rank of each entry; without sorting where they are dense."""
    low, high = int(ends.min()), int(ends.max())
    if low < 0 or high > 10 * len(ends) + 10:
        names, places = np.unique(ends, return_inverse=True)
        return names.tolist(), places.ravel().astype(np.int64)
    there = np.zeros(high + 1, np.bool_)
    there[ends] = True
    if there.all():
        return high + 1, ends.astype(np.int64)
    return np.flatnonzero(there).tolist(), (np.cumsum(there) - 1)[ends]


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
        raise DirectedError(f"{what}; the graph is undirected: pass symmetrise=True to take max(S, S')")
