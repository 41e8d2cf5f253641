"""The risks of paper 003: what the batch learner minimises, and what the online learner pays.

| paper 003 | here |
|---|---|
| J(f), eq. (1) | `ManifoldRisk.batch` |
| J_t(f), eq. (2) | `ManifoldRisk.instantaneous` |
| J_t(f_t), t = 1 .. T | `ManifoldRisk.paid`; their mean up to T is J_air(T) |
| J_air(T) - J(f*) | `ManifoldRisk.regret` |
| Omega of section 2.1 | `smoothness`: the sum of its `energy` over the trials, over T |

Where there are several functions (one per class against the rest, or one per view), the loss and the norm are summed
over them. Differs: the paper's Omega of multiview learning is a sum over the points where that of the manifold is a
mean; here both are means, so that J is the mean of the J_t for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, Ints, count, matrix, non_negative, vector
from ohmline.checks import instance, listed, shown
from ohmline.errors import LabelError, ParameterError, ShapeError
from ohmline.learn.classes import ClassTable
from ohmline.learn.contract import binary_code
from ohmline.learn.manifold.choices import member
from ohmline.learn.manifold.function import KernelFunction
from ohmline.learn.manifold.learner import OnlineManifold
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.manifold.smoothness import Manifold, Multiview, Scene, Smoothness


@final
@dataclass(frozen=True)
class ManifoldRisk:
    """Measures the regularised risk of a stream: loss, norm and what unlabelled points ask, over all of them.

    T / l is counted from the labels.

    Attributes
    ----------
    smoothness
        What unlabelled points ask: a `Manifold` with a width or a weight function, a `Multiview`, or a `Smoothness` of
        your own.
    lambda_1
        Weight of the norm, at least 0. Default 0.001.
    lambda_2
        Weight of the smoothness, at least 0. Default 0.3.
    loss
        A `Loss`, or its word: `"hinge"` (default), `"squared-hinge"`, `"logistic"` or `"squared"`.
    classes
        The classes, two or more, in the order of the functions; None (default) for -1 and +1. Two are one function of
        two signs, more are one function each, with the label's class against the rest.

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

    smoothness: Smoothness
    lambda_1: float = 1e-3
    lambda_2: float = 0.3
    loss: Loss = field(default=Loss.HINGE)
    classes: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        remedy = "give Manifold(width), Multiview or one of your own"
        instance(self.smoothness, Smoothness, "smoothness", remedy)
        non_negative(self.lambda_1, "lambda_1")
        non_negative(self.lambda_2, "lambda_2")
        object.__setattr__(self, "loss", member(Loss, self.loss, "loss"))
        if self.classes is not None:
            object.__setattr__(self, "classes", tuple(listed(self.classes, "classes")))
            if len(ClassTable(self.classes)) < 2:
                raise LabelError(f"classes must be two or more different labels, got {shown(self.classes)}")

    def batch(self, f: KernelFunction, points: ArrayLike, labels: Iterable[Any]) -> float:
        """J(f): mean loss of the labelled points, norm, and smoothness over all points.

        Parameters
        ----------
        f
            One function for two classes, else one per class; with `Multiview` of as many views.
        points, labels
            The stream: one row per point, and for each its label, or None where there is none.
        """
        x, signs = self._labelled(points, labels)
        values, ratio = self._values(f, x), ratio_of(signs)
        loss = sum(self._loss(values[:, :, t], signs[t]) for t in range(len(x)))
        energy = sum(self._energy(values[:, :, : t + 1], x[: t + 1], f) for t in range(len(x)))
        points_seen = max(len(x), 1)
        return (ratio * loss + self.lambda_2 * energy) / points_seen + self.lambda_1 / 2 * f.sqnorm

    def instantaneous(self, f: KernelFunction, points: ArrayLike, labels: Iterable[Any], t: int) -> float:
        """J_t(f): what one point and the edges to those before it ask of f.

        Parameters
        ----------
        f
            As for `batch`.
        points, labels
            The whole stream, as for `batch`.
        t
            Which point, from 1 to the length of the stream.
        """
        x, signs = self._labelled(points, labels)
        if not 1 <= count(t, "t", least=1) <= len(x):
            raise ParameterError(f"t must lie between 1 and the {len(x)} points, got {shown(t)}")
        return self.at(self._values(f, x[:t]), f.sqnorm, x[:t], signs[t - 1], ratio_of(signs), f)

    def paid(self, learner: OnlineManifold, points: ArrayLike, labels: Iterable[Any]) -> Floats:
        """J_t(f_t) of every trial, as a learner learns the stream. Exact: all earlier points count.

        Parameters
        ----------
        learner
            A learner of the same classes and views, which is changed.
        points, labels
            The stream, as for `batch`.

        Returns
        -------
        array
            One risk per point; their mean is J_air(T).
        """
        instance(learner, OnlineManifold, "learner")
        shown_labels = listed(labels, "labels")
        x, signs = self._labelled(points, shown_labels)
        views = 1 if self.smoothness.views is None else len(self.smoothness.views)
        ratio, risks = ratio_of(signs), np.empty(len(x))
        for t in range(len(x)):
            near = np.append(self._asked(x[:t], x[t]), t)
            if learner.trials:
                f, sqnorm = learner.function, learner.sqnorm
                values = self._values(f, x[near])
                risks[t] = self.at(values, sqnorm, x[near], signs[t], ratio, f)
            else:
                nothing = np.zeros((views, signs.shape[1], len(near)))
                risks[t] = self.at(nothing, 0.0, x[near], signs[t], ratio)
            learner.learn_one(x[t], shown_labels[t])
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
        given = listed(labels, "labels")
        mean = float(np.mean(vector(paid, "paid", length=len(given)))) if given else 0.0
        return mean - self.batch(best, points, given)

    def at(
        self,
        values: Floats,
        sqnorm: float,
        points: Floats,
        signs: Floats,
        ratio: float,
        f: KernelFunction | None = None,
    ) -> float:
        """J_t of a function that is known by its values: the last point is the new one, the others came before it.

        Parameters
        ----------
        values
            The values at the points, of shape (views, functions, points).
        sqnorm
            The squared norm, summed over views and functions.
        points
            One row per point.
        signs
            What the label of the new point asks of each function, -1 or +1; all 0 where there is no label.
        ratio
            T / l, the factor of the loss.
        f
            The function, whose kernels a `Smoothness` of your own may read from its scene. Default None.
        """
        loss = ratio * self._loss(values[:, :, -1], signs)
        return loss + self.lambda_1 / 2 * sqnorm + self.lambda_2 * self._energy(values, np.asarray(points), f)

    def _loss(self, here: Floats, signs: Floats) -> float:
        """The loss at one point, summed over views and functions; 0 without a label."""
        if not signs.any():
            return 0.0
        return sum(
            self.loss.value_at(float(v), int(s)) for row in here for v, s in zip(row, signs, strict=True)
        )

    def _energy(self, values: Floats, x: Floats, f: KernelFunction | None) -> float:
        """Omega_t of the last point."""
        if self.lambda_2 == 0:
            return 0.0
        views, n = values.shape[0], len(x) - 1
        apart, length = np.zeros((views, n)), np.zeros(views)
        if f is not None and not isinstance(self.smoothness, Manifold | Multiview):
            for v, (kernel, columns) in enumerate(zip(f.kernels, f.columns, strict=True)):
                gram = kernel(x[:, columns], x[:, columns])
                apart[v] = np.diagonal(gram)[:-1] + gram[-1, -1] - 2 * gram[-1, :-1]
                length[v] = gram[-1, -1]
        scene = Scene(x[-1], x[:-1], np.ones(n), values[:, :, -1], values[:, :, :-1], apart, length)
        return self.smoothness.energy(scene)

    def _asked(self, earlier: Floats, x: Floats) -> Ints:
        """The earlier points whose values Omega_t depends on."""
        if isinstance(self.smoothness, Multiview):
            return np.zeros(0, dtype=np.int64)
        if isinstance(self.smoothness, Manifold):
            return np.flatnonzero(self.smoothness.weights(earlier, x))
        return np.arange(len(earlier))

    def _values(self, f: KernelFunction, x: Floats) -> Floats:
        views = 1 if self.smoothness.views is None else len(self.smoothness.views)
        instance(f, KernelFunction, "f", "give learner.function, for example")
        functions = 1 if self.classes is None or len(self.classes) == 2 else len(self.classes)
        if f.alpha.shape[:2] != (views, functions):
            raise ShapeError(
                f"this risk is of {views} views and {functions} functions, and f has {f.alpha.shape[0]} and "
                f"{f.alpha.shape[1]}; give the same classes and views to both"
            )
        return f.by_view(x)

    def _labelled(self, points: ArrayLike, labels: Iterable[Any]) -> tuple[Floats, Floats]:
        """The points, and what the label of each asks of every function: -1, +1, or 0 without a label."""
        x, given = matrix(points, "points"), listed(labels, "labels")
        if len(x) != len(given):
            raise ShapeError(
                f"there are {len(x)} points and {len(given)} labels; use None where there is no label"
            )
        if self.classes is None:
            signs = [0 if label is None else binary_code(label) for label in given]
            return x, np.array(signs, dtype=np.float64).reshape(len(x), 1)
        table = ClassTable(self.classes, remedy="name it in classes")
        codes = [-1 if label is None else table.find(label) for label in given]
        return x, signs_of(np.array(codes, dtype=np.int64), len(self.classes))


def signs_of(codes: Ints, classes: int) -> Floats:
    """What labels ask of each function, one row per label: -1 or +1, and 0 where the code is below 0."""
    if classes == 2:
        signs = np.where(codes == 1, 1.0, -1.0)[:, None]
    else:
        signs = np.where(codes[:, None] == np.arange(classes), 1.0, -1.0)
    return np.asarray(np.where(codes[:, None] < 0, 0.0, signs))


def ratio_of(signs: Floats) -> float:
    """T / l."""
    return len(signs) / max(int(np.count_nonzero(signs.any(axis=1))), 1)
