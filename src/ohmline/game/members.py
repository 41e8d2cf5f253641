"""Playing one against the rest under a query that does not look at the learner: each class in its own loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.game.arrays import log_of
from ohmline.game.loop import Log, asked_blindly
from ohmline.game.stream import Stream
from ohmline.learn.one_vs_rest import OneVsRest, gaps
from ohmline.query.asking import question
from ohmline.query.stream import Always


def play_members(
    learner: OneVsRest, stream: Stream, query: Any, draws: Floats, report: Callable[[int], None]
) -> tuple[dict[int, Any], Log]:
    """Play every binary problem in its own compiled loop, then take the largest margin of each trial."""
    put_back = learner.checkpoint()
    try:
        return _play_members(learner, stream, query, draws, report)
    except BaseException:  # an interrupt leaves some classes trained and others not
        put_back()
        raise


def _play_members(
    learner: OneVsRest, stream: Stream, query: Any, draws: Floats, report: Callable[[int], None]
) -> tuple[dict[int, Any], Log]:
    where = learner.nodes.positions(stream.nodes)
    asking, kept_alive = question(query)
    asked = asked_blindly(asking, stream.revealed, draws)
    del kept_alive
    before, trials = len(learner.members), len(stream)
    learner.admit(stream.classes[code] for code in dict.fromkeys(stream.codes[asked].tolist()))
    labels = learner.classes
    margins = np.empty((len(labels), trials))
    updated, moved = np.zeros(trials, np.bool_), np.zeros(trials)
    for k, label in enumerate(labels):
        own = np.array([*(y == label for y in stream.classes), False])
        truth = np.where(own[stream.codes], 1, -1)
        log = log_of(learner.members[label], where, truth, asked, Always())
        margins[k] = log.margin
        known_from = 0
        if k >= before:  # a late class cannot be predicted before it was seen
            known_from = int(np.flatnonzero(asked & (truth == 1))[0]) + 1
            margins[k, :known_from] = -np.inf
        # Its learner does not exist before that either: what it learned there, the unseen one learned too.
        live = np.arange(trials) >= max(known_from - 1, 0)
        updated |= log.updated & live
        moved += np.where(live, log.progress, 0.0)
        report(trials * (k + 1) // len(labels) - trials * k // len(labels))
    if not learner.fixed:
        log_of(learner.unseen, where, np.full(trials, -1), asked, Always())
    prediction, gap = np.full(trials, -1, np.int64), np.zeros(trials)
    if labels:
        some = np.isfinite(margins.max(axis=0))
        prediction[some] = margins.argmax(axis=0)[some]
        gap = gaps(margins)
    variance = np.full(trials, np.nan)
    return dict(enumerate(labels)) | {-1: None}, Log(prediction, gap, variance, asked, updated, moved)
