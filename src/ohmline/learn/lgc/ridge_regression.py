"""The arithmetic of paper 004: ridge regression one label at a time.

| paper 004 | here | meaning |
|---|---|---|
| m_t | `m` | the features of the node that came up |
| A_t = mu I + sum m m' | `inverse` holds A_t^-1 | over the labels learned so far |
| w_t = A_t^-1 b_t | `weights` | the hypothesis |
| A_{t-1}^-1 m_t | `g`, the gain | direction of the step |
| m_t' A_{t-1}^-1 m_t | `q` | variance before the label |
| r_t = m_t' A_t^-1 m_t | q / (1 + q) | variance after it, whatever it will be |

By Sherman and Morrison a label costs two passes over A^-1: one for the gain, one for
A_t^-1 = A_{t-1}^-1 - g g' / (1 + q), w_t = w_{t-1} + g (y - margin) / (1 + q).
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ohmline.arrays import AnyArray
from ohmline.checks import choice, instance, positive, shown
from ohmline.compiled import dot, internal
from ohmline.errors import KernelError, ParameterError
from ohmline.kernel.contract import Kernel
from ohmline.kernel.space import Features
from ohmline.learn.contract import TIE


class Variance(Enum):
    """Which r_t a query is given: the paper's text allows both readings."""

    AFTER = "after"
    """m' A_t^-1 m = q / (1 + q), with m_t already in A_t: the reading that fits Table 2."""
    BEFORE = "before"
    """m' A_{t-1}^-1 m = q."""


class Regressors(NamedTuple):
    """The features of every node, and the options of the step."""

    rows: AnyArray
    diagonal: AnyArray
    """||m||^2 of every row."""
    every: bool
    """Whether a label is learned although it was predicted."""
    before: bool
    """Whether the variance is q rather than q / (1 + q)."""
    blocks: bool
    """Whether upcoming nodes are prepared for, many at a time."""

    @property
    def table(self) -> AnyArray:
        """The rows that are read one by one, so that a loop can send for them ahead of time."""
        return self.rows


def regressors(
    kernel: Kernel, dtype: DTypeLike, variance: Variance, *, every: bool, blocks: bool
) -> Regressors:
    """The space of a learner over `kernel`, or an error that names what is wrong."""
    choice(variance, Variance, "variance")
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError):
        kind = None
    if kind is None or kind not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ParameterError(f"dtype must be numpy.float64 or numpy.float32, got {shown(dtype)}")
    features = explicit_features(kernel)
    if features.rows.dtype != kind:
        features = Features.of(np.asarray(features.rows, kind))
    before = variance is Variance.BEFORE
    return Regressors(features.rows, features.diagonal, bool(every), before, bool(blocks))


BLURRED = 0.1
"""Rounding of A^-1 beside the variance that is left after one label: beyond, its digits are noise."""


def expect_mu(mu: float, space: Regressors) -> float:
    """mu as it was given, or an error where A^-1 cannot be kept in the precision of the rows."""
    mu = positive(mu, "mu")
    largest = float(space.diagonal.max(initial=0.0))
    least = largest * float(np.finfo(space.rows.dtype).eps) / BLURRED
    if mu < least or not np.isfinite(1 / mu):
        raise ParameterError(
            f"mu is {mu!r}, and with features of squared length {largest:.3g} in {space.rows.dtype} nothing would be "
            f"left of it but rounding; use at least {max(least, 1e-300):.1g}, or a kernel with a larger shift"
        )
    return mu


def explicit_features(kernel: Kernel) -> Features:
    """Vectors whose inner products are the kernel: its own, or the exact ones of a dense matrix."""
    instance(kernel, Kernel, "kernel", "make one, for example SpectralKernel(graph, rank=100)")
    if kernel.space.partial:
        raise KernelError(
            "OnlineLGC and SharedLGC need features, and this kernel has columns on demand; "
            "use SpectralKernel(graph, rank=100), or LocalLGC for full rank"
        )
    explicit = kernel.space.explicit()
    if explicit is not None and explicit.ridge == 0:
        return explicit
    values, vectors = np.linalg.eigh(kernel.space.dense())
    keep = values > values[-1] * len(values) * np.finfo(np.float64).eps
    return Features.of(vectors[:, keep] * np.sqrt(values[keep]))


@internal
def gain(inverse: AnyArray, m: AnyArray, g: AnyArray) -> None:
    """g = A^-1 m."""
    for k in range(m.shape[0]):
        g[k] = dot(inverse[k], m, m.shape[0])


@internal
def quadratic(inverse: AnyArray, m: AnyArray) -> float:
    """m' A^-1 m from the lower triangle: half of what the gain reads."""
    q = m.dtype.type(0)
    for k in range(m.shape[0]):
        row = inverse[k]
        q += m[k] * (2 * dot(row, m, k) + row[k] * m[k])
    return max(q, m.dtype.type(0))


@internal
def downdate(inverse: AnyArray, g: AnyArray, q: float) -> None:
    """A^-1 -= g g' / (1 + q), leaving it symmetric to the last bit; g becomes g / sqrt(1 + q)."""
    scale = 1 / np.sqrt(1 + q)
    for k in range(g.shape[0]):
        g[k] *= scale
    for j in range(g.shape[0]):
        row, c = inverse[j], g[j]
        for k in range(g.shape[0]):
            row[k] -= c * g[k]


@internal
def tie(dtype_eps: float, sqnorm: float, gross: float, blur: float, sqlength: float) -> float:
    """How large a margin w'm may be and still be 0 but for rounding.

    As for every hypothesis (`learn.hypothesis.negligible`), but that A^-1 magnifies rounding by up to 1 + q, which
    is `blur`. Single precision cannot tell as much as double.
    """
    share = max(TIE, 8 * dtype_eps)
    size = max(share * np.sqrt(float(sqnorm)), min(share, 16 * dtype_eps * blur) * gross)
    return size * np.sqrt(float(sqlength))


@internal
def spread(q: float, before: bool) -> float:
    """The variance that a query is told."""
    return q if before else q / (1 + q)
