"""A graph that grows: adjacency lists with spare room, for compiled code to walk."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, final

import numpy as np

from ohmline.arrays import Ints
from ohmline.checks import shown
from ohmline.errors import GraphError
from ohmline.graph.graph import Graph
from ohmline.learn.contract import State
from ohmline.learn.local_lgc.adjacency import Adjacency, attach
from ohmline.learn.local_lgc.limits import LARGEST, within


@final
class GrowingGraph:
    """The arrays behind `Adjacency`, what was added to the graph, and the room that is left."""

    def __init__(self, graph: Graph, unit: float) -> None:
        self.nodes = graph.nodes
        self.unit = unit
        self._graph = graph
        self._used = len(graph.indices)
        self._edges: dict[tuple[int, int], float] = {}

    def adjacency(
        self, ridge: float, mu: float, tolerance: float, caution: float, guess: bool, reach: bool
    ) -> Adjacency:
        """The graph as it started."""
        size = np.diff(self._graph.indptr)
        return Adjacency(
            self._graph.indptr[:-1].copy(),
            size,
            size.copy(),
            self._graph.indices.copy(),
            self._graph.weights / self.unit,
            ridge,
            mu,
            tolerance,
            caution,
            guess,
            reach,
            _trees(self._graph.component_of),
            np.array([self._graph.n, len(self._graph.indices)]),
        )

    def resized(self, adjacency: Adjacency, n: int) -> Adjacency:
        """The same lists, and an empty one for the n-th node, which is new."""
        adjacency.extent[0] = n
        if n <= len(adjacency.start):
            return adjacency
        fresh = np.zeros(2 * n - len(adjacency.start), np.int64)
        return adjacency._replace(
            start=np.append(adjacency.start, fresh),
            size=np.append(adjacency.size, fresh),
            room=np.append(adjacency.room, fresh),
            parent=np.append(adjacency.parent, fresh - 1),
        )

    def check_edge(self, u: Hashable, v: Hashable, weight: float) -> tuple[int, int, float]:
        """Positions and weight of an edge that may be added, or an error."""
        i, j = self.nodes.position(u), self.nodes.position(v)
        if i == j:
            raise GraphError(
                f"edge ({shown(u)}, {shown(v)}) is a self loop, which changes nothing; leave it out"
            )
        if (min(i, j), max(i, j)) in self._edges or self._given(i, j):
            raise GraphError(
                f"edge ({shown(u)}, {shown(v)}) is in the graph already; an edge can be added once"
            )
        name = f"the weight of edge ({shown(u)}, {shown(v)})"
        return i, j, within(weight, name, most=LARGEST * self.unit)

    def with_room(self, adjacency: Adjacency, i: int, j: int) -> Adjacency:
        """The same lists, with room for an edge of i and j."""
        need = self._used + 2 * int(adjacency.size[i] + adjacency.size[j]) + 4
        if need > len(adjacency.neighbour):
            fresh = 2 * need - len(adjacency.neighbour)
            adjacency = adjacency._replace(
                neighbour=np.append(adjacency.neighbour, np.zeros(fresh, np.int64)),
                weight=np.append(adjacency.weight, np.zeros(fresh)),
            )
        return adjacency

    def add_edge(self, adjacency: Adjacency, state: Any, i: int, j: int, weight: float) -> None:
        """Join i and j, for which there is room."""
        self._used = attach(adjacency, state, i, j, weight / self.unit, self._used)
        self._edges[min(i, j), max(i, j)] = weight

    @property
    def count(self) -> int:
        """How many edges were added."""
        return len(self._edges)

    def added(self) -> State:
        """The edges that came later, in their order, for a snapshot."""
        ends = np.array(list(self._edges), dtype=np.int64).reshape(-1, 2)
        return {"added_edges": ends, "added_weights": np.array(list(self._edges.values()), dtype=np.float64)}

    def _given(self, i: int, j: int) -> bool:
        if max(i, j) >= self._graph.n:
            return False
        span = slice(self._graph.indptr[i], self._graph.indptr[i + 1])
        return bool((self._graph.indices[span] == j).any())


def _trees(component_of: Ints) -> Ints:
    """Every node under the first of its component; see `Adjacency.parent`."""
    _, first, sizes = np.unique(component_of, return_index=True, return_counts=True)
    parent = first[component_of]
    parent[first] = -sizes
    return parent
