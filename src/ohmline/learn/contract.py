"""The contract of a learner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import nan
from typing import Any, Generic, Literal, Self, TypeVar, final

from ohmline.arrays import AnyArray
from ohmline.errors import LabelError, SnapshotError
from ohmline.representation import represent

X = TypeVar("X")
Y = TypeVar("Y")
Label = Literal[-1, 1]
State = dict[str, AnyArray]
"""A snapshot: plain arrays by name, fit for `numpy.savez` without pickle."""

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

    def __repr__(self) -> str:
        return represent(self)


class BinaryLearner(OnlineLearner[X, Label]):
    """A learner of the labels -1 and +1: it predicts the sign of its margin, and +1 where that is 0."""

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


def sign(margin: float) -> Label:
    """The one place that says what a zero margin predicts."""
    return 1 if margin >= 0 else -1


def binary_code(y: Any) -> int:
    """-1 or +1, or an error that says so."""
    if not isinstance(y, bool) and (y == 1 or y == -1):
        return int(y)
    raise LabelError(
        f"label {y!r} is not -1 or +1; this learner is binary: map your classes to -1 and +1, "
        "or use OneVsRest for many classes"
    )


def take(state: State, kind: str, key: str) -> AnyArray:
    """One array of a snapshot, or an error that says what is missing."""
    if key not in state:
        raise SnapshotError(
            f"the snapshot has no {key!r}, so it is not one of {kind}; it has {sorted(state)}"
        )
    return state[key]


def expect_kind(state: State, kind: str) -> None:
    """Refuse a snapshot of another class of learner."""
    found = str(take(state, kind, "kind"))
    if found != kind:
        raise SnapshotError(f"this is a snapshot of {found}, not of {kind}; call {found}.restore")
