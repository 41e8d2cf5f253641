"""Many classes from binary learners: one against the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from copy import deepcopy
from inspect import signature
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.checks import instance, listed, shown
from ohmline.compiled import undisturbed
from ohmline.errors import LearnerError, ParameterError
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.belief import Believes, KnowsLabelled, LinearBelief
from ohmline.learn.classes import ClassTable, saved_classes
from ohmline.learn.contract import OnlineLearner, State, Update, View
from ohmline.learn.labels import plain_label
from ohmline.learn.node_learner import BinaryNodeLearner
from ohmline.learn.predictions import Predictions
from ohmline.learn.snapshots import expect_kind
from ohmline.learn.travel import expect_named
from ohmline.learn.turns import TakesTurns
from ohmline.representation import represent


@final
class OneVsRest(TakesTurns, OnlineLearner[Hashable, Any]):
    """Learns many classes with one binary learner per class; the class with the largest margin is predicted.

    A class that appears late starts as a copy of a learner that has seen nothing but negatives, exactly as if
    it had been declared. Before the first label the answer is None. Among equal margins the class that was
    declared (or seen) first wins. The variance of a node is the largest among the classes; before the first
    class, that of a learner without labels.

    Parameters
    ----------
    make
        Called without arguments, returns a fresh binary learner over the kernel. A learner made with a lambda cannot
        be pickled; one made with a function of a module, or with `functools.partial(Perceptron, kernel)`, can.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.

    Examples
    --------
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

    def __init__(self, make: Callable[[], BinaryNodeLearner], classes: Iterable[Any] | None = None) -> None:
        self.make = _maker(make)
        self.unseen = self.fresh()
        """Has seen only negatives; late classes start as its copy."""
        self._table = ClassTable(None if classes is None else listed(classes, "classes"))
        self.members: dict[Any, BinaryNodeLearner] = {label: self.fresh() for label in self._table.names}
        """The learner of each class."""

    @property
    def nodes(self) -> NodeIndex:
        """The nodes it may be asked about."""
        return self.unseen.nodes

    @property
    def fixed(self) -> bool:
        """Whether the classes were declared."""
        return self._table.fixed

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order in which they were declared or seen."""
        return tuple(self.members)

    @property
    def declared_classes(self) -> tuple[Any, ...] | None:
        return self._table.declared

    def scores_one(self, x: Hashable) -> dict[Any, float]:
        """The margin of every class at `x`.

        Parameters
        ----------
        x
            A node.
        """
        return {label: member.margin_one(x) for label, member in self.members.items()}

    def predict_one(self, x: Hashable) -> Any:
        return self.view_one(x).prediction

    def view_one(self, x: Hashable) -> View[Any]:
        margins = np.array([member.margin_one(x) for member in self.members.values()])
        if not len(margins):
            self.nodes.position(x)
            return View(None, 0.0)
        return View(self.classes[int(margins.argmax())], float(gaps(margins[:, None])[0]))

    def predict_many(self, nodes: Iterable[Hashable] | None = None) -> Predictions:
        things = self.nodes if nodes is None else listed(nodes, "nodes")
        members = self.members
        if not members:
            none = np.full(len(self.nodes.positions(things)), -1)
            return self._predicted(things, (), none, np.zeros(len(none)), np.zeros((len(none), 0)))
        scores = np.column_stack([member.predict_many(things).margins for member in members.values()])
        return self._predicted(things, tuple(members), scores.argmax(axis=1), gaps(scores.T), scores)

    def variance_one(self, x: Hashable) -> float:
        return max(member.variance_one(x) for member in self.members.values() or [self.unseen])

    def labelled(self) -> Bools | None:
        """For each position whether its node has a label; None where the members do not remember it."""
        first = next(iter(self.members.values()), self.unseen)
        return first.labelled() if isinstance(first, KnowsLabelled) else None

    def belief(self) -> LinearBelief | None:
        """The regressions of the members side by side; None where they keep no variance.

        Members that learn from mistakes alone have a covariance each. Queries are told their mean.
        """
        members = list(self.members.values())
        told = [m.belief() for m in members or [self.unseen] if isinstance(m, Believes)]
        linear = [found for found in told if isinstance(found, LinearBelief)]
        if not linear or len(linear) < len(members):
            return None
        mean = np.stack([found.mean[:, 1] for found in linear], axis=1)[:, : len(members)]
        inverse = np.mean([found.inverse for found in linear], axis=0)
        return LinearBelief(self.classes, mean, linear[0].features, inverse, linear[0].noise)

    def learn_one(self, x: Hashable, y: Any) -> Update:
        with self.alone():
            return self._learn_one(x, y)

    def _learn_one(self, x: Hashable, y: Any) -> Update:
        said = self.predict_one(x)
        if y is None:
            return Update(None, False, 0.0)
        put_back = self.checkpoint()
        try:
            self.admit([y])
            updates = [member.learn_one(x, 1 if label == y else -1) for label, member in self.members.items()]
            if not self.fixed:
                self.unseen.learn_one(x, -1)
        except BaseException:  # a member may refuse what the others have learned
            put_back()
            raise
        return Update(said != y, any(u.updated for u in updates), sum(u.progress for u in updates))

    def admit(self, labels: Iterable[Any]) -> None:
        """Let new classes in, all or none.

        Parameters
        ----------
        labels
            Labels; those that are known already change nothing.
        """
        fresh = [plain_label(label) for label in listed(labels, "labels") if self._table.find(label) < 0]
        copies = {label: self.fresh() for label in dict.fromkeys(fresh)}
        if copies:
            seen = self.unseen.snapshot()
            for copy in copies.values():
                copy.load(seen)
        if copies:
            with undisturbed():
                self._table.admit_all(copies)
                self.members = {
                    **self.members,
                    **copies,
                }  # another dict: readers may be walking through the old one

    def checkpoint(self) -> Callable[[], None]:
        members = dict(self.members)
        parts = [learner.checkpoint() for learner in (self.unseen, *members.values())]

        def put_back() -> None:
            self._table.become(members)
            self.members = dict(members)
            for part in parts:
                part()

        return put_back

    def fresh(self) -> BinaryNodeLearner:
        """A binary learner that has seen nothing, as `make` gives it."""
        return instance(
            self.make(),
            BinaryNodeLearner,
            "what make returns",
            "it makes a learner over a kernel",
            LearnerError,
        )

    def snapshot(self) -> State:
        state: State = {"kind": np.array(self.kind), **self._table.settings()}
        for prefix, learner in (("unseen", self.unseen), *enumerate(self.members.values())):
            state |= {f"{prefix}/{key}": value for key, value in learner.snapshot().items()}
        return state

    @classmethod
    def restore(cls, state: State, kernel: Any) -> Self:
        """The learner that was snapshot.

        Parameters
        ----------
        kernel
            Here the function that makes a fresh binary learner: the same `make` that the learner was made with.
        state
            What `snapshot` gave.
        """
        expect_kind(state, cls.kind)
        names, fixed = saved_classes(state, cls.kind)
        many = cls(kernel, names if fixed else None)
        many.admit(names)
        for prefix, learner in (("unseen", many.unseen), *enumerate(many.members.values())):
            learner.load(
                {k.removeprefix(f"{prefix}/"): state[k] for k in state if k.startswith(f"{prefix}/")}
            )
        return many

    def __getstate__(self) -> dict[str, Any]:
        expect_named(self, "make", self.make, "Perceptron(kernel)")
        return super().__getstate__()

    def __copy__(self) -> Self:
        return deepcopy(self)  # two learners never share their members

    def __repr__(self) -> str:
        return represent(self, classes=self._table.declared)


def _maker(make: Any) -> Callable[[], BinaryNodeLearner]:
    """A function that can be called without arguments; a learner or its class is none."""
    try:
        if callable(make):
            signature(make).bind()
            return make
    except TypeError:
        pass
    except ValueError:  # its arguments are not known
        return make
    kind = make if isinstance(make, type) else type(make)
    name = kind.__name__ if issubclass(kind, BinaryNodeLearner) else "Perceptron"
    raise ParameterError(
        f"make must be a function without arguments that returns a fresh binary learner for each class, got "
        f"{shown(make)}; give lambda: {name}(kernel), for example"
    )


def gaps(margins: Floats) -> Floats:
    """Largest margin less the second largest, for each column; 0 when nothing is known yet."""
    if len(margins) == 1:
        return np.where(np.isfinite(margins[0]), np.abs(margins[0]), 0.0)
    top = np.sort(margins, axis=0)[-2:]
    with np.errstate(invalid="ignore"):
        gap = np.where(np.isfinite(top[0]), top[1] - top[0], np.abs(top[1]))
    return np.where(np.isfinite(top[1]), gap, 0.0)
