"""The directions of a kernel's space, and which of them rounding leaves in its entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ohmline.arrays import Floats
from ohmline.errors import KernelError
from ohmline.graph.elimination import EPS
from ohmline.kernel.contract import Kernel
from ohmline.kernel.laplacian import LaplacianKernel
from ohmline.kernel.sums import KernelSum

BLURRED = 1e-6
"""The relative error from which on a number is refused."""


@final
@dataclass(frozen=True, slots=True)
class Directions:
    """The eigenvectors of a matrix of inner products, those of eigenvalue 0 apart."""

    values: Floats
    """The eigenvalues that are above 0, from the least on."""
    basis: Floats
    """Their eigenvectors, as columns."""
    rest: Floats
    """What is orthogonal to all of them."""
    error: float
    """By how much an eigenvalue may be off; one below it counts as 0."""


def directions(gram: Floats, theorem: str, *kernels: Kernel) -> Directions:
    """The directions of the sum of some kernels, whose inner products are `gram`.

    An eigenvalue that is no more than a rounding is 0. Where a kernel is known to have more dimensions than that
    leaves, the others drowned in the rounding, and it is refused.
    """
    values, vectors = np.linalg.eigh(gram)
    size = max(float(values[-1]), 0.0)
    error = len(gram) * (sum(kernel.entry_error for kernel in kernels) + 8 * EPS * size)
    kept = values > error
    known = max(least_rank(kernel) for kernel in kernels)
    if np.count_nonzero(kept) < known:
        raise undecided(
            theorem,
            f"of {known} dimensions only {np.count_nonzero(kept)} are larger than the rounding of {error:.1g}",
        )
    return Directions(values[kept], vectors[:, kept], vectors[:, ~kept], error)


def least_rank(kernel: Kernel) -> int:
    """How many dimensions a kernel is known to have at least, whatever its entries show."""
    if isinstance(kernel, KernelSum):
        return max(least_rank(kernel.origin), least_rank(kernel.second))
    if kernel.c > 0:
        return kernel.n
    if not isinstance(kernel.base, LaplacianKernel) or kernel.base.graph.signed:
        return least_rank(kernel.base) if kernel.base is not kernel else 0
    return kernel.n if kernel.b > 0 else kernel.n - int(kernel.component_of.max(initial=-1)) - 1


def undecided(theorem: str, why: str) -> KernelError:
    """The error for what the kernels' entries are too coarse to tell."""
    return KernelError(
        f"rounding hides what {theorem} is about: {why}; expected kernels whose directions differ by fewer orders of "
        "magnitude: give the graph's weights that are nearer to each other"
    )
