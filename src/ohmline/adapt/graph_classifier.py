"""`LocalLGC`, or `DriftingLGC`, over a graph as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from ohmline.adapt.semi_supervised import SemiSupervised
from ohmline.arrays import AnyArray, Bools, Floats, Ints, count
from ohmline.checks import flag, shown
from ohmline.errors import GraphError, ParameterError, ShapeError
from ohmline.graph.build import Gaussian, knn
from ohmline.graph.graph import Graph
from ohmline.learn import DriftingLGC, LocalLGC
from ohmline.learn.local_lgc.chances import chances_of
from ohmline.learn.local_lgc.everywhere import swept

LEAST = 1e-12
"""No edge to a new point weighs less, however far it is."""


@final
class GraphClassifier(ClassifierMixin, SemiSupervised, BaseEstimator):  # type: ignore[misc]
    """`LocalLGC` as a scikit-learn classifier: labels of some nodes in, classes of all nodes out.

    The graph is built from the points, or given as a matrix of affinities. `fit` learns the labels that there are;
    `transduction_` and `label_distributions_` have the classes and probabilities of all its points. `predict` answers
    for those points, and for new ones by the edges that they would have to the graph, which they do not change.
    `partial_fit` lets points and labels come bit by bit.

    Parameters
    ----------
    graph
        `"knn"` (default) joins each point with its k nearest ones; `"precomputed"` takes X for the symmetric matrix of
        affinities itself, dense or sparse, 0 where there is no edge; a function makes an `ohmline.Graph` from X, with
        a node for each row in their order.
    k
        How many nearest points are neighbours, at least 1; fewer where there are fewer points. Default 10.
    width
        The width of the Gaussian weights of the nearest-neighbour graph, above 0; None (default) takes the median
        distance of neighbours.
    ridge
        As for `LocalLGC`. Default 0.1.
    mu
        As for `LocalLGC`: None (default) follows the number of neighbours.
    drift
        Whether labels change over time: then `DriftingLGC` learns them in the order of the rows, and `partial_fit`
        brings newer ones, of points that `fit` has seen. The answer for a labelled point may then differ from its last
        label, and a new point gets the weighted mean of its neighbours' probabilities. Default False.
    unlabelled
        The label that marks a missing one, by default -1, as in scikit-learn; None and NaN mark one too. Pass
        `unlabelled=None` where -1 is a class.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(500, noise=0.08, random_state=0)
    >>> y = np.where(np.arange(500) % 50 < 2, truth, -1)  # 4 % of the labels
    >>> model = GraphClassifier().fit(X, y)
    >>> bool(np.mean(model.transduction_ == truth) > 0.97)
    True
    """

    def __init__(
        self,
        *,
        graph: str | Callable[[Any], Graph] = "knn",
        k: int = 10,
        width: float | None = None,
        ridge: float = 0.1,
        mu: float | None = None,
        drift: bool = False,
        unlabelled: Any = -1,
    ) -> None:
        self.graph = graph
        self.k = k
        self.width = width
        self.ridge = ridge
        self.mu = mu
        self.drift = drift
        self.unlabelled = unlabelled

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from scratch.

        Parameters
        ----------
        X
            The points, one per row; or with `graph="precomputed"` the matrix of affinities.
        y
            The label of each point, with labels of at least two classes.
        """
        rows, labels, known = self._checked(X, y, reset=True)
        self._begin(rows, self._found_classes(labels, known))
        self._learn(np.arange(len(labels)), labels, known)
        return self

    def partial_fit(self, X: Any, y: ArrayLike, classes: Sequence[Any] | None = None) -> Self:
        """Learn some more labels, and with points some more points.

        A row that equals one seen before is the same node, whose label it may give or correct; any other becomes a new
        node, joined with its k nearest ones. With `"precomputed"`, and with a function, the graph stays: give the same
        X and the labels that are new. With `drift=True` the graph stays too: any rows that `fit` has seen, in the order
        of their labels, as often as they come.

        Parameters
        ----------
        X
            The points, one per row; or the same graph again.
        y
            The label of each point, or a marker that there is none.
        classes
            All classes, two or more. The first call must name them; later ones may leave them out (None, the default).
        """
        first = not hasattr(self, "learner_")
        declared = self._declared_classes(classes, first=first)
        rows, labels, known = self._checked(X, y, reset=first)
        self._refuse_strange(labels, known, declared)
        if first:
            self._begin(rows, declared)
            places = np.arange(len(labels))
        else:
            places = self._grown(rows)
        self._learn(places, labels, known)
        return self

    def predict(self, X: Any) -> AnyArray:
        """The class of each point.

        Parameters
        ----------
        X
            As for `predict_proba`.
        """
        chances = self.predict_proba(X)
        return np.asarray(self.classes_[chances.argmax(axis=1)])

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, with one row per point and one column per class.

        Where no label reaches, the classes have the probabilities that their numbers of labels give them.

        Parameters
        ----------
        X
            The points, one per row. With `"precomputed"` the affinities of each point to the nodes of the graph, one
            column per node, or the same matrix again for its own nodes.
        """
        check_is_fitted(self)
        rows = self._validated(X, reset=False)
        own = self._own(rows)
        chances = np.empty((rows.shape[0], len(self.classes_)))
        chances[own >= 0] = self.label_distributions_[own[own >= 0]]
        new = np.flatnonzero(own < 0)
        if len(new):
            scores, precision = self._scores(rows[new])
            if isinstance(self.learner_, DriftingLGC):
                chances[new] = self._means(scores)
            else:
                codes = np.zeros(len(scores), np.int64)
                chances[new] = chances_of(self.learner_.state, scores, precision, codes)
        return chances

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.graph == "precomputed"
        tags.input_tags.pairwise = self.graph == "precomputed"
        return tags

    def _checked(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, AnyArray, Bools]:
        rows = self._validated(X, reset=reset)
        return rows, *self._labels(y, rows)

    def _validated(self, X: Any, *, reset: bool) -> Any:
        if not (callable(self.graph) or self.graph in ("knn", "precomputed")):
            raise ParameterError(
                f"graph must be 'knn', 'precomputed' or a function that makes one, got {shown(self.graph)}"
            )
        sparse_too = "csr" if self.graph == "precomputed" else False
        rows = validate_data(self, X, dtype=np.float64, accept_sparse=sparse_too, reset=reset)
        return rows if sparse.issparse(rows) else rows + 0.0  # -0.0 is 0.0

    def _begin(self, rows: Any, classes: AnyArray) -> None:
        """A graph and a learner that has seen nothing."""
        graph, width = self._built(rows)
        self.classes_, self.graph_ = classes, graph
        self.learner_: LocalLGC | DriftingLGC
        if flag(self.drift, "drift"):
            self.learner_ = DriftingLGC(graph, range(len(classes)), ridge=self.ridge, mu=self.mu)
        else:
            self.learner_ = LocalLGC(graph, range(len(classes)), ridge=self.ridge, mu=self.mu, guess=True)
        self._width, self._rows = width, rows
        self._known = {}
        if self.graph == "knn":  # of equal rows the first one answers
            self._known = {row.tobytes(): len(rows) - 1 - k for k, row in enumerate(rows[::-1])}

    def _built(self, rows: Any) -> tuple[Graph, float]:
        if callable(self.graph):
            graph = self.graph(rows)
            if not isinstance(graph, Graph) or graph.n != rows.shape[0]:
                raise GraphError(
                    f"graph must make an ohmline.Graph with {rows.shape[0]} nodes, one for each row; it made "
                    f"{shown(graph)}"
                )
            return graph, 1.0
        if self.graph == "precomputed":
            if rows.shape[0] != rows.shape[1]:
                raise ShapeError(
                    f"a matrix of affinities has as many rows as columns, got {rows.shape[0]} and {rows.shape[1]}; "
                    "pass graph='knn' where X has points"
                )
            return Graph.from_scipy(sparse.csr_array(rows)), 1.0
        k = min(count(self.k, "k", least=1), len(rows) - 1)
        if not k:  # the first of points that come one by one
            return Graph.from_edges([], nodes=[0]), 1.0 if self.width is None else float(self.width)
        if self.width is not None:
            return knn(rows, k, weights=Gaussian(self.width)), float(self.width)
        plain = knn(rows, k)
        ends = plain.edges()
        lengths = np.linalg.norm(rows[ends[0]] - rows[ends[1]], axis=1)
        width = float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else 1.0
        return Graph.from_columns(
            ends[0], ends[1], self._weights(lengths, width), nodes=range(len(rows))
        ), width

    @staticmethod
    def _weights(lengths: Floats, width: float) -> Floats:
        return np.maximum(np.exp(-0.5 * (lengths / width) ** 2), LEAST)

    def _learn(self, places: Ints, labels: AnyArray, known: Bools) -> None:
        codes = np.searchsorted(self.classes_, labels[known])
        nodes = self.learner_.nodes
        self.learner_.learn_many([nodes[k] for k in places[known].tolist()], codes.tolist())
        table = self.learner_.predict_many()
        if isinstance(self.learner_, DriftingLGC):
            self._field = np.where(table.known[:, None], table.probabilities, self._frequencies())
            self.label_distributions_ = self._field
            self.transduction_ = self.classes_[self._field.argmax(axis=1)]
            return
        self._field = swept(self.learner_.space, self.learner_.state, len(self.classes_))
        chances = table.probabilities.copy()
        chances[~table.known] = 1 / len(self.classes_)  # before the first label
        said = self.classes_[np.maximum(table.codes, 0)]
        kept = self.learner_.state.label[: len(said)]
        said[kept >= 0] = self.classes_[kept[kept >= 0]]
        self.label_distributions_, self.transduction_ = chances, said

    def _frequencies(self) -> Floats:
        """How often each class was learned, plus one, as shares."""
        counts = self.learner_.state.counts[: len(self.classes_)] + 1.0
        return np.asarray(counts / counts.sum())

    def _means(self, scores: Floats) -> Floats:
        """The shares of the scores; of a point without a neighbour those of the labels."""
        mass = scores.sum(axis=1, keepdims=True)
        return np.where(mass > 0, scores / np.where(mass > 0, mass, 1.0), self._frequencies())

    def _nearest(self, rows: Floats, among: Floats, more: int = 0) -> tuple[Floats, Ints]:
        k = min(count(self.k, "k", least=1) + more, len(among))
        lengths, places = NearestNeighbors(n_neighbors=k).fit(among).kneighbors(rows)
        return lengths, places

    def _own(self, rows: Any) -> Ints:
        """The places of the rows that are nodes of the graph; -1 for new ones."""
        if self.graph == "knn":
            return np.array([self._known.get(row.tobytes(), -1) for row in rows], dtype=np.int64)
        if rows.shape == self._rows.shape and _equal(rows, self._rows):
            return np.arange(rows.shape[0])
        if callable(self.graph):
            raise ShapeError(
                "a graph that a function made says nothing about other points; give the points of fit again, or "
                "pass graph='knn'"
            )
        return np.full(rows.shape[0], -1)

    def _scores(self, rows: Any) -> tuple[Floats, Floats]:
        """The scores of new points, those that their edges would give them, and their Q_tt."""
        unit = self.learner_.unit if isinstance(self.learner_, LocalLGC) else 1.0
        ridge = self.ridge * unit
        if self.graph == "precomputed":
            if (rows.data if sparse.issparse(rows) else rows).min(initial=0.0) < 0:
                raise GraphError("an affinity is below 0; LocalLGC needs affinities of at least 0")
            weight = np.asarray(rows.sum(axis=1), dtype=np.float64).reshape(-1, 1)
            return np.asarray(rows @ self._field) / (weight + ridge), (weight[:, 0] + ridge) / unit
        lengths, places = self._nearest(rows, self._rows)
        weights = self._weights(lengths, self._width)
        precision = weights.sum(axis=1) + ridge
        scores = np.einsum("ik,ikc->ic", weights, self._field[places]) / precision[:, None]
        return scores, precision / unit

    def _grown(self, rows: Any) -> Ints:
        """The places of these rows, with new nodes for those that are new."""
        if self.graph != "knn":
            if rows.shape != self._rows.shape or not _equal(rows, self._rows):
                raise GraphError(
                    "partial_fit with a graph of your own takes the same X again, with the labels that are new; only "
                    "graph='knn' lets points be added"
                )
            return np.arange(rows.shape[0])
        fresh = list(dict.fromkeys(row.tobytes() for row in rows if row.tobytes() not in self._known))
        if fresh and isinstance(self.learner_, DriftingLGC):
            raise GraphError(
                f"with drift=True the graph stays as fit made it, and {len(fresh)} of these {len(rows)} points are not "
                "in it; give all points to fit, those without a label marked as missing, or leave drift out"
            )
        if fresh:
            old = len(self._rows)
            added = np.frombuffer(b"".join(fresh)).reshape(len(fresh), -1)
            self._join(np.vstack([self._rows, added]), old)
            self._known |= {row: old + t for t, row in enumerate(fresh)}
        return np.array([self._known[row.tobytes()] for row in rows], dtype=np.int64)

    def _join(self, rows: Floats, old: int) -> None:
        """New nodes for the rows from `old` on, each joined with its k nearest rows."""
        learner = self.learner_
        assert isinstance(learner, LocalLGC)  # the graph of the other one does not grow
        lengths, near = self._nearest(rows[old:], rows, more=1)
        if (
            old == 1 and self.width is None and (lengths > 0).any()
        ):  # nothing was known about distances before
            self._width = float(np.median(lengths[lengths > 0]))
        for t in range(old, len(rows)):
            learner.add_node(t)
        edges = {}
        for t, (far, others) in enumerate(zip(lengths, near.tolist(), strict=True), start=old):
            chosen = [k for k, other in enumerate(others) if other != t][: self.k]
            for k, weight in zip(chosen, self._weights(far[chosen], self._width).tolist(), strict=True):
                edges[min(t, others[k]), max(t, others[k])] = weight
        for (u, v), weight in edges.items():
            learner.add_edge(u, v, weight)
        self._rows = rows


def _equal(one: Any, other: Any) -> bool:
    if sparse.issparse(one) != sparse.issparse(other):
        return False
    return bool((one != other).nnz == 0) if sparse.issparse(one) else bool(np.array_equal(one, other))
