"""A random projection tree that grows with its stream: which leaf a point falls into, and how a leaf splits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, dot, internal
from ohmline.learn.manifold.bases.leaf_shape import Shapes, add_point, forget, weigh_more
from ohmline.learn.manifold.expansion import Expansion, draw, sum_of

DIRECTIONS = 8
"""Random directions tried at a split."""

RATION = 0.3
"""A leaf splits when its mean squared spread is at least that of all points about their leaves, times this, over the
share of leaves that are not taken yet: while there are many anyone may, the last ones are for the widest."""


class TreeState(NamedTuple):
    """The tree. A child below 0 is a leaf: `-1 - i` stands for leaf i."""

    leaves: int
    """How many leaves there may be."""
    points: int
    """A leaf splits when it has gathered so many points."""
    covariance: bool
    printed: bool
    root: Ints
    splits: Ints
    """How many nodes there are that are no leaves."""
    child: Ints
    direction: Floats
    threshold: Floats
    centre: Floats
    """The means again, one leaf a row."""
    spread: Floats
    """The sum of the squared distances of a leaf's points to its mean."""
    stored: Ints
    """How many points came to a leaf since it began; the latest of them are in `held`."""
    held: Floats
    """The latest points of each leaf, as long as it may still split."""
    shapes: Shapes


@compiled
def leaf_of(tree: TreeState, x: Floats) -> int:
    """The leaf that the point falls into."""
    return leaf_below(tree, x, tree.root[0])


@internal
def leaf_below(tree: TreeState, x: Floats, node: int) -> int:
    """The same, from a node down."""
    while node >= 0:
        side = 1 if dot(tree.direction[node], x, x.shape[0]) > tree.threshold[node] else 0
        node = tree.child[node, side]
    return int(-1 - node)


@internal
def gather(tree: TreeState, expansion: Expansion, leaf: int, x: Floats) -> None:
    """Take the point into the leaf's mean, covariance and store."""
    m = expansion.mass[leaf]
    if tree.covariance:
        add_point(tree.shapes, leaf, tree.centre[leaf], x, m)
    slot, away = tree.stored[leaf] % tree.points, 0.0
    for a in range(x.shape[0]):
        step = x[a] - tree.centre[leaf, a]
        away += step * step
        tree.centre[leaf, a] += step / (m + 1.0)
        tree.held[leaf, slot, a] = x[a]
    tree.stored[leaf] += 1
    tree.spread[leaf] += away * m / (m + 1.0)
    expansion.mass[leaf] = m + 1.0


@internal
def may_split(tree: TreeState, expansion: Expansion, leaf: int) -> bool:
    """Whether a leaf has points enough to split, not all of them one, and it is its turn: see `Split`."""
    n = expansion.size[0]
    if tree.stored[leaf] < tree.points or tree.spread[leaf] <= 0.0:
        return False
    if tree.printed:
        return True
    mean = sum_of(tree.spread, n) / sum_of(expansion.mass, n)
    left = 1.0 - n / tree.leaves
    return bool(tree.spread[leaf] * left >= RATION * mean * expansion.mass[leaf])


@internal
def split(tree: TreeState, expansion: Expansion, leaf: int) -> int:
    """Split a leaf at the median along a random direction; the new leaf, or -1 where its points coincide."""
    size, d = tree.points, tree.centre.shape[1]
    node, fresh = tree.splits[0], expansion.size[0]
    points, along = np.empty((size, d)), np.empty(size)
    towards, projected = np.empty(d), np.empty(size)
    copy(tree.held[leaf], points)
    widest = -1.0
    # Differs, unless printed: of a few random directions the one along which the points spread most.
    for _ in range(1 if tree.printed else DIRECTIONS):
        for a in range(d):  # Box and Muller: the direction of a Gaussian vector is uniform
            towards[a] = np.sqrt(-2.0 * np.log(1.0 - draw(expansion))) * np.cos(2.0 * np.pi * draw(expansion))
        length, middle, spread = np.sqrt(dot(towards, towards, d)), 0.0, 0.0
        for a in range(d):  # first a unit vector, so that these projections are those of `leaf_below`
            towards[a] /= length
        for p in range(size):
            projected[p] = dot(towards, points[p], d)
            middle += projected[p] / size
        for p in range(size):
            spread += (projected[p] - middle) ** 2
        if spread > widest:
            widest = spread
            for p in range(size):
                along[p] = projected[p]
            for a in range(d):
                tree.direction[node, a] = towards[a]
    low, high = halves(along, projected)
    if not low < high:
        return -1
    middle = 0.5 * low + 0.5 * high
    tree.threshold[node] = middle if low <= middle < high else low
    share = (
        expansion.mass[leaf] / size
    )  # of the points that the leaf has seen, each that it holds stands for so many
    above = tree.root[0]
    if above < 0:
        tree.root[0] = node
    else:
        while True:  # down again, to hang the new node where the leaf hung
            side = 1 if dot(tree.direction[above], points[0], d) > tree.threshold[above] else 0
            if tree.child[above, side] < 0:
                tree.child[above, side] = node
                break
            above = tree.child[above, side]
    tree.child[node, 0], tree.child[node, 1] = -1 - leaf, -1 - fresh
    tree.splits[0] = node + 1
    expansion.size[0] = fresh + 1
    expansion.born[fresh] = expansion.time[0]
    for side in range(2):
        i = fresh if side else leaf
        expansion.mass[i] = 0.0
        tree.spread[i] = 0.0
        tree.stored[i] = 0
        for a in range(d):
            tree.centre[i, a] = 0.0
        if tree.covariance:
            forget(tree.shapes, i)
    for p in range(size):
        gather(tree, expansion, leaf_below(tree, points[p], node), points[p])
    if share > 1.0:
        for side in range(2):
            i = fresh if side else leaf
            expansion.mass[i] *= share
            tree.spread[i] *= share
            if tree.covariance:
                weigh_more(tree.shapes, i, share, expansion.mass[i])
    return int(fresh)


@internal
def copy(source: Floats, out: Floats) -> None:
    """out = source, row by row."""
    for p in range(source.shape[0]):
        for a in range(source.shape[1]):
            out[p, a] = source[p, a]


@internal
def halves(values: Floats, ordered: Floats) -> tuple[float, float]:
    """The two neighbours in sorted order between which to cut: as near to the median as two that differ are.

    Where all values are the same, both are that value.
    """
    size = values.shape[0]
    for p in range(size):  # insertion: a leaf holds a handful of points
        q = p
        while q > 0 and ordered[q - 1] > values[p]:
            ordered[q] = ordered[q - 1]
            q -= 1
        ordered[q] = values[p]
    middle = (size - 1) // 2
    for away in range(size):
        for cut in (middle - away, middle + away):
            if 0 <= cut < size - 1 and ordered[cut] < ordered[cut + 1]:
                return ordered[cut], ordered[cut + 1]
    return ordered[0], ordered[0]
