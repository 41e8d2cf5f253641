"""The game: a node comes up, the learner predicts, the query may ask, the learner learns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.errors import LearnerError
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.learn.contract import OnlineLearner
from ohmline.learn.position import ArrayPlayer, PositionLearner
from ohmline.learn.stepping import BLOCK, RANDOM_RATE, Batch, Log, silent
from ohmline.query.stream import Always, StreamQuery


def play(
    learner: OnlineLearner[Any, Any],
    stream: Stream | Iterable[tuple[Any, Any]],
    query: StreamQuery | None = None,
    *,
    seed: int = 0,
    compiled: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Trace:
    """Play ``stream`` and return the trace; the learner is changed.

    Whenever the learner allows it, the trials run in one compiled loop; ``compiled=False``
    forces the loop over Python events. Both give the same trace. ``seed`` draws the coins of a
    random query; ``progress`` is called with the number of trials played since its last call.

    >>> import ohmline as ohm
    >>> line = ohm.graph.Graph.from_edges([(k, k + 1) for k in range(9)])
    >>> learner = ohm.Perceptron(ohm.LaplacianKernel(line) + ohm.Constant(1.0))
    >>> play(learner, ohm.Stream(range(10), [1] * 5 + [-1] * 5))
    Trace(10 trials, 1 mistakes, 10 labels asked)
    """
    query = Always() if query is None else query
    if not isinstance(query, StreamQuery):
        raise LearnerError(
            f"play takes a stream query (Always, RandomRate, VarianceAbove, GapBelow, Budget), got {query!r}"
        )
    if not isinstance(stream, Stream):
        pairs = list(stream)
        stream = Stream([x for x, _ in pairs], [y for _, y in pairs])
    report = progress if progress is not None else silent
    start = time.perf_counter()
    coins = query.rule.kind == RANDOM_RATE
    draws = np.random.default_rng(seed).random(len(stream)) if coins else np.zeros(len(stream))
    if compiled and isinstance(learner, PositionLearner | ArrayPlayer) and learner.can_play(query.rule):
        if query.needs_variance and len(stream):
            query.wants(learner.view_one(stream.nodes[0]), trial=1)  # raises where there is no variance
        meaning, log = learner.play_arrays(
            Batch(stream.nodes, stream.codes, stream.classes, stream.revealed, draws), query.rule, report
        )
    else:
        meaning, log = _play_events(learner, stream, query, draws, report)
    return Trace(learner, stream, meaning, log, time.perf_counter() - start)


def _play_events(
    learner: OnlineLearner[Any, Any],
    stream: Stream,
    query: StreamQuery,
    draws: Floats,
    report: Callable[[int], None],
) -> tuple[dict[int, Any], Log]:
    """The same game, one Python event at a time."""
    log, spent = Log.empty(len(stream)), 0
    code_of: dict[Any, int] = {}
    for t, (x, y, shown) in enumerate(zip(stream.nodes, stream.labels, stream.revealed, strict=True)):
        view = learner.view_one(x) if query.needs_variance else learner.glance_one(x)
        log.prediction[t] = code_of.setdefault(view.prediction, len(code_of))
        log.margin[t], log.variance[t] = view.margin, view.variance
        ask = shown and query.wants(view, trial=t + 1, spent=spent, draw=float(draws[t]))
        update = learner.learn_one(x, y if ask else None)
        spent += ask
        log.asked[t], log.updated[t], log.progress[t] = ask, update.updated, update.progress
        if t % BLOCK == BLOCK - 1:
            report(BLOCK)
    report(len(stream) % BLOCK)
    return {code: label for label, code in code_of.items()}, log
