"""A function in a kernel's space, as its expansion: what a learner knows, without the learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, Ints, matrix
from ohmline.errors import ShapeError
from ohmline.kernel.vector import VectorKernel


@final
@dataclass(frozen=True, eq=False)
class KernelFunction:
    """f = mean over the views v of sum_i alpha_vi K_v(points_i, .), one function per class.

    >>> from ohmline.kernel import RBF
    >>> f = KernelFunction.single(RBF(1.0), np.zeros((1, 2)), np.array([2.0]))
    >>> f([[0.0, 0.0], [1.0, 1.0]]).round(3), f.sqnorm
    (array([2.   , 0.736]), 4.0)
    """

    kernels: tuple[VectorKernel, ...]
    """One per view."""
    columns: tuple[Ints, ...]
    """The features that each view sees."""
    points: Floats
    """The basis, (n, d)."""
    alpha: Floats
    """(views, classes, n); one class for a binary problem."""

    @classmethod
    def single(cls, kernel: VectorKernel, points: Floats, alpha: Floats) -> KernelFunction:
        """One view of all features: sum_i alpha_i K(points_i, .)."""
        return cls((kernel,), (np.arange(points.shape[1]),), points, np.atleast_2d(alpha)[None])

    def __call__(self, x: ArrayLike) -> Floats:
        """The value at every row of `x`: (rows,), or (rows, classes) when there are several."""
        rows = matrix(x, "x")
        if rows.shape[1] != self.points.shape[1]:
            raise ShapeError(f"x must have {self.points.shape[1]} columns, got {rows.shape[1]}")
        values = np.zeros((len(rows), self.alpha.shape[1]))
        for kernel, columns, alpha in zip(self.kernels, self.columns, self.alpha, strict=True):
            values += kernel(rows[:, columns], self.points[:, columns]) @ alpha.T
        values /= len(self.kernels)
        return values[:, 0] if self.alpha.shape[1] == 1 else values

    @property
    def sqnorm(self) -> float:
        """||f||^2 in the kernel's space, summed over views and classes."""
        total = 0.0
        for kernel, columns, alpha in zip(self.kernels, self.columns, self.alpha, strict=True):
            seen = self.points[:, columns]
            total += float(np.einsum("ci,ij,cj->", alpha, kernel(seen, seen), alpha))
        return total
