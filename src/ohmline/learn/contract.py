"""The contract of a learner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, Literal, Self, TypeVar, final

from ohmline.arrays import AnyArray
from ohmline.errors import LabelError, SnapshotError

X = TypeVar("X")
Y = TypeVar("Y")
Label = Literal[-1, 1]
State = dict[str, AnyArray]
"""A snapshot: plain arrays by name, fit for ``numpy.savez`` without pickle."""

TIE = 1e-9
"""A margin below this share of its largest possible size is a tie, and is reported as 0."""


@dataclass(frozen=True, slots=True)
class Update:
    """What one trial did to a learner."""

    mistake: bool | None
    """The prediction was wrong; None when no label came."""
    updated: bool
    """The hypothesis moved."""
    progress: float
    """The squared length of the move: what the theorems count."""


@dataclass(frozen=True, slots=True)
class View(Generic[Y]):
    """What a learner sees in a node before its label: all that a query may look at."""

    prediction: Y | None
    """The label it would say; None for "don't know"."""
    margin: float
    """Binary: the signed margin, 0 for a tie. Many classes: the gap of the two best scores."""
    variance: float
    """Its own uncertainty, in the units of a squared margin; NaN when it keeps none."""


class OnlineLearner(ABC, Generic[X, Y]):
    """Learns one trial at a time; knows nothing of how it is driven."""

    @abstractmethod
    def predict_one(self, x: X) -> Y | None:
        """The label of ``x``; never changes the learner. None only where a learner may abstain."""

    @abstractmethod
    def learn_one(self, x: X, y: Y | None) -> Update:
        """Learn that ``x`` has label ``y``; with None, that ``x`` was seen but not labelled."""

    @abstractmethod
    def view_one(self, x: X) -> View[Y]:
        """The prediction with its margin and uncertainty; never changes the learner."""

    def glance_one(self, x: X) -> View[Y]:
        """As ``view_one``, but a variance that is dear to work out may be left out, as NaN."""
        return self.view_one(x)

    @abstractmethod
    def snapshot(self) -> State:
        """Everything the learner knows, as plain arrays."""

    @classmethod
    @abstractmethod
    def restore(cls, state: State, kernel: Any) -> Self:
        """The learner that was snapshot, over the same kernel (or graph)."""


class BinaryLearner(OnlineLearner[X, Label]):
    """A learner of the labels -1 and +1."""

    @abstractmethod
    def margin_one(self, x: X) -> float:
        """The signed margin of ``x``, with ties reported as exactly 0."""

    @final
    def predict_one(self, x: X) -> Label:
        """The sign of the margin; zero predicts +1."""
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
