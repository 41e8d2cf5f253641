"""Factors, inverses and resistances of a network without a harmful subtraction.

`starmesh` does the same in logarithms, for conductances that no number holds. Here they are numbers, and the
work is that of a Cholesky factorisation: node k is eliminated by adding c_ki c_kj / s_k to the conductance of
every pair of its neighbours, where s_k is the *sum* of its conductances. The Laplacian's own diagonal, whose
subtractions lose as many digits as the weights span orders of magnitude, is never read.

| symbol | here |
|---|---|
| c_ij | `conductance`, 0 for no edge |
| conductance to the ground | `slack` |
| c_kj / sqrt(s_k), sqrt(s_k) | row k of the factor, and its diagonal entry |
"""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse

from ohmline.arrays import Floats
from ohmline.compiled import reassociated

EPS = float(np.finfo(np.float64).eps)
BLUR = 1e-9
"""The relative error of a resistance up to which a plain Cholesky factorisation will do."""
PROBES = 3
"""Random vectors on which an inverse is tried."""
PANEL = 48
"""Rows that are eliminated one by one before the rest is updated by a product of matrices."""
STRIP = 1024
"""Rows of the rest that one product updates."""


def eliminate(conductance: Floats, slack: Floats) -> tuple[Floats, Floats]:
    """Eliminate the nodes in their order; c_kj / sqrt(s_k) above the diagonal, and sqrt(s_k) itself.

    The upper triangle of `conductance` is overwritten. Every entry has nearly full relative precision.
    """
    n, pivots = len(conductance), np.zeros(len(conductance))
    for start in range(0, n, PANEL):
        stop = min(start + PANEL, n)
        _eliminate_panel(conductance, slack, pivots, start, stop)
        for top in range(stop, n, STRIP):
            rows = slice(top, min(top + STRIP, n))
            conductance[rows, top:] += conductance[start:stop, rows].T @ conductance[start:stop, top:]
        slack[stop:] += conductance[start:stop, stop:].T @ slack[start:stop]
    return conductance, pivots


@reassociated
def _eliminate_panel(c: Floats, slack: Floats, pivots: Floats, start: int, stop: int) -> None:
    n = c.shape[0]
    for k in range(start, stop):
        total = slack[k]
        for j in range(k + 1, n):
            total += c[k, j]
        if total == 0.0:  # the last node of a network without a ground
            continue
        pivots[k] = np.sqrt(total)
        slack[k] /= pivots[k]
        for j in range(k + 1, n):
            c[k, j] /= pivots[k]
        for i in range(k + 1, stop):
            share = c[k, i]
            slack[i] += share * slack[k]
            for j in range(i + 1, n):
                c[i, j] += share * c[k, j]


def grounded_inverse(adjacency: Floats, ground: int) -> Floats:
    """The inverse of the Laplacian without row and column `ground`, which are 0 in the result.

    Every entry has nearly full relative precision, whatever the ratio of the weights: the factor has one sign
    above its diagonal, so its inverse is a sum of positive terms too.
    """
    n = len(adjacency)
    kept = np.delete(np.arange(n), ground)
    shares, pivots = eliminate(adjacency[np.ix_(kept, kept)], adjacency[kept, ground].copy())
    factor = np.asfortranarray(-np.triu(shares, 1))
    np.fill_diagonal(factor, pivots)
    inverse, failed = linalg.lapack.dpotri(factor, lower=0, overwrite_c=True)
    full = np.zeros((n, n))
    if failed:
        full.fill(np.nan)
        return full
    upper = np.triu(inverse)
    full[np.ix_(kept, kept)] = upper + np.triu(upper, 1).T
    return full


def resistances(adjacency: Floats) -> Floats:
    """All resistances of a connected network, each with nearly full relative precision.

    The nodes come back in the reverse order of their elimination. Node k, joined to those that are there with
    shares p_j = c_kj / s_k, has r(k, m) = 1 / s_k + sum_j p_j r(j, m) - sum_jl p_j p_l r(j, l) / 2. The last
    sum is at most the number of neighbours of k over s_k, and r(k, m) at least 1 / s_k: little can cancel.
    """
    n = len(adjacency)
    shares, pivots = eliminate(np.array(adjacency), np.zeros(n))
    table = np.zeros((n, n))
    with np.errstate(all="ignore"):  # what leaves the range of numbers comes out as infinite or nan
        for k in range(n - 2, -1, -1):
            p = shares[k, k + 1 :] / pivots[k]
            mean = table[k + 1 :, k + 1 :] @ p
            table[k, k + 1 :] = table[k + 1 :, k] = mean + (1 / pivots[k] ** 2 - p @ mean / 2)
    return table


def diagonal_rounding(laplacian: sparse.csr_array) -> Floats:
    """By how much rounding has changed each diagonal entry of a Laplacian, which is the sum of its row's weights.

    An entry that is off by d acts as a resistor of 1 / d to the ground, which a weak bridge feels.
    """
    rows = np.repeat(np.arange(laplacian.shape[0]), np.diff(laplacian.indptr))
    total = np.zeros(laplacian.shape[0], np.longdouble)
    np.add.at(total, rows, np.abs(laplacian.data).astype(np.longdouble))
    return np.abs(2 * laplacian.diagonal().astype(np.longdouble) - total).astype(np.float64)


def probed_error(laplacian: sparse.csr_array, matrix: Floats, null: Floats | None, rounding: Floats) -> float:
    """An estimate of the largest error of an entry of the (pseudo)inverse K of L: of K (P - L K) x for random signs x.

    P takes the null vector off, where there is one. K - L+ = K (L K - P) up to second order, and a row of it
    times random signs has the size of the row. `rounding` is by how much the diagonal of L itself is off.
    """
    x = np.where(np.random.default_rng(0).random((len(matrix), PROBES)) < 0.5, -1.0, 1.0)
    with np.errstate(all="ignore"):  # what overflows is refused by its caller
        left = x - laplacian @ (matrix @ x)
        if null is not None:
            left -= np.outer(null, null @ left)
        left += rounding[:, None] * x[:, ::-1] * (matrix @ x)
        found = 2 * float(np.abs(matrix @ left).max())
        least = EPS * float(np.abs(np.diagonal(matrix)).max())
    return found + least if np.isfinite(found) else np.inf
