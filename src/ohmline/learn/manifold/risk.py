"""The risks of paper 003: what the batch learner minimises, and what the online learner pays.

| paper 003 | here |
|---|---|
| J(f), eq. (1) | `ManifoldRisk.batch` |
| J_t(f), eq. (2) | `ManifoldRisk.instantaneous` |
| J_t(f_t), t = 1 .. T | `ManifoldRisk.paid`; their mean up to T is J_air(T) |
| J_air(T) - J(f*) | `ManifoldRisk.regret` |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, matrix, non_negative
from ohmline.checks import shown
from ohmline.errors import ParameterError, ShapeError
from ohmline.learn.contract import binary_code
from ohmline.learn.manifold.function import KernelFunction
from ohmline.learn.manifold.learner import OnlineManifold
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.manifold.smoothness import Manifold


@final
@dataclass(frozen=True)
class ManifoldRisk:
    """Measures the regularised risk of a binary stream: loss, norm and smoothness over all pairs of points.

    T / l is counted from the labels.

    Attributes
    ----------
    smoothness
        The graph between the points: a `Manifold` with a width or a weight function.
    lambda_1
        Weight of the norm, at least 0. Default 0.001.
    lambda_2
        Weight of the graph, at least 0. Default 0.3.
    loss
        A `Loss`; `Loss.HINGE` by default.

    Examples
    --------
    >>> from ohmline.kernel import RBF
    >>> f = KernelFunction.single(RBF(1.0), np.array([[0.0], [1.0]]), np.array([1.0, -1.0]))
    >>> risk = ManifoldRisk(Manifold(1.0), lambda_1=0.1, lambda_2=0.5)
    >>> points, labels = [[0.0], [1.0], [0.5]], [1, -1, None]
    >>> round(risk.batch(f, points, labels), 6)
    0.754021
    >>> round(sum(risk.instantaneous(f, points, labels, t) for t in (1, 2, 3)) / 3, 6)
    0.754021
    """

    smoothness: Manifold
    lambda_1: float = 1e-3
    lambda_2: float = 0.3
    loss: Loss = field(default=Loss.HINGE)

    def __post_init__(self) -> None:
        non_negative(self.lambda_1, "lambda_1")
        non_negative(self.lambda_2, "lambda_2")

    def batch(self, f: KernelFunction, points: ArrayLike, labels: Iterable[Any]) -> float:
        """J(f): mean loss of the labelled points, norm, and smoothness over the whole graph.

        Parameters
        ----------
        f
            A function of one class.
        points, labels
            The stream: one row per point, and for each -1, +1, or None where there is no label.
        """
        x, y = _labelled(points, labels)
        values = f(x)
        known = np.flatnonzero(y)
        losses = [self.loss.value_at(values[t], int(y[t])) for t in known]
        energy = 0.0
        for t in range(len(x)):
            energy += float(self.smoothness.weights(x, x[t]) @ (values - values[t]) ** 2)
        return (
            (float(np.mean(losses)) if losses else 0.0)
            + self.lambda_1 / 2 * f.sqnorm
            + self.lambda_2 / (2 * max(len(x), 1)) * energy
        )

    def instantaneous(self, f: KernelFunction, points: ArrayLike, labels: Iterable[Any], t: int) -> float:
        """J_t(f): what one point and the edges to those before it ask of f.

        Parameters
        ----------
        f
            A function of one class.
        points, labels
            The whole stream, as for `batch`.
        t
            Which point, from 1 to the length of the stream.
        """
        x, y = _labelled(points, labels)
        if not 1 <= t <= len(x):
            raise ParameterError(f"t must lie between 1 and the {len(x)} points, got {shown(t)}")
        return self._at(f(x[:t]), f.sqnorm, x[:t], int(y[t - 1]), _ratio(y))

    def paid(self, learner: OnlineManifold, points: ArrayLike, labels: Iterable[Any]) -> Floats:
        """J_t(f_t) of every trial, as a learner learns the stream. Exact: all earlier points count.

        Parameters
        ----------
        learner
            A learner of -1 and +1, which is changed.
        points, labels
            The stream, as for `batch`.

        Returns
        -------
        array
            One risk per point; their mean is J_air(T).
        """
        x, y = _labelled(points, labels)
        ratio, risks = _ratio(y), np.empty(len(x))
        for t in range(1, len(x) + 1):
            if learner.trials:
                f, sqnorm = learner.function, learner.sqnorm
                w = self.smoothness.weights(x[: t - 1], x[t - 1])
                near = np.append(np.flatnonzero(w), t - 1)
                values = f(x[near])
                risks[t - 1] = self._sum(values, w[near[:-1]], sqnorm, int(y[t - 1]), ratio)
            else:
                risks[t - 1] = self._at(np.zeros(t), 0.0, x[:t], int(y[t - 1]), ratio)
            learner.learn_one(x[t - 1], int(y[t - 1]) or None)
        return risks

    def regret(self, paid: Floats, best: KernelFunction, points: ArrayLike, labels: Iterable[Any]) -> float:
        """J_air(T) - J(f*): the average regret against one fixed function.

        Parameters
        ----------
        paid
            What `paid` gave.
        best
            f*, the function to compare with: a minimiser of `batch`, for example.
        points, labels
            The stream that was learned, as for `batch`.
        """
        return float(np.mean(paid)) - self.batch(best, points, labels)

    def _at(self, values: Floats, sqnorm: float, x: Floats, y: int, ratio: float) -> float:
        return self._sum(values, self.smoothness.weights(x[:-1], x[-1]), sqnorm, y, ratio)

    def _sum(self, values: Floats, weights: Floats, sqnorm: float, y: int, ratio: float) -> float:
        here = float(values[-1])
        loss = ratio * self.loss.value_at(here, y) if y else 0.0
        energy = float(weights @ (values[:-1] - here) ** 2)
        return loss + self.lambda_1 / 2 * sqnorm + self.lambda_2 * energy


def _labelled(points: ArrayLike, labels: Iterable[Any]) -> tuple[Floats, Any]:
    """The points, and -1, +1 or 0 for each."""
    x = matrix(points, "points")
    y = np.array([0 if label is None else binary_code(label) for label in labels], dtype=np.int64)
    if len(x) != len(y):
        raise ShapeError(f"there are {len(x)} points and {len(y)} labels; use None where there is no label")
    return x, y


def _ratio(y: Any) -> float:
    """T / l."""
    return len(y) / max(int(np.count_nonzero(y)), 1)
