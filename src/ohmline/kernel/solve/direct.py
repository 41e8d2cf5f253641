"""Columns of L+ from a sparse Cholesky factor, our own or CHOLMOD's.

With G the inverse of the grounded Laplacian, s the null vector of +-1 of a component of m nodes and g = G s,

    L+_ij = G_ij - (s_i g_j + s_j g_i) / m + s_i s_j s'g / m^2,

so one solve gives a column, and the exact diagonal is diag(G) by selected inversion.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.errors import KernelError
from ohmline.extras import require
from ohmline.graph.elimination import PROBES, diagonal_rounding
from ohmline.kernel.factor import (
    APART,
    Estimate,
    Factor,
    factorise,
    inverse_column,
    inverse_diagonal,
    solve,
)
from ohmline.kernel.solve.contract import Solver, System


class Factored(Solver):
    """What both factors have in common: the step from G to L+."""

    exact = True

    def __init__(self, system: System, plan: Estimate) -> None:
        self.system, self.plan = system, plan

    @abstractmethod
    def _grounded(self, right: Floats) -> Floats:
        """G `right`, over the nodes that are not grounded."""

    @abstractmethod
    def _grounded_column(self, i: int) -> Floats:
        """Column i of G over all nodes; 0 at grounded ones."""

    @property
    def fill(self) -> int:
        return self.plan.fill

    def column(self, i: int) -> Floats:
        system, column = self.system, self._grounded_column(i)
        drawn, energy = self._drawn
        m, s = system.size_of[i], system.side[i]
        if s != 0:
            column += system.side * ((s * energy[i] / m - drawn[i]) / m)
            column -= (s / m) * drawn
        if system.graph.n_components > 1:
            column[system.graph.component_of != system.graph.component_of[i]] = 0.0
        return column

    def solve(self, right: Floats) -> Floats:
        system, x = self.system, np.zeros(len(right))
        x[system.kept] = self._grounded(system.without_null(right)[system.kept])
        return system.without_null(x)

    def error(self) -> float:
        system, largest, rng = self.system, 0.0, np.random.default_rng(0)
        if not len(system.kept):
            return 0.0
        rounding = diagonal_rounding(system.laplacian)[system.kept]
        for _ in range(PROBES):
            signs = np.where(rng.random(len(system.kept)) < 0.5, -1.0, 1.0)
            found = self._grounded(signs)
            off = self._grounded(signs - system.grounded @ found + rounding * signs[::-1] * found)
            largest = max(largest, float(np.abs(off).max()))
        return 4 * largest  # a column of L+ is made of four terms

    def diagonal(self) -> Floats | None:
        system, inverse = self.system, np.zeros(self.system.graph.n)
        if len(system.kept):
            inverse[system.kept] = inverse_diagonal(self.factor)
        side, (drawn, energy) = system.side, self._drawn
        off = side * (side * energy / system.size_of - 2 * drawn) / system.size_of
        return np.asarray(inverse + off, dtype=np.float64)

    @cached_property
    def factor(self) -> Factor:
        """Our own factor."""
        return factorise(self.system.grounded, self.plan)

    @cached_property
    def _drawn(self) -> tuple[Floats, Floats]:
        """g = G s, and s'g of the component of each node."""
        system, drawn = self.system, np.zeros(self.system.graph.n)
        drawn[system.kept] = self._grounded(system.side[system.kept])
        component_of = system.graph.component_of
        energy = np.asarray(np.bincount(component_of, weights=system.side * drawn), dtype=np.float64)
        return drawn, energy[component_of]


@final
class Direct(Factored):
    """Our own sparse factor.

    Parameters
    ----------
    system
        The system to solve.
    plan
        An estimate that fits.
    """

    def __init__(self, system: System, plan: Estimate) -> None:
        super().__init__(system, plan)
        if len(system.kept):
            _ = self.factor

    def _grounded(self, right: Floats) -> Floats:
        return solve(self.factor, right) if len(right) else right

    def _grounded_column(self, i: int) -> Floats:
        out = np.zeros(self.system.graph.n)
        if self._place[i] >= 0:
            out[self._rows] = inverse_column(self.factor, int(self._place[i]))
        return out

    @cached_property
    def _rows(self) -> Ints:
        """The position of each column of the factor."""
        return self.system.kept[self.factor.order]

    @cached_property
    def _place(self) -> Ints:
        """For each position its column of the factor; -1 where it is grounded."""
        place = np.full(self.system.graph.n, -1, dtype=np.int64)
        if len(self.system.kept):
            place[self._rows] = np.arange(len(self._rows))
        return place


@final
class Cholmod(Factored):
    """CHOLMOD's factor, through cholespy (extra `solver`); our own one is made only for the diagonal.

    Parameters
    ----------
    system
        The system to solve.
    plan
        An estimate that fits.
    """

    def __init__(self, system: System, plan: Estimate) -> None:
        super().__init__(system, plan)
        self._made: Any = None
        if len(system.kept):
            self._make()

    def __getstate__(self) -> dict[str, Any]:  # CHOLMOD's factor belongs to its process
        return {**self.__dict__, "_made": None}

    def _make(self) -> Any:
        if self._made is None:
            cholespy, matrix = require("cholespy", "solver"), self.system.grounded
            indptr, indices = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
            kind = cholespy.MatrixType.CSR
            try:
                self._made = cholespy.CholeskySolverD(matrix.shape[0], indptr, indices, matrix.data, kind)
            except ValueError as error:
                raise KernelError(
                    f"CHOLMOD found no factor of the Laplacian to working precision ({error}): it takes weights that "
                    f"span up to about 12 orders of magnitude; {APART}"
                ) from None
        return self._made

    def _grounded(self, right: Floats) -> Floats:
        found = np.zeros(len(right))
        if len(right):
            self._make().solve(np.ascontiguousarray(right), found)
        return found

    def _grounded_column(self, i: int) -> Floats:
        kept, out = self.system.kept, np.zeros(self.system.graph.n)
        at = int(np.searchsorted(kept, i))
        if at < len(kept) and kept[at] == i:
            right = np.zeros(len(kept))
            right[at] = 1.0
            out[kept] = self._grounded(right)
        return out
