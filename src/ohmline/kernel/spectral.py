"""The low-rank kernel of paper 004: the smoothest d functions on the graph."""

from __future__ import annotations

import logging
from collections.abc import Hashable
from functools import cached_property
from typing import final

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import linalg as sparse_linalg

from ohmline.arrays import Floats, count, non_negative, vector
from ohmline.checks import flag, room
from ohmline.errors import KernelError, ParameterError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.kernel.contract import GraphKernel
from ohmline.kernel.space import Features
from ohmline.representation import represent

log = logging.getLogger(__name__)

DENSE_LIMIT = 1500  # below this many nodes a dense eigensolver is faster and exact


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
    ) -> None:
        self.graph = expect_graph(graph)
        self.rank = count(rank, "rank", least=1)
        self.normalised = flag(normalised, "normalised")
        self.constant = flag(constant, "constant")
        self.shift = non_negative(shift, "shift")
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
        laplacian = self.graph.laplacian(normalised=self.normalised)
        null = _null_vectors(self.graph, normalised=self.normalised)
        skip = 0 if self.constant else null.shape[1]
        values, vectors = smallest_eigenpairs(laplacian, self.rank + skip, null=null)
        return values[skip:], vectors[:, skip:]

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
            self.graph, rank, normalised=self.normalised, constant=self.constant, shift=self.shift
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

    def sqnorm(self, u: Floats) -> float:
        u = vector(u, "u", length=self.n)
        values, vectors = self.eigenpairs
        coordinates = vectors.T @ u
        if float(u @ u - coordinates @ coordinates) > 1e-9 * float(u @ u):
            return float("inf")
        return float(np.sum(coordinates**2 * (values + self.shift)))

    def made_of(self) -> tuple[str, ...]:
        return *super().made_of(), repr((self.normalised, self.constant, self.shift))

    def __repr__(self) -> str:
        return represent(self)


def _null_vectors(graph: Graph, *, normalised: bool) -> Floats:
    """The orthonormal null vectors of an unsigned Laplacian, largest component first."""
    if graph.signed:
        return np.empty((graph.n, 0))
    room(8.0 * graph.n * graph.n_components, f"the constants of {graph.n_components} components")
    sizes = np.bincount(graph.component_of)
    rank_of = np.empty(len(sizes), dtype=np.int64)
    rank_of[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    null = np.zeros((graph.n, len(sizes)))
    isolated = graph.degree == 0
    null[np.arange(graph.n), rank_of[graph.component_of]] = (
        np.sqrt(np.where(isolated, 1.0, graph.degree)) if normalised else 1.0
    )
    return np.asarray(null / np.linalg.norm(null, axis=0), dtype=np.float64)


def smallest_eigenpairs(
    laplacian: sparse.csr_array, k: int, *, null: Floats | None = None
) -> tuple[Floats, Floats]:
    """The k smallest eigenpairs of a positive semidefinite matrix, to rounding.

    Columns of `null` are known null vectors: they come first, and the search stays
    orthogonal to them (Lanczos would miss copies of a repeated eigenvalue).

    Small matrices go to LAPACK. Large ones to Lanczos on a Chebyshev polynomial of the matrix
    that is tiny on the unwanted part of the spectrum and steep on the wanted one: no
    factorisation, so it works on expanders too. The sign of every vector is fixed, so equal
    input gives equal features.
    """
    n = laplacian.shape[0]
    known = np.empty((n, 0)) if null is None else null[:, :k]
    rest = k - known.shape[1]
    if rest == 0:
        values, vectors = np.zeros(k), known
    elif n <= DENSE_LIMIT or k > n // 4:
        log.info("%d eigenpairs of %d nodes by LAPACK, dense", k, n)
        lifted = laplacian.toarray() + (2 * _upper_bound(laplacian) + 1) * (known @ known.T)
        values, vectors = linalg.eigh(lifted, subset_by_index=(0, rest - 1))
    else:
        log.info("%d eigenpairs of %d nodes by filtered Lanczos, sparse", k, n)
        values, vectors = _filtered_lanczos(laplacian, rest, known)
    if rest:
        values = np.append(np.zeros(known.shape[1]), np.maximum(values, 0.0))
        vectors = np.hstack([known, vectors])
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(k)])
    return np.asarray(values, dtype=np.float64), np.ascontiguousarray(vectors)


def _filtered_lanczos(laplacian: sparse.csr_array, k: int, known: Floats) -> tuple[Floats, Floats]:
    n = laplacian.shape[0]
    rng = np.random.default_rng(0)
    top = _upper_bound(laplacian)
    cut = _eigenvalue_near(laplacian, 1.5 * (k + known.shape[1]) / n, top, rng)
    for _ in range(6):
        centre, half = (top + cut) / 2, (top - cut) / 2
        degree = int(np.clip(2.0 * np.sqrt(top / cut), 8, 120)) // 2 * 2
        scaled = sparse.csr_array((laplacian - centre * sparse.eye_array(n)) / half)

        def polynomial(x: Floats, scaled: sparse.csr_array = scaled, degree: int = degree) -> Floats:
            x = x - known @ (known.T @ x)
            previous, current = x, scaled @ x
            for _ in range(degree - 1):
                previous, current = current, 2 * (scaled @ current) - previous
            return np.asarray(current - known @ (known.T @ current))

        operator = sparse_linalg.LinearOperator((n, n), matvec=polynomial, dtype=np.float64)
        _, vectors = sparse_linalg.eigsh(
            operator, k=k, which="LA", ncv=min(n, 2 * k + 20), v0=rng.standard_normal(n)
        )
        # Rayleigh-Ritz in the found space gives the pairs of the matrix itself.
        small = vectors.T @ (laplacian @ vectors)
        values, turn = linalg.eigh((small + small.T) / 2)
        vectors = vectors @ turn
        residual = np.linalg.norm(laplacian @ vectors - vectors * values, axis=0).max()
        if values[-1] < cut and residual < 1e-8 * top:
            return values, vectors
        cut = max(cut, float(values[-1])) * 1.5  # the cut fell inside the wanted part: widen
    raise KernelError(f"the {k} smallest eigenpairs did not converge; use a smaller rank")


def _upper_bound(laplacian: sparse.csr_array) -> float:
    """Gershgorin's bound on the largest eigenvalue."""
    return float(np.abs(laplacian).sum(axis=1).max())


def _eigenvalue_near(
    laplacian: sparse.csr_array, share: float, top: float, rng: np.random.Generator
) -> float:
    """Roughly the eigenvalue below which a `share` of the spectrum lies.

    Stochastic Lanczos quadrature: a few random starts, each giving nodes and weights of the
    spectral density. Only a starting point for the filter, so a rough value will do.
    """
    n, steps = laplacian.shape[0], 60
    nodes: list[Floats] = []
    weights: list[Floats] = []
    for _ in range(4):
        v = rng.standard_normal(n)
        v /= np.linalg.norm(v)
        basis, alpha, beta = [v], np.zeros(steps), np.zeros(steps)
        for j in range(steps):
            w = laplacian @ basis[-1]
            alpha[j] = basis[-1] @ w
            for q in basis:  # full orthogonalisation: short run, so it is cheap
                w -= (q @ w) * q
            beta[j] = np.linalg.norm(w)
            if beta[j] < 1e-12 * top:
                steps = j + 1
                break
            basis.append(w / beta[j])
        theta, s = linalg.eigh_tridiagonal(alpha[:steps], beta[: steps - 1])
        nodes.append(theta)
        weights.append(s[0] ** 2)
    theta, weight = np.concatenate(nodes), np.concatenate(weights) / len(nodes)
    order = np.argsort(theta)
    reached = min(int(np.searchsorted(np.cumsum(weight[order]), share)), len(order) - 1)
    return float(np.clip(theta[order][reached], 1e-5 * top, 0.5 * top))
