"""The lines of a committee of random spanning trees, as compiled code reads them."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.checks import room
from ohmline.graph.graph import Graph
from ohmline.graph.random_trees import Draw, draw_tree
from ohmline.graph.tree_line import line_of
from ohmline.learn.trees.nearest_bits import levels_of

LONGEST = 61
"""log2 of the length of a line: distances on it are whole numbers, so that no comparison of two is ever rounded."""


class _Lines(NamedTuple):
    place: AnyArray
    """Row i, tree t: where node i stands on line t."""
    mile: Ints
    """Row t, place p: how far place p is along line t; no rows where that is p itself."""
    component: AnyArray
    """The component of each node."""
    first: Ints
    """The first place of each component, the same on every line; and the end of the last one."""
    starts: Ints
    """The levels of `nearest_bits`."""


class TreeLines(_Lines):
    """For each tree a line through all nodes, one component after the other."""

    __slots__ = ()

    @property
    def table(self) -> AnyArray:
        """The rows that are read one by one, so that a loop can send for them ahead of time."""
        return self.place

    def miles(self, tree: int, places: Ints) -> Ints:
        """How far these places are along a line."""
        return self.mile[tree][places] if len(self.mile) else places


def drawn_lines(
    graph: Graph, trees: int, draw: Draw | None, seed: int, *, weighted: bool
) -> tuple[TreeLines, bool]:
    """The lines of so many trees, and whether all of them were drawn by the exact law."""
    n = graph.n
    room(trees * n * 16 + 100 * n, f"the lines of {trees} spanning trees of {n} nodes")
    component, exact = graph.component_of, True
    place, mile = np.empty((n, trees), np.int32), np.empty((trees if weighted else 0, n), np.int64)
    for t, source in enumerate(np.random.default_rng(seed).spawn(trees)):
        tree = draw_tree(graph, draw, source)
        line = line_of(tree, component)
        place[line.node, t] = np.arange(n)
        if weighted:
            mile[t] = np.cumsum(lengths(line.weight))
        exact = exact and tree.exact
    sizes = np.bincount(component, minlength=1) if n else np.zeros(1, np.int64)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return TreeLines(place, mile, component.astype(np.int32), first, levels_of(n)), exact


def lengths(weights: Floats) -> Ints:
    """1 / weight in a unit so small that all lengths are whole numbers, at least 1; 0 between components."""
    there = weights > 0
    if not there.any():
        return np.zeros(len(weights), np.int64)
    with np.errstate(under="ignore"):  # the longest edge is 1, and what is less than a unit becomes one
        far = weights[there].min() / np.where(there, weights, np.inf)
    # A power of 2 keeps lengths in the ratio of their weights wherever that is one of small whole numbers.
    unit = 2.0 ** (LONGEST - 1 - int(np.ceil(np.log2(far.sum()))))
    return np.where(there, np.maximum(np.rint(far * unit), 1), 0).astype(np.int64)


def digest(lines: TreeLines) -> str:
    """What a snapshot knows its lines by."""
    found = sha256()
    for array in (lines.place, lines.mile):
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()
