"""LocalLGC: many classes at full rank, by local solves."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import partial
from types import MappingProxyType
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints, non_negative
from ohmline.checks import count, flag, or_infinite, room, shown
from ohmline.device import Device, choose
from ohmline.errors import OhmlineError, SnapshotError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.learn.classes import ClassTable, saved_classes, written
from ohmline.learn.contract import State
from ohmline.learn.local_lgc.adjacency import count_labels, renew_all
from ohmline.learn.local_lgc.afar import add_votes, exchange, room_for_votes
from ohmline.learn.local_lgc.certain import Certainty, Settled, certain_at
from ohmline.learn.local_lgc.chances import MOST_CURVATURE, chances_of, fresh_powers
from ohmline.learn.local_lgc.everywhere import (
    decide_all,
    kept_space,
    kept_state,
    one_by_one,
    proven,
    swept,
)
from ohmline.learn.local_lgc.exact_many import ExactScores, exact_at
from ohmline.learn.local_lgc.faint import carry_on, unheard
from ohmline.learn.local_lgc.few import FewClasses, is_single, no_rows, put_rows, saved_rows
from ohmline.learn.local_lgc.growing_graph import GrowingGraph
from ohmline.learn.local_lgc.informed import InformedLearner
from ohmline.learn.local_lgc.limits import (
    LARGEST,
    check_weights,
    expect_room,
    mu_of,
    places_for,
    unit_of,
    within,
)
from ohmline.learn.local_lgc.nodes import STALE, blank
from ohmline.learn.local_lgc.prior import Prior, prior_of, prior_over
from ohmline.learn.local_lgc.saved import expect_settings, saved_arrays, saved_growth, saved_options
from ohmline.learn.local_lgc.scratch import KNOWN, UNKNOWN, LocalSolve
from ohmline.learn.local_lgc.signs import lifted
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
class LocalLGC(InformedLearner):
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
    to 40 % of the labels on Cora, a neighbour graph of digits and Les Miserables, the default is on average 1 to 1.15
    times the exact value, with a rank correlation of .96 to 1, and the recipe's v is .98 to 1 times the exact one, with
    a rank correlation of .99 to 1. The default is kept up from label to label while it is read between labels, so that
    it depends a little, within the same errors, on when it was read. `Certainty` has bounds that are proven.

    A node where no label reaches gets None, "don't know", and no probabilities; within the tolerance, so that far from
    all labels, or behind very weak edges, none may reach. `predict_many` carries on from the nearest nodes that hear of
    one, and says None only where no path leads to a label. A class has a score above 0 only where one of its labels can
    be reached. A node has one label: learning another one corrects it, `forget_one` withdraws it; `add_node` and
    `add_edge` let the graph grow. The exact f is that of a learner that started afresh with the final graph and labels,
    and the same mu, and F follows it:

    - after a correction, a withdrawal or a new edge, every score is within `tolerance` of the exact one (or within
      1e-14 of the largest Q_jj / ridge, 1e-6 of it in single precision, where that is more);
    - a label learned at a node that had none is added by a truncated update, so that every score is within ||r||_1
      times the largest error of F, which is below 1 and which `refine` brings below any tolerance.

    On a signed graph L is the signed Laplacian, with degrees that are sums of |weight|: a negative edge lowers its
    neighbour's score of a class by as much as a positive one raises it. Scores then lie in [-1, 1], the learned
    class of the largest score is said even where that is not above 0, and None where all of them are 0, or where a
    single class was learned and does not score above 0. Every guarantee above stays as it is, and so do
    `certain_one` and `bound.LocalLGCBound`. Probabilities are shares of the scores above the lowest, where that is
    below 0. The default variance adds the values of the other nodes each with the sign in which it goes with that
    of the node; what the solve left of them is put at its mean.

    Cost per trial: the edges touched, about a thousand on a citation graph, and never more than a global solve by
    conjugate gradients, however small the ridge; memory beside the graph, whose arrays are used as they are until it
    grows: 80 bytes for each node, and 8 or 4 for each node and class, or 16 or 8 for each of `classes_kept`. A
    correction, a withdrawal or a new edge costs the area that it moves by more than `tolerance`, up to the whole graph.

    `predict_many` of more than 500 nodes starts from the estimate and lets every node hear its neighbours five times.
    While fewer than one node in ten has a label, it gives up to two votes more at each node to the classes of which the
    exact f has a larger share there than over the whole graph (`afar.py`): from few labels that is right more often
    than `predict_one`, which keeps to what its bound speaks of.

    With `classes_kept=k`, F has k places at each node, for the classes of its largest values, and every other class
    counts as 0 in F'r. Where classes had to leave, scores are those of a dense F that is cut after each change; where
    none had to, each of them is the same bit for bit. What is promised:

    - b'x is as ever, and so is everything that is proven from it: `certain_one`, `certain` of a table, `exact_many`,
      `bound.LocalLGCBound`. So is every score within ||r||_1 of the exact one, and 0 where no label of its class can
      be reached;
    - after a correction, a withdrawal or a new edge a score need not be within `tolerance` of the exact one: the places
      solve Q F = b by themselves, as if every class without one were 0 there, and no value of F is above the exact
      one by more than `tolerance`;
    - `refine` brings the places as near to that as is asked for; what it returns is a bound on the error of every
      entry of F, those without a place as well, and is what they cost.

    Several threads may read one learner at once. Where two want to change it at once, the second gets a
    `LearnerError`.

    With a `prior`, a second learner over the same nodes that looks at something else, both learn every label. What is
    said, with its margin and probabilities, is their product, to powers that are fitted to the labels, in a mixture
    with each alone: exactly as `Blend` by `Product` joins them, and with its promise (`bound.MixtureBound`). A prior
    that says nothing (even probabilities, "don't know", a node that came later) changes no prediction. Scores,
    variances, `certain_one`, `exact_many` and what `forget_one` takes back remain those of the graph; `predict_many`
    calls nothing certain. Each trial then goes through Python.

    Parameters
    ----------
    graph
        The graph; a negative weight, in a signed one, marks nodes that tend to differ.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.
    ridge
        lambda, from 1e-12 to 1e12, in units of the mean edge weight. Default 0.1.
    mu
        How far a label may be missed, from 1e-12 to 1e12, in units of 1 / the mean edge weight. None (default) follows
        the number d of neighbours that a node has on average when the learner is made, and stays as it is while the
        graph grows: 0.6 min(1, (5/d)^3), but at least 1e-6.
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
    classes_kept
        How many classes of a node the estimate keeps, from 1 to 1,000: those of the largest values. None (default)
        keeps all of them. With a hundred classes and more, 8 take a fraction of the time and of the memory, and hardly
        more mistakes; with few classes, or few of them near a node, they save nothing. See above for what is promised
        of it; a signed graph is refused.
    prior
        What else is known of the nodes: a learner over them that has learned nothing yet, which is taken over;
        `NodeFeatures`, for `OnlineLogistic` over them; a pair (features, classifier), for `FeatureLearner`; or
        probabilities as `GivenProbabilities` takes them, an array (which needs `classes`) or a frame. Its declared
        classes are those of the learner. None (default) for the graph alone.

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
    >>> words = ohm.NodeFeatures([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1], [1, 0]], graph)
    >>> both = ohm.LocalLGC(graph, prior=words)
    >>> _ = both.learn_many({"a": "red", "e": "blue", "b": "red"})
    >>> both.predict_one("d"), both.predict_one("g"), both.weights.shape
    ('blue', 'red', (2,))

    References
    ----------
    Gu, Aggarwal, Liu, Han, Selective sampling on graphs for classification, KDD 2013.
    Ma, Garnett, Schneider, Sigma-optimality for active learning on Gaussian random fields, NIPS 2013.
    """

    kind = "LocalLGC"
    ranges = MappingProxyType(
        {
            "estimate": Range(0.0, 1.0),
            "kept": CLASSES_OR_NONE,
            "label": CLASSES_OR_NONE,
            "counts": NODE_COUNT,
            "order": CLASSES_OR_NONE,
            "sharpness": Range(-MOST_CURVATURE, MOST_CURVATURE),
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
        mu: float | None = None,
        tolerance: float | None = None,
        caution: float = 0.1,
        guess: bool = False,
        reach: bool = True,
        unit: float | None = None,
        sweeps: int | None = None,
        classes_kept: int | None = None,
        prior: Any = None,
    ) -> None:
        expect_graph(graph)
        self.graph = graph
        self._beside = None
        if prior is not None:
            classes = None if classes is None else ClassTable(classes).names
            self._beside = Prior(prior_of(prior, graph, classes))
            classes = self._beside.learner.declared_classes if classes is None else classes
        weights = np.ones(1) if graph.is_unweighted else graph.weights
        self.unit = unit_of(weights) if unit is None else within(unit, "unit")
        """One unit of weight: the mean weight of the graph it started with, unless given."""
        check_weights(weights, self.unit)
        self._table = ClassTable(classes)
        self._growing = GrowingGraph(graph, self.unit)
        self.ridge = within(ridge, "ridge", least=1 / LARGEST, most=LARGEST)
        self.mu = (
            mu_of(graph.n, len(graph.indices))
            if mu is None
            else within(mu, "mu", least=1 / LARGEST, most=LARGEST)
        )
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
        self.classes_kept = places_for(classes_kept, graph)
        """How many classes of a node the estimate keeps; None for all."""
        expect_room(n, c, single=single, places=self.classes_kept)
        self.state = LocalState(
            np.zeros((n, c), np.float32 if single else np.float64)
            if self.classes_kept is None
            else no_rows(n, self.classes_kept, single=single),
            blank(n),
            np.zeros(c, np.int64),
            np.full(c, -1),
            fresh_powers(),
            np.zeros(n, np.int64),
            LocalSolve.empty(n, c),
        )
        renew_all(self.space, self.state.nodes)

    def scores_one(self, x: Hashable) -> dict[Any, float]:
        """The estimate of f at `x`: one score per class, each in [0, 1], together at most 1; in [-1, 1] with signs.

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
        """The probability of each class, calibrated online by two powers and a correction of the leading class.

        The powers weigh a class's share of the score, and how many votes of labelled nodes near by it has; the
        correction is a logistic regression of whether the leader is right. Both are fitted to the labels as they come,
        before each is learned. The class that `predict_one` says has the largest probability.

        While some classes have one label only, a part is kept for classes that have none: it is spread over those that
        were declared, or over all. Where `predict_one` says None there are no probabilities: the dict is empty. With
        `guess`, they are there in proportion to how many nodes have each class, plus one.

        With a prior: what the graph and the prior say together.

        Parameters
        ----------
        x
            A node.
        """
        t = self.nodes.position(x)
        with self._still:
            if self._beside is not None:
                return self._joined_one(t)
            classes, chance = self.classes, np.zeros(len(self._table))
            known = chances_at(self.space, self.state, t, chance)
        return dict(zip(classes, chance.tolist(), strict=True)) if known else {}

    def _graph_table(self, things: Any, places: AnyArray) -> Predictions:
        n, classes = len(places), len(self._table)
        room(8.0 * n * (classes + 3), f"a table of {n} nodes and {classes} classes")
        if one_by_one(self.space, n):
            codes, margins = np.empty(n, np.int64), np.empty(n)
            certain, chances, heard = np.empty(n, np.bool_), np.empty((n, classes)), np.empty(n, np.bool_)
            survey(self.space, self.state, places, codes, margins, certain, chances, heard)
            proof = certain.copy
            # A path joins them with a label that is too far for a local solve.
            faint = unheard(self.space, self.state, places, heard)
            if faint.any():
                _, codes[faint], margins[faint], chances[faint] = self._everywhere(places[faint], classes)
        else:
            scores, codes, margins, chances = self._everywhere(places, classes)
            proof = partial(
                proven,
                kept_space(self.space, self._growing.grown),
                kept_state(self.state),
                scores,
                places,
                codes,
            )
        names = [*self.classes, None]  # the last one is "no label", which is -1
        given = [names[code] for code in self.state.label[places].tolist()]
        several = int(np.count_nonzero(self.state.counts[:classes])) > 1  # else nothing could be fitted
        return Predictions(
            things, self.classes, codes, chances, margins, proof, calibrated=several, labels=given
        )

    def _everywhere(self, places: Ints, classes: int) -> tuple[Floats, Ints, Floats, Floats]:
        """The scores of all nodes; and the codes, margins and probabilities at these places."""
        everywhere = 2.0 * len(self.nodes) * classes * (4 if is_single(self.state.estimate) else 8)
        everywhere += room_for_votes(self.space, self.state, classes)
        room(everywhere, f"the scores of all {len(self.nodes)} nodes for {classes} classes, twice,")
        scores, signed = swept(self.space, self.state, classes), self.graph.signed
        if not signed:
            carry_on(self.space, scores)
        codes, margins = np.empty(len(places), np.int64), np.empty(len(places))
        decide_all(self.space, self.state, scores, places, codes, margins)
        wanted = lifted(scores[places], self.state.counts[:classes] > 0) if signed else scores[places]
        chances = chances_of(self.state, wanted, self.state.precision[places], codes)
        if add_votes(self.space, self.state, scores):
            before = codes.copy()
            decide_all(self.space, self.state, scores, places, codes, margins)
            exchange(self.state, scores, places, before, codes, chances)
        return scores, codes, margins, chances

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
        usual_mu = mu_of(self.graph.n, len(self.graph.indices))
        return represent(
            self,
            classes=self._table.declared,
            mu=None if self.mu == usual_mu else self.mu,
            sweeps=None if self.sweeps == usual[0] else self.sweeps,
            tolerance=None if self.tolerance == usual[1] else self.tolerance,
        )

    def certain_one(self, x: Hashable, *, tolerance: float | None = None) -> Certainty:
        """Solve at `x` until its class cannot change any more, or down to `tolerance`.

        By the maximum principle f lies in [0, 1], so that the exact score of each class lies between
        b'x and b'x + ||r||_1: once the best b'x leads by more than ||r||_1, the exact solution has
        the same best class. On a signed graph the same lead proves it, by comparison with the graph
        without signs. Changes nothing.

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

    def exact_many(
        self, nodes: Iterable[Hashable] | None = None, *, device: str | Device = "cpu"
    ) -> ExactScores:
        """The exact scores of many nodes, where `predict_many` takes the estimate, a few sweeps and some votes.

        Block conjugate gradients over the whole graph, four classes in one pass, in single precision with what is left
        recomputed in double precision. With many labels it is right as often as `predict_many`, with few of them less
        often, unless its scores are levelled. Changes nothing.

        Parameters
        ----------
        nodes
            The nodes; None (default) for all nodes, in the order of the graph.
        device
            Where it is solved: "cpu" (default), "gpu" or "auto". A GPU solves for all classes in one pass, in double
            precision; what is left, and the error, are computed here.

        Returns
        -------
        ExactScores
            The scores with a proven error for each node, and the residual.
        """
        things, places = self._surveyed(nodes)
        place = choose(device)
        with self._still:
            n, wide = len(self.nodes), len(self._table)
            room(8.0 * n * (2 * wide + 16), f"the exact scores of {n} nodes for {wide} classes")
            return exact_at(self.space, self.state, things, self.classes, places, place)

    def _kept(self) -> list[tuple[str, AnyArray]]:
        n, c, state = len(self.nodes), len(self._table), self.state
        few = isinstance(state.estimate, FewClasses)
        return [
            *(saved_rows(state.estimate, n) if few else [("estimate", state.estimate[:n, :c])]),
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
            "classes_kept": np.array(self.classes_kept or 0),
            "added_nodes": np.array(written(self.nodes[self.graph.n :], "added nodes")),
            **self._growing.added(),
        }

    @classmethod
    def restore(cls, state: State, kernel: Graph | tuple[Graph, Any]) -> Self:
        """The learner that was snapshot.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            The graph that the learner was made with; with a prior the pair (graph, prior), the prior made again as it
            was.
        """
        expect_kind(state, cls.kind)
        kernel, prior = kernel if isinstance(kernel, tuple) and len(kernel) == 2 else (kernel, None)
        if not isinstance(kernel, Graph):
            raise SnapshotError(
                f"a snapshot of LocalLGC is restored over its Graph, or over (graph, prior), got {shown(kernel)}"
            )
        expect_fingerprint(state, cls.kind, kernel.fingerprint)
        names, fixed = saved_classes(state, cls.kind)
        added = saved_growth(state, kernel.n)
        options = saved_options(state)
        try:
            learner = cls(kernel, names if fixed else None, **options)
            if prior is not None:  # whatever it has learned, it is made afresh from the snapshot
                learner._beside = Prior(prior_over(prior, kernel, tuple(names) if fixed else None))
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
        found, prior = saved_arrays(self, state, dict(self._kept())), self._beside_restored(state)
        n, c = len(self.nodes), len(self._table)
        fresh = copied(self.state._replace(solve=()))._replace(solve=self.state.solve)
        if isinstance(fresh.estimate, FewClasses):
            put_rows(fresh.estimate, n, found["estimate"], found["kept"])
        else:
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
            self._become(prior, fresh)
