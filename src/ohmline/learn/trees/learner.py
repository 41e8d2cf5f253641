"""SpanningTree and WeightedTree: the nearest label on the line of a random spanning tree."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from types import MappingProxyType
from typing import Any, ClassVar, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.checks import count, shown
from ohmline.errors import LearnerError, ParameterError
from ohmline.graph.graph import Graph
from ohmline.graph.random_trees import Draw
from ohmline.learn.classes import ClassTable, places_of
from ohmline.learn.ranges import CLASS_COUNT, CLASSES_OR_NONE, expect_order
from ohmline.learn.trees.line_learner import MOST_TREES, LineLearner
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


class TreeLearner(LineLearner):
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
        odd = _odd(count(trees, "trees", least=1, most=MOST_TREES))
        self._table = ClassTable(classes)
        self.space = self._draw_lines(graph, odd, draw, seed, weighted=self.weighted)
        known = len(self._table)
        marks = LineMarks.empty(self.space, known)
        self.state = TreeState(np.full(known, -1), np.zeros(1, np.int64), marks)

    def _codes_of_nodes(self) -> Ints:
        return labels_of(self.space, self.state.marks)

    def _code_of_node(self, t: int) -> int:
        return int(label_of(self.space, self.state.marks, t))

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

    def _votes(self, places: AnyArray, rows: Floats) -> None:
        shares(self.space, self.state, places, rows)

    def _renumbered(self, known: Ints) -> TreeState:
        old, place = self.state, places_of(known, len(self._table))
        code = np.maximum(place, 0)[old.marks.code]
        marks = old.marks._replace(code=code.astype(code_type(len(known))))
        return old._replace(order=np.arange(len(known)), marks=marks)

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

    def _expect_agreement(self, arrays: dict[str, AnyArray]) -> None:
        expect_order(arrays, arrays["label"])

    def _loaded(self, arrays: dict[str, AnyArray]) -> TreeState:
        marks = LineMarks.empty(self.space, len(self._table))
        mark_all(self.space, arrays["label"], marks)
        return TreeState(arrays["order"], arrays["seen"], marks)


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
