"""The upper end of the Laplacian's spectrum; its lower end is `algebraic_connectivity`."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.sparse import linalg as sparse_linalg

from ohmline.graph.graph import Graph, expect_graph

DENSE = 1500
"""Nodes up to which all eigenvalues are found at once."""


def largest_eigenvalue(graph: Graph) -> float:
    """lambda_n: the largest eigenvalue of the (signed) Laplacian, at most twice the largest degree.

    Beyond 1500 nodes it is found by iteration, to about seven digits.

    Parameters
    ----------
    graph
        The graph, signed or not.

    Examples
    --------
    >>> from ohmline.graph import generate
    >>> round(largest_eigenvalue(generate.hypercube(4).graph), 12)
    8.0
    """
    laplacian = expect_graph(graph).laplacian()
    if not graph.n_edges:
        return 0.0
    if graph.n <= DENSE:
        last = graph.n - 1
        return float(linalg.eigh(laplacian.toarray(), eigvals_only=True, subset_by_index=[last, last])[0])
    start = np.random.default_rng(0).standard_normal(graph.n)
    found = sparse_linalg.eigsh(laplacian, 1, which="LA", v0=start, tol=1e-8, return_eigenvectors=False)
    return float(found[0])
