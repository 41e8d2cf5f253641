"""What a kernel is, and the algebra of kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from functools import cached_property
from typing import final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints, non_negative, positive, vector
from ohmline.errors import KernelError
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.space import Columns, Dense, Features, Space, inner_of


class Constant:
    """The bias b: adds b wherever two nodes share a component.

    On a connected graph this is the papers' b 11'. Per component it keeps components from
    speaking for one another, and the kernel positive definite on each constant function.
    """

    __slots__ = ("b",)

    def __init__(self, b: float) -> None:
        self.b = positive(b, "the bias b of Constant")

    def __repr__(self) -> str:
        return f"Constant({self.b:g})"


class Ridge:
    """The ridge c: adds c I, which keeps a few odd labels from costing a whole cut."""

    __slots__ = ("c",)

    def __init__(self, c: float) -> None:
        self.c = positive(c, "the ridge c of Ridge")

    def __repr__(self) -> str:
        return f"Ridge({self.c:g})"


class Kernel(ABC):
    """An inner product between the nodes of a graph, by position inside and by id outside.

    A subclass gives ``nodes``, ``component_of`` and ``space``; the rest follows.
    """

    @property
    @abstractmethod
    def nodes(self) -> NodeIndex:
        """The ids, in the order of the positions."""

    @property
    @abstractmethod
    def component_of(self) -> Ints:
        """For each position the component that a ``Constant`` acts on."""

    @property
    @abstractmethod
    def space(self) -> Space:
        """The compiled form."""

    @abstractmethod
    def sqnorm(self, u: Floats) -> float:
        """The squared norm of the function with values ``u``; infinite outside the space."""

    def fetch(self, *positions: int) -> None:  # noqa: B027 - most kernels have nothing to fetch
        """Bring these columns into the space; kernels that hold every entry have nothing to do."""

    def plus(self, *, b: float = 0.0, c: float = 0.0) -> Kernel:
        """This kernel with a bias of b per component and a ridge of c on top."""
        return Sum(self, b=b, c=c)

    @property
    @final
    def n(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @final
    def column(self, node: Hashable) -> Floats:
        """K_i: the inner products of ``node`` with every node."""
        i = self.nodes.position(node)
        self.fetch(i)
        return column_at(self.space, i)

    @final
    def row(self, node: Hashable) -> Floats:
        """The same as :meth:`column`: kernels are symmetric."""
        return self.column(node)

    @final
    def diagonal(self) -> Floats:
        """K_ii for every node: the squared lengths of the points."""
        diagonal = diagonal_of(self.space)
        if np.isnan(diagonal).any():
            raise KernelError(
                f"{self!r} does not know its diagonal: its factor does not fit, and n solves would take too "
                "long; raise fill_limit"
            )
        return diagonal

    @final
    def entry(self, a: Hashable, b: Hashable) -> float:
        """The inner product of two nodes."""
        i, j = self.nodes.position(a), self.nodes.position(b)
        self.fetch(i)
        return float(inner_of(self.space, i, j))

    @final
    def sqdist(self, a: Hashable, b: Hashable) -> float:
        """||v_a - v_b||^2; for a Laplacian kernel, the effective resistance between the nodes."""
        i, j = self.nodes.position(a), self.nodes.position(b)
        if i == j:
            return 0.0
        self.fetch(i, j)
        value = inner_of(self.space, i, i) + inner_of(self.space, j, j) - 2 * inner_of(self.space, i, j)
        return max(float(value), 0.0)

    @final
    def block(self, positions: Ints) -> Floats:
        """The square matrix of inner products of the nodes at ``positions``."""
        space = self.space
        if not isinstance(space, Columns):
            return block_at(space, positions)
        out = np.empty((len(positions), len(positions)))
        for k, i in enumerate(positions.tolist()):
            self.fetch(i)
            out[k] = space.buffer[space.slot[i], positions]
        return out

    @final
    def __add__(self, term: Constant | Ridge | Kernel) -> Kernel:
        if isinstance(term, Constant):
            return self.plus(b=term.b)
        if isinstance(term, Ridge):
            return self.plus(c=term.c)
        if isinstance(term, Kernel):
            return Both(self, term)
        return NotImplemented


class GraphKernel(Kernel):
    """A kernel whose nodes and components are those of a graph."""

    graph: Graph

    @property
    @final
    def nodes(self) -> NodeIndex:
        return self.graph.nodes

    @property
    @final
    def component_of(self) -> Ints:
        return self.graph.component_of


def column_at(space: Space, i: int) -> Floats:
    """Column i of the kernel."""
    if isinstance(space, Dense):
        return np.array(space.matrix[i])
    if isinstance(space, Features):
        column = np.asarray(space.rows @ space.rows[i], dtype=np.float64)
        column[i] += space.ridge
        return column
    if space.slot[i] < 0:
        raise KernelError(f"column {i} was not fetched; call fetch({i}) on the kernel first")
    return np.array(space.buffer[space.slot[i]])


def diagonal_of(space: Space) -> Floats:
    """The diagonal of the kernel."""
    return np.diagonal(space.matrix).copy() if isinstance(space, Dense) else space.diagonal.copy()


def block_at(space: Dense | Features, positions: Ints) -> Floats:
    """The submatrix on ``positions``."""
    if isinstance(space, Dense):
        return np.array(space.matrix[np.ix_(positions, positions)])
    rows = space.rows[positions]
    return np.asarray(rows @ rows.T + space.ridge * (positions[:, None] == positions), dtype=np.float64)


@final
class Sum(Kernel):
    """A kernel plus a bias per component and a ridge: K_c^b of paper 001, eq. (10)."""

    def __init__(self, kernel: Kernel, *, b: float = 0.0, c: float = 0.0) -> None:
        self.kernel: Kernel = kernel
        if isinstance(kernel, Sum):  # one level only, so that K + Constant(b) + Ridge(c) costs one copy
            self.kernel, b, c = kernel.kernel, kernel.b + b, kernel.c + c
        self.b: float = non_negative(b, "b")
        self.c: float = non_negative(c, "c")

    @property
    def nodes(self) -> NodeIndex:
        return self.kernel.nodes

    @property
    def component_of(self) -> Ints:
        return self.kernel.component_of

    @cached_property
    def space(self) -> Space:
        part, component = self.kernel.space, self.component_of
        if isinstance(part, Dense):
            full = part.matrix + self.b * (component[:, None] == component)
            full[np.diag_indices(len(full))] += self.c
            return Dense(full)
        if isinstance(part, Columns):
            raise KernelError("give the bias and the ridge to a kernel of columns when it is made")
        rows = part.rows
        if self.b > 0:
            indicator = np.sqrt(self.b) * (component[:, None] == np.arange(component.max() + 1))
            rows = np.hstack([rows, indicator])
        return Features.of(rows, part.ridge + self.c)

    def sqnorm(self, u: Floats) -> float:
        u = vector(u, "u", length=self.n)
        if self.c > 0:
            return sqnorm_from_space(self.space, u)
        # Without a ridge the constants are orthogonal to the Laplacian's part (Lemma 4.1, eq. 13).
        means = component_means(u, self.component_of)
        rest = self.kernel.sqnorm(u - means[self.component_of])
        return rest + float(np.sum(means**2)) / self.b

    def __repr__(self) -> str:
        return f"{self.kernel!r} + Constant({self.b:g}) + Ridge({self.c:g})"


@final
class Both(Kernel):
    """The sum of two kernels over the same nodes."""

    def __init__(self, first: Kernel, second: Kernel) -> None:
        if first.nodes != second.nodes:
            raise KernelError(
                f"kernels over different nodes cannot be added ({first.n} and {second.n} nodes); "
                "build both over one graph"
            )
        self.first, self.second = first, second

    @property
    def nodes(self) -> NodeIndex:
        return self.first.nodes

    @property
    def component_of(self) -> Ints:
        return self.first.component_of

    @cached_property
    def space(self) -> Space:
        a, b = self.first.space, self.second.space
        if isinstance(a, Features) and isinstance(b, Features):
            return Features.of(np.hstack([a.rows, b.rows]), a.ridge + b.ridge)
        return Dense(dense_matrix(a) + dense_matrix(b))

    def sqnorm(self, u: Floats) -> float:
        return sqnorm_from_space(self.space, vector(u, "u", length=self.n))

    def __repr__(self) -> str:
        return f"{self.first!r} + {self.second!r}"


def dense_matrix(space: Space) -> Floats:
    """Every entry of the kernel, as a matrix."""
    if isinstance(space, Dense):
        return space.matrix
    if isinstance(space, Features):
        return np.asarray(space.rows @ space.rows.T + space.ridge * np.eye(len(space.rows)), dtype=np.float64)
    raise KernelError("a kernel of columns on demand is never made dense; use LaplacianKernel instead")


def sqnorm_from_space(space: Space, u: Floats) -> float:
    """u' K^+ u by the eigenvectors of K; infinite when u leaves the span of K's columns."""
    matrix: AnyArray = dense_matrix(space)
    eigenvalues, vectors = np.linalg.eigh(matrix)
    keep = eigenvalues > eigenvalues[-1] * len(u) * 1e-13
    coordinates = vectors.T @ u
    outside = float(np.sum(coordinates[~keep] ** 2))
    if outside > 1e-12 * float(u @ u):
        return float("inf")
    return float(np.sum(coordinates[keep] ** 2 / eigenvalues[keep]))


def component_means(u: Floats, component_of: Ints) -> Floats:
    """The mean of ``u`` over each component."""
    sizes = np.bincount(component_of)
    return np.asarray(np.bincount(component_of, weights=u) / sizes, dtype=np.float64)
