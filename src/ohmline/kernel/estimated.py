"""The diagonal of a kernel from random right sides: an estimate, with its error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ohmline.arrays import Floats, count
from ohmline.checks import room, seed_of
from ohmline.kernel.solve.contract import Solver


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedDiagonal:
    """What K_ii is about, and how far off that may be; never taken for the exact diagonal.

    Parameters
    ----------
    values
        The estimate of K_ii for each node, in the order of the positions.
    standard_error
        The standard error of each, from how much the right sides differ.
    solves
        How many right sides there were.
    """

    values: Floats
    standard_error: Floats
    solves: int

    @property
    def relative_error(self) -> float:
        """The median of the standard errors, each as a share of its value."""
        known = self.values > 0
        return float(np.median(self.standard_error[known] / self.values[known])) if known.any() else 0.0

    def scaled(self, factor: float, more: float) -> EstimatedDiagonal:
        """The diagonal of `factor` times the kernel plus `more` on the diagonal.

        Parameters
        ----------
        factor
            What multiplies every entry.
        more
            What is added to it.
        """
        return EstimatedDiagonal(factor * self.values + more, abs(factor) * self.standard_error, self.solves)

    def __repr__(self) -> str:
        return (
            f"EstimatedDiagonal({len(self.values)} values, {self.solves} solves, "
            f"median standard error {100 * self.relative_error:.2g} %)"
        )


MOST = 1000
"""Random right sides that may be taken on any graph; on larger ones, as many as nodes, which is the exact work."""


def estimated_diagonal(solver: Solver, solves: int, seed: int) -> EstimatedDiagonal:
    """The diagonal of L+ from `solves` random right sides.

    With B the incidence matrix, W the weights and q random signs on the edges, z = L+ B' W^1/2 q has E zz' = L+.
    Averages of z_i^2 are off by a share of sqrt(2 / solves). One step of Jacobi's method takes most of that away:
    row i of L L+ = I - ss'/m says

        d_i L+_ii = 1 - s_i^2 / m + sum_j a_ij L+_ij,

    and the right side's sum over neighbours, from averages of z_i z_j, is divided by the degree.
    """
    system, graph = solver.system, solver.system.graph
    solves = count(solves, "solves", least=2, most=max(graph.n, MOST))
    rng = np.random.default_rng(seed_of(seed))
    source, target, weights = graph.edges()
    room(40.0 * len(source) + 40.0 * graph.n, f"the random right sides of {graph.n} nodes")
    root, sign = np.sqrt(np.abs(weights)), np.sign(weights)
    total, square = np.zeros(graph.n), np.zeros(graph.n)
    adjacency = graph.adjacency
    for _ in range(solves):
        flow = np.where(rng.random(len(root)) < 0.5, -root, root)
        right = np.zeros(graph.n)
        right += np.bincount(source, weights=flow, minlength=graph.n)
        right -= np.bincount(target, weights=sign * flow, minlength=graph.n)
        z = solver.solve(right)
        near = z * (adjacency @ z)
        total += near
        square += near * near
    mean = total / solves
    spread = np.sqrt(np.maximum(square / solves - mean * mean, 0.0) / (solves - 1))
    degree = np.where(graph.degree > 0, graph.degree, 1.0)
    known = 1.0 - system.side**2 / system.size_of
    values = np.where(graph.degree > 0, (known + mean) / degree, 0.0)
    return EstimatedDiagonal(
        np.maximum(values, 0.0), np.where(graph.degree > 0, spread / degree, 0.0), solves
    )
