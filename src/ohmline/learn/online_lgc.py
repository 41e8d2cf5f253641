"""OLLGC of paper 004: second-order online learning on a graph."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Self, final

import numpy as np
from numpy.typing import DTypeLike

from ohmline.arrays import positive
from ohmline.errors import KernelError, ParameterError
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.contract import Kernel, dense_matrix
from ohmline.kernel.space import Columns, Features
from ohmline.learn.contract import State, expect_kind, take
from ohmline.learn.lgc_blocked import run_blocked
from ohmline.learn.lgc_step import LGCState, Variance, WatchedLGC
from ohmline.learn.position import BinaryPositionLearner
from ohmline.learn.stepping import Log, Trials, reads_variance

BLOCKED_FROM = 32
"""Features from which ``play`` works ahead: twice as fast, and below it a pass takes no time anyway."""

AHEAD = 64
"""Trials a block. At d = 100 anything from 48 to 96 is equally fast, whether few labels are learned
or all; from 128 on BLAS may start threads for products this small, which costs far more."""


@final
class OnlineLGC(BinaryPositionLearner):
    """Online ridge regression in the features of a kernel (paper 004, Algorithm 1).

    | paper | here |
    |---|---|
    | M, m_t | ``kernel.features``: a ``SpectralKernel`` gives d per node |
    | mu | ``mu``: the larger, the slower it trusts a label |
    | w_{t-1}' m_t | ``margin_one(x)`` |
    | r_t | ``variance_one(x)``; ``variance`` picks the reading |

    With ``mistake_driven=False`` every label is learned, not only the mistaken ones. Played with
    ``VarianceAbove(kappa)`` it is SSLGC (Algorithm 2). ``dtype=numpy.float32`` halves memory
    and nearly halves time, at the cost of a few predictions.

    Cost per trial: O(d) to predict, O(d^2) per label learned and per variance. ``play`` works
    ahead in blocks where every trial needs a variance (``blocked=False`` forbids it): the same
    predictions away from ties, at the speed of a matrix product. A dense kernel is turned into
    its exact features first, at most n of them, by one eigendecomposition.

    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 12) for k in range(12)])
    >>> learner = ohm.OnlineLGC(ohm.SpectralKernel(ring, rank=5), mu=0.1)
    >>> for node, label in [(0, 1), (6, -1), (3, -1)]:
    ...     _ = learner.learn_one(node, label)
    >>> learner.predict_one(11), learner.predict_one(5)
    (1, -1)
    >>> learner.variance_one(6) < learner.variance_one(9)
    True

    References
    ----------
    Gu, Aggarwal, Liu and Han, Selective sampling on graphs for classification, KDD 2013.
    """

    kind = "OnlineLGC"

    def __init__(
        self,
        kernel: Kernel,
        mu: float = 0.1,
        *,
        mistake_driven: bool = True,
        variance: Variance = Variance.AFTER,
        dtype: DTypeLike = np.float64,
        blocked: bool = True,
    ) -> None:
        self.kernel = kernel
        self.mu = positive(mu, "mu")
        self.mistake_driven = mistake_driven
        self.variance = reading(variance)
        self.blocked = blocked
        self.space: Features = explicit_features(kernel, precision(dtype))
        d, kind = self.space.rows.shape[1], self.space.rows.dtype
        self.state = LGCState(
            np.zeros(d, kind),
            np.asarray(np.eye(d) / self.mu, kind),
            np.zeros(1, kind),
            np.array([not mistake_driven]),
            np.array([self.variance is Variance.BEFORE]),
        )
        self._watched = WatchedLGC(*self.state)

    @property
    def nodes(self) -> NodeIndex:
        return self.kernel.nodes

    @property
    def watched(self) -> WatchedLGC:
        return self._watched

    def variance_one(self, x: Hashable) -> float:
        """r_t: how little the labels learned so far say about ``x``."""
        return self.view_one(x).variance

    def drive(self, trials: Trials, spent: int, log: Log) -> int:
        if not (self.blocked and reads_variance(trials.rule) and len(self.state.weights) >= BLOCKED_FROM):
            return super().drive(trials, spent, log)
        return run_blocked(self.space, self.state, trials, spent, log, AHEAD)

    def settings(self) -> State:
        return {"mu": np.array(self.mu), "blocked": np.array(self.blocked)}

    @classmethod
    def restore(cls, state: State, kernel: Kernel) -> Self:
        expect_kind(state, cls.kind)
        learner = cls(
            kernel,
            float(take(state, cls.kind, "mu")),
            mistake_driven=not bool(take(state, cls.kind, "state.every")[0]),
            variance=Variance.BEFORE if take(state, cls.kind, "state.before")[0] else Variance.AFTER,
            dtype=take(state, cls.kind, "state.weights").dtype,
            blocked=bool(take(state, cls.kind, "blocked")),
        )
        learner.load(state)
        return learner


def precision(dtype: DTypeLike) -> np.dtype[Any]:
    """float64 or float32, or an error."""
    kind = np.dtype(dtype)
    if kind not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ParameterError(f"dtype must be numpy.float64 or numpy.float32, got {dtype!r}")
    return kind


def reading(variance: Variance) -> Variance:
    """A reading of r_t, or an error."""
    if not isinstance(variance, Variance):
        raise ParameterError(f"variance must be Variance.AFTER or Variance.BEFORE, got {variance!r}")
    return variance


def explicit_features(kernel: Kernel, dtype: np.dtype[Any]) -> Features:
    """Vectors whose inner products are the kernel: its own, or the exact ones of a dense matrix."""
    if not isinstance(kernel, Kernel):
        raise ParameterError(f"expected a kernel such as SpectralKernel(graph, rank=100), got {kernel!r:.80}")
    space = kernel.space
    if isinstance(space, Columns):
        raise KernelError(
            "OnlineLGC and SharedLGC need features, and this kernel has columns on demand; "
            "use SpectralKernel(graph, rank=100), or LocalLGC for full rank"
        )
    if isinstance(space, Features) and space.ridge == 0:
        return space if space.rows.dtype == dtype else Features.of(np.asarray(space.rows, dtype))
    values, vectors = np.linalg.eigh(dense_matrix(space))
    keep = values > values[-1] * len(values) * np.finfo(np.float64).eps
    return Features.of(np.asarray(vectors[:, keep] * np.sqrt(values[keep]), dtype))
