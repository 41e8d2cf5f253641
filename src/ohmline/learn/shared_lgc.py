"""Second-order learning of many classes with one shared A: past paper 004's one-vs-rest."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple, Self, final

import numpy as np
from numpy.typing import DTypeLike

from ohmline.arrays import AnyArray, Bools, Floats, Ints, positive
from ohmline.compiled import compiled, dot, implements
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.contract import Kernel
from ohmline.kernel.space import Features
from ohmline.learn.classes import ClassTable, ManyClassLearner, saved_classes
from ohmline.learn.contract import State, expect_kind, take
from ohmline.learn.lgc_step import Variance, absorb, gain, quadratic, spread, sqtie
from ohmline.learn.online_lgc import explicit_features, precision, reading
from ohmline.learn.stepping import learn, view


class SharedState(NamedTuple):
    """One A^-1, and the weights of each class as a row."""

    weights: AnyArray
    """For targets 1 (this class) and 0 (another): a class not seen yet has weight 0, exactly."""
    inverse: AnyArray
    sqnorm: AnyArray
    """||w_c||^2 of every class, for telling a tie."""
    order: Ints
    """The codes of the classes, in the order in which they were first seen."""
    seen: Ints
    """How many were seen."""
    before: Bools


class WatchedShared(NamedTuple):
    """The same arrays; ``view`` also works out the variance, at O(d^2)."""

    weights: AnyArray
    inverse: AnyArray
    sqnorm: AnyArray
    order: Ints
    seen: Ints
    before: Bools


@final
class SharedLGC(ManyClassLearner):
    """OLLGC for many classes: one A for all, weights d x C, the largest score wins.

    Every label is learned, so all classes have the same A, and one gain serves them all: a trial
    costs O(d^2 + d C) where one-vs-rest pays O(d^2 C). It is also more accurate, because a
    class learns from the labels of the others.

    With ``classes`` the set is fixed and another label is an error. Without it classes are
    learned as they come, with the same result as if they had been declared. A class is never
    said before it was seen; before the first label the answer is None. The margin is the gap
    between the two best scores, each on the scale of a one-vs-rest margin (+1 for this class,
    -1 for another); while only one class was seen, the gap to a class of which nothing is known.
    Among equal scores the class that was seen first wins.

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
        self.mu = positive(mu, "mu")
        self.variance = reading(variance)
        self._table = ClassTable(classes)
        self.space: Features = explicit_features(kernel, precision(dtype))
        d, kind = self.space.rows.shape[1], self.space.rows.dtype
        self.state = SharedState(
            np.zeros((len(self._table), d), kind),
            np.asarray(np.eye(d) / self.mu, kind),
            np.zeros(len(self._table), kind),
            np.full(len(self._table), -1),
            np.zeros(1, np.int64),
            np.array([self.variance is Variance.BEFORE]),
        )

    @property
    def nodes(self) -> NodeIndex:
        return self.kernel.nodes

    @property
    def watched(self) -> WatchedShared:
        return WatchedShared(*self.state)

    def predict_one(self, x: Hashable) -> Any:
        return self.glance_one(x).prediction

    def variance_one(self, x: Hashable) -> float:
        """How little the labels learned so far say about ``x``."""
        return self.view_one(x).variance

    def scores_one(self, x: Hashable) -> dict[Any, float]:
        """The score of each class seen, on the scale of a one-vs-rest margin."""
        m = self.space.rows[self.nodes.position(x)]
        known = self.state.order[: self.state.seen[0]]
        shares: Floats = np.asarray(self.state.weights[known] @ m, dtype=np.float64)
        # Targets 2e - 1 instead of e: the scores are 2 s - (the score of "any class", the sum of s).
        scores = 2 * shares - shares.sum()
        names = self.classes
        return {names[code]: float(score) for code, score in zip(known, scores, strict=True)}

    def settle(self) -> None:
        if not self._table.fixed:
            known = self.state.order[: self.state.seen[0]].copy()
            self._table.keep(known)
            self._resize(known, 0)
            self.state.order[:] = np.arange(len(known))

    def settings(self) -> State:
        return {**self._table.settings(), "mu": np.array(self.mu)}

    @classmethod
    def restore(cls, state: State, kernel: Kernel) -> Self:
        expect_kind(state, cls.kind)
        names, fixed = saved_classes(state, cls.kind)
        learner = cls(
            kernel,
            names if fixed else None,
            float(take(state, cls.kind, "mu")),
            variance=Variance.BEFORE if take(state, cls.kind, "state.before")[0] else Variance.AFTER,
            dtype=take(state, cls.kind, "state.weights").dtype,
        )
        for name in names:
            learner.encode(name)
        learner.load(state)
        return learner

    def _resize(self, keep: Ints, fresh: int) -> None:
        """Keep the rows of the classes at ``keep``, and add ``fresh`` empty ones."""
        old = self.state
        zeros = np.zeros((fresh, old.weights.shape[1]), old.weights.dtype)
        self.state = old._replace(
            weights=np.vstack([old.weights[keep], zeros]),
            sqnorm=np.append(old.sqnorm[keep], np.zeros(fresh, old.sqnorm.dtype)),
            order=np.append(old.order[: len(keep)], np.full(fresh, -1)),
        )


@compiled
def best_two(space: Any, state: Any, i: int) -> tuple[int, float]:
    """The best class seen so far (-1 for none), and twice its lead: targets are 2e - 1."""
    m, largest = space.rows[i], 0.0
    for k in range(state.seen[0]):
        largest = max(largest, float(state.sqnorm[state.order[k]]))
    tie = np.sqrt(sqtie(np.finfo(m.dtype).eps) * (largest * space.diagonal[i]))
    best, top, second = -1, -np.inf, -np.inf
    for k in range(state.seen[0]):
        c = state.order[k]
        score = float(dot(m, state.weights[c], m.shape[0]))
        if best < 0 or score > top + tie:
            best, top, second = c, score, top
        else:
            second = max(second, score)
    if best < 0:
        return -1, 0.0
    lead = abs(top) if state.seen[0] == 1 else top - second
    return best, (2 * lead if lead > tie else 0.0)


@implements(view, SharedState, "state")
def _(space: Any, state: SharedState, i: int) -> tuple[int, float, float]:
    best, gap = best_two(space, state, i)
    return best, gap, np.nan


@implements(view, WatchedShared, "state")
def _(space: Any, state: WatchedShared, i: int) -> tuple[int, float, float]:
    best, gap = best_two(space, state, i)
    return best, gap, spread(float(quadratic(state.inverse, space.rows[i])), state.before[0])


@compiled
def step_shared(space: Any, state: Any, i: int, y: int) -> tuple[bool, float]:
    """One gain, and a step along it for every class."""
    m = space.rows[i]
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
        move = ((1.0 if c == y else 0.0) - float(dot(m, w, d))) / (1 + q)
        for e in range(d):
            w[e] += move * g[e]
        state.sqnorm[c] = dot(w, w, d)
        progress += move * move * sqgain
    absorb(state.inverse, g, q)
    return True, progress


@implements(learn, SharedState, "state")
def _(space: Any, state: SharedState, i: int, y: int, margin: float, variance: float) -> tuple[bool, float]:
    return step_shared(space, state, i, y)


@implements(learn, WatchedShared, "state")
def _(space: Any, state: WatchedShared, i: int, y: int, margin: float, variance: float) -> tuple[bool, float]:
    return step_shared(space, state, i, y)
