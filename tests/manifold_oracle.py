"""Paper 003 as its boxes print it, in plain NumPy with growing arrays: the oracle of the compiled code."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ohmline.learn.manifold import Loss


def literal_loss(loss, f, y):
    """c(f, y) as the losses are defined."""
    return {
        Loss.HINGE: max(1 - y * f, 0),
        Loss.SQUARED_HINGE: max(1 - y * f, 0) ** 2,
        Loss.LOGISTIC: math.log(1 + math.exp(-y * f)),
        Loss.SQUARED: (y - f) ** 2,
    }[loss]


def gaussian(a, b, width):
    return np.exp(-np.sum((a[:, None] - b[None]) ** 2, axis=2) / (2 * width**2))


@dataclass
class Oracle:
    """f = sum alpha_i K(x_i, .), stepped by eq. (6), or by eq. (8) with its factor on every term."""

    kernel_width: float
    graph_width: float
    lambda_1: float
    lambda_2: float
    ratio: float
    eta: object
    size: int | None = None
    keep_labelled: bool = False
    keep_strongest: bool = False
    counted: bool = False
    reduction: float = 0.5
    atoms: int = 20
    proximal: bool = False
    t: int = 0
    shown: int = 0
    points: list = field(default_factory=list)
    labels: list = field(default_factory=list)
    alpha: np.ndarray = field(default_factory=lambda: np.zeros(0))
    mean: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def f(self, x):
        if not self.points:
            return 0.0
        return float(
            self.alpha @ gaussian(np.array(self.points), np.asarray(x)[None], self.kernel_width)[:, 0]
        )

    def learn(self, x, y):
        """One trial: f_t(x) before the step, which is also ||f' - f_t||^2's companion."""
        self.t += 1
        self.mean += (self.alpha - self.mean) / self.t
        self.shown += y is not None
        ratio = self.ratio
        if self.counted:  # nothing declared: T / l so far, for the proximal step no less than sqrt(50 T / l)
            ratio = self.t / max(self.shown, 1)
            ratio = max(ratio, np.sqrt(50 * ratio)) if self.proximal else ratio
        here, eta, n = self.f(x), self.eta(self.t), len(self.points)
        basis = np.array(self.points).reshape(n, len(x))
        gram = gaussian(basis, basis, self.kernel_width)
        k = gaussian(basis, x[None], self.kernel_width)[:, 0]
        w = gaussian(basis, x[None], self.graph_width)[:, 0]
        w = w * (max((self.t - 1) / n, 1.0) if n else 1.0)
        values = gram @ self.alpha
        if self.proximal:
            w = w * min(1.0, ratio / 2 / np.sum(w)) if n else w  # all together at most half of a label
            decay = 1 / (1 + eta * self.lambda_1)
            step = eta * self.lambda_2 / (1 + eta * self.lambda_2 * np.sum(2 * w * (2 - 2 * k)))
        else:
            decay, step = 1 - eta * self.lambda_1, eta * self.lambda_2
        changed = decay * self.alpha - 2 * step * (values - here) * w
        new = 2 * step * np.sum((values - here) * w)
        if y is not None and self.proximal:
            there = changed @ k + new
            new += y * min(eta * ratio, max(1 - y * there, 0.0))
        elif y is not None and y * here <= 1:
            new += eta * ratio * y
        before = np.append(self.alpha, 0.0)
        moved = np.append(changed, new) - before
        everything = np.vstack([basis, x])
        sqlength = moved @ gaussian(everything, everything, self.kernel_width) @ moved
        self.points.append(x)
        self.labels.append(y)
        self.alpha = np.append(changed, new)
        self.mean = np.append(self.mean, 0.0)
        if self.size is not None and len(self.points) > self.size:
            self.evict()
        return here, sqlength

    def evict(self):
        """Eq. (9): the point that leaves is spread over the others by matching pursuit."""
        out = 0
        if self.keep_labelled:
            plain = [i for i, y in enumerate(self.labels[:-1]) if y is None]
            strength = np.abs(self.alpha[:-1])
            out = plain[0] if plain else int(np.argmin(strength)) if self.keep_strongest else 0
        basis = np.array(self.points)
        gone = basis[out]
        stay = np.delete(np.arange(len(basis)), out)
        atoms, coefficients = basis[stay], np.zeros(len(stay))
        gram = gaussian(atoms, atoms, self.kernel_width)
        toward = gaussian(atoms, gone[None], self.kernel_width)[:, 0]

        def norm(c):
            return np.sqrt(max(1 - 2 * c @ toward + c @ gram @ c, 0.0))

        for _ in range(self.atoms):
            if norm(coefficients) <= self.reduction:
                break
            inner = toward - gram @ coefficients
            best = int(np.argmax(np.abs(inner)))
            coefficients[best] += inner[best]
        self.alpha = self.alpha[stay] + self.alpha[out] * coefficients
        self.mean = self.mean[stay] + self.mean[out] * coefficients
        self.points = [self.points[i] for i in stay]
        self.labels = [self.labels[i] for i in stay]
