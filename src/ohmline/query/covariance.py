"""Covariances over all nodes that are never written out: a column, a product, the diagonal."""

from __future__ import annotations

from typing import Protocol, final

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled
from ohmline.errors import KernelError
from ohmline.kernel.contract import Kernel
from ohmline.kernel.factor import Factor, estimate, factorise, inverse_diagonal, inverse_pair, solve
from ohmline.kernel.iterate import conjugate_gradients

FILL_LIMIT, FLOP_LIMIT = 20_000_000, 5e10
"""Entries and operations beyond which a factor is not made: about 240 MB, and about a minute."""
PROBES = 64
"""Random right sides from which a diagonal is estimated where there is no factor."""
TOLERANCE, STEPS = 1e-8, 20_000
"""Where conjugate gradients end, and after how many steps they give up."""


class Covariance(Protocol):
    """The covariance C of one value per node."""

    @property
    def n(self) -> int:
        """How many nodes there are."""
        ...

    def columns(self, positions: Ints) -> Floats:
        """C e_i for each of the positions, as rows of an array of the caller's own."""
        ...

    def times(self, weights: Floats) -> Floats:
        """C w."""
        ...

    def diagonal(self) -> Floats:
        """The variance of every node, in an array of the caller's own."""
        ...


def inverse_of(precision: sparse.csr_array) -> Covariance:
    """The covariance of a sparse precision: by its Cholesky factor where that fits, else by conjugate gradients."""
    plan = estimate(precision, fill_limit=FILL_LIMIT, flop_limit=FLOP_LIMIT)
    return Factored(factorise(precision, plan)) if plan.fits else Iterated(precision)


@final
class Factored:
    """C = Q^-1 by the sparse Cholesky factor of Q; a column costs one pass over the factor."""

    def __init__(self, factor: Factor) -> None:
        self._factor = factor
        self._place: Ints = np.empty(len(factor.order), np.int64)
        self._place[factor.order] = np.arange(len(factor.order))

    @property
    def n(self) -> int:
        return len(self._place)

    def columns(self, positions: Ints) -> Floats:
        out = np.empty((len(positions), self.n))
        columns_of(self._factor, self._place, positions, out)
        return out

    def times(self, weights: Floats) -> Floats:
        return solve(self._factor, weights)

    def diagonal(self) -> Floats:
        return inverse_diagonal(self._factor)


@compiled
def columns_of(factor: Factor, place: Ints, positions: Ints, out: Floats) -> None:
    """Columns of the inverse as rows, two at a time: the second costs next to nothing."""
    for k in range(0, len(positions), 2):
        last = min(k + 1, len(positions) - 1)
        pair = inverse_pair(factor, place[positions[k]], place[positions[last]])
        for j in range(len(place)):
            out[k, j] = pair[place[j], 0]
            out[last, j] = pair[place[j], 1]


@final
class Iterated:
    """C = Q^-1 by conjugate gradients, where the factor of Q does not fit. Its diagonal is estimated.

    With random signs z, the mean of z * C z is the diagonal of C; no entry of it is below 1 / Q_ii.
    """

    def __init__(self, precision: sparse.csr_array) -> None:
        self._rows = (precision.indptr.astype(np.int64), precision.indices.astype(np.int64), precision.data)
        self._diagonal = precision.diagonal()

    @property
    def n(self) -> int:
        return len(self._diagonal)

    def columns(self, positions: Ints) -> Floats:
        out = np.zeros((len(positions), self.n))
        for row, i in zip(out, positions.tolist(), strict=True):
            row[i] = 1.0
            row[:] = self.times(row)
        return out

    def times(self, weights: Floats) -> Floats:
        found, converged = conjugate_gradients(*self._rows, self._diagonal, weights, TOLERANCE, STEPS)
        if not converged:
            raise KernelError(
                f"conjugate gradients did not reach {TOLERANCE:g} in {STEPS} steps on {self.n} nodes; give the learner "
                "a larger ridge"
            )
        return np.asarray(found)

    def diagonal(self) -> Floats:
        rng, total = np.random.default_rng(0), np.zeros(self.n)
        for _ in range(PROBES):
            signs = np.where(rng.random(self.n) < 0.5, -1.0, 1.0)
            total += signs * self.times(signs)
        return np.maximum(total / PROBES, 1 / self._diagonal)


@final
class OfFeatures:
    """C = M A^-1 M' for one row of features per node."""

    def __init__(self, features: Floats, inverse: Floats) -> None:
        self._features, self._inverse = features, inverse

    @property
    def n(self) -> int:
        return len(self._features)

    def columns(self, positions: Ints) -> Floats:
        return np.asarray((self._features[positions] @ self._inverse) @ self._features.T)

    def times(self, weights: Floats) -> Floats:
        return np.asarray(self._features @ (self._inverse @ (weights @ self._features)))

    def diagonal(self) -> Floats:
        return np.asarray(((self._features @ self._inverse) * self._features).sum(axis=1))


@final
class OfKernel:
    """The kernel itself: the covariance before any label."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    @property
    def n(self) -> int:
        return self._kernel.n

    def columns(self, positions: Ints) -> Floats:
        rows = [self._kernel.column(self._kernel.nodes[i]) for i in positions.tolist()]
        return np.array(rows).reshape(len(rows), self.n)

    def times(self, weights: Floats) -> Floats:
        total = np.zeros(self.n)
        for i in np.flatnonzero(weights).tolist():
            total += weights[i] * self._kernel.column(self._kernel.nodes[i])
        return total

    def diagonal(self) -> Floats:
        return np.array(self._kernel.diagonal())
