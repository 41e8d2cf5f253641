"""The leaves of a random projection tree as the basis (paper 003, section 3.2).

| paper 003 | here |
|---|---|
| L_i, s | a leaf; their number, at most `leaves` |
| mu_i, n_i | `centre[i]` (and `points` of the expansion), `mass[i]` |
| Sigma_i | low rank plus isotropic, in `leaf_shape` |
| beta_i | `alpha` of the expansion |

Leaf i is element i of the basis. A point goes down the tree to its leaf, whose mean moves a
little; a leaf that has gathered enough points splits along a random direction.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple, final

import numpy as np

from ohmline.arrays import Floats, Ints, count
from ohmline.checks import flag, instance
from ohmline.compiled import compiled, dot, implements, internal
from ohmline.errors import ParameterError
from ohmline.learn.manifold.bases.contract import LARGEST_BASIS, Basis, admit, weigh
from ohmline.learn.manifold.bases.leaf_shape import Shapes, add_point, forget, overlap, weigh_more
from ohmline.learn.manifold.choices import member
from ohmline.learn.manifold.expansion import (
    Expansion,
    Workspace,
    draw,
    kernel_values,
    store,
    sum_of,
)
from ohmline.learn.manifold.pursuit import Pursuit, leave, pursue
from ohmline.learn.manifold.smoothness import Manifold, Smoothness, gaussian_weights
from ohmline.learn.step import UNLABELLED

DIRECTIONS = 8
"""Random directions tried at a split."""

RATION = 0.3
"""A leaf splits when its mean squared spread is at least that of all points about their leaves, times this, over the
share of leaves that are not taken yet: while there are many anyone may, the last ones are for the widest."""


class Split(StrEnum):
    """How a leaf splits, and when."""

    WIDEST = "widest"
    """Of a few random directions along the one in which its points spread most: leaves stay round, and do not reach
    across from one sheet of the manifold to the next. The fewer leaves there are to give, the wider a leaf must be to
    get one: otherwise those in dense places take them all, and what reaches across stays so for good. The default.
    """
    PRINTED = "printed"
    """As paper 003 says it, section 3.2: along a hyperplane with random orientation, when enough points fell into the
    leaf. It cuts at the median, or next to it where that is tied. The paper refers to Appendix I of Dasgupta and
    Freund's report for details; what is here is what the paper itself prints.
    """


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


@final
class RPTree(Basis):
    """A basis of the means of groups of points, which are the leaves of a random projection tree.

    A leaf's covariance, if asked for, is kept as a few directions plus an even rest, shrunk towards a
    ball while the leaf is young, so it works in hundreds of dimensions. Differs: the paper's (11)
    inverts Sigma, which is singular there, and has a wrong sign; and its tree grows without limit,
    which is not linear in time. Points that coincide are never split; a leaf of them splits when another
    point comes.

    Cost per point: leaves x d, times the rank with covariances. Memory: leaves x (points + rank) x d.

    Parameters
    ----------
    leaves
        How many leaves there may be, at least 1. Default 300.
    points
        A leaf splits when it has gathered so many points, while there are fewer than `leaves`; at least 2. Default 10.
    covariance
        Whether the weight between a point and a leaf is the mean weight to the leaf's Gaussian (the paper's RPtree
        PPK, eq. 11), which needs `Manifold(width)`. Default False: the weight to the leaf's mean.
    rank
        How many directions of a covariance are kept, at least 1; without covariances it has no effect. Default 4.
    shrinkage
        Whether the covariance of a young leaf is drawn towards a ball of the same trace; without covariances it has
        no effect. Default True. False takes the covariance of its points as it is.
    split
        `"widest"` (default) or `"printed"`: how a leaf splits, see `Split`.
    pursuit
        When the pursuit ends that spreads a point over the leaves; None (default) for `Pursuit()`.

    Examples
    --------
    >>> RPTree(100, covariance=True)
    RPTree(leaves=100, covariance=True)
    """

    def __init__(
        self,
        leaves: int = 300,
        *,
        points: int = 10,
        covariance: bool = False,
        rank: int = 4,
        shrinkage: bool = True,
        split: Split | str = Split.WIDEST,
        pursuit: Pursuit | None = None,
    ) -> None:
        self.leaves = count(leaves, "the leaves of RPTree", least=1, most=LARGEST_BASIS)
        self.points = count(points, "the points of RPTree", least=2, most=LARGEST_BASIS)
        self.covariance = flag(covariance, "the covariance of RPTree")
        self.rank = count(rank, "the rank of RPTree", least=1, most=LARGEST_BASIS)
        self.shrinkage = flag(shrinkage, "the shrinkage of RPTree")
        self.split = member(Split, split, "the split of RPTree")
        self.pursuit = Pursuit() if pursuit is None else instance(pursuit, Pursuit, "pursuit")

    @property
    def capacity(self) -> int:
        return self.leaves

    def start(self, dimension: int, width: float) -> TreeState:
        return TreeState(
            self.leaves,
            self.points,
            self.covariance,
            self.split is Split.PRINTED,
            np.array([-1], dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.zeros((self.leaves, 2), dtype=np.int64),
            np.zeros((self.leaves, dimension)),
            np.zeros(self.leaves),
            np.zeros((self.leaves, dimension)),
            np.zeros(self.leaves),
            np.zeros(self.leaves, dtype=np.int64),
            np.zeros((self.leaves, self.points, dimension)),
            Shapes.empty(
                self.leaves if self.covariance else 0, dimension, self.rank, width, shrinks=self.shrinkage
            ),
        )

    def check(self, smoothness: Smoothness) -> None:
        if smoothness.views is not None:
            raise ParameterError(
                f"{self!r} has one view of the points, {smoothness!r} needs several; use a Buffer"
            )
        if self.covariance and not (isinstance(smoothness, Manifold) and smoothness.weight is None):
            raise ParameterError(
                f"{self!r} averages Gaussian weights over its leaves; "
                "use Manifold(width), or covariance=False"
            )

    def settings(self) -> dict[str, Any]:
        return {
            "leaves": self.leaves,
            "points": self.points,
            "covariance": self.covariance,
            "rank": self.rank,
            "shrinkage": self.shrinkage,
            "split": str(self.split),
        }


@implements(weigh, TreeState)
def weigh_leaves(basis: TreeState, terms: Any, expansion: Expansion, work: Workspace) -> int:
    if not basis.covariance:
        return gaussian_weights(terms, expansion, work)
    m = 0
    x = work.x[0]
    for i in range(expansion.size[0]):
        w = overlap(basis.shapes, i, basis.centre[i], x, work.sqdist[0, i], terms.reach)
        work.weight[i] = w
        if w > 0.0:
            work.near[m] = i
            m += 1
    return m


@implements(admit, TreeState)
def admit_to_tree(basis: TreeState, terms: Any, expansion: Expansion, work: Workspace, y: int) -> None:
    n, x = expansion.size[0], work.x[0]
    if n == 0:
        expansion.size[0] = 1
        store(expansion, work, n, int(UNLABELLED))
        for a in range(x.shape[0]):
            basis.centre[0, a] = x[a]
            basis.held[0, 0, a] = x[a]
        basis.stored[0] = 1
        return
    leaf = leaf_of(basis, x)
    leave(expansion, work, leaf)  # K at the old mean leaves, and comes back over the new means
    old = np.empty(x.shape[0])
    for a in range(x.shape[0]):
        old[a] = basis.centre[leaf, a]
    gather(basis, expansion, leaf, x)
    fresh = -1
    if n < basis.leaves and may_split(basis, expansion, leaf):
        fresh = split(basis, expansion, leaf)
    place(basis, terms, expansion, work, leaf, old)
    if fresh >= 0:
        place(basis, terms, expansion, work, fresh, old)
    pursue(terms, expansion, work)
    n = expansion.size[0]
    for i in range(n):  # then K at the point itself, which is discarded too
        work.residual[0, i] = work.k[0, i]
    work.norm[0] = work.kxx[0]
    for c in range(expansion.alpha.shape[1]):
        work.left[0, c] = work.delta[0, c]
        work.left_mean[0, c] = 0.0
    pursue(terms, expansion, work)


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


@internal
def place(tree: TreeState, terms: Any, expansion: Expansion, work: Workspace, i: int, old: Floats) -> None:
    """Put leaf i's mean where it is now: its kernel values, and the value of f there.

    `work` holds what is about to be spread: K at the `old` mean with the coefficients
    `left`, and K at the new point with `delta`. Their values at the mean are noted as well.
    """
    n, centre = expansion.size[0], tree.centre[i]
    points, gram, row = expansion.points[0], expansion.gram[0], work.row
    for a in range(centre.shape[0]):
        points[a, i] = centre[a]
    itself = kernel_values(terms.kernel, terms.gain[0], points, centre, n, work.shift, row)
    for j in range(n):
        gram[i, j] = row[j]
        gram[j, i] = row[j]
    gram[i, i] = itself
    to_old, to_x = np.empty((centre.shape[0], 2)), np.empty(2)
    for a in range(centre.shape[0]):
        to_old[a, 0], to_old[a, 1] = old[a], work.x[0, a]
    kernel_values(terms.kernel, terms.gain[0], to_old, centre, to_x.shape[0], work.apart[0], to_x)
    work.residual[0, i], work.k[0, i] = to_x[0], to_x[1]
    for c in range(expansion.alpha.shape[1]):
        expansion.alpha[0, c, i] = 0.0
        expansion.mean[0, c, i] = 0.0
        expansion.value[0, c, i] = (
            dot(expansion.alpha[0, c], row, n) + work.left[0, c] * to_x[0] + work.delta[0, c] * to_x[1]
        )
