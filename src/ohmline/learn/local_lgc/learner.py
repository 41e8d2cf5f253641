"""LocalLGC: many classes at full rank, by local solves."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import partial
from types import MappingProxyType
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import AnyArray, non_negative
from ohmline.checks import count, flag, or_infinite, room, shown
from ohmline.errors import OhmlineError, SnapshotError, WeightError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.learn.classes import ClassTable, saved_classes, written
from ohmline.learn.contract import State
from ohmline.learn.local_lgc.adjacency import count_labels, renew_all
from ohmline.learn.local_lgc.certain import Certainty, Settled, certain_at
from ohmline.learn.local_lgc.changing import ChangingLearner
from ohmline.learn.local_lgc.everywhere import (
    chances_of,
    decide_all,
    kept_space,
    kept_state,
    one_by_one,
    proven,
    swept,
)
from ohmline.learn.local_lgc.growing_graph import GrowingGraph
from ohmline.learn.local_lgc.limits import LARGEST, check_weights, expect_room, unit_of, within
from ohmline.learn.local_lgc.nodes import STALE, blank
from ohmline.learn.local_lgc.saved import expect_settings, saved_arrays, saved_growth, saved_options
from ohmline.learn.local_lgc.scratch import KNOWN, UNKNOWN, LocalSolve
from ohmline.learn.local_lgc.state import LocalState
from ohmline.learn.local_lgc.step import chances_at, scores_at, survey
from ohmline.learn.local_lgc.sweeps import LOOSER, MANY, SWEEPS
from ohmline.learn.local_lgc.worth import put_worths, worths_of
from ohmline.learn.one_at_a_time import copied
from ohmline.learn.predictions import Predictions
from ohmline.learn.ranges import CLASSES_OR_NONE, NODE_COUNT, Range
from ohmline.learn.snapshots import expect_fingerprint, expect_kind, expect_place
from ohmline.representation import represent

USUAL = 3e-4
"""The tolerance of local solves, unless told otherwise, on a graph that is not swept."""


@final
class LocalLGC(ChangingLearner):
    """Learning with local and global consistency at full rank, for any number of classes.

    OLLGC (paper 004) without its eigenvectors: its kernel matrix is never formed, only the sparse
    precision Q = L + ridge I + (1/mu on the labelled nodes) is kept, and an estimate F of
    f = Q^-1 b, where b holds e_y/mu at each node labelled y. For node t, Q x = e_t is solved locally,
    down to a residual r; score_t = b'x + F'r is then accurate to second order, because F is already
    close to f where r is left.

    | recipe | here |
    |---|---|
    | lambda | `ridge`, in units of the mean edge weight |
    | mu | `mu`, in units of 1 / the mean edge weight |
    | tol | `tolerance`: a solve ends when no r_j exceeds tolerance Q_jj (an edge counts 3 units at most) ... |
    | | `caution`: ... or, sooner, when the gap of the two best classes exceeds caution ||r||_1 |
    | F, x, r | `state.estimate`, and `ohmline.learn.local_lgc.local_solve` |
    | gap | `View.margin` |
    | v = x_t/(mu + x_t) | `variance_one(x)` with `reach=False` |

    `variance_one`, which queries look at, is what the label would be worth: the variance that
    it would remove from the sum of all the other unlabelled nodes' values, (sum_j x_j)^2 / (mu + x_t).
    A leaf that nobody depends on is not worth asking for, however uncertain it is. `reach=False`
    gives the recipe's v instead, how little the labels say about the node itself.

    Neither is exact: what a solve leaves out is extrapolated, as `worth.py` says. Measured against exact solves with 1
    to 40 % of the labels on Cora, a neighbour graph of digits and Les Miserables, the default is on average 1 to 1.1
    times the exact value, with a rank correlation of .96 to 1, and the recipe's v is .98 to 1 times the exact one, with
    a rank correlation of .99 to 1. The default is kept up from label to label while it is read between labels, so that
    it depends a little, within the same errors, on when it was read. `Certainty` has bounds that are proven.

    A node where no label reaches gets None, "don't know", and no probabilities; within the tolerance, so that behind
    very weak edges none may reach. A class has a score above 0 only where one of its labels can be reached. A node
    has one label: learning another one corrects it, `forget_one` withdraws it; `add_node` and `add_edge` let the graph
    grow. The exact f is that of a learner that started afresh with the final graph and labels, and F follows it:

    - after a correction, a withdrawal or a new edge, every score is within `tolerance` of the exact one (or within
      1e-14 of the largest Q_jj / ridge, 1e-6 of it in single precision, where that is more);
    - a label learned at a node that had none is added by a truncated update, so that every score is within ||r||_1
      times the largest error of F, which is below 1 and which `refine` brings below any tolerance.

    Cost per trial: the edges touched, about a thousand on a citation graph, and never more than a global solve by
    conjugate gradients, however small the ridge; memory beside the graph, whose arrays are used as they are until it
    grows: 80 bytes for each node, and 8 or 4 for each node and class. A correction, a withdrawal or a new edge costs
    the area that it moves by more than `tolerance`, up to the whole graph.

    Several threads may read one learner at once. Where two want to change it at once, the second gets a
    `LearnerError`.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.
    ridge
        lambda, from 1e-12 to 1e12, in units of the mean edge weight. Default 0.1.
    mu
        How far a label may be missed, from 1e-12 to 1e12, in units of 1 / the mean edge weight. Default 0.6.
    tolerance
        Where a solve ends at the latest, above 0: no residual exceeds this many times Q_jj, in which an edge
        counts 3 units at most. None (default) means 3e-4, or 1e-3 where the estimate is swept.
    caution
        A solve ends sooner once the gap of the two best classes exceeds `caution` times the residual; at
        least 0, infinity for never. While labels are few it is larger: 5 over the labels for each class, but not
        above 1. Unless it is infinite, a solve that predicts walks at most 3,000 edges beside those of the node, and
        one that learns at most 400,000 divided by the number of labels, where that is more. Default 0.1.
    guess
        Predict the class that most nodes were labelled with, instead of None, where no label reaches. Default
        False.
    reach
        Which variance queries are told; see above. Default True.
    unit
        One unit of weight, above 0; None (default) takes the mean weight of the graph. No weight may exceed 1e12
        units.
    sweeps
        How often the estimate is swept at all nodes, forth and back in turn, when one node in 160 has a label and each
        time the labels have doubled. None (default) means 2 on graphs of more than 200,000 nodes, where it saves time
        and mistakes, and 0 on smaller ones. Where it is swept and the graph is that large, the estimate is kept in
        single precision.

    Examples
    --------
    >>> import ohmline as ohm
    >>> graph = ohm.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")], nodes="abcdefg")
    >>> learner = ohm.LocalLGC(graph, classes=["red", "blue"])
    >>> learner.learn_one("a", "red").mistake, learner.learn_one("e", "blue").mistake
    (True, True)
    >>> learner.predict_one("b"), learner.predict_one("d"), learner.predict_one("g")
    ('red', 'blue', None)
    >>> learner.certain_one("b").certain
    True
    >>> learner.add_edge("g", "d")
    >>> learner.predict_one("g")
    'blue'

    References
    ----------
    Gu, Aggarwal, Liu, Han, Selective sampling on graphs for classification, KDD 2013.
    Ma, Garnett, Schneider, Sigma-optimality for active learning on Gaussian random fields, NIPS 2013.
    """

    kind = "LocalLGC"
    ranges = MappingProxyType(
        {
            "estimate": Range(0.0, 1.0),
            "label": CLASSES_OR_NONE,
            "counts": NODE_COUNT,
            "order": CLASSES_OR_NONE,
            "sharpness": Range(0.0, float(np.finfo(np.float64).max)),
            "labelled": NODE_COUNT,
            "worths": Range(UNKNOWN, KNOWN),
        }
    )

    def __init__(
        self,
        graph: Graph,
        classes: Iterable[Any] | None = None,
        *,
        ridge: float = 0.1,
        mu: float = 0.6,
        tolerance: float | None = None,
        caution: float = 0.1,
        guess: bool = False,
        reach: bool = True,
        unit: float | None = None,
        sweeps: int | None = None,
    ) -> None:
        expect_graph(graph)
        if graph.signed and bool((graph.weights < 0).any()):
            raise WeightError(
                "LocalLGC needs weights of at least 0, and this graph has negative ones; drop those edges, "
                "or use Pounce, which takes signed graphs"
            )
        self.graph = graph
        weights = np.ones(1) if graph.is_unweighted else graph.weights
        self.unit = unit_of(weights) if unit is None else within(unit, "unit")
        """One unit of weight: the mean weight of the graph it started with, unless given."""
        check_weights(weights, self.unit)
        self._table = ClassTable(classes)
        self._growing = GrowingGraph(graph, self.unit)
        self.ridge = within(ridge, "ridge", least=1 / LARGEST, most=LARGEST)
        self.mu = within(mu, "mu", least=1 / LARGEST, most=LARGEST)
        usually = SWEEPS if graph.n > MANY else 0
        self.sweeps = usually if sweeps is None else count(sweeps, "sweeps")
        usual = LOOSER if self.sweeps else USUAL
        self.tolerance = usual if tolerance is None else within(tolerance, "tolerance")
        self.caution = or_infinite(non_negative, caution, "caution")
        self.guess, self.reach = flag(guess, "guess"), flag(reach, "reach")
        self.space = self._growing.adjacency(
            self.ridge, self.mu, self.tolerance, self.caution, self.guess, self.reach, self.sweeps
        )
        n, c = graph.n, len(self._table)
        single = self.sweeps > 0 and n > MANY
        expect_room(n, c, single=single)
        self.state = LocalState(
            np.zeros((n, c), np.float32 if single else np.float64),
            blank(n),
            np.zeros(c, np.int64),
            np.full(c, -1),
            np.ones(2),
            np.zeros(n, np.int64),
            LocalSolve.empty(n, c),
        )
        renew_all(self.space, self.state.nodes)

    def scores_one(self, x: Hashable) -> dict[Any, float]:
        """The estimate of f at `x`: one score per class, each in [0, 1], together at most 1.

        Parameters
        ----------
        x
            A node.
        """
        t = self.nodes.position(x)
        with self._still:
            classes, score = self.classes, np.zeros(len(self._table))
            scores_at(self.space, self.state, t, score)
        return dict(zip(classes, score.tolist(), strict=True))

    def predict_proba_one(self, x: Hashable) -> dict[Any, float]:
        """The probability of each class; calibrated online by one parameter.

        A class's share of the score, with a small floor, is raised to a power that is fitted to the
        labels as they come, before each is learned. Where `predict_one` says None there are no probabilities:
        the dict is empty. With `guess`, they are there in proportion to how many nodes have each class, plus one.

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
        codes, margins = np.empty(n, np.int64), np.empty(n)
        if one_by_one(self.space, n):
            certain, chances = np.empty(n, np.bool_), np.empty((n, classes))
            survey(self.space, self.state, places, codes, margins, certain, chances)
            proof = certain.copy
        else:
            everywhere = 2.0 * len(self.nodes) * classes * self.state.estimate.itemsize
            room(everywhere, f"the scores of all {len(self.nodes)} nodes for {classes} classes, twice,")
            scores = swept(self.space, self.state, classes)
            decide_all(self.space, self.state, scores, places, codes, margins)
            chances = chances_of(self.state, scores[places], codes)
            proof = partial(
                proven,
                kept_space(self.space, self._growing.grown),
                kept_state(self.state),
                scores,
                places,
                codes,
            )
        given = [self.decode(code) for code in self.state.label[places].tolist()]
        return Predictions(
            things, self.classes, codes, chances, margins, proof, calibrated=True, labels=given
        )

    def label_one(self, x: Hashable) -> Any:
        """The label learned for `x`; None if there is none.

        Parameters
        ----------
        x
            A node.
        """
        t = self.nodes.position(x)
        with self._still:
            return self.decode(int(self.state.label[t]))

    def __repr__(self) -> str:
        usual = (SWEEPS if self.graph.n > MANY else 0), (LOOSER if self.sweeps else USUAL)
        return represent(
            self,
            classes=self._table.declared,
            sweeps=None if self.sweeps == usual[0] else self.sweeps,
            tolerance=None if self.tolerance == usual[1] else self.tolerance,
        )

    def certain_one(self, x: Hashable, *, tolerance: float | None = None) -> Certainty:
        """Solve at `x` until its class cannot change any more, or down to `tolerance`.

        By the maximum principle f lies in [0, 1], so that the exact score of each class lies between
        b'x and b'x + ||r||_1: once the best b'x leads by more than ||r||_1, the exact solution has
        the same best class. Changes nothing.

        Parameters
        ----------
        x
            A node.
        tolerance
            Where the solve ends at the latest, above 0; None (default) takes the learner's own.
        """
        tolerance = self.space.tolerance if tolerance is None else within(tolerance, "tolerance")
        t = self.nodes.position(x)
        with self._still:
            found = Settled(*certain_at(self.space, self.state, t, tolerance))
            prediction = self.decode(found.code)
        return Certainty(
            prediction,
            found.certain,
            found.margin,
            found.x / (1 + found.negative),
            found.x / (1 - found.positive) if found.positive < 1 else float("inf"),
            found.edges,
        )

    def _kept(self) -> list[tuple[str, AnyArray]]:
        n, c, state = len(self.nodes), len(self._table), self.state
        return [
            ("estimate", state.estimate[:n, :c]),
            ("label", state.label[:n].astype(np.int64)),
            ("counts", state.counts[:c]),
            ("order", state.order[:c]),
            ("sharpness", state.sharpness),
            ("precision", np.array(state.precision[:n])),
            ("stale", state.stale[:n]),
            *worths_of(state, n).items(),
        ]

    @property
    def fingerprint(self) -> str:
        return self.graph.fingerprint

    def settings(self) -> State:
        return {
            **self._table.settings(),
            "ridge": np.array(self.ridge),
            "mu": np.array(self.mu),
            "tolerance": np.array(self.tolerance),
            "caution": np.array(self.caution),
            "unit": np.array(self.unit),
            "guess": np.array(self.guess),
            "reach": np.array(self.reach),
            "sweeps": np.array(self.sweeps),
            "added_nodes": np.array(written(self.nodes[self.graph.n :], "added nodes")),
            **self._growing.added(),
        }

    @classmethod
    def restore(cls, state: State, kernel: Graph) -> Self:
        expect_kind(state, cls.kind)
        if not isinstance(kernel, Graph):
            raise SnapshotError(f"a snapshot of LocalLGC is restored over its Graph, got {shown(kernel)}")
        expect_fingerprint(state, cls.kind, kernel.fingerprint)
        names, fixed = saved_classes(state, cls.kind)
        added = saved_growth(state, kernel.n)
        options = saved_options(state)
        try:
            learner = cls(kernel, names if fixed else None, **options)
            learner.codes_of(names)
            for node in added.nodes:
                learner.add_node(node)
            for (u, v), weight in zip(added.ends.tolist(), added.weights.tolist(), strict=True):
                learner.add_edge(learner.nodes[u], learner.nodes[v], weight)
        except OhmlineError as error:
            raise SnapshotError(f"the snapshot is damaged: {error}") from error
        learner.load(state)
        return learner

    def load(self, state: State) -> None:
        """Put the arrays of a snapshot into this learner, which has the same graph, parameters and classes.

        Everything is checked, into copies, before anything changes; `SnapshotError` says what does not fit.

        Parameters
        ----------
        state
            What `snapshot` gave.
        """
        expect_kind(state, self.kind)
        expect_fingerprint(state, self.kind, self.fingerprint)
        expect_settings(state, self.settings())
        expect_place(state, self.kind, self.fingerprint, len(self.nodes))
        found = saved_arrays(self, state, dict(self._kept()))
        n, c = len(self.nodes), len(self._table)
        fresh = copied(self.state._replace(solve=()))._replace(solve=self.state.solve)
        fresh.estimate[:n, :c] = found["estimate"]
        fresh.nodes["label"][:n], fresh.nodes["mark"][:n] = found["label"], np.where(found["stale"], STALE, 0)
        renew_all(self.space, fresh.nodes)
        count_labels(self.space, fresh.nodes, fresh.labelled)
        fresh.counts[:c], fresh.order[:c], fresh.sharpness[:] = (
            found["counts"],
            found["order"],
            found["sharpness"],
        )
        with self.alone():
            fresh.solve.forget()
            put_worths(fresh, found)
            self.state = fresh
