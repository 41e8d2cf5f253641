"""Limits on the mistakes of the learners on random spanning trees.

Let a label travel along a line, and after a length d be still the same with probability 1/k + (1 - 1/k) exp(-s d), or
else be any other of the k classes, all equally likely; s is how fast it forgets. Given labels before and after, the
nearest one is then a most probable label, whatever s is. So whenever it is wrong, or as near as another class's, the
label that comes had probability 1/2 at most, and the probability of all labels together is halved. A line whose
labels agree over the lengths d in A and differ over those in B is therefore predicted with at most

    1 + sum_A log2(1 / (1/k + (1 - 1/k) exp(-s d))) + sum_B log2(k / (1 - exp(-s d)))

mistakes, for every s > 0 and every k that is at least the number of classes: 1 for the first label of a component. The
learner knows neither, so the best ones may be chosen afterwards. With two classes and lengths of 1 this is the argument
of Herbster, Lever and Pontil (2008), whose c log2((n - 1) / c) + c / ln 2 + 1 follows for a cut of c.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.bound.asked_trials import by_position, expect_trace
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.checks import listed
from ohmline.errors import LabelError, LearnerError, ShapeError
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.labels import plain_label
from ohmline.learn.trees import SpanningTree, WeightedTree
from ohmline.learn.trees.learner import TreeLearner
from ohmline.learn.trees.lines import TreeLines

STEPS = 200
"""How many speeds s are tried; each gives a limit that holds."""


class TreeBound(Bound):
    """What the theorems about lines share; a subclass names its learner."""

    learner: type[TreeLearner]
    theorem: str

    @final
    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        learner = expect_trace(trace).learner
        if not isinstance(learner, self.learner):
            raise LearnerError(
                f"this theorem speaks about {self.learner.__name__}, and the trace was played by "
                f"{type(learner).__name__}; bound.best_bound(trace) finds the theorem of each learner"
            )
        asked = trace.asked_at
        positions = learner.nodes.positions(trace.nodes)[asked]
        said = np.asarray(trace.stream.codes)[asked]
        label = np.full(len(learner.nodes), -1)
        label[positions] = said
        assumptions = [
            Assumption("no node was given two labels", True, bool(np.array_equal(label[positions], said))),
            _afresh(trace, learner),
        ]
        if comparator is None:
            codes, classes = label, len(np.unique(said))
        else:
            codes, classes = codes_of_nodes(comparator, learner.nodes)
            named = labels_of(comparator, learner.nodes)
            spoken = [trace.stream.classes[code] for code in said.tolist()]
            right = all(named[i] == y for i, y in zip(positions.tolist(), spoken, strict=True))
            assumptions.append(Assumption("the comparator is right on every asked trial", True, right))
        parts = [line_limit(learner.space, t, codes, classes) for t in range(learner.trees)]
        value = 2 / (learner.trees + 1) * sum(part[0] for part in parts)
        cut = float(np.mean([part[1] for part in parts]))
        return Certificate(
            self.theorem + (", live" if comparator is None else ""),
            rounded_up(value),
            int(trace.charged[asked].sum()),
            {"cut of the line": cut, "classes": float(classes), "trees": float(learner.trees)},
            tuple(assumptions),
            hidden=int(np.count_nonzero(~asked)),
        )


@final
class SpanningTreeBound(TreeBound):
    """Limits the mistakes of `SpanningTree` by the cut of the lines that it drew.

    With a comparator, a labelling of all n nodes in k classes that cuts c edges of the line of one connected
    component: at most c log2((k - 1)(n - 1) / c) + c / ln 2 + 1 mistakes, and less where the sum above is less.
    Without one, only the places where labels are known count, which needs no hindsight. A committee's mistake is one
    of more than half its trees, so it makes at most 2 / (trees + 1) times the sum of their limits.

    The limit is about the lines that were drawn, and certain. `expected_mistakes` says what the draw makes of it.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.graph.generate.line(1000)
    >>> stream = ohm.Stream(range(1000), line.labels).shuffled(seed=1)
    >>> trace = ohm.play(ohm.SpanningTree(line.graph), stream)
    >>> print(SpanningTreeBound().certify(trace, line.labels))
    at most 12 mistakes (Herbster, Lever, Pontil 2008, proven; cut of the line = 1, classes = 2, trees = 1)
    """

    learner = SpanningTree
    theorem = "Herbster, Lever, Pontil 2008"


@final
class WeightedTreeBound(TreeBound):
    """Limits the mistakes of `WeightedTree` by the lengths of the lines that it drew and by where they are cut.

    For a cut of c edges of the line whose weights sum to W, on a line of n nodes, k classes and the length D (the sum
    of 1 / weight): at most 1 + (1 - 1/k) 2c / ln 2 + c log2(k + k W D / (2 c^2)) mistakes follow from the sum above
    with s = 2c / D; the certificate has the best s, and the lengths themselves. A committee as for `SpanningTreeBound`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.graph.generate.line(1000)
    >>> stream = ohm.Stream(range(1000), line.labels).shuffled(seed=1)
    >>> trace = ohm.play(ohm.WeightedTree(line.graph), stream)
    >>> WeightedTreeBound().certify(trace).proven
    True
    """

    learner = WeightedTree
    theorem = "Cesa-Bianchi, Gentile, Vitale, Zappella 2013, by lengths"


def line_limit(lines: TreeLines, tree: int, codes: Ints, classes: int) -> tuple[float, int]:
    """The limit of one line for the nodes that have a code of 0 or more, and how many neighbours among them differ."""
    there = np.flatnonzero(codes >= 0)
    if not len(there):
        return 0.0, 0
    place = lines.place[there, tree].astype(np.int64)
    order = np.argsort(place)
    place, node = place[order], there[order]
    component = lines.component[node]
    joined = component[1:] == component[:-1]
    gaps = np.diff(lines.miles(tree, place))[joined].astype(np.float64)
    differ = (codes[node][1:] != codes[node][:-1])[joined]
    starts = 1 + int(np.count_nonzero(~joined))
    return starts + least_over_speeds(gaps, differ, classes), int(differ.sum())


def least_over_speeds(gaps: Floats, differ: Bools, classes: int) -> float:
    """The least sum over the speeds that are tried."""
    if not differ.any():
        return 0.0  # as s goes to 0
    (same, of_same), (cut, of_cut) = (
        np.unique(gaps[where], return_counts=True) for where in (~differ, differ)
    )
    found, classes = float("inf"), max(classes, 2)
    for speed in np.geomspace(1e-3 / float(gaps.sum()), 50 / float(cut[0]), STEPS):
        stays, changes = stays_and_changes(same, speed, classes)[0], stays_and_changes(cut, speed, classes)[1]
        found = min(found, float(stays @ of_same + changes @ of_cut))
    return found


def stays_and_changes(lengths: Floats, speed: float, classes: int) -> tuple[Floats, Floats]:
    """What an edge of each length adds to the limit where labels agree over it, and where they differ."""
    with np.errstate(under="ignore"):
        stays = -np.log1p((1 - 1 / classes) * np.expm1(-speed * lengths))
        changes = np.log(classes) - np.log(-np.expm1(-speed * lengths))
    return stays / np.log(2), changes / np.log(2)


def codes_of_nodes(labels: Any, nodes: NodeIndex) -> tuple[Ints, int]:
    """A code for the label of every node, and how many classes there are."""
    code: dict[Any, int] = {}
    found = [code.setdefault(y, len(code)) for y in labels_of(labels, nodes)]
    return np.array(found, dtype=np.int64), len(code)


def labels_of(labels: Any, nodes: NodeIndex) -> list[Any]:
    """The label of every node, in the order of the nodes."""
    if isinstance(labels, Mapping):
        labels = by_position(labels, nodes)
    found = [plain_label(y) for y in listed(labels, "labels")]
    if len(found) != len(nodes):
        raise ShapeError(f"the labelling must have {len(nodes)} entries, one per node, got {len(found)}")
    if any(y is None for y in found):
        raise LabelError("the labelling has missing labels; give every node one")
    return found


def _afresh(trace: Trace, learner: TreeLearner) -> Assumption:
    """Whether a learner that has seen nothing, on the same lines, predicts the same."""
    fresh = type(learner)(learner.graph, trees=learner.trees, draw=learner.draw, seed=learner.seed)
    asked = np.flatnonzero(trace.asked_at)
    again = play(fresh, Stream(trace.nodes, trace.stream.labels, revealed=trace.asked_at))
    same = [again.predictions[t] == trace.predictions[t] for t in asked.tolist()]
    margins = np.array_equal(again.margin[asked], trace.margin[asked])
    return Assumption("the learner had seen nothing before", True, all(same) and bool(margins))
