"""One compiled step, two drivers.

A learner over the nodes of a graph is a *space* (the compiled kernel), a *state* (a
``NamedTuple`` of arrays, changed in place) and bodies of two generic functions, ``view`` and
``learn``. :mod:`ohmline.learn.position` drives them one event at a time; ``run`` drives the same two over
arrays in a compiled loop. There is no second implementation that could drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.compiled import compiled, inlined, lend
from ohmline.kernel.space import ahead


class Rule(NamedTuple):
    """The compiled form of a query: see :mod:`ohmline.query`."""

    kind: int
    parameter: float
    labels: int
    """How many labels may be asked for in all; -1 for no limit."""


AHEAD = 3
"""How many trials before its own a node's features are sent for."""

ALWAYS, NEVER, RANDOM_RATE, VARIANCE_ABOVE, GAP_BELOW = range(5)


class Log(NamedTuple):
    """What ``run`` writes: one entry a trial."""

    prediction: Ints
    margin: Floats
    variance: Floats
    asked: Bools
    updated: Bools
    progress: Floats

    @classmethod
    def empty(cls, trials: int) -> Log:
        """Room for so many trials; what every trial writes is not cleared first."""
        return cls(
            np.empty(trials, np.int64),
            np.empty(trials),
            np.empty(trials),
            np.zeros(trials, np.bool_),
            np.zeros(trials, np.bool_),
            np.zeros(trials),
        )

    def part(self, span: slice) -> Log:
        """A window onto some of the trials."""
        return Log(*(column[span] for column in self))  # type: ignore[arg-type]


class Trials(NamedTuple):
    """Some trials in a row, as compiled code sees them."""

    where: AnyArray
    """Positions of nodes, or a point a row."""
    truth: Ints
    """Label codes, of no meaning where nothing is revealed."""
    revealed: Bools
    rule: Rule
    draws: Floats
    """A uniform number a trial, for random queries."""
    first: int
    """The number of the first trial, counted from 1."""

    def part(self, span: slice) -> Trials:
        """Only the trials in ``span``, with the numbers they have."""
        return Trials(
            self.where[span],
            self.truth[span],
            self.revealed[span],
            self.rule,
            self.draws[span],
            self.first + span.start,
        )


class Batch(NamedTuple):
    """Some trials in a row, as the game has them."""

    nodes: Any
    codes: Ints
    """The label of trial t is ``classes[codes[t]]``."""
    classes: Sequence[Any]
    revealed: Bools
    draws: Floats


def view(space: Any, state: Any, i: Any) -> tuple[int, float, float]:
    """(prediction code, margin, variance) of the node at position i; pure."""
    raise TypeError("compiled code only")


def learn(space: Any, state: Any, i: Any, y: Any, margin: Any, variance: Any) -> tuple[bool, float]:
    """Learn label code y at position i, in place; (updated, progress).

    ``margin`` and ``variance`` are what ``view`` just said of the same node, so that nothing is
    computed twice.
    """
    raise TypeError("compiled code only")


@compiled
def asks(rule: Rule, trial: int, margin: float, variance: float, spent: int, draw: float) -> bool:
    """Whether the query asks for the label of this trial (counted from 1)."""
    if rule.labels >= 0 and spent >= rule.labels:
        return False
    if rule.kind == ALWAYS:
        return True
    if rule.kind == RANDOM_RATE:
        return draw < rule.parameter
    if rule.kind == VARIANCE_ABOVE:
        return variance > trial ** (-rule.parameter)  # type: ignore[no-any-return]
    if rule.kind == GAP_BELOW:
        return margin * margin <= rule.parameter * variance * np.log(trial + 1.0)  # type: ignore[no-any-return]
    return False


def reads_variance(rule: Rule) -> bool:
    """Whether a query looks at the learner's own uncertainty."""
    return rule.kind in (VARIANCE_ABOVE, GAP_BELOW)


@compiled
def view_at(space: Any, state: Any, i: int) -> tuple[int, float, float]:
    """``view``, callable from Python."""
    return view(space, state, i)


@compiled
def learn_at(space: Any, state: Any, i: int, y: int) -> tuple[int, bool, float]:
    """``view`` then ``learn``, callable from Python: (prediction code, updated, progress)."""
    prediction, margin, variance = view(space, state, i)
    updated, progress = learn(space, state, i, y, margin, variance)
    return prediction, updated, progress


@inlined
def _loop(space: Any, state: Any, trials: Trials, spent: int, log: Log) -> int:
    positions, truth, revealed, draws = trials.where, trials.truth, trials.revealed, trials.draws
    rule, first = trials.rule, trials.first
    every = rule.kind == ALWAYS and rule.labels < 0
    last = positions.shape[0] - 1
    for t in range(positions.shape[0]):
        i = positions[t]
        ahead(space, positions[min(t + AHEAD, last)])
        prediction, margin, variance = view(space, state, i)
        log.prediction[t] = prediction
        log.margin[t] = margin
        log.variance[t] = variance
        if revealed[t] and (every or asks(rule, first + t, margin, variance, spent, draws[t])):
            spent += 1
            log.asked[t] = True
            updated, progress = learn(space, state, i, truth[t], margin, variance)
            log.updated[t] = updated
            log.progress[t] = progress
    return spent


@compiled
def run(space: Any, state: Any, trials: Trials, spent: int, log: Log) -> int:
    """Every trial in a row; the number of labels asked for so far."""
    # The arguments outlive the call, so the loop need not count who uses them.
    return _loop(lend(space), lend(state), trials, spent, lend(log))


def distinct(codes: Ints) -> list[int]:
    """The few different values of an array of small codes, ascending."""
    if not len(codes):
        return []
    low, found = _marked(codes)
    return (np.flatnonzero(found) + low).tolist()


@compiled
def _marked(codes: Ints) -> tuple[int, Bools]:
    """The least code, and which of those from there on occur."""
    low = high = codes[0]
    for t in range(codes.shape[0]):
        low, high = min(low, codes[t]), max(high, codes[t])
    found = np.zeros(high - low + 1, np.bool_)
    for t in range(codes.shape[0]):
        found[codes[t] - low] = True
    return low, found


BLOCK = 4096
"""Trials between two calls of ``progress`` in a compiled loop."""


def silent(trials: int) -> None:
    """The ``progress`` of a game that nobody watches: it runs in one piece."""
