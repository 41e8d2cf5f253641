"""A Chebyshev polynomial of a Laplacian that is tiny on the unwanted part of its spectrum and steep on the wanted one.

No factor is needed, so it works on expanders too. Scaled so that [cut, top] becomes [-1, 1], the polynomial of degree
d stays within 1 there and grows like cosh(d acosh |x|) below the cut.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np
from scipy import linalg, sparse

from ohmline.arrays import Floats, Ints
from ohmline.compiled import Stopped, compiled, interrupted

LARGEST_DEGREE = 400


@final
class ChebyshevFilter:
    """The polynomial, applied to blocks of vectors.

    Parameters
    ----------
    laplacian
        The matrix.
    cut, top
        Where the unwanted part of the spectrum begins and ends.
    times
        How steep it is: a larger degree takes more products, and fewer vectors.
    degree
        The degree itself, even, instead of `times`.
    """

    def __init__(
        self, laplacian: sparse.csr_array, cut: float, top: float, times: int = 1, degree: int | None = None
    ) -> None:
        self.degree = degree_for(cut, top, times) if degree is None else degree
        self._centre, self._half = (top + cut) / 2, (top - cut) / 2
        self._rows = (
            laplacian.indptr.astype(np.int64),
            laplacian.indices.astype(np.uint32),
            np.asarray(laplacian.data, dtype=np.float64),
        )

    def __call__(self, block: Floats) -> Floats:
        previous, current = np.array(block), np.empty_like(block)
        chebyshev(*self._rows, self._centre, self._half, self.degree, previous, current)
        return current


def degree_for(cut: float, top: float, times: int = 1) -> int:
    """An even degree, under which the smallest eigenvalues become about cosh(4 `times`) and the rest at most 1."""
    return int(np.clip(2.0 * times * np.sqrt(top / cut), 8, LARGEST_DEGREE)) // 2 * 2


@compiled
def chebyshev(
    indptr: Ints, indices: Any, values: Floats, centre: float, half: float, degree: int, a: Floats, b: Floats
) -> None:
    """Apply the polynomial to the rows of block `a`; the result is in `b`, and `a` is overwritten."""
    n, width = a.shape
    for step in range(degree):
        if interrupted():
            raise Stopped("an eigensolver was interrupted")
        # b = 2 x(A) b - a, where x scales; the first step has no factor of 2 and no former term.
        source, target = (a, b) if step % 2 == 0 else (b, a)
        scale = 1.0 / half if step == 0 else 2.0 / half
        for i in range(n):
            for c in range(width):
                former = target[i, c] if step > 0 else 0.0
                target[i, c] = -scale * centre * source[i, c] - former
            for q in range(indptr[i], indptr[i + 1]):
                j, value = indices[q], scale * values[q]
                for c in range(width):
                    target[i, c] += value * source[j, c]
    if degree % 2 == 0:
        for i in range(n):
            for c in range(width):
                b[i, c] = a[i, c]


def upper_bound(laplacian: sparse.csr_array) -> float:
    """Gershgorin's bound on the largest eigenvalue."""
    return float(np.abs(laplacian).sum(axis=1).max(initial=0.0))


def eigenvalue_near(laplacian: sparse.csr_array, share: float, top: float, rng: np.random.Generator) -> float:
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
        basis, alpha, beta, made = np.zeros((steps + 1, n)), np.zeros(steps), np.zeros(steps), steps
        basis[0] = v
        for j in range(steps):
            w = laplacian @ basis[j]
            alpha[j] = basis[j] @ w
            w -= (basis[: j + 1] @ w) @ basis[: j + 1]  # full orthogonalisation: short run, so it is cheap
            beta[j] = np.linalg.norm(w)
            if beta[j] < 1e-12 * top:
                made = j + 1
                break
            basis[j + 1] = w / beta[j]
        theta, s = linalg.eigh_tridiagonal(alpha[:made], beta[: made - 1])
        nodes.append(theta)
        weights.append(s[0] ** 2)
    theta, weight = np.concatenate(nodes), np.concatenate(weights) / len(nodes)
    order = np.argsort(theta)
    reached = min(int(np.searchsorted(np.cumsum(weight[order]), share)), len(order) - 1)
    return float(np.clip(theta[order][reached], 1e-5 * top, 0.5 * top))
