"""The exact kernel of a spanning tree: for learners with a kernel on graphs of millions of nodes."""

from __future__ import annotations

from functools import cached_property
from typing import final

import numpy as np

from ohmline.arrays import Floats, Ints, vector
from ohmline.checks import generator, room, seed_of
from ohmline.compiled import compiled
from ohmline.errors import KernelError
from ohmline.graph.elimination import EPS
from ohmline.graph.graph import Graph
from ohmline.graph.random_trees import Draw, RootedTree, draw_of, draw_tree, expect_positive
from ohmline.graph.tree_line import upwards
from ohmline.kernel.contract import GraphKernel
from ohmline.kernel.space.tree import TreePaths
from ohmline.kernel.sums import component_means


@final
class TreeKernel(GraphKernel):
    """The exact kernel of a random spanning tree of a graph: K = L+ of the tree.

    Its squared distances are resistances along the tree, at least those of the graph (Rayleigh's law), so that every
    theorem about a kernel holds with the tree in the place of the graph. An entry costs O(log n), and so, but for
    another logarithm, does reading and moving a hypothesis: `Perceptron` and `Pounce` play on millions of nodes, with
    about 60 bytes for each. On a graph that is a forest it is `LaplacianKernel` itself.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    draw
        By which law the tree is drawn; None (default) as for `graph.spanning_tree`, which gives the same tree.
    seed
        Draws the tree. Default 0. It is drawn by the positions of nodes: the same graph with its nodes in another
        order is another draw.

    Examples
    --------
    >>> import ohmline as ohm
    >>> star = ohm.graph.generate.star(5)
    >>> kernel = ohm.TreeKernel(star)
    >>> kernel.sqdist(1, 2)  # two edges of 1 ohm in a row
    2.0
    >>> ohm.play(ohm.Pounce(kernel), ohm.Stream(range(5), [1, 1, -1, 1, 1])).asked
    5
    """

    def __init__(self, graph: Graph, *, draw: Draw | None = None, seed: int = 0) -> None:
        self.graph = expect_positive(graph, "TreeKernel")
        self.draw, self.seed = draw_of(draw), seed_of(seed)

    @property
    def space(self) -> TreePaths:
        return self._found[1]

    @property
    def centred(self) -> bool:
        return True

    @property
    def entry_error(self) -> float:
        space = self.space
        largest = max(
            float(np.abs(array).max(initial=0.0)) for array in (space.height, space.half, space.mean)
        )
        return 16 * EPS * largest

    @cached_property
    def _found(self) -> tuple[RootedTree, TreePaths]:
        """The tree, and the space."""
        n = self.graph.n
        room(100 * n, f"the heavy paths of a tree of {n} nodes")
        tree = draw_tree(self.graph, self.draw, generator(self.seed))
        component = self.graph.component_of
        sizes = np.bincount(component, minlength=self.graph.n_components)
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        with np.errstate(over="ignore"):
            length = np.where(tree.parent >= 0, 1 / np.where(tree.parent >= 0, tree.weight, 1.0), 0.0)
        found = heavy_paths(tree.parent, length, np.ascontiguousarray(component, dtype=np.int64), first)
        place, top, above, size, below, height, mean = found
        half = (mean - height[place]) / 2
        if not np.isfinite(half).all():
            raise KernelError(
                f"the weights of {self.graph!r} are so small that resistances leave the range of numbers; scale them"
            )
        means = component_means(mean, component) / 2
        node = np.empty(n, np.int32)
        node[place] = np.arange(n)
        space = TreePaths(
            place=place.astype(np.int32),
            node=node,
            top=top.astype(np.int32),
            above=above.astype(np.int32),
            size=size.astype(np.int32),
            below=below.astype(np.int32),
            height=height,
            half=half,
            mean=means,
            component=component.astype(np.int32),
            factor=1.0,
            b=0.0,
            ridge=0.0,
        )
        return tree, space

    def sqnorm(self, u: Floats) -> float:
        u = vector(u, "u", length=self.n)
        means = component_means(u, self.component_of)
        if np.any(np.abs(means) > 1e-12 * max(1.0, float(np.abs(u).max(initial=0.0)))):
            return float("inf")
        tree = self._found[0]
        child = np.flatnonzero(tree.parent >= 0)
        return float(tree.weight[child] @ (u[child] - u[tree.parent[child]]) ** 2)

    def __repr__(self) -> str:
        draw = "" if self.draw is None else f", draw={self.draw}"
        return f"TreeKernel({self.graph!r}{draw}, seed={self.seed})"


@compiled
def heavy_paths(
    parent: Ints, length: Floats, component: Ints, first: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints, Floats, Floats]:
    """`place`; by place `top`, `above`, `size`, `below` and `height`; by node its mean resistance to all its tree.

    A heavy path goes from a node to the child with the most nodes below it, down to a leaf.
    """
    n = parent.shape[0]
    order = upwards(parent)
    below, heavy = np.ones(n, np.int64), np.full(n, -1, np.int64)
    for i in order:
        up = parent[i]
        if up >= 0:
            below[up] += below[i]
            if heavy[up] < 0 or below[i] > below[heavy[up]]:
                heavy[up] = i
    place, free = np.empty(n, np.int64), np.empty(n, np.int64)
    top, above, size = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n, np.int64)
    height, total = np.zeros(n), np.zeros(first.shape[0])
    for k in range(n - 1, -1, -1):
        i = order[k]
        up = parent[i]
        if up >= 0 and heavy[up] == i:
            p = place[up] + 1
            top[p], above[p] = top[place[up]], above[place[up]]
        else:
            p = first[component[i]] if up < 0 else free[up]
            if up >= 0:
                free[up] += below[i]
            top[p], above[p] = p, (place[up] if up >= 0 else -1)
        place[i] = p
        free[i] = p + 1 + (below[heavy[i]] if heavy[i] >= 0 else 0)
        height[p] = (height[place[up]] if up >= 0 else 0.0) + length[i]
        size[top[p]] += 1
        total[component[i]] += height[p]
    mean = np.empty(n)
    for k in range(n - 1, -1, -1):
        i = order[k]
        up, count = parent[i], first[component[i] + 1] - first[component[i]]
        if up < 0:
            mean[i] = total[component[i]] / count
        else:  # what is below the edge comes nearer by its length, the rest goes away by it
            mean[i] = mean[up] + length[i] * (count - 2 * below[i]) / count
    down = np.empty(n, np.int64)
    for i in range(n):
        size[place[i]] = size[top[place[i]]]
        down[place[i]] = below[i]
    return place, top, above, size, down, height, mean
