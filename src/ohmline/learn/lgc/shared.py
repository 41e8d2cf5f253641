"""Second-order learning of many classes with one shared A: past paper 004's one-vs-rest."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from types import MappingProxyType
from typing import Any, NamedTuple, Self, final

import numpy as np
from numpy.typing import DTypeLike

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import dot, implements, undisturbed
from ohmline.kernel.contract import Kernel
from ohmline.learn.belief import LinearBelief
from ohmline.learn.classes import ClassTable, ManyClassLearner, saved_classes
from ohmline.learn.contract import State
from ohmline.learn.lgc.ridge_regression import (
    Regressors,
    Variance,
    downdate,
    expect_mu,
    gain,
    quadratic,
    regressors,
    spread,
    tie,
)
from ohmline.learn.node_learner import OverKernel
from ohmline.learn.predictions import Predictions
from ohmline.learn.ranges import CLASS_COUNT, CLASSES_OR_NONE, expect_listed
from ohmline.learn.snapshots import expect_kind, saved_member, saved_number, take
from ohmline.learn.step import learn, variance, view


class SharedState(NamedTuple):
    """One A^-1, and the weights of each class as a row."""

    weights: AnyArray
    """For targets 1 (this class) and 0 (another): a class not seen yet has weight 0, exactly."""
    inverse: AnyArray
    sqnorm: AnyArray
    """||w_c||^2 of every class, for telling a tie."""
    gross: AnyArray
    """The lengths of all moves together."""
    blur: AnyArray
    """The largest 1 + q so far: by so much the steps have magnified rounding."""
    order: Ints
    """The codes of the classes, in the order in which they were first seen."""
    seen: Ints
    """How many were seen."""


@final
class SharedLGC(OverKernel, ManyClassLearner):
    """Second-order learning of many classes: OLLGC with one A for all, and the largest score wins.

    Every label is learned, so all classes have the same A, and one gain serves them all: a trial
    costs O(d^2 + d C) for C classes, where one-vs-rest pays O(d^2 C). It is also more accurate, because a
    class learns from the labels of the others.

    A class is never predicted before it was seen; before the first label the answer is None. The margin
    is the gap between the two best scores, each on the scale of a one-vs-rest margin (+1 for this class,
    -1 for another); while only one class was seen, the gap to a class of which nothing is known.
    Among equal scores the class that was seen first wins.

    Parameters
    ----------
    kernel
        The features: a `SpectralKernel`, or any kernel that is not made of columns on demand.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they
        come, with the same result as if they had been declared.
    mu
        The ridge, above 0. Default 0.1.
    variance
        Which of the two readings of r_t queries are told: `Variance.AFTER` (default) or `.BEFORE`.
    dtype
        `numpy.float64` (default) or `numpy.float32`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 12) for k in range(12)])
    >>> learner = ohm.SharedLGC(ohm.SpectralKernel(ring, rank=5))
    >>> learner.predict_one(0) is None
    True
    >>> for node, label in [(0, "red"), (4, "green"), (8, "blue")]:
    ...     _ = learner.learn_one(node, label)
    >>> [learner.predict_one(node) for node in (11, 3, 9)]
    ['red', 'green', 'blue']
    """

    kind = "SharedLGC"
    ranges = MappingProxyType({"order": CLASSES_OR_NONE, "seen": CLASS_COUNT})

    def __init__(
        self,
        kernel: Kernel,
        classes: Iterable[Any] | None = None,
        mu: float = 0.1,
        *,
        variance: Variance = Variance.AFTER,
        dtype: DTypeLike = np.float64,
    ) -> None:
        self.kernel = kernel
        self.variance = variance
        self._table = ClassTable(classes)
        self.space = regressors(kernel, dtype, variance, every=True, blocks=False)
        self.mu = expect_mu(mu, self.space)
        self.dtype = dtype
        d, kind, count = self.space.rows.shape[1], self.space.rows.dtype, len(self._table)
        self.state = SharedState(
            np.zeros((count, d), kind),
            np.asarray(np.eye(d) / self.mu, kind),
            np.zeros(count, kind),
            np.zeros(1),
            np.ones(1),
            np.full(count, -1),
            np.zeros(1, np.int64),
        )

    def scores_one(self, x: Hashable) -> dict[Any, float]:
        """The score of each class seen, on the scale of a one-vs-rest margin.

        Parameters
        ----------
        x
            A node.
        """
        m = self.space.rows[self.nodes.position(x)]
        with self._still:
            names, state = self.classes, self.state
            known = state.order[: state.seen[0]]
            shares: Floats = np.asarray(state.weights[known] @ m, dtype=np.float64)
        # Targets 2e - 1 instead of e: the scores are 2 s - (the score of "any class", the sum of s).
        scores = 2 * shares - shares.sum()
        return {names[code]: float(score) for code, score in zip(known, scores, strict=True)}

    def _predict_at(self, things: Any, places: AnyArray) -> Predictions:
        codes, margins = self._views(places)
        known = self.state.order[: self.state.seen[0]]
        scores = np.full(
            (len(places), len(self.classes)), -np.inf
        )  # a class that was never seen is not possible
        shares = np.asarray(self.space.rows[places] @ self.state.weights[known].T, dtype=np.float64)
        scores[:, known] = 2 * shares - shares.sum(axis=1, keepdims=True)
        if not len(known):
            scores[:] = 0.0
        return self._predicted(things, self.classes, codes, margins, scores)

    def belief(self) -> LinearBelief:
        """Its regression: the shares of the classes, and the covariance of their weights."""
        with self._still:
            names, rows = self.classes, np.asarray(self.space.rows, dtype=np.float64)
            weights = np.asarray(self.state.weights[: len(names)], dtype=np.float64)
            inverse = np.array(self.state.inverse, dtype=np.float64)
        return LinearBelief(names, rows @ weights.T, rows, inverse, 1.0)

    def settle(self) -> None:
        if not self._table.fixed:
            known = self.state.order[: self.state.seen[0]].copy()
            with undisturbed(), self._still:
                self.state = self._resized(known, 0)._replace(order=np.arange(len(known)))
                self._table.keep(known)

    def settings(self) -> State:
        return {
            **self._table.settings(),
            "mu": np.array(self.mu),
            "variance": np.array(self.variance.value),
        }

    @classmethod
    def restore(cls, state: State, kernel: Kernel) -> Self:
        expect_kind(state, cls.kind)
        names, fixed = saved_classes(state, cls.kind)
        learner = cls(
            kernel,
            names if fixed else None,
            saved_number(state, cls.kind, "mu"),
            variance=saved_member(state, cls.kind, "variance", Variance),
            dtype=take(state, cls.kind, "state.weights").dtype.type,
        )
        learner.codes_of(names)
        learner.load(state)
        return learner

    def _expect_agreement(self, arrays: dict[str, AnyArray]) -> None:
        expect_listed(arrays, "order", "seen")

    def _resized(self, keep: Ints, fresh: int) -> SharedState:
        """The state with the rows of the classes at `keep`, and `fresh` empty ones."""
        old = self.state
        zeros = np.zeros((fresh, old.weights.shape[1]), old.weights.dtype)
        return old._replace(
            weights=np.vstack([old.weights[keep], zeros]),
            sqnorm=np.append(old.sqnorm[keep], np.zeros(fresh, old.sqnorm.dtype)),
            order=np.append(old.order[: len(keep)], np.full(fresh, -1)),
        )


@implements(view, SharedState)
def view_shared(space: Regressors, state: SharedState, x: int) -> tuple[int, float]:
    """The best class seen so far (-1 for none), and twice its lead: targets are 2e - 1."""
    m, largest = space.rows[x], 0.0
    for k in range(state.seen[0]):
        largest = max(largest, float(state.sqnorm[state.order[k]]))
    close = tie(np.finfo(m.dtype).eps, largest, state.gross[0], state.blur[0], space.diagonal[x])
    best, top, second = -1, -np.inf, -np.inf
    for k in range(state.seen[0]):
        c = state.order[k]
        score = float(dot(m, state.weights[c], m.shape[0]))
        if best < 0 or score > top + close:
            best, top, second = c, score, top
        else:
            second = max(second, score)
    if best < 0:
        return -1, 0.0
    lead = abs(top) if state.seen[0] == 1 else top - second
    return best, (2 * lead if lead > close else 0.0)


@implements(variance, SharedState)
def variance_shared(space: Regressors, state: SharedState, x: int) -> float:
    return spread(float(quadratic(state.inverse, space.rows[x])), space.before)


@implements(learn, SharedState)
def learn_shared(space: Regressors, state: SharedState, x: int, y: int, margin: float) -> tuple[bool, float]:
    """One gain, and a step along it for every class."""
    m = space.rows[x]
    d = m.shape[0]
    known = False
    for k in range(state.seen[0]):
        known = known or state.order[k] == y
    if not known:
        state.order[state.seen[0]] = y
        state.seen[0] += 1
    g = np.empty_like(m)
    gain(state.inverse, m, g)
    q = max(float(dot(m, g, d)), 0.0)
    sqgain = float(dot(g, g, d))
    progress = 0.0
    for k in range(state.seen[0]):
        c = state.order[k]
        w = state.weights[c]
        change = ((1.0 if c == y else 0.0) - float(dot(m, w, d))) / (1 + q)
        for e in range(d):
            w[e] += change * g[e]
        state.sqnorm[c] = dot(w, w, d)
        progress += change * change * sqgain
    state.gross[0] += np.sqrt(progress)
    state.blur[0] = max(state.blur[0], 1 + q)
    downdate(state.inverse, g, q)
    return True, progress
