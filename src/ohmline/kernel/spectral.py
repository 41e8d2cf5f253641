"""The low-rank kernel of paper 004: the smoothest d functions on the graph."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property
from os import PathLike
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, count, non_negative, positive, vector
from ohmline.checks import flag, listed, none_or, room, shown
from ohmline.device import Device, choose
from ohmline.errors import NotConverged, ParameterError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.kernel.contract import GraphKernel
from ohmline.kernel.eigen import (
    Eigenpairs,
    Eigensolver,
    eigensolver_of,
    residuals_of,
    smallest_eigenpairs,
)
from ohmline.kernel.eigen.cache import cache_folder, cached_pairs, store_pairs
from ohmline.kernel.space import Features
from ohmline.progress import Advance
from ohmline.representation import represent


@final
class SpectralKernel(GraphKernel):
    """A low-rank kernel from the d smoothest functions on a graph: K = sum of v v' / (sigma + shift).

    The sum is over the d smallest eigenpairs of the Laplacian, which are found when the kernel is first read.

    | paper 004 | here |
    |---|---|
    | d | `rank` |
    | sigma_i, v_i | `eigenvalues`, `eigenvectors` |
    | m_i | `features(node)` |

    Differs from Eq. (28): the constant eigenvector is kept, and `shift` is added to every eigenvalue,
    because without the constant the paper's own figures are out of reach. `constant=False` with `shift=0`
    gives the literal equation.

    Parameters
    ----------
    graph
        The graph.
    rank
        d, the number of eigenpairs, at least 1 and at most the number of nodes; without the constant at most the
        number of nodes less that of components. Default 100.
    normalised
        Take the normalised Laplacian D^-1/2 L D^-1/2 instead of L. Default False.
    constant
        Keep the null space of a graph without negative weights: one vector per component, constant on it (times
        the root of the degrees if `normalised`). Default True.
    shift
        What is added to every eigenvalue, at least 0, and above 0 where the null space is kept. Default 1e-4.
    method
        How eigenpairs are found: "dense" (LAPACK, all in one matrix), "inverse" (block Lanczos on a filter made of the
        inverse, through a sparse factor) or "filter" (block Lanczos on a Chebyshev polynomial, no factor). Default
        "auto": dense up to 1,500 nodes, then the inverse where its factor fits and costs less than the filter.
    tolerance
        How long a residual may be, above 0, as a share of a bound on the largest eigenvalue. Default 1e-12.
    cache
        A folder where eigenpairs are kept, by the fingerprint of the graph and the parameters, and found again. A file
        that is damaged is logged, left unused and replaced. Default None: they are not kept.
    progress
        True for a bar that counts the vectors of the search, or a function of how many were made. Default None.
    device
        Where they are found: "cpu" (default), "gpu" or "auto". A GPU takes method "auto" or "filter".

    Examples
    --------
    >>> from ohmline.graph import Graph
    >>> ring = Graph.from_edges([(k, (k + 1) % 6) for k in range(6)])
    >>> SpectralKernel(ring, rank=3).features(0).shape
    (3,)
    """

    def __init__(
        self,
        graph: Graph,
        rank: int = 100,
        *,
        normalised: bool = False,
        constant: bool = True,
        shift: float = 1e-4,
        method: Eigensolver | str = Eigensolver.AUTO,
        tolerance: float = 1e-12,
        cache: str | PathLike[str] | None = None,
        progress: Advance | bool | None = None,
        device: str | Device = "cpu",
    ) -> None:
        self.graph = expect_graph(graph)
        self.device = choose(device)
        self.rank = count(rank, "rank", least=1)
        self.normalised = flag(normalised, "normalised")
        self.constant = flag(constant, "constant")
        self.shift = non_negative(shift, "shift")
        self.method = eigensolver_of(method)
        if self.device.is_gpu and self.method not in (Eigensolver.AUTO, Eigensolver.FILTER):
            raise ParameterError(
                f'method {str(self.method)!r} does not run on a GPU; leave it out, or use device="cpu"'
            )
        self.tolerance = positive(tolerance, "tolerance")
        self.cache = none_or(lambda value, _: cache_folder(value), cache, "cache")
        self.progress = progress
        self.partial: Eigenpairs | None = None
        """What was found by a search that did not converge, with its residuals."""
        if self.rank > graph.n:
            raise ParameterError(
                f"rank {rank} is above the number of nodes, {graph.n}; use at most {graph.n}"
            )
        if constant and self.shift == 0:
            raise ParameterError(
                "shift is 0 and the constant eigenvector has eigenvalue 0; use a shift above 0"
            )
        if not constant and self.rank > graph.n - graph.n_components:
            raise ParameterError(
                f"rank {rank} is above the {graph.n - graph.n_components} non-constant eigenvectors; lower it"
            )

    @cached_property
    def eigenpairs(self) -> tuple[Floats, Floats]:
        """Eigenvalues, ascending, and eigenvectors in columns."""
        key = self.graph.fingerprint, repr((self.rank, self.normalised, self.constant, self.tolerance))
        if self.cache is not None:
            stored = cached_pairs(self.cache, key, self.graph.n, self.rank)
            if stored is not None:
                return stored
        values, vectors = self._found()
        if self.cache is not None:
            store_pairs(self.cache, key, values, vectors)
        return values, vectors

    def _found(self) -> tuple[Floats, Floats]:
        null = _null_vectors(self.graph, normalised=self.normalised)
        skip = 0 if self.constant else null.shape[1]
        room(
            8.0 * self.graph.n * (self.rank + skip),
            f"{self.rank + skip} eigenvectors of {self.graph.n:,} nodes",
        )
        try:
            found = smallest_eigenpairs(
                self.graph.laplacian(normalised=self.normalised),
                self.rank + skip,
                null=null,
                top=2.0 if self.normalised else None,
                method=self.method,
                tolerance=self.tolerance,
                progress=self.progress,
                device=self.device,
            )
        except NotConverged as error:
            self.partial = error.pairs
            raise
        return found.values[skip:], np.ascontiguousarray(found.vectors[:, skip:])

    @cached_property
    def residuals(self) -> Floats:
        """The length of L v - sigma v for each eigenpair: some eigenvalue of L is no further from sigma than that."""
        values, vectors = self.eigenpairs
        return residuals_of(self.graph.laplacian(normalised=self.normalised), values, vectors)

    @cached_property
    def space(self) -> Features:
        values, vectors = self.eigenpairs
        return Features.of(vectors / np.sqrt(values + self.shift))

    def truncated(self, rank: int) -> SpectralKernel:
        """The kernel of the first `rank` eigenpairs alone, without finding them again.

        Parameters
        ----------
        rank
            The number of eigenpairs, at least 1 and at most the rank of this kernel.
        """
        if count(rank, "rank", least=1) > self.rank:
            raise ParameterError(f"rank {rank} is above the {self.rank} eigenpairs that were found; lower it")
        part = SpectralKernel(
            self.graph,
            rank,
            normalised=self.normalised,
            constant=self.constant,
            shift=self.shift,
            method=self.method,
            tolerance=self.tolerance,
        )
        values, vectors = self.eigenpairs
        part.eigenpairs = values[:rank], np.ascontiguousarray(vectors[:, :rank])
        return part

    def features(self, node: Hashable) -> Floats:
        """m_i, the features of a node, whose inner products are the kernel.

        Parameters
        ----------
        node
            The id of a node.

        Returns
        -------
        array
            A copy, `rank` numbers long.
        """
        row: Floats = self.space.rows[self.nodes.position(node)]
        return row.copy()

    def features_of_new(self, neighbours: Iterable[Hashable], weights: Any = None) -> Floats:
        """Features for a node that is not in the graph, from its edges to nodes that are (Nystroem's extension).

        An eigenvector v of eigenvalue sigma has (d_x - sigma) v_x = sum_j w_xj v_j at every node x of the graph, and
        (1 - sigma) v_x = sum_j w_xj v_j / sqrt(d_x d_j) if `normalised`. The same equation gives v_x at a new node of
        degree d_x; at a node of the graph it gives back its own features. What the new edges would do to the other
        nodes is left out, so many new nodes, or heavy edges, call for a new kernel. Where sigma is more than half of
        d_x the equation is close to singular, and half of d_x stands in for d_x - sigma.

        Parameters
        ----------
        neighbours
            The ids of its neighbours, at least one; each once.
        weights
            The weights of the edges to them, all above 0. Default None: each is 1.

        Returns
        -------
        array
            `rank` numbers, to be used like `features(node)`.
        """
        ids = listed(neighbours, "neighbours")
        positions = np.array([self.nodes.position(node) for node in ids], dtype=np.int64)
        given = np.ones(len(ids)) if weights is None else vector(weights, "weights", length=len(ids))
        if not len(ids) or len(set(positions.tolist())) < len(ids):
            raise ParameterError(f"neighbours must be different nodes, at least one, got {shown(ids)}")
        if not (given > 0).all():
            raise ParameterError(f"weights must be above 0, got {given.min()}; leave out what is no edge")
        values, vectors = self.eigenpairs
        with np.errstate(over="ignore"):
            degree, pull = float(given.sum()), given
        if not np.isfinite(degree):
            raise ParameterError("the weights are so large that their sum is no number; scale them")
        if self.normalised:
            near = self.graph.degree[positions]
            pull, degree = given / np.sqrt(degree * np.where(near > 0, near, 1.0)), 1.0
        extended = (pull @ vectors[positions]) / np.maximum(degree - values, degree / 2)
        return np.asarray(extended / np.sqrt(values + self.shift), dtype=np.float64)

    def sqnorm(self, u: Floats) -> float:
        u = vector(u, "u", length=self.n)
        values, vectors = self.eigenpairs
        coordinates = vectors.T @ u
        if float(u @ u - coordinates @ coordinates) > 1e-9 * float(u @ u):
            return float("inf")
        return float(np.sum(coordinates**2 * (values + self.shift)))

    def made_of(self) -> tuple[str, ...]:
        # How the pairs are found and where they are kept makes no other kernel.
        plain = represent(
            self, method=Eigensolver.AUTO, tolerance=1e-12, cache=None, progress=None, device="cpu"
        )
        return plain, self.graph.fingerprint, repr((self.normalised, self.constant, self.shift))

    def __repr__(self) -> str:
        return represent(self, device=self.device.name)


def _null_vectors(graph: Graph, *, normalised: bool) -> Floats:
    """The orthonormal null vectors of an unsigned Laplacian, largest component first."""
    if graph.signed:
        return np.empty((graph.n, 0))
    room(8.0 * graph.n * graph.n_components, f"the constants of {graph.n_components} components")
    sizes = np.bincount(graph.component_of)
    rank_of = np.empty(len(sizes), dtype=np.int64)
    rank_of[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    null = np.zeros((graph.n, len(sizes)))
    null[np.arange(graph.n), rank_of[graph.component_of]] = (
        np.sqrt(_degrees_in_reach(graph)) if normalised else 1.0
    )
    return np.asarray(null / np.linalg.norm(null, axis=0), dtype=np.float64)


def _degrees_in_reach(graph: Graph) -> Floats:
    """Degrees over an even power of two for each component, so that their sums are numbers; 1 at isolated nodes."""
    degree = np.where(graph.degree == 0, 1.0, graph.degree)
    largest = np.zeros(graph.n_components)
    np.maximum.at(largest, graph.component_of, degree)
    unit = np.frexp(largest)[1] // 2 * 2
    return np.asarray(np.ldexp(degree, -unit[graph.component_of]), dtype=np.float64)
