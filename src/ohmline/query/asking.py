"""How a query is asked: in compiled code by the address of its body, or in Python one event at a time."""

from __future__ import annotations

from math import isnan
from typing import Any, NamedTuple, Protocol, final, runtime_checkable

from numba import typeof, types

from ohmline.checks import shown
from ohmline.compiled import (
    address_of,
    caller,
    compiled,
    generic,
    has_body,
    internal,
    packed,
    packed_form,
    pointer_to,
    unpacked,
)
from ohmline.errors import LearnerError
from ohmline.learn.contract import View


class Sight(NamedTuple):
    """All that a compiled query may look at.

    Attributes
    ----------
    trial
        The number of the trial, counted from 1.
    margin
        The margin of the learner's prediction, 0 for a tie; for many classes, the gap between the two best.
    variance
        The learner's own uncertainty; NaN unless the query needs it. For a query that looks ahead, the part of it that
        is about nodes still to come.
    spent
        How many labels were given so far.
    draw
        A uniform number in [0, 1) for queries that need a coin, else 0.
    repeats
        How many of the labels given last, in a row, were of classes that had been given before.
    """

    trial: int
    margin: float
    variance: float
    spent: int
    draw: float
    repeats: int


@generic("query")
def asks(query: Any, sight: Any) -> bool:
    """Whether a query asks for a label. A query of your own gives its body with `@implements(asks, YourQuery)`.

    Parameters
    ----------
    query
        The query: a tuple of its parameters.
    sight
        What it may look at, a `Sight`.
    """
    raise TypeError("compiled code only")


@internal
def asks_through(
    pointer: Any, trial: int, margin: float, variance: float, spent: int, draw: float, repeats: int
) -> bool:
    """`asks`, for loops that know the query by the address of its parameters alone."""
    return bool(asks(unpacked(pointer), Sight(trial, margin, variance, spent, draw, repeats)))


SEEN = (types.int64, types.float64, types.float64, types.int64, types.float64, types.int64)
"""The types of what is in sight."""

PLENTY = 1 << 62
"""As many labels without a new class as any query could wait for."""

ask = caller(types.boolean)
"""In compiled code: call the `body` of a `Question`."""


class Question(NamedTuple):
    """A query as a loop knows it: two addresses."""

    body: int
    """The machine code of `asks_through`; 0 where every label is asked for."""
    parameters: int
    """The bytes of the query's tuple."""


def question(query: Any) -> tuple[Question, Any]:
    """The query's addresses, and what must be kept alive as long as they are used."""
    if getattr(query, "asks_always", False):
        return Question(0, 0), None
    kind = typeof(query)
    room = packed(query, packed_form(kind))
    body = address_of(asks_through, types.boolean, pointer_to(kind), *SEEN)
    return Question(body, room.ctypes.data), (query, room)


@compiled
def asks_at(query: Any, sight: Sight) -> bool:
    """`asks`, callable from Python."""
    return bool(asks(query, sight))


@runtime_checkable
class Wants(Protocol):
    """A query of plain Python."""

    def wants(self, view: Any, *, trial: int, spent: int, draw: float) -> bool:
        """Whether to ask for the label of what the learner sees as `view`."""


class StreamQuery:
    """Decides in each trial whether to ask for the label: what the queries here share."""

    __slots__ = ()
    needs_variance: bool = False
    """Whether it looks at the learner's own uncertainty."""
    looks_ahead: bool = False
    """Whether the uncertainty counts only as far as it is about nodes that are still to come."""
    needs_coin: bool = False
    """Whether it is given a random number in every trial."""
    blind: bool = False
    """Whether it does not look at the learner at all."""
    asks_always: bool = False
    """Whether it asks for every label."""

    @final
    def wants(
        self, view: View[Any], *, trial: int, spent: int = 0, draw: float = 0.0, repeats: int = PLENTY
    ) -> bool:
        """Whether to ask for the label.

        Parameters
        ----------
        view
            What the learner sees, with its variance where `needs_variance` says so.
        trial
            The number of the trial, counted from 1.
        spent
            How many labels were given so far. Default 0.
        draw
            A uniform random number in [0, 1). Default 0.
        repeats
            How many of the labels given last, in a row, were of classes that had been given before. Default more
            than any query waits for.
        """
        return wants(self, view, trial=trial, spent=spent, draw=draw, repeats=repeats)


def wants(query: Any, view: View[Any], *, trial: int, spent: int, draw: float, repeats: int) -> bool:
    """Ask a compiled query, or one of plain Python."""
    if not in_compiled_code(query):
        if isinstance(query, Limited):
            inside = query.query
            return spent < query.labels and wants(
                inside, view, trial=trial, spent=spent, draw=draw, repeats=repeats
            )
        _expect_variance(query, view)
        told = view if needs_variance(query) else Unweighed.of(view, query)
        return bool(query.wants(told, trial=trial, spent=spent, draw=draw))
    _expect_variance(query, view)
    sight = Sight(trial, float(view.margin), float(view.variance), spent, float(draw), repeats)
    return bool(asks_at(query, sight))


class Unweighed(View[Any]):
    """A view for a query of plain Python that did not ask for the variance: to read it is an error, not NaN."""

    __slots__ = ("_query",)
    _query: Any

    @classmethod
    def of(cls, view: View[Any], query: Any) -> Unweighed:
        """What `view` says, without its variance."""
        told = object.__new__(cls)
        for name, value in (("prediction", view.prediction), ("margin", view.margin), ("_query", query)):
            object.__setattr__(told, name, value)
        return told

    @property
    def variance(self) -> float:
        """Not known, because nobody asked for it."""
        raise LearnerError(
            f"{shown(self._query)} reads view.variance and does not say so, so that it was not computed; set "
            f"needs_variance = True in its class {type(self._query).__name__}"
        )

    def __repr__(self) -> str:
        return f"View(prediction={self.prediction!r}, margin={self.margin!r})"


def _expect_variance(query: Any, view: View[Any]) -> None:
    if needs_variance(query) and isnan(view.variance):
        raise no_variance(query)


def in_compiled_code(query: Any) -> bool:
    """Whether a query, and the one that it wraps, has a compiled body."""
    if isinstance(query, Limited):
        return in_compiled_code(query.query)
    return isinstance(query, tuple) and has_body(asks, type(query))


def needs_variance(query: Any) -> bool:
    """Whether a query looks at the learner's own uncertainty; False unless it says so."""
    return bool(getattr(query, "needs_variance", False))


def looks_ahead(query: Any) -> bool:
    """Whether a query is told of a variance only what is about nodes still to come; False unless it says so."""
    return bool(getattr(query, "looks_ahead", False))


def needs_coin(query: Any) -> bool:
    """Whether a query is given random numbers; False unless it says so."""
    return bool(getattr(query, "needs_coin", False))


def is_blind(query: Any) -> bool:
    """Whether a query does not look at the learner at all; False unless it says so."""
    return bool(getattr(query, "blind", False))


def checked(query: Any) -> Any:
    """A query on a stream, or an error that says what one is."""
    if in_compiled_code(query) or (isinstance(query, Wants) and not isinstance(query, type)):
        return query
    if isinstance(query, type):
        raise LearnerError(
            f"query must be a query, got the class {query.__name__}; make one first: {query.__name__}()"
        )
    raise LearnerError(
        f"expected a query on a stream (Always, RandomRate, VarianceAbove, GapBelow, GapAhead, Budget, a tuple "
        f"with a body of asks, or an object with a method wants), got {shown(query)}"
    )


def no_variance(query: Any) -> LearnerError:
    """What is raised where a query meets a learner that keeps no variance."""
    return LearnerError(
        f"{query!r} needs a learner that knows its own variance (OnlineLGC, SharedLGC, LocalLGC); "
        "use RandomRate or Always with this one"
    )


class Limited(NamedTuple):
    """A query within another one, which asks for so many labels at most."""

    query: Any
    labels: int
