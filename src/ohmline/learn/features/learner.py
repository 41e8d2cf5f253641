"""A classifier over rows of numbers, as a learner over nodes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from copy import deepcopy
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import Floats, whole_numbers
from ohmline.checks import listed, shown
from ohmline.compiled import undisturbed
from ohmline.errors import OhmlineError, ParameterError, SnapshotError
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.classes import ClassTable, saved_classes
from ohmline.learn.contract import OnlineLearner, State, Update, View
from ohmline.learn.features.models import Event, Model, asked, learn, model_of, taught
from ohmline.learn.features.rows import NodeFeatures, expect_features
from ohmline.learn.labels import plain_label
from ohmline.learn.predictions import Predictions
from ohmline.learn.snapshots import expect_fingerprint, expect_kind, take
from ohmline.learn.step import UNLABELLED
from ohmline.learn.turns import TakesTurns
from ohmline.representation import represent


@final
class FeatureLearner(TakesTurns, OnlineLearner[Hashable, Any]):
    """Teaches any online classifier the rows of nodes: nodes in, their rows looked up.

    The classifier may be one of scikit-learn with `partial_fit` and `predict_proba`, one of river, or a learner of
    this library over vectors, such as `OnlineManifold`. It is copied, so that yours stays as it is. One of
    scikit-learn has to know its classes in advance: where a class comes late, a fresh copy learns everything again.

    What it learned is kept as nodes and labels in their order. A snapshot holds these, and `restore` teaches them
    again to the classifier that it is given; so does a trial that fails. So its coins must fall alike each time: where
    one of scikit-learn leaves its `random_state` open, the copy has 0; one of river needs a `seed`, and any other must
    not depend on chance.

    Probabilities that are all NaN, as those of `GaussianNB` before it has seen two rows of a class, are "don't know".
    While a label is learned, readers wait.

    Parameters
    ----------
    features
        The rows of the nodes.
    model
        The classifier, which has learned nothing yet.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come,
        or takes those that a learner of this library was declared with.

    Examples
    --------
    >>> import ohmline as ohm
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> six = ohm.Graph.from_edges([(k, k + 1) for k in range(5)])
    >>> words = ohm.NodeFeatures([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]], six)
    >>> learner = ohm.FeatureLearner(words, MultinomialNB())
    >>> for node, label in [(0, "sport"), (5, "art"), (1, "sport"), (4, "art")]:
    ...     _ = learner.learn_one(node, label)
    >>> learner.predict_one(3), learner.classes
    ('art', ('sport', 'art'))
    """

    kind = "FeatureLearner"

    def __init__(self, features: NodeFeatures, model: Any, classes: Iterable[Any] | None = None) -> None:
        self.features = expect_features(features)
        self.model = _copied(model)
        """The classifier as it was given."""
        self._running: Model | None = model_of(self.model, features)
        if classes is None and isinstance(model, OnlineLearner):
            classes = model.declared_classes
        self._table = ClassTable(None if classes is None else listed(classes, "classes"))
        self._events: list[Event] = []

    @property
    def nodes(self) -> NodeIndex:
        """The nodes it may be asked about."""
        return self.features.nodes

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order in which they were declared or first learned."""
        return self._table.names

    @property
    def declared_classes(self) -> tuple[Any, ...] | None:
        return self._table.declared

    def predict_proba_one(self, x: Hashable) -> dict[Any, float]:
        """The probability of each class; empty for "don't know".

        Parameters
        ----------
        x
            A node.
        """
        names, (chance,) = self._told([self.nodes.position(x)])
        return {} if chance is None else dict(zip(names, chance.tolist(), strict=True))

    def predict_one(self, x: Hashable) -> Any:
        return self.view_one(x).prediction

    def view_one(self, x: Hashable) -> View[Any]:
        names, (chance,) = self._told([self.nodes.position(x)])
        if chance is None:
            return View(None, 0.0)
        best = int(chance.argmax())
        return View(names[best], float(chance[best] - np.delete(chance, best).max(initial=0.0)))

    def predict_many(self, nodes: Iterable[Hashable] | None = None) -> Predictions:
        things = self.nodes if nodes is None else listed(nodes, "nodes")
        places = self.nodes.positions(things)
        names, found = self._told(places.tolist())
        table = np.full((len(places), len(names)), np.nan)
        codes, margins = np.full(len(places), -1), np.zeros(len(places))
        for k, chance in enumerate(found):
            if chance is not None:
                table[k], best = chance, int(chance.argmax())
                codes[k], margins[k] = best, chance[best] - np.delete(chance, best).max(initial=0.0)
        return Predictions(things, names, codes, table, margins, lambda: (codes >= 0) & (margins != 0))

    def learn_one(self, x: Hashable, y: Any) -> Update:
        with self.alone():
            place, label = self.nodes.position(x), plain_label(y)
            said = self.view_one(x).prediction
            code = UNLABELLED if label is None else self._table.find(label)
            with self._still:  # what is read meanwhile is of one moment
                running = self._taught()
                if label is None and not running.learns_unlabelled:
                    return Update(None, False, 0.0)
                self._teach(running, place, label, code)
            return Update(None if label is None else said != label, True, 0.0)

    def _teach(self, running: Model, place: int, label: Any, code: int) -> None:
        """Learn one event wholly, or not at all."""
        put_back = self.checkpoint()
        try:
            if label is not None and code < 0:
                code = self._table.admit(label)
            self._events.append((place, code))
            learn(running, self.model, self._events, self.classes)
        except BaseException:
            put_back()
            raise

    def checkpoint(self) -> Callable[[], None]:
        events, kept, names = self._events, len(self._events), self.classes

        def put_back() -> None:
            with undisturbed(), self._still:
                if self._events is events and len(events) == kept and self.classes == names:
                    return
                self._events = events[:kept]  # a new list: to `events` is only ever added
                self._table.become(names)
                self._running = None  # taught again when it is needed

        return put_back

    def snapshot(self) -> State:
        with self._still:
            return {
                "kind": np.array(self.kind),
                "fingerprint": np.array(self.features.fingerprint),
                "model": np.array(repr(self.model)),
                "events": np.array(self._events, dtype=np.int64).reshape(len(self._events), 2),
                **self._table.settings(),
            }

    @classmethod
    def restore(cls, state: State, kernel: Any) -> Self:
        """The learner that was snapshot: its labels are learned again, in their order.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            The same features and a fresh classifier, as another `FeatureLearner` or as a pair.
        """
        expect_kind(state, cls.kind)
        features, model = _stage(kernel)
        expect_fingerprint(state, cls.kind, features.fingerprint)
        names, fixed = saved_classes(state, cls.kind)
        if take(state, cls.kind, "model").tolist() != repr(model):
            raise SnapshotError(
                f"the snapshot is of {shown(take(state, cls.kind, 'model').tolist())}, and the classifier given is "
                f"{shown(model)}; give the same one, fresh"
            )
        learner = cls(features, model, names if fixed else None)
        learner._table.admit_all(names)
        events = take(state, cls.kind, "events")
        if events.ndim != 2 or events.shape[1] != 2:
            raise SnapshotError(
                f"the snapshot's events must be pairs, got shape {events.shape}; it is damaged"
            )
        try:
            places = whole_numbers(events[:, 0], "places", low=0, high=len(features.nodes) - 1)
            codes = whole_numbers(events[:, 1], "codes", low=UNLABELLED, high=len(names) - 1)
        except OhmlineError as error:
            raise SnapshotError(f"the snapshot's events are damaged: {error}") from error
        learner._events = list(zip(places.tolist(), codes.tolist(), strict=True))
        learner._running = taught(learner.model, features, learner._events, learner.classes)
        return learner

    def _told(self, places: list[int]) -> tuple[tuple[Any, ...], list[Floats | None]]:
        """The classes, and the probabilities of each at these positions; None for "don't know"."""
        with self._still:
            names, running = self.classes, self._taught()
            found = [asked(running, self.model, place, names) if names else None for place in places]
        return names, found

    def _taught(self) -> Model:
        """The classifier that has learned all events."""
        if self._running is None:
            self._running = taught(self.model, self.features, self._events, self.classes)
        return self._running

    def __getstate__(self) -> dict[str, Any]:
        with self._still:  # a copy is of one moment
            moment = {"_events": list(self._events), "_table": deepcopy(self._table)}
            return {**super().__getstate__(), **moment, "_running": deepcopy(self._running)}

    def __copy__(self) -> Self:
        return deepcopy(self)  # two learners never share a model

    def __repr__(self) -> str:
        return represent(self, classes=self._table.declared)


def _stage(kernel: Any) -> tuple[NodeFeatures, Any]:
    """The features and the classifier that a snapshot is restored over."""
    if isinstance(kernel, FeatureLearner):
        return kernel.features, kernel.model
    try:
        features, model = kernel
    except (TypeError, ValueError):
        raise SnapshotError(
            f"a snapshot of FeatureLearner is restored over (features, model), got {shown(kernel)}"
        ) from None
    return expect_features(features), model


def _copied(model: Any) -> Any:
    try:
        return deepcopy(model)
    except TypeError as error:
        raise ParameterError(
            f"model must be a classifier that can be copied, got {shown(model)} ({error}); give one of scikit-learn or "
            "river, or a learner over vectors"
        ) from None
