"""Playing a table of trials in compiled code, block by block."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.compiled import compiled
from ohmline.game.coming import Came, note_shown_at, weight_again_of
from ohmline.game.loop import LOOKAHEAD, Log, Progress, Trials, distinct, note_class_at, run
from ohmline.game.stream import Stream
from ohmline.game.until import Until
from ohmline.kernel.space import MissingColumn
from ohmline.learn.compiled_learner import CompiledLearner
from ohmline.learn.node_learner import NodeLearner
from ohmline.learn.step import UNLABELLED
from ohmline.query.asking import Sight, asks_at, looks_ahead, needs_variance, no_variance, question

FIRST_BLOCK = 4096
"""Trials in the first block of a game."""
BLOCK_SECONDS = 0.05
"""How long a block should take: between blocks an interrupt is seen and progress reported."""
LARGEST_BLOCK = 1 << 20

Played = tuple[dict[int, Any], Log, int]
"""The meaning of the prediction codes, the log, and how many trials were played."""


def play_arrays(
    learner: CompiledLearner[Any, Any],
    stream: Stream,
    query: Any,
    draws: Floats,
    limits: Until,
    report: Callable[[int], None],
) -> Played:
    """Play a table of trials, in compiled code as far as the learner is ready for it."""
    # Every thing and label is checked before the first trial, so an error changes nothing.
    where = learner.locate_all(stream.nodes)
    if needs_variance(query) and len(where) and np.isnan(learner.spread(where[0])):
        raise no_variance(query)
    revealed = np.array(stream.revealed)  # compiled code knows writable arrays only
    try:
        trials = Trials(where, codes_for(learner, stream), revealed, draws, 1)
        game = Blocks(learner, query, trials, limits, report)
        game.play()
        log = game.log if game.played == len(where) else game.log.part(slice(game.played))
        meaning = {code: learner.decode(code) for code in distinct(log.prediction)}
    finally:  # a game that was stopped leaves no class that nobody was seen of
        learner.settle()
    return meaning, log, game.played


def codes_for(learner: CompiledLearner[Any, Any], stream: Stream) -> Ints:
    """The learner's codes of the revealed labels; every class is encoded once."""
    table = np.zeros(len(stream.classes) + 1, dtype=np.int64)
    occurring = np.flatnonzero(_occurring(stream.codes, stream.revealed, len(stream.classes)))
    table[occurring] = learner.codes_of([stream.classes[code] for code in occurring.tolist()])
    return table.take(stream.codes)


class Blocks:
    """A table of trials on its way through the compiled loop."""

    def __init__(
        self,
        learner: CompiledLearner[Any, Any],
        query: Any,
        trials: Trials,
        limits: Until,
        report: Callable[[int], None],
    ) -> None:
        self.learner, self.query, self.trials = learner, query, trials
        self.limits, self.report = limits, report
        self.reads_variance = needs_variance(query)
        self._teller = learner if looks_ahead(query) and isinstance(learner, NodeLearner) else None
        self._came = Came.none(0 if self._teller is None else len(self._teller.nodes))
        self.log = Log.empty(len(trials.where), variance=self.reads_variance)
        self.question, self._kept_alive = question(query)
        self._progress = Progress.start(trials.truth if self.question.body else trials.truth[:0])
        self.played = 0
        self.spent = 0

    def play(self) -> None:
        """Every trial, until a limit is reached."""
        total = min(len(self.trials.where), self.limits.most_trials)
        start, block = time.perf_counter(), FIRST_BLOCK
        while self.played < total and self.spent < self.limits.most_labels:
            if self.limits.seconds is not None and time.perf_counter() - start >= self.limits.seconds:
                break
            ready = self.learner.ready(min(total - self.played, block))
            before, begun = self.played, time.perf_counter()
            if ready:
                self._run(min(ready, total - self.played, block))
                taken = max(time.perf_counter() - begun, 1e-9)
                wanted = int((self.played - before) * BLOCK_SECONDS / taken)
                # Whole look-aheads, so that how a game is cut into blocks changes nothing.
                block = min(max(wanted // LOOKAHEAD * LOOKAHEAD, LOOKAHEAD), LARGEST_BLOCK)
            else:
                self._event()
            self.report(self.played - before)

    def _run(self, trials: int) -> None:
        """Some trials in the compiled loop, which stops wherever a kernel's column is missing."""
        learner, span = self.learner, slice(self.played, self.played + trials)
        part, log = self.trials.part(span), self.log.part(span)
        if not self.reads_variance:
            log = log._replace(variance=np.zeros(0))  # compiled code knows writable arrays only
        progress = self._progress
        progress.trial[0], progress.spent[0] = 0, self.spent
        step, stopped, asked = learner.step(watched=self.reads_variance), -1, set[int]()
        while True:
            try:
                with learner.unmoved():
                    run(
                        step.address,
                        self.question,
                        part,
                        self.reads_variance,
                        self._teller is not None,
                        self.limits.most_labels,
                        progress,
                        self._came,
                        log,
                    )
                break
            except MissingColumn:
                learner.restage()
                if progress.trial[0] != stopped:
                    stopped, asked = int(progress.trial[0]), set()
                learner.supply(asked)
            except BaseException:
                learner.restage()
                raise
        self.played += int(progress.trial[0])
        self.spent = int(progress.spent[0])

    def _event(self) -> None:
        """One trial that needs Python."""
        t, log, learner = self.played, self.log, self.learner
        x, draws = self.trials.where[t], self.trials.draws
        code, margin = learner.look(x)
        spread = learner.spread(x) if self.reads_variance else np.nan
        if self._teller is not None:
            part = self._teller.part_ahead(x, self._came.shown, weight_again_of(self._came))
            spread *= part * part
        log.prediction[t], log.margin[t] = code, margin
        if self.reads_variance:
            log.variance[t] = spread
        draw, repeats = float(draws[t]) if len(draws) else 0.0, int(self._progress.repeats[0])
        sight = Sight(t + 1, float(margin), float(spread), self.spent, draw, repeats)
        asked = bool(self.trials.revealed[t]) and bool(asks_at(self.query, sight))
        if asked or learner.learns_unlabelled:
            y = int(self.trials.truth[t]) if asked else UNLABELLED
            _, log.updated[t], log.progress[t] = learner.learn_event(x, y)
        log.asked[t] = asked
        if asked and self.question.body:
            note_class_at(self._progress, int(self.trials.truth[t]))
        if self._teller is not None:
            note_shown_at(self._came, x)
        self.spent += asked
        self.played += 1


@compiled
def _occurring(codes: Ints, revealed: Bools, n_classes: int) -> Bools:
    """For each class whether one of its labels can be asked for."""
    found = np.zeros(n_classes, np.bool_)
    for t in range(codes.shape[0]):
        if revealed[t]:
            found[codes[t]] = True
    return found


def log_of(learner: CompiledLearner[Any, Any], where: AnyArray, truth: Ints, asked: Bools, query: Any) -> Log:
    """The log of a learner that is given these labels, whatever a query would say."""
    game = Blocks(learner, query, Trials(where, truth, asked, np.zeros(0), 1), Until(), lambda trials: None)
    game.play()
    return game.log
