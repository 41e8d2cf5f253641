"""The slow way to choose a batch: a dense inverse afresh before every choice, and every formula as it is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ohmline as ohm

Score = Callable[[np.ndarray, np.ndarray, float, np.ndarray, int], float]


class Refitted:
    """The covariance and the mean of LocalLGC's field, by a dense inverse for every set of labels."""

    def __init__(self, learner: ohm.LocalLGC) -> None:
        graph = learner.graph
        weights = graph.adjacency.toarray() / learner.unit
        self.free = np.diag(weights.sum(axis=1)) - weights + learner.ridge * np.eye(graph.n)
        self.mu, self.classes = learner.mu, len(learner.classes)
        names = [learner.label_one(x) for x in graph.nodes]
        self.codes = np.array([-1 if y is None else learner.classes.index(y) for y in names])

    def solved(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        covariance = np.linalg.inv(self.free + np.diag((codes >= 0) / self.mu))
        targets = np.array([[float(y == c) / self.mu for c in range(self.classes)] for y in codes])
        return covariance, covariance @ targets.reshape(len(codes), self.classes)

    def batch(self, score: Score, k: int) -> list[int]:
        """k choices, each after a refit with what was expected at the ones before."""
        codes, chosen = self.codes.copy(), []
        for _ in range(k):
            covariance, mean = self.solved(codes)
            open_ = np.array([codes[j] < 0 and j not in chosen for j in range(len(codes))])
            values = [
                score(covariance, mean, self.mu, open_, i) if open_[i] else -np.inf for i in range(len(codes))
            ]
            best = max(values)
            i = next(
                j for j, value in enumerate(values) if value >= best - 1e-9 * abs(best)
            )  # equals: the first
            chosen.append(i)
            codes[i] = int(mean[i].argmax())
        return chosen


def two_best(row: np.ndarray) -> tuple[float, float]:
    first, second = sorted((max(v, 0.0) for v in row), reverse=True)[:2]
    return first, second


def gap(C: Any, f: Any, mu: float, open_: Any, i: int) -> float:
    first, second = two_best(f[i])
    return -(first - second) / first


def sigma(C: Any, f: Any, mu: float, open_: Any, i: int) -> float:
    return float(sum(C[i, j] for j in range(len(C))) ** 2 / (mu + C[i, i]))


def trace(C: Any, f: Any, mu: float, open_: Any, i: int) -> float:
    """The variances before less those after: V-optimality in its first form."""
    after = C - np.outer(C[i], C[i]) / (mu + C[i, i])
    return float(np.trace(C) - np.trace(after))


def levelled(f: Any) -> Any:
    """What each class is multiplied by: its mass to the power of -1/2, the sum of all values kept."""
    mass = np.maximum(f, 0).sum(axis=0)
    root = mass**-0.5
    return root * mass.sum() / (root * mass).sum()


def contested(C: Any, f: Any, mu: float, open_: Any, i: int) -> float:
    total, even = 0.0, f * levelled(f)
    for j in np.flatnonzero(open_):
        first, second = two_best(even[j])
        total += ((second + 1e-2) / (first + 1e-2)) ** 2 * C[i, j]
    return float(total**2 / (mu + C[i, i]))


def change(C: Any, f: Any, mu: float, open_: Any, i: int) -> float:
    """The squared length of the expected move, label by label."""
    chance, total = np.maximum(f[i], 0) / np.maximum(f[i], 0).sum(), 0.0
    for y, p in enumerate(chance):
        move = np.outer(C[i], np.eye(len(chance))[y] - f[i]) / (mu + C[i, i])
        total += p * (move**2).sum()
    return float(total)


def variance(C: Any, f: Any, mu: float, open_: Any, i: int) -> float:
    return float(C[i, i])


def mistakes(f: Any, open_: Any) -> float:
    """Expected at the open nodes, in squared values."""
    sq = np.maximum(f[open_], 0) ** 2
    return float((1 - sq.max(axis=1) / sq.sum(axis=1)).sum())


def saved(C: Any, f: Any, mu: float, open_: Any, i: int) -> float:
    scales = levelled(f)
    even = np.maximum(f[i] * scales, 0)
    chance = even / even.sum()
    chance = np.where(chance >= 0.02, chance, 0) / chance[chance >= 0.02].sum()
    after = [f + np.outer(C[i], np.eye(len(chance))[y] - f[i]) / (mu + C[i, i]) for y in range(len(chance))]
    expected = sum(p * mistakes(g * scales, open_) for p, g in zip(chance, after, strict=True))
    return mistakes(f * scales, open_) - expected
