"""The contract of a learner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, Generic, Literal, Self, TypeVar, final

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.checks import instance, listed, shown
from ohmline.errors import LabelError, LearnerError, ParameterError
from ohmline.learn.many import Learned, both_sides, examples, softmax
from ohmline.learn.predictions import Predictions
from ohmline.learn.snapshots import State as State
from ohmline.markup import box, code, facts, some
from ohmline.representation import represent

X = TypeVar("X")
Y = TypeVar("Y")
Label = Literal[-1, 1]

TIE = 1e-9
"""A margin below this share of its largest possible size is a tie, and is reported as 0."""


@dataclass(frozen=True, slots=True)
class Update:
    """What one trial did to a learner.

    Attributes
    ----------
    mistake
        The prediction was wrong; None when no label came.
    updated
        The hypothesis moved.
    progress
        The squared length of the move: what the theorems count.
    """

    mistake: bool | None
    updated: bool
    progress: float


@dataclass(frozen=True, slots=True)
class View(Generic[Y]):
    """What a learner sees in a node before its label: all that a query may look at.

    Attributes
    ----------
    prediction
        The label that it predicts; None for "don't know".
    margin
        Binary: the signed margin, 0 for a tie. Many classes: the gap of the two best scores.
    variance
        Its own uncertainty, in the units of a squared margin; NaN when it keeps none or nobody asked for it.
    """

    prediction: Y | None
    margin: float
    variance: float = nan

    # Two views that keep no variance say the same. A dataclass compares NaN by identity up to Python 3.12, and as
    # unequal to itself from 3.13 on.
    def _said(self) -> tuple[Y | None, float, float | None]:
        return self.prediction, self.margin, None if isnan(self.variance) else self.variance

    def __eq__(self, other: object) -> bool:
        return self._said() == other._said() if isinstance(other, View) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._said())


class OnlineLearner(ABC, Generic[X, Y]):
    """Learns one trial at a time; knows nothing of how it is driven."""

    @abstractmethod
    def predict_one(self, x: X) -> Y | None:
        """The label of `x`; never changes the learner.

        Parameters
        ----------
        x
            A node, or a point for learners over vectors.

        Returns
        -------
        label
            None where the learner abstains: "don't know".
        """

    @abstractmethod
    def learn_one(self, x: X, y: Y | None) -> Update:
        """Learn that `x` has label `y`.

        Parameters
        ----------
        x
            A node, or a point for learners over vectors.
        y
            Its label; None when `x` was seen but not labelled.

        Returns
        -------
        Update
            Whether the prediction was wrong, whether the hypothesis moved, and how far.
        """

    @abstractmethod
    def view_one(self, x: X) -> View[Y]:
        """The prediction with its margin; never changes the learner.

        Parameters
        ----------
        x
            A node, or a point for learners over vectors.
        """

    def variance_one(self, x: X) -> float:
        """The learner's own uncertainty at `x`; NaN when it keeps none.

        Parameters
        ----------
        x
            A node, or a point for learners over vectors.
        """
        return nan

    def predict_many(self, nodes: Iterable[X] | None = None) -> Predictions:
        """The predictions for many things at once, with probabilities; never changes the learner.

        They are what `predict_one` says, one after the other. `LocalLGC` alone differs, for more than some hundred
        nodes: it takes the estimate that it keeps of all scores, a few steps nearer to the exact solution, instead of a
        local solve for each node. That is far quicker and as often right. It also gives a class to nodes that a path
        joins with a label too far away for `predict_one` to hear of it.

        Parameters
        ----------
        nodes
            The nodes; None (default) for all nodes, in the order of the graph. Learners over vectors need points here.

        Returns
        -------
        Predictions
            A table with one row for each node.
        """
        things = self._all_things() if nodes is None else listed(nodes, "nodes")
        views = [self.view_one(x) for x in things]
        said = [view.prediction for view in views]
        classes = self._class_names() or tuple(dict.fromkeys(y for y in said if y is not None))
        column = {label: k for k, label in enumerate(classes)}
        codes = np.array([-1 if y is None else column[y] for y in said], dtype=np.int64)
        margins = np.array([view.margin for view in views], dtype=np.float64)
        scores = np.zeros((len(things), len(classes)))
        rows = np.flatnonzero(codes >= 0)
        scores[rows, codes[rows]] = np.abs(margins[rows])
        return self._predicted(things, classes, codes, margins, scores)

    def predict_proba_many(self, nodes: Iterable[X] | None = None) -> AnyArray:
        """The probability of each class for many things at once: the `probabilities` of `predict_many`.

        Parameters
        ----------
        nodes
            As for `predict_many`.

        Returns
        -------
        array
            One row for each node, one column for each of the learner's classes (-1 and +1 for a binary learner); NaN
            in the rows of "don't know".
        """
        return self.predict_many(nodes).probabilities

    def learn_many(
        self, nodes: Mapping[X, Y | None] | Iterable[X], labels: Iterable[Y | None] | None = None
    ) -> Learned:
        """Learn many labels, one after the other, all or none: the same as `learn_one` for each.

        Where one is refused, the learner is as it was before the first.

        Parameters
        ----------
        nodes
            The nodes, or points for learners over vectors; or a dict from nodes to labels.
        labels
            Their labels, None for one that was seen and not labelled; left out where `nodes` is a dict.

        Returns
        -------
        Learned
            How many labels were learned, and how many of them had been predicted wrongly.
        """
        things, said = examples(nodes, labels)
        put_back = self.checkpoint()
        try:
            updates = [self.learn_one(x, y) for x, y in zip(things, said, strict=True)]
        except BaseException:
            put_back()
            raise
        known = [u for u in updates if u.mistake is not None]
        return Learned(
            len(known),
            sum(bool(u.mistake) for u in known),
            sum(u.updated for u in updates),
            float(sum(u.progress for u in updates)),
        )

    def _all_things(self) -> Any:
        """All that it may be asked about."""
        nodes = getattr(self, "nodes", None)
        if nodes is None:
            raise ParameterError(
                f"{type(self).__name__} learns points, so that there are no nodes to predict for; give predict_many "
                "the points"
            )
        return nodes

    @property
    def declared_classes(self) -> tuple[Any, ...] | None:
        """The classes that it was made for, another label being an error; None where it learns them as they come."""
        return None

    def _class_names(self) -> tuple[Any, ...]:
        """The classes of the columns of a table; () where a learner does not say."""
        return tuple(getattr(self, "classes", ()))

    def _chances(self, scores: AnyArray) -> AnyArray:
        """Probabilities from scores, which for most learners have no scale that means more."""
        return softmax(scores)

    def _predicted(
        self, things: Any, classes: tuple[Any, ...], codes: AnyArray, margins: AnyArray, scores: AnyArray
    ) -> Predictions:
        """The table of a learner that leaves nothing out."""
        chances = self._chances(scores)
        chances[codes < 0] = nan
        return Predictions(things, classes, codes, chances, margins, lambda: (codes >= 0) & (margins != 0))

    @abstractmethod
    def snapshot(self) -> State:
        """Everything the learner knows, as plain arrays."""

    @classmethod
    @abstractmethod
    def restore(cls, state: State, kernel: Any) -> Self:
        """The learner that was snapshot.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            The same kernel (or graph) that the learner was made with.
        """

    def watch(self, on: bool) -> None:
        """A game begins, or ends, whose query reads the variance before every label.

        Parameters
        ----------
        on
            True when it begins, False when it ends, in whatever way.
        """

    def checkpoint(self) -> Callable[[], None]:
        """A function that puts the learner back to what it is now: how a refused game leaves no trace.

        By default it does nothing, so a learner of your own keeps what it learned before it was refused.
        """
        return lambda: None

    def __repr__(self) -> str:
        return represent(self)

    def _repr_html_(self) -> str:
        return learner_box(self)


class BinaryLearner(OnlineLearner[X, Label]):
    """A learner of the labels -1 and +1: it predicts the sign of its margin, and +1 where that is 0."""

    @property
    @final
    def declared_classes(self) -> tuple[Any, ...]:
        return -1, 1

    @abstractmethod
    def margin_one(self, x: X) -> float:
        """The signed margin of `x`, with ties reported as exactly 0.

        Parameters
        ----------
        x
            A node, or a point for learners over vectors.
        """

    @final
    def predict_one(self, x: X) -> Label:
        return sign(self.margin_one(x))

    def predict_many(self, nodes: Iterable[X] | None = None) -> Predictions:
        things = self._all_things() if nodes is None else listed(nodes, "nodes")
        margins = np.array([self.margin_one(x) for x in things], dtype=np.float64)
        return self._signed(things, margins)

    @final
    def _signed(self, things: Any, margins: AnyArray) -> Predictions:
        """The table of these margins."""
        codes = (margins >= 0).astype(np.int64)
        return self._predicted(things, (-1, 1), codes, margins, both_sides(margins))


def learner_box(learner: Any) -> str:
    """What a notebook shows of a learner: how it was made, and the nodes and classes that it knows."""
    known = [(name, getattr(learner, name, None)) for name in ("nodes", "classes")]
    sizes = [(name, len(value)) for name, value in known[:1] if value is not None]
    named = [(name, some(value)) for name, value in known[1:] if value is not None]
    return box(type(learner).__name__, code(repr(learner)), facts([*sizes, *named]) if sizes or named else "")


def sign(margin: float) -> Label:
    """The one place that says what a zero margin predicts."""
    return 1 if margin >= 0 else -1


def binary_code(y: Any) -> int:
    """-1 or +1, or an error that says so."""
    if type(y) is int and (y == 1 or y == -1):  # by far the most frequent, once per event
        return y
    if isinstance(y, int | float | np.integer | np.floating) and not isinstance(y, bool) and y in (1, -1):
        return int(y)
    raise LabelError(
        f"label {shown(y)} is not -1 or +1; this learner is binary: map your classes to -1 and +1, "
        "or use OneVsRest for many classes"
    )


def expect_learner(learner: OnlineLearner[Any, Any]) -> None:
    """Raise unless it is a learner: not its class, and not the stream in its place."""
    if isinstance(learner, type) and issubclass(learner, OnlineLearner):
        raise LearnerError(
            f"learner must be a learner, got the class {learner.__name__}; make one first: {learner.__name__}(...)"
        )
    remedy = "the learner comes first, as in play(LocalLGC(graph), stream)"
    instance(learner, OnlineLearner, "learner", remedy, LearnerError)
