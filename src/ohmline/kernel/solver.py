"""The kernel of a large graph: columns of L+ on demand, through a sparse solver."""

from __future__ import annotations

import logging
import threading
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, final

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, count, non_negative, positive, vector
from ohmline.checks import none_or, room
from ohmline.compiled import undisturbed
from ohmline.errors import KernelError, ParameterError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.kernel.contract import GraphKernel, Kernel
from ohmline.kernel.estimated import EstimatedDiagonal, estimated_diagonal
from ohmline.kernel.solve import Choice, Method, Solver, System, built, choose, iterate, method_of, rows_of
from ohmline.kernel.space import Columns
from ohmline.kernel.sums import component_means
from ohmline.kernel.terms import written
from ohmline.representation import represent

log = logging.getLogger(__name__)

COLUMN_BYTES = 2**30
"""What the columns that are held may take unless told otherwise."""


@final
class SolverKernel(GraphKernel):
    """The kernel of a graph of up to millions of nodes: K = L+ (+ b per component + c I), column by column.

    Nothing of size n^2 is ever made. A column is found when a learner asks for it, by one of four methods:

    | method | what it does | suits |
    |---|---|---|
    | `"cholesky"` | our sparse Cholesky factor | planar-like, low-dimensional and small graphs |
    | `"cholmod"` | CHOLMOD's factor (extra `solver`) | the same, with large factors |
    | `"approximate"` | conjugate gradients under a randomised approximate factor | large graphs without a factor |
    | `"jacobi"` | conjugate gradients under the diagonal | well-connected graphs, such as block models |

    The factors are those of the Laplacian, grounded at one node per component. The approximate one is that of Gao,
    Kyng and Spielman (2023).

    The size of the factor is known before it is made, and the rate of conjugate gradients from a few steps, so
    `"auto"` picks the one that costs least over about twenty columns; `explain()` says which, why, and with how much
    memory. A factor gives columns to rounding (`exact`) and the exact diagonal by selected inversion. Without
    one the diagonal is known only at fetched columns, and `estimated_diagonal` gives an estimate with its error.

    Memory is 8 n `columns` bytes beside the solver. Learners that read one or two columns per mistake
    (`Perceptron`, `Pounce`, `Projection.one_proj`) run on it. Adding a bias or a ridge and scaling give
    another `SolverKernel`, which shares the solver once it is made.

    Parameters
    ----------
    graph
        The graph, with positive or signed weights.
    b
        The bias, at least 0: what is added within every component. Default 0.
    c
        The ridge, at least 0: what is added on the diagonal. Default 0.
    columns
        How many columns are held at a time, at least 2; the least recently used one makes room for the next.
        More than these cannot be fetched at once. Default 32.
    fill_limit
        How many entries the factor may have, at least 0. A factor with more is not made; 12 bytes per entry stay,
        and 8 more are needed while the diagonal is found. Default 100 million, which is about 1.2 GB.
    tolerance
        Where conjugate gradients end, above 0: the length of the residual, computed afresh, as a share of that of
        the right side. Used only without a factor, and for norms with a ridge. Default 1e-10.
    method
        One of the methods above, to force it; a factor that does not fit is then an error. Default "auto".
    column_bytes
        A limit in bytes on the columns that are held, at least enough for two: fewer than `columns` are held where
        they would take more. Default None: 1 GiB, or two columns where these take more.

    Examples
    --------
    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 1000) for k in range(1000)])
    >>> kernel = ohm.SolverKernel(ring)
    >>> round(kernel.sqdist(0, 500), 6)  # two halves of 500 ohm side by side
    250.0
    >>> print(kernel.explain())
    cholesky, 103,876 bytes: a factor of 1,997 entries and 4e+03 operations fits
    """

    on_demand = True

    def __init__(
        self,
        graph: Graph,
        *,
        b: float = 0.0,
        c: float = 0.0,
        columns: int = 32,
        fill_limit: int = 100_000_000,
        tolerance: float = 1e-10,
        method: Method | str = Method.AUTO,
        column_bytes: int | None = None,
    ) -> None:
        self.graph = expect_graph(graph)
        self.b, self.c = non_negative(b, "b"), non_negative(c, "c")
        self.columns = count(columns, "columns", least=2)
        self.column_bytes = none_or(count, column_bytes, "column_bytes")
        self.fill_limit = count(fill_limit, "fill_limit")
        self.tolerance = positive(tolerance, "tolerance")
        self.method = method_of(method)
        held = self._capacity()
        self._last_used = np.zeros(held, dtype=np.int64)
        self._holder = np.full(held, -1, dtype=np.int64)
        self._clock = 0
        self._lock = threading.RLock()
        self._root = self
        """The kernel without factor, bias and ridge of which this one is made: it has the solver."""

    def _capacity(self) -> int:
        """How many columns are held at a time."""
        n, held = self.graph.n, self.columns
        room(8.0 * held * n if self.column_bytes is None else 0.0, f"{held} columns of a kernel of {n} nodes")
        if self.column_bytes is None:
            held = min(held, max(COLUMN_BYTES // max(8 * n, 1), 2))
        else:
            held = min(held, self.column_bytes // max(8 * n, 1))
            if held < 2:
                raise ParameterError(
                    f"column_bytes={self.column_bytes} is too little for two columns of {n} nodes; give at least "
                    f"{16 * n}"
                )
        room(8.0 * held * n, f"{held} columns of a kernel of {n} nodes")
        return held

    @property
    def choice(self) -> Choice:
        """The method that finds columns, the reason for it, and its memory in bytes, as predicted."""
        return self._root._chosen[0]

    def explain(self) -> str:
        """The method that finds columns, its predicted memory and the reason for it, in words.

        Returns
        -------
        str
            The same that `repr` shows once the choice was made.
        """
        return str(self.choice)

    @property
    def solver(self) -> Solver:
        """What finds the columns of L+; made when it is first read."""
        return self._root._solver

    @cached_property
    def _chosen(self) -> tuple[Choice, Any, System]:
        system = System(self.graph)
        choice, plan = choose(system, self.method, fill_limit=self.fill_limit, tolerance=self.tolerance)
        return choice, plan, system

    @cached_property
    def _solver(self) -> Solver:
        choice, plan, system = self._chosen
        n = self.graph.n
        if plan is None:
            log.info("no sparse factor of %d nodes within fill_limit: columns by conjugate gradients", n)
        else:
            log.info("columns of %d nodes by a sparse Cholesky factor", n)
        log.info("%s", choice)
        solver = built(system, choice, plan, tolerance=self.tolerance)
        self._chosen = choice, None, system  # the estimate went into the solver
        return solver

    @property
    def exact(self) -> bool:
        """Whether columns come from a factor, exact to rounding, rather than from iteration."""
        return self.solver.exact

    @property
    def fill(self) -> int:
        """How many entries the factor has, exact or approximate; 0 without one."""
        return self.solver.fill

    @cached_property
    def space(self) -> Columns:
        eager = self.choice.method is Method.CHOLESKY  # what reads lengths then plays as on a dense kernel
        known = self._exact_diagonal() if eager else None
        return Columns.empty(len(self._holder), np.full(self.n, np.nan) if known is None else known)

    def _exact_diagonal(self) -> Floats | None:
        diagonal = self.solver.diagonal()
        return None if diagonal is None else self.factor * diagonal + self.b + self.c

    def _lengths(self) -> Floats:
        space = self.space
        if np.isnan(space.diagonal).any():
            known = self._exact_diagonal()
            if known is not None:
                space.know(known)
        return space.lengths()

    def estimated_diagonal(self, solves: int = 64, *, seed: int = 0) -> EstimatedDiagonal:
        """An estimate of the diagonal of K from random right sides, with the standard error of every entry.

        For graphs without a factor, where the exact diagonal would take n solves.

        Parameters
        ----------
        solves
            How many random right sides, from 2 to the number of nodes, or to 1,000 where there are fewer nodes: the
            error falls with the root of their number. Default 64.
        seed
            Seed of the right sides. Default 0.
        """
        found = estimated_diagonal(self.solver, solves, seed)
        return found.scaled(self.factor, self.b + self.c)

    def made_of(self) -> tuple[str, ...]:
        # How columns are held and found makes no other kernel.
        return repr(self.factor), repr(self.b), repr(self.c), self.graph.fingerprint

    def _alone(self) -> AbstractContextManager[Any]:
        return self._lock

    def __getstate__(self) -> dict[str, Any]:  # a lock belongs to its process
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()

    def fetch(self, *positions: int) -> None:
        with self._lock:
            self._fetch(positions)

    def _fetch(self, positions: tuple[int, ...]) -> None:
        wanted = set(positions)
        if len(wanted) > len(self._holder):
            raise KernelError(
                f"{len(wanted)} columns at once do not fit into the {len(self._holder)} that SolverKernel holds; "
                f"make it with columns={len(wanted)}"
            )
        space, missing = self.space, [i for i in wanted if self.space.slot[i] < 0]
        if missing:
            found = [self._finished(self.solver.column(i), i) for i in missing]
            for i, column in zip(missing, found, strict=True):
                free = self._oldest(wanted)
                with undisturbed():  # or a slot would be taken for the column of another node
                    space.hold(i, free, column, former=int(self._holder[free]))
                    self._holder[free] = i
        for i in wanted:
            self._clock += 1
            self._last_used[space.slot[i]] = self._clock

    def plus(self, *, b: float = 0.0, c: float = 0.0) -> Kernel:
        return self._with(self.factor, self.b + non_negative(b, "b"), self.c + non_negative(c, "c"))

    def scaled(self, factor: float) -> Kernel:
        factor = positive(factor, "factor")
        return self._with(factor * self.factor, factor * self.b, factor * self.c)

    def without_bias(self) -> Kernel:
        return self if self.b == 0 else self._with(self.factor, 0.0, self.c)

    def _with(self, factor: float, b: float, c: float) -> SolverKernel:
        other = SolverKernel(
            self.graph,
            b=b,
            c=c,
            columns=self.columns,
            fill_limit=self.fill_limit,
            tolerance=self.tolerance,
            method=self.method,
            column_bytes=self.column_bytes,
        )
        other.factor, other._root = factor, self._root
        return other

    def sqnorm(self, u: Floats) -> float:
        u = vector(u, "u", length=self.n)
        if self.graph.signed:
            raise KernelError("the norm of a signed SolverKernel is not known; use LaplacianKernel")
        laplacian = self.graph.laplacian()
        means = component_means(u, self.component_of)
        sizes = np.bincount(self.component_of)
        rest = u - means[self.component_of]
        # A constant function is an eigenvector of eigenvalue b m + c, orthogonal to the Laplacian's part.
        weight = self.b * sizes + self.c
        if np.any((weight == 0) & (np.abs(means) > 1e-12 * max(1.0, float(np.abs(u).max())))):
            return float("inf")
        constant = float(np.sum(means**2 * sizes / np.where(weight > 0, weight, 1.0) * (weight > 0)))
        if self.c == 0:
            return constant + float(rest @ (laplacian @ rest)) / self.factor
        # (a L+ + c I)^-1 = L (a I + c L)^-1 off the constants.
        matrix = sparse.csr_array(self.factor * sparse.eye_array(self.n) + self.c * laplacian)
        return constant + float((laplacian @ rest) @ iterate(rows_of(matrix), rest, self.tolerance))

    def __repr__(self) -> str:
        scaled = "" if self.factor == 1 else f"{self.factor!r} * "
        options = represent(self, b=0.0, c=0.0)
        call = " + ".join([f"{scaled}{options}", *written(self.b, self.c)])
        # Once the choice is made it is told behind the call, as a comment, so that the text still makes the kernel.
        return f"{call}  # {self.choice}" if "_chosen" in self._root.__dict__ else call

    def _oldest(self, wanted: set[int]) -> int:
        held = np.isin(self._holder, list(wanted))
        return int(np.where(held, np.iinfo(np.int64).max, self._last_used).argmin())

    @property
    def entry_error(self) -> float:
        return self.factor * self._root._probed_error + super().entry_error

    @cached_property
    def _probed_error(self) -> float:
        """An estimate of the largest error of an entry of L+."""
        return self.solver.error()

    def _finished(self, column: Floats, i: int) -> Floats:
        """A column of L+ with the factor, the bias and the ridge."""
        if not np.isfinite(column).all():
            raise KernelError(
                f"the column of node {self.graph.nodes[i]!r} leaves the range of numbers: the weights of "
                f"{self.graph!r} are too small or too far apart; scale them, or drop the weakest edges"
            )
        if self.factor != 1:
            column *= self.factor
        if self.b > 0:
            column[self.component_of == self.component_of[i]] += self.b
        column[i] += self.c
        return column
