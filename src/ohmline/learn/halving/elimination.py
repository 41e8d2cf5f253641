"""An order in which the nodes of a graph can be summed out one by one, with few of them in sight at a time.

Summing out a node joins its neighbours to one another. The *width* is the largest number of neighbours that a
node has when its turn comes: 1 on a forest, 2 on a ring or a series-parallel graph, m - 1 on a clique of m nodes, the
shorter side on a long grid. Finding the least width of any graph is intractable. Two rules are tried: next comes the
node whose neighbours lack the fewest edges between them, or the one with the fewest neighbours.
"""

from __future__ import annotations

import heapq
from itertools import combinations
from typing import NamedTuple

from ohmline.errors import GraphError
from ohmline.graph.graph import Graph

Adjacent = list[set[int]]
Key = tuple[int, int, int]
"""Fill-in and degree, or the other way round, and position: the node with the smallest one is next."""


class Elimination(NamedTuple):
    """Who is left when each node is summed out."""

    order: list[int]
    later: dict[int, tuple[int, ...]]
    """For each node the neighbours that it has then, in the order of their own turns."""

    @property
    def width(self) -> int:
        """The largest number of them."""
        return max(map(len, self.later.values()), default=0)


def eliminated(graph: Graph, width_limit: int) -> Elimination:
    """The better order of the two rules, or an error where both need more than `width_limit` neighbours."""
    orders = [_eliminated(graph, width_limit, fill_first) for fill_first in (True, False)]
    found = [order for order in orders if isinstance(order, Elimination)]
    if not found:
        least = min(width for width in orders if isinstance(width, int))
        raise GraphError(
            f"halving sums over 2^width labellings at a time, and the best order found for this graph has a width of "
            f"{least} or more, above width_limit={width_limit}; raise width_limit if there is time and memory for "
            f"2^{least}, take a spanning tree, or use Pounce"
        )
    return min(found, key=lambda order: order.width)


def _eliminated(graph: Graph, width_limit: int, fill_first: bool) -> Elimination | int:
    """The order of one rule; where it exceeds the limit, the width that it had come to."""
    adjacent: Adjacent = [
        set(graph.indices[graph.indptr[i] : graph.indptr[i + 1]].tolist()) for i in range(graph.n)
    ]
    keys: dict[int, Key] = {}
    queue: list[Key] = []

    def enqueue(i: int) -> None:
        keys.pop(i, None)
        degree = len(adjacent[i])
        if degree <= width_limit:  # others cannot have their turn yet
            fill = _fill(adjacent, i)
            keys[i] = (fill, degree, i) if fill_first else (degree, fill, i)
            heapq.heappush(queue, keys[i])

    for i in range(graph.n):
        enqueue(i)
    order: list[int] = []
    near: dict[int, set[int]] = {}
    while len(order) < graph.n:
        while queue and keys.get(queue[0][2]) != queue[0]:  # its neighbours have changed since
            heapq.heappop(queue)
        if not queue:
            return min(len(adjacent[i]) for i in range(graph.n) if i not in near)
        v = heapq.heappop(queue)[2]
        del keys[v]
        order.append(v)
        near[v] = adjacent[v]
        for i in _join(adjacent, v):
            enqueue(i)
    rank = {v: k for k, v in enumerate(order)}
    return Elimination(order, {v: tuple(sorted(near[v], key=rank.__getitem__)) for v in order})


def _fill(adjacent: Adjacent, i: int) -> int:
    return sum(b not in adjacent[a] for a, b in combinations(adjacent[i], 2))


def _join(adjacent: Adjacent, v: int) -> set[int]:
    """Take v out and join its neighbours to one another; the nodes whose keys that changes."""
    changed = set(adjacent[v])
    for a in adjacent[v]:
        adjacent[a].discard(v)
    for a, b in combinations(adjacent[v], 2):
        if b not in adjacent[a]:
            changed |= adjacent[a] & adjacent[b]
            adjacent[a].add(b)
            adjacent[b].add(a)
    return changed
