"""Playing a blend that votes, under a query that does not look at the learner: each member in its own compiled loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.game.arrays import codes_for, log_of
from ohmline.game.loop import Log, asked_blindly, distinct
from ohmline.game.stream import Stream
from ohmline.learn.blend.learner import Blend, leaders
from ohmline.learn.blend.majority import Majority
from ohmline.learn.blend.ways import Opinions
from ohmline.learn.compiled_learner import CompiledLearner
from ohmline.query.asking import question
from ohmline.query.stream import Always


def plays_apart(blend: Blend) -> bool:
    """Whether members can be played one after the other: votes need only what each predicts."""
    votes = isinstance(blend.way, Majority)
    return votes and all(isinstance(member, CompiledLearner) for member in blend.learners)


def play_blend(
    blend: Blend, stream: Stream, query: Any, draws: Floats, report: Callable[[int], None]
) -> tuple[dict[int, Any], Log]:
    """Play every member in its own compiled loop, then join their votes trial by trial."""
    put_back = blend.checkpoint()
    try:
        asking, kept_alive = question(query)
        asked = asked_blindly(asking, np.array(stream.revealed), draws)
        del kept_alive
        names, truth = _codes(blend, stream, asked)
        told = Stream(stream.nodes, stream.labels, revealed=asked)
        said = np.empty((len(blend.learners), len(stream)), np.int64)
        updated, moved = np.zeros(len(stream), np.bool_), np.zeros(len(stream))
        for k, member in enumerate(blend.learners):
            said[k], log = _member(member, told, asked, {name: code for code, name in enumerate(names)})
            updated |= log.updated
            moved += log.progress
            share = len(stream) * (k + 1) // len(said) - len(stream) * k // len(said)
            report(share)
        return _joined(blend, names, truth, asked, said, updated, moved)
    except BaseException:  # an interrupt leaves some members trained and others not
        put_back()
        raise


def _codes(blend: Blend, stream: Stream, asked: Bools) -> tuple[list[Any], Ints]:
    """The blend's classes by the end of the game, in the order of their first label, and the code of each label."""
    names = list(blend.classes)
    place = {name: k for k, name in enumerate(names)}
    met = dict.fromkeys(stream.codes[asked].tolist())
    for code in met:
        label = stream.classes[code]
        if label not in place:
            blend.expect_class(label)
            place[label] = len(names)
            names.append(label)
    table = np.array([*(place.get(label, -1) for label in stream.classes), -1], dtype=np.int64)
    return names, table[stream.codes]


def _member(member: Any, stream: Stream, asked: Bools, place: dict[Any, int]) -> tuple[Ints, Log]:
    """What a member predicts in each trial, in the blend's codes, and the log of its game."""
    where = member.locate_all(stream.nodes)
    with member.alone():
        try:
            log = log_of(member, where, codes_for(member, stream), asked, Always())
            meaning = {code: place.get(member.decode(code), -1) for code in distinct(log.prediction)}
        finally:
            member.settle()
    return np.array([meaning[code] for code in log.prediction.tolist()], dtype=np.int64), log


def _joined(
    blend: Blend, names: list[Any], truth: Ints, asked: Bools, said: Ints, updated: Bools, moved: Floats
) -> tuple[dict[int, Any], Log]:
    """The votes of each trial, with the weights that the members had by then."""
    tally, known = blend.tally, len(blend.classes)
    prediction, margin = np.empty(said.shape[1], np.int64), np.empty(said.shape[1])
    for t in range(said.shape[1]):
        opinions = Opinions(said[:, t : t + 1], np.broadcast_to(0.0, (len(said), 1, known)))
        code, lead = leaders(blend.way.join(tally, opinions), opinions.silent)
        prediction[t], margin[t] = code[0], lead[0]
        if asked[t]:
            late = truth[t] >= known
            tally = blend.way.learned(tally, opinions, -1 if late else int(truth[t]))
            known += int(late)
    blend.take_over(tally, names)
    variance = np.full(said.shape[1], np.nan)
    meaning = dict(enumerate(names)) | {-1: None}
    return meaning, Log(prediction, margin, variance, asked, updated, moved)
