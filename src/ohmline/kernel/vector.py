"""Kernels on vectors, and their restriction to a given set of points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from functools import cached_property
from hashlib import sha256
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, Ints, matrix, positive, vector
from ohmline.errors import ShapeError
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.contract import Kernel
from ohmline.kernel.space import Dense
from ohmline.kernel.sums import sqnorm_from_space


class VectorKernel(ABC):
    """A kernel on vectors: a positive definite function of two of them.

    Called with two tables it gives a matrix; `over` makes it a kernel on a fixed set of points.
    """

    @abstractmethod
    def __call__(self, a: Floats, b: Floats) -> Floats:
        """The matrix of k(a_i, b_j) for the rows of `a` and `b`.

        Parameters
        ----------
        a, b
            Points, one per row, with equally many columns.
        """

    @final
    def over(self, points: ArrayLike, nodes: Iterable[Hashable] | None = None) -> PointKernel:
        """This kernel on a fixed set of points, ready for any learner over nodes.

        Parameters
        ----------
        points
            One row per point.
        nodes
            The ids of the points, one per row; None (default) numbers them from 0.

        Returns
        -------
        Kernel
            Dense, over one component: 8 n^2 bytes.
        """
        return PointKernel(self, matrix(points, "points"), nodes)


@final
class RBF(VectorKernel):
    """The Gaussian kernel: k(a, b) = exp(-||a - b||^2 / (2 width^2)).

    Parameters
    ----------
    width
        The distance over which the kernel falls off, above 0: sigma in the papers.

    Examples
    --------
    >>> RBF(1.0)(np.zeros((1, 2)), np.array([[1.0, 1.0]])).round(4)
    array([[0.3679]])
    """

    def __init__(self, width: float) -> None:
        self.width = positive(width, "the width of RBF")

    def __call__(self, a: Floats, b: Floats) -> Floats:
        sq = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T
        return np.asarray(np.exp(-np.maximum(sq, 0.0) / (2 * self.width**2)), dtype=np.float64)

    def __repr__(self) -> str:
        return f"RBF({self.width!r})"


@final
class Linear(VectorKernel):
    """The linear kernel: k(a, b) = a'b."""

    def __call__(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(a @ b.T, dtype=np.float64)

    def __repr__(self) -> str:
        return "Linear()"


@final
class PointKernel(Kernel):
    """A vector kernel on n given points, dense."""

    def __init__(self, kernel: VectorKernel, points: Floats, nodes: Iterable[Hashable] | None = None) -> None:
        self.kernel, self.points = kernel, points
        self._nodes = NodeIndex(len(points) if nodes is None else nodes)
        if len(self._nodes) != len(points):
            raise ShapeError(f"nodes must name the {len(points)} points, got {len(self._nodes)} ids")

    @property
    def nodes(self) -> NodeIndex:
        return self._nodes

    @property
    def component_of(self) -> Ints:
        return np.zeros(len(self._nodes), dtype=np.int64)

    @cached_property
    def space(self) -> Dense:
        return Dense(np.ascontiguousarray(self.kernel(self.points, self.points)))

    def sqnorm(self, u: Floats) -> float:
        return sqnorm_from_space(self.space, vector(u, "u", length=self.n))

    def made_of(self) -> tuple[str, ...]:
        return repr(self), sha256(np.ascontiguousarray(self.points).tobytes()).hexdigest()

    def __repr__(self) -> str:
        return f"{self.kernel!r}.over({len(self.points)} points)"
