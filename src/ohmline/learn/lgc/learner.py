"""OLLGC of paper 004: second-order online learning on a graph."""

from __future__ import annotations

from typing import Self, final

import numpy as np
from numpy.typing import DTypeLike

from ohmline.checks import choice, flag
from ohmline.kernel.contract import Kernel
from ohmline.learn.belief import LinearBelief
from ohmline.learn.contract import State
from ohmline.learn.lgc.ridge_regression import Variance, expect_mu, regressors
from ohmline.learn.lgc.step import LGCState
from ohmline.learn.node_learner import BinaryKernelLearner
from ohmline.learn.snapshots import expect_kind, saved_flag, saved_member, saved_number, take


@final
class OnlineLGC(BinaryKernelLearner):
    """Online ridge regression in the features of a kernel (paper 004, Algorithm 1).

    | paper | here |
    |---|---|
    | M, m_t | `kernel.features`: a `SpectralKernel` gives d per node |
    | mu | `mu`: the larger, the slower it trusts a label |
    | w_{t-1}' m_t | `margin_one(x)` |
    | r_t | `variance_one(x)`; `variance` picks the reading |

    Played with `VarianceAbove(kappa)` it is SSLGC (Algorithm 2).

    Cost per trial: O(d) to predict, O(d^2) per label learned and per variance. A dense kernel is turned into
    its exact features first, at most n of them, by one eigendecomposition.

    Parameters
    ----------
    kernel
        The features: a `SpectralKernel`, or any kernel that is not made of columns on demand.
    mu
        The ridge, above 0. Default 0.1.
    mistake_driven
        Learn mistaken labels only (default), as the paper does; False learns every label.
    variance
        Which of the two readings of r_t queries are told: `Variance.AFTER` (default) or `.BEFORE`.
    dtype
        `numpy.float64` (default) or `numpy.float32`, which halves memory and nearly halves time, at the
        cost of a few predictions.
    blocked
        Prepare for many upcoming nodes at a time where every trial needs a variance (default): the same
        margins and variances up to rounding, at the speed of a matrix product.

    Examples
    --------
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
        self.mistake_driven, self.blocked = flag(mistake_driven, "mistake_driven"), flag(blocked, "blocked")
        self.variance = choice(variance, Variance, "variance")
        self.space = regressors(kernel, dtype, variance, every=not mistake_driven, blocks=blocked)
        self.mu = expect_mu(mu, self.space)
        self.dtype = dtype
        self.state = LGCState.empty(self.space, self.mu)

    def belief(self) -> LinearBelief:
        """Its regression in one-hot labels: a value v becomes (1 - v) / 2 for -1 and (1 + v) / 2 for +1."""
        with self._still:
            value = np.asarray(self.space.rows @ self.state.weights, dtype=np.float64)
            inverse = np.array(self.state.inverse, dtype=np.float64)
        mean = np.stack([(1 - value) / 2, (1 + value) / 2], axis=1)
        return LinearBelief((-1, 1), mean, np.asarray(self.space.rows, dtype=np.float64), inverse, 1.0)

    def settings(self) -> State:
        return {
            "mu": np.array(self.mu),
            "mistake_driven": np.array(self.mistake_driven),
            "variance": np.array(self.variance.value),
            "blocked": np.array(self.blocked),
        }

    @classmethod
    def restore(cls, state: State, kernel: Kernel) -> Self:
        expect_kind(state, cls.kind)
        learner = cls(
            kernel,
            saved_number(state, cls.kind, "mu"),
            mistake_driven=saved_flag(state, cls.kind, "mistake_driven"),
            variance=saved_member(state, cls.kind, "variance", Variance),
            dtype=take(state, cls.kind, "state.weights").dtype.type,
            blocked=saved_flag(state, cls.kind, "blocked"),
        )
        learner.load(state)
        return learner
