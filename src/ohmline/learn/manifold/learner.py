"""Online manifold regularisation (paper 003)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, count, fraction, matrix, vector, whole_numbers
from ohmline.checks import flag, iterator, listed, number, shown
from ohmline.errors import LabelError, LearnerError, ParameterError, ShapeError
from ohmline.kernel.vector import RBF, Linear, VectorKernel
from ohmline.learn.classes import ClassTable
from ohmline.learn.compiled_learner import MORTAL, CompiledLearner
from ohmline.learn.contract import State, expect_kind, saved_text, take
from ohmline.learn.manifold.bandwidth import Bandwidth, different, lopsided
from ohmline.learn.manifold.bases import Basis, Buffer, Keep
from ohmline.learn.manifold.choices import member
from ohmline.learn.manifold.descent import LARGEST_WEIGHT, Printed, Proximal, Step
from ohmline.learn.manifold.function import KernelFunction
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.manifold.model import Functions, Model
from ohmline.learn.manifold.options import Options
from ohmline.learn.manifold.saved import settings_from, settings_text
from ohmline.learn.manifold.smoothness import Manifold, Smoothness
from ohmline.learn.step import UNLABELLED
from ohmline.representation import represent

REMEDY = "pass late_classes=True"
WARM_UP = 100
"""Different points from which missing widths are read. They are kept and learned, none is lost."""
LONGEST_WARM_UP = 1000
"""Points after which the warm-up ends with however many different ones there were."""
LARGEST_VALUE = 1e150
"""Features above this could not be squared."""


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
    >>> learner = OnlineManifold(RBF(0.5), smoothness=Manifold(0.3))
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
        if kernel is not None and not isinstance(kernel, RBF | Linear):
            raise ParameterError(f"the kernel must be RBF(width) or Linear(), got {shown(kernel)}")
        drift = flag(drift, "drift")
        if basis is None:
            basis = Buffer(keep=Keep.NEWEST if drift else Keep.STRONGEST)
        if not isinstance(basis, Basis):
            raise ParameterError(f"basis must be Buffer, RPTree, Nystroem or Full, got {shown(basis)}")
        if drift and isinstance(basis, Buffer) and basis.keep is not Keep.NEWEST:
            raise ParameterError(
                "a buffer that keeps labelled points holds on to labels that drift has made wrong; "
                "use Buffer(keep='newest') with drift=True"
            )
        if step is None:
            replays = 5 if basis.replayable else 0
            step = Proximal(0.3, decaying=False, replays=replays) if drift else Proximal()
        if not isinstance(step, Printed | Proximal):
            raise ParameterError(f"the step must be Printed(gamma) or Proximal(gamma), got {shown(step)}")
        if label_rate is not None and fraction(label_rate, "label_rate") < 1e-12:
            raise ParameterError(
                f"label_rate must be above 0 (at least 1e-12), got {shown(label_rate)}: it is the share of points that "
                "come with a label"
            )
        if smoothness is not None and not isinstance(smoothness, Smoothness):
            raise ParameterError(
                f"smoothness must be Manifold(width), Multiview or a Smoothness of your own, got {shown(smoothness)}"
            )
        self.options = Options(
            kernel=kernel,
            basis=basis,
            loss=member(Loss, loss, "loss"),
            smoothness=Manifold() if smoothness is None else smoothness,
            step=step,
            label_rate=None if label_rate is None else float(label_rate),
            lambda_1=number(lambda_1, "lambda_1", least=0.0, most=LARGEST_WEIGHT),
            lambda_2=number(lambda_2, "lambda_2", least=0.0, most=LARGEST_WEIGHT),
            averaged=flag(averaged, "averaged"),
            drift=drift,
            bandwidth=member(Bandwidth, bandwidth, "bandwidth"),
            standardise=flag(standardise, "standardise"),
            seed=count(seed, "seed"),
        )
        self.options.check()
        self.late_classes = flag(late_classes, "late_classes")
        self._table = _table(classes, self.late_classes)
        self._model: Model | None = None
        self._draft: Model | None = None
        self._pending: list[tuple[Floats, int]] = []
        self._different: set[bytes] = set()
        self._dimension: int | None = None

    learns_unlabelled = True
    kind = "OnlineManifold"

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order in which they were declared or first learned."""
        return self._table.names

    @property
    def binary(self) -> bool:
        """Whether there is one function of two signs."""
        return not self.late_classes and len(self._table) == 2

    @property
    def trials(self) -> int:
        """Points seen so far."""
        return len(self._pending) if self._model is None else self._model.trials

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
        row, model = self.locate(x), self._current()
        scores = np.zeros(self._functions.number) if model is None else model.scores(row)
        return np.array([-scores[0], scores[0]]) if self.binary else scores[: len(self.classes)]

    def fix_widths(self) -> None:
        """End the warm-up now: take missing widths from the points seen so far."""
        if self._model is None and self._pending:
            points = np.array([x for x, _ in self._pending])
            self._use(self._learned(len(self._pending)))
            self._pending.clear()
            self._different.clear()
            self._warn(points)

    def locate(self, x: ArrayLike) -> Floats:
        row = np.ascontiguousarray(vector(x, "x"))
        self._fits(len(row))
        _expect_moderate(row, "x")
        return row

    def locate_all(self, xs: Iterable[ArrayLike]) -> Floats:
        if isinstance(xs, np.ndarray) and xs.ndim == 2:
            rows = np.require(matrix(xs, "x"), requirements=["C", "W"])  # one compiled form for all
            self._fits(rows.shape[1])
            _expect_moderate(rows, "x")
            return rows
        first, listed = self._dimension, []
        for t, x in enumerate(iterator(xs, "xs")):
            row = vector(x, f"x[{t}]", length=first)
            _expect_moderate(row, f"x[{t}]")
            first = len(row)
            listed.append(row)
        return np.array(listed).reshape(len(listed), first or 0)

    def encode(self, y: Any) -> int:
        code = self._table.find(y)
        return code if code >= 0 else self.codes_of((y,))[0]

    def codes_of(self, labels: Sequence[Any]) -> list[int]:
        labels = listed(labels, "labels")
        for _ in range(self._table.admit_all(labels)):
            for model in (self._model, self._draft):
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
        before = self._model, self._dimension
        try:
            if self._model is None and self.options.open_width:
                prediction = self.look(place)[0]
                self._wait(place, code)
                return prediction, False, 0.0
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
        model = self._model if self._model is not None else self._draft
        if not self.late_classes or model is None:
            return
        met = model.state.order[: model.state.seen[0]].copy()
        number = np.full(len(self._table) + 1, -1)
        number[met] = np.arange(len(met))  # the last entry translates "no label"
        self._table.keep(met)
        for part in (self._model, self._draft):
            if part is not None:
                part.keep_classes(met)
                part.expansion.label[:] = number[part.expansion.label]
        self._pending = [(x, int(number[y])) for x, y in self._pending]
        self._share()

    def snapshot(self) -> State:
        points = np.array([x for x, _ in self._pending]).reshape(len(self._pending), self._dimension or 0)
        labels = np.array([y for _, y in self._pending], dtype=np.int64)
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
            learner._pending.append((x.copy(), y))
            learner._different.add((x + 0.0).tobytes())
            learner._dimension = len(x)
        if any(key.startswith(("model.", "expansion.", "basis.")) for key in state):
            learner._use(Model.from_arrays(learner.options, learner._functions, state))
        return learner

    def checkpoint(self) -> Callable[[], None]:
        shared = {id(part): part for part in (self.options, self._space)}  # nothing changes these
        changing = {name: value for name, value in vars(self).items() if name not in MORTAL}
        kept = deepcopy(changing, shared)

        def put_back() -> None:
            vars(self).update(kept, _bound=None)

        return put_back

    @property
    def _functions(self) -> Functions:
        return Functions(len(self._table), self.late_classes)

    def _use(self, model: Model) -> None:
        """Learn with this model from now on."""
        self._model, self._draft, self._dimension = model, None, model.dimension
        self._share()

    def _share(self) -> None:
        """Show the compiled step what it works on."""
        model = self._model if self._model is not None else self._draft
        if model is not None and model.state is not self.state:
            self.space, self.state = model.space, model.state

    def _any_place(self) -> Floats:
        return np.zeros(self._dimension or 1)

    def _wait(self, row: Floats, code: int) -> None:
        """Keep a point for the widths; after the last of them, learn them all in their order."""
        if self._draft is not None:
            self._draft.learn(row, code)
        self._dimension = len(row)
        self._pending.append((row.copy(), code))
        self._different.add((row + 0.0).tobytes())  # -0.0 is 0.0
        n = len(self._pending)
        if len(self._different) >= WARM_UP or n >= LONGEST_WARM_UP:
            self.fix_widths()
        elif n & (n - 1) == 0:
            self._draft = None
        self._share()

    def _current(self) -> Model | None:
        """The model to predict with: in the warm-up a draft, its widths from the first 2^k points."""
        if self._model is None and self._draft is None and self._pending:
            self._draft = self._learned(1 << (len(self._pending).bit_length() - 1))
            self._share()
        return self._draft if self._model is None else self._model

    def _learned(self, first: int) -> Model:
        """A model with widths from the `first` pending points that has learned them all."""
        points = different(np.array([x for x, _ in self._pending[:first]]))
        model = Model.fit_widths(self.options, points, self._functions)
        for x, y in self._pending:
            model.learn(x, y)
        return model

    def _warn(self, points: Floats) -> None:
        """Say where the widths that were read off these points cannot be trusted."""
        seen = different(points)
        if not np.any(np.ptp(seen, axis=0) ** 2 > 0):
            warnings.warn(
                f"the first {len(points)} points are all the same, so the widths are a guess; "
                "give them: OnlineManifold(RBF(width), smoothness=Manifold(width))",
                stacklevel=2,
            )
        wide = None if self.options.standardise else lopsided(seen)
        if wide is not None:
            warnings.warn(
                f"feature {wide[0]} spreads {wide[1]:.0f} times as far as the others, so it alone decides which points "
                "are near; scale the features, or pass standardise=True",
                stacklevel=2,
            )

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


def _expect_moderate(values: Floats, name: str) -> None:
    """Raise where a value is too large to be squared."""
    if values.size and max(values.max(), -values.min()) > LARGEST_VALUE:
        where = tuple(int(k) for k in np.argwhere(np.abs(values) > LARGEST_VALUE)[0])
        raise ParameterError(
            f"{name}{list(where)} is {values[where]:g}; features above {LARGEST_VALUE:g} in size cannot be squared, "
            "scale them first"
        )


def _table(given: Sequence[Any] | None, late: bool) -> ClassTable:
    names = None if given is None else listed(given, "classes")
    if names is None or (late and not names):
        return ClassTable(None) if late else ClassTable((-1, 1), remedy=REMEDY)
    table = ClassTable(names, remedy=REMEDY)
    if len(table) < 2 and not late:
        raise LabelError(f"classes must be two or more different labels, got {shown(names)}")
    if late:
        table.fixed = False
    return table


def vars_of(options: Options) -> dict[str, Any]:
    """The options by name, with those that the learner fills in itself left open."""
    given = {name: getattr(options, name) for name in Options.__slots__}
    filled = {
        "basis": Buffer(keep=Keep.NEWEST if options.drift else Keep.STRONGEST),
        "smoothness": Manifold(),
        "step": Proximal(0.3, decaying=False, replays=5) if options.drift else Proximal(),
    }
    return {name: None if repr(value) == repr(filled.get(name)) else value for name, value in given.items()}
