"""The kernel of a large graph: columns of L+ on demand, through a sparse solver."""

from __future__ import annotations

import logging
import threading
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints, count, non_negative, positive, vector
from ohmline.checks import room
from ohmline.compiled import undisturbed
from ohmline.errors import KernelError
from ohmline.graph.elimination import PROBES, diagonal_rounding
from ohmline.graph.graph import Graph, expect_graph
from ohmline.kernel.contract import GraphKernel, Kernel
from ohmline.kernel.factor import Factor, estimate, factorise, inverse_diagonal, inverse_pair, solve
from ohmline.kernel.iterate import conjugate_gradients
from ohmline.kernel.laplacian import balanced_sides
from ohmline.kernel.space import Columns
from ohmline.kernel.sums import component_means
from ohmline.kernel.terms import written
from ohmline.representation import represent

log = logging.getLogger(__name__)

FLOP_LIMIT = 5e10
"""Beyond this many operations (about a minute) a factor is taken not to fit."""


class Grounded(NamedTuple):
    """The Laplacian without one node of every component that has a null vector, and those vectors."""

    matrix: sparse.csr_array
    kept: Ints
    side: Floats
    """The entry of each node in its component's null vector (1, or -1 on the other side of a balanced
    signed component), 0 where the component has none."""


@final
class SolverKernel(GraphKernel):
    """The kernel of a graph of up to millions of nodes: K = L+ (+ b per component + c I), column by column.

    Nothing of size n^2 is ever made. Each component is grounded at one node, which makes its Laplacian
    positive definite, and a sparse Cholesky factor solves for a column when a learner asks for it. With
    G the inverse of the grounded Laplacian, s the null vector of +-1 of a component of m nodes and g = G s,

        L+_ij = G_ij - (s_i g_j + s_j g_i) / m + s_i s_j s'g / m^2,

    so one solve gives a column, two columns cost little more than one, and the exact diagonal is diag(G) by
    selected inversion.

    The size of the factor is known before it is made. Where it does not fit (graphs that expand, such as
    block models), columns come from conjugate gradients instead (`exact` is False), and the diagonal is
    known only at fetched columns.

    Memory is 8 n `columns` bytes beside the factor. Learners that read one or two columns per mistake
    (`Perceptron`, `Pounce`, `Projection.one_proj`) run on it. Adding a bias or a ridge and scaling give
    another `SolverKernel`, which shares the factor once it is made.

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
        How many entries the factor may have, at least 0. A factor with more, or one that would take longer than
        about a minute, is not made. Default 20 million, which is about 240 MB.
    tolerance
        Where conjugate gradients end, above 0: the length of the residual as a share of that of the right side.
        Used only without a factor, and for norms with a ridge. Default 1e-10.

    Examples
    --------
    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 1000) for k in range(1000)])
    >>> kernel = ohm.SolverKernel(ring)
    >>> round(kernel.sqdist(0, 500), 6)  # two halves of 500 ohm side by side
    250.0
    >>> kernel.fill
    1997
    """

    on_demand = True

    def __init__(
        self,
        graph: Graph,
        *,
        b: float = 0.0,
        c: float = 0.0,
        columns: int = 32,
        fill_limit: int = 20_000_000,
        tolerance: float = 1e-10,
    ) -> None:
        self.graph = expect_graph(graph)
        self.b, self.c = non_negative(b, "b"), non_negative(c, "c")
        self.columns = count(columns, "columns", least=2)
        room(8.0 * self.columns * graph.n, f"{self.columns} columns of a kernel of {graph.n} nodes")
        self.fill_limit = count(fill_limit, "fill_limit")
        self.tolerance = positive(tolerance, "tolerance")
        self._last_used = np.zeros(self.columns, dtype=np.int64)
        self._holder = np.full(self.columns, -1, dtype=np.int64)
        self._clock = 0
        self._lock = threading.RLock()
        self._root = self
        """The kernel without factor, bias and ridge of which this one is made: it has the sparse factor."""

    @property
    def grounded(self) -> Grounded:
        """The matrix that is factorised."""
        return self._root._grounded

    @property
    def cholesky(self) -> Factor | None:
        """The sparse Cholesky factor of the grounded Laplacian; None where it does not fit."""
        return self._root._cholesky

    @cached_property
    def _grounded(self) -> Grounded:
        side, ground = _null_sides(self.graph)
        kept = np.setdiff1d(np.arange(self.graph.n), ground)
        matrix = sparse.csr_array(self.graph.laplacian()[kept][:, kept])
        return Grounded(matrix, kept, side)

    @cached_property
    def _cholesky(self) -> Factor | None:
        if not len(self.grounded.kept):
            return None
        plan = estimate(self.grounded.matrix, fill_limit=self.fill_limit, flop_limit=FLOP_LIMIT)
        n = self.graph.n
        if not plan.fits:
            log.info("no sparse factor of %d nodes within fill_limit: columns by conjugate gradients", n)
            return None
        log.info("columns of %d nodes by a sparse Cholesky factor", n)
        return factorise(self.grounded.matrix, plan)

    @property
    def exact(self) -> bool:
        """Whether columns come from a factor, exact to rounding, rather than from iteration."""
        return self.cholesky is not None or not len(self.grounded.kept)

    @property
    def fill(self) -> int:
        """How many entries the factor has; 0 without one."""
        return 0 if self.cholesky is None else len(self.cholesky.values)

    @cached_property
    def space(self) -> Columns:
        return Columns.empty(self.columns, self._diagonal())

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
        if len(wanted) > self.columns:
            raise KernelError(
                f"{len(wanted)} columns at once do not fit into the {self.columns} that SolverKernel holds; "
                f"make it with columns={len(wanted)}"
            )
        space, missing = self.space, [i for i in wanted if self.space.slot[i] < 0]
        if missing:
            found = self._columns(missing)
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
        return constant + float((laplacian @ rest) @ self._iterate(matrix, rest))

    def __repr__(self) -> str:
        scaled = "" if self.factor == 1 else f"{self.factor!r} * "
        options = represent(self, b=0.0, c=0.0)
        return " + ".join([f"{scaled}{options}", *written(self.b, self.c)])

    def _oldest(self, wanted: set[int]) -> int:
        held = np.isin(self._holder, list(wanted))
        return int(np.where(held, np.iinfo(np.int64).max, self._last_used).argmin())

    @property
    def _place(self) -> Ints:
        return self._root._places

    @property
    def _drawn(self) -> tuple[Floats, Floats]:
        return self._root._pulled

    @property
    def entry_error(self) -> float:
        return self.factor * self._root._probed_error + super().entry_error

    @cached_property
    def _probed_error(self) -> float:
        """An estimate of the largest error of an entry of L+, from random right sides."""
        kept, matrix = self.grounded.kept, self.grounded.matrix
        if not len(kept):
            return 0.0
        largest, rng = 0.0, np.random.default_rng(0)
        rounding = diagonal_rounding(self.graph.laplacian())[kept]
        for _ in range(PROBES if self.exact else 1):
            signs = np.where(rng.random(len(kept)) < 0.5, -1.0, 1.0)
            if self.cholesky is None:
                off = self._iterate(matrix, signs) - self._iterate(matrix, signs, self.tolerance / 100)
            else:
                found = solve(self.cholesky, signs)
                off = solve(self.cholesky, signs - matrix @ found + rounding * signs[::-1] * found)
            largest = max(largest, float(np.abs(off).max()))
        return 4 * largest  # a column of L+ is made of four terms

    @cached_property
    def _places(self) -> Ints:
        """For each position its column of the factor; -1 where it is grounded."""
        place = np.full(self.n, -1, dtype=np.int64)
        if self.cholesky is not None:
            place[self.grounded.kept[self.cholesky.order]] = np.arange(len(self.cholesky.order))
        return place

    @cached_property
    def _pulled(self) -> tuple[Floats, Floats]:
        """g = G s, and s'g of the component of each node."""
        side, drawn = self.grounded.side, np.zeros(self.n)
        if self.cholesky is not None:
            drawn[self.grounded.kept] = solve(self.cholesky, side[self.grounded.kept])
        energy = np.asarray(np.bincount(self.component_of, weights=side * drawn), dtype=np.float64)
        return drawn, energy[self.component_of]

    def _columns(self, wanted: list[int]) -> list[Floats]:
        if not self.exact:
            return [self._iterated(i) for i in wanted]
        drawn, energy = self._drawn
        out = []
        for i, grounded in zip(wanted, self._grounded_columns(wanted), strict=True):
            m, s = np.count_nonzero(self.component_of == self.component_of[i]), self.grounded.side[i]
            if s != 0:
                grounded += self.grounded.side * ((s * energy[i] / m - drawn[i]) / m)
                grounded -= (s / m) * drawn
            out.append(self._finished(grounded, i))
        return out

    def _grounded_columns(self, wanted: list[int]) -> list[Floats]:
        """Columns of G, two at a time."""
        out = [np.zeros(self.n) for _ in wanted]
        if self.cholesky is None:
            return out
        rows = self.grounded.kept[self.cholesky.order]
        reached = [k for k, i in enumerate(wanted) if self._place[i] >= 0]
        for one, two in zip(reached[::2], [*reached[1::2], *reached[-1:]][: len(reached[::2])], strict=True):
            pair = inverse_pair(self.cholesky, int(self._place[wanted[one]]), int(self._place[wanted[two]]))
            out[one][rows] = pair[:, 0]
            out[two][rows] = pair[:, 1]
        return out

    def _iterated(self, i: int) -> Floats:
        """The column by conjugate gradients on the Laplacian itself, off its null vector."""
        members, side = self.component_of == self.component_of[i], self.grounded.side
        null = np.where(members, side, 0.0) / np.sqrt(np.count_nonzero(members))
        right = -null * null[i]
        right[i] += 1.0
        column = self._iterate(self.graph.laplacian(), right)
        return self._finished(column - null * (null @ column), i)

    def _finished(self, column: Floats, i: int) -> Floats:
        """With the bias and the ridge, and nothing outside the component."""
        if self.graph.n_components > 1:
            column[self.component_of != self.component_of[i]] = 0.0
        if self.factor != 1:
            column *= self.factor
        if self.b > 0:
            column[self.component_of == self.component_of[i]] += self.b
        column[i] += self.c
        return column

    def _iterate(self, matrix: sparse.csr_array, right: Floats, tolerance: float | None = None) -> Floats:
        tolerance = self.tolerance if tolerance is None else tolerance
        diagonal = matrix.diagonal()
        try:
            found, converged = conjugate_gradients(
                matrix.indptr.astype(np.int64),
                matrix.indices.astype(np.int64),
                matrix.data,
                np.where(diagonal > 0, diagonal, 1.0),
                right,
                tolerance,
                20_000,
            )
        except SystemError as error:  # Ctrl-C at the moment at which compiled code returns
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            raise
        if not converged:
            raise KernelError(
                f"conjugate gradients did not reach {tolerance:g} in 20000 steps; raise fill_limit (now "
                f"{self.fill_limit}) so that the graph is factorised, or raise the tolerance"
            )
        return np.asarray(found, dtype=np.float64)

    def _diagonal(self) -> Floats:
        """K_ii exactly, from the factor; NaN without one."""
        if not self.exact:
            return np.full(self.n, np.nan)
        inverse = np.zeros(self.n)
        if self.cholesky is not None:
            inverse[self.grounded.kept] = inverse_diagonal(self.cholesky)
        m = np.bincount(self.component_of)[self.component_of]
        side, (drawn, energy) = self.grounded.side, self._drawn
        off = side * (side * energy / m - 2 * drawn) / m
        return np.asarray(self.factor * (inverse + off) + self.b + self.c, dtype=np.float64)


def _null_sides(graph: Graph) -> tuple[Floats, Ints]:
    """For every node its entry in the null vector of its component, and the nodes to ground."""
    side = np.ones(graph.n)
    largest = np.lexsort((-graph.degree, graph.component_of))
    ground = largest[np.searchsorted(graph.component_of[largest], np.arange(graph.n_components))]
    if graph.signed:
        for component in range(graph.n_components):
            members = np.flatnonzero(graph.component_of == component)
            sides = balanced_sides(graph, members)
            side[members] = 0.0 if sides is None else sides
        ground = ground[side[ground] != 0]
    return side, np.asarray(ground, dtype=np.int64)
