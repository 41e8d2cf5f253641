"""The exact kernel of a graph: the pseudoinverse of its Laplacian."""

from __future__ import annotations

import logging
from collections.abc import Hashable
from functools import cached_property
from typing import final

import numpy as np
from scipy import linalg, sparse

from ohmline.arrays import Floats, Ints, vector
from ohmline.checks import room
from ohmline.device import Device, choose
from ohmline.device.inverse import positive_inverse
from ohmline.errors import KernelError
from ohmline.graph.elimination import BLUR, EPS, diagonal_rounding, grounded_inverse, probed_error
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.measure import resistance
from ohmline.graph.measure.distances import components
from ohmline.kernel.contract import GraphKernel, Kernel, expect_kernel
from ohmline.kernel.space import Dense
from ohmline.kernel.sums import component_means

log = logging.getLogger(__name__)


@final
class LaplacianKernel(GraphKernel):
    """The exact kernel of a graph: K = L+, the pseudoinverse of its Laplacian, as a dense matrix.

    Made when it is first read, by one Cholesky factorisation per component: for one of m nodes
    L+ = (L + 11'/m)^-1 - 11'/m, so the work is one factor and one inverse (2/3 m^3 flops). Where the weights
    span so many orders of magnitude that this would blur the resistances, the component is eliminated without
    subtractions instead, which takes two or three times as long; then every entry is accurate to rounding,
    relative to the largest one. `entry_error` says what was reached.

    A signed component is *balanced* if its nodes fall into two sides with negative edges only between them and
    positive ones only within. Any other has a positive definite signed Laplacian: its kernel is the inverse, which
    needs neither a `Constant` nor a `Ridge` to hold every labelling. A balanced one is singular, and its null vector
    (+1 on one side, -1 on the other) takes the place of the constant.

    Memory is 8 n^2 bytes; up to about 10,000 nodes. Isolated nodes have zero rows, so add a
    `Constant` before learning on them. The squared norm of a function u is u'Lu (4 times the cut of a labelling,
    signed or not) where its mean over every singular component is 0, and infinite elsewhere. It is refused over a
    balanced component with negative edges, where labellings that cut nothing would have no norm.

    Parameters
    ----------
    graph
        The graph, with positive or signed weights.
    device
        Where the inverse is computed: "cpu" (default), "gpu" or "auto". Entries agree to `entry_error`, which is
        measured on the result wherever it comes from.

    Examples
    --------
    >>> from ohmline.graph import Graph
    >>> path = LaplacianKernel(Graph.from_edges([(0, 1), (1, 2)]))
    >>> path.sqdist(0, 2)  # two resistors of 1 ohm in a row
    2.0
    >>> foes = Graph.from_edges([(0, 1, -1.0), (1, 2, -1.0), (0, 2, -1.0)], signed=True)
    >>> LaplacianKernel(foes).sqnorm(np.ones(3))  # all three edges are violated
    12.0
    """

    def __init__(self, graph: Graph, *, device: str | Device = "cpu") -> None:
        self.graph = expect_graph(graph)
        self.device = choose(device)

    @property
    def space(self) -> Dense:
        return self._found[0]

    @property
    def entry_error(self) -> float:
        return self._found[1]

    def sqdist(self, a: Hashable, b: Hashable) -> float:
        found = super().sqdist(a, b)
        if self.graph.signed or 4 * self.entry_error <= BLUR * found:
            return found
        apart = resistance(self.graph, a, b)
        return apart if np.isfinite(apart) else found

    @cached_property
    def _found(self) -> tuple[Dense, float]:
        """The space, and its error."""
        n = self.graph.n
        instead = "take SolverKernel(graph), whose columns come on demand, or SpectralKernel(graph, rank=100)"
        room(8.0 * n * n, f"the exact kernel of {n:,} nodes", instead)
        log.info("dense kernel of %d nodes, %.3g GiB", n, 8 * n * n / 2**30)
        if self.graph.n_components == 1 and n > 1:
            matrix, error = self._invert(np.arange(n), self.graph.laplacian())
            return Dense(matrix), error
        full, largest = np.zeros((n, n)), 0.0
        for members in components(self.graph):
            if len(members) > 1:
                part = self.graph.laplacian()[members][:, members]
                full[np.ix_(members, members)], error = self._invert(members, part)
                largest = max(largest, error)
        return Dense(full), largest

    def _invert(self, members: Ints, laplacian: sparse.csr_array) -> tuple[Floats, float]:
        """The pseudoinverse of one component, and the largest error of its entries."""
        null = self._null(members)
        matrix = _pseudoinverse(laplacian.toarray(), null, self.device)
        error = (
            np.inf if matrix is None else probed_error(laplacian, matrix, null, diagonal_rounding(laplacian))
        )
        # No resistance is below 1 / degree, so this keeps all of them to BLUR.
        if matrix is not None and error <= BLUR / float(laplacian.diagonal().max()):
            return matrix, error
        if not self.graph.signed:
            log.info("weights far apart: a component of %d nodes is inverted node by node", len(members))
            adjacency = -laplacian.toarray()
            np.fill_diagonal(adjacency, 0.0)
            matrix, error = _centred(adjacency)
        if matrix is None or not np.isfinite(error):
            node = self.graph.nodes[int(members[0])]
            raise KernelError(
                f"the Laplacian of the component of node {node!r} cannot be inverted: its weights, from "
                f"{np.abs(laplacian.data[laplacian.data != 0]).min():.3g} up, are too small or too far apart; scale "
                "them, or drop the weakest edges"
            )
        return matrix, error

    def sqnorm(self, u: Floats) -> float:
        u = vector(u, "u", length=self.n)
        means = component_means(u * self._side, self.component_of)
        if np.any(np.abs(means) > 1e-12 * max(1.0, float(np.abs(u).max()))):
            return float("inf")
        return float(u @ (self.graph.laplacian() @ u))

    @property
    def centred(self) -> bool:
        return not self.graph.signed

    def with_default_bias(self) -> Kernel:
        """This kernel plus a `Constant` of `default_bias`."""
        return self.plus(b=default_bias(self))

    @cached_property
    def _side(self) -> Floats:
        """For each node 1 where its component has the constant for a null vector, 0 where it has none."""
        side = np.ones(self.n)
        if self.graph.signed:
            singular = balanced_component(self.graph)
            if singular is not None:
                raise KernelError(
                    f"the signed Laplacian is singular: the component of node {self.graph.nodes[int(singular[0])]!r} "
                    f"({len(singular)} nodes) is balanced, with negative edges only between two sides, and what "
                    "differs from one side to the other has no norm; add a Ridge: LaplacianKernel(graph) + Ridge(c), "
                    "or negate the labels of one side and make its edges positive"
                )
            for members in components(self.graph):
                side[members] = balanced_sides(self.graph, members) is not None
        return side

    def _null(self, members: Ints) -> Floats | None:
        """The unit null vector of a component's Laplacian, or None when it is positive definite."""
        if not self.graph.signed:
            return np.full(len(members), len(members) ** -0.5)
        side = balanced_sides(self.graph, members)
        return None if side is None else side / np.sqrt(len(members))

    def __repr__(self) -> str:
        return f"LaplacianKernel({self.graph!r})"


def default_bias(kernel: Kernel) -> float:
    """A bias b that suits most graphs: a tenth of the median positive K_ii, or 1 where none is positive.

    Too small a bias fails on unbalanced labels, too large a one forgets the graph; on USPS
    digits this sits on the flat part of both curves.

    Parameters
    ----------
    kernel
        A kernel that knows its diagonal, so not a `SolverKernel` whose factor does not fit.

    Returns
    -------
    float
        The b for `kernel + Constant(b)`.
    """
    diagonal = expect_kernel(kernel).diagonal()
    positive = diagonal[diagonal > 0]
    return float(np.median(positive)) / 10 if len(positive) else 1.0


def balanced_sides(graph: Graph, members: Ints) -> Floats | None:
    """Two sides with only negative edges across and positive ones within, or None."""
    side = np.zeros(graph.n)
    start = int(members[0])
    side[start] = 1.0
    stack = [start]
    while stack:
        i = stack.pop()
        for k in range(graph.indptr[i], graph.indptr[i + 1]):
            j, wanted = int(graph.indices[k]), side[i] * np.sign(graph.weights[k])
            if side[j] == 0:
                side[j] = wanted
                stack.append(j)
            elif side[j] != wanted:
                return None
    return side[members]


def balanced_component(graph: Graph) -> Ints | None:
    """The first component that has negative edges and is balanced all the same, so that its Laplacian is singular."""
    for members in components(graph):
        side = balanced_sides(graph, members)
        if side is not None and np.any(side != side[0]):
            return members
    return None


def _pseudoinverse(laplacian: Floats, null: Floats | None, device: Device) -> Floats | None:
    """The pseudoinverse of a positive semidefinite matrix with a known null vector; None if that fails."""
    with np.errstate(over="ignore"):
        scale = float(np.trace(laplacian)) / len(laplacian)
    if not np.isfinite(scale):
        return None
    if null is not None:
        # Scaling the added projector to the matrix keeps the factor well conditioned.
        laplacian += scale * np.outer(null, null)
    inverse = _inverse(laplacian) if not device.is_gpu else _inverse_on(laplacian, device)
    if inverse is not None and null is not None:
        inverse -= np.outer(null / scale, null)
    return inverse


def _inverse_on(matrix: Floats, device: Device) -> Floats | None:
    """The inverse of a positive definite matrix by a GPU; None if it is not one."""
    n = len(matrix)
    device.room(4 * 8.0 * n * n, f"the exact kernel of {n} nodes")
    with device.guarded(f"the exact kernel of {n} nodes"):
        found = positive_inverse(device.put(matrix), device)
        return None if found is None else np.ascontiguousarray(device.get(found))


def _inverse(matrix: Floats) -> Floats | None:
    """The inverse of a positive definite matrix, in its place, by LAPACK; None if it is not one."""
    factor, failed = linalg.lapack.dpotrf(matrix.T, lower=0, overwrite_a=True, clean=False)
    if failed:
        return None
    inverse, failed = linalg.lapack.dpotri(factor, lower=0, overwrite_c=True)
    if failed:
        return None
    inverse = inverse.T  # C order: the factor of the transpose filled the upper triangle
    _mirror(inverse)
    return np.ascontiguousarray(inverse)


def _centred(adjacency: Floats) -> tuple[Floats, float]:
    """L+ of a connected network by elimination without subtractions, and its error.

    Grounded at its heaviest node the inverse has full relative precision; taking the means off leaves an
    error of a few roundings of its largest entry.
    """
    with np.errstate(all="ignore"):
        inverse = grounded_inverse(adjacency, int(adjacency.sum(axis=1).argmax()))
        largest = float(inverse.max())
        means = inverse.mean(axis=0)
        inverse -= means
        inverse -= (means - means.mean())[:, None]
    return inverse, 8 * EPS * largest


def _mirror(lower: Floats, block: int = 256) -> None:
    """Copy the lower triangle onto the upper one, block by block so that both stay in cache."""
    n = len(lower)
    for i in range(0, n, block):
        rows = slice(i, min(i + block, n))
        for j in range(0, i, block):
            columns = slice(j, j + block)
            lower[columns, rows] = lower[rows, columns].T
        square = lower[rows, rows]
        square[:] = np.tril(square) + np.tril(square, -1).T
