"""Minimum spanning forests, and the largest edge between two nodes of one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled


class SpanningForest(NamedTuple):
    """A rooted forest in which node i hangs on `parent[i]` (-1 at a root) by edge i.

    `rank[i]` is the place of edge i among all edges by length: equal lengths take different places,
    as if they differed by an amount too small to see. `enter` and `leave` number the nodes so that
    the nodes below edge i are those entered from `enter[i]` to `leave[i]`.
    """

    parent: Ints
    length: Floats
    rank: Ints
    depth: Ints
    enter: Ints
    leave: Ints


def spanning_forest(distances: Floats) -> SpanningForest:
    """The minimum spanning forest of a table of distances, infinite where there is no edge."""
    n = len(distances)
    parent, visited = prim(distances)
    child = np.flatnonzero(parent >= 0)
    length = np.zeros(n)
    length[child] = distances[child, parent[child]]
    ends = np.sort(np.column_stack([child, parent[child]]), axis=1)
    rank = np.full(n, -1, dtype=np.int64)
    rank[child[np.lexsort((ends[:, 1], ends[:, 0], length[child]))]] = np.arange(len(child))
    depth, enter, leave = number(parent, visited)
    return SpanningForest(parent, length, rank, depth, enter, leave)


@compiled
def prim(distances: Floats) -> tuple[Ints, Ints]:
    """The parent of every node, and the nodes in the order of their visit; O(n^2)."""
    n = len(distances)
    parent, visited = np.full(n, -1, np.int64), np.empty(n, np.int64)
    best, done = np.full(n, np.inf), np.zeros(n, np.bool_)
    for t in range(n):
        i = -1
        for k in range(n):
            if not done[k] and (i < 0 or best[k] < best[i]):
                i = k
        done[i] = True
        visited[t] = i
        for k in range(n):
            if not done[k] and distances[i, k] < best[k]:
                best[k] = distances[i, k]
                parent[k] = i
    return parent, visited


@compiled
def number(parent: Ints, visited: Ints) -> tuple[Ints, Ints, Ints]:
    """Depths, and the span of every subtree, for parents that are visited before their children."""
    n = len(parent)
    size, depth = np.ones(n, np.int64), np.zeros(n, np.int64)
    for t in range(n - 1, -1, -1):
        if parent[visited[t]] >= 0:
            size[parent[visited[t]]] += size[visited[t]]
    enter, following, free = np.zeros(n, np.int64), np.zeros(n, np.int64), 0
    for i in visited:
        if parent[i] < 0:
            enter[i] = free
            free += size[i]
        else:
            enter[i] = following[parent[i]]
            following[parent[i]] += size[i]
            depth[i] = depth[parent[i]] + 1
        following[i] = enter[i] + 1
    return depth, enter, enter + size - 1


@compiled
def largest_edge(forest: SpanningForest, i: int, j: int) -> int:
    """The largest edge on the path between two nodes of one tree, named by its lower end."""
    found = -1
    while i != j:
        if forest.depth[i] < forest.depth[j]:
            i, j = j, i
        if found < 0 or forest.rank[i] > forest.rank[found]:
            found = i
        i = forest.parent[i]
    return found


@compiled
def below(forest: SpanningForest, edge: int, k: int) -> bool:
    """Whether node k is on the lower side of an edge."""
    return forest.enter[edge] <= forest.enter[k] <= forest.leave[edge]
