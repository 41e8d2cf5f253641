"""Logistic regression over the features of nodes, online."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from types import MappingProxyType
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import AnyArray, Bools, Ints
from ohmline.checks import count, number, positive, room
from ohmline.compiled import undisturbed
from ohmline.errors import SnapshotError
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.classes import ClassTable, ManyClassLearner, saved_classes
from ohmline.learn.contract import State
from ohmline.learn.features.logistic_step import (
    LAST_COIN,
    LogisticSpace,
    LogisticState,
    logistic_chances,
    logistic_table,
)
from ohmline.learn.features.rows import LARGEST, NodeFeatures, expect_features
from ohmline.learn.predictions import Predictions
from ohmline.learn.ranges import (
    CLASS_COUNT,
    CLASSES_OR_NONE,
    NODE_COUNT,
    POSITIONS_OR_NONE,
    Range,
    expect_listed,
)
from ohmline.learn.snapshots import expect_kind, saved_count, saved_number


@final
class OnlineLogistic(ManyClassLearner):
    """Multinomial logistic regression on the rows of nodes, by steps that adapt to each weight (AdaGrad).

    The probability of class c at a node with row x is proportional to exp(b_c + w_c . x), over the classes seen so
    far. A label moves every weight against the slope of -log(probability of the label), by a step divided by the root
    of the sum of its squared slopes so far; a rare word so keeps large steps. After it, `replays` labels that were
    learned before, drawn at random, are learned once more: few labels are worth several passes.

    A class is never predicted before it was seen; before the first label the answer is None. A class that comes late
    starts with weights 0, exactly as if it had been declared. Among equal probabilities the class seen first wins. The
    margin is the gap of the two largest probabilities. A node has one label: learning another one corrects what is
    replayed.

    Cost per trial: (1 + `replays`) times the entries of a row times the classes; memory 16 bytes for each feature and
    class.

    Parameters
    ----------
    features
        The rows of the nodes.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.
    rate
        By how much the first label moves the score of its class at a row of mean size, above 0 and at most 1e12: a step
        of a weight is this divided by 1 + the mean of the rows' sums of absolute entries. Default 3.
    replays
        How many earlier labels are learned again after each, at least 0. Default 10.

    Examples
    --------
    >>> import ohmline as ohm
    >>> six = ohm.Graph.from_edges([(k, k + 1) for k in range(5)])
    >>> words = ohm.NodeFeatures([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]], six)
    >>> learner = ohm.OnlineLogistic(words)
    >>> for node, label in [(0, "sport"), (5, "art"), (1, "sport"), (4, "art")]:
    ...     _ = learner.learn_one(node, label)
    >>> learner.predict_one(3), learner.predict_proba_one(3)["art"] > 0.5
    ('art', True)

    References
    ----------
    Duchi, Hazan and Singer, Adaptive subgradient methods for online learning and stochastic optimization, JMLR 12,
    2011.
    """

    kind = "OnlineLogistic"
    ranges = MappingProxyType(
        {
            "squares": Range(0.0, float(np.finfo(np.float64).max)),
            "label": CLASSES_OR_NONE,
            "past": POSITIONS_OR_NONE,
            "many": NODE_COUNT,
            "order": CLASSES_OR_NONE,
            "seen": CLASS_COUNT,
            "coin": Range(0, LAST_COIN),
        }
    )

    def __init__(
        self,
        features: NodeFeatures,
        classes: Iterable[Any] | None = None,
        *,
        rate: float = 3.0,
        replays: int = 10,
    ) -> None:
        self.features = expect_features(features)
        self._table = ClassTable(classes)
        self.rate = number(positive(rate, "rate"), "rate", most=LARGEST)
        self.replays = count(replays, "replays", most=10**6)
        self._expect_room(len(self._table))
        self.space = LogisticSpace(
            np.array(features.indptr),
            np.array(features.indices),
            np.array(features.values),
            self.rate / (1 + float(np.abs(features.values).sum()) / max(features.graph.n, 1)),
            self.replays,
        )
        n, c = features.graph.n, len(self._table)
        self.state = LogisticState(
            np.zeros((features.width + 1, c)),
            np.zeros((features.width + 1, c)),
            np.full(n, -1),
            np.full(n, -1),
            np.zeros(1, np.int64),
            np.full(c, -1),
            np.zeros(1, np.int64),
            np.ones(1, np.int64),
        )

    @property
    def nodes(self) -> NodeIndex:
        return self.features.nodes

    @property
    def fingerprint(self) -> str:
        return self.features.fingerprint

    def predict_proba_one(self, x: Hashable) -> dict[Any, float]:
        """The probability of each class; 0 for one that was never seen, empty before the first label.

        Parameters
        ----------
        x
            A node.
        """
        t = self.nodes.position(x)
        with self._still:
            classes, chance = self.classes, np.zeros(len(self._table))
            known = logistic_chances(self.space, self.state, t, chance)
        return dict(zip(classes, chance.tolist(), strict=True)) if known else {}

    def _predict_at(self, things: Any, places: AnyArray) -> Predictions:
        n = len(places)
        codes, margins, chances = np.empty(n, np.int64), np.empty(n), np.zeros((n, len(self._table)))
        logistic_table(self.space, self.state, places, codes, margins, chances)
        chances[codes < 0] = np.nan
        given = [self.decode(code) for code in self.state.label[places].tolist()]
        return Predictions(
            things,
            self.classes,
            codes,
            chances,
            margins,
            lambda: (codes >= 0) & (margins != 0),
            calibrated=int(self.state.seen[0]) > 1,
            labels=given,
        )

    def labelled(self) -> Bools:
        """For each position whether its node has a label."""
        with self._still:
            return np.asarray(self.state.label >= 0)

    def settle(self) -> None:
        if not self._table.fixed:
            known = self.state.order[: self.state.seen[0]].copy()
            number = np.full(len(self._table) + 1, -1)
            number[known] = np.arange(len(known))  # the last entry translates "no label"
            with undisturbed(), self._still:
                label = number[self.state.label]
                self.state = self._resized(known, 0)._replace(order=np.arange(len(known)), label=label)
                self._table.keep(known)

    def settings(self) -> State:
        return {
            **self._table.settings(),
            "rate": np.array(self.rate),
            "replays": np.array(self.replays),
        }

    @classmethod
    def restore(cls, state: State, kernel: NodeFeatures) -> Self:
        """The learner that was snapshot.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            The same features that the learner was made with.
        """
        expect_kind(state, cls.kind)
        names, fixed = saved_classes(state, cls.kind)
        learner = cls(
            kernel,
            names if fixed else None,
            rate=saved_number(state, cls.kind, "rate"),
            replays=saved_count(state, cls.kind, "replays"),
        )
        learner.codes_of(names)
        learner.load(state)
        return learner

    def _expect_agreement(self, arrays: dict[str, AnyArray]) -> None:
        expect_listed(arrays, "order", "seen")
        past = expect_listed(arrays, "past", "many")
        if np.any(arrays["label"][past] < 0) or np.count_nonzero(arrays["label"] >= 0) != len(past):
            raise SnapshotError("the snapshot's past must list the nodes that have a label; it is damaged")

    def _expect_room(self, classes: int) -> None:
        size = 16.0 * (self.features.width + 1) * classes
        room(size, f"the weights of {self.features.width:,} features and {classes} classes")

    def _resized(self, keep: Ints, fresh: int) -> LogisticState:
        """The state with the columns of the classes at `keep`, and `fresh` empty ones."""
        self._expect_room(len(keep) + fresh)
        old = self.state
        zeros = np.zeros((old.weights.shape[0], fresh))
        return old._replace(
            weights=np.hstack([old.weights[:, keep], zeros]),
            squares=np.hstack([old.squares[:, keep], zeros]),
            order=np.append(old.order[: len(keep)], np.full(fresh, -1)),
        )
