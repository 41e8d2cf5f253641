"""The spread of the points in a leaf: a covariance of low rank plus an even rest, kept incrementally.

| paper 003 | here |
|---|---|
| Sigma_i | V diag(lambda) V' + psi I, shrunk towards (trace / d) I |
| Sigma_0 = sigma^2 I | `width` squared |
| w_{mu_i t}, eq. (11) | `overlap` |

The scatter of a leaf is kept in its `rank` largest directions; what does not fit is counted in
`rest` and spread evenly over the other dimensions, so the trace is exact. Each point costs one
small eigenvalue problem of size rank + 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import compiled, dot, internal


class Shapes(NamedTuple):
    """The covariances of all leaves, and the constants of eq. (11) that follow from them."""

    axes: Floats
    """Orthonormal rows, (leaves, rank, d)."""
    scatter: Floats
    """The scatter along each axis, (leaves, rank)."""
    rest: Floats
    """The scatter in no axis."""
    width: Floats
    """sigma."""
    gain: Floats
    """lambda_k / (lambda_k + psi + sigma^2)."""
    inverse: Floats
    """1 / (psi + sigma^2)."""
    logdet: Floats
    """log |I + Sigma / sigma^2|."""
    longest: Floats
    """The largest eigenvalue of Sigma + sigma^2 I."""
    shrinks: bool
    """Whether the covariance of few points is drawn towards a ball."""

    @classmethod
    def empty(cls, leaves: int, dimension: int, rank: int, width: float, *, shrinks: bool = True) -> Shapes:
        """Leaves without spread: a Gaussian of no covariance is its mean."""
        rank = min(rank, dimension)
        return cls(
            np.zeros((leaves, rank, dimension)),
            np.zeros((leaves, rank)),
            np.zeros(leaves),
            np.array([width]),
            np.zeros((leaves, rank)),
            np.full(leaves, 1 / width**2),
            np.zeros(leaves),
            np.full(leaves, width**2),
            shrinks,
        )


@internal
def forget(shapes: Shapes, i: int) -> None:
    """Leaf i is empty again."""
    sq = shapes.width[0] * shapes.width[0]
    for k in range(shapes.axes.shape[1]):
        shapes.scatter[i, k] = 0.0
        shapes.gain[i, k] = 0.0
        for a in range(shapes.axes.shape[2]):
            shapes.axes[i, k, a] = 0.0
    shapes.rest[i] = 0.0
    shapes.inverse[i] = 1.0 / sq
    shapes.logdet[i] = 0.0
    shapes.longest[i] = sq


@compiled
def add_point(shapes: Shapes, i: int, mean: Floats, x: Floats, m: float) -> None:
    """Add a point to the scatter of leaf i, which had `m` points with that mean."""
    rank, d = shapes.axes.shape[1], shapes.axes.shape[2]
    if m > 0.0:
        axes, scatter = shapes.axes[i], shapes.scatter[i]
        basis, inside = np.empty((rank + 1, d)), np.zeros(rank + 1)
        share = np.sqrt(m / (m + 1.0))
        for a in range(d):  # Welford: the scatter grows by m / (m + 1) (x - mean)(x - mean)'
            basis[rank, a] = share * (x[a] - mean[a])
        for _ in range(2):  # twice is enough (Kahan): the axes stay orthonormal
            for k in range(rank):
                along = dot(axes[k], basis[rank], d)
                inside[k] += along
                for a in range(d):
                    basis[rank, a] -= along * axes[k, a]
        outside = np.sqrt(dot(basis[rank], basis[rank], d))
        tiny = 1e-12 * (outside + np.sqrt(dot(inside, inside, rank)))
        for a in range(d):
            basis[rank, a] = basis[rank, a] / outside if outside > tiny else 0.0
        inside[rank] = outside
        small, turns = np.empty((rank + 1, rank + 1)), np.empty((rank + 1, rank + 1))
        for k in range(rank + 1):
            for j in range(rank + 1):
                small[k, j] = inside[k] * inside[j]
            if k < rank:
                small[k, k] += scatter[k]
                for a in range(d):
                    basis[k, a] = axes[k, a]
        diagonalise(small, turns)
        least = 0
        for k in range(rank + 1):
            if small[k, k] < small[least, least]:
                least = k
        # The smallest direction no longer fits: it is counted in the rest.
        shapes.rest[i] += max(small[least, least], 0.0)
        for k in range(rank):
            from_k = k if k < least else k + 1
            scatter[k] = max(small[from_k, from_k], 0.0)
            for a in range(d):
                total = 0.0
                for j in range(rank + 1):
                    total += turns[j, from_k] * basis[j, a]
                axes[k, a] = total
    settle(shapes, i, m + 1.0)


@internal
def weigh_more(shapes: Shapes, i: int, share: float, m: float) -> None:
    """Each point of leaf i stands for `share` of them from now on, `m` together: the spread stays."""
    for k in range(shapes.scatter.shape[1]):
        shapes.scatter[i, k] *= share
    shapes.rest[i] *= share
    settle(shapes, i, m)


@compiled
def diagonalise(matrix: Floats, turns: Floats) -> None:
    """Eigenvalues onto the diagonal of a small symmetric matrix, eigenvectors into the columns of `turns`.

    Jacobi's rotations: exact to rounding, and for five rows quicker than a call to LAPACK.
    """
    n = matrix.shape[0]
    for p in range(n):
        for q in range(n):
            turns[p, q] = 1.0 if p == q else 0.0
    for _ in range(30):
        off, whole = 0.0, 0.0
        for p in range(n):
            for q in range(n):
                whole += matrix[p, q] ** 2
                off += matrix[p, q] ** 2 if p != q else 0.0
        if off <= 1e-30 * whole:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if matrix[p, q] == 0.0:
                    continue
                theta = (matrix[q, q] - matrix[p, p]) / (2.0 * matrix[p, q])
                t = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + np.sqrt(theta * theta + 1.0))
                c = 1.0 / np.sqrt(t * t + 1.0)
                s = t * c
                for k in range(n):
                    a, b = matrix[k, p], matrix[k, q]
                    matrix[k, p], matrix[k, q] = c * a - s * b, s * a + c * b
                for k in range(n):
                    a, b = matrix[p, k], matrix[q, k]
                    matrix[p, k], matrix[q, k] = c * a - s * b, s * a + c * b
                    a, b = turns[k, p], turns[k, q]
                    turns[k, p], turns[k, q] = c * a - s * b, s * a + c * b


@compiled
def settle(shapes: Shapes, i: int, m: float) -> None:
    """The constants of eq. (11) for leaf i with `m` points."""
    rank, d = shapes.axes.shape[1], shapes.axes.shape[2]
    sq = shapes.width[0] * shapes.width[0]
    total = shapes.rest[i]
    for k in range(rank):
        total += shapes.scatter[i, k]
    # A covariance of few points is mostly noise: it counts less than a ball of the same trace.
    trust = m / (m + rank + 1.0) if shapes.shrinks else 1.0
    ball = (1.0 - trust) * total / (m * d)
    even = ball + (trust * shapes.rest[i] / (m * (d - rank)) if d > rank else 0.0)
    shapes.inverse[i] = 1.0 / (even + sq)
    shapes.longest[i] = even + sq
    logdet = (d - rank) * np.log1p(even / sq)
    for k in range(rank):
        beyond = trust * shapes.scatter[i, k] / m + ball - even
        along = beyond + even + sq
        shapes.gain[i, k] = beyond / along
        logdet += np.log(along / sq)
        shapes.longest[i] = max(shapes.longest[i], along)
    shapes.logdet[i] = logdet


@compiled
def overlap(shapes: Shapes, i: int, mean: Floats, x: Floats, sqdist: float, reach: float) -> float:
    """E exp(-||u - x||^2 / 2 sigma^2) for u drawn from leaf i's Gaussian, 0 below exp(-`reach`).

    Differs from eq. (11) as printed: w = |I + Sigma/sigma^2|^(-1/2) exp(-z'(Sigma + sigma^2 I)^-1 z / 2),
    z = x - mu, which needs no inverse of Sigma. With Sigma = V diag(l) V' + psi I the inverse is
    (I - V diag(l / (l + psi + sigma^2)) V') / (psi + sigma^2).
    """
    if 0.5 * (sqdist / shapes.longest[i] + shapes.logdet[i]) > reach:
        return 0.0
    inside = sqdist
    for k in range(shapes.axes.shape[1]):
        if shapes.gain[i, k] != 0.0:
            along = dot(shapes.axes[i, k], x, x.shape[0]) - dot(shapes.axes[i, k], mean, x.shape[0])
            inside -= shapes.gain[i, k] * along * along
    exponent = 0.5 * (max(inside, 0.0) * shapes.inverse[i] + shapes.logdet[i])
    return np.exp(-exponent) if exponent <= reach else 0.0
