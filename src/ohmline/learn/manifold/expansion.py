"""A function as a kernel expansion over a small basis, in arrays that compiled code changes in place.

| paper 003 | here | meaning |
|---|---|---|
| x_i, mu_i | `points[v, :, i]` | element i of the basis, as seen by view v |
| K(x_i, x_j) | `gram[v, i, j]` | cached, so that no kernel value is computed twice |
| alpha_i, beta_i | `alpha[v, c, i]` | coefficient of element i in the function of class c |
| f_t(x_i) | `value[v, c, i]` | kept up to date by every step |
| f-bar | `mean[v, c, i]` | coefficients of the average of f_1 .. f_t |
| n_i | `mass[i]` | how many points element i stands for, up to a common factor |

There is one view unless the regulariser is `Multiview`, and one class (of sign -1 or +1) when
the problem is binary. Axis order is chosen for the loops: the basis is always the last axis, so
distances, kernel values and steps are long passes over contiguous memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, dot, internal, reassociated
from ohmline.learn.step import UNLABELLED

GAUSSIAN, LINEAR = range(2)
"""The kernels that compiled code knows."""


class Expansion(NamedTuple):
    """The basis, the function over it, and the counters."""

    points: Floats
    gram: Floats
    alpha: Floats
    mean: Floats
    value: Floats
    mass: Floats
    label: Ints
    born: Ints
    weight: Floats
    """Graph weights between the elements, kept only when points are replayed (else empty)."""
    size: Ints
    """How many elements the basis has."""
    time: Ints
    """How many points were seen."""
    labels: Ints
    """How many labels were seen."""
    random: Any
    """State of the generator of replays and random directions: one 64-bit word."""

    @classmethod
    def empty(
        cls, *, views: int, dimension: int, classes: int, capacity: int, weights: bool, seed: int
    ) -> Expansion:
        """Room for `capacity` elements, none taken."""
        kept = capacity if weights else 0
        return cls(
            np.zeros((views, dimension, capacity)),
            np.zeros((views, capacity, capacity)),
            np.zeros((views, classes, capacity)),
            np.zeros((views, classes, capacity)),
            np.zeros((views, classes, capacity)),
            np.zeros(capacity),
            np.full(capacity, UNLABELLED, dtype=np.int64),
            np.zeros(capacity, dtype=np.int64),
            np.zeros((kept, kept)),
            np.zeros(1, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.array([seed], dtype=np.uint64),
        )

    def with_class(self) -> Expansion:
        """The same functions and one more: a copy of the last, which has had every label against it."""
        twice = {name: getattr(self, name) for name in ("alpha", "mean", "value")}
        return self._replace(**{k: np.concatenate([a, a[:, -1:]], axis=1) for k, a in twice.items()})

    def with_classes(self, codes: Ints) -> Expansion:
        """The functions at `codes` alone, in that order."""
        return self._replace(
            alpha=np.ascontiguousarray(self.alpha[:, codes]),
            mean=np.ascontiguousarray(self.mean[:, codes]),
            value=np.ascontiguousarray(self.value[:, codes]),
        )

    def grown(self, capacity: int) -> Expansion:
        """The same function with room for `capacity` elements."""

        def wider(array: Any, axes: tuple[int, ...]) -> Any:
            if not array.size:
                return array
            shape = [capacity if k in axes else length for k, length in enumerate(array.shape)]
            out = np.zeros(shape, dtype=array.dtype)
            out[tuple(slice(length) for length in array.shape)] = array
            return out

        return Expansion(
            wider(self.points, (2,)),
            wider(self.gram, (1, 2)),
            wider(self.alpha, (2,)),
            wider(self.mean, (2,)),
            wider(self.value, (2,)),
            wider(self.mass, (0,)),
            wider(self.label, (0,)),
            wider(self.born, (0,)),
            wider(self.weight, (0, 1)),
            self.size,
            self.time,
            self.labels,
            self.random,
        )


class Workspace(NamedTuple):
    """What one trial computes on the way: nothing in it outlives the trial."""

    x: Floats
    sqdist: Floats
    k: Floats
    kxx: Floats
    score: Floats
    weight: Floats
    near: Ints
    slope: Floats
    """Derivatives of the regulariser in the values at the basis, (views, classes, capacity)."""
    pull: Floats
    """Its derivatives in the values at the new point, (views, classes)."""
    delta: Floats
    """The coefficient that the step gives to the new point, (views, classes)."""
    arrival: Floats
    """The value of the function at the new point after the step, (views, classes)."""
    sqlength: Floats
    """How far the step moves each function, squared, (views, classes)."""
    apart: Floats
    """||K_i - K_x||^2 of the elements in `near`, (views, capacity)."""
    shift: Floats
    row: Floats
    residual: Floats
    """Of the functions that leave the basis, at the basis, (views, capacity)."""
    left: Floats
    left_mean: Floats
    norm: Floats

    @classmethod
    def of(cls, expansion: Expansion) -> Workspace:
        """Workspace that fits `expansion`."""
        views, dimension, capacity = expansion.points.shape
        classes = expansion.alpha.shape[1]
        return cls(
            np.zeros((views, dimension)),
            np.zeros((views, capacity)),
            np.zeros((views, capacity)),
            np.zeros(views),
            np.zeros((views, classes)),
            np.zeros(capacity),
            np.zeros(capacity, dtype=np.int64),
            np.zeros((views, classes, capacity)),
            np.zeros((views, classes)),
            np.zeros((views, classes)),
            np.zeros((views, classes)),
            np.zeros((views, classes)),
            np.zeros((views, capacity)),
            np.zeros(capacity),
            np.zeros(capacity),
            np.zeros((views, capacity)),
            np.zeros((views, classes)),
            np.zeros((views, classes)),
            np.zeros(views),
        )


LOG2E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to a whole number, held in the low bits


@compiled
def exponentials(source: Floats, gain: float, n: int, out: Floats) -> None:
    """out = exp(-gain * source) for the first `n` entries, all at least 0; exact to the last bit or two.

    A table-free loop that vectorises, and that gives the same bits on every machine: a library's
    exponential does neither, and it would be the larger part of the cost of a trial.
    """
    for i in range(n):
        x = -gain * source[i]
        x = x if x > -700.0 else -700.0
        rounded = x * LOG2E + ROUND
        k = rounded - ROUND
        r = (x - k * LN2_HIGH) - k * LN2_LOW
        p = 1 / 39916800 + r * (1 / 479001600)
        p = 1 / 362880 + r * (1 / 3628800 + r * p)
        p = 1 / 5040 + r * (1 / 40320 + r * p)
        p = 1 / 120 + r * (1 / 720 + r * p)
        p = 1 / 6 + r * (1 / 24 + r * p)
        p = 1.0 + r * (1.0 + r * (0.5 + r * p))
        bits = np.float64(p).view(np.int64) + (np.float64(rounded).view(np.int64) << np.int64(52))
        out[i] = np.int64(bits).view(np.float64)


@reassociated
def sum_of(values: Floats, n: int) -> float:
    """The sum of the first `n` values."""
    total = 0.0
    for i in range(n):
        total += values[i]
    return total


@internal
def distances(points: Floats, x: Floats, n: int, out: Floats) -> None:
    """Squared distances of `x` to the first `n` columns of `points`, four features per pass."""
    d = x.shape[0]
    for i in range(n):
        out[i] = 0.0
    for a in range(0, d - d % 4, 4):
        p0, p1, p2, p3 = points[a], points[a + 1], points[a + 2], points[a + 3]
        x0, x1, x2, x3 = x[a], x[a + 1], x[a + 2], x[a + 3]
        for i in range(n):
            e0, e1, e2, e3 = p0[i] - x0, p1[i] - x1, p2[i] - x2, p3[i] - x3
            out[i] += (e0 * e0 + e1 * e1) + (e2 * e2 + e3 * e3)
    for a in range(d - d % 4, d):
        row, here = points[a], x[a]
        for i in range(n):
            e = row[i] - here
            out[i] += e * e


@internal
def kernel_values(
    kernel: int, gain: float, points: Floats, x: Floats, n: int, sqdist: Floats, out: Floats
) -> float:
    """K(points_i, x) into `out` and squared distances into `sqdist`; K(x, x)."""
    distances(points, x, n, sqdist)
    if kernel == GAUSSIAN:
        exponentials(sqdist, gain, n, out)
        return 1.0
    d = x.shape[0]
    for i in range(n):
        out[i] = 0.0
    for a in range(d):
        row, here = points[a], x[a]
        for i in range(n):
            out[i] += row[i] * here
    return dot(x, x, d)


@internal
def read(terms: Any, expansion: Expansion, work: Workspace, x: Floats) -> None:
    """Everything about a new point that does not depend on its label: k, distances, f."""
    n = expansion.size[0]
    views, classes, _ = expansion.alpha.shape
    for v in range(views):
        for a in range(terms.columns.shape[1]):
            column = terms.columns[v, a]
            work.x[v, a] = x[column] * terms.scale[column] if column >= 0 else 0.0
        k = work.k[v]
        work.kxx[v] = kernel_values(
            terms.kernel, terms.gain[v], expansion.points[v], work.x[v], n, work.sqdist[v], k
        )
        for c in range(classes):
            work.score[v, c] = dot(expansion.alpha[v, c], k, n)


@internal
def store(expansion: Expansion, work: Workspace, slot: int, y: int) -> None:
    """Put the new point in `slot`: its features, its row of the Gram matrix, its place in f."""
    n = expansion.size[0]
    views, classes, _ = expansion.alpha.shape
    for v in range(views):
        for a in range(work.x.shape[1]):
            expansion.points[v, a, slot] = work.x[v, a]
        gram, k = expansion.gram[v], work.k[v]
        for i in range(n):
            gram[slot, i] = k[i]
            gram[i, slot] = k[i]
        gram[slot, slot] = work.kxx[v]
        for c in range(classes):
            expansion.alpha[v, c, slot] = work.delta[v, c]
            expansion.mean[v, c, slot] = 0.0
            expansion.value[v, c, slot] = work.arrival[v, c]
    if expansion.weight.shape[0]:
        for i in range(n):
            expansion.weight[slot, i] = work.weight[i]
            expansion.weight[i, slot] = work.weight[i]
        expansion.weight[slot, slot] = 0.0
    expansion.mass[slot] = 1.0
    expansion.label[slot] = y
    expansion.born[slot] = expansion.time[0]


@internal
def draw(expansion: Expansion) -> float:
    """A uniform number in [0, 1): splitmix64."""
    z = expansion.random[0] + np.uint64(0x9E3779B97F4A7C15)
    expansion.random[0] = z
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(np.float64(z >> np.uint64(11)) / 9007199254740992.0)
