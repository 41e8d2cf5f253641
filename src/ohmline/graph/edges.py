"""Edge lists: their columns, their nodes, and the checks that they must pass."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.errors import DirectedError, GraphError, ShapeError, WeightError
from ohmline.graph.nodes import NodeIndex, plain


def split_edges(edges: Iterable[Sequence[Any]] | AnyArray) -> tuple[Any, Any, Any]:
    """Columns of an edge list: sources, targets, weights."""
    if isinstance(edges, np.ndarray):
        if edges.ndim != 2 or edges.shape[1] not in (2, 3):
            raise ShapeError(f"an array of edges must have 2 or 3 columns, got shape {edges.shape}")
        ends = edges[:, :2]
        if ends.dtype.kind == "f":
            if not np.array_equal(ends, np.round(ends)):
                raise GraphError(
                    "the first two columns of an array of edges are node ids and must be whole numbers; "
                    "pass a list of (u, v, weight) for other ids"
                )
            ends = ends.astype(np.int64)
        return ends[:, 0], ends[:, 1], edges[:, 2] if edges.shape[1] == 3 else None
    sources: list[Hashable] = []
    targets: list[Hashable] = []
    weights: list[float] = []
    for k, edge in enumerate(edges):
        if not isinstance(edge, Sequence | np.ndarray) or isinstance(edge, str) or len(edge) not in (2, 3):
            raise GraphError(f"edge {k} is {edge!r}; expected (u, v) or (u, v, weight)")
        sources.append(edge[0])
        targets.append(edge[1])
        weights.append(edge[2] if len(edge) == 3 else 1.0)
    return sources, targets, weights


def weights_of(weights: Any) -> Floats:
    """A column of weights as numbers."""
    try:
        return np.asarray(weights, dtype=np.float64).reshape(len(weights))
    except (TypeError, ValueError):
        bad = next((w for w in weights if not isinstance(w, int | float | np.number)), weights)
        raise WeightError(f"edge weight {bad!r:.80} is not a number; give a finite number above 0") from None


def index_of(sources: Any, targets: Any) -> NodeIndex:
    """The nodes that edges speak of: 0..max for compact whole numbers, else as they appear."""
    if isinstance(sources, np.ndarray) and isinstance(targets, np.ndarray):
        ends = np.column_stack([sources, targets]).ravel()
        whole = ends.dtype.kind in "iu" and len(ends) > 0 and int(ends.min()) >= 0
        largest = int(ends.max()) if whole else -1
        named = ends.tolist() if not whole or largest >= _compact(len(ends)) else []
    else:
        named = [plain(end) for edge in zip(sources, targets, strict=True) for end in edge]
        whole = all(type(node) is int and node >= 0 for node in named)
        largest = max(named, default=-1) if whole else -1
    if whole and largest < _compact(2 * len(sources)):
        return NodeIndex(largest + 1)
    try:
        return NodeIndex(dict.fromkeys(named))
    except TypeError:
        raise GraphError("node ids must be hashable (numbers, strings, tuples); convert them first") from None


def _compact(ends: int) -> int:
    """Whole numbers below this are positions; beyond it they are names, such as account numbers."""
    return 10 * ends + 10


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
