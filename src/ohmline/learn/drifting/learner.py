"""DriftingLGC: labels that change on a graph."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints, positive
from ohmline.checks import count, none_or, number, room, seed_of, shown
from ohmline.compiled import undisturbed
from ohmline.errors import ParameterError
from ohmline.graph.graph import Graph
from ohmline.graph.random_trees import expect_positive
from ohmline.graph.rows import matrix_over
from ohmline.learn.classes import ClassTable
from ohmline.learn.cluster_specialists.state import Spines
from ohmline.learn.contract import State
from ohmline.learn.drifting.saved import RANGES, kept, restored
from ohmline.learn.drifting.state import DriftSpace, DriftState
from ohmline.learn.drifting.step import chances_at, survey
from ohmline.learn.graph_learner import GraphLearner
from ohmline.learn.local_lgc.limits import LARGEST, check_weights, mu_of, unit_of, within
from ohmline.learn.predictions import Predictions
from ohmline.learn.snapshots import saved_count, saved_number, saved_seed
from ohmline.learn.trees.lines import digest, drawn_lines
from ohmline.representation import represent

TREES = 16
"""In each committee of specialists, unless told otherwise."""
SLOW, FAST = 1e-4, 1e-3
"""Their shares."""
HEAD_NAMES = (
    "static",
    "static, own label",
    "fading",
    "fading, own label",
    "doubt",
    "doubt, own label",
    "steady",
    "steady, own label",
    "specialists, slow",
    "specialists, fast",
)


@final
class DriftingLGC(GraphLearner):
    """`LocalLGC` for labels that change over time: several ways to forget, and the best of the moment.

    Labels are forgotten in four ways, each with an estimate of its own: *static*, where a node gets another one;
    *fading*, as exp(-age / memory) too; *doubt*, as soon as a node near it has changed from the same class as well;
    and *steady*, where a node has got other ones more than once, so that single wrong labels do little harm. Each has
    two heads, of which one believes the node's own label 8 times as much. Two committees of `ClusterSpecialists` are
    heads too, which change at mistakes alone, as published: the other heads remember what was confirmed. The scores of
    each head become probabilities by a power that is fitted online, and these are averaged by weights that follow the
    best head of the moment, by fixed share (`ohmline.learn.tracking`): no knob to turn. On labels that do not change it
    errs about as often as the best head; how much it may lose in all is certified by `bound.TrackingBound`.

    Every label counts, a repeated one too: it confirms, or it changes something. Time is counted in labels, unless
    `advance_to` says what time it is.

    Differs from `LocalLGC`: no queries read a variance, the graph does not grow, labels are not withdrawn, negative
    weights are refused, and an estimate is within no proven distance of an exact solution.

    A node where no label reaches gets None, "don't know", and no probabilities.

    Cost per trial: four local solves and the specialists of 32 trees. Memory: 32 bytes for each node and class and
    200 for each node, and 32 times the specialists' 16 (C + 1) for each node.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.
    memory
        How long it takes a label to fade to 1 / e of what it was, above 0, in the unit of time: labels, or whatever
        `advance_to` is told. None (default) means a tenth of the number of nodes.
    ridge
        As for `LocalLGC`. Default 0.1.
    mu
        As for `LocalLGC`: None (default) follows the number of neighbours.
    trees
        How many trees each of the two committees of specialists has, up to 500. Default 16.
    seed
        Draws the trees of the specialists. Default 0. They are drawn by the positions of nodes: the same graph with its
        nodes in another order is another draw.

    Examples
    --------
    >>> import ohmline as ohm
    >>> barbell = ohm.graph.generate.barbell(10)  # two cliques and a bridge
    >>> learner = ohm.DriftingLGC(barbell.graph)
    >>> for node in range(20):
    ...     _ = learner.learn_one(node, "day" if node < 10 else "night")
    >>> learner.predict_one(3), learner.predict_one(17)
    ('day', 'night')
    >>> for node in [1, 5]:  # the first one changes
    ...     _ = learner.learn_one(node, "dusk")
    >>> learner.predict_one(3), learner.predict_one(17)
    ('dusk', 'night')
    """

    kind = "DriftingLGC"
    ranges = RANGES

    def __init__(
        self,
        graph: Graph,
        classes: Iterable[Any] | None = None,
        *,
        memory: float | None = None,
        ridge: float = 0.1,
        mu: float | None = None,
        trees: int = TREES,
        seed: int = 0,
    ) -> None:
        self.graph = expect_positive(graph, type(self).__name__)
        self._table = ClassTable(classes)
        given = none_or(positive, memory, "memory")
        self.memory = max(graph.n / 10, 1.0) if given is None else given
        self.ridge = within(ridge, "ridge", least=1 / LARGEST, most=LARGEST)
        self.mu = (
            mu_of(graph.n, len(graph.indices))
            if mu is None
            else within(mu, "mu", least=1 / LARGEST, most=LARGEST)
        )
        self.trees, self.seed = count(trees, "trees", least=1, most=500), seed_of(seed)
        lines, self.exact_law = drawn_lines(graph, 2 * self.trees, None, self.seed, weighted=False)
        """`exact_law`: whether every tree was drawn by Wilson's law."""
        self._digest = digest(lines)
        slow, fast = (np.ascontiguousarray(half) for half in np.split(lines.place, 2, axis=1))
        weights = np.ones(1) if graph.is_unweighted else graph.weights
        unit = unit_of(weights)
        check_weights(weights, unit)
        counted: Floats = weights / unit
        degree: Floats = (
            np.asarray(graph.degree, dtype=np.float64)
            if graph.is_unweighted
            else np.asarray(matrix_over(graph.indptr, graph.indices, counted).sum(axis=1)).ravel()
        )
        self.space = DriftSpace(
            graph.indptr,
            graph.indices,
            counted,
            -1 if len(weights) > 1 else 0,
            degree,
            max(float(degree.mean()), 1.0) if graph.n else 1.0,
            self.ridge,
            self.mu,
            self.memory,
            Spines.over(lines._replace(place=slow), SLOW, every=False),
            Spines.over(lines._replace(place=fast), FAST, every=False),
        )
        self.state = DriftState.fresh(self.space, len(self._table))

    @property
    def now(self) -> float:
        """What time it is: the number of labels learned, or what `advance_to` was last told."""
        with self._still:
            return float(self.state.clock[0])

    @property
    def weights(self) -> dict[str, float]:
        """How much each head counts now; together 1."""
        with self._still:
            return dict(zip(HEAD_NAMES, self.state.followed.weights.tolist(), strict=True))

    @property
    def tally(self) -> dict[str, AnyArray]:
        """What was lost so far: the arrays of `ohmline.learn.tracking.Followed`, and what was not scored."""
        with self._still:
            state: DriftState = self.state
            found = {name: np.array(values) for name, values in state.followed._asdict().items()}
            labels = np.array([state.counts.sum()])
            return found | {
                "unscored": state.unscored.copy(),
                "own": state.wrong.copy(),
                "labels": labels,
                "mistaken": state.mistaken.copy(),
            }

    def advance_to(self, time: float) -> None:
        """Say what time it is. From then on labels do not move the clock, and `memory` is in the unit of these times.

        Parameters
        ----------
        time
            A finite number, not before `now`.
        """
        moment = number(time, "time")
        with self.alone(), self._still:
            state: DriftState = self.state
            if moment < state.clock[0]:
                raise ParameterError(
                    f"time must not run backwards: it is {state.clock[0]:g} already, got {shown(time)}; sort what you "
                    "tell by time, or count from a later start"
                )
            with undisturbed():
                self.state = state._replace(
                    clock=np.array([moment]), timed=np.ones(1, np.int64), solves=state.solves.forgotten()
                )

    def predict_proba_one(self, x: Hashable) -> dict[Any, float]:
        """The probability of each class: the mean of the heads', by weight; empty where no label reaches.

        While some classes have one label only, a part is kept for classes that have none.

        Parameters
        ----------
        x
            A node.
        """
        t = self.nodes.position(x)
        with self._still:
            classes, chance = self.classes, np.zeros(len(self._table))
            known = chances_at(self.space, self.state, t, chance)
        return dict(zip(classes, chance.tolist(), strict=True)) if known else {}

    def _predict_at(self, things: Any, places: AnyArray) -> Predictions:
        n, classes = len(places), len(self._table)
        room(8.0 * n * (classes + 3), f"a table of {n} nodes and {classes} classes")
        codes, margins, chances = np.empty(n, np.int64), np.empty(n), np.empty((n, classes))
        survey(self.space, self.state, np.asarray(places, np.int64), codes, margins, chances)
        names = [*self.classes, None]  # the last one is "no label", which is -1
        given = [names[code] for code in self.state.label[places].tolist()]
        return Predictions(
            things,
            self.classes,
            codes,
            chances,
            margins,
            lambda: (codes >= 0) & (margins != 0),
            calibrated=int(np.count_nonzero(self.state.counts[:classes])) > 1,
            labels=given,
        )

    def _renumbered(self, known: Ints) -> DriftState:
        state: DriftState = self.state
        return state.renumbered(known)

    def _resized(self, keep: Ints, fresh: int) -> DriftState:
        state: DriftState = self.state
        return state.resized(keep, fresh)

    def _kept(self) -> list[tuple[str, AnyArray]]:
        return kept(self.state, len(self._table))

    def settings(self) -> State:
        return {
            **self._table.settings(),
            "memory": np.array(self.memory),
            "ridge": np.array(self.ridge),
            "mu": np.array(self.mu),
            "trees": np.array(self.trees),
            "seed": np.array(str(self.seed)),
            "lines": np.array(self._digest),
        }

    @classmethod
    def _options(cls, state: State) -> dict[str, Any]:
        return {
            **{name: saved_number(state, cls.kind, name) for name in ("memory", "ridge", "mu")},
            "trees": saved_count(state, cls.kind, "trees"),
            "seed": saved_seed(state, cls.kind),
        }

    def _loaded(self, arrays: dict[str, AnyArray]) -> DriftState:
        return restored(self.space, arrays)

    def __repr__(self) -> str:
        usual = max(self.graph.n / 10, 1.0), mu_of(self.graph.n, len(self.graph.indices))
        return represent(
            self,
            classes=self._table.declared,
            memory=None if self.memory == usual[0] else self.memory,
            mu=None if self.mu == usual[1] else self.mu,
        )
