"""ClusterSpecialists: labels that change, on the lines of random spanning trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.checks import number
from ohmline.graph.graph import Graph
from ohmline.graph.random_trees import Draw
from ohmline.learn.classes import ClassTable
from ohmline.learn.cluster_specialists.saved import RANGES, kept, restored
from ohmline.learn.cluster_specialists.state import SpecialistState, Spines
from ohmline.learn.cluster_specialists.step import shares
from ohmline.learn.contract import State
from ohmline.learn.snapshots import saved_number
from ohmline.learn.trees.line_learner import LineLearner

LEAST_SHARE = 1e-9
"""Below, a weight of a class that was wrong could never come back."""


@final
class ClusterSpecialists(LineLearner):
    """Predicts labels that change over time, cluster by cluster, in O(log n) per trial and tree.

    The switching cluster specialists of Herbster and Robinson (2019), on the dyadic basis of lines, for many classes.
    A random spanning tree puts the nodes on a line, on which a labelling that cuts few edges of the graph is a few
    long stretches, and so is what changes when a cluster changes. Every interval of the line's dyadic basis (the whole
    line, its halves, and so on down to single nodes) has one specialist for each class, |E| = C (2n - 1) together. A
    specialist knows one thing, that every node of its interval has its class, and is asleep elsewhere.

    At node x the specialists of the log2(n) + 2 intervals around x at most are awake, and the class of the largest
    weight is said. At its label those awake for another class lose all their weight to those for the right one, in
    proportion. Where what was said is wrong, every specialist then gives the share alpha of its weight to all, in equal
    parts, so that none is ever lost: labels may change back and forth. The weights asleep are brought up to date when
    they are next read.

    | paper | here |
    |---|---|
    | alpha | `share`, per mistake |
    | B_n | `ohmline.learn.cluster_specialists.state`: halves by midpoints |
    | spine | the line of a random spanning tree, as in `SpanningTree` |
    | w_t | `state.weight`, in units of 1 / |E|, written down as of `state.since` |
    | M | `state.clock`, for each tree and component |

    Differs: the paper changes weights at mistakes alone, so that the first label of another class would overturn what
    a thousand right predictions should have confirmed; here a label that was said rightly changes them too, with a
    share 2^20 times smaller. Many classes; a committee of trees votes; a class joins with its first label, as if its
    specialists had been wrong at every label before; each component of the graph is a game of its own, with None,
    "don't know", before its first label.

    A committee's probabilities are the shares of the votes, of which one of trees + 1 is split by weight, so that it
    breaks ties. The margin is the lead in them. Learned labels are no more than evidence: a node may be predicted
    otherwise than it was labelled last.

    What is proved is that one tree errs at most O(Phi log n + sum over switches of (cut edges that changed) log n
    log T) times (Herbster and Robinson, Corollary 4), for Phi edges of the line that the first labelling cuts. Its
    constants make it larger than the number of trials on every stream of ours, so that no number is printed for it;
    `bound.TrackingBound` certifies what a blend with this member loses.

    Memory: 16 (C + 1) bytes for each node and tree.

    Parameters
    ----------
    graph
        The graph, without negative weights; they count in the draw of the trees alone.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.
    trees
        How many trees vote, up to 1001. Default 16.
    share
        Which part of all weight is spread evenly at each mistake of a tree, from 1e-9 to 0.5. Default 0.001. More of
        it follows faster, and errs more often where nothing changes.
    draw
        By which law trees are drawn: `Draw.WILSON` or `Draw.CLOCKS`; None (default) as for `graph.spanning_tree`.
    seed
        Draws the trees. Default 0. They are drawn by the positions of nodes: the same graph with its nodes in another
        order is another draw.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(31)])
    >>> learner = ohm.ClusterSpecialists(line, trees=7)
    >>> for node in [*range(0, 32, 2), *range(0, 32, 2)]:
    ...     _ = learner.learn_one(node, "red" if node < 16 else "blue")
    >>> learner.predict_one(5), learner.predict_one(27)
    ('red', 'blue')
    >>> for node, label in [(1, "green"), (31, "blue"), (8, "green"), (13, "green")]:  # the left half changes
    ...     _ = learner.learn_one(node, label)
    >>> learner.predict_one(5), learner.predict_one(27)
    ('green', 'blue')

    References
    ----------
    Herbster, Robinson, Online prediction of switching graph labelings with cluster specialists, NeurIPS 2019.
    Herbster, Lever, Pontil, Online prediction on large diameter graphs, NIPS 2008.
    """

    kind = "ClusterSpecialists"
    ranges = RANGES

    def __init__(
        self,
        graph: Graph,
        classes: Iterable[Any] | None = None,
        *,
        trees: int = 16,
        share: float = 1e-3,
        draw: Draw | None = None,
        seed: int = 0,
    ) -> None:
        self.share = number(share, "share", least=LEAST_SHARE, most=0.5)
        self._table = ClassTable(classes)
        lines = self._draw_lines(graph, trees, draw, seed, weighted=False)
        self.space = Spines.over(lines, self.share, every=True)
        self.state = SpecialistState.fresh(self.space, len(self._table))

    def _votes(self, places: AnyArray, rows: Floats) -> None:
        shares(self.space, self.state, places, rows)

    def _renumbered(self, known: Ints) -> SpecialistState:
        state: SpecialistState = self.state
        return state.renumbered(known)

    def _resized(self, keep: Ints, fresh: int) -> SpecialistState:
        state: SpecialistState = self.state
        return state.resized(keep, fresh)

    def _kept(self) -> list[tuple[str, AnyArray]]:
        return kept(self.state, len(self._table))

    def settings(self) -> State:
        return {**super().settings(), "share": np.array(self.share)}

    @classmethod
    def _options(cls, state: State) -> dict[str, Any]:
        return {**super()._options(state), "share": saved_number(state, cls.kind, "share")}

    def _loaded(self, arrays: dict[str, AnyArray]) -> SpecialistState:
        return restored(self.space, arrays)
