"""A fixed set of landmarks as the basis: the space they span, with exact projections onto it."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np

from ohmline.arrays import Floats, count, positive
from ohmline.compiled import dot, implements
from ohmline.errors import ParameterError
from ohmline.learn.manifold.bases.contract import LARGEST_BASIS, Basis, admit, weigh
from ohmline.learn.manifold.expansion import Expansion, Workspace, store
from ohmline.learn.manifold.pursuit import Pursuit
from ohmline.learn.manifold.smoothness import Smoothness, gaussian_weights
from ohmline.learn.step import UNLABELLED


class NystroemState(NamedTuple):
    """The inverse of the landmarks' Gram matrix, and what counts as inside their span."""

    room: int
    slack: float
    inverse: Floats


@final
class Nystroem(Basis):
    """A basis of landmarks: the first `size` points that are not already in the span of those before them.

    Every later point's K_x is projected onto the span, so a step is the gradient step of the
    problem restricted to the landmarks' functions: the Nyström approximation, online. Where
    matching pursuit loses up to half of a function, nothing is lost here that the span can hold;
    but landmarks never change, so it is for streams that do not drift.

    Cost per point: size^2 for the projection, size x d for the kernel values.

    Parameters
    ----------
    size
        How many landmarks there may be, at least 1. Default 300.
    slack
        A point becomes a landmark when more than this share of ||K_x||^2 lies outside the span; above 0. Default 1e-6.

    Examples
    --------
    >>> Nystroem(100)
    Nystroem(size=100)
    """

    def __init__(self, size: int = 300, *, slack: float = 1e-6) -> None:
        self.size = count(size, "the size of Nystroem", least=1, most=LARGEST_BASIS)
        self.slack = positive(slack, "the slack of Nystroem")
        self.pursuit = Pursuit()

    @property
    def capacity(self) -> int:
        return self.size

    def start(self, dimension: int, width: float) -> NystroemState:
        return NystroemState(self.size, self.slack, np.zeros((self.size, self.size)))

    def check(self, smoothness: Smoothness) -> None:
        if smoothness.views is not None:
            raise ParameterError(
                f"{self!r} has one view of the points, {smoothness!r} needs several; use a Buffer"
            )

    def settings(self) -> dict[str, Any]:
        return {"size": self.size, "slack": self.slack}


@implements(weigh, NystroemState)
def weigh_landmarks(basis: NystroemState, terms: Any, expansion: Expansion, work: Workspace) -> int:
    return gaussian_weights(terms, expansion, work)


@implements(admit, NystroemState)
def admit_landmark(basis: NystroemState, terms: Any, expansion: Expansion, work: Workspace, y: int) -> None:
    n, k, kxx = expansion.size[0], work.k[0], work.kxx[0]
    share, inverse = work.row, basis.inverse
    for i in range(n):
        share[i] = dot(inverse[i], k, n)
    outside = kxx - dot(share, k, n)
    if n < basis.room and outside > basis.slack * kxx:
        # The inverse of the Gram matrix with one more row, by its Schur complement.
        for i in range(n):
            for j in range(n):
                inverse[i, j] += share[i] * share[j] / outside
            inverse[i, n] = -share[i] / outside
            inverse[n, i] = inverse[i, n]
        inverse[n, n] = 1.0 / outside
        expansion.size[0] = n + 1
        store(expansion, work, n, int(UNLABELLED))
        return
    for c in range(expansion.alpha.shape[1]):
        # The projection agrees with K_x at every landmark, so the values need no correction.
        alpha, delta = expansion.alpha[0, c], work.delta[0, c]
        for i in range(n):
            alpha[i] += delta * share[i]
