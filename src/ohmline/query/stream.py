"""Queries on a stream: is this label worth asking for?

A query is a tuple of its own parameters with a compiled body of `asks`, dispatched like the step of a learner:

>>> from typing import NamedTuple
>>> import ohmline as ohm
>>> from ohmline.compiled import implements
>>> class EveryNth(NamedTuple):
...     n: int
>>> @implements(ohm.query.asks, EveryNth)
... def every_nth_asks(query, sight):
...     return sight.trial % query.n == 0
>>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
>>> stream = ohm.Stream(range(10), [1] * 5 + [-1] * 5)
>>> ohm.play(ohm.LocalLGC(line), stream, EveryNth(3))
Trace(10 trials, 4 mistakes, 3 labels asked)

A query in plain Python is any object with a method `wants`. It is asked one event at a time, and gives the same
trace:

>>> class EveryNthInPython:
...     def __init__(self, n):
...         self.n = n
...     def wants(self, view, *, trial, spent, draw):
...         return trial % self.n == 0
>>> ohm.play(ohm.LocalLGC(line), stream, EveryNthInPython(3))
Trace(10 trials, 4 mistakes, 3 labels asked)

Either may set `needs_variance = True` in its class to be told the learner's variance, and `needs_coin = True`
to be given a uniform random number in every trial.
"""

from __future__ import annotations

from math import isnan
from typing import Any, NamedTuple, Protocol, final, runtime_checkable

import numpy as np
from numba import typeof, types

from ohmline.arrays import count, fraction, non_negative
from ohmline.checks import shown
from ohmline.compiled import (
    address_of,
    caller,
    compiled,
    generic,
    has_body,
    implements,
    internal,
    packed,
    packed_form,
    pointer_to,
    unpacked,
)
from ohmline.errors import LearnerError, ParameterError
from ohmline.learn.contract import View
from ohmline.representation import represent


class Sight(NamedTuple):
    """All that a compiled query may look at.

    Attributes
    ----------
    trial
        The number of the trial, counted from 1.
    margin
        The margin of the learner's prediction, 0 for a tie; for many classes, the gap between the two best.
    variance
        The learner's own uncertainty; NaN unless the query needs it.
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
    if isinstance(query, Always):
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
    needs_coin: bool = False
    """Whether it is given a random number in every trial."""
    blind: bool = False
    """Whether it does not look at the learner at all."""

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
        if isinstance(query, Budget):
            inside = query.query
            return spent < query.labels and wants(
                inside, view, trial=trial, spent=spent, draw=draw, repeats=repeats
            )
        return bool(query.wants(view, trial=trial, spent=spent, draw=draw))
    if needs_variance(query) and isnan(view.variance):
        raise no_variance(query)
    sight = Sight(trial, float(view.margin), float(view.variance), spent, float(draw), repeats)
    return bool(asks_at(query, sight))


def in_compiled_code(query: Any) -> bool:
    """Whether a query, and the one that it wraps, has a compiled body."""
    if isinstance(query, Budget):
        return in_compiled_code(query.query)
    return isinstance(query, tuple) and has_body(asks, type(query))


def needs_variance(query: Any) -> bool:
    """Whether a query looks at the learner's own uncertainty; False unless it says so."""
    return bool(getattr(query, "needs_variance", False))


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
    raise LearnerError(
        f"expected a query on a stream (Always, RandomRate, VarianceAbove, GapBelow, Budget, a tuple with a body of "
        f"asks, or an object with a method wants), got {shown(query)}"
    )


def no_variance(query: Any) -> LearnerError:
    """What is raised where a query meets a learner that keeps no variance."""
    return LearnerError(
        f"{query!r} needs a learner that knows its own variance (OnlineLGC, SharedLGC, LocalLGC); "
        "use RandomRate or Always with this one"
    )


class _Nothing(NamedTuple):
    pass


class _Rate(NamedTuple):
    p: float


class _Exponent(NamedTuple):
    kappa: float


class _Gap(NamedTuple):
    c: float
    repeats: int


class _Limited(NamedTuple):
    query: Any
    labels: int


@final
class Always(_Nothing, StreamQuery):
    """Asks for every label: the default of `play`."""

    __slots__ = ()
    blind = True

    def __repr__(self) -> str:
        return represent(self, defaults=True)


@implements(asks, Always)
def always_asks(query: Always, sight: Sight) -> bool:
    return True


@final
class RandomRate(_Rate, StreamQuery):
    """Asks with probability p, whatever the learner knows: the baseline of every other query.

    The coins come from the `seed` of `play`, so equal seeds ask for equal labels.

    Parameters
    ----------
    p
        The probability, from 0 to 1.
    """

    __slots__ = ()
    needs_coin = True
    blind = True

    def __new__(cls, p: float) -> RandomRate:
        return super().__new__(cls, fraction(p, "the rate p of RandomRate"))

    def __repr__(self) -> str:
        return represent(self, defaults=True)


@implements(asks, RandomRate)
def random_rate_asks(query: RandomRate, sight: Sight) -> bool:
    return sight.draw < query.p


@final
class VarianceAbove(_Exponent, StreamQuery):
    """Asks when r_t > t^-kappa: the query of SSLGC (paper 004, Algorithm 2).

    r_t is the learner's variance, and t counts the trials from 1. The query does not look at the margin, so which
    labels it asks for does not depend on what they are, as long as every one of them is learned.

    Parameters
    ----------
    kappa
        From 0 to 1; the larger, the more labels are asked for. Default 0.4.

    Examples
    --------
    >>> from ohmline.learn import View
    >>> [VarianceAbove(0.5).wants(View(1, 2.0, 0.3), trial=t) for t in (4, 16)]
    [False, True]
    """

    __slots__ = ()
    needs_variance = True

    def __new__(cls, kappa: float = 0.4) -> VarianceAbove:
        return super().__new__(cls, fraction(kappa, "kappa of VarianceAbove"))

    def __repr__(self) -> str:
        return represent(self, defaults=True)


@implements(asks, VarianceAbove)
def variance_above_asks(query: VarianceAbove, sight: Sight) -> bool:
    return sight.variance > sight.trial ** (-query.kappa)


@final
class GapBelow(_Gap, StreamQuery):
    """Asks when gap^2 <= c v log(t + 1): the margin is small against its own uncertainty.

    The gap is the margin of a binary learner, or that between the two best classes; v is the
    learner's variance and t counts the trials from 1. A sure node is not asked about however little is
    known near it, and an unsure one is.

    A gap says nothing about a class that has not come up yet: after one label, every node is sure. So at first
    every label is asked for, until `repeats` of them in a row were of classes that had come before. By the rule of
    succession the next one is then of a new class with a probability of 1 / (repeats + 2).

    Parameters
    ----------
    c
        At least 0; the larger, the more labels are asked for. Default 0.0003.
    repeats
        How many labels in a row must bring no new class before the gap is believed; at least 0. Default 8.

    Examples
    --------
    >>> from ohmline.learn import View
    >>> [GapBelow(0.1).wants(View("a", gap, 0.5), trial=50) for gap in (0.2, 0.9)]
    [True, False]
    """

    __slots__ = ()
    needs_variance = True

    def __new__(cls, c: float = 0.0003, repeats: int = 8) -> GapBelow:
        return super().__new__(cls, non_negative(c, "c of GapBelow"), count(repeats, "repeats of GapBelow"))

    def __repr__(self) -> str:
        return represent(self, defaults=True)


@implements(asks, GapBelow)
def gap_below_asks(query: GapBelow, sight: Sight) -> bool:
    if sight.repeats < query.repeats:
        return True
    return sight.margin * sight.margin <= query.c * sight.variance * np.log(sight.trial + 1.0)


@final
class Budget(_Limited, StreamQuery):
    """Asks as another query does, until so many labels were given.

    Parameters
    ----------
    query
        Any query on a stream; None (default) for `Always()`.
    labels
        How many labels may be asked for in all, at least 0. It must be given.

    Examples
    --------
    >>> from ohmline.learn import View
    >>> [Budget(Always(), labels=2).wants(View(1, 0.0), trial=9, spent=spent) for spent in (1, 2)]
    [True, False]
    """

    __slots__ = ()

    def __new__(cls, query: Any = None, labels: int | None = None) -> Budget:
        try:
            inside = Always() if query is None else checked(query)
        except LearnerError:
            raise ParameterError(
                f"Budget wraps a stream query such as GapBelow(), got {shown(query)}; "
                "give Budget(Always(), labels=20), for example"
            ) from None
        if labels is None:
            raise ParameterError("Budget needs the number of labels; give Budget(Always(), labels=20), say")
        return super().__new__(cls, inside, count(labels, "labels"))

    @property
    def needs_variance(self) -> bool:  # type: ignore[override]
        """Whether the query inside looks at the learner's own uncertainty."""
        return needs_variance(self.query)

    @property
    def needs_coin(self) -> bool:  # type: ignore[override]
        """Whether the query inside is given random numbers."""
        return needs_coin(self.query)

    @property
    def blind(self) -> bool:  # type: ignore[override]
        """Whether the query inside does not look at the learner at all."""
        return is_blind(self.query)

    def __repr__(self) -> str:
        return f"Budget({self.query!r}, labels={self.labels})"


@implements(asks, Budget)
def budget_asks(query: Budget, sight: Sight) -> bool:
    return sight.spent < query.labels and asks(query.query, sight)
