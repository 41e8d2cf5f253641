"""LocalManifold: vectors of many dimensions, few labels, a fixed budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import AnyArray, Floats, Ints, count
from ohmline.checks import flag, listed, none_or, number, positive
from ohmline.compiled import undisturbed
from ohmline.errors import ParameterError
from ohmline.learn.classes import ClassTable, saved_classes
from ohmline.learn.compiled_learner import CompiledLearner
from ohmline.learn.contract import State
from ohmline.learn.local_manifold.chances import survey
from ohmline.learn.local_manifold.drift import RECENT, Heads
from ohmline.learn.local_manifold.points import row_of, rows_of
from ohmline.learn.local_manifold.saved import saved_options, saved_state
from ohmline.learn.local_manifold.state import Settings, Summary, expect_room
from ohmline.learn.one_at_a_time import copied
from ohmline.learn.predictions import Predictions
from ohmline.learn.snapshots import expect_kind
from ohmline.representation import represent


@final
class LocalManifold(CompiledLearner[ArrayLike, Any]):
    """Learns from a stream of vectors that is almost all unlabelled, in many dimensions and on a fixed budget.

    The successor of `OnlineManifold`. It keeps a summary of the stream: `size` nodes, each with a centre z, a mass m
    (the points that it stands for), a label if one of them had one, and soft labels F. For every point x:

    1. *predict*: from the 50 nearest nodes, with D their squared distances, s the mean of D, K = exp(-D/s), k likewise
       from x, G = F / sum F and g the mean of G: f(x) = g + k'(K + 0.1 I)^-1 (G - g). The class c of the largest
       f_c sqrt(q_c / M_c) wins, where q_c is the share of c among the labels and M_c among the nodes.
    2. *make room*: the two things, of the nodes and x, whose merger costs least become one:
       m_i m_j / (m_i + m_j) d^2 (Ward), times (1 - eps) / eps where their classes differ and eps is how often
       predictions were wrong of late; never where their labels differ.
    3. *spread*: every node is joined to its 4 nearest, with weights exp(-d^2 / (sigma_i sigma_j)), sigma the distance
       to the 7th. One Gauss-Seidel sweep brings F closer to the harmonic function of the labels, in which a label
       weighs c times as much as the neighbours.

    Of paper 003 it keeps the setting: one pass over the stream, a risk of labels and a graph, a buffer of fixed size.
    The squared loss, merging instead of dropping, scales that differ from place to place, and solving where the paper
    takes gradient steps are beyond it. There is no bound on its mistakes: the regret bounds of the paper are for
    convex steps over a fixed kernel, and this has neither.

    | recipe | here |
    |---|---|
    | tau | `size` |
    | c | `label_weight`; None takes T / l, the points seen over the labels seen |
    | z, m, the labels | `summary` |

    Classes are learned as they come, and one that comes late is treated exactly as if it had been declared. Before the
    first label there is nothing to say: the prediction is None. Features in different units should be scaled first.

    Cost per point: O(size (features + classes)) and a system of 50 equations; memory O(size (size + features)).
    Neither grows with the stream.

    Parameters
    ----------
    size
        How many nodes stand for the stream, at least 2. Default 300. More are better and cost more.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.
    memory
        For a world that changes: after so many points what was learned weighs 1/e of what is new, and a label three
        times as old is forgotten. At least 1. None (default) forgets nothing.
    drift
        For a world that may change, without a memory to choose: True keeps two summaries, one that remembers and one
        that forgets over `size` / 2 points. What was wrong less often on the labels of late predicts, and where that
        is the one that forgets, the other one starts again from it. A point costs twice as much. It cannot be given
        together with `memory`. Default False.
    label_weight
        How much a label weighs against the neighbours of its node, above 0. None (default) takes the points seen over
        the labels seen: where labels are many, the neighbours can outvote a wrong one. 100 is for labels that can be
        trusted.

    Examples
    --------
    >>> import ohmline as ohm
    >>> learner = ohm.LocalManifold()
    >>> learner.learn_one([0.0, 0.0], "low").mistake, learner.learn_one([1.0, 1.0], "high").mistake
    (True, True)
    >>> learner.learn_one([0.2, 0.1], None).mistake is None
    True
    >>> learner.predict_one([0.1, 0.2]), learner.predict_one([0.9, 1.1])
    ('low', 'high')

    References
    ----------
    Goldberg, Li and Zhu, Online manifold regularization: a new learning setting and empirical study,
    ECML PKDD 2008.
    Zhu, Ghahramani and Lafferty, Semi-supervised learning using Gaussian fields and harmonic functions, ICML 2003.
    Ward, Hierarchical grouping to optimize an objective function, JASA 1963.
    Zelnik-Manor and Perona, Self-tuning spectral clustering, NIPS 2004.
    """

    learns_unlabelled = True
    kind = "LocalManifold"

    def __init__(
        self,
        size: int = 300,
        classes: Iterable[Any] | None = None,
        *,
        memory: float | None = None,
        drift: bool = False,
        label_weight: float | None = None,
    ) -> None:
        self.size = count(size, "size", least=2)
        self._table = ClassTable(classes)
        expect_room(self.size, 1, len(self._table))
        self.memory = none_or(number, memory, "memory", least=1.0, most=1e15)
        self.drift = flag(drift, "drift")
        if self.drift and self.memory is not None:
            raise ParameterError(
                f"drift=True finds out by itself how much to forget, and memory={self.memory:g} says it; "
                "leave one of them out"
            )
        self.label_weight = none_or(positive, label_weight, "label_weight")
        growth = 1.0 if self.memory is None else float(np.exp(1 / self.memory))
        recent = float(np.exp(1 / (RECENT * self.size)))
        self.space = Settings(growth, 0.0 if self.label_weight is None else self.label_weight, recent)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order in which they were declared or first learned."""
        return self._table.names

    @property
    def declared_classes(self) -> tuple[Any, ...] | None:
        return self._table.declared

    @property
    def trials(self) -> int:
        """Points seen so far."""
        return 0 if self.state is None else int(self.state.leader.tally.trials[0])

    @property
    def summary(self) -> tuple[Floats, Floats, tuple[Any, ...]]:
        """The nodes that stand for the stream: their centres, their masses, and their labels, None for none."""
        with self._still:
            if self.state is None:
                return np.zeros((0, 0)), np.zeros(0), ()
            state = self.state.leader
            n = int(state.tally.size[0])
            codes = np.append(state.order, -1)[state.label[:n]]
            labels = tuple(self.decode(code) for code in codes.tolist())
            return state.centre[:n].copy(), state.mass[:n] / state.tally.unit[0], labels

    def predict_one(self, x: ArrayLike) -> Any:
        return self.view_one(x).prediction

    def scores_one(self, x: ArrayLike) -> dict[Any, float]:
        """f(x) for every class, with the balance of the classes: the largest predicts.

        Parameters
        ----------
        x
            A point.
        """
        return dict(zip(self.classes, self._survey(self.locate(x)[None])[3][0].tolist(), strict=True))

    def predict_proba_one(self, x: ArrayLike) -> dict[Any, float]:
        """The probability of each class; calibrated online by one parameter. Empty before the first label.

        The positive scores' shares, with a small floor, are raised to a power that is fitted to the labels as they
        come, before each is learned.

        Parameters
        ----------
        x
            A point.
        """
        codes, _, chance, _ = self._survey(self.locate(x)[None])
        return dict(zip(self.classes, chance[0].tolist(), strict=True)) if codes[0] >= 0 else {}

    def locate(self, x: ArrayLike) -> Floats:
        return row_of(x, self._dimension)

    def locate_all(self, xs: Iterable[ArrayLike]) -> Floats:
        return rows_of(xs, self._dimension)

    def encode(self, y: Any) -> int:
        code = self._table.find(y)
        return code if code >= 0 else self.codes_of((y,))[0]

    def codes_of(self, labels: Sequence[Any]) -> list[int]:
        labels = listed(labels, "labels")
        fresh = [y for y in labels if self._table.find(y) < 0]
        if fresh:
            known = len(self._table)
            with undisturbed(), self._still:
                self._table.admit_all(fresh)
                try:
                    self._widen()
                except BaseException:  # no memory, perhaps: a class without room must not stay
                    self._table.keep(range(known))
                    raise
        return [self._table.find(y) for y in labels]

    def decode(self, code: int) -> Any:
        return self._table.decode(code)

    def ready(self, trials: int) -> int:
        return 0 if self.state is None else trials

    def learn_event(self, place: Floats, code: int) -> tuple[int, bool, float]:
        place = self.locate(place)
        if self.state is None:
            kind = Heads if self.drift else Summary
            self.state = kind.empty(self.size, len(place), len(self._table))
            try:
                return self._learn(place, self._coded(code))
            except BaseException:
                if not self.trials:
                    self.state = None
                raise
        return self.learn_compiled(place, code)

    def settle(self) -> None:
        if self._table.fixed:
            return
        with undisturbed(), self._still:
            met = np.zeros(0, np.int64) if self.state is None else self._order[self._order >= 0]
            if np.array_equal(met, np.arange(len(self._table))):
                return
            self._table.keep(met)
            if self.state is not None:
                self.state = self.state.with_classes(np.arange(len(met)))

    def snapshot(self) -> State:
        with self._still:
            return {
                "kind": np.array(self.kind),
                **self._table.settings(),
                "size": np.array(self.size),
                "memory": np.array(self.memory or 0.0),
                "drift": np.array(self.drift),
                "label_weight": np.array(self.label_weight or 0.0),
                **({} if self.state is None else self.state.arrays()),
            }

    @classmethod
    def restore(cls, state: State, kernel: None = None) -> Self:
        """The learner that was snapshot.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            Not needed: the snapshot holds everything.
        """
        expect_kind(state, cls.kind)
        names, fixed = saved_classes(state, cls.kind)
        learner = cls(classes=names if fixed else None, **saved_options(state))
        learner.codes_of(names)
        learner.state = saved_state(state, learner.size, len(names), learner.drift)
        return learner

    def checkpoint(self) -> Callable[[], None]:
        with self._still:
            kept, names = copied(self._state), self._table.names

        def put_back() -> None:
            with undisturbed(), self._still:
                self._table.become(names)
                self.state = kept

        return put_back

    def __setstate__(
        self, state: dict[str, Any]
    ) -> None:  # what was read from a mapped file may not be written to
        vars(self).update({**state, "_state": copied(state["_state"])})

    def _widen(self) -> None:
        """Room for every class of the table."""
        expect_room(self.size, self._dimension or 1, len(self._table))
        if self.state is not None:
            fresh = np.full(len(self._table) - len(self._order), -1)
            self.state = self.state.with_classes(np.append(self._order, fresh))

    @property
    def _dimension(self) -> int | None:
        return None if self.state is None else int(self.state.leader.centre.shape[1])

    @property
    def _order(self) -> Ints:
        """The codes of the columns, of which both summaries have the same."""
        order: Ints = self.state.leader.order
        return order

    def _codes(self) -> range:
        return range(len(self._table))

    def _look(self, place: Floats) -> tuple[int, float]:
        return (-1, 0.0) if self.state is None else super()._look(place)

    def _placed(self, place: Any) -> Floats:
        return self.locate(place)

    def _any_place(self) -> Floats:
        return np.zeros(self._dimension or 1)

    def _surveyed(self, nodes: Iterable[ArrayLike] | None) -> tuple[Any, Floats]:
        given = self._all_things() if nodes is None else nodes
        points = self.locate_all(given if isinstance(given, np.ndarray) else listed(given, "nodes"))
        return range(len(points)), points

    def _survey(self, points: Floats) -> tuple[AnyArray, Floats, Floats, Floats]:
        """Codes, margins, probabilities and scores of many points."""
        with self._still:
            n, classes = len(points), len(self._table)
            codes, margins = np.full(n, -1), np.zeros(n)
            chance, scores = np.full((n, classes), np.nan), np.zeros((n, classes))
            if self.state is not None:
                survey(self.state.leader, points, codes, margins, chance, scores)
        return codes, margins, chance, scores

    def _predict_at(self, things: Any, places: AnyArray) -> Predictions:
        codes, margins, chance, _ = self._survey(places)
        clear = (codes >= 0) & (margins != 0)
        return Predictions(things, self.classes, codes, chance, margins, clear.copy, calibrated=True)

    def __repr__(self) -> str:
        return represent(self, classes=self._table.declared)
