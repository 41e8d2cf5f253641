"""Several learners as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from math import isnan, nan
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats
from ohmline.checks import instance, listed, shown
from ohmline.compiled import undisturbed
from ohmline.errors import SnapshotError
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.belief import Belief, Believes, KnowsLabelled, TellsChances
from ohmline.learn.blend.members import (
    agreed_classes,
    checked_members,
    nodes_of,
    order_of_learning,
    stands_on,
    teach_all,
    together,
)
from ohmline.learn.blend.opinions import opinions_on, opinions_on_many
from ohmline.learn.blend.product import Product
from ohmline.learn.blend.saved import put_tally, saved_way
from ohmline.learn.blend.ways import Opinions, Tally, Way
from ohmline.learn.classes import ClassTable, saved_classes
from ohmline.learn.contract import OnlineLearner, State, Update, View
from ohmline.learn.labels import plain_label
from ohmline.learn.predictions import Predictions
from ohmline.learn.snapshots import expect_kind, saved_count
from ohmline.learn.turns import TakesTurns
from ohmline.representation import represent


@final
class Blend(TakesTurns, OnlineLearner[Any, Any]):
    """Several learners that learn the same labels and answer as one, hardly worse than the best and often better.

    Members may be any learners over the nodes of one graph, or over vectors: `LocalLGC` beside `OnlineLogistic` on the
    words of the nodes, a `FeatureLearner` around a classifier of another library, `GivenProbabilities` of a model that
    is not online, another blend. `Product` (the default) multiplies their probabilities, `Mixture` takes a weighted
    mean, `FixedShare` one that follows the best member of the moment, `Majority` lets them vote. Each keeps a promise
    about the best member, whatever the labels are, and `bound.best_bound` gives it as a certificate.

    Where every member says "don't know", so does the blend. A class comes in with its first label, unless a member was
    declared with classes: then those are the classes of all. A trial that a member refuses changes nobody. The
    variance and the belief that queries are told are those of the first member that has them.

    The blend takes its members over: let nobody else teach them.

    Parameters
    ----------
    learners
        The members, one or more: different learners over the same nodes, or all over vectors. They have learned
        nothing yet, or the same labels. `NodeFeatures` stand for `OnlineLogistic` over them, a pair (features,
        classifier) for `FeatureLearner`.
    way
        `Product()` (default), `Mixture()`, `FixedShare()` or `Majority()`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> graph = ohm.Graph.from_edges([(0, 1), (1, 2), (3, 4), (4, 5)])
    >>> words = ohm.NodeFeatures([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]], graph)
    >>> blend = ohm.Blend([ohm.LocalLGC(graph), ohm.OnlineLogistic(words)])
    >>> for node, label in [(0, "sport"), (5, "art"), (1, "sport")]:
    ...     _ = blend.learn_one(node, label)
    >>> blend.predict_one(2), blend.predict_one(3), blend.classes
    ('sport', 'art', ('sport', 'art'))
    >>> blend.weights.shape
    (2,)

    References
    ----------
    Littlestone and Warmuth, The weighted majority algorithm, Information and Computation 108, 1994.
    Vovk, Aggregating strategies, COLT 1990.
    """

    kind = "Blend"

    def __init__(self, learners: Iterable[Any], way: Way | None = None) -> None:
        self.learners = checked_members(learners)
        """The members."""
        self.way = (
            Product()
            if way is None
            else instance(way, Way, "way", "Product(), Mixture(), FixedShare() or Majority()")
        )
        declared, met = agreed_classes(self.learners)
        self._table = ClassTable(declared)
        self._table.admit_all(met)
        self._codes = {label: k for k, label in enumerate(self._table.names)}
        self._tally = self.way.start(len(self.learners))
        self._tells = tuple(isinstance(member, TellsChances) for member in self.learners)
        self._order = order_of_learning(self.learners)

    @property
    def nodes(self) -> NodeIndex | None:
        """The nodes it may be asked about; None over vectors."""
        return nodes_of(self.learners[0])

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order in which they were declared or first learned."""
        return self._table.names

    @property
    def declared_classes(self) -> tuple[Any, ...] | None:
        return self._table.declared

    @property
    def weights(self) -> Floats:
        """How much each member counts now: shares of the vote or of the mixture, or the powers of a product."""
        return self.way.weights(self._tally)

    @property
    def tally(self) -> Tally:
        """What the way of joining remembers of the members, by name: their mistakes or losses, and its own."""
        return {name: np.array(array) for name, array in self._tally.items()}

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The blend's share of each class, which sum to 1; empty for "don't know".

        Parameters
        ----------
        x
            A node, or a point for learners over vectors.
        """
        with self._still:
            opinions, names = self._opinions(x), self.classes
            if opinions.silent[0]:
                return {}
            return dict(zip(names, self.way.join(self._tally, opinions)[0].tolist(), strict=True))

    def predict_one(self, x: Any) -> Any:
        return self.view_one(x).prediction

    def view_one(self, x: Any) -> View[Any]:
        with self._still:
            opinions = self._opinions(x)
            codes, margins = leaders(self.way.join(self._tally, opinions), opinions.silent)
            return View(self._table.decode(int(codes[0])), float(margins[0]))

    def variance_one(self, x: Any) -> float:
        found = (member.variance_one(x) for member in self.learners)
        return next((variance for variance in found if not isnan(variance)), nan)

    def predict_many(self, nodes: Iterable[Any] | None = None) -> Predictions:
        things = self._all_things() if nodes is None else listed(nodes, "nodes")
        with self._still:
            asked = things if nodes is not None else None
            opinions, given = opinions_on_many(self.learners, asked, self._codes, len(things))
            shares = self.way.join(self._tally, opinions)
            codes, margins = leaders(shares, opinions.silent)
        shares[codes < 0] = nan
        names = things if self.nodes is not None else range(len(things))
        return Predictions(
            names,
            self.classes,
            codes,
            shares,
            margins,
            lambda: (codes >= 0) & (margins != 0),
            calibrated=self.way.needs_chances,
            labels=given,
        )

    def learn_one(self, x: Any, y: Any) -> Update:
        with self.alone():
            label = plain_label(y)
            if label is None:
                return self._teach(x, None, self._tally)
            code = self._table.find(label)
            opinions = self._opinions(x)
            said = leaders(self.way.join(self._tally, opinions), opinions.silent)[0][0]
            tally = self.way.learned(self._tally, opinions, code)
            with self._still:  # what is read meanwhile is of one moment
                update = self._teach(x, label, tally)
            return Update(bool(code < 0 or said != code), update.updated, update.progress)

    def _teach(self, x: Any, y: Any, tally: Tally) -> Update:
        """All members learn, and the blend with them, or nobody."""

        def written() -> None:
            if y is not None and y not in self._codes:
                self._codes = {**self._codes, y: self._table.admit(y)}
                self._order = order_of_learning(self.learners)
            self._tally = tally

        updates = teach_all(self.learners, self._order, x, y, written)
        return Update(None, any(u.updated for u in updates), float(sum(u.progress for u in updates)))

    def _opinions(self, x: Any) -> Opinions:
        return opinions_on(self.learners, self._tells, x, self._codes, self.way.needs_chances)

    def expect_class(self, label: Any) -> None:
        """Raise `LabelError` where a label cannot be learned.

        Parameters
        ----------
        label
            A label.
        """
        self._table.find(label)

    def take_over(self, tally: Tally, names: Iterable[Any]) -> None:
        """Put down what came of a game in which the members were played in loops of their own.

        Parameters
        ----------
        tally
            What the way of joining remembers by then.
        names
            The classes by then, in the order in which they were declared or first learned.
        """
        with undisturbed(), self._still:
            self._tally = tally
            self._table.become(names)
            self._codes = {label: k for k, label in enumerate(self._table.names)}
            self._order = order_of_learning(self.learners)

    def labelled(self) -> Bools | None:
        """For each position whether its node has a label; None where no member remembers it."""
        found = (m.labelled() for m in self.learners if isinstance(m, KnowsLabelled))
        return next((labelled for labelled in found if labelled is not None), None)

    def belief(self) -> Belief | None:
        """The belief of the first member that has one; None where none has."""
        found = (m.belief() for m in self.learners if isinstance(m, Believes))
        return next((belief for belief in found if belief is not None), None)

    def watch(self, on: bool) -> None:
        for member in self.learners:
            member.watch(on)

    def checkpoint(self) -> Callable[[], None]:
        parts = together([member.checkpoint() for member in self.learners])
        names, tally = self._table.names, self._tally

        def put_back() -> None:
            with undisturbed(), self._still:
                parts()
                self._table.become(names)
                self._codes = {label: k for k, label in enumerate(names)}
                self._order = order_of_learning(self.learners)
                self._tally = tally

        return put_back

    def snapshot(self) -> State:
        with self._still:
            state: State = {
                "kind": np.array(self.kind),
                "members": np.array(len(self.learners)),
                "way": np.array(type(self.way).__name__),
                **{f"way.{key}": value for key, value in self.way.settings().items()},
                **{f"tally.{key}": np.array(value) for key, value in self._tally.items()},
                **self._table.settings(),
            }
            for k, member in enumerate(self.learners):
                state |= {f"{k}/{key}": value for key, value in member.snapshot().items()}
        return state

    @classmethod
    def restore(cls, state: State, kernel: Any) -> Self:
        """The blend that was snapshot.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            The members, made again as they were for the blend, in the same order; or another blend of them.
        """
        expect_kind(state, cls.kind)
        fresh = checked_members(kernel.learners if isinstance(kernel, Blend) else kernel)
        if saved_count(state, cls.kind, "members") != len(fresh):
            raise SnapshotError(
                f"the snapshot is of {saved_count(state, cls.kind, 'members')} members, got {len(fresh)}; make them "
                "again as they were"
            )
        names, fixed = saved_classes(state, cls.kind)
        members = [type(m).restore(part_of(state, str(k)), stands_on(m)) for k, m in enumerate(fresh)]
        blend = cls(members, saved_way(state, cls.kind))
        if fixed != blend._table.fixed or (fixed and tuple(names) != blend.classes):
            raise SnapshotError(
                f"the snapshot has the classes {shown(names)}, and its members {shown(blend.classes)}; it is damaged"
            )
        blend._table.become(names)
        blend._codes = {label: k for k, label in enumerate(names)}
        blend._tally = put_tally(state, cls.kind, blend._tally, blend.way)
        return blend

    def __copy__(self) -> Self:
        return deepcopy(self)  # two blends never share their members

    def __repr__(self) -> str:
        return represent(self, learners=list(self.learners), way=None if self.way == Product() else self.way)


def part_of(state: State, prefix: str) -> State:
    """The arrays of one member."""
    return {k.removeprefix(f"{prefix}/"): state[k] for k in state if k.startswith(f"{prefix}/")}


def leaders(shares: Floats, silent: AnyArray) -> tuple[AnyArray, Floats]:
    """The class with the largest share of each row, the first among equals, and its lead; -1 where nobody knows."""
    if not shares.shape[1]:
        return np.full(len(shares), -1), np.zeros(len(shares))
    codes = np.where(silent, -1, shares.argmax(axis=1))
    top = np.sort(shares, axis=1)
    lead = top[:, -1] - top[:, -2] if shares.shape[1] > 1 else top[:, -1]
    return codes, np.where(silent, 0.0, lead)
