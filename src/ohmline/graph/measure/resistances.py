"""Effective resistance: the graph as a circuit, an edge of weight w a resistor of 1 / w ohm."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import linalg as sparse_linalg

from ohmline.arrays import Floats, Ints
from ohmline.errors import GraphError
from ohmline.graph.elimination import BLUR, diagonal_rounding, eliminate, probed_error, resistances
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.measure.distances import components, diameter, lengths

DENSE_PAIR = 1500
"""Nodes of a component up to which a single pair is solved densely."""
SMALL = 500
"""Nodes of a component up to which all resistances are computed without subtractions at once."""
DENSE_MATRIX = 15_000
"""Nodes of a component up to which all resistances are computed (1.7 GiB at that size)."""


def resistance(graph: Graph, a: Hashable, b: Hashable) -> float:
    """r(a, b): the voltage that drives one unit of current from a to b (paper 001, eq. (7)).

    Infinite between components. On components of up to 1500 nodes it is found without a harmful subtraction,
    to nearly full precision whatever the ratio of the weights. Larger ones take one linear solve: conjugate
    gradients, which suit well-connected graphs, and where those do not converge one sparse factorisation, which
    suits long thin ones; there weights that span more than about 12 orders of magnitude blur the result.

    Parameters
    ----------
    graph
        The network: a graph whose weights are conductances, none of them negative.
    a, b
        Two nodes, by id, between which a current flows.

    Examples
    --------
    >>> resistance(Graph.from_edges([(0, 1), (1, 2), (2, 0)]), 0, 1)  # 1 ohm beside 2 ohm
    0.666...
    """
    expect_graph(graph)
    i, j = graph.nodes.position(a), graph.nodes.position(b)
    lengths(graph)  # refuses negative weights
    if i == j:
        return 0.0
    if graph.component_of[i] != graph.component_of[j]:
        return math.inf
    members = np.flatnonzero(graph.component_of == graph.component_of[i])
    kept = members[members != j]  # j is grounded
    at = int(np.searchsorted(kept, i))
    if len(members) <= DENSE_PAIR:
        order = np.append(np.delete(members, np.isin(members, (i, j))), (i, j))
        adjacency = graph.adjacency[order][:, order].toarray()
        # Once all the others are eliminated, one conductance is left between the two.
        left = float(eliminate(adjacency, np.zeros(len(order)))[1][-2]) ** 2
        return checked_resistance(1 / left if left > 0 else math.inf)
    grounded = sparse.csr_array(graph.laplacian()[kept][:, kept])
    current = np.zeros(len(kept))
    current[at] = 1.0
    return checked_resistance(float(_solve(grounded, current)[at]))


def resistances_from(graph: Graph, node: Hashable) -> Floats:
    """r(node, q) for every position q; infinite in other components.

    Cost: that of all resistances of the node's component, as for `resistance_matrix`.

    Parameters
    ----------
    graph
        The network, as for `resistance`.
    node
        The node, by id, from which all resistances are measured.
    """
    expect_graph(graph)
    i = graph.nodes.position(node)
    members = np.flatnonzero(graph.component_of == graph.component_of[i])
    row = np.full(graph.n, math.inf)
    row[members] = _component_matrix(graph, members)[np.searchsorted(members, i)]
    return row


def resistance_matrix(graph: Graph) -> Floats:
    """r(p, q) for every pair of positions, infinite between components: 8 n^2 bytes.

    Cost: O(m^3) for a component of m nodes, of which there may be at most 15,000.

    Parameters
    ----------
    graph
        The network, as for `resistance`.

    Examples
    --------
    >>> resistance_matrix(Graph.from_edges([(0, 1, 2.0)], nodes=[0, 1, 2]))
    array([[0. , 0.5, inf],
           [0.5, 0. , inf],
           [inf, inf, 0. ]])
    """
    expect_graph(graph)
    full = np.full((graph.n, graph.n), math.inf)
    for members in components(graph):
        full[np.ix_(members, members)] = _component_matrix(graph, members)
    return full


def resistance_diameter(graph: Graph, *, per_component: bool = False) -> float:
    """R_G: the largest resistance, at most the diameter; infinite on a disconnected graph.

    Cost: on a forest that of `diameter`, else that of `resistance_matrix`, one component at a time.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    per_component
        True for the largest resistance inside a component instead, which is always finite. Default False.
    """
    expect_graph(graph)
    if not graph.is_connected and not per_component:
        return math.inf
    if graph.n_edges == graph.n - graph.n_components:
        return diameter(graph, per_component=per_component)  # Lemma 3.2 of paper 001: a forest
    return max(float(_component_matrix(graph, members).max()) for members in components(graph))


def algebraic_connectivity(graph: Graph) -> float:
    """lambda_2: the second smallest eigenvalue of the Laplacian; 0 on a disconnected graph.

    Parameters
    ----------
    graph
        The graph, without negative weights and with at least two nodes.

    Examples
    --------
    >>> from ohmline.graph import generate
    >>> round(algebraic_connectivity(generate.hypercube(4).graph), 12)
    2.0
    """
    expect_graph(graph)
    if graph.n < 2:
        raise GraphError("the algebraic connectivity needs at least two nodes, and the graph has one")
    lengths(graph)  # refuses negative weights
    if not graph.is_connected:
        return 0.0
    laplacian = graph.laplacian()
    if graph.n <= DENSE_PAIR:
        return float(linalg.eigh(laplacian.toarray(), eigvals_only=True, subset_by_index=[1, 1])[0])
    return _fiedler_value(laplacian)


def _component_matrix(graph: Graph, members: Ints) -> Floats:
    """All resistances of one component."""
    lengths(graph)  # refuses negative weights
    m = len(members)
    if m > DENSE_MATRIX:
        raise GraphError(
            f"all resistances of a component of {m} nodes need {8 * m * m / 2**30:.1f} GiB; "
            "ask for single pairs with resistance(graph, a, b)"
        )
    if m == 1:
        return np.zeros((1, 1))
    table = _from_inverse(sparse.csr_array(graph.laplacian()[members][:, members])) if m > SMALL else None
    if table is None:
        table = resistances(graph.adjacency[members][:, members].toarray())
    checked_resistance(float(table.max()))
    return table


def _from_inverse(laplacian: sparse.csr_array) -> Floats | None:
    """r(p, q) = G_pp + G_qq - 2 G_pq with node 0 grounded; None where that would blur a resistance."""
    grounded = sparse.csr_array(laplacian[1:, 1:])
    factor, failed = linalg.lapack.dpotrf(grounded.toarray(), lower=1, clean=True)
    inverse, failed_again = linalg.lapack.dpotri(factor, lower=1)
    if failed or failed_again:
        return None
    m = len(inverse) + 1
    green = np.zeros((m, m))
    green[1:, 1:] = np.tril(inverse) + np.tril(inverse, -1).T
    # No resistance is below 1 / degree.
    rounding = diagonal_rounding(laplacian)[1:]
    if 4 * probed_error(grounded, green[1:, 1:], None, rounding) > BLUR / float(laplacian.diagonal().max()):
        return None
    diagonal = np.diagonal(green).copy()
    table = diagonal[:, None] + diagonal - 2 * green
    np.fill_diagonal(table, 0.0)
    return np.asarray(table, dtype=np.float64)


def checked_resistance(found: float) -> float:
    """The same, or an error where it has left the range of numbers."""
    if not math.isfinite(found):
        raise GraphError(
            "a resistance is beyond the largest number that there is; scale the weights (now as small as 1e-308 or "
            "so) to be nearer to 1"
        )
    return found


def _solve(grounded: sparse.csr_array, current: Floats) -> Floats:
    inverse_degree = sparse.diags_array(1 / grounded.diagonal())
    voltages, stopped = sparse_linalg.cg(grounded, current, rtol=1e-11, maxiter=2000, M=inverse_degree)
    if stopped:
        voltages = _factor(grounded).solve(current)
    return np.asarray(voltages, dtype=np.float64)


def _factor(definite: sparse.csr_array) -> Any:
    """A sparse factor of a positive definite matrix; needs no pivots, so the order may follow its pattern."""
    return sparse_linalg.splu(
        definite.tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def _fiedler_value(laplacian: sparse.csr_array) -> float:
    """The smallest eigenvalue once the constant vector is lifted out of the way."""
    n = laplacian.shape[0]
    lift = 2 * float(laplacian.diagonal().max())  # above lambda_2, which is at most twice a degree
    start = np.random.default_rng(0).standard_normal(n)

    def lifted(x: Floats) -> Floats:
        return np.asarray(laplacian @ x + lift * x.mean(), dtype=np.float64)

    operator = sparse_linalg.LinearOperator((n, n), matvec=lifted, dtype=np.float64)
    try:
        found = sparse_linalg.eigsh(
            operator, 1, which="SA", v0=start, tol=1e-7, maxiter=25, ncv=60, return_eigenvectors=False
        )
        return float(found[0])
    except sparse_linalg.ArpackNoConvergence:
        # Small gaps come with long thin graphs, whose shifted Laplacian has a sparse factor.
        shift = 1e-9 * lift
        factor = _factor(laplacian + shift * sparse.eye_array(n))
        inverse = sparse_linalg.LinearOperator((n, n), matvec=factor.solve, dtype=np.float64)
        found = sparse_linalg.eigsh(
            laplacian, 2, sigma=-shift, OPinv=inverse, v0=start, return_eigenvectors=False
        )
        return float(np.sort(found)[1])
