"""Which nodes came up in a game so far, and how likely one of them is to come up again.

A label is worth what it says about trials to come. Where every node comes up once, that is what it says about nodes
that did not come up yet; where nodes are drawn again and again, it is all that it says. Which of the two a stream is,
the game finds out: a node that came up counts as many times as much as another one as it came up more often,

  again = (repeats / their chances) / (new nodes / their chances),

where each trial has a chance of a repeat that is the share of the nodes that came up before. That is 0 as long as no
node came twice, about 1 for nodes that are drawn at random, and never more than 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from ohmline.arrays import Bools, Floats
from ohmline.compiled import compiled, inlined
from ohmline.learn.contract import OnlineLearner
from ohmline.learn.node_learner import NodeLearner
from ohmline.learn.step import Step, call_ahead


class Came(NamedTuple):
    """What is known of the nodes that came up."""

    shown: Bools
    """Which they are; without room where things are no nodes, or nobody wants to know."""
    tally: Floats
    """Repeats, their chances, new nodes, their chances, and how many nodes came up."""

    @classmethod
    def none(cls, nodes: int) -> Came:
        """Before the first trial of a game over so many nodes."""
        return cls(np.zeros(nodes, np.bool_), np.zeros(5))

    def grown(self, nodes: int) -> Came:
        """The same, with room for so many nodes."""
        more = nodes - len(self.shown)
        return self._replace(shown=np.append(self.shown, np.zeros(more, np.bool_))) if more > 0 else self


@inlined
def weight_again(tally: Floats) -> float:
    """How much a node that came up counts, where one that did not counts 1."""
    if tally[0] == 0.0 or tally[1] == 0.0:
        return 0.0
    return min(1.0, tally[0] * tally[3] / (tally[1] * tally[2]))


@inlined
def note_shown(shown: Bools, tally: Floats, x: int) -> None:
    """Node x came up."""
    part = tally[4] / shown.shape[0]
    tally[1] += part
    tally[3] += 1.0 - part
    if shown[x]:
        tally[0] += 1.0
    else:
        shown[x] = True
        tally[2] += 1.0
        tally[4] += 1.0


@compiled
def note_shown_at(came: Came, x: int) -> None:
    """`note_shown`, callable from Python."""
    note_shown(came.shown, came.tally, x)


@compiled
def weight_again_of(came: Came) -> float:
    """`weight_again`, callable from Python."""
    return float(weight_again(came.tally))


def _part_of_node(step: Any, where: Any, t: Any, shown: Any, tally: Any) -> float:
    return float(call_ahead(step.ahead_code, (step.space, step.state, where[t], shown, weight_again(tally))))


def _all_of_row(step: Any, where: Any, t: Any, shown: Any, tally: Any) -> float:
    return 1.0


def part_at(step: Step, where: Any, t: int, shown: Bools, tally: Floats) -> float:
    """The part of what a label at trial t would say that is about nodes to come; a row of numbers has none."""
    raise TypeError("compiled code only")


@overload(part_at)  # type: ignore[untyped-decorator]
def choose_part_at(step: Any, where: Any, t: Any, shown: Any, tally: Any) -> Any:
    return _part_of_node if where.ndim == 1 else _all_of_row


def _note_node(shown: Any, tally: Any, where: Any, t: Any) -> None:
    note_shown(shown, tally, where[t])


def _note_row(shown: Any, tally: Any, where: Any, t: Any) -> None:
    return None


def note_trial(shown: Bools, tally: Floats, where: Any, t: int) -> None:
    """What came up at trial t came up, if it is a node."""
    raise TypeError("compiled code only")


@overload(note_trial)  # type: ignore[untyped-decorator]
def choose_note_trial(shown: Any, tally: Any, where: Any, t: Any) -> Any:
    return _note_node if where.ndim == 1 else _note_row


class Coming:
    """The same for a game of Python events, and for any learner: what is known of the nodes that came up."""

    def __init__(self, learner: OnlineLearner[Any, Any]) -> None:
        self._learner = learner if isinstance(learner, NodeLearner) else None
        self._came = Came.none(0)

    def part(self, x: Any) -> float:
        """The part of what a label of x would say that is about things to come; 1 where the learner cannot tell."""
        learner = self._learner
        if learner is None:
            return 1.0
        self._came = self._came.grown(len(learner.nodes))
        return learner.part_ahead(learner.locate(x), self._came.shown, weight_again_of(self._came))

    def note(self, x: Any) -> None:
        """x came up."""
        if self._learner is not None:
            self._came = self._came.grown(len(self._learner.nodes))
            note_shown_at(self._came, self._learner.locate(x))
