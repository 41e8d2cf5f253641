"""The algebra of kernels: a factor, a bias and a ridge on one kernel, and the sum of two."""

from __future__ import annotations

from functools import cached_property
from typing import final

import numpy as np

from ohmline.arrays import Floats, Ints, non_negative, positive, vector
from ohmline.errors import KernelError
from ohmline.kernel.contract import DerivedKernel, Kernel
from ohmline.kernel.space import Dense, Features, Space
from ohmline.kernel.terms import written


@final
class KernelWithTerms(DerivedKernel):
    """factor K + b per component + c I: K_c^b of paper 001, eq. (10).

    Parameters
    ----------
    kernel
        K.
    factor
        What multiplies K, above 0.
    b
        The bias, at least 0.
    c
        The ridge, at least 0.
    """

    def __init__(self, kernel: Kernel, *, factor: float = 1.0, b: float = 0.0, c: float = 0.0) -> None:
        factor, b, c = positive(factor, "factor"), non_negative(b, "b"), non_negative(c, "c")
        self.origin, self.factor, self.b, self.c = kernel, factor, b, c
        if isinstance(
            kernel, KernelWithTerms
        ):  # one level only, so that K + Constant(b) + Ridge(c) is one copy
            self.origin, self.factor = kernel.base, factor * kernel.factor
            self.b, self.c = factor * kernel.b + b, factor * kernel.c + c

    @property
    def base(self) -> Kernel:
        return self.origin

    @property
    def centred(self) -> bool:
        return self.origin.centred and self.b == 0 and self.c == 0

    @cached_property
    def space(self) -> Space:
        scaled = self.origin.space if self.factor == 1 else self.origin.space.scaled(self.factor)
        return scaled.plus(self.component_of, self.b, self.c) if self.b > 0 or self.c > 0 else scaled

    def sqnorm(self, u: Floats) -> float:
        u = vector(u, "u", length=self.n)
        if self.b == 0 and self.c == 0:
            return self.origin.sqnorm(u) / self.factor
        if self.c > 0 or not self.origin.centred:
            return sqnorm_from_space(self.space, u)
        # Without a ridge the constants are orthogonal to the Laplacian's part (Lemma 4.1, eq. 13).
        means = component_means(u, self.component_of)
        rest = self.origin.sqnorm(u - means[self.component_of]) / self.factor
        return rest + float(np.sum(means**2)) / self.b

    def __repr__(self) -> str:
        scaled = repr(self.origin) if self.factor == 1 else f"{self.factor!r} * {self.origin!r}"
        return " + ".join([scaled, *written(self.b, self.c)])


@final
class KernelSum(DerivedKernel):
    """The sum of two kernels over the same nodes.

    Parameters
    ----------
    first, second
        Kernels over one graph, or over the same points.
    """

    def __init__(self, first: Kernel, second: Kernel) -> None:
        if first.nodes != second.nodes:
            raise KernelError(
                f"kernels over different nodes cannot be added ({first.n} and {second.n} nodes); "
                "build both over one graph"
            )
        self.origin, self.second = first, second

    @cached_property
    def space(self) -> Space:
        a, b = self.origin.space.explicit(), self.second.space.explicit()
        if a is not None and b is not None:
            return Features.of(np.hstack([a.rows, b.rows]), a.ridge + b.ridge)
        return Dense(self.origin.space.dense() + self.second.space.dense())

    def sqnorm(self, u: Floats) -> float:
        return sqnorm_from_space(self.space, vector(u, "u", length=self.n))

    def made_of(self) -> tuple[str, ...]:
        return *super().made_of(), self.second.fingerprint

    def __repr__(self) -> str:
        return f"{self.origin!r} + {self.second!r}"


def sqnorm_from_space(space: Space, u: Floats) -> float:
    """u' K^+ u by the eigenvectors of K; infinite when u leaves the span of K's columns."""
    eigenvalues, vectors = np.linalg.eigh(space.dense())
    keep = eigenvalues > eigenvalues[-1] * len(u) * 1e-13
    coordinates = vectors.T @ u
    outside = float(np.sum(coordinates[~keep] ** 2))
    if outside > 1e-12 * float(u @ u):
        return float("inf")
    return float(np.sum(coordinates[keep] ** 2 / eigenvalues[keep]))


def component_means(u: Floats, component_of: Ints) -> Floats:
    """The mean of `u` over each component."""
    sizes = np.bincount(component_of)
    return np.asarray(np.bincount(component_of, weights=u) / sizes, dtype=np.float64)
