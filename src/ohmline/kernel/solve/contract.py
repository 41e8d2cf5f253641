"""What a solver of a graph's Laplacian gives, and the system that it solves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import final

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.graph.graph import Graph
from ohmline.kernel.laplacian import balanced_sides


@final
class System:
    """A graph's Laplacian, its null vectors, and the Laplacian grounded at one node of each singular component.

    Parameters
    ----------
    graph
        The graph.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def laplacian(self) -> sparse.csr_array:
        """L itself."""
        return self.graph.laplacian()

    @cached_property
    def side(self) -> Floats:
        """The entry of each node in its component's null vector.

        1, or -1 on the other side of a balanced signed component; 0 where the component has no null vector.
        """
        side = np.ones(self.graph.n)
        if self.graph.signed:
            for component in range(self.graph.n_components):
                members = np.flatnonzero(self.graph.component_of == component)
                sides = balanced_sides(self.graph, members)
                side[members] = 0.0 if sides is None else sides
        return side

    @cached_property
    def kept(self) -> Ints:
        """The nodes that are not grounded; the one of largest degree is, in every component with a null vector."""
        graph = self.graph
        largest = np.lexsort((-graph.degree, graph.component_of))
        ground = largest[np.searchsorted(graph.component_of[largest], np.arange(graph.n_components))]
        return np.setdiff1d(np.arange(graph.n), ground[self.side[ground] != 0])

    @cached_property
    def grounded(self) -> sparse.csr_array:
        """The positive definite rest of the Laplacian."""
        return sparse.csr_array(self.laplacian[self.kept][:, self.kept])

    @cached_property
    def size_of(self) -> Ints:
        """For each node the number of nodes of its component."""
        component_of = self.graph.component_of
        return np.asarray(np.bincount(component_of)[component_of], dtype=np.int64)

    def apart(self, i: int) -> Floats:
        """e_i without its part along the null vector of its component: what column i of L+ is the solution for."""
        graph, side = self.graph, self.side
        right = np.where(graph.component_of == graph.component_of[i], side, 0.0) * (
            -side[i] / self.size_of[i]
        )
        right[i] += 1.0
        return np.asarray(right, dtype=np.float64)

    def without_null(self, x: Floats) -> Floats:
        """x without its parts along the null vectors."""
        component_of = self.graph.component_of
        along = np.bincount(component_of, weights=self.side * x)[component_of] / self.size_of
        return np.asarray(x - self.side * along, dtype=np.float64)


class Solver(ABC):
    """Columns of L+, one at a time, for one graph."""

    system: System
    exact: bool
    """Whether columns are exact to rounding, from a factor, rather than to a tolerance."""

    @abstractmethod
    def column(self, i: int) -> Floats:
        """Column i of L+, in an array of the caller's own."""

    @abstractmethod
    def solve(self, right: Floats) -> Floats:
        """L+ `right`."""

    @abstractmethod
    def error(self) -> float:
        """An estimate of the largest error of an entry of L+, from random right sides."""

    @property
    @abstractmethod
    def fill(self) -> int:
        """How many entries the factor has, exact or approximate; 0 without one."""

    def diagonal(self) -> Floats | None:
        """The exact diagonal of L+; None where only n solves would give it."""
        return None
