"""The one compiled loop: view, ask, learn, for every learner over every kernel under every query.

It knows nothing of graphs, labels or files: things are positions or rows of numbers, labels are codes, a learner
and a query are the addresses of their machine code and of what it reads. So it is compiled once for nodes and
once for vectors, and a new learner or query costs no compilation but its own. Where Python is needed (a kernel
column that is not there yet) it stops at the trial, and can be called again from there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.compiled import borrowed, compiled, inlined, internal, prefetch
from ohmline.game.coming import Came, note_trial, part_at
from ohmline.learn.step import (
    UNLABELLED,
    Step,
    call_expect,
    call_variance,
    call_view,
    rehearsed,
    step_at,
)
from ohmline.query.asking import PLENTY, Question, ask

PREFETCH = 3
"""How many trials ahead a node's features are prefetched."""
LOOKAHEAD = 64
"""How many trials a learner is told of at a time where every one is asked for its variance."""


class Log(NamedTuple):
    """What a game writes down: one entry per trial."""

    prediction: Ints
    margin: Floats
    variance: Floats
    asked: Bools
    updated: Bools
    progress: Floats

    @classmethod
    def empty(cls, trials: int, *, variance: bool = True) -> Log:
        """Room for so many trials; with `variance=False` there is none for variances, which are then all NaN."""
        return cls(
            np.empty(trials, np.int64),
            np.empty(trials),
            np.full(trials, np.nan) if variance else np.broadcast_to(np.nan, trials),
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
    """Positions of nodes, or one point per row."""
    truth: Ints
    """Label codes, without meaning where nothing is revealed."""
    revealed: Bools
    draws: Floats
    """A uniform number per trial for queries that need a coin; empty for the others."""
    first: int
    """The number of the first trial, counted from 1."""

    def part(self, span: slice) -> Trials:
        """Only the trials in `span`, with the numbers they have."""
        draws = self.draws[span] if len(self.draws) else self.draws
        first = self.first + span.start
        return Trials(self.where[span], self.truth[span], self.revealed[span], draws, first)


class Progress(NamedTuple):
    """How far a loop has come: it goes on from here when it is called again."""

    trial: Ints
    """The next trial, counted from 0 at the first of `Trials`."""
    spent: Ints
    """Labels that were given so far."""
    repeats: Ints
    """How many of the last of them, in a row, were of classes that had been given before."""
    given: Bools
    """Which classes were given so far, from the least code on."""
    least: int

    @classmethod
    def start(cls, truth: Ints) -> Progress:
        """Before the first of the trials with these labels."""
        least, most = (int(truth.min()), int(truth.max())) if len(truth) else (0, -1)
        given = np.zeros(most - least + 1, np.bool_)
        return cls(np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64), given, least)


@compiled
def run(
    address: int,
    query: Question,
    trials: Trials,
    reads_variance: bool,
    looks_ahead: bool,
    most: int,
    progress: Progress,
    came: Came,
    log: Log,
) -> None:
    """Play every trial from `progress` on, with the step at an address, until `most` labels were given."""
    step = step_at(address)
    where, truth, revealed, draws, first = borrowed(trials)
    trial, labels, repeats, given, least = borrowed(progress)
    shown, tally = borrowed(came)
    prediction, margins, variances, asked_at, updated_at, lengths = borrowed(log)
    coins = draws.shape[0] > 0
    last = where.shape[0] - 1
    announced = step.expect_code != 0 and reads_variance
    distance = LOOKAHEAD if announced else PREFETCH
    spent, done = labels[0], trial[0]
    for t in range(trial[0], where.shape[0]):
        x = where[t]
        if step.row != 0:
            send_for(step, where, min(t + distance, last))
        if announced and t % LOOKAHEAD == 0:
            announce(step, where[t : t + LOOKAHEAD])
        code, margin = call_view(step.view_code, (step.space, step.state, x))
        spread = np.nan
        if reads_variance:
            spread = call_variance(step.variance_code, (step.space, step.state, x))
            if looks_ahead and step.ahead_code != 0:
                part = part_at(step, where, t, shown, tally)
                spread *= part * part
            variances[t] = spread
        prediction[t] = code
        margins[t] = margin
        asked = revealed[t]
        if asked and query.body != 0:
            draw = draws[t] if coins else 0.0
            asked = ask(query.body, (query.parameters, first + t, margin, spread, spent, draw, repeats[0]))
        if asked or step.every_point:
            y = truth[t] if asked else UNLABELLED
            updated, length = rehearsed(step, x, y, margin)
            asked_at[t] = asked
            updated_at[t] = updated
            lengths[t] = length
            spent += asked
            if asked and query.body != 0:
                note_class(repeats, given, y - least)
        if looks_ahead:
            note_trial(shown, tally, where, t)
        if step.rehearsal != 0:  # the next trial may be interrupted
            labels[0] = spent
            trial[0] = t + 1
        done = t + 1
        if spent >= most:
            break
    labels[0] = spent
    trial[0] = done
    if announced:
        announce(step, where[:0])


@compiled
def note_class_at(progress: Progress, y: int) -> None:
    """`note_class`, callable from Python."""
    note_class(progress.repeats, progress.given, y - progress.least)


@inlined
def note_class(repeats: Ints, given: Bools, place: int) -> None:
    """A label of the class at this place was given."""
    repeats[0] = repeats[0] + 1 if given[place] else 0
    given[place] = True


def _row_ahead(step: Any, where: Any, t: Any) -> None:
    prefetch(step.table + step.row * where[t], step.row)


def _no_row_ahead(step: Any, where: Any, t: Any) -> None:
    return None


def send_for(step: Any, where: Any, t: Any) -> None:
    """Prefetch the row of a node that comes up soon; a vector is its own row."""


@overload(send_for)  # type: ignore[untyped-decorator]
def choose_send_for(step: Any, where: Any, t: Any) -> Any:
    return _row_ahead if where.ndim == 1 else _no_row_ahead


@internal
def announce(step: Step, upcoming: Any) -> None:
    """Tell a learner over nodes what comes next."""
    call_expect(step.expect_code, (step.space, step.state, upcoming))


@compiled
def asked_blindly(query: Question, revealed: Bools, draws: Floats) -> Bools:
    """Where a query asks that does not look at the learner."""
    asked, spent = np.zeros(revealed.shape[0], np.bool_), 0
    for t in range(revealed.shape[0]):
        draw = draws[t] if draws.shape[0] > 0 else 0.0
        asked[t] = revealed[t] and (
            query.body == 0 or ask(query.body, (query.parameters, t + 1, 0.0, np.nan, spent, draw, PLENTY))
        )
        spent += asked[t]
    return asked


@compiled
def marked(codes: Ints) -> tuple[int, Bools]:
    """The least code, and which of those from there on occur."""
    low = high = codes[0]
    for t in range(codes.shape[0]):
        low, high = min(low, codes[t]), max(high, codes[t])
    found = np.zeros(high - low + 1, np.bool_)
    for t in range(codes.shape[0]):
        found[codes[t] - low] = True
    return low, found


def distinct(codes: Ints) -> list[int]:
    """The few different values of an array of small codes, ascending."""
    if not len(codes):
        return []
    low, found = marked(codes)
    return (np.flatnonzero(found) + low).tolist()
