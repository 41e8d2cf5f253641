"""The leaves of a random projection tree as the basis (paper 003, section 3.2).

| paper 003 | here |
|---|---|
| L_i, s | a leaf; their number, at most `leaves` |
| mu_i, n_i | `centre[i]` (and `points` of the expansion), `mass[i]` |
| Sigma_i | low rank plus isotropic, in `leaf_shape` |
| beta_i | `alpha` of the expansion |

Leaf i is element i of the basis. A point goes down the tree to its leaf, whose mean moves a
little; a leaf that has gathered enough points splits. The tree itself is in `tree`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, count
from ohmline.checks import flag, instance
from ohmline.compiled import dot, implements, internal
from ohmline.errors import ParameterError
from ohmline.learn.manifold.bases.contract import LARGEST_BASIS, Basis, admit, weigh
from ohmline.learn.manifold.bases.leaf_shape import Shapes, overlap
from ohmline.learn.manifold.bases.tree import TreeState, gather, leaf_of, may_split, split
from ohmline.learn.manifold.choices import member
from ohmline.learn.manifold.expansion import (
    Expansion,
    Workspace,
    kernel_values,
    store,
)
from ohmline.learn.manifold.pursuit import Pursuit, leave, pursue
from ohmline.learn.manifold.smoothness import Manifold, Smoothness, gaussian_weights
from ohmline.learn.step import UNLABELLED


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
