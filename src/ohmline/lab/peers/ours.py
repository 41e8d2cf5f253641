"""Ohmline: `LocalLGC` with its defaults but for `guess`, and `suggest` with its defaults."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Ints
from ohmline.game import Stream
from ohmline.game import play as play_game
from ohmline.graph import Graph
from ohmline.lab.peers.contract import BEFORE, Problem, System
from ohmline.learn import LocalLGC
from ohmline.query import PoolQuery, Random, suggest


def learner(problem: Problem) -> LocalLGC:
    """A learner without labels, which guesses where none reaches: the other systems cannot say that they don't know."""
    return LocalLGC(Graph.from_scipy(problem.adjacency), classes=range(problem.classes), guess=True)


def fit(problem: Problem, known: Ints) -> Ints:
    """Every node predicted from all labels at once."""
    model = learner(problem)
    model.learn_many({int(i): int(problem.codes[i]) for i in known})
    return np.asarray(model.predict_many().codes)


def play(problem: Problem, order: Ints) -> int:
    """The game in its compiled loop. "Don't know" before the first label is taken for the class `BEFORE`."""
    codes = problem.codes[order]
    trace = play_game(learner(problem), Stream(order, codes))
    unsure = trace.meaning[int(trace.log.prediction[0])] is None
    return trace.mistakes - int(unsure and codes[0] == BEFORE)


class Asking:
    """`suggest` and `learn_one` in turns."""

    def __init__(self, problem: Problem, start: Ints, query: PoolQuery | None = None) -> None:
        self._model, self._query, self._asked = learner(problem), query, 0
        for i in start:
            self.learn(int(i), int(problem.codes[i]))

    def next(self) -> int:
        self._asked += 1
        (node,) = suggest(self._model, 1, self._query, seed=self._asked)
        return int(node)  # type: ignore[call-overload]

    def learn(self, node: int, code: int) -> None:
        self._model.learn_one(node, code)

    def predict(self) -> Ints:
        return np.asarray(self._model.predict_many().codes)


def at_random(problem: Problem, start: Ints) -> Asking:
    """The same learner with labels of random nodes, which is what a query has to beat."""
    return Asking(problem, start, Random())


SYSTEMS = (
    System("Ohmline", "ohmline", "ohmline", fit, play, Asking, "LocalLGC(guess=True), suggest", ours=True),
    System(
        "Ohmline, random labels",
        "ohmline",
        "ohmline",
        begin=at_random,
        note="LocalLGC(guess=True)",
        ours=True,
    ),
)
