"""The arrays of a learner, once its first points are known, and the calls into the compiled loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import Floats, Ints, finite, non_negative
from ohmline.errors import ShapeError
from ohmline.kernel.vector import RBF, Linear, VectorKernel
from ohmline.learn.contract import State, take
from ohmline.learn.manifold.expansion import (
    GAUSSIAN,
    LINEAR,
    SIZE,
    TIME,
    UNLABELLED,
    Expansion,
    Scratch,
)
from ohmline.learn.manifold.function import KernelFunction
from ohmline.learn.manifold.options import Options
from ohmline.learn.manifold.run import Terms, crowding, finish, run, view_row
from ohmline.learn.manifold.smoothness import Manifold, Scene, Slopes
from ohmline.learn.manifold.step import Proximal
from ohmline.learn.stepping import ALWAYS, BLOCK, Log, Rule, Trials


@final
class Model:
    """The compiled state of one learner, its scratch, and the calls into the compiled loop."""

    def __init__(
        self,
        options: Options,
        dimension: int,
        classes: int,
        kernel: tuple[VectorKernel, ...],
        graph_width: float | None,
    ) -> None:
        self.options, self.kernels, self.graph_width = options, kernel, graph_width
        self.dimension = dimension
        self.columns = options.columns(dimension)
        self.terms = _terms(options, self.columns, kernel, graph_width)
        self.expansion = Expansion.empty(
            views=len(self.columns),
            dimension=self.columns.shape[1],
            classes=1 if classes == 2 else classes,
            capacity=options.basis.capacity,
            weights=options.replays > 0,
            seed=options.seed,
        )
        self.scratch = Scratch.of(self.expansion)
        self.state = options.basis.start(dimension, 1.0 if graph_width is None else graph_width)

    @classmethod
    def fit_widths(cls, options: Options, points: Floats, classes: int) -> Self:
        """A model whose open widths are read off ``points``."""
        columns = options.columns(points.shape[1])
        kernels = tuple(
            RBF(options.bandwidth.kernel_width(points[:, view[view >= 0]]))
            if options.kernel is None
            else options.kernel
            for view in columns
        )
        graph, width = options.smoothness, None
        if isinstance(graph, Manifold) and graph.weight is None:
            width = options.bandwidth.graph_width(points) if graph.width is None else graph.width
        return cls(options, points.shape[1], classes, kernels, width)

    @property
    def trials(self) -> int:
        """Points seen."""
        return int(self.expansion.tally[TIME])

    @property
    def size(self) -> int:
        """Elements in the basis."""
        return int(self.expansion.tally[SIZE])

    def view(self, x: Floats) -> tuple[int, float]:
        """(class, margin) at ``x``."""
        code, margin = view_row(self.terms, self.expansion, self.scratch, x)
        return int(code), float(margin)

    def scores(self, x: Floats) -> Floats:
        """The mean over the views of f, or of f-bar, at ``x``: one number per function."""
        self.view(x)
        coefficients = self.expansion.mean if self.options.averaged else self.expansion.alpha
        n = self.size
        return np.asarray(
            np.einsum("vci,vi->c", coefficients[:, :, :n], self.scratch.k[:, :n]) / len(self.columns)
        )

    def learn(self, x: Floats, y: int) -> tuple[int, float]:
        """One trial: (class that was predicted, squared length of the step)."""
        if not self.options.compiled:
            return self._learn_foreign(x, y)
        log = Log.empty(1)
        shown = np.array([y != UNLABELLED])
        self.play(Trials(x[None], np.array([y]), shown, Rule(ALWAYS, 0.0, -1), np.zeros(1), 1), 0, log)
        return int(log.prediction[0]), float(log.progress[0])

    def play(self, trials: Trials, spent: int, log: Log) -> int:
        """Many trials in the compiled loop; labels asked for so far."""
        start = 0
        while start < len(trials.where):
            stop = min(start + self._room(), len(trials.where))
            part = slice(start, stop)
            spent = run(
                self.state,
                self.terms,
                self.expansion,
                self.scratch,
                trials.part(part),
                spent,
                log.part(part),
            )
            start = stop
        return spent

    @property
    def sqnorm(self) -> float:
        """||f_T||^2, from the values at the basis."""
        n = self.size
        return float(np.sum(self.expansion.alpha[:, :, :n] * self.expansion.value[:, :, :n]))

    def function(self, *, averaged: bool) -> KernelFunction:
        """f_T or f-bar."""
        n = self.size
        coefficients = (self.expansion.mean if averaged else self.expansion.alpha)[:, :, :n]
        return KernelFunction(
            self.kernels,
            tuple(view[view >= 0] for view in self.columns),
            self.basis_points(),
            coefficients.copy(),
        )

    def basis_points(self) -> Floats:
        """The elements of the basis, (n, d)."""
        points = np.zeros((self.size, self.dimension))
        for view, columns in enumerate(self.columns):
            kept = columns >= 0
            points[:, columns[kept]] = self.expansion.points[view, kept, : self.size].T
        return points

    def arrays(self) -> State:
        """Everything it knows, for a snapshot."""
        widths = np.array([k.width if isinstance(k, RBF) else 0.0 for k in self.kernels])
        graph = 0.0 if self.graph_width is None else self.graph_width
        return {
            "model.dimension": np.array(self.dimension),
            "model.widths": widths,
            "model.graph_width": np.array(graph),
            **_flat("expansion", self.expansion),
            **_flat("basis", self.state),
        }

    @classmethod
    def from_arrays(cls, options: Options, classes: int, saved: State) -> Self:
        """The model that ``arrays`` came from."""

        def part(key: str) -> Any:
            return take(saved, "OnlineManifold", key)

        kernels = tuple(RBF(float(w)) if w > 0 else Linear() for w in part("model.widths"))
        graph = float(part("model.graph_width"))
        model = cls(options, int(part("model.dimension")), classes, kernels, graph if graph > 0 else None)
        model.expansion = Expansion(*(np.array(part(f"expansion.{k}")) for k in Expansion._fields))
        model.scratch = Scratch.of(model.expansion)
        model.state = _rebuilt("basis", model.state, part)
        return model

    def _room(self) -> int:
        """Trials that can run before room has to be made; makes it when there is none."""
        if not self.options.basis.grows:
            return BLOCK
        capacity = self.expansion.gram.shape[1]
        if self.size == capacity:
            capacity *= 2
            self.expansion = self.expansion.grown(capacity)
            self.scratch = Scratch.of(self.expansion)
        return int(capacity - self.size)

    def _learn_foreign(self, x: Floats, y: int) -> tuple[int, float]:
        """The same trial around a regulariser written in Python, which is asked before anything moves."""
        self._room()
        prediction, _ = self.view(x)
        n, scratch = self.size, self.scratch
        trial = self.trials + 1
        slopes = self.options.smoothness.slopes(self.scene(x, trial))
        _check_slopes(slopes, scratch.pull.shape, n)
        touched = np.flatnonzero(np.any(slopes.there != 0, axis=(0, 1)))
        scratch.slope[:, :, :n] = slopes.there
        scratch.pull[:] = slopes.here
        scratch.near[: len(touched)] = touched
        sqlength = finish(
            self.state, self.terms, self.expansion, scratch, y, len(touched), float(slopes.curvature)
        )
        return prediction, float(sqlength)

    def scene(self, x: Floats, trial: int) -> Scene:
        """What a regulariser sees of the point that was just read, as trial number ``trial``."""
        n, expansion, scratch = self.size, self.expansion, self.scratch
        scale = crowding(self.terms, expansion, trial)
        diagonal = np.diagonal(expansion.gram[:, :n, :n], axis1=1, axis2=2)
        apart = diagonal + scratch.kxx[:, None] - 2 * scratch.k[:, :n]
        return Scene(
            x,
            self.basis_points(),
            expansion.mass[:n] * scale,
            scratch.score.copy(),
            expansion.value[:, :, :n].copy(),
            np.maximum(apart, 0.0),
            scratch.kxx.copy(),
        )


def _flat(name: str, state: Any) -> State:
    """Copies of the arrays of a tuple, and of the tuples within it, by dotted name."""
    if not isinstance(state, tuple):
        return {name: np.array(state)}
    return {key: a for k, v in state._asdict().items() for key, a in _flat(f"{name}.{k}", v).items()}  # type: ignore[attr-defined]


def _rebuilt(name: str, like: Any, part: Callable[[str], Any]) -> Any:
    """The tuple that ``_flat`` took apart, in the shape of ``like``."""
    if not isinstance(like, tuple):
        return np.array(part(name))
    return type(like)(*(_rebuilt(f"{name}.{k}", v, part) for k, v in like._asdict().items()))  # type: ignore[attr-defined]


def _check_slopes(slopes: Slopes, shape: tuple[int, ...], n: int) -> None:
    """Refuse what would spoil the state: wrong shapes and numbers that are not finite."""
    here, there = np.asarray(slopes.here), np.asarray(slopes.there)
    if here.shape != shape or there.shape != (*shape, n):
        raise ShapeError(
            f"the regulariser's slopes have shapes {here.shape} and {there.shape}; "
            f"expected {shape} at the point and {(*shape, n)} at the basis"
        )
    finite(here, "slopes.here")
    finite(there, "slopes.there")
    non_negative(slopes.curvature, "the curvature of the slopes")


def _terms(
    options: Options, columns: Ints, kernels: tuple[VectorKernel, ...], graph_width: float | None
) -> Terms:
    step, graph = options.step, options.smoothness
    return Terms(
        columns=columns,
        kernel=LINEAR if isinstance(kernels[0], Linear) else GAUSSIAN,
        gain=np.array([1 / (2 * k.width**2) if isinstance(k, RBF) else 0.0 for k in kernels]),
        smoothness=graph.rule,
        sharpness=1.0 if graph_width is None else 1 / (2 * graph_width**2),
        reach=graph.reach if isinstance(graph, Manifold) else 0.0,
        loss=options.loss.code,
        proximal=isinstance(step, Proximal),
        gamma=float(step.gamma),
        decaying=step.decaying if isinstance(step, Proximal) else True,
        replays=options.replays,
        steady=options.drift,
        lambda_1=options.lambda_1,
        lambda_2=options.lambda_2,
        ratio=0.0 if options.label_rate is None else 1 / options.label_rate,
        reduction=float(options.basis.pursuit.reduction),
        atoms=int(options.basis.pursuit.atoms),
        averaged=options.averaged,
    )
