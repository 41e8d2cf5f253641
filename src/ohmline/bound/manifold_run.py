"""What a game of `OnlineManifold` shows to a theorem: every f_t, played again over points that all stay."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints, finite
from ohmline.bound.asked_trials import expect_trace
from ohmline.bound.contract import Assumption
from ohmline.checks import room, shown
from ohmline.errors import LearnerError, ParameterError, ShapeError
from ohmline.game.trace import Trace
from ohmline.kernel.vector import RBF, VectorKernel
from ohmline.learn.manifold import Buffer, Full, KernelFunction, ManifoldRisk, OnlineManifold
from ohmline.learn.manifold.risk import signs_of


@dataclass(frozen=True)
class ManifoldRun:
    """The functions f_1 .. f_{T+1} of a game, as coefficients over its points."""

    learner: OnlineManifold
    kernel: VectorKernel
    """The kernel of every view."""
    points: Floats
    signs: Floats
    """What the label of each trial asked of every function; 0 where none was learned."""
    alpha: Floats
    """The coefficients of f_t, of shape (T + 1, views, functions, T)."""
    progress: Floats
    """||f_{t+1} - f_t||^2."""
    fresh: Assumption
    whole: Assumption

    @property
    def risk(self) -> ManifoldRisk:
        """The risk whose J_t the learner descends."""
        o = self.learner.options
        return ManifoldRisk(o.smoothness, o.lambda_1, o.lambda_2, o.loss, self.learner.classes)

    @property
    def ratio(self) -> float:
        """T / l as declared; as it was in this game where it was not."""
        rate = self.learner.options.label_rate
        labels = max(int(np.count_nonzero(self.signs.any(axis=1))), 1)
        return max(len(self.points), 1) / labels if rate is None else 1 / rate

    @cached_property
    def gram(self) -> Floats:
        """The kernel between the points, one matrix per view."""
        seen = [self.points[:, columns] for columns in self.columns(self.points.shape[1])]
        return np.array([self.kernel(x, x) for x in seen])

    def columns(self, features: int) -> list[Ints]:
        """For each view the columns that it sees of points with so many features."""
        return [view[view >= 0] for view in self.learner.options.columns(features)]

    @cached_property
    def values(self) -> Floats:
        """f_t at every point, of shape (T + 1, views, functions, T)."""
        return np.asarray(self.alpha @ self.gram)

    @cached_property
    def sqnorms(self) -> Floats:
        """||f_t||^2."""
        return np.maximum(np.einsum("tvci,tvci->t", self.alpha, self.values), 0.0)

    def risks(self, values: Floats, sqnorms: Floats) -> Floats:
        """J_t of functions that are given by their values at the points, one for each trial."""
        risk, found = self.risk, np.empty(len(self.points))
        for t in range(len(found)):
            seen = slice(0, t + 1)
            found[t] = risk.at(
                values[t][:, :, seen],
                float(sqnorms[t]),
                self.points[seen],
                self.signs[t],
                self.ratio,
                self.learner.function,
            )
        return found

    @cached_property
    def paid(self) -> Floats:
        """J_t(f_t)."""
        return self.risks(self.values, self.sqnorms)

    def charged_by(self, u: KernelFunction | None) -> tuple[Floats, Floats]:
        """J_t(u) of every trial, and ||f_t - u||^2 of t = 1 .. T + 1; None stands for the function 0."""
        if u is None:
            nothing = np.zeros_like(self.values[:-1])
            return self.risks(nothing, np.zeros(len(self.points))), self.sqnorms
        self._expect_inside(u)
        trials, sqnorm = len(self.points), u.sqnorm
        at = u.by_view(self.points) if trials else np.zeros((*u.alpha.shape[:2], 0))
        inner = np.einsum("tvci,vci->t", self.alpha, at)
        found = self.risks(np.broadcast_to(at, (trials, *at.shape)), np.full(trials, sqnorm))
        return found, np.maximum(self.sqnorms - 2 * inner + sqnorm, 0.0)

    def _expect_inside(self, u: KernelFunction) -> None:
        """Refuse a comparator of another space: ||f_t - u|| is a distance within the learner's own."""
        finite(u.alpha, "alpha of the comparator")
        remedy = "expand it over the learner's kernel, as LapSVM(learner.kernel, ...) and learner.average are"
        views, functions = self.alpha.shape[1:3]
        if u.alpha.shape[:2] != (views, functions) or not len(u.kernels) == len(u.columns) == views:
            raise ShapeError(
                f"the comparator has {len(u.kernels)} views, {len(u.columns)} lists of columns and coefficients of "
                f"shape {u.alpha.shape}; the learner has {views} views and {functions} functions: {remedy}"
            )
        for kernel in u.kernels:
            if type(kernel) is not type(self.kernel) or vars(kernel) != vars(self.kernel):
                raise ParameterError(
                    f"the comparator is a function of {shown(kernel)}, and the learner's are of {self.kernel!r}; "
                    f"{remedy}"
                )
        for theirs, ours in zip(u.columns, self.columns(u.points.shape[1]), strict=True):
            if sorted(theirs) != sorted(ours):
                raise ShapeError(
                    f"a view of the comparator sees the columns {shown(list(theirs))}, and the learner's "
                    f"{ours.tolist()}; {remedy}"
                )
        if u.scale is not None and np.any(u.scale != 1):
            raise ParameterError(
                f"the comparator scales its features by {shown(u.scale)}, and the learner does not; {remedy}"
            )


def manifold_run(trace: Trace) -> ManifoldRun:
    """The game again, event by event, by a learner with the same options that has seen nothing."""
    learner = expect_trace(trace).learner
    if not isinstance(learner, OnlineManifold):
        raise LearnerError(
            f"this theorem speaks about OnlineManifold, and the trace was played by {type(learner).__name__}; "
            "bound.best_bound(trace) finds the theorem of each learner"
        )
    options = learner.options
    if learner.late_classes or not isinstance(options.basis, Full | Buffer):
        raise LearnerError(
            "this theorem speaks about declared classes over the points themselves; "
            "play OnlineManifold(basis=Full(), ...) without late_classes"
        )
    if options.open_width or options.kernel is None:
        raise LearnerError(
            "this theorem speaks about widths that are known from the start, and here they were read off the first "
            "points; play OnlineManifold(RBF(width), smoothness=Manifold(width), ...) with standardise=False"
        )
    twin = OnlineManifold(
        classes=learner.classes, **{name: getattr(options, name) for name in type(options).__slots__}
    )
    views = 1 if options.smoothness.views is None else len(options.smoothness.views)
    named = 1 + max(
        max(view) for view in options.smoothness.views or [[0]]
    )  # all that a game without trials tells
    points = np.asarray(trace.nodes, dtype=np.float64).reshape(len(trace), -1 if len(trace) else named)
    functions = 1 if learner.binary else len(learner.classes)
    trials = len(points)
    room(16.0 * (trials + 1) * trials * views * functions, f"every function of {trials} trials")
    alpha = np.zeros((trials + 1, views, functions, trials))
    progress, margin, codes = np.zeros(trials), np.zeros(trials), np.full(trials, -1)
    for t, (x, label) in enumerate(zip(points, trace.labels, strict=True)):
        known = label if trace.asked_at[t] else None
        codes[t] = -1 if known is None else learner.classes.index(known)
        margin[t] = twin.view_one(x).margin
        progress[t] = twin.learn_one(x, known).progress
        model: Any = twin._model
        n = model.size
        alpha[t + 1][:, :, model.expansion.born[:n] - 1] = model.expansion.alpha[:, :, :n]
    same = bool(
        np.allclose(margin, trace.margin, rtol=1e-6, atol=1e-9)
        and np.allclose(progress, trace.progress, rtol=1e-6, atol=1e-9)
    )
    return ManifoldRun(
        learner,
        options.kernel,
        points,
        signs_of(codes, len(learner.classes)),
        alpha,
        progress,
        Assumption("the learner had seen nothing before the game", True, same),
        Assumption(
            "every point stayed in the basis",
            True,
            isinstance(options.basis, Full) or trials <= options.basis.size,
        ),
    )


def smallest_loss(run: ManifoldRun) -> float:
    """What a mistake, or a tie, costs at least: the loss there, summed over views and functions.

    The loss is convex, so its mean over the views is at least that of the mean, which predicts. Of more than two
    classes two functions are wrong together: one asked for +1 is no larger than another asked for -1.
    """
    views, functions = run.alpha.shape[1:3]
    return run.risk.loss.value_at(0.0, 1) * views * (1 if functions == 1 else 2)


def longest_point(run: ManifoldRun) -> Floats:
    """The largest sqrt(K(x, x)) in each view: 1 for a Gaussian, among the points of the game for another kernel."""
    if isinstance(run.kernel, RBF):
        return np.ones(len(run.gram))
    return np.array([float(np.sqrt(np.diagonal(gram).max(initial=0.0))) for gram in run.gram])
