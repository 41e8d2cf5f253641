"""Online manifold regularisation (paper 003)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, count, fraction, matrix, non_negative, vector
from ohmline.errors import LabelError, LearnerError, ParameterError, ShapeError
from ohmline.kernel.vector import RBF, Linear, VectorKernel
from ohmline.learn.contract import OnlineLearner, State, Update, View, expect_kind, take
from ohmline.learn.manifold.bandwidth import Bandwidth
from ohmline.learn.manifold.basis import Basis
from ohmline.learn.manifold.buffer import Buffer, Keep
from ohmline.learn.manifold.expansion import UNLABELLED
from ohmline.learn.manifold.function import KernelFunction
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.manifold.model import Model
from ohmline.learn.manifold.options import Options
from ohmline.learn.manifold.saved import settings_from, settings_text
from ohmline.learn.manifold.smoothness import Manifold, Smoothness
from ohmline.learn.manifold.step import Printed, Proximal, Step
from ohmline.learn.stepping import BLOCK, Batch, Log, Rule, Trials, asks, distinct

WARM_UP = 100
"""Points from which missing widths are read. They are kept and learned, none is lost."""


@final
class OnlineManifold(OnlineLearner[ArrayLike, Any]):
    """Learns from a stream of vectors that is almost all unlabelled.

    At every point f takes a step against the instantaneous risk (paper 003, eq. 2)

        T/l c(f(x_t), y_t) + lambda_1/2 ||f||^2 + lambda_2 sum_i w_it (f(x_i) - f(x_t))^2,

    whose first term is there only when a label came. ``learn_one(x, None)`` learns too.

    | paper | here |
    |---|---|
    | K, sigma_K | ``kernel``: ``RBF(width)`` or ``Linear()``; None takes a Gaussian's width from the data |
    | buffer(-U), RPtree | ``basis``: ``Buffer``, ``RPTree``, ``Nystroem``, or ``Full`` for Algorithm 1 |
    | c | ``loss`` |
    | Omega, w, sigma | ``smoothness``: ``Manifold(width)``, ``Multiview``, or a class of your own |
    | eta_t, gamma | ``step``: ``Proximal`` (default) or ``Printed`` |
    | T/l | 1 / ``label_rate``; None counts as it goes |
    | f_T, f-bar | what predicts: the latest f, or with ``averaged=True`` the average of all |

    Without ``classes`` the labels are -1 and +1. Two ``classes`` are one function of two signs;
    more are one function each, over a shared basis, and the largest wins.

    ``drift=True`` is for a world that changes: it takes a plain buffer (``keep="newest"``), a
    constant step of 0.3 and five replays a point, and forgets how long the past was. A buffer
    that keeps labelled points (buffer-U, the default otherwise) must not be used there, since
    it holds on to labels that have become wrong; asking for both is an error.

    Cost per point: see the basis. Memory does not grow with the stream, except with ``Full``.

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

    kind = "OnlineManifold"

    def __init__(
        self,
        kernel: VectorKernel | None = None,
        basis: Basis | None = None,
        loss: Loss | str = Loss.HINGE,
        smoothness: Smoothness | None = None,
        step: Step | None = None,
        *,
        classes: Sequence[Hashable] | None = None,
        label_rate: float | None = None,
        lambda_1: float = 1e-3,
        lambda_2: float = 0.3,
        averaged: bool = False,
        drift: bool = False,
        bandwidth: Bandwidth | str = Bandwidth.NEIGHBOURS,
        seed: int = 0,
    ) -> None:
        if kernel is not None and not isinstance(kernel, RBF | Linear):
            raise ParameterError(f"the kernel must be RBF(width) or Linear(), got {kernel!r}")
        if basis is None:
            basis = Buffer(keep=Keep.NEWEST if drift else Keep.LABELLED)
        if drift and isinstance(basis, Buffer) and basis.keep is Keep.LABELLED:
            raise ParameterError(
                "a buffer that keeps labelled points holds on to labels that drift has made wrong; "
                "use Buffer(keep='newest') with drift=True"
            )
        if step is None:
            replays = 5 if basis.replayable else 0
            step = Proximal(0.3, decaying=False, replays=replays) if drift else Proximal()
        if not isinstance(step, Printed | Proximal):
            raise ParameterError(f"the step must be Printed(gamma) or Proximal(gamma), got {step!r}")
        if label_rate is not None and fraction(label_rate, "label_rate") == 0:
            raise ParameterError(
                "label_rate must be above 0: it is the share of points that come with a label"
            )
        self.options = Options(
            kernel=kernel,
            basis=basis,
            loss=_member(Loss, loss, "loss"),
            smoothness=Manifold() if smoothness is None else smoothness,
            step=step,
            label_rate=label_rate,
            lambda_1=non_negative(lambda_1, "lambda_1"),
            lambda_2=non_negative(lambda_2, "lambda_2"),
            averaged=bool(averaged),
            drift=bool(drift),
            bandwidth=_member(Bandwidth, bandwidth, "bandwidth"),
            seed=count(seed, "seed"),
        )
        self.options.check()
        self.classes = _classes(classes)
        self._code = {y: code for code, y in enumerate(self.classes)}
        self._model: Model | None = None
        self._draft: Model | None = None
        self._pending: list[tuple[Floats, int]] = []
        self._dimension: int | None = None

    @property
    def binary(self) -> bool:
        """Whether there is one function of two signs."""
        return len(self.classes) == 2

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
        """The class with the largest score; a tie goes to +1, or to the class declared first."""
        return self.view_one(x).prediction

    def margin_one(self, x: ArrayLike) -> float:
        """f(x) of a binary problem: positive for +1 (or for the second class), 0 for a tie."""
        if not self.binary:
            raise LearnerError(
                f"margin_one is for two classes, this learner has {len(self.classes)}; "
                "use view_one or scores_one"
            )
        return self.view_one(x).margin

    def scores_one(self, x: ArrayLike) -> Floats:
        """f_c(x) for every class, in the order of ``classes``; (-f, f) when there are two."""
        row, model = self._row(x), self._current()
        scores = np.zeros(1 if self.binary else len(self.classes)) if model is None else model.scores(row)
        return np.array([-scores[0], scores[0]]) if self.binary else scores

    def view_one(self, x: ArrayLike) -> View[Any]:
        code, margin = self._view(self._row(x))
        return View(self.classes[code], margin, float("nan"))

    def learn_one(self, x: ArrayLike, y: Any) -> Update:
        row, code = self._row(x), UNLABELLED if y is None else self._encode(y)
        if self._warming():
            prediction, sqlength = self._view(row)[0], 0.0
            self._wait(row, code)
        else:
            prediction, sqlength = self._learning(len(row)).learn(row, code)
        return Update(None if y is None else prediction != code, sqlength > 0, sqlength)

    def fix_widths(self) -> None:
        """End the warm-up now: take missing widths from the points seen so far."""
        if self._model is None and self._pending:
            self._model, self._draft = self._learned(len(self._pending)), None
            self._pending.clear()

    def can_play(self, rule: Rule) -> bool:
        """Not with a regulariser written in Python."""
        return self.options.compiled

    def play_arrays(
        self, batch: Batch, rule: Rule, progress: Callable[[int], None]
    ) -> tuple[dict[int, Any], Log]:
        """Play every row of ``nodes`` in a compiled loop (see ``ArrayPlayer``)."""
        # Every row and label is checked before the first trial, so an error changes nothing.
        _, codes, classes, revealed, draws = batch
        rows = self._rows(batch.nodes)
        table = np.zeros(len(classes) + 1, dtype=np.int64)
        for code in distinct(codes[revealed]):
            table[code] = self._encode(classes[code])
        trials = Trials(rows, table[codes], revealed, rule, draws, 1)
        log, start, spent = Log.empty(len(rows)), 0, 0
        log.variance[:] = np.nan
        while start < len(rows) and self._warming():
            view = self._view(rows[start])
            log.prediction[start], log.margin[start] = view
            ask = bool(revealed[start]) and asks(rule, start + 1, view[1], np.nan, spent, draws[start])
            log.asked[start] = ask
            spent += ask
            self._wait(rows[start], int(trials.truth[start]) if ask else UNLABELLED)
            start += 1
        progress(start)
        while start < len(rows):
            part = slice(start, min(start + BLOCK, len(rows)))
            spent = self._learning(rows.shape[1]).play(trials.part(part), spent, log.part(part))
            progress(part.stop - part.start)
            start = part.stop
        return {code: self.classes[code] for code in distinct(log.prediction)}, log

    def snapshot(self) -> State:
        points = np.array([x for x, _ in self._pending]).reshape(len(self._pending), self._dimension or 0)
        labels = np.array([y for _, y in self._pending], dtype=np.int64)
        return {
            "kind": np.array(self.kind),
            "settings": np.array(settings_text(self.options, self.classes)),
            "pending.points": points,
            "pending.labels": labels,
            **({} if self._model is None else self._model.arrays()),
        }

    @classmethod
    def restore(
        cls, state: State, kernel: VectorKernel | None = None, *, smoothness: Smoothness | None = None
    ) -> Self:
        """The learner that was snapshot. Give ``smoothness`` again when it was written in Python."""
        expect_kind(state, cls.kind)
        learner = cls(**settings_from(str(take(state, cls.kind, "settings")), kernel, smoothness))
        for x, y in zip(
            take(state, cls.kind, "pending.points"), take(state, cls.kind, "pending.labels"), strict=True
        ):
            learner._pending.append((x, int(y)))
            learner._dimension = len(x)
        if "model.dimension" in state:
            learner._model = Model.from_arrays(learner.options, len(learner.classes), state)
            learner._dimension = learner._model.dimension
        return learner

    def _warming(self) -> bool:
        """Whether the next point only helps to find the widths."""
        return self._model is None and self.options.open_width

    def _wait(self, row: Floats, code: int) -> None:
        """Keep a point for the widths; after the last of them, learn them all in their order."""
        self._dimension = len(row)
        self._pending.append((row.copy(), code))
        if self._draft is not None:
            self._draft.learn(row, code)
        n = len(self._pending)
        if n == WARM_UP:
            self.fix_widths()
        elif n & (n - 1) == 0:
            self._draft = None

    def _learning(self, dimension: int) -> Model:
        """The model that learns, made at the first point."""
        if self._model is None:
            self._dimension = dimension
            self._model = Model.fit_widths(self.options, np.zeros((0, dimension)), len(self.classes))
        return self._model

    def _current(self) -> Model | None:
        """The model to predict with: in the warm-up a draft, its widths from the first 2^k points."""
        if self._model is None and self._draft is None and self._pending:
            self._draft = self._learned(1 << (len(self._pending).bit_length() - 1))
        return self._draft if self._model is None else self._model

    def _learned(self, first: int) -> Model:
        """A model with widths from the ``first`` pending points that has learned them all."""
        points = np.array([x for x, _ in self._pending[:first]])
        model = Model.fit_widths(self.options, points, len(self.classes))
        for x, y in self._pending:
            model.learn(x, y)
        return model

    def _view(self, row: Floats) -> tuple[int, float]:
        model = self._current()
        return (1 if self.binary else 0, 0.0) if model is None else model.view(row)

    def _function(self, *, averaged: bool) -> KernelFunction:
        model = self._current()
        if model is None:
            raise LearnerError(
                "this learner has seen no point yet, so it has no function; learn from one first"
            )
        return model.function(averaged=averaged)

    def _encode(self, y: Any) -> int:
        y = y.item() if isinstance(y, np.generic) else y
        try:
            return self._code[y]
        except (KeyError, TypeError):
            raise LabelError(
                f"label {y!r} is not one of {list(self.classes)}; declare every class with classes=[...], "
                "and use None for a point without a label"
            ) from None

    def _row(self, x: ArrayLike) -> Floats:
        row = np.ascontiguousarray(vector(x, "x"))
        self._fits(len(row))
        return row

    def _rows(self, nodes: Sequence[Any]) -> Floats:
        if isinstance(nodes, np.ndarray) and nodes.ndim == 2:
            rows = np.require(matrix(nodes, "x"), requirements="CW")  # one compiled form for all
            self._fits(rows.shape[1])
            return rows
        first = self._dimension
        rows = []
        for t, x in enumerate(nodes):
            row = vector(x, f"x[{t}]", length=first)
            first = len(row)
            rows.append(row)
        return np.array(rows).reshape(len(rows), first or 0)

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


def _member(kind: Any, given: Any, name: str) -> Any:
    try:
        return kind(given)
    except ValueError:
        raise ParameterError(
            f"{name} must be one of {', '.join(repr(str(k)) for k in kind)}, got {given!r}"
        ) from None


def _classes(given: Sequence[Hashable] | None) -> tuple[Any, ...]:
    if given is None:
        return (-1, 1)
    classes = tuple(y.item() if isinstance(y, np.generic) else y for y in given)
    if len(classes) < 2 or len(set(classes)) != len(classes):
        raise ParameterError(f"classes must be two or more different labels, got {list(given)!r:.80}")
    return classes
