"""SpanningTree and WeightedTree: the nearest label on the line of a random spanning tree."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from types import MappingProxyType
from typing import Any, ClassVar, Self, final

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.checks import count, room, seed_of, shown
from ohmline.compiled import undisturbed
from ohmline.errors import LearnerError, OhmlineError, ParameterError, SnapshotError
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.random_trees import Draw, draw_of, expect_positive
from ohmline.learn.classes import ClassTable, ManyClassLearner, saved_classes
from ohmline.learn.contract import State
from ohmline.learn.predictions import Predictions
from ohmline.learn.ranges import CLASS_COUNT, CLASSES_OR_NONE, expect_listed, in_range
from ohmline.learn.snapshots import (
    expect_fingerprint,
    expect_kind,
    expect_place,
    expect_settings,
    saved_count,
    saved_text,
    take,
)
from ohmline.learn.trees.lines import digest, drawn_lines
from ohmline.learn.trees.step import (
    LineMarks,
    TreeState,
    code_type,
    label_of,
    labels_of,
    mark_all,
    shares,
    withdraw,
)

MOST_TREES = 1001
"""The largest committee."""


class TreeLearner(ManyClassLearner):
    """What the learners on lines of random spanning trees share."""

    weighted: ClassVar[bool]
    """Whether an edge of weight w is 1 / w long on the line, rather than 1."""
    ranges = MappingProxyType({"label": CLASSES_OR_NONE, "order": CLASSES_OR_NONE, "seen": CLASS_COUNT})

    def __init__(
        self,
        graph: Graph,
        classes: Iterable[Any] | None = None,
        *,
        trees: int = 1,
        draw: Draw | None = None,
        seed: int = 0,
    ) -> None:
        self.graph = expect_positive(graph, type(self).__name__)
        self.trees = _odd(count(trees, "trees", least=1, most=MOST_TREES))
        self.draw, self.seed = draw_of(draw), seed_of(seed)
        self._table = ClassTable(classes)
        self.space, self.exact_law = drawn_lines(
            graph, self.trees, self.draw, self.seed, weighted=self.weighted
        )
        self._digest = digest(self.space)
        known = len(self._table)
        marks = LineMarks.empty(self.space, known)
        self.state = TreeState(np.full(known, -1), np.zeros(1, np.int64), marks)

    @property
    def nodes(self) -> NodeIndex:
        return self.graph.nodes

    @property
    def fingerprint(self) -> str:
        return self.graph.fingerprint

    def labelled(self) -> Bools:
        """For each position whether its node has a label."""
        with self._still:
            return np.asarray(labels_of(self.space, self.state.marks) >= 0)

    def label_one(self, x: Hashable) -> Any:
        """The label learned for `x`; None if there is none.

        Parameters
        ----------
        x
            A node.
        """
        t = self.nodes.position(x)
        with self._still:
            return self.decode(label_of(self.space, self.state.marks, t))

    def forget_one(self, x: Hashable) -> None:
        """Withdraw the label of `x`: every prediction is as if it had never been learned.

        What stays is the class, in `classes`.

        Parameters
        ----------
        x
            A node that has a label.
        """
        t = self.nodes.position(x)
        with self.alone(), self._still:
            if label_of(self.space, self.state.marks, t) < 0:
                raise LearnerError(f"node {shown(x)} has no label to forget; learn_one(x, y) gives it one")
            withdraw(self.space, self.state.marks, t)

    def line(self, tree: int = 0) -> list[Any]:
        """The nodes in the order of one tree's line, component after component.

        Parameters
        ----------
        tree
            Which tree of the committee, from 0. Default 0.
        """
        tree = count(tree, "tree", most=self.trees - 1)
        return [self.nodes[int(i)] for i in np.argsort(self.space.place[:, tree])]

    def _predict_at(self, things: Any, places: AnyArray) -> Predictions:
        codes, margins = self._views(places)
        known = len(self._table)
        room(8 * len(places) * known, f"the probabilities of {known} classes at {len(places)} nodes")
        scores: Floats = np.empty((len(places), known))
        shares(self.space, self.state, places, scores)
        return self._predicted(things, self.classes, codes, margins, scores)

    def _chances(self, scores: AnyArray) -> AnyArray:
        """The shares of the classes are probabilities already."""
        return scores

    def settle(self) -> None:
        known = self.state.order[: self.state.seen[0]].copy()
        if not self._table.fixed and not np.array_equal(known, np.arange(len(self._table))):
            place = np.zeros(len(self._table), np.int64)
            place[known] = np.arange(len(known))
            with undisturbed(), self._still:
                old = self.state
                code = place[old.marks.code] if len(place) else old.marks.code
                marks = old.marks._replace(code=code.astype(code_type(len(known))))
                self.state = old._replace(order=np.arange(len(known)), marks=marks)
                self._table.keep(known)

    def _resized(self, keep: Ints, fresh: int) -> TreeState:
        """The state with room for `fresh` more classes, in which none is dropped."""
        old = self.state
        order = np.append(old.order, np.full(fresh, -1))
        code = old.marks.code.astype(code_type(len(order)), copy=False)
        return old._replace(order=order, marks=old.marks._replace(code=code))

    def _kept(self) -> list[tuple[str, AnyArray]]:
        state = self.state
        return [
            ("label", labels_of(self.space, state.marks)),
            ("order", state.order),
            ("seen", state.seen),
        ]

    def settings(self) -> State:
        return {
            **self._table.settings(),
            "trees": np.array(self.trees),
            "draw": np.array("" if self.draw is None else self.draw.value),
            "seed": np.array(str(self.seed)),
            "lines": np.array(self._digest),
        }

    @classmethod
    def restore(cls, state: State, kernel: Graph) -> Self:
        expect_kind(state, cls.kind)
        if not isinstance(kernel, Graph):
            raise SnapshotError(f"a snapshot of {cls.kind} is restored over its Graph, got {shown(kernel)}")
        expect_fingerprint(state, cls.kind, kernel.fingerprint)
        names, fixed = saved_classes(state, cls.kind)
        trees = saved_count(state, cls.kind, "trees")
        draw, seed = saved_text(state, cls.kind, "draw"), saved_text(state, cls.kind, "seed")
        try:
            learner = cls(
                kernel,
                names if fixed else None,
                trees=trees,
                draw=Draw(draw) if draw else None,
                seed=int(seed),
            )
            learner.codes_of(names)
        except (OhmlineError, ValueError) as error:
            raise SnapshotError(f"the snapshot is damaged: {error}") from error
        learner.load(state)
        return learner

    def load(self, state: State) -> None:
        expect_kind(state, self.kind)
        expect_place(state, self.kind, self.fingerprint, len(self.nodes))
        expect_settings(state, self.kind, self.settings())
        wanted = dict(self._kept())
        saved = {name: take(state, self.kind, f"state.{name}") for name in wanted}
        found = in_range(self, self.ranges, wanted, saved)
        self._expect_agreement(found)
        marks = LineMarks.empty(self.space, len(self._table))
        mark_all(self.space, found["label"], marks)
        self.state = TreeState(found["order"], found["seen"], marks)

    def _expect_agreement(self, arrays: dict[str, AnyArray]) -> None:
        seen = expect_listed(arrays, "order", "seen")
        there = np.unique(arrays["label"][arrays["label"] >= 0])
        if np.any(arrays["order"][len(seen) :] >= 0) or not np.isin(there, seen).all():
            raise SnapshotError(
                "the snapshot's order must name every class of its labels, and then be -1; the snapshot is damaged"
            )


@final
class SpanningTree(TreeLearner):
    """Predicts the label that is nearest on the line of a random spanning tree, an edge counting 1.

    The graph is reduced to a random spanning tree, in which an edge that is one of many ways between its ends is
    seldom kept, and the tree to a line, the nodes in the order of a depth-first walk. A trial asks for the nearest
    labelled nodes before and after on the line: O(log n), a few words of memory, whatever the graph. For graphs of any
    size, and for those of large diameter, where bounds by effective resistance are weak.

    With k classes and a labelling that cuts c edges of the line (of n nodes, connected), it errs at most
    c log2((k - 1)(n - 1) / c) + c / ln 2 + 1 times (`bound.SpanningTreeBound`). The cut of a random line is on average
    at most twice the sum of w r over the cut edges of the graph, each weight times its effective resistance
    (`bound.expected_mistakes`).

    Where no label reaches, the answer is None, "don't know". A node has one label: learning another one corrects it,
    `forget_one` withdraws it. The margin of one tree is how much nearer the nearest label is than the next one of
    another class, (b - a) / (a + b) for distances a < b, and 1 where there is no other. A committee of trees takes the
    majority; its margin is the winner's lead in trees, of which the last tree counts as much as the winner's trees are
    sure, as a share of all. Of two labels that are equally near, the one before on the line wins.

    Memory: about 6 bytes per node and tree.

    Parameters
    ----------
    graph
        The graph, without negative weights; they count in the draw of the tree alone.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.
    trees
        How many trees vote, an odd number up to 1001. Default 1, for which the bound holds as it stands; a committee
        errs at most 2 / (trees + 1) times as often as all its trees together.
    draw
        By which law trees are drawn: `Draw.WILSON` or `Draw.CLOCKS`; None (default) as for `graph.spanning_tree`.
        `exact_law` says which it was.
    seed
        Draws the trees. Default 0. They are drawn by the positions of nodes: the same graph with its nodes in another
        order is another draw.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
    >>> learner = ohm.SpanningTree(line)
    >>> _ = learner.learn_one(0, "red"), learner.learn_one(9, "blue")
    >>> [learner.predict_one(k) for k in (2, 7)]
    ['red', 'blue']
    >>> learner.view_one(3).margin  # 3 steps from red, 6 from blue
    0.333...

    References
    ----------
    Herbster, Lever, Pontil, Online prediction on large diameter graphs, NIPS 2008.
    Wilson, Generating random spanning trees more quickly than the cover time, STOC 1996.
    """

    kind = "SpanningTree"
    weighted = False


@final
class WeightedTree(TreeLearner):
    """Predicts the label that is nearest in resistance on the line of a random spanning tree.

    The weighted tree algorithm: as `SpanningTree`, but with the weights. Where the depth-first walk goes back over
    several edges between two neighbours of the line, the line keeps the weakest one, and an edge of weight w is 1 / w
    long. So labels spread far along heavy edges and stop at light ones. Lengths are rounded to whole numbers of a unit
    of about 2^-60 of the line, so that no comparison of two distances is ever rounded.

    `bound.WeightedTreeBound` limits its mistakes by the drawn line, `bound.expected_mistakes` on average by weights
    and effective resistances. On a graph whose weights are all equal it is `SpanningTree`.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.
    trees, draw, seed
        As for `SpanningTree`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, 10.0), (2, 3, 10.0)])
    >>> learner = ohm.WeightedTree(line)
    >>> _ = learner.learn_one(0, "red"), learner.learn_one(3, "blue")
    >>> learner.predict_one(1)  # 1 ohm from red, 0.2 ohm from blue
    'blue'

    References
    ----------
    Cesa-Bianchi, Gentile, Vitale, Zappella, Random spanning trees and the prediction of weighted graphs, JMLR 2013.
    """

    kind = "WeightedTree"
    weighted = True


def _odd(trees: int) -> int:
    """A number of trees in which two classes cannot have equally many votes."""
    if trees % 2 == 0:
        raise ParameterError(f"trees must be odd, so that two classes cannot tie; got {trees}")
    return trees
