"""The halving algorithm over the labellings of a graph with few cut edges."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable
from copy import deepcopy
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.checks import count, flag, instance, room, shown
from ohmline.compiled import undisturbed
from ohmline.errors import ConflictingLabels, GraphError, ParameterError, SnapshotError
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.contract import BinaryLearner, Label, State, Update, View, binary_code, sign
from ohmline.learn.halving.counting import Profile, convolve, counted, parts, profile_pair
from ohmline.learn.halving.elimination import eliminated
from ohmline.learn.ranges import SIGNS, in_range
from ohmline.learn.snapshots import expect_kind, expect_place, saved_count, saved_flag, take
from ohmline.learn.turns import TakesTurns


@final
class Halving(TakesTurns, BinaryLearner[Hashable]):
    """Predicts as the majority of the labellings with a small cut that fit what was seen.

    | papers 001, 002 | here |
    |---|---|
    | Phi(u) | the weight of the edges whose ends disagree; at most `cut_budget` |
    | the concept class | every labelling of the graph within the budget; K_G^k with `exactly=True` |

    Every wrong prediction rules out at least half of the labellings that are left, so it errs at most
    `log2(labellings)` times if the truth is among them; on a line of n nodes with a budget of 1 that is
    1 + log2(n). `margin_one` is (N+ - N-) / (N+ + N-), where N+ and N- count the labellings that say +1
    and -1, exactly; `Update.progress` is the number of bits ruled out.

    Labellings are counted by summing the nodes out one by one, so the graph must be thin: a tree, a ring, a
    series-parallel graph, a long grid. A new label costs O(n 2^width k^2) operations on whole numbers of up to n
    bits, k the budget and `width` 1 on a forest (O(n k) on a line), and a prediction O(2^width k^2).

    Parameters
    ----------
    graph
        A graph whose weights are whole numbers; an edge of negative weight is cut where its ends agree.
    cut_budget
        The largest cut of a labelling in the class, at least 0.
    exactly
        Whether the whole budget is known to be cut: the class of paper 001, section 5.2. Default False.
    width_limit
        The largest `width` to count at, at least 1: time and memory double with each step. Default 8.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(7)])
    >>> learner = ohm.Halving(line, cut_budget=1)
    >>> learner.labellings
    16
    >>> learner.learn_one(0, -1)
    Update(mistake=True, updated=True, progress=1.0)
    >>> [learner.predict_one(k) for k in range(8)]
    [-1, -1, -1, -1, 1, 1, 1, 1]
    """

    kind = "Halving"

    def __init__(self, graph: Graph, cut_budget: int, *, exactly: bool = False, width_limit: int = 8) -> None:
        self.cut_budget = count(cut_budget, "cut_budget")
        self.exactly = flag(exactly, "exactly")
        self.graph = instance(graph, Graph, "graph")
        self.width_limit = count(width_limit, "width_limit", least=1)
        expect_whole(graph)
        elimination = eliminated(graph, self.width_limit)
        self.width = elimination.width
        """The largest number of nodes that are in sight when one is summed out."""
        whole = float(np.abs(graph.weights).sum() / 2)
        tables = sum(2.0 ** len(later) for later in elimination.later.values())
        room(
            64 * tables * (1 + min(self.cut_budget, whole)), f"halving with a cut of up to {self.cut_budget}"
        )
        self._parts = parts(graph, elimination, self.cut_budget)
        self._turn = {v: t for part in self._parts for t, v in enumerate(part.nodes)}
        self._label = [0] * graph.n
        self._sides = [counted(part, self._label, self.cut_budget) for part in self._parts]
        self._ahead: list[Profile]
        self._behind: list[Profile]
        self._within: dict[int, Profile]
        self._balance()
        if self.labellings == 0:
            amount = "exactly" if self.exactly else "at most"
            remedy = "choose another, or leave out exactly=True" if self.exactly else "raise it"
            raise ParameterError(
                f"no labelling of this graph has a cut of {amount} cut_budget={self.cut_budget} (all edges together "
                f"weigh {whole:g}); {remedy}"
            )

    def _chances(self, scores: AnyArray) -> AnyArray:
        """The share of the labellings that are left and say so."""
        return (1 + scores) / 2

    @property
    def nodes(self) -> NodeIndex:
        """The nodes it may be asked about."""
        return self.graph.nodes

    @property
    def labellings(self) -> int:
        """How many labellings of the graph are within the budget and fit what was seen."""
        return sum(self._counts(0))

    def margin_one(self, x: Hashable) -> float:
        minus, plus = self._counts(self.graph.nodes.position(x))
        margin = (plus - minus) / (plus + minus)
        if margin == 0 and plus != minus:  # too small for a float, and still no tie
            return 5e-324 if plus > minus else -5e-324
        return margin

    def view_one(self, x: Hashable) -> View[Label]:
        margin = self.margin_one(x)
        return View(sign(margin), margin)

    def learn_one(self, x: Hashable, y: Label | None) -> Update:
        with self.alone():
            return self._learn_one(x, y)

    def _learn_one(self, x: Hashable, y: Label | None) -> Update:
        i = self.graph.nodes.position(x)
        if y is None:
            return Update(None, False, 0.0)
        code = binary_code(y)
        minus, plus = self._counts(i)
        left = plus if code > 0 else minus
        if left == 0:
            amount = "exactly" if self.exactly else "at most"
            raise ConflictingLabels(
                f"label {code:+d} of node {shown(x)} leaves no labelling with a cut of {amount} {self.cut_budget} "
                "that fits the labels seen; raise cut_budget, or correct the label"
            )
        mistake = (1 if plus >= minus else -1) != code
        if left == plus + minus:
            return Update(mistake, False, 0.0)
        with undisturbed(), self._still:  # the label and what is counted with it, or neither
            self._label[i] = code
            c = int(self.graph.component_of[i])
            self._sides[c] = counted(self._parts[c], self._label, self.cut_budget)
            self._balance()
        return Update(mistake, True, math.log2(plus + minus) - math.log2(left))

    def snapshot(self) -> State:
        return {
            "kind": np.array(self.kind),
            "n": np.array(self.graph.n),
            "fingerprint": np.array(self.graph.fingerprint),
            "cut_budget": np.array(self.cut_budget),
            "exactly": np.array(self.exactly),
            "width_limit": np.array(self.width_limit),
            "label": np.array(list(self._label), dtype=np.int64),
        }

    @classmethod
    def restore(cls, state: State, kernel: Graph) -> Self:
        expect_kind(state, cls.kind)
        instance(kernel, Graph, "the graph of a snapshot")
        expect_place(state, cls.kind, kernel.fingerprint, kernel.n)
        exactly = saved_flag(state, cls.kind, "exactly")
        limit = saved_count(state, cls.kind, "width_limit")
        budget = saved_count(state, cls.kind, "cut_budget")
        learner = cls(kernel, budget, exactly=exactly, width_limit=limit)
        saved = {"label": take(state, cls.kind, "label")}
        labels = in_range(learner, {"label": SIGNS}, {"label": np.zeros(kernel.n, np.int64)}, saved)["label"]
        learner._label = labels.tolist()
        learner._sides = [counted(part, learner._label, learner.cut_budget) for part in learner._parts]
        learner._balance()
        if learner.labellings == 0:
            raise SnapshotError(
                f"no labelling within a cut of {learner.cut_budget} fits the labels of the snapshot; it is damaged"
            )
        return learner

    def checkpoint(self) -> Callable[[], None]:
        with self._still:
            label, sides = list(self._label), list(self._sides)

        def put_back() -> None:
            with self._still:
                self._label, self._sides = list(label), list(sides)
                self._balance()

        return put_back

    def __getstate__(self) -> dict[str, Any]:
        with self._still:
            mine = {
                name: getattr(self, name) for name in ("_label", "_sides", "_ahead", "_behind", "_within")
            }
            return {**super().__getstate__(), **{name: type(part)(part) for name, part in mine.items()}}

    def __copy__(self) -> Self:
        return deepcopy(self)  # two learners never share what they have seen

    def _balance(self) -> None:
        """The profiles of the components before and after each one together."""
        totals = [sides.total for sides in self._sides]
        self._ahead, self._behind, self._within = [[1]], [[1]], {}
        for total, other in zip(totals[:-1], totals[:0:-1], strict=True):
            self._ahead.append(convolve(self._ahead[-1], total, self.cut_budget))
            self._behind.append(convolve(self._behind[-1], other, self.cut_budget))
        self._behind.reverse()

    def _others(self, c: int) -> Profile:
        """Entry k: how many labellings of the other components have a cut of at most (exactly) k.

        The last entry counts for every larger k too.
        """
        if c not in self._within:
            rest = convolve(self._ahead[c], self._behind[c], self.cut_budget)
            self._within[c] = [*rest, 0] if self.exactly else list(itertools.accumulate(rest))
        return self._within[c]

    def _counts(self, i: int) -> tuple[int, int]:
        """How many labellings say -1 and +1 at position i."""
        c, k = int(self.graph.component_of[i]), self.cut_budget
        with self._still:
            within, sides = self._others(c), self._sides[c]
        minus, plus = (
            sum(x * within[min(k - cut, len(within) - 1)] for cut, x in enumerate(profile[: k + 1]))
            for profile in profile_pair(sides, self._turn[i], k)
        )
        return minus, plus


def expect_whole(graph: Graph) -> None:
    """Raise unless cuts are whole numbers."""
    broken = graph.weights[graph.weights != np.round(graph.weights)]
    if len(broken):
        raise GraphError(
            f"halving counts cuts in whole numbers, and an edge weighs {broken[0]:g}; give every edge a whole weight, "
            "for example 1, or scale and round them all"
        )
