"""Coordinates of the nodes for systems that take vectors and no graph."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh

from ohmline.arrays import Floats
from ohmline.lab.peers.contract import Problem

DIMENSIONS = 32


@lru_cache(maxsize=2)
def coordinates(problem: Problem) -> Floats:
    """The leading eigenvectors of the normalised adjacency but the first, in units of their standard deviation."""
    n = problem.n
    scale = 1 / np.sqrt(np.asarray(problem.adjacency.sum(axis=1)).ravel())
    normalised = sparse.csr_array(problem.adjacency).multiply(np.outer(scale, scale)) if n < 100 else None
    if normalised is None:
        diagonal: Any = sparse.diags_array(scale)
        normalised = diagonal @ sparse.csr_array(problem.adjacency) @ diagonal
    wanted = min(DIMENSIONS + 1, n - 2)
    start = np.random.default_rng(0).random(n)
    vectors = eigsh(normalised, wanted, which="LA", v0=start, tol=1e-4)[1][:, -2::-1]
    points = np.asarray(vectors * scale[:, None])
    return np.ascontiguousarray((points - points.mean(axis=0)) / points.std(axis=0))
