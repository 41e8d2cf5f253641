"""What a kernel is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar, TypeVar, final

import numpy as np

from ohmline.arrays import Floats, Ints, positive, whole_numbers
from ohmline.checks import instance
from ohmline.errors import KernelError, LearnerError
from ohmline.graph.elimination import EPS
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.space import MissingColumn, Space, entry_at, sqdistance_at
from ohmline.kernel.terms import KernelTerm

T = TypeVar("T")


class Kernel(ABC):
    """An inner product between the nodes of a graph, by position inside and by id outside.

    Kernels add and scale: `LaplacianKernel(graph) + Constant(b) + Ridge(c)`, `Constant(b) + kernel`,
    `2 * kernel`, and the sum of two kernels over the same nodes. A subclass gives `nodes`,
    `component_of`, `space` and `sqnorm`; the rest follows.
    """

    on_demand: ClassVar[bool] = False
    """Whether columns are computed only when they are read, so that there is never a matrix of them all."""
    factor: float = 1.0
    """What multiplies `base`."""
    b: float = 0.0
    """The bias: what was added within every component."""
    c: float = 0.0
    """The ridge: what was added on the diagonal."""

    @property
    @abstractmethod
    def nodes(self) -> NodeIndex:
        """The ids, in the order of the positions."""

    @property
    @abstractmethod
    def component_of(self) -> Ints:
        """For each position the component that a `Constant` acts on."""

    @property
    @abstractmethod
    def space(self) -> Space:
        """The compiled form."""

    @abstractmethod
    def sqnorm(self, u: Floats) -> float:
        """The squared norm of the function with values `u`; infinite outside the space.

        Parameters
        ----------
        u
            One value per node, in the order of the positions.
        """

    @property
    def base(self) -> Kernel:
        """This kernel without its factor, bias and ridge."""
        return self

    @cached_property
    @final
    def fingerprint(self) -> str:
        """A digest of parameters, nodes and graph, by which a snapshot knows the kernel that it was made over."""
        parts = (type(self).__name__, self.nodes.fingerprint, *self.made_of())
        return sha256("\n".join(parts).encode()).hexdigest()

    def made_of(self) -> tuple[str, ...]:
        """What tells this kernel from another one of its class over the same nodes, as text."""
        return (repr(self),) if type(self).__repr__ is not object.__repr__ else ()

    @property
    def centred(self) -> bool:
        """Whether every column sums to 0 over each component, so that constants are orthogonal to it."""
        return False

    @property
    def entry_error(self) -> float:
        """An estimate of the largest error of an entry K_ij; by default a few roundings of the largest one."""
        lengths = self.space.lengths()
        return 8 * EPS * float(np.nanmax(lengths, initial=0.0))

    def without_bias(self) -> Kernel:
        """This kernel without its `Constant`, which changes no distance between two nodes of a component."""
        return self

    def fetch(self, *positions: int) -> None:  # noqa: B027 - most kernels have nothing to fetch
        """Bring these columns into the space; kernels that hold every entry have nothing to do.

        Parameters
        ----------
        positions
            The positions of the nodes whose columns will be read.
        """

    def plus(self, *, b: float = 0.0, c: float = 0.0) -> Kernel:
        """This kernel with a bias of b per component and a ridge of c on top.

        Parameters
        ----------
        b
            The bias, at least 0.
        c
            The ridge, at least 0.
        """
        from ohmline.kernel.sums import KernelWithTerms

        return KernelWithTerms(self, b=b, c=c)

    def scaled(self, factor: float) -> Kernel:
        """Every entry times `factor`; the same as `factor * kernel`.

        Parameters
        ----------
        factor
            A number above 0.
        """
        from ohmline.kernel.sums import KernelWithTerms

        return KernelWithTerms(self, factor=factor)

    @property
    @final
    def n(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @final
    def column(self, node: Hashable) -> Floats:
        """K_i: the inner products of `node` with every node.

        Parameters
        ----------
        node
            The id of a node.
        """
        i = self.nodes.position(node)
        return self.fetching(lambda: self.space.column(i))

    @final
    def row(self, node: Hashable) -> Floats:
        """The same as `column`: kernels are symmetric.

        Parameters
        ----------
        node
            The id of a node.
        """
        return self.column(node)

    @final
    def diagonal(self) -> Floats:
        """K_ii for every node: the squared lengths of the points."""
        diagonal = self._lengths()
        if np.isnan(diagonal).any():
            raise KernelError(
                f"{self!r} does not know its diagonal: its factor does not fit, and n solves would take too "
                "long; raise fill_limit, or look at an estimate with estimated_diagonal()"
            )
        return diagonal

    def _lengths(self) -> Floats:
        """K_ii for every node, NaN where nobody can know it without n solves."""
        return self.space.lengths()

    @final
    def entry(self, a: Hashable, b: Hashable) -> float:
        """The inner product of two nodes.

        Parameters
        ----------
        a, b
            The ids of two nodes.
        """
        i, j = self.nodes.position(a), self.nodes.position(b)
        return self.fetching(lambda: float(entry_at(self.space, i, j)))

    def sqdist(self, a: Hashable, b: Hashable) -> float:
        """||v_a - v_b||^2; for a Laplacian kernel, the effective resistance between the nodes.

        Parameters
        ----------
        a, b
            The ids of two nodes.
        """
        i, j = self.nodes.position(a), self.nodes.position(b)
        if i == j:
            return 0.0
        return self.fetching(lambda: max(float(sqdistance_at(self.space, i, j)), 0.0))

    @final
    def block(self, positions: Ints) -> Floats:
        """The square matrix of inner products of the nodes at `positions`.

        Parameters
        ----------
        positions
            Positions of nodes.
        """
        positions = whole_numbers(positions, "positions", low=0, high=self.n - 1)
        if not self.space.partial:
            return self.space.block(positions)
        rows = np.empty((len(positions), len(positions)))
        for k, i in enumerate(positions.tolist()):
            rows[k] = self.fetching(lambda i=i: self.space.column(i)[positions])  # type: ignore[misc]
        return rows

    @final
    def fetching(self, read: Callable[[], T]) -> T:
        """What `read` gives, with the columns that it misses fetched on the way.

        Parameters
        ----------
        read
            A call that reads the space and may be repeated.
        """
        asked: set[int] = set()
        with self._alone():
            while True:
                try:
                    return read()
                except MissingColumn:
                    self.supply(asked)

    def _alone(self) -> AbstractContextManager[Any]:
        """Keeps other threads out while columns come and go; there is nothing to keep them from where all are there."""
        return nullcontext()

    @final
    def supply(self, asked: set[int]) -> None:
        """Fetch the columns whose reading was interrupted.

        Parameters
        ----------
        asked
            The columns that were fetched for one step so far. One that is missing again was displaced by
            the others: they do not fit together.
        """
        space = self.space
        wanted, absent = space.wanted()
        if asked.intersection(absent):
            raise KernelError(
                f"one step reads more columns than the {space.capacity} that {self!r} holds at a time; "
                f"make it with columns={2 * space.capacity} or more"
            )
        asked.update(absent)
        self.fetch(*wanted)

    @final
    def __add__(self, other: KernelTerm | Kernel) -> Kernel:
        if isinstance(other, KernelTerm):
            return self.plus(b=other.b, c=other.c)
        if isinstance(other, Kernel):
            from ohmline.kernel.sums import KernelSum

            return KernelSum(self, other)
        if isinstance(other, int | float):
            raise KernelError(
                f"a number cannot be added to a kernel; add Constant({other}) or Ridge({other})"
            )
        return NotImplemented

    @final
    def __radd__(self, other: KernelTerm) -> Kernel:
        return self.__add__(other)

    @final
    def __mul__(self, factor: float) -> Kernel:
        if not isinstance(factor, int | float | np.integer | np.floating):
            return NotImplemented
        return self.scaled(positive(factor, "the factor of a kernel"))

    __rmul__ = __mul__


class DerivedKernel(Kernel):
    """A kernel over the nodes and components of another one."""

    origin: Kernel

    @property
    @final
    def nodes(self) -> NodeIndex:
        return self.origin.nodes

    @property
    def component_of(self) -> Ints:
        return self.origin.component_of

    def made_of(self) -> tuple[str, ...]:
        return repr(self), self.origin.fingerprint


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

    def made_of(self) -> tuple[str, ...]:
        return repr(self), self.graph.fingerprint


def expect_kernel(kernel: Kernel) -> Kernel:
    """The kernel that was given, or an error that says how to make one."""
    remedy = "make one, for example LaplacianKernel(graph) + Constant(1)"
    if callable(getattr(kernel, "over", None)):
        remedy = f"a kernel on vectors becomes one over given points: {kernel!r}.over(points)"
    return instance(kernel, Kernel, "kernel", remedy, LearnerError)
