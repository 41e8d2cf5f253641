"""What a system in the comparison is: how it fits, how it plays online, how it chooses; each where it can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ohmline.arrays import Ints

BEFORE = 0
"""The class that every system is taken to say before it has seen a label: none of them can know any."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A connected graph whose nodes are 0 to n - 1, and the class of every node, 0 to C - 1."""

    name: str
    adjacency: Any
    """A SciPy matrix in CSR form, which all the systems take."""
    codes: Ints

    @staticmethod
    def of(name: str, adjacency: Any, labels: Any) -> Problem:
        """The largest component, with the classes that it has."""
        part = connected_components(adjacency, directed=False)[1]
        inside = np.flatnonzero(part == np.bincount(part).argmax())
        codes = np.unique(np.asarray(labels)[inside], return_inverse=True)[1]
        matrix = sparse.csr_matrix(sparse.csr_matrix(adjacency)[inside][:, inside])
        return Problem(name, matrix, codes.astype(np.int64))

    @property
    def n(self) -> int:
        """The number of nodes."""
        return int(self.adjacency.shape[0])

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.codes.max()) + 1

    def shown(self, known: Ints) -> Ints:
        """The class of every node in `known`, and -1 for the others."""
        shown = np.full(self.n, -1)
        shown[known] = self.codes[known]
        return shown


class Chooser(Protocol):
    """A loop of active learning, one label at a time."""

    def next(self) -> int:
        """The node whose label is asked for."""

    def learn(self, node: int, code: int) -> None:
        """Its label has come."""

    def predict(self) -> Ints:
        """The class of every node."""


Fit = Callable[[Problem, Ints], Ints]
"""From the nodes whose labels are known to the class of every node. At least two classes are among them."""
Play = Callable[[Problem, Ints], int]
"""Predict, see the label, learn, for every node in this order; the number of mistakes."""
Begin = Callable[[Problem, Ints], Chooser]
"""A loop of active learning that starts from the labels of these nodes."""


@dataclass(frozen=True)
class System:
    """A row of the tables."""

    name: str
    distribution: str
    """What pip installs."""
    module: str
    """What Python imports."""
    fit: Fit | None = None
    play: Play | None = None
    begin: Begin | None = None
    note: str = ""
    """What was set, where it is not the default."""
    ours: bool = False

    def is_here(self) -> bool:
        """Whether the package is installed."""
        return find_spec(self.module) is not None

    @property
    def remedy(self) -> str:
        """The command that installs it."""
        return f"pip install '{self.distribution}'"
