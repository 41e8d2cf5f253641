"""Columns of L+ by conjugate gradients, under the diagonal or an approximate factor."""

from __future__ import annotations

from typing import Any, cast, final

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from ohmline.arrays import Floats, Ints
from ohmline.errors import KernelError
from ohmline.graph.elimination import diagonal_rounding
from ohmline.kernel.solve.contract import Solver, System
from ohmline.kernel.solve.elimination import Sampled, sample
from ohmline.kernel.solve.gradients import gradients

STEPS = 20_000
"""Where conjugate gradients are given up."""
NO_FACTOR = Sampled(
    np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0), np.empty(0)
)
"""The diagonal alone."""


@final
class Iterative(Solver):
    """Conjugate gradients on the Laplacian itself, off its null vectors, with the nodes renumbered.

    A signed Laplacian has no approximate factor, since its elimination subtracts. Its double cover has: two copies of
    every node, joined crosswise along negative edges. The solution for (r, -r) there is (x, -x).

    Parameters
    ----------
    system
        The system to solve.
    tolerance
        Where to end: the length of the residual as a share of that of the right side.
    sampled
        Whether the preconditioner is an approximate factor, rather than the diagonal.
    copies
        How many parallel edges each edge is split into for the approximate factor.
    """

    exact = False

    def __init__(self, system: System, *, tolerance: float, sampled: bool, copies: int = 1) -> None:
        self.system, self.tolerance = system, tolerance
        graph = system.graph
        self._covered = sampled and graph.signed
        adjacency = double_cover(graph.adjacency) if self._covered else graph.adjacency
        # Neighbours side by side: a product with the matrix takes up to half as long.
        self._order: Ints = np.asarray(
            csgraph.reverse_cuthill_mckee(sparse.csr_matrix(adjacency), symmetric_mode=True), dtype=np.int64
        )
        adjacency = sparse.csr_array(adjacency[self._order][:, self._order])
        degree = np.asarray(abs(adjacency).sum(axis=1)).ravel()
        self._rows = rows_of(sparse.csr_array(sparse.diags_array(degree) - adjacency))
        self._factor = NO_FACTOR
        if sampled:
            self._factor = sample(adjacency.indptr, adjacency.indices, adjacency.data, copies=copies)

    @property
    def fill(self) -> int:
        return len(self._factor.values)

    def column(self, i: int) -> Floats:
        column = self._solved(self.system.apart(i), self.tolerance)
        if self.system.graph.n_components > 1:
            column[self.system.graph.component_of != self.system.graph.component_of[i]] = 0.0
        return column

    def solve(self, right: Floats) -> Floats:
        return self._solved(self.system.without_null(right), self.tolerance)

    def error(self) -> float:
        signs = np.where(np.random.default_rng(0).random(self.system.graph.n) < 0.5, -1.0, 1.0)
        right = self.system.without_null(signs)
        exact = self._solved(right, self.tolerance / 100, lenient=True)
        off = np.abs(self._solved(right, self.tolerance) - exact).max(initial=0.0)
        # What the rounding of the diagonal does is in neither solution.
        moved = self.system.without_null(diagonal_rounding(self.system.laplacian) * signs[::-1] * exact)
        off = max(off, np.abs(self._solved(moved, self.tolerance, lenient=True)).max(initial=0.0))
        return 4 * float(off)

    def _solved(self, right: Floats, tolerance: float, *, lenient: bool = False) -> Floats:
        covered = np.append(right, -right) / 2 if self._covered else right
        found = np.empty(len(covered))
        found[self._order] = iterate(
            self._rows, covered[self._order], tolerance, factor=self._factor, lenient=lenient
        )
        if self._covered:
            found = found[: len(right)] - found[len(right) :]
        return self.system.without_null(found)


Rows = tuple[Any, Any, Floats, Floats]
"""A matrix in compressed rows, and one over its diagonal."""


def rows_of(matrix: sparse.csr_array) -> Rows:
    """The form in which compiled code reads a symmetric matrix with a diagonal of at least 0."""
    diagonal = matrix.diagonal()
    inverse = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.uint32), matrix.data, inverse


def iterate(
    rows: Rows, right: Floats, tolerance: float, *, factor: Sampled = NO_FACTOR, lenient: bool = False
) -> Floats:
    """x with A x = right; an error where the true residual does not come down to `tolerance`, unless `lenient`."""
    goal = tolerance * float(np.linalg.norm(right))
    found, residual, steps = _run(rows, factor, right, goal, STEPS)
    if not residual <= goal and not lenient:
        share = residual / max(float(np.linalg.norm(right)), 1e-300)
        raise KernelError(
            f"conjugate gradients did not reach {tolerance:g}: after {steps} steps the residual, computed afresh, is "
            f"{share:.3g} of the right side and falls no more; raise the tolerance, or take method='cholesky'"
        )
    return found


def probe(rows: Rows, right: Floats, tolerance: float, most: int) -> tuple[float, int]:
    """What share of the residual is left after so many steps with the diagonal alone."""
    length = float(np.linalg.norm(right))
    _, residual, steps = _run(rows, NO_FACTOR, right, tolerance * length, most)
    return residual / max(length, 1e-300), steps


def _run(rows: Rows, factor: Sampled, right: Floats, goal: float, most: int) -> tuple[Floats, float, int]:
    try:
        found, residual, steps = cast(Any, gradients)(*rows, *factor, right, goal, most)
    except SystemError as error:  # Ctrl-C at the moment at which compiled code returns
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
    return np.asarray(found, dtype=np.float64), float(residual), int(steps)


def double_cover(adjacency: sparse.csr_array) -> sparse.csr_array:
    """Two copies of every node: positive edges stay within a copy, negative ones cross over."""
    positive, negative = adjacency.maximum(0), (-adjacency).maximum(0)
    cover = sparse.csr_array(sparse.block_array([[positive, negative], [negative, positive]]))
    cover.eliminate_zeros()
    return cover
