"""Queries on a stream: is this label worth asking for?

Each is the name, the parameter and the budget of one compiled rule
(:func:`ohmline.learn.stepping.asks`), so the streaming and the looping driver ask for the
same labels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

import numpy as np

from ohmline.arrays import count, fraction, non_negative
from ohmline.errors import LearnerError, ParameterError
from ohmline.learn.contract import View
from ohmline.learn.stepping import (
    ALWAYS,
    GAP_BELOW,
    RANDOM_RATE,
    VARIANCE_ABOVE,
    Rule,
    asks,
    reads_variance,
)


class StreamQuery(ABC):
    """Decides, node by node, whether to ask for the label."""

    @property
    @abstractmethod
    def rule(self) -> Rule:
        """The compiled form."""

    @property
    @final
    def needs_variance(self) -> bool:
        """Whether it looks at the learner's own uncertainty."""
        return reads_variance(self.rule)

    @final
    def wants(self, view: View[object], *, trial: int, spent: int = 0, draw: float = 0.0) -> bool:
        """Whether to ask: ``trial`` counts from 1, ``spent`` labels were had, ``draw`` is uniform."""
        if self.needs_variance and np.isnan(view.variance):
            raise LearnerError(
                f"{self!r} needs a learner that knows its own variance (OnlineLGC, SharedLGC, LocalLGC); "
                "use RandomRate or Always with this one"
            )
        return bool(asks(self.rule, trial, view.margin, view.variance, spent, draw))


@final
class Always(StreamQuery):
    """Asks for every label."""

    @property
    def rule(self) -> Rule:
        return Rule(ALWAYS, 0.0, -1)

    def __repr__(self) -> str:
        return "Always()"


@final
class RandomRate(StreamQuery):
    """Asks with probability ``p``, whatever the learner knows: the baseline of every other query.

    The coins come from the ``seed`` of ``play``, so equal seeds ask for equal labels.
    """

    def __init__(self, p: float) -> None:
        self.p = fraction(p, "the rate p of RandomRate")

    @property
    def rule(self) -> Rule:
        return Rule(RANDOM_RATE, self.p, -1)

    def __repr__(self) -> str:
        return f"RandomRate({self.p:g})"


@final
class VarianceAbove(StreamQuery):
    """Asks when r_t > t^-kappa: the query of SSLGC (paper 004, Algorithm 2).

    r_t is the learner's variance, and t counts the trials from 1. The larger ``kappa`` in
    [0, 1], the more labels are asked for. It does not look at the margin, so the labels asked
    for are the same whatever they are, if every one of them is learned.

    >>> from ohmline.learn import View
    >>> [VarianceAbove(0.5).wants(View(1, 2.0, 0.3), trial=t) for t in (4, 16)]
    [False, True]
    """

    def __init__(self, kappa: float = 0.4) -> None:
        self.kappa = fraction(kappa, "kappa of VarianceAbove")

    @property
    def rule(self) -> Rule:
        return Rule(VARIANCE_ABOVE, self.kappa, -1)

    def __repr__(self) -> str:
        return f"VarianceAbove({self.kappa:g})"


@final
class GapBelow(StreamQuery):
    """Asks when gap^2 <= c v log(t + 1): the margin is small against its own uncertainty.

    The gap is the margin of a binary learner, or that between the two best classes; v is the
    learner's variance and t counts the trials from 1. The larger ``c``, the more labels. A sure
    node is not asked about however little is known near it, and an unsure one is.

    >>> from ohmline.learn import View
    >>> [GapBelow(0.1).wants(View("a", gap, 0.5), trial=50) for gap in (0.2, 0.9)]
    [True, False]
    """

    def __init__(self, c: float = 0.005) -> None:
        self.c = non_negative(c, "c of GapBelow")

    @property
    def rule(self) -> Rule:
        return Rule(GAP_BELOW, self.c, -1)

    def __repr__(self) -> str:
        return f"GapBelow({self.c:g})"


@final
class Budget(StreamQuery):
    """Asks as ``query`` does, until ``labels`` were had."""

    def __init__(self, query: StreamQuery, labels: int) -> None:
        if not isinstance(query, StreamQuery):
            raise ParameterError(f"Budget wraps a stream query such as GapBelow(), got {query!r}")
        self.query, self.labels = query, count(labels, "labels")

    @property
    def rule(self) -> Rule:
        inner = self.query.rule
        limit = self.labels if inner.labels < 0 else min(self.labels, inner.labels)
        return Rule(inner.kind, inner.parameter, limit)

    def __repr__(self) -> str:
        return f"Budget({self.query!r}, labels={self.labels})"
