"""What a trace shows to a theorem: the trials whose label was asked for, and a labelling of the nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.bound.contract import Assumption
from ohmline.checks import instance, shown
from ohmline.errors import LabelError, LearnerError, ShapeError
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.graph.graph import signs
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.space import may_miss_columns
from ohmline.learn.contract import BinaryLearner


@dataclass(frozen=True, slots=True)
class Evidence:
    """The trials of a trace whose label was asked for, in order.

    A trial whose label stayed hidden taught nothing, so no theorem counts it.
    """

    nodes: NodeIndex
    positions: Ints
    """i_t: the position of each trial's node."""
    labels: Floats
    """y_t: -1 or +1."""
    mistaken: Bools
    """The theorems' M: a wrong prediction, or a tie."""
    moved: Bools
    """Where the hypothesis moved."""
    margin: Floats
    progress: Floats
    hidden: int
    """Trials whose label was not asked for."""
    replays: dict[str, Assumption]
    """What was found by playing the trace again; once is enough."""

    @property
    def charged(self) -> int:
        """|M|."""
        return int(self.mistaken.sum())


def expect_trace(trace: Trace) -> Trace:
    """The trace that was given, or an error that says how to make one."""
    return instance(trace, Trace, "trace", "give what play(learner, stream) returned", LearnerError)


def evidence(trace: Trace, *learners: type) -> Evidence:
    """The evidence in `trace`, or an error when its learner is none of `learners`."""
    learner: Any = expect_trace(trace).learner
    if not isinstance(trace.learner, learners):
        names = " or ".join(kind.__name__ for kind in learners)
        raise LearnerError(
            f"this theorem speaks about {names}, and the trace was played by {type(learner).__name__}; "
            "bound.best_bound(trace) finds the theorem of each learner"
        )
    values = np.zeros(len(trace.stream.classes) + 1)
    for code, label in enumerate(trace.stream.classes):
        values[code] = label if label in (-1, 1) else 0
    asked = trace.asked_at
    labels = values[trace.stream.codes][asked]
    if not np.all(np.abs(labels) == 1):
        raise LabelError("the theorems here are about the labels -1 and +1, and the trace has others")
    nodes: NodeIndex = learner.nodes
    positions = nodes.positions(trace.nodes)[asked]
    return Evidence(
        nodes,
        positions,
        labels,
        trace.charged[asked],
        trace.updated[asked],
        trace.margin[asked],
        trace.progress[asked],
        int(np.count_nonzero(~asked)),
        _REPLAYS.setdefault(trace, {}),
    )


_REPLAYS: WeakKeyDictionary[Trace, dict[str, Assumption]] = WeakKeyDictionary()
"""For each trace what was found by playing it again."""


def labelling(comparator: Any, nodes: NodeIndex) -> Floats:
    """A labelling in {-1, +1}^n from an array over positions, or from a mapping of node to label.

    >>> labelling({"a": 1, "b": -1}, NodeIndex(["a", "b"]))
    array([ 1., -1.])
    """
    if isinstance(comparator, Mapping):
        comparator = by_position(comparator, nodes)
    return signs(comparator, len(nodes))


def by_position(comparator: Mapping[Any, Any], nodes: NodeIndex) -> list[Any]:
    """What a mapping says of every node, in the order of the positions."""
    missing = [node for node in nodes if node not in comparator]
    if missing:
        raise ShapeError(
            f"the comparator has no label for node {shown(missing[0])} ({len(missing)} in all); "
            "a comparator labels every node"
        )
    return [comparator[node] for node in nodes]


def mistake_driven(seen: Evidence) -> Assumption:
    """The hypothesis moved on exactly the mistaken trials."""
    holds = bool(np.array_equal(seen.moved, seen.mistaken))
    return Assumption("the hypothesis moved on the mistaken trials and on no others", True, holds)


def starts_afresh(seen: Evidence, fresh: BinaryLearner[Any], text: str) -> Assumption:
    """Whether `fresh`, a learner that has seen nothing, makes the same moves at the same margins."""
    if text not in seen.replays:
        seen.replays[text] = played_again(seen, fresh, text)
    return seen.replays[text]


def played_again(seen: Evidence, fresh: BinaryLearner[Any], text: str) -> Assumption:
    """The same, played now whatever was found before; `fresh` learns the game."""
    if may_miss_columns(getattr(fresh, "space", None)):  # its columns would have to be fetched again
        return Assumption(text, False)
    places = seen.positions if seen.nodes.is_range else [seen.nodes[int(i)] for i in seen.positions]
    again = play(fresh, Stream(places, seen.labels.astype(np.int64)))
    same = np.allclose(again.margin, seen.margin, rtol=1e-6, atol=1e-9)
    return Assumption(text, True, bool(same and np.array_equal(again.updated, seen.moved)))


def only(seen: Evidence, chosen: Bools) -> Evidence:
    """The evidence of some trials alone."""
    return Evidence(
        seen.nodes,
        seen.positions[chosen],
        seen.labels[chosen],
        seen.mistaken[chosen],
        seen.moved[chosen],
        seen.margin[chosen],
        seen.progress[chosen],
        seen.hidden,
        {},
    )
