"""Systems that go wrong in every way, for the comparison to survive: imported by its worker processes."""

from __future__ import annotations

import os
import sys
import time

import numpy as np

from ohmline.arrays import Ints
from ohmline.lab.peers.contract import Problem, System


def commonest(problem: Problem, known: Ints) -> Ints:
    """The commonest class of the labels, for every node."""
    return np.full(problem.n, np.bincount(problem.codes[known]).argmax())


def raises(problem: Problem, known: Ints) -> Ints:
    raise RuntimeError("a pipe burst")


def leaves(problem: Problem, known: Ints) -> Ints:
    sys.exit("it ends the interpreter")


def dies(problem: Problem, known: Ints) -> Ints:
    os._exit(7)


def works_for_ever(problem: Problem, order: Ints) -> int:
    while True:
        time.process_time()


def short(problem: Problem, known: Ints) -> Ints:
    return np.zeros(problem.n - 1, dtype=np.int64)


class Repeats:
    """Asks for the same node again."""

    def __init__(self, problem: Problem, start: Ints) -> None:
        self._start, self._n = int(start[0]), problem.n

    def next(self) -> int:
        return self._start

    def learn(self, node: int, code: int) -> None:
        """Nothing is learned."""

    def predict(self) -> Ints:
        return np.zeros(self._n, dtype=np.int64)


SYSTEMS = (
    System("absent", "no-such-thing", "no_such_thing", fit=commonest),
    System("raises", "ohmline", "ohmline", fit=raises),
    System("leaves", "ohmline", "ohmline", fit=leaves),
    System("dies in one task", "ohmline", "ohmline", fit=dies, begin=Repeats),
    System("works for ever", "ohmline", "ohmline", fit=commonest, play=works_for_ever),
    System("short", "ohmline", "ohmline", fit=short),
    System("commonest", "ohmline", "ohmline", fit=commonest),
)
