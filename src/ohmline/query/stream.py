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

Either may set `needs_variance = True` in its class to be told the learner's variance, which plain Python cannot read
otherwise, `looks_ahead = True` beside it to be told only the part that is about nodes still to come, and `needs_coin =
True` to be given a uniform random number in every trial.
"""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np

from ohmline.arrays import count, fraction, non_negative
from ohmline.checks import shown
from ohmline.compiled import implements
from ohmline.errors import LearnerError, ParameterError
from ohmline.query.asking import (
    Limited,
    Sight,
    StreamQuery,
    asks,
    checked,
    is_blind,
    looks_ahead,
    needs_coin,
    needs_variance,
)
from ohmline.representation import represent


class _Nothing(NamedTuple):
    pass


class _Rate(NamedTuple):
    p: float


class _Exponent(NamedTuple):
    kappa: float


class _Gap(NamedTuple):
    c: float
    repeats: int


@final
class Always(_Nothing, StreamQuery):
    """Asks for every label: the default of `play`."""

    __slots__ = ()
    blind = True
    asks_always = True

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
class GapAhead(_Gap, StreamQuery):
    """Asks when gap < c v: the margin is small against what its label would say to nodes still to come.

    v is the learner's variance, times the square of the part of it that is about nodes that did not come up yet in this
    game, each as far as it is undecided: its second best class over its best. What a label says about nodes that were
    predicted before, and are not predicted again, is said too late, and what is settled needs it no more. Near the end
    of a stream, and wherever most neighbours came before, fewer labels are asked for than by `GapBelow`; early, and
    where much is to come, more. At first every label is asked for, as there.

    Nodes may come again. A node that came up counts as much as such nodes were seen to come up again: nothing as long
    as none did, as much as any other where nodes are drawn at random. So the query needs no word about the stream.

    Only `LocalLGC` can tell which nodes a label is about. For other learners v is their whole variance, and outside a
    game it is whatever `View.variance` says.

    Parameters
    ----------
    c
        At least 0; the larger, the more labels are asked for. Default 0.25.
    repeats
        How many labels in a row must bring no new class before the gap is believed; at least 0. Default 8.

    Examples
    --------
    >>> import ohmline as ohm
    >>> moons = ohm.graph.generate.two_moons(200, seed=0)
    >>> graph = ohm.graph.knn(moons.points, 8)
    >>> stream = ohm.Stream(graph.nodes, moons.labels).shuffled(seed=0)
    >>> ohm.play(ohm.LocalLGC(graph), stream, GapAhead())
    Trace(200 trials, 2 mistakes, 11 labels asked)
    """

    __slots__ = ()
    needs_variance = True
    looks_ahead = True

    def __new__(cls, c: float = 0.25, repeats: int = 8) -> GapAhead:
        return super().__new__(cls, non_negative(c, "c of GapAhead"), count(repeats, "repeats of GapAhead"))

    def __repr__(self) -> str:
        return represent(self, defaults=True)


@implements(asks, GapAhead)
def gap_ahead_asks(query: GapAhead, sight: Sight) -> bool:
    if sight.repeats < query.repeats:
        return True
    return abs(sight.margin) < query.c * sight.variance


@final
class Budget(Limited, StreamQuery):
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
    def looks_ahead(self) -> bool:  # type: ignore[override]
        """Whether the query inside counts only what is about nodes still to come."""
        return looks_ahead(self.query)

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
