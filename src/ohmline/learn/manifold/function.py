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
    """A learned function without its learner: f = mean over the views v of sum_i alpha_vi K_v(points_i, .).

    Call it with rows of points. It stays as it is when the learner learns on.

    Attributes
    ----------
    kernels
        The kernel of each view; there is one view unless the regulariser is `Multiview`.
    columns
        For each view the columns of a point that it sees.
    points
        The basis, one row per element.
    alpha
        The coefficients, of shape (views, classes, elements); a binary problem has one class.
    scale
        What each feature is multiplied by before the kernels see it; None (default) for 1.

    Examples
    --------
    >>> from ohmline.kernel import RBF
    >>> f = KernelFunction.single(RBF(1.0), np.zeros((1, 2)), np.array([2.0]))
    >>> f([[0.0, 0.0], [1.0, 1.0]]).round(3), f.sqnorm
    (array([2.   , 0.736]), 4.0)
    """

    kernels: tuple[VectorKernel, ...]
    columns: tuple[Ints, ...]
    points: Floats
    alpha: Floats
    scale: Floats | None = None

    @classmethod
    def single(cls, kernel: VectorKernel, points: Floats, alpha: Floats) -> KernelFunction:
        """A function of one view that sees every feature: sum_i alpha_i K(points_i, .).

        Parameters
        ----------
        kernel
            The kernel K.
        points
            The basis, one row per element.
        alpha
            One coefficient per element; for several classes one row per class.
        """
        return cls((kernel,), (np.arange(points.shape[1]),), points, np.atleast_2d(alpha)[None])

    def __call__(self, x: ArrayLike) -> Floats:
        """The value at each of many points.

        Parameters
        ----------
        x
            One row per point, with as many columns as the basis has.

        Returns
        -------
        array
            One number per point; one row per point and one column per class when there are several.
        """
        values = self.by_view(x).mean(axis=0).T
        return values[:, 0] if self.alpha.shape[1] == 1 else values

    def by_view(self, x: ArrayLike) -> Floats:
        """The value of the function of each view and class at each of many points.

        Parameters
        ----------
        x
            As for a call.

        Returns
        -------
        array
            Of shape (views, classes, points).
        """
        rows = matrix(x, "x")
        if rows.shape[1] != self.points.shape[1]:
            raise ShapeError(f"x must have {self.points.shape[1]} columns, got {rows.shape[1]}")
        rows, points = self._scaled(rows), self._scaled(self.points)
        return np.array(
            [
                alpha @ kernel(points[:, columns], rows[:, columns])
                for kernel, columns, alpha in zip(self.kernels, self.columns, self.alpha, strict=True)
            ]
        )

    @property
    def sqnorm(self) -> float:
        """||f||^2 in the kernel's space, summed over views and classes."""
        total, points = 0.0, self._scaled(self.points)
        for kernel, columns, alpha in zip(self.kernels, self.columns, self.alpha, strict=True):
            seen = points[:, columns]
            total += float(np.einsum("ci,ij,cj->", alpha, kernel(seen, seen), alpha))
        return total

    def _scaled(self, rows: Floats) -> Floats:
        return rows if self.scale is None else rows * self.scale
