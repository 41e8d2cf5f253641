"""The game: a node comes up, the learner predicts, the query may ask, the learner learns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.errors import ParameterError
from ohmline.game.arrays import play_arrays
from ohmline.game.events import Events, play_events
from ohmline.game.members import play_members
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.game.until import Ending, limits_of
from ohmline.learn.compiled_learner import CompiledLearner
from ohmline.learn.contract import OnlineLearner
from ohmline.learn.one_vs_rest import OneVsRest
from ohmline.query.stream import Always, checked, in_compiled_code, is_blind, needs_coin


def play(
    learner: OnlineLearner[Any, Any],
    stream: Stream | Iterable[Any],
    query: Any = None,
    *,
    oracle: Callable[[Any], Any] | None = None,
    until: Ending | None = None,
    seed: int = 0,
    compiled: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Trace:
    """Play a stream and return the trace; the learner is changed.

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
        Called with the number of trials played since its last call.

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
    Trace(10 trials, 1 mistakes, 10 labels asked)

    A label that nobody asks for is never looked up:

    >>> def ask(node):
    ...     print("asked for", node)
    ...     return "left" if node < 5 else "right"
    >>> play(ohm.LocalLGC(line), range(10), ohm.Budget(ohm.Always(), labels=2), oracle=ask)
    asked for 0
    asked for 1
    Trace(10 trials, 1 mistakes, 2 labels asked)
    """
    query = Always() if query is None else checked(query)
    limits, predicate = limits_of(until)
    start = time.perf_counter()
    coins = np.random.default_rng(seed) if needs_coin(query) else None
    report = progress if progress is not None else _silent
    table = _table(stream) if oracle is None else None
    if table is not None and compiled and predicate is None and in_compiled_code(query):
        draws: Floats = np.zeros(0) if coins is None else coins.random(len(table))
        if isinstance(learner, CompiledLearner):
            with learner.alone():
                meaning, log, played = play_arrays(learner, table, query, draws, limits, report)
            return Trace(learner, table.take(played), meaning, log, time.perf_counter() - start)
        if isinstance(learner, OneVsRest) and is_blind(query) and until is None:
            meaning, log = play_members(learner, table, query, draws, report)
            return Trace(learner, table, meaning, log, time.perf_counter() - start)
    events = Events(learner, query, coins, oracle, limits, predicate, report)
    return play_events(events, stream if table is None else table)


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
                f"{stream!r:.80}; give oracle= to play things whose labels somebody else knows"
            ) from None
        return Stream([x for x, _ in pairs], [y for _, y in pairs])
    return None


def _silent(trials: int) -> None:
    """The progress of a game that nobody watches."""
