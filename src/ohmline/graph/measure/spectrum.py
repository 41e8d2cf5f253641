"""The upper end of the Laplacian's spectrum; its lower end is `algebraic_connectivity`."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse

from ohmline.arrays import Floats
from ohmline.graph.elimination import EPS
from ohmline.graph.graph import Graph, expect_graph

DENSE = 1500
"""Nodes up to which all eigenvalues are found at once."""
STEPS = 500
"""Steps of the iteration that are always taken, beyond that many nodes."""
MOST_STEPS = 4000
"""Steps after which it ends, for on a long line the largest eigenvalues are as good as equal."""
SETTLED = 1e-9
"""The relative gain over as many more steps as were taken before at which it ends too."""
UNLIKELY = 1e-12
"""The chance that a random start lets `eigenvalue_limit` be too low."""


def largest_eigenvalue(graph: Graph) -> float:
    """lambda_n: the largest eigenvalue of the (signed) Laplacian, at most twice the largest degree.

    Beyond 1500 nodes it is found from below by at most 4000 steps of an iteration, to about six digits.

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
    return _found(expect_graph(graph))[0]


def eigenvalue_limit(graph: Graph) -> float:
    """A number that lambda_n does not exceed: lambda_n rounded up, or the largest degree_i + degree_j of an edge.

    After k steps from a random start the iteration is a share e too low with a chance of no more than
    1.648 sqrt(n) exp(-sqrt(e) (2k - 1)) (Kuczynski and Wozniakowski, 1992), whatever the spectrum.
    """
    found, steps = _found(expect_graph(graph))
    if not graph.n_edges:
        return 0.0
    share = 0.0
    if steps:
        share = float((np.log(1.648 * np.sqrt(graph.n) / UNLIKELY) / (2 * steps - 1)) ** 2)
    a, b, _ = graph.edges()
    degree = np.abs(graph.laplacian().diagonal())
    ends = float((degree[a] + degree[b]).max())
    off = 8 * graph.n * EPS
    return min(found / (1 - share) if share < 1 else np.inf, ends) * (1 + off)


def _found(graph: Graph) -> tuple[float, int]:
    """The largest eigenvalue, and after how many steps; 0 of them where no more could find a larger one."""
    laplacian = graph.laplacian()
    if not graph.n_edges:
        return 0.0, 0
    if graph.n <= DENSE:
        last = graph.n - 1
        return float(linalg.eigh(laplacian.toarray(), eigvals_only=True, subset_by_index=[last, last])[0]), 0
    return _iterated(laplacian)


def _iterated(matrix: sparse.csr_array) -> tuple[float, int]:
    """Lanczos' iteration; its vectors are not kept, which repeats eigenvalues and moves none."""
    q = np.random.default_rng(0).standard_normal(matrix.shape[0])
    q, before = q / np.linalg.norm(q), np.zeros(matrix.shape[0])
    diagonal, beside = np.zeros(MOST_STEPS), np.zeros(MOST_STEPS)
    found, check, beta = 0.0, STEPS, 0.0
    for k in range(MOST_STEPS):
        new = matrix @ q - beta * before
        diagonal[k] = float(q @ new)
        new -= diagonal[k] * q
        beta = float(np.linalg.norm(new))
        if beta <= EPS * float(diagonal[: k + 1].max()):  # the start has a part in nothing else
            return _top(diagonal[: k + 1], beside[:k]), 0
        if k + 1 == check:
            gained = _top(diagonal[: k + 1], beside[:k])
            if gained - found <= SETTLED * gained:
                return gained, k + 1
            found, check = gained, 2 * check
        beside[k] = beta
        before, q = q, new / beta
    return _top(diagonal, beside[:-1]), MOST_STEPS


def _top(diagonal: Floats, beside: Floats) -> float:
    last = len(diagonal) - 1
    return float(linalg.eigvalsh_tridiagonal(diagonal, beside, select="i", select_range=(last, last))[0])
