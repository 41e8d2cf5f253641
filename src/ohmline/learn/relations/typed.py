"""`LocalLGC` over several types of edges, with a learned weight for each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from copy import deepcopy
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.checks import listed, shown
from ohmline.compiled import undisturbed
from ohmline.errors import OhmlineError, SnapshotError
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.relations import Relations, expect_relations
from ohmline.learn.belief import Belief
from ohmline.learn.classes import written
from ohmline.learn.contract import OnlineLearner, State, Update, View
from ohmline.learn.labels import plain_label
from ohmline.learn.local_lgc import LocalLGC
from ohmline.learn.local_lgc.limits import mu_of
from ohmline.learn.predictions import Predictions
from ohmline.learn.relations.votes import fitted, votes_of, worths
from ohmline.learn.snapshots import expect_fingerprint, expect_kind, saved_count, saved_list, take
from ohmline.learn.turns import TakesTurns
from ohmline.representation import represent

FIRST = 8
"""The weights are fitted for the first time when there are so many labels."""
GROWTH = 1.25
"""And again each time the labels have grown by this factor."""
MOVED = 0.1
"""Where no weight moved by more than this share of the largest one, nor halved or doubled, the graph stays."""


@final
class TypedLGC(TakesTurns, OnlineLearner[Hashable, Any]):
    """`LocalLGC` over several types of edges, which learns how much each type counts.

    The graph is the weighted sum of the types, each in units of its own mean weight; at first each counts 1. When there
    are 8 labels, and each time they have grown by 1.25, the weights are fitted by the loss of leaving out: each label
    is told from the labels of its neighbours alone, with probability

      (share of its class + sum over types of w_k right_k) / (1 + sum over types of w_k all_k),

    where right_k is the weight of its neighbours of type k with the same label, and all_k of all labelled ones. The
    weights minimise the sum of -ln of it over all labels, on a grid that contains 0, which leaves a type out, plus
    (ln w_k)^2 / 10, so that few labels move them little. Where they moved, the graph is made anew, and the labels are
    learned again. This costs at most five times what learning them once does, all in all, and the edges of all types
    for each fit.

    `weights` says what each type counts, and `worths` what leaving it out would cost. Types whose neighbours *differ*
    get the weight 0 here; `Compatibility` learns from those. `relational` blends both with `LocalLGC` over the plain
    union, and has a certificate that it is hardly worse than the best of them.

    Parameters
    ----------
    relations
        `Relations`, or a dict from names to graphs over the same nodes.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.

    Examples
    --------
    >>> import numpy as np
    >>> import ohmline as ohm
    >>> rng = np.random.default_rng(0)
    >>> blocks = ohm.graph.generate.stochastic_block_model([60, 60], 0.01 + 0.06 * np.eye(2), seed=0)
    >>> at_random = ohm.graph.knn(rng.normal(size=(120, 3)), 8)
    >>> learner = ohm.TypedLGC({"cites": blocks.graph, "same office": at_random})
    >>> _ = ohm.play(learner, ohm.Stream(range(120), blocks.groups).shuffled(seed=0))
    >>> learner.weights["cites"], learner.weights["same office"] < 0.2
    (1.0, True)
    """

    kind = "TypedLGC"

    def __init__(
        self, relations: Relations | Graph | Mapping[str, Graph], classes: Iterable[Any] | None = None
    ) -> None:
        self.relations = expect_relations(relations)
        """The types of edges."""
        self._graphs = [self.relations[name] for name in self.relations.types]
        self._shares: Floats = np.ones(len(self._graphs))
        self._fits_at = FIRST
        self._past: list[int] = []  # the positions with a label, in the order in which they got the first
        declared = None if classes is None else listed(classes, "classes")
        self.learner = joined(self.relations, self._shares, declared)
        """The `LocalLGC` over the weighted sum of the types; made anew when the weights move."""

    @property
    def nodes(self) -> NodeIndex:
        """The nodes it may be asked about."""
        return self.relations.nodes

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order in which they were declared or first learned."""
        return self.learner.classes

    @property
    def declared_classes(self) -> tuple[Any, ...] | None:
        return self.learner.declared_classes

    @property
    def fingerprint(self) -> str:
        """What a snapshot knows the relations by."""
        return self.relations.fingerprint

    @property
    def weights(self) -> dict[str, float]:
        """How much each type counts now; the largest counts 1."""
        return dict(zip(self.relations.types, self._shares.tolist(), strict=True))

    def worths(self) -> dict[str, float]:
        """For each type by how much the mean loss of a label, in nats, grows when the type is left out.

        Told from labelled neighbours alone, with the weights of now; below 0 for a type that does harm.
        """
        with self._still:
            found = worths(votes_of(self._graphs, self._labels()), self._shares)
        return dict(zip(self.relations.types, found.tolist(), strict=True))

    def predict_one(self, x: Hashable) -> Any:
        return self.learner.predict_one(x)

    def view_one(self, x: Hashable) -> View[Any]:
        return self.learner.view_one(x)

    def variance_one(self, x: Hashable) -> float:
        return self.learner.variance_one(x)

    def predict_proba_one(self, x: Hashable) -> dict[Any, float]:
        """The probability of each class, as `LocalLGC` says it; empty for "don't know".

        Parameters
        ----------
        x
            A node.
        """
        return self.learner.predict_proba_one(x)

    def predict_many(self, nodes: Iterable[Hashable] | None = None) -> Predictions:
        return self.learner.predict_many(nodes)

    def label_one(self, x: Hashable) -> Any:
        """The label learned for `x`; None if there is none.

        Parameters
        ----------
        x
            A node.
        """
        return self.learner.label_one(x)

    def labelled(self) -> Bools | None:
        """For each position whether its node has a label."""
        return self.learner.labelled()

    def belief(self) -> Belief | None:
        """The belief of the `LocalLGC` of now."""
        return self.learner.belief()

    def watch(self, on: bool) -> None:
        self.learner.watch(on)

    def learn_one(self, x: Hashable, y: Any) -> Update:
        with self.alone():
            label = plain_label(y)
            if label is None:
                return self.learner.learn_one(x, None)
            place = self.nodes.position(x)
            fresh = [place] if self.learner.state.label[place] < 0 else []
            with self._still:  # what is read meanwhile is of one moment
                if self._may_fit():
                    return self._learn_and_fit(x, label, fresh)
                with undisturbed():
                    update = self.learner.learn_one(x, label)
                    self._past += fresh
            return update

    def _learn_and_fit(self, x: Hashable, label: Any, fresh: list[int]) -> Update:
        """Learn a label, after which the weights may be fitted; or nothing at all."""
        put_back = self.checkpoint()
        try:
            update = self.learner.learn_one(x, label)
            self._past += fresh
            self._fit_if_due()
        except BaseException:  # an interrupt while labels are learned again
            put_back()
            raise
        return update

    def _may_fit(self) -> bool:
        """Whether the weights may be fitted once the next label is learned."""
        return len(self._graphs) > 1 and self._known() + 1 >= self._fits_at

    def _known(self) -> int:
        """How many nodes have a label."""
        return int(self.learner.state.counts.sum())

    def _labels(self) -> Ints:
        """The class of each node, -1 for none."""
        return np.asarray(self.learner.state.label[: self.relations.n], dtype=np.int64)

    def _in_order(self) -> list[int]:
        """The positions with a label, in the order of learning; last those that were taught to `learner` itself."""
        label = self._labels()
        every = dict.fromkeys([*self._past, *np.flatnonzero(label >= 0).tolist()])
        return [place for place in every if label[place] >= 0]

    def _fit_if_due(self) -> None:
        if len(self._graphs) == 1 or self._known() < self._fits_at:
            return
        label = self._labels()
        shares = fitted(votes_of(self._graphs, label), self._shares)
        fits_at = max(self._fits_at + 1, int(np.ceil(GROWTH * self._fits_at)))
        learner = self.learner
        if has_moved(self._shares, shares):
            learner = joined(self.relations, shares, self.declared_classes)
            known = len(learner.codes_of(self.classes))
            # As they were first learned, not as they come now; also those whose labels were all corrected since.
            learner.state.order[:known] = self.learner.state.order[:known]
            names, nodes, past = self.classes, self.nodes, self._in_order()
            learner.learn_many([nodes[i] for i in past], [names[code] for code in label[past].tolist()])
            with undisturbed():
                self.learner, self._shares, self._fits_at = learner, shares, fits_at
        self._fits_at = fits_at

    def checkpoint(self) -> Callable[[], None]:
        learner, shares, fits_at, past = self.learner, self._shares, self._fits_at, list(self._past)
        inner = learner.checkpoint()

        def put_back() -> None:
            with undisturbed(), self._still:
                inner()
                self.learner, self._shares, self._fits_at = learner, shares, fits_at
                self._past = list(past)

        return put_back

    def snapshot(self) -> State:
        with self._still:
            return {
                "kind": np.array(self.kind),
                "fingerprint": np.array(self.fingerprint),
                "types": np.array(written(self.relations.types, "types")),
                "shares": np.array(self._shares),
                "fits_at": np.array(self._fits_at),
                "past": np.array(self._in_order(), dtype=np.int64),
                **{f"learner/{key}": value for key, value in self.learner.snapshot().items()},
            }

    @classmethod
    def restore(cls, state: State, kernel: Relations | Graph | Mapping[str, Graph]) -> Self:
        """The learner that was snapshot.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            The same relations.
        """
        expect_kind(state, cls.kind)
        try:
            relations = expect_relations(kernel)
        except OhmlineError as error:
            raise SnapshotError(
                f"a snapshot of {cls.kind} is restored over its Relations, got {shown(kernel)}"
            ) from error
        expect_fingerprint(state, cls.kind, relations.fingerprint)
        if tuple(saved_list(state, cls.kind, "types")) != relations.types:
            raise SnapshotError(f"the snapshot's types are not {shown(relations.types)}; it is damaged")
        shares, fits_at = take(state, cls.kind, "shares"), saved_count(state, cls.kind, "fits_at")
        good = shares.dtype == np.float64 and shares.shape == (len(relations.types),)
        if not good or not np.all((shares >= 0) & (shares <= 1)) or shares.max() != 1:
            raise SnapshotError(
                f"the snapshot's shares must be {len(relations.types)} numbers from 0 to 1, one of them 1; it is "
                "damaged"
            )
        if fits_at < FIRST:
            raise SnapshotError(
                f"the snapshot's fits_at must be at least {FIRST}, got {fits_at}; it is damaged"
            )
        learner = cls(relations)
        inner = {key.removeprefix("learner/"): state[key] for key in state if key.startswith("learner/")}
        learner.learner = LocalLGC.restore(inner, graph_for(relations, shares))
        learner._shares, learner._fits_at = np.array(shares), fits_at
        past = take(state, cls.kind, "past")
        if past.dtype != np.int64 or not np.array_equal(
            np.sort(past), np.flatnonzero(learner._labels() >= 0)
        ):
            raise SnapshotError("the snapshot's past must name every labelled node once; it is damaged")
        learner._past = past.tolist()
        return learner

    def __copy__(self) -> Self:
        return deepcopy(self)  # two of them never share a learner

    def __repr__(self) -> str:
        return represent(self, classes=self.declared_classes)


def graph_for(relations: Relations, shares: Floats) -> Graph:
    """The weighted sum of the types."""
    return relations.union(dict(zip(relations.types, shares.tolist(), strict=True)))


def joined(relations: Relations, shares: Floats, classes: Any) -> LocalLGC:
    """`LocalLGC` over the weighted sum of the types.

    Its unit of weight, and the number of neighbours that mu follows, are those of a typical edge by weight, so that
    many edges of a type that counts little change neither.
    """
    graphs = [relations[name] for name in relations.types]
    entries = np.array([len(graph.indices) for graph in graphs], dtype=np.float64)
    mass = float(shares @ entries)
    if mass == 0:
        return LocalLGC(graph_for(relations, shares), classes)
    unit = float(shares**2 @ entries) / mass
    return LocalLGC(graph_for(relations, shares), classes, unit=unit, mu=mu_of(relations.n, int(mass / unit)))


def has_moved(before: Floats, after: Floats) -> bool:
    """Whether weights moved so much that the graph is worth making anew."""
    far = np.abs(after - before) > MOVED
    ratio = (np.maximum(after, 1e-3)) / np.maximum(before, 1e-3)
    return bool((far | (ratio >= 2) | (ratio <= 0.5)).any())
