"""The smallest-norm function that fits what was seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, final

import numpy as np
from scipy import linalg

from ohmline.arrays import Floats, Ints
from ohmline.bound.asked_trials import Evidence
from ohmline.graph.elimination import EPS
from ohmline.kernel.contract import Kernel
from ohmline.kernel.space import Dense
from ohmline.kernel.sums import sqnorm_from_space


@final
class Interpolant:
    """min ||u - w||^2 over u with u(i) = y_i on the seen nodes S: z' (K_SS)^-1 z with z = y - w_S.

    `start` is w, a function of the space by its values at every node; zero by default. The nodes
    enter in the order in which they were first seen, so that one factorisation serves every prefix.
    A node that came with both labels takes the one it had more often (the later one, when equally
    often). Cost: one Cholesky factor of K_SS; with a rank-d kernel O(d^2) per node instead.

    >>> import ohmline as ohm
    >>> from ohmline.bound.asked_trials import evidence
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
        """For each trial the place of its node in `positions`."""
        found, first, inverse = np.unique(seen.positions, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        self.positions, self.place = found[order], rank[inverse.ravel()]
        self._signs = seen.labels
        self._start = np.zeros(len(found)) if start is None else start[self.positions]
        self.gram: Block | Rows
        explicit = kernel.space.explicit()
        if explicit is not None:
            self.gram = Rows(explicit.rows[self.positions], explicit.ridge)
        else:
            self.gram = block_of(kernel, self.positions)

    def distinct(self, trials: int) -> int:
        """How many different nodes came up in the first `trials` trials."""
        return int(self.place[:trials].max()) + 1 if trials else 0

    def labels(self, trials: int) -> Floats:
        """The label of every distinct node, as the first `trials` trials tell it."""
        place, given = self.place[:trials], self._signs[:trials]
        size = self.distinct(trials)
        votes = np.bincount(place, weights=given, minlength=size)
        latest = np.empty(size)
        latest[place] = given  # NumPy keeps the last of repeated assignments
        return np.where(votes != 0, np.sign(votes), latest)

    def sqnorm(self, trials: int) -> float:
        """||u - w||^2 for the first `trials` trials; infinite where no function of the space fits."""
        size = self.distinct(trials)
        return self.gram.sqnorm(self.labels(trials) - self._start[:size]) if size else 0.0


def block_of(kernel: Kernel, positions: Ints) -> Block:
    """K_SS and its factor."""
    return once(("block", kernel, positions.tobytes()), lambda: Block(kernel.block(positions)))


T = TypeVar("T")
_SHARED: ContextVar[dict[Any, Any] | None] = ContextVar("what certificates share", default=None)


@contextmanager
def shared() -> Iterator[None]:
    """Within this context, what several certificates of one game need is worked out once: factors, above all."""
    if _SHARED.get() is not None:
        yield
        return
    token = _SHARED.set({})
    try:
        yield
    finally:
        _SHARED.reset(token)


def once(key: tuple[str, Kernel, bytes], work: Callable[[], T]) -> T:
    """What `work` gives, from an earlier call with the same key where results are `shared`."""
    kept = _SHARED.get()
    if kept is None:
        return work()
    name, kernel, content = key
    place = (name, id(kernel), content)
    if place not in kept:
        kept[place] = work(), kernel  # held, so that nobody else gets its id meanwhile
    found: T = kept[place][0]
    return found


@final
class Block:
    """K_SS in full; the leading block of its factor is the factor of the leading block."""

    def __init__(self, block: Floats) -> None:
        self.block, self._size = block, np.abs(block)
        self.factor, self.definite = leading_factor(block)
        """The lower Cholesky factor, and up to which node the block is positive definite."""

    def sqnorm(self, gap: Floats) -> float:
        """gap' K^-1 gap over the first `len(gap)` nodes; infinite where K has no such function."""
        size = len(gap)
        if size > self.definite:
            return sqnorm_from_space(Dense(self.block[:size, :size]), gap)
        factor, block = (self.factor[:size, :size], True), self.block[:size, :size]
        weights = linalg.cho_solve(factor, gap, check_finite=False)
        gross = np.abs(weights) @ self._size[:size, :size] @ np.abs(weights)
        return enclosed(weights, block @ weights, gross, gap, factor)


@final
class Rows:
    """K_SS = rows rows' + ridge I, never formed: everything happens in d dimensions."""

    def __init__(self, rows: Floats, ridge: float) -> None:
        self.rows, self.ridge = rows, ridge
        self._size, self._gram = 0, np.zeros((rows.shape[1], rows.shape[1]))

    def sqnorm(self, gap: Floats) -> float:
        """gap' K^-1 gap over the first `len(gap)` nodes; infinite where K has no such function."""
        rows = self.rows[: len(gap)]
        if len(gap) < self._size:
            self._size, self._gram = 0, np.zeros_like(self._gram)
        fresh = rows[self._size :]
        self._gram, self._size = self._gram + fresh.T @ fresh, len(gap)
        target = rows.T @ gap
        if self.ridge > 0:
            # Woodbury: K^-1 = (I - R (ridge I + R'R)^-1 R') / ridge.
            solved = linalg.solve(self._gram + self.ridge * np.eye(len(target)), target, assume_a="pos")
            return max(float(gap @ gap - target @ solved), 0.0) / self.ridge
        values, vectors = np.linalg.eigh(self._gram)
        keep = values > 1e-12 * max(float(values[-1]), 1e-300)
        w = vectors[:, keep] @ ((vectors[:, keep].T @ target) / values[keep])
        missed = rows @ w - gap
        return float(w @ w) if float(missed @ missed) <= 1e-12 * float(gap @ gap) else float("inf")


def enclosed(
    weights: Floats, fitted: Floats, gross: float, gap: Floats, factor: tuple[Floats, bool]
) -> float:
    """An upper bound on gap' K^-1 gap, from weights that nearly solve K weights = gap.

    The function with these weights has the squared norm weights' K weights, to a rounding of `gross`, the same
    with absolute values. It misses the values by gap - fitted, and what mends that has the norm that a second
    solve finds; the exact one is no longer than both together.
    """
    own = max(float(weights @ fitted), 0.0) + len(gap) * EPS * gross
    missed = gap - fitted
    mend = abs(float(missed @ linalg.cho_solve(factor, missed, check_finite=False)))
    return float((np.sqrt(own) + 2 * np.sqrt(mend)) ** 2)


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
