"""LocalLGC: many classes at full rank, by local solves."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import AnyArray, Ints, non_negative
from ohmline.checks import flag, or_infinite, shown
from ohmline.errors import GraphError, LearnerError, OhmlineError, SnapshotError, WeightError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.classes import ClassTable, ManyClassLearner, writable, written
from ohmline.learn.compiled_learner import copied
from ohmline.learn.contract import State, Update, expect_kind
from ohmline.learn.local_lgc import saved
from ohmline.learn.local_lgc.adjacency import count_labels, diagonals
from ohmline.learn.local_lgc.certain import certain_at
from ohmline.learn.local_lgc.growing_graph import GrowingGraph
from ohmline.learn.local_lgc.limits import LARGEST, check_weights, unit_of, within
from ohmline.learn.local_lgc.relax import largest_error, mend, relax
from ohmline.learn.local_lgc.scratch import LocalSolve
from ohmline.learn.local_lgc.state import LocalState
from ohmline.learn.local_lgc.step import chances_at, scores_at, withdraw
from ohmline.learn.ranges import CLASSES_OR_NONE, NODE_COUNT


@dataclass(frozen=True, slots=True)
class Certainty:
    """What a truncated solve proves about the exact solution at one node.

    Attributes
    ----------
    prediction
        The class with the best score; None for "don't know".
    certain
        Whether no further solving can change the prediction.
    lead
        Where `certain`, the exact score of the prediction exceeds that of every other class by at least this,
        which is then above 0; otherwise it is 0 or less, up to rounding, and proves nothing.
    variance
        A lower bound on (Q^-1)_tt, the variance of the node's value: x_t, or x_t / (1 + ||r-||_1) where a global
        solve left a negative part r- of the residual.
    variance_at_most
        An upper bound on the same: x_t / (1 - ||r+||_1), infinite when the residual is 1 or more.
    edges
        What the solve cost: the edges touched.
    """

    prediction: Any
    certain: bool
    lead: float
    variance: float
    variance_at_most: float
    edges: int


NUMBERS = ("ridge", "mu", "tolerance", "caution", "unit")
"""The parameters that are numbers, as a snapshot names them."""
FLAGS = ("guess", "reach")
"""Those that are on or off."""


@final
class LocalLGC(ManyClassLearner):
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
    | tol | `tolerance`: a solve ends when no r_j exceeds tolerance Q_jj ... |
    | | `caution`: ... or, sooner, when the gap of the two best classes exceeds caution ||r||_1 |
    | F, x, r | `state.estimate`, and `ohmline.learn.local_lgc.local_solve` |
    | gap | `View.margin` |
    | v = x_t/(mu + x_t) | `variance_one(x)` with `reach=False` |

    `variance_one`, which queries look at, is what the label would be worth: the variance that
    it would remove from the sum of all the other unlabelled nodes' values, (sum_j x_j)^2 / (mu + x_t).
    A leaf that nobody depends on is not worth asking for, however uncertain it is. `reach=False`
    gives the recipe's v instead, how little the labels say about the node itself.

    Neither is exact: what a solve leaves out is extrapolated, as `step.py` says. Measured against exact solves with 1
    to 40 % of the labels, the default is on average .77 to .97 of the exact value on Cora and PubMed, with a rank
    correlation of .97 to 1, and .98 to 1.01 of it on a neighbour graph of digits, with one of .65 to .97, where all
    nodes are worth about the same; the recipe's v is .98 to 1 of the exact one (.89 to .99 on digits), with a rank
    correlation of .99 to 1 (.8 to 1). `Certainty` has bounds that are proven.

    A node where no label reaches gets None, "don't know", and no probabilities; within the tolerance, so that behind
    very weak edges none may reach. A class has a score above 0 only where one of its labels can be reached. A node
    has one label: learning another one corrects it, `forget_one` withdraws it; `add_node` and `add_edge` let the graph
    grow. The exact f is that of a learner that started afresh with the final graph and labels, and F follows it:

    - after a correction, a withdrawal or a new edge, every score is within `tolerance` of the exact one (or within
      1e-14 of the largest Q_jj / ridge, where that is more);
    - a label learned at a node that had none is added by a truncated update, so that every score is within ||r||_1
      times the largest error of F, which is below 1 and which `refine` brings below any tolerance.

    Cost per trial: the edges touched, about a thousand on a citation graph, and never more than a global solve by
    conjugate gradients, however small the ridge; memory O(n classes + edges). A correction, a withdrawal or a new
    edge costs the area that it moves by more than `tolerance`, up to the whole graph.

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
        Where a solve ends at the latest, above 0: no residual exceeds this many times Q_jj. Default 3e-4.
    caution
        A solve ends sooner once the gap of the two best classes exceeds `caution` times the residual; at
        least 0, infinity for never. Default 0.1.
    guess
        Predict the class that most nodes were labelled with, instead of None, where no label reaches. Default
        False.
    reach
        Which variance queries are told; see above. Default True.
    unit
        One unit of weight, above 0; None (default) takes the mean weight of the graph. No weight may exceed 1e12
        units.

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
        {"label": CLASSES_OR_NONE, "counts": NODE_COUNT, "order": CLASSES_OR_NONE, "labelled": NODE_COUNT}
    )

    def __init__(
        self,
        graph: Graph,
        classes: Iterable[Any] | None = None,
        *,
        ridge: float = 0.1,
        mu: float = 0.6,
        tolerance: float = 3e-4,
        caution: float = 0.1,
        guess: bool = False,
        reach: bool = True,
        unit: float | None = None,
    ) -> None:
        expect_graph(graph)
        if graph.signed and bool((graph.weights < 0).any()):
            raise WeightError(
                "LocalLGC needs weights of at least 0, and this graph has negative ones; drop those edges, "
                "or use Pounce, which takes signed graphs"
            )
        self.graph = graph
        self.unit = unit_of(graph.weights) if unit is None else within(unit, "unit")
        """One unit of weight: the mean weight of the graph it started with, unless given."""
        check_weights(graph.weights, self.unit)
        self._table = ClassTable(classes)
        self._growing = GrowingGraph(graph, self.unit)
        self.ridge = within(ridge, "ridge", least=1 / LARGEST, most=LARGEST)
        self.mu = within(mu, "mu", least=1 / LARGEST, most=LARGEST)
        self.tolerance, self.caution = (
            within(tolerance, "tolerance"),
            or_infinite(non_negative, caution, "caution"),
        )
        self.guess, self.reach = flag(guess, "guess"), flag(reach, "reach")
        self._lock = Lock()
        self.space = self._growing.adjacency(
            self.ridge, self.mu, self.tolerance, self.caution, self.guess, self.reach
        )
        n, c = graph.n, len(self._table)
        self.state = LocalState(
            np.zeros((n, c)),
            np.full(n, -1),
            np.zeros(c, np.int64),
            np.full(c, -1),
            np.ones(2),
            np.zeros(n),
            np.zeros(n, np.bool_),
            np.zeros(n, np.int64),
            LocalSolve.empty(n, c),
        )
        diagonals(self.space, self.state.label, self.state.precision, np.arange(n))

    @property
    def nodes(self) -> NodeIndex:
        return self._growing.nodes

    def scores_one(self, x: Hashable) -> dict[Any, float]:
        """The estimate of f at `x`: one score per class, each in [0, 1], together at most 1.

        Parameters
        ----------
        x
            A node.
        """
        classes, score = self.classes, np.zeros(len(self._table))
        scores_at(self.space, self.state, self.nodes.position(x), score)
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
        classes, chance = self.classes, np.zeros(len(self._table))
        known = chances_at(self.space, self.state, self.nodes.position(x), chance)
        return dict(zip(classes, chance.tolist(), strict=True)) if known else {}

    def label_one(self, x: Hashable) -> Any:
        """The label learned for `x`; None if there is none.

        Parameters
        ----------
        x
            A node.
        """
        return self.decode(int(self.state.label[self.nodes.position(x)]))

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
        found = certain_at(self.space, self.state, self.nodes.position(x), tolerance)
        return Certainty(
            self.decode(found.code),
            found.certain,
            found.margin,
            found.x / (1 + found.negative),
            found.x / (1 - found.positive) if found.positive < 1 else float("inf"),
            found.edges,
        )

    def learn_one(self, x: Hashable, y: Any) -> Update:
        if not self._lock.acquire(blocking=False):
            raise _in_use()
        try:
            return super().learn_one(x, y)
        finally:
            self._lock.release()

    @contextmanager
    def alone(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise _in_use()
        try:
            yield
        finally:
            self._lock.release()

    def forget_one(self, x: Hashable) -> None:
        """Withdraw the label of `x`: every score is as if it had never been learned, to within `tolerance`.

        Where no label is left that can be reached, the scores are exactly 0. What stays is the class, in `classes`,
        and what its label said about how sure to be of probabilities.

        Parameters
        ----------
        x
            A node that has a label.
        """
        t = self.nodes.position(x)
        with self.alone():
            if self.state.label[t] < 0:
                raise LearnerError(f"node {shown(x)} has no label to forget; learn_one(x, y) gives it one")
            withdraw(self.space, self.state, t)

    def add_node(self, node: Hashable) -> None:
        """A new node, isolated until `add_edge` joins it to others.

        Parameters
        ----------
        node
            An id that the graph does not have yet: a string or a number.
        """
        with self.alone():
            plain = node.item() if isinstance(node, np.generic) else node
            if getattr(plain, "__hash__", None) is not None and not writable(plain):
                raise GraphError(
                    f"node {shown(plain)} cannot be written into a snapshot; use a string or a number"
                )
            nodes, old = self.nodes.with_node(node), self.state
            n = len(nodes)
            if n > len(old.label):
                room = 2 * n
                self.state = old._replace(
                    estimate=_longer(old.estimate, room, 0.0),
                    label=_longer(old.label, room, -1),
                    precision=_longer(old.precision, room, 0.0),
                    stale=_longer(old.stale, room, False),
                    labelled=_longer(old.labelled, room, 0),
                    solve=LocalSolve.empty(room, old.estimate.shape[1]),
                )
            self.space = self._growing.resized(self.space, n)
            self.state.precision[n - 1] = self.space.ridge
            self.state.solve.forget()
            self._growing.nodes = nodes  # last, so that nobody asks about it before there is room for it

    def add_edge(self, u: Hashable, v: Hashable, weight: float = 1.0) -> None:
        """Join two nodes; every score is then within `tolerance` of that of the new graph.

        Parameters
        ----------
        u, v
            The ids of two nodes that are not joined yet.
        weight
            The weight of the edge, above 0 and at most 1e12 units. Default 1.
        """
        with self.alone():
            i, j, w = self._growing.check_edge(u, v, weight)
            self.space = self._growing.with_room(self.space, i, j)
            self._growing.add_edge(self.space, self.state, i, j, w)
            if self.state.counts.any():
                mend(self.space, self.state, i, j)

    def refine(self, tolerance: float = 1e-6) -> float:
        """Solve Q F = b everywhere, until no entry of F is off by more than `tolerance`.

        After it, the learner no longer remembers in which order its labels and edges came.

        Parameters
        ----------
        tolerance
            The largest error that may be left, above 0. Default 1e-6.

        Returns
        -------
        float
            The bound on the error that was reached.
        """
        tolerance = within(tolerance, "tolerance")
        n, state = len(self.nodes), self.state
        with self.alone():
            state.stale[:n] = True
            relax(self.space, state, tolerance)
        return float(largest_error(self.space, state, np.arange(n)))

    def settle(self) -> None:
        known = self.state.order[self.state.order >= 0]
        if not self._table.fixed and not np.array_equal(known, np.arange(len(self._table))):
            place = np.full(len(self._table) + 1, -1)
            place[known] = np.arange(len(known))  # the last entry translates "no label"
            self._table.keep(known)
            self._resize(known, 0)
            self.state.label[:] = place[self.state.label]
            self.state.order[:] = np.arange(len(known))

    def _resize(self, keep: Ints, fresh: int) -> None:
        """Keep the columns of the classes at `keep`, and add `fresh` empty ones: as many again as there are, at least.

        Columns to spare are what makes a thousand late classes cost little more than one.
        """
        old, need = self.state, len(keep) + fresh
        held = old.estimate.shape[1]
        if fresh and need <= held:
            return
        columns = max(need, 2 * held) if fresh else need
        estimate = np.zeros((len(old.label), columns))
        estimate[:, : len(keep)] = old.estimate[:, keep]
        counts, order = np.zeros(columns, np.int64), np.full(columns, -1)
        counts[: len(keep)] = old.counts[keep]
        order[: len(keep)] = old.order[: len(keep)]
        solve = old.solve.with_classes(columns)
        self.state = old._replace(estimate=estimate, counts=counts, order=order, solve=solve)

    def _kept(self) -> list[tuple[str, AnyArray]]:
        n, c, state = len(self.nodes), len(self._table), self.state
        return [
            ("estimate", state.estimate[:n, :c]),
            ("label", state.label[:n]),
            ("counts", state.counts[:c]),
            ("order", state.order[:c]),
            ("sharpness", state.sharpness),
            ("precision", state.precision[:n]),
            ("stale", state.stale[:n]),
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
            "added_nodes": np.array(written(self.nodes[self.graph.n :], "added nodes")),
            **self._growing.added(),
        }

    @classmethod
    def restore(cls, state: State, kernel: Graph) -> Self:
        expect_kind(state, cls.kind)
        if not isinstance(kernel, Graph):
            raise SnapshotError(f"a snapshot of LocalLGC is restored over its Graph, got {shown(kernel)}")
        check_graph(state, kernel)
        names = saved.listed(state, "classes")
        fixed = bool(saved.array(state, "fixed", "b", ()))
        numbers = {name: float(saved.array(state, name, "f", ())) for name in NUMBERS}
        flags = {name: bool(saved.array(state, name, "b", ())) for name in FLAGS}
        nodes = saved.listed(state, "added_nodes")
        ends = saved.array(state, "added_edges", "i", (-1, 2))
        weights = saved.array(state, "added_weights", "f", (len(ends),))
        saved.between(ends, "added_edges", 0, kernel.n + len(nodes) - 1)
        try:
            learner = cls(kernel, names if fixed else None, **numbers, **flags)  # type: ignore[arg-type]
            learner.codes_of(names)
            for node in nodes:
                learner.add_node(node)
            for (u, v), weight in zip(ends.tolist(), weights.tolist(), strict=True):
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
        check_graph(state, self.graph)
        for key, mine in self.settings().items():
            if not np.array_equal(saved.array(state, key, mine.dtype.kind, (-1,) * mine.ndim), mine):
                raise saved.refused(key, "is not that of this learner")
        found = self._checked(state)
        n, c = len(self.nodes), len(self._table)
        fresh = copied(self.state._replace(solve=()))._replace(solve=self.state.solve)
        fresh.estimate[:n, :c] = found["estimate"]
        for name in ("label", "precision", "stale"):
            getattr(fresh, name)[:n] = found[name]
        count_labels(self.space, fresh.label, fresh.labelled)
        fresh.counts[:c], fresh.order[:c], fresh.sharpness[:] = (
            found["counts"],
            found["order"],
            found["sharpness"],
        )
        with self.alone():
            fresh.solve.forget()
            self.state = fresh

    def _checked(self, state: State) -> dict[str, AnyArray]:
        """The arrays of the state in a snapshot, if they can be those of this learner."""
        n, c = len(self.nodes), len(self._table)
        if int(saved.array(state, "n", "i", ())) != n:
            raise saved.refused("n", f"must be {n}, the nodes of this graph")
        found = {
            name: saved.array(state, f"state.{name}", mine.dtype.kind, mine.shape)
            for name, mine in self._kept()
        }
        saved.between(found["estimate"], "state.estimate", 0.0, 1.0)
        saved.between(found["label"], "state.label", -1, c - 1)
        saved.between(found["sharpness"], "state.sharpness", 0.0, float("inf"))
        labels = found["label"][found["label"] >= 0]
        if not np.array_equal(np.bincount(labels, minlength=c), found["counts"]):
            raise saved.refused("state.counts", "must count the nodes of each class")
        seen = found["order"][found["order"] >= 0]
        ordered = np.array_equal(found["order"][: len(seen)], seen) and len(set(seen.tolist())) == len(seen)
        if not ordered or not set(labels.tolist()) <= set(
            saved.between(seen, "state.order", 0, c - 1).tolist()
        ):
            raise saved.refused("state.order", "must name each class that was learned once, then -1")
        precision = np.zeros(n)
        diagonals(self.space, found["label"], precision, np.arange(n))
        if not np.array_equal(precision, found["precision"]):
            raise saved.refused("state.precision", "does not follow from the graph and the labels")
        return found

    def __getstate__(self) -> dict[str, Any]:  # a lock does not travel to another process
        return {name: value for name, value in super().__getstate__().items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = Lock()


def check_graph(state: State, graph: Graph) -> None:
    """Refuse a snapshot that was made over another graph, or that does not say over which."""
    if "fingerprint" not in state:
        raise SnapshotError(
            "the snapshot has no fingerprint of its graph: an older version of Ohmline made it, and it cannot be "
            "checked; learn again, and take a new one"
        )
    if str(saved.array(state, "fingerprint", "U", ())) != graph.fingerprint:
        raise SnapshotError(
            f"the snapshot was made over another graph than {graph!r}: ids, edges or weights differ; "
            "restore it over the graph that the learner was made with"
        )


def _in_use() -> LearnerError:
    return LearnerError(
        "another thread is changing this LocalLGC; reading from several threads is safe, but let one thread at a "
        "time change it (a threading.Lock around learn_one, say)"
    )


def _longer(array: Any, length: int, fill: float) -> Any:
    more = np.full((length - len(array), *array.shape[1:]), fill, array.dtype)
    return np.concatenate([array, more])
