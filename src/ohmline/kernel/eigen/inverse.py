"""A filter made of the inverse of a shifted Laplacian, through its sparse factor, for blocks of vectors."""

from __future__ import annotations

from typing import final

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats
from ohmline.compiled import Stopped, compiled, interrupted
from ohmline.kernel.factor import PATIENCE, Estimate, Factor, factorise

DEGREE = 6


@final
class InverseFilter:
    """A Chebyshev polynomial of (A + shift I)^-1 that is large on the smallest eigenvalues of A.

    Eigenvalues above the cut become inverses between 0 and 1 / (cut + shift), which the polynomial keeps within 1; the
    smallest ones, with a shift near the cut, it lifts to about 10,000.

    Parameters
    ----------
    laplacian
        A, positive semidefinite.
    shift
        What is added to its diagonal, above 0.
    plan
        An estimate of the factor that fits.
    """

    def __init__(self, laplacian: sparse.csr_array, shift: float, plan: Estimate) -> None:
        n = laplacian.shape[0]
        self.shift = self.cut = shift
        self._factor = factorise(sparse.csr_array(laplacian + shift * sparse.eye_array(n)), plan)

    def __call__(self, block: Floats) -> Floats:
        scale = 2.0 * (self.cut + self.shift)
        previous = block[self._factor.order]
        current = self._scaled(previous, scale)
        for _ in range(DEGREE - 1):
            previous, current = current, 2.0 * self._scaled(current, scale) - previous
        out = np.empty_like(current)
        out[self._factor.order] = current
        return out

    def _scaled(self, block: Floats, scale: float) -> Floats:
        solved = scale * block
        solve_block(self._factor, solved)
        solved -= block
        return solved


@compiled
def solve_block(factor: Factor, x: Floats) -> None:
    """x = A^-1 x for a block of columns side by side, with rows in the order of the factor."""
    indptr, indices, values = factor.indptr, factor.indices, factor.values
    n, width = x.shape
    for j in range(n):
        if j % (16 * PATIENCE) == 0 and interrupted():
            raise Stopped("an eigensolver was interrupted")
        pivot = values[indptr[j]]
        for c in range(width):
            x[j, c] /= pivot
        for q in range(indptr[j] + 1, indptr[j + 1]):
            i, value = indices[q], values[q]
            for c in range(width):
                x[i, c] -= value * x[j, c]
    for j in range(n - 1, -1, -1):
        for q in range(indptr[j] + 1, indptr[j + 1]):
            i, value = indices[q], values[q]
            for c in range(width):
                x[j, c] -= value * x[i, c]
        pivot = values[indptr[j]]
        for c in range(width):
            x[j, c] /= pivot
