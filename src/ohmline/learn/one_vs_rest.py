"""Many classes from binary learners: one against the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.errors import LearnerError
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.classes import ClassTable, saved_classes
from ohmline.learn.contract import OnlineLearner, State, Update, View, expect_kind
from ohmline.learn.position import PositionLearner
from ohmline.learn.stepping import (
    ALWAYS,
    GAP_BELOW,
    VARIANCE_ABOVE,
    Batch,
    Log,
    Rule,
    asks,
)


@final
class OneVsRest(OnlineLearner[Hashable, Any]):
    """One binary learner a class; the class with the largest margin is predicted.

    ``make`` is called without arguments and returns a fresh binary learner over the kernel.
    With ``classes`` the set is fixed and another label is an error. Without it classes are
    learned as they come: one learner sees nothing but negatives, and a class that appears late
    starts as its copy, exactly as if it had been declared. Before the first label the answer
    is None. Among equal margins the class that was declared (or seen) first wins.

    >>> import ohmline as ohm
    >>> path = ohm.Graph.from_edges([(k, k + 1) for k in range(5)])
    >>> kernel = ohm.LaplacianKernel(path) + ohm.Constant(1.0)
    >>> many = ohm.OneVsRest(lambda: ohm.Perceptron(kernel))
    >>> many.predict_one(3) is None
    True
    >>> for node, label in [(0, "red"), (5, "blue"), (3, "blue")]:
    ...     _ = many.learn_one(node, label)
    >>> many.predict_one(1), many.predict_one(4), many.classes
    ('red', 'blue', ('red', 'blue'))
    """

    kind = "OneVsRest"

    def __init__(
        self, make: Callable[[], PositionLearner[Any]], classes: Iterable[Any] | None = None
    ) -> None:
        self.make = make
        self._unseen = make()  # has seen only negatives; late classes start as its copy
        if not isinstance(self._unseen, PositionLearner):
            raise LearnerError(f"make must return a binary learner over a kernel, got {self._unseen!r}")
        self._table = ClassTable(classes)
        self._learners: dict[Any, PositionLearner[Any]] = {label: make() for label in self._table.names}

    @property
    def nodes(self) -> NodeIndex:
        """The nodes it may be asked about."""
        return self._unseen.nodes

    @property
    def fixed(self) -> bool:
        """Whether the classes were declared."""
        return self._table.fixed

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order in which they were declared or seen."""
        return tuple(self._learners)

    def scores_one(self, x: Hashable) -> dict[Any, float]:
        """The margin of every class at ``x``."""
        return {label: learner.glance_one(x).margin for label, learner in self._learners.items()}

    def predict_one(self, x: Hashable) -> Any:
        return self.glance_one(x).prediction

    def view_one(self, x: Hashable) -> View[Any]:
        return self._together([learner.view_one(x) for learner in self._learners.values() or [self._unseen]])

    def glance_one(self, x: Hashable) -> View[Any]:
        return self._together(
            [learner.glance_one(x) for learner in self._learners.values() or [self._unseen]]
        )

    def _together(self, views: list[View[Any]]) -> View[Any]:
        """The view of many classes from the binary ones; before the first class, from the unseen one."""
        if not self._learners:
            return View(None, 0.0, views[0].variance)
        margins = np.array([view.margin for view in views])
        best = int(margins.argmax())
        return View(self.classes[best], _gap(margins[:, None])[0], max(view.variance for view in views))

    def learn_one(self, x: Hashable, y: Any) -> Update:
        said = self.glance_one(x).prediction
        if y is None:
            return Update(None, False, 0.0)
        self._admit([y])
        updates = [learner.learn_one(x, 1 if label == y else -1) for label, learner in self._learners.items()]
        if not self._table.fixed:
            self._unseen.learn_one(x, -1)
        return Update(said != y, any(u.updated for u in updates), sum(u.progress for u in updates))

    def can_play(self, rule: Rule) -> bool:
        """Binary problems run apart, so only under a query that does not look at the learner."""
        return rule.kind not in (VARIANCE_ABOVE, GAP_BELOW) and self._unseen.can_play(rule)

    def play_arrays(
        self, batch: Batch, rule: Rule, progress: Callable[[int], None]
    ) -> tuple[dict[int, Any], Log]:
        """Every binary problem in its own compiled loop, then the largest margin of each trial."""
        nodes, codes, classes, revealed, draws = batch
        self.nodes.positions(nodes)
        asked = _asked(revealed, rule, draws)
        in_order = list(dict.fromkeys(codes[asked].tolist()))
        before = len(self._learners)
        self._admit(classes[code] for code in in_order)
        labels = self.classes
        trials = len(codes)
        margins = np.empty((len(labels), trials))
        variances = np.full(trials, np.nan)
        updated, moved = np.zeros(trials, np.bool_), np.zeros(trials)
        always = Rule(ALWAYS, 0.0, -1)
        for k, label in enumerate(labels):
            own = np.fromiter((classes[c] == label for c in range(len(classes))), np.bool_, len(classes))
            truth = np.append(own, False)[codes].astype(np.int64)
            _, log = self._learners[label].play_arrays(
                Batch(nodes, truth, (-1, 1), asked, draws), always, _silent
            )
            margins[k] = log.margin
            known_from = 0
            if k >= before:  # a late class cannot be said before it was seen
                known_from = int(np.flatnonzero(asked & (truth == 1))[0]) + 1
                margins[k, :known_from] = -np.inf
            variances = np.fmax(variances, np.where(np.arange(trials) >= known_from, log.variance, np.nan))
            # Nor does its learner exist before: what it learned there, the unseen one learned too.
            live = np.arange(trials) >= max(known_from - 1, 0)
            updated |= log.updated & live
            moved += np.where(live, log.progress, 0.0)
            progress(trials * (k + 1) // len(labels) - trials * k // len(labels))
        if not self._table.fixed:
            negatives = np.zeros(trials, np.int64)
            self._unseen.play_arrays(Batch(nodes, negatives, (-1,), asked, draws), always, _silent)
        prediction, gap = np.full(trials, -1, np.int64), np.zeros(trials)
        if labels:
            some = np.isfinite(margins.max(axis=0))
            prediction[some] = margins.argmax(axis=0)[some]
            gap = _gap(margins)
        return dict(enumerate(labels)) | {-1: None}, Log(prediction, gap, variances, asked, updated, moved)

    def snapshot(self) -> State:
        state: State = {"kind": np.array(self.kind), **self._table.settings()}
        for prefix, learner in (("unseen", self._unseen), *enumerate(self._learners.values())):
            state |= {f"{prefix}/{key}": value for key, value in learner.snapshot().items()}
        return state

    @classmethod
    def restore(cls, state: State, kernel: Any) -> Self:
        """``kernel`` is here the function that makes a fresh binary learner."""
        expect_kind(state, cls.kind)
        names, fixed = saved_classes(state, cls.kind)
        many = cls(kernel, names if fixed else None)
        many._admit(names)
        for prefix, learner in (("unseen", many._unseen), *enumerate(many._learners.values())):
            part = {k.removeprefix(f"{prefix}/"): v for k, v in state.items() if k.startswith(f"{prefix}/")}
            learner.load(part)
        return many

    def _admit(self, labels: Iterable[Any]) -> None:
        """Let new classes in, all or none."""
        for label in [label for label in dict.fromkeys(labels) if self._table.find(label) < 0]:
            self._table.admit(label)
            copy = self.make()
            copy.load(self._unseen.snapshot())
            self._learners[label] = copy


def _asked(revealed: Bools, rule: Rule, draws: Floats) -> Bools:
    """The trials whose label a query asks for that does not look at the learner."""
    asked, spent = np.zeros(len(revealed), np.bool_), 0
    if rule.kind == ALWAYS and rule.labels < 0:
        return revealed.copy()
    for t in np.flatnonzero(revealed):
        asked[t] = asks(rule, int(t) + 1, 0.0, 0.0, spent, draws[t])
        spent += int(asked[t])
    return asked


def _gap(margins: Floats) -> Floats:
    """Largest margin less the second largest, for each column; 0 when nothing is known yet."""
    if len(margins) == 1:
        return np.where(np.isfinite(margins[0]), np.abs(margins[0]), 0.0)
    top = np.sort(margins, axis=0)[-2:]
    with np.errstate(invalid="ignore"):
        gap = np.where(np.isfinite(top[0]), top[1] - top[0], np.abs(top[1]))
    return np.where(np.isfinite(top[1]), gap, 0.0)


def _silent(trials: int) -> None:
    """The binary loops report together."""
