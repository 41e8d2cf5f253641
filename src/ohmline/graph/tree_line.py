"""A tree as a line: its nodes in the order of a depth-first walk.

The walk crosses every edge of the tree at most twice, so that a labelling which cuts k edges of the tree cuts at most
2k of the line. Between two neighbours on the line, the walk may have gone back over several edges; the line keeps the
weakest of them, so that the weight of the cut is at most doubled too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled
from ohmline.graph.random_trees import RootedTree


class TreeLine(NamedTuple):
    """The nodes on a line, one component after the other, those in the order of their numbers."""

    node: Ints
    """The node at each place."""
    weight: Floats
    """The weight between a place and the one before it; 0 at the first place of a component."""


def line_of(tree: RootedTree, component_of: Ints) -> TreeLine:
    """The line of a depth-first walk from one end of each tree that goes down the highest branch last.

    So it goes back little: never over the longest path of a tree, which on a path is all of it.
    """
    parent, weight = from_the_ends(tree.parent, tree.weight)
    sizes = np.bincount(component_of, minlength=1) if len(component_of) else np.zeros(1, np.int64)
    first = np.concatenate([[0], np.cumsum(sizes)])
    place = depth_first(parent, np.ascontiguousarray(component_of, dtype=np.int64), first)
    node = np.empty_like(place)
    node[place] = np.arange(len(place))
    return TreeLine(node, weakest_between(parent, weight, node))


@compiled
def upwards(parent: Ints) -> Ints:
    """The nodes in an order in which children come before their parents."""
    n = parent.shape[0]
    waiting, order, length = np.zeros(n, np.int64), np.empty(n, np.int64), 0
    for i in range(n):
        if parent[i] >= 0:
            waiting[parent[i]] += 1
    for i in range(n):
        if waiting[i] == 0:
            order[length] = i
            length += 1
    k = 0
    while k < length:
        up = parent[order[k]]
        k += 1
        if up >= 0:
            waiting[up] -= 1
            if waiting[up] == 0:
                order[length] = up
                length += 1
    return order


@compiled
def from_the_ends(parent: Ints, weight: Floats) -> tuple[Ints, Floats]:
    """The same trees, each hung up at a node that is farthest from its former root."""
    n = parent.shape[0]
    parent, weight = parent.copy(), weight.copy()
    order = upwards(parent)
    depth, deepest, root = np.zeros(n, np.int64), np.arange(n), np.empty(n, np.int64)
    for k in range(n - 1, -1, -1):
        i = order[k]
        root[i] = i
        if parent[i] >= 0:
            depth[i], root[i] = depth[parent[i]] + 1, root[parent[i]]
            if depth[i] > depth[deepest[root[i]]]:
                deepest[root[i]] = i
    for r in range(n):
        if root[r] != r:
            continue
        i, above, between = deepest[r], -1, 0.0
        while i >= 0:  # turn the path from the farthest node to the root round
            following, link = parent[i], weight[i]
            parent[i], weight[i] = above, between
            above, between = i, link
            i = following
    return parent, weight


@compiled
def depth_first(parent: Ints, component: Ints, first: Ints) -> Ints:
    """The place of each node in the walk."""
    n = parent.shape[0]
    order = upwards(parent)
    size, height = np.ones(n, np.int64), np.zeros(n, np.int64)
    last = np.full(n, -1, np.int64)  # the highest child
    for i in order:
        up = parent[i]
        if up >= 0:
            size[up] += size[i]
            if last[up] < 0 or height[i] > height[last[up]]:
                last[up] = i
            height[up] = max(height[up], height[i] + 1)
    place, following = np.empty(n, np.int64), np.empty(n, np.int64)
    for k in range(n - 1, -1, -1):
        i = order[k]
        up = parent[i]
        if up < 0:
            place[i] = first[component[i]]
        elif last[up] == i:
            place[i] = place[up] + size[up] - size[i]
        else:
            place[i] = following[up]
            following[up] += size[i]
        following[i] = place[i] + 1
    return place


@compiled
def weakest_between(parent: Ints, weight: Floats, node: Ints) -> Floats:
    """The weakest edge that the walk crosses from each place to the next, written at the next."""
    n = parent.shape[0]
    weakest = np.zeros(n)
    for k in range(1, n):
        i, up = node[k], parent[node[k]]
        if up < 0:
            continue
        least, j = weight[i], node[k - 1]
        while j != up:
            least = min(least, weight[j])
            j = parent[j]
        weakest[k] = least
    return weakest
