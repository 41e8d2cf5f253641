"""LocalLGC: many classes at full rank, by local solves."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self, cast, final

import numpy as np

from ohmline.arrays import Ints, non_negative, positive
from ohmline.errors import LearnerError, SnapshotError, WeightError
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.classes import ClassTable, ManyClassLearner, saved_classes, written
from ohmline.learn.contract import State, expect_kind, saved_flag, saved_list, saved_number, take
from ohmline.learn.local_lgc.growing_graph import GrowingGraph
from ohmline.learn.local_lgc.local_solve import LocalSolve, diagonals, gauss_seidel, largest_error
from ohmline.learn.local_lgc.step import LocalState, chances, look, look_at, settle_class, withdraw
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
        A lower bound on (Q^-1)_tt, the variance of the node's value: x_t.
    variance_at_most
        An upper bound on the same: x_t / (1 - ||r||_1), infinite when the residual is 1 or more.
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

    A node where no label reaches gets None, "don't know". A node has one label: learning another one
    corrects it, `forget_one` withdraws it; `add_node` and `add_edge` let the graph grow. Then the exact f is
    that of a learner that started afresh with the final graph and labels; every score is within ||r||_1 of it
    (times the largest error of F, which is below 1 and which `refine` brings below any tolerance).

    Cost per trial: the edges touched, about a hundred on a citation graph; memory O(n classes + edges).

    Parameters
    ----------
    graph
        The graph, without negative weights.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.
    ridge
        lambda, above 0, in units of the mean edge weight. Default 0.1.
    mu
        How far a label may be missed, above 0, in units of 1 / the mean edge weight. Default 0.6.
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
        One unit of weight, above 0; None (default) takes the mean weight of the graph.

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
    ranges = MappingProxyType({"label": CLASSES_OR_NONE, "counts": NODE_COUNT, "order": CLASSES_OR_NONE})

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
        if graph.signed and bool((graph.weights < 0).any()):
            raise WeightError(
                "LocalLGC needs weights of at least 0, and this graph has negative ones; drop those edges, "
                "or use Pounce, which takes signed graphs"
            )
        if unit is None:
            unit = float(graph.weights.mean()) if len(graph.weights) else 1.0
        self.graph = graph
        self.unit = positive(unit, "unit")
        """One unit of weight: the mean weight of the graph it started with, unless given."""
        self._table = ClassTable(classes)
        self._growing = GrowingGraph(graph, self.unit)
        self.ridge, self.mu = positive(ridge, "ridge"), positive(mu, "mu")
        self.tolerance, self.caution = positive(tolerance, "tolerance"), _caution(caution)
        self.guess, self.reach = bool(guess), bool(reach)
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
            LocalSolve.empty(n, c),
        )
        self._growing.restate(self.space, self.state)

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
        look_at(self.space, self.state, self.nodes.position(x))
        return dict(zip(self.classes, self.state.solve.score.tolist(), strict=True))

    def predict_proba_one(self, x: Hashable) -> dict[Any, float]:
        """The probability of each class; calibrated online by one parameter.

        A class's share of the score, with a small floor, is raised to a power that is fitted to the
        labels as they come, before each is learned.

        Parameters
        ----------
        x
            A node.
        """
        look_at(self.space, self.state, self.nodes.position(x))
        chance = np.zeros(len(self._table))
        if len(chance):
            chances(self.state, chance)
        return dict(zip(self.classes, chance.tolist(), strict=True))

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
        tolerance = self.space.tolerance if tolerance is None else positive(tolerance, "tolerance")
        t, solve = self.nodes.position(x), self.state.solve
        certain = settle_class(self.space, self.state, t, tolerance)
        found, variance = solve.found[0], float(solve.x[t])
        left = float(found["residual"])
        return Certainty(
            self.decode(int(found["code"])),
            certain,
            float(found["margin"]),
            variance,
            variance / (1 - left) if left < 1 else float("inf"),
            int(found["edges"]),
        )

    def forget_one(self, x: Hashable) -> None:
        """Withdraw the label of `x`; the rest is as if it had never been learned.

        Parameters
        ----------
        x
            A node that has a label.
        """
        t = self.nodes.position(x)
        if self.state.label[t] < 0:
            raise LearnerError(f"node {x!r} has no label to forget; learn_one(x, y) gives it one")
        withdraw(self.space, self.state, t)

    def add_node(self, node: Hashable) -> None:
        """A new node, isolated until `add_edge` joins it to others.

        Parameters
        ----------
        node
            An id that the graph does not have yet.
        """
        self._growing.add_node(node)
        n, old = len(self.nodes), self.state
        if n > len(old.label):
            room = 2 * n
            self.state = old._replace(
                estimate=_longer(old.estimate, room, 0.0),
                label=_longer(old.label, room, -1),
                precision=_longer(old.precision, room, 0.0),
                solve=LocalSolve.empty(room, len(self._table)),
            )
        self.space = self._growing.resized(self.space)
        self.state.precision[n - 1] = self.space.ridge

    def add_edge(self, u: Hashable, v: Hashable, weight: float = 1.0) -> None:
        """Join two nodes; the estimate follows by a rank-one update with two local solves.

        Parameters
        ----------
        u, v
            The ids of two nodes that are not joined yet.
        weight
            The weight of the edge, above 0. Default 1.
        """
        i, j, w = self._growing.check_edge(u, v, weight)
        if self.state.counts.any():
            self._bridge(i, j, w / self.unit)
        self.space = self._growing.add_edge(self.space, i, j, w)
        self._growing.restate(self.space, self.state, [i, j])

    def _bridge(self, i: int, j: int, w: float) -> None:
        """F - z w (f_i - f_j) / (1 + w (z_i - z_j)) with z = Q^-1 (e_i - e_j), before Q changes."""
        solve, estimate = self.state.solve, self.state.estimate
        column: list[tuple[Ints, Any, Any]] = []
        for t in (i, j):
            look(self.space, self.state, t, np.inf)
            reached = solve.touched[: solve.found[0]["touched"]].copy()
            estimate[t] = np.clip(solve.score, 0.0, 1.0)
            column.append((reached, solve.x[reached], solve.x[[i, j]]))
        difference = estimate[i] - estimate[j]
        (near, x, at), (far, z, there) = column
        resistance = at[0] - at[1] - there[0] + there[1]
        move = difference * (w / (1 + w * max(resistance, 0.0)))
        estimate[near] -= x[:, None] * move
        estimate[far] += z[:, None] * move
        for reached in (near, far):
            estimate[reached] = np.clip(estimate[reached], 0.0, 1.0)
        solve.forget()

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
        tolerance = positive(tolerance, "tolerance")
        n, state = len(self.nodes), self.state
        rounding = 1e-14 * float(state.precision[:n].max(initial=1.0)) / self.space.ridge
        arguments = (self.space, state.precision, state.label, state.estimate, n)
        error = largest_error(*arguments)
        while error > max(tolerance, rounding):
            gauss_seidel(*arguments)
            error = largest_error(*arguments)
        state.solve.forget()
        return float(error)

    def settle(self) -> None:
        if not self._table.fixed:
            known = self.state.order[self.state.order >= 0]
            place = np.full(len(self._table) + 1, -1)
            place[known] = np.arange(len(known))  # the last entry translates "no label"
            self._table.keep(known)
            self._resize(known, 0)
            self.state.label[:] = place[self.state.label]
            self.state.order[:] = np.arange(len(known))

    def _resize(self, keep: Ints, fresh: int) -> None:
        """Keep the columns of the classes at `keep`, and add `fresh` empty ones."""
        old = self.state
        zeros = np.zeros((len(old.label), fresh))
        self.state = old._replace(
            estimate=np.ascontiguousarray(np.hstack([old.estimate[:, keep], zeros])),
            counts=np.append(old.counts[keep], np.zeros(fresh, np.int64)),
            order=np.append(old.order[: len(keep)], np.full(fresh, -1)),
            solve=LocalSolve.empty(len(old.label), len(keep) + fresh),
        )

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
        names, fixed = saved_classes(state, cls.kind)
        numbers = {name: saved_number(state, cls.kind, name) for name in NUMBERS}
        learner = cls(
            kernel,
            names if fixed else None,
            guess=saved_flag(state, cls.kind, "guess"),
            reach=saved_flag(state, cls.kind, "reach"),
            **numbers,
        )
        learner.codes_of(names)
        for node in saved_list(state, cls.kind, "added_nodes"):
            learner.add_node(node)
        ends, weights = take(state, cls.kind, "added_edges"), take(state, cls.kind, "added_weights")
        if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype != np.int64 or weights.shape != ends.shape[:1]:
            raise SnapshotError(
                "the snapshot's added edges are damaged: two ends and a weight each are needed"
            )
        if len(ends) and (ends.min() < 0 or ends.max() >= len(learner.nodes)):
            raise SnapshotError("the snapshot's edges name nodes beyond this graph; restore it over its own")
        for (u, v), weight in zip(ends.tolist(), weights.tolist(), strict=True):
            learner.add_edge(learner.nodes[u], learner.nodes[v], weight)
        learner.load(state)
        return learner

    def load(self, state: State) -> None:
        n, fitted = len(self.nodes), dict[str, Any]()
        # Arrays may have room to spare for nodes to come; a snapshot has its own room.
        for name in ("estimate", "label", "precision"):
            saved, mine = take(state, self.kind, f"state.{name}"), getattr(self.state, name)
            if saved.shape[1:] == mine.shape[1:] and saved.ndim == mine.ndim and len(saved) >= n:
                room = np.zeros((len(mine), *saved.shape[1:]), saved.dtype)
                room[:n], room[n:] = saved[:n], mine[n:]
                fitted[f"state.{name}"] = room
        before = self.state
        super().load(cast(State, ChainMap(fitted, state)))
        precision = np.array(self.state.precision)
        diagonals(self.space, self.state.label, precision, np.arange(n))
        if not np.allclose(precision, self.state.precision, rtol=1e-9, atol=0.0):  # or solves might never end
            self.state = before
            raise SnapshotError(
                "the snapshot's precision does not fit its labels and the graph; it is damaged"
            )


def _caution(value: float) -> float:
    return float("inf") if value == float("inf") else non_negative(value, "caution")


def _longer(array: Any, length: int, fill: float) -> Any:
    more = np.full((length - len(array), *array.shape[1:]), fill, array.dtype)
    return np.concatenate([array, more])
