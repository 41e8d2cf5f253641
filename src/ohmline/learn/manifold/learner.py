"""Online manifold regularisation (paper 003)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import AnyArray, Floats, matrix, vector, whole_numbers
from ohmline.checks import flag, iterator, listed
from ohmline.compiled import undisturbed
from ohmline.errors import LearnerError, ShapeError
from ohmline.kernel.vector import VectorKernel
from ohmline.learn.compiled_learner import CompiledLearner
from ohmline.learn.contract import State
from ohmline.learn.manifold.arguments import expect_moderate, options_of, table_of, vars_of
from ohmline.learn.manifold.bandwidth import Bandwidth
from ohmline.learn.manifold.bases import Basis
from ohmline.learn.manifold.descent import Step
from ohmline.learn.manifold.function import KernelFunction
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.manifold.model import Functions, Model
from ohmline.learn.manifold.saved import settings_from, settings_text
from ohmline.learn.manifold.smoothness import Smoothness
from ohmline.learn.manifold.warm_up import WarmUp
from ohmline.learn.predictions import Predictions
from ohmline.learn.snapshots import expect_kind, saved_text, take
from ohmline.learn.step import UNLABELLED
from ohmline.learn.turns import LOCKS
from ohmline.representation import represent


@final
class OnlineManifold(CompiledLearner[ArrayLike, Any]):
    """Learns from a stream of vectors that is almost all unlabelled.

    At every point f takes a step against the instantaneous risk (paper 003, eq. 2)

        T/l c(f(x_t), y_t) + lambda_1/2 ||f||^2 + lambda_2 sum_i w_it (f(x_i) - f(x_t))^2,

    whose first term is there only when a label came. `learn_one(x, None)` learns too.

    | paper | here |
    |---|---|
    | K, sigma_K | `kernel`: `RBF(width)` or `Linear()`; None takes a Gaussian's width from the data |
    | buffer(-U), RPtree | `basis`: `Buffer`, `RPTree`, `Nystroem`, or `Full` for Algorithm 1 |
    | c | `loss` |
    | Omega, w, sigma | `smoothness`: `Manifold(width)`, `Multiview`, or a class of your own |
    | eta_t, gamma | `step`: `Proximal` (default) or `Printed` |
    | T/l | 1 / `label_rate`; None counts as it goes (see `Proximal`) |
    | f_T, f-bar | what predicts: the latest f, or with `averaged=True` the average of all |

    Two declared classes are one function of two signs; more are one function each, over a shared basis, and
    the largest wins. A tie goes to the second of two classes (+1), and among more to the one that was declared,
    or first learned, first. A class that appears late is treated exactly as if it had been known from the start,
    since one function that has been told "not this" at every label is always kept and becomes the newcomer's.

    Cost per point: see the basis. Memory does not grow with the stream, except with `Full`.

    Parameters
    ----------
    kernel
        `RBF(width)` or `Linear()`; None (default) takes the width of a Gaussian from the first 100 different points,
        or those among the first 1,000 where there are fewer.
    basis
        `Buffer` (default: 300 points, unlabelled ones leave first), `RPTree`, `Nystroem` or `Full`.
    loss
        `"hinge"` (default), `"squared-hinge"`, `"logistic"` or `"squared"`.
    smoothness
        `Manifold(width)`, `Multiview`, or a `Smoothness` of your own; `Manifold()` by default, whose width is
        read off the same points.
    step
        `Proximal` (default) or `Printed`.
    classes
        The classes, two or more; None (default) for -1 and +1, or for none yet with `late_classes=True`.
    late_classes
        Learn classes that were not declared as they come. Default False: such a label is an error.
    label_rate
        The share of points that come with a label, above 0 and at most 1: the paper's l / T. None (default) counts
        labels as they come, so that a label is learned as well among many others as among few; see `Proximal`.
    lambda_1
        Weight of the norm, at least 0. Default 0.001.
    lambda_2
        Weight of the graph, at least 0: how much unlabelled points matter. Default 0.3.
    averaged
        Predict with f-bar instead of the latest f. Default False.
    drift
        For a world that changes: takes a plain buffer (`keep="newest"`), a constant step of 0.3 and five
        replays per point, unless others are given, and forgets how long the past was. A buffer that keeps labelled
        points must not be used there, since it holds on to labels that have become wrong; asking for both is an
        error. Default False.
    bandwidth
        How missing widths are read off the data: `"neighbours"` (default) or `"median"`; see `Bandwidth`.
    standardise
        Divide each feature by its standard deviation over the points that the widths are read off, and keep to that.
        For features in different units. Default False: pixels, for one, are better as they are. Where widths are read
        off the data and one feature spreads 100 times as far as the others, a warning says so.
    seed
        Draws the replays and the directions of a tree; a whole number of at least 0. Default 0.

    Examples
    --------
    >>> import ohmline as ohm
    >>> learner = OnlineManifold(ohm.RBF(0.5), smoothness=ohm.Manifold(0.3))
    >>> learner.learn_one([0.0, 0.0], -1).mistake, learner.learn_one([1.0, 1.0], +1).mistake
    (True, True)
    >>> learner.learn_one([0.2, 0.1], None)
    Update(mistake=None, updated=True, progress=...)
    >>> learner.predict_one([0.1, 0.2]), learner.predict_one([0.9, 1.1])
    (-1, 1)

    References
    ----------
    Goldberg, Li and Zhu, Online manifold regularization: a new learning setting and empirical study,
    ECML PKDD 2008.
    """

    def __init__(
        self,
        kernel: VectorKernel | None = None,
        basis: Basis | None = None,
        loss: Loss | str = Loss.HINGE,
        smoothness: Smoothness | None = None,
        step: Step | None = None,
        *,
        classes: Sequence[Any] | None = None,
        late_classes: bool = False,
        label_rate: float | None = None,
        lambda_1: float = 1e-3,
        lambda_2: float = 0.3,
        averaged: bool = False,
        drift: bool = False,
        bandwidth: Bandwidth | str = Bandwidth.NEIGHBOURS,
        standardise: bool = False,
        seed: int = 0,
    ) -> None:
        self.options = options_of(
            kernel,
            basis,
            loss,
            smoothness,
            step,
            label_rate=label_rate,
            lambda_1=lambda_1,
            lambda_2=lambda_2,
            averaged=averaged,
            drift=drift,
            bandwidth=bandwidth,
            standardise=standardise,
            seed=seed,
        )
        self.late_classes = flag(late_classes, "late_classes")
        self._table = table_of(classes, self.late_classes)
        self._model: Model | None = None
        self._first = WarmUp(self.options)
        self._dimension: int | None = None

    learns_unlabelled = True
    kind = "OnlineManifold"

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order in which they were declared or first learned."""
        return self._table.names

    @property
    def declared_classes(self) -> tuple[Any, ...] | None:
        return None if self.late_classes else self._table.names

    @property
    def binary(self) -> bool:
        """Whether there is one function of two signs."""
        return not self.late_classes and len(self._table) == 2

    @property
    def trials(self) -> int:
        """Points seen so far."""
        return len(self._first) if self._model is None else self._model.trials

    @property
    def kernel(self) -> VectorKernel | None:
        """The kernel in use (of the first view); None while its width is still open."""
        return self.options.kernel if self._model is None else self._model.kernels[0]

    @property
    def graph_width(self) -> float | None:
        """sigma of the graph weights in use; None where there is none (yet)."""
        return None if self._model is None else self._model.graph_width

    @property
    def function(self) -> KernelFunction:
        """f_T, the latest function."""
        return self._function(averaged=False)

    @property
    def average(self) -> KernelFunction:
        """f-bar, the average of f_1 .. f_T."""
        return self._function(averaged=True)

    @property
    def sqnorm(self) -> float:
        """||f_T||^2 in the kernel's space, summed over views and classes; 0 before the first point."""
        model = self._current()
        return 0.0 if model is None else model.sqnorm

    def predict_one(self, x: ArrayLike) -> Any:
        return self.view_one(x).prediction

    def margin_one(self, x: ArrayLike) -> float:
        """f(x) of a binary problem: positive for +1 (or for the second class), 0 for a tie.

        Parameters
        ----------
        x
            A point.
        """
        if not self.binary:
            raise LearnerError(
                f"margin_one is for two classes, this learner has {len(self.classes)}; "
                "use view_one or scores_one"
            )
        return self.view_one(x).margin

    def scores_one(self, x: ArrayLike) -> Floats:
        """f_c(x) for every class, in the order of `classes`; (-f, f) when there are two.

        Parameters
        ----------
        x
            A point.
        """
        row = self.locate(x)
        with self._still:
            model = self._current()
            scores = np.zeros(self._functions.number) if model is None else model.scores(row)
        return np.array([-scores[0], scores[0]]) if self.binary else scores[: len(self.classes)]

    def fix_widths(self) -> None:
        """End the warm-up now: take missing widths from the points seen so far."""
        if self._model is None and len(self._first):
            self._use(self._first.end(self._functions))

    def locate(self, x: ArrayLike) -> Floats:
        row = np.ascontiguousarray(vector(x, "x"))
        self._fits(len(row))
        expect_moderate(row, "x")
        return row

    def locate_all(self, xs: Iterable[ArrayLike]) -> Floats:
        if isinstance(xs, np.ndarray) and xs.ndim == 2:
            rows = np.require(matrix(xs, "x"), requirements=["C", "W"])  # one compiled form for all
            self._fits(rows.shape[1])
            expect_moderate(rows, "x")
            return rows
        first, listed = self._dimension, []
        for t, x in enumerate(iterator(xs, "xs")):
            row = vector(x, f"x[{t}]", length=first)
            expect_moderate(row, f"x[{t}]")
            first = len(row)
            listed.append(row)
        return np.array(listed).reshape(len(listed), first or 0)

    def encode(self, y: Any) -> int:
        code = self._table.find(y)
        return code if code >= 0 else self.codes_of((y,))[0]

    def codes_of(self, labels: Sequence[Any]) -> list[int]:
        labels = listed(labels, "labels")
        fresh = [y for y in labels if self._table.find(y) < 0]
        if fresh:
            with undisturbed(), self._still:
                for _ in range(self._table.admit_all(fresh)):
                    for model in (self._model, self._first.draft):
                        if model is not None:
                            model.add_class()
                self._share()
        return [self._table.find(y) for y in labels]

    def decode(self, code: int) -> Any:
        return self._table.decode(code)

    def _codes(self) -> range:
        return range(len(self._table))

    def _look(self, place: Floats) -> tuple[int, float]:
        if self._current() is None:
            return (-1 if self.late_classes else 1 if self.binary else 0), 0.0
        return super()._look(place)

    def _placed(self, place: Any) -> Floats:
        return self.locate(place)

    def _surveyed(self, nodes: Iterable[ArrayLike] | None) -> tuple[Any, Floats]:
        given = self._all_things() if nodes is None else nodes
        points = self.locate_all(given if isinstance(given, np.ndarray) else listed(given, "nodes"))
        return range(len(points)), points

    def _predict_at(self, things: Any, places: AnyArray) -> Predictions:
        seen = [self._look(row) for row in places]
        codes = np.array([code for code, _ in seen], dtype=np.int64)
        margins = np.array([margin for _, margin in seen], dtype=np.float64)
        scores = np.array([self.scores_one(row) for row in places]).reshape(len(places), len(self.classes))
        return self._predicted(things, self.classes, codes, margins, scores)

    def ready(self, trials: int) -> int:
        if not self.options.compiled or (self._model is None and self.options.open_width):
            return 0
        if self._model is None:
            if self._dimension is None:
                return 0
            self._use(Model.fit_widths(self.options, np.zeros((0, self._dimension)), self._functions))
        assert self._model is not None
        room = self._model.room()
        self._share()
        return min(trials, room) if self.options.basis.grows else trials

    def learn_event(self, place: Floats, code: int) -> tuple[int, bool, float]:
        if self._model is None and self.options.open_width:
            prediction = self.look(place)[0]
            with undisturbed(), self._still:
                self._wait(place, code)
            return prediction, False, 0.0
        before = self._model, self._dimension
        try:
            if self._model is None:
                self._use(Model.fit_widths(self.options, np.zeros((0, len(place))), self._functions))
            assert self._model is not None
            learned = self._model.learn(place, code)
        except BaseException:  # a regulariser written in Python may refuse: then nothing has happened
            self._model, self._dimension = before
            self.settle()
            raise
        self._share()
        return learned

    def settle(self) -> None:
        if not self.late_classes:
            return
        model = self._latest
        met = self._first.classes() if model is None else model.state.order[: model.state.seen[0]].copy()
        number = np.full(len(self._table) + 1, -1)
        number[met] = np.arange(len(met))  # the last entry translates "no label"
        with undisturbed(), self._still:
            self._table.keep(met)
            for part in (self._model, self._first.draft):
                if part is not None:
                    part.keep_classes(met)
                    part.expansion.label[:] = number[part.expansion.label]
            self._first.renumber(number)
            self._share()

    def snapshot(self) -> State:
        points, labels = self._first.arrays(self._dimension or 0)
        return {
            "kind": np.array(self.kind),
            "settings": np.array(settings_text(self.options, self.classes, self.late_classes)),
            "pending.points": points,
            "pending.labels": labels,
            **({} if self._model is None else self._model.arrays()),
        }

    @classmethod
    def restore(
        cls, state: State, kernel: VectorKernel | None = None, *, smoothness: Smoothness | None = None
    ) -> Self:
        """The learner that was snapshot.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            Not needed: the snapshot holds it. Another one takes its place.
        smoothness
            The regulariser again, when it was written in Python.
        """
        expect_kind(state, cls.kind)
        learner = cls(**settings_from(saved_text(state, cls.kind, "settings"), kernel, smoothness))
        points = matrix(take(state, cls.kind, "pending.points"), "the points of the snapshot")
        labels = whole_numbers(
            take(state, cls.kind, "pending.labels"),
            "the labels of the snapshot",
            low=UNLABELLED,
            high=len(learner.classes) - 1,
            length=len(points),
        )
        for x, y in zip(points, labels.tolist(), strict=True):
            learner._fits(len(x))
            learner._first.keep(x, y)
            learner._dimension = len(x)
        if any(key.startswith(("model.", "expansion.", "basis.")) for key in state):
            learner._use(Model.from_arrays(learner.options, learner._functions, state))
        return learner

    def checkpoint(self) -> Callable[[], None]:
        shared = {id(part): part for part in (self.options, self._space)}  # nothing changes these
        changing = {name: value for name, value in vars(self).items() if name not in LOCKS | {"_bound"}}
        kept = deepcopy(changing, shared)

        def put_back() -> None:
            vars(self).update(kept, _bound=None)

        return put_back

    @property
    def _functions(self) -> Functions:
        return Functions(len(self._table), self.late_classes)

    def _use(self, model: Model) -> None:
        """Learn with this model from now on."""
        self._model, self._dimension = model, model.dimension
        self._share()

    @property
    def _latest(self) -> Model | None:
        """The model, or the draft that stands in for it."""
        return self._model if self._model is not None else self._first.draft

    def _share(self) -> None:
        """Show the compiled step what it works on."""
        model = self._latest
        if model is not None and model.state is not self.state:
            self.space, self.state = model.space, model.state

    def _any_place(self) -> Floats:
        return np.zeros(self._dimension or 1)

    def _wait(self, row: Floats, code: int) -> None:
        """Keep a point for the widths; after the last of them, learn them all in their order."""
        before, kept = self._dimension, len(self._first)
        self._dimension = len(row)
        try:
            if self._first.add(row, code):
                self.fix_widths()
        except BaseException:  # a regulariser may refuse, and a warning may be an error
            self._dimension = before
            self._first.keep_first(kept)
            self.settle()
            raise
        self._share()

    def _current(self) -> Model | None:
        """The model to predict with: in the warm-up a draft."""
        if self._model is None and self._first.redraft(self._functions):
            self._share()
        return self._latest

    def __repr__(self) -> str:
        return represent(self, **{**vars_of(self.options), "classes": self._classes_shown()})

    def _classes_shown(self) -> tuple[Any, ...] | None:
        return None if self.late_classes or self._table.names == (-1, 1) else self.classes

    def _function(self, *, averaged: bool) -> KernelFunction:
        model = self._current()
        if model is None:
            raise LearnerError(
                "this learner has seen no point yet, so it has no function; learn from one first"
            )
        return model.function(averaged=averaged)

    def _fits(self, dimension: int) -> None:
        if dimension == 0:
            raise ShapeError("a point must have one feature or more, got none")
        if self._dimension is None:
            self.options.columns(dimension)  # raises where a view names features that there are not
        elif dimension != self._dimension:
            raise ShapeError(
                f"x has {dimension} features, but the points before it had {self._dimension}; "
                "a learner's points must all have the same features"
            )
