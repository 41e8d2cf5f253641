"""The game: a node comes up, the learner predicts, the query may ask, the learner learns."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.checks import flag, function, generator, none_or, shown
from ohmline.errors import OhmlineError, ParameterError
from ohmline.game.arrays import play_arrays
from ohmline.game.blending import play_blend, plays_apart
from ohmline.game.events import Events, play_events
from ohmline.game.members import play_members
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.game.until import Ending, Until, limits_of
from ohmline.learn.blend import Blend
from ohmline.learn.compiled_learner import CompiledLearner
from ohmline.learn.contract import OnlineLearner, expect_learner
from ohmline.learn.one_vs_rest import OneVsRest
from ohmline.progress import reporting
from ohmline.query.asking import checked, in_compiled_code, is_blind, needs_coin, needs_variance
from ohmline.query.stream import Always

log = logging.getLogger(__name__)


def play(
    learner: OnlineLearner[Any, Any],
    stream: Stream | Iterable[Any],
    query: Any = None,
    *,
    oracle: Callable[[Any], Any] | None = None,
    until: Ending | None = None,
    seed: int = 0,
    compiled: bool = True,
    progress: Callable[[int], None] | bool | None = None,
) -> Trace:
    """Play a stream and return the trace; the learner is changed.

    A `Stream` or a list that is refused (an unknown node, labels that contradict each other) leaves the learner as
    it was. From a stream that is drawn item by item, it keeps what it learned before the refused item.

    A `Stream` (or a list of pairs) is played in one compiled loop wherever the learner and the query allow it.
    Any other iterable is drawn from one item at a time, never ahead of the learner, so that a person, a growing
    file and an endless stream are all the same. Both ways give the same trace.

    Parameters
    ----------
    learner
        Any online learner, over nodes or over vectors.
    stream
        A `Stream`, or an iterable of pairs (thing, label) with None for a label that is not known. With `oracle`,
        an iterable of things alone.
    query
        Which labels are asked for; `Always()` by default. A query on a stream of this package, a tuple with a
        compiled body of `asks`, or an object with a method `wants`.
    oracle
        Called with a thing when, and only when, the query asks for its label. Returns the label, or None when
        it is not known, which costs nothing. An oracle that raises `StopIteration` ends the game.
    until
        Ends the game early: `Until(trials=, labels=, seconds=)`, or a function of the trace so far that
        says whether to stop, called after every trial. None (default) plays to the end of the stream.
    seed
        Draws the coins of a random query. Default 0.
    compiled
        False forces the loop over Python events; for tests. Default True.
    progress
        True shows one bar, in a terminal or a notebook, and nothing elsewhere. A function is called with the number
        of trials played since its last call. None (default) shows nothing.

    Returns
    -------
    Trace
        What happened, trial by trial.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
    >>> learner = ohm.Perceptron(ohm.LaplacianKernel(line) + ohm.Constant(1.0))
    >>> play(learner, ohm.Stream(range(10), [1] * 5 + [-1] * 5))
    Trace(10 trials, 1 mistake, 10 labels asked)

    A label that nobody asks for is never looked up:

    >>> def ask(node):
    ...     print("asked for", node)
    ...     return "left" if node < 5 else "right"
    >>> play(ohm.LocalLGC(line), range(10), ohm.Budget(ohm.Always(), labels=2), oracle=ask)
    asked for 0
    asked for 1
    Trace(10 trials, 1 mistake, 2 labels asked)
    """
    expect_learner(learner)
    query = Always() if query is None else checked(query)
    limits, predicate = limits_of(until)
    draws = generator(seed)
    coins = draws if needs_coin(query) else None
    compiled = flag(compiled, "compiled")
    none_or(function, oracle, "oracle")
    table = _table(stream) if oracle is None else None
    with reporting(progress, "playing", None if table is None else len(table)) as report:
        events = Events(learner, query, coins, oracle, limits, predicate, report)
        return _played(
            events, stream, table, compiled=compiled and predicate is None and in_compiled_code(query)
        )


def _played(events: Events, stream: Any, table: Stream | None, *, compiled: bool) -> Trace:
    """The game in the fastest of the ways that give its trace."""
    learner = events.learner
    if table is None:
        return _watched(events, lambda: play_events(events, stream))
    log.info("%s plays %d trials, query %r", type(learner).__name__, len(table), events.query)
    if compiled:
        # The learner is taken first: a game that is refused would else put back what another one learned.
        if isinstance(learner, CompiledLearner):
            with learner.alone():
                return _all_or_nothing(events, lambda: _play_arrays(learner, events, table))
        if isinstance(learner, OneVsRest) and is_blind(events.query) and events.limits == Until():
            with learner.alone():
                return _all_or_nothing(events, lambda: _play_members(learner, events, table))
        blind = is_blind(events.query) and events.limits == Until()
        if isinstance(learner, Blend) and plays_apart(learner) and blind:
            with learner.alone():
                return _all_or_nothing(events, lambda: _play_blend(learner, events, table))
    return _all_or_nothing(events, lambda: play_events(events, table))


def _all_or_nothing(events: Events, game: Callable[[], Trace]) -> Trace:
    """A game that is refused leaves the learner as it was."""
    put_back = events.learner.checkpoint()
    try:
        return _watched(events, game)
    except OhmlineError:
        put_back()
        raise


def _watched(events: Events, game: Callable[[], Trace]) -> Trace:
    """A game of which the learner knows whether its query reads variances."""
    if not needs_variance(events.query):
        return game()
    try:
        events.learner.watch(True)
        return game()
    finally:
        events.learner.watch(False)


def _play_arrays(learner: CompiledLearner[Any, Any], events: Events, table: Stream) -> Trace:
    """Play a stream that is all there in compiled code."""
    start = time.perf_counter()
    draws = _draws(events, table)
    meaning, log, played = play_arrays(learner, table, events.query, draws, events.limits, events.report)
    return Trace(learner, table.take(played), meaning, log, time.perf_counter() - start)


def _play_members(learner: OneVsRest, events: Events, table: Stream) -> Trace:
    """The same for one against the rest, class by class."""
    start = time.perf_counter()
    draws = _draws(events, table)
    meaning, log = play_members(learner, table, events.query, draws, events.report)
    return Trace(learner, table, meaning, log, time.perf_counter() - start)


def _play_blend(learner: Blend, events: Events, table: Stream) -> Trace:
    """The same for a blend that votes, member by member."""
    start = time.perf_counter()
    meaning, log = play_blend(learner, table, events.query, _draws(events, table), events.report)
    return Trace(learner, table, meaning, log, time.perf_counter() - start)


def _draws(events: Events, table: Stream) -> Floats:
    """The coins of the game. A copy: where it goes on event by event after all, they fall again from the start."""
    return np.zeros(0) if events.coins is None else deepcopy(events.coins).random(len(table))


def _table(stream: Stream | Iterable[Any]) -> Stream | None:
    """The stream as a table where all of it is there already; None where it must be drawn from."""
    if isinstance(stream, Stream):
        return stream
    if isinstance(stream, list | tuple):
        try:
            pairs = [(x, y) for x, y in stream]
        except (TypeError, ValueError):
            raise ParameterError(
                "a stream gives pairs (thing, label), with None for a label that is not known, got "
                f"{shown(stream)}; give oracle= to play things whose labels somebody else knows"
            ) from None
        return Stream([x for x, _ in pairs], [y for _, y in pairs])
    return None
