"""A graph that grows: its own arrays at first, and lists of neighbours with spare room once it has grown."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints, read_only
from ohmline.checks import number, room, shown
from ohmline.compiled import compiled, internal
from ohmline.errors import GraphError
from ohmline.graph.graph import Graph
from ohmline.learn.contract import State
from ohmline.learn.local_lgc.adjacency import Adjacency, join, renew
from ohmline.learn.local_lgc.limits import LARGEST, within
from ohmline.learn.local_lgc.local_solve import MOST_EDGES, MOST_LEARNED, UNLIMITED
from ohmline.learn.local_lgc.nodes import STALE, put_mark


class Pool(NamedTuple):
    """The lists of a graph that has grown, as they are written to; `Adjacency` reads the same arrays."""

    start: Ints
    stop: Ints
    room: Ints
    """How many neighbours fit into each list before it has to move."""
    neighbour: AnyArray
    weight: AnyArray


@final
class GrowingGraph:
    """The arrays behind `Adjacency`, what was added to the graph, and the room that is left."""

    def __init__(self, graph: Graph, unit: float) -> None:
        self.nodes = graph.nodes
        self.unit = unit
        self._graph = graph
        self._used = len(graph.indices)
        self._edges: dict[tuple[int, int], float] = {}
        self._pool: Pool | None = None

    def adjacency(
        self,
        ridge: float,
        mu: float,
        tolerance: float,
        caution: float,
        guess: bool,
        reach: bool,
        sweeps: int,
    ) -> Adjacency:
        """The graph as it started."""
        graph, weights = self._graph, self._weights()
        parent = np.full(graph.n, -1)
        plant_trees(graph.indptr, graph.indices, parent)
        return Adjacency(
            graph.indptr[:-1],
            graph.indptr[1:],
            graph.indices,
            weights,
            -1 if len(weights) > 1 else 0,
            ridge,
            mu,
            tolerance,
            caution,
            guess,
            reach,
            MOST_EDGES if caution < np.inf else UNLIMITED,
            MOST_LEARNED if caution < np.inf else UNLIMITED,
            sweeps,
            parent,
            np.array([graph.n, len(graph.indices)]),
            -1.0 if graph.signed else 0.0,
        )

    def resized(self, adjacency: Adjacency, n: int) -> Adjacency:
        """The same lists, and an empty one for the n-th node, which is new."""
        if n > len(adjacency.start):
            pool = self._owned(adjacency)
            fresh = np.zeros(2 * n - len(adjacency.start), np.int64)
            self._pool = pool._replace(
                start=np.append(pool.start, fresh),
                stop=np.append(pool.stop, fresh),
                room=np.append(pool.room, fresh),
            )
            adjacency = self._read(adjacency)._replace(parent=np.append(adjacency.parent, fresh - 1))
        adjacency.extent[0] = n
        return adjacency

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
        if self._graph.signed:
            size = within(abs(number(weight, name)), name, most=LARGEST * self.unit)
            return i, j, size if weight > 0 else -size
        return i, j, within(weight, name, most=LARGEST * self.unit)

    def with_room(self, adjacency: Adjacency, i: int, j: int) -> Adjacency:
        """The same lists, with room for an edge of i and j."""
        sizes = adjacency.stop[[i, j]] - adjacency.start[[i, j]]
        need = self._used + 2 * int(sizes.sum()) + 4
        if not self._edges or need > len(adjacency.neighbour):
            pool = self._owned(adjacency)
            length = max(need + need // 4, 2 * need if need < SMALL else 0)
            room(16.0 * length, "a graph that grows, whose lists of neighbours are copied,")
            self._pool = pool._replace(
                neighbour=_longer(pool.neighbour[: self._used], length),
                weight=_longer(adjacency.weight[: self._used], length)
                if adjacency.every
                else np.full(length, adjacency.weight[0] if len(adjacency.weight) else 1.0),
            )
            adjacency = self._read(adjacency)._replace(every=-1)
        return adjacency

    def add_edge(self, adjacency: Adjacency, state: Any, i: int, j: int, weight: float) -> None:
        """Join i and j, for which there is room."""
        assert self._pool is not None  # `with_room` made it
        self._used = attach(adjacency, self._pool, state, i, j, weight / self.unit, self._used)
        self._edges[min(i, j), max(i, j)] = weight

    @property
    def grown(self) -> bool:
        """Whether nodes or edges were added, so that its lists are changed in place from now on."""
        return self._pool is not None

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

    def whole(self, adjacency: Adjacency) -> Adjacency:
        """The same graph after a journey of the learner, on which `bare` left out all that is known here."""
        if self._pool is not None:
            return self._read(adjacency)
        indptr, indices = self._graph.indptr, self._graph.indices
        return adjacency._replace(
            start=indptr[:-1], stop=indptr[1:], neighbour=indices, weight=self._weights()
        )

    def _weights(self) -> Floats:
        """The weights in units; one number where they are all the same."""
        graph = self._graph
        weights = read_only(np.ones(1)) if graph.is_unweighted else graph.weights
        if float(weights.min()) == float(weights.max()):
            return read_only(weights[:1] / self.unit)
        if self.unit == 1.0:
            return weights
        room(
            8 * len(weights),
            "the weights of the graph in units of their mean (unit=1.0 takes them as they are)",
        )
        scaled: Floats = weights / self.unit
        scaled.flags.writeable = False
        return scaled

    def _owned(self, adjacency: Adjacency) -> Pool:
        """Lists that can be written to; those of the graph itself are copied when it grows for the first time."""
        if self._pool is not None:
            return self._pool
        start, stop = np.array(adjacency.start), np.array(adjacency.stop)
        return Pool(start, stop, stop - start, adjacency.neighbour, adjacency.weight)

    def _read(self, adjacency: Adjacency) -> Adjacency:
        """The same graph over the arrays of the pool, which are read only here: one type for all graphs."""
        assert self._pool is not None
        pool = self._pool
        return adjacency._replace(
            start=_shut(pool.start),
            stop=_shut(pool.stop),
            neighbour=_shut(pool.neighbour),
            weight=_shut(pool.weight),
        )


def bare(adjacency: Adjacency) -> Adjacency:
    """What is not known to `GrowingGraph` already: a copy of a learner does not take the graph's arrays along twice."""
    none, nothing = np.zeros(0, np.int64), np.zeros(0)
    return adjacency._replace(start=none, stop=none, neighbour=none, weight=nothing)


SMALL = 1 << 24
"""A pool of fewer entries than this is made twice as long as it has to be, a larger one a quarter longer."""


def _longer(array: AnyArray, length: int) -> AnyArray:
    """A copy with room to spare."""
    longer = np.zeros(length, array.dtype)
    longer[: len(array)] = array
    return longer


def _shut(array: AnyArray) -> AnyArray:
    """The same memory, which cannot be written to through this array."""
    view = array.view()
    view.flags.writeable = False
    return view


@compiled
def plant_trees(indptr: Ints, indices: Ints, parent: Ints) -> None:
    """Every node under the first of those that are connected with it; see `Adjacency.parent`. It begins with all -1."""
    waiting = np.empty(parent.shape[0], np.int64)
    for first in range(parent.shape[0]):
        if parent[first] >= 0:
            continue
        count, done = 1, 0
        waiting[0] = first
        while done < count:
            j = waiting[done]
            done += 1
            for p in range(indptr[j], indptr[j + 1]):
                k = indices[p]
                if k != first and parent[k] < 0:
                    parent[k] = first
                    waiting[count] = k
                    count += 1
        parent[first] = -count


@internal
def connect(pool: Pool, u: int, v: int, weight: float, used: int) -> int:
    """Append v to u's list, which moves to the end of the pool when it is full; the pool's new end.

    The caller has made sure that the pool has room for a list twice as long.
    """
    length = pool.stop[u] - pool.start[u]
    if length == pool.room[u]:
        for k in range(length):
            pool.neighbour[used + k] = pool.neighbour[pool.start[u] + k]
            pool.weight[used + k] = pool.weight[pool.start[u] + k]
        pool.start[u] = used
        pool.stop[u] = used + length
        pool.room[u] = 2 * length + 2
        used += pool.room[u]
    pool.neighbour[pool.stop[u]] = v
    pool.weight[pool.stop[u]] = weight
    pool.stop[u] += 1
    return used


@compiled
def attach(adjacency: Adjacency, pool: Pool, state: Any, i: int, j: int, weight: float, used: int) -> int:
    """Join i and j, whole or not at all for anybody who reads; the pool's new end."""
    used = connect(pool, i, j, weight, used)
    used = connect(pool, j, i, weight, used)
    join(adjacency, state.labelled, i, j)
    for k in (i, j):
        renew(adjacency, state.nodes, k)
        put_mark(state.nodes, k, STALE)
    state.solve.found[0].node = -1
    state.solve.found[0].worths = 0
    return used
