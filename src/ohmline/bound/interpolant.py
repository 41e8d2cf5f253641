"""The smallest-norm function that fits what was seen."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ohmline.arrays import Floats, Ints
from ohmline.bound.evidence import Evidence
from ohmline.kernel.contract import Kernel, sqnorm_from_space
from ohmline.kernel.space import Dense


class Interpolant:
    """min ||u - w||^2 over u with u(i) = y_i on the seen nodes S: z' (K_SS)^-1 z with z = y - w_S.

    ``start`` is w, a function of the space by its values at every node; zero by default. The nodes
    enter in the order in which they were first seen, so that one Cholesky factor serves every
    prefix: its leading block is the factor of the nodes seen until then. A node that came with
    both labels takes the one it had more often (the later one, when equally often).

    >>> import ohmline as ohm
    >>> from ohmline.bound.evidence import evidence
    >>> pair = ohm.LaplacianKernel(ohm.Graph.from_edges([(0, 1)])) + ohm.Constant(1.0)
    >>> trace = ohm.play(ohm.Perceptron(pair), ohm.Stream([0, 1], [1, -1]))
    >>> fit = Interpolant(evidence(trace, ohm.Perceptron), pair)
    >>> round(fit.sqnorm(2), 6)  # the cut is 1, so u'Lu = 4; the labels are balanced
    4.0
    """

    def __init__(self, seen: Evidence, kernel: Kernel, start: Floats | None = None) -> None:
        self.positions: Ints
        """The distinct seen nodes, in order of appearance."""
        self.place: Ints
        """For each trial the place of its node in ``positions``."""
        found, first, inverse = np.unique(seen.positions, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        self.positions, self.place = found[order], rank[inverse.ravel()]
        self._signs = seen.labels
        self._start = np.zeros(len(found)) if start is None else start[self.positions]
        self._block = kernel.block(self.positions)
        self.factor, self.definite = leading_factor(self._block)
        """The lower Cholesky factor of K_SS, and up to which node K_SS is positive definite."""

    def distinct(self, trials: int) -> int:
        """How many different nodes came up in the first ``trials`` trials."""
        return int(self.place[:trials].max()) + 1 if trials else 0

    def labels(self, trials: int) -> Floats:
        """The label of every distinct node, as the first ``trials`` trials tell it."""
        place, given = self.place[:trials], self._signs[:trials]
        size = self.distinct(trials)
        votes = np.bincount(place, weights=given, minlength=size)
        latest = np.empty(size)
        latest[place] = given  # NumPy keeps the last of repeated assignments
        return np.where(votes != 0, np.sign(votes), latest)

    def sqnorm(self, trials: int) -> float:
        """||u - w||^2 for the first ``trials`` trials; infinite where no function of the space fits."""
        size = self.distinct(trials)
        if size == 0:
            return 0.0
        gap = self.labels(trials) - self._start[:size]
        if size > self.definite:
            return sqnorm_from_space(Dense(self._block[:size, :size]), gap)
        z = linalg.solve_triangular(self.factor[:size, :size], gap, lower=True)
        return float(z @ z)

    def weights(self, trials: int) -> Floats:
        """(K_SS)^-1 y: the weights of the seen nodes' kernel columns in u."""
        size = self.distinct(trials)
        solved = linalg.cho_solve((self.factor[:size, :size], True), self.labels(trials))
        return np.asarray(solved, dtype=np.float64)


def leading_factor(block: Floats) -> tuple[Floats, int]:
    """The lower Cholesky factor of the largest leading block that is positive definite, and its size.

    A pivot that is a rounding error of its own diagonal entry counts as zero.

    >>> leading_factor(np.ones((2, 2)))
    (array([[1.]]), 1)
    """
    if not len(block):
        return block, 0
    factor, failed = linalg.lapack.dpotrf(block, lower=1, clean=True)
    size = failed - 1 if failed > 0 else len(block)
    pivots = np.diagonal(factor)[:size] ** 2
    small = np.flatnonzero(pivots <= 1e-12 * np.diagonal(block)[:size])
    if len(small):
        size = int(small[0])
    return np.asarray(factor[:size, :size], dtype=np.float64), size
