"""The laws of a kernel."""

from __future__ import annotations

from functools import cached_property
from typing import final

import numpy as np

from ohmline.arrays import Floats
from ohmline.check.law import demand
from ohmline.kernel.contract import DerivedKernel, Kernel
from ohmline.kernel.space import Features
from ohmline.kernel.terms import Constant, Ridge
from ohmline.representation import represent


@final
class FullRankFeatures(DerivedKernel):
    """A dense kernel again, as the inner products of its exact features.

    Parameters
    ----------
    kernel
        Any kernel that has a matrix.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.origin = kernel

    @property
    def kernel(self) -> Kernel:
        """The kernel that this one is."""
        return self.origin

    @cached_property
    def space(self) -> Features:
        values, vectors = np.linalg.eigh(self.origin.space.dense())
        return Features.of(vectors * np.sqrt(np.maximum(values, 0.0)))

    def sqnorm(self, u: Floats) -> float:
        return self.origin.sqnorm(u)

    def __repr__(self) -> str:
        return represent(self)


def kernel(kernel: Kernel, *, tolerance: float = 1e-8) -> None:
    """Check that a kernel is finite, symmetric, positive, consistent with itself, and adds up.

    Parameters
    ----------
    kernel
        The kernel under the laws.
    tolerance
        The rounding that is allowed, relative to the largest entry. Default 1e-8.
    """
    nodes = list(kernel.nodes)
    matrix = np.array([kernel.column(node) for node in nodes])
    scale = max(float(np.abs(matrix).max()), 1e-300)
    demand(bool(np.isfinite(matrix).all()), "entries are finite", f"{kernel!r}")
    demand(
        float(np.abs(matrix - matrix.T).max()) <= tolerance * scale,
        "a kernel is symmetric",
        f"{kernel!r} differs from its transpose by {np.abs(matrix - matrix.T).max():g}",
    )
    lowest = float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[0])
    demand(
        lowest >= -tolerance * scale * len(nodes),
        "a kernel is positive semidefinite",
        f"{kernel!r} has the eigenvalue {lowest:g}",
    )
    demand(
        np.allclose(kernel.diagonal(), np.diagonal(matrix), rtol=tolerance, atol=tolerance * scale),
        "the diagonal is that of the columns",
        f"{kernel!r}",
    )
    for a, row in zip(nodes, matrix, strict=True):
        i = kernel.nodes.position(a)
        for j, b in enumerate(nodes[:8]):
            wanted = matrix[i, i] + matrix[j, j] - 2 * row[j]
            demand(
                abs(kernel.sqdist(a, b) - max(wanted, 0.0)) <= tolerance * scale,
                "sqdist is K_aa + K_bb - 2 K_ab",
                f"{kernel!r} at {a!r}, {b!r}: {kernel.sqdist(a, b):g}, not {wanted:g}",
            )
            demand(
                abs(kernel.entry(a, b) - row[j]) <= tolerance * scale,
                "entry is the entry of the column",
                f"{kernel!r} at {a!r}, {b!r}",
            )
    same = kernel.component_of[:, None] == kernel.component_of
    for term, wanted in ((Constant(0.5), 0.5 * same), (Ridge(0.25), 0.25 * np.eye(len(nodes)))):
        for total in (kernel + term, term + kernel):
            grown = np.array([total.column(node) for node in nodes])
            demand(
                np.allclose(grown - matrix, wanted, atol=tolerance * max(scale, 1.0)),
                "a sum adds",
                f"{kernel!r} + {term!r}",
            )
    for total in (3 * kernel, kernel * 3.0):
        grown = np.array([total.column(node) for node in nodes])
        demand(np.allclose(grown, 3 * matrix, atol=tolerance * scale), "a multiple multiplies", f"{total!r}")
