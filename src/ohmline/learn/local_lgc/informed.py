"""LocalLGC with a prior: what is said is of the graph and of the prior together, and both learn each label."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import undisturbed
from ohmline.errors import SnapshotError
from ohmline.learn.blend.ways import Opinions, Tally
from ohmline.learn.contract import OnlineLearner, State
from ohmline.learn.local_lgc.chances import chances_all
from ohmline.learn.local_lgc.changing import ChangingLearner
from ohmline.learn.local_lgc.prior import Prior
from ohmline.learn.local_lgc.signs import lifted
from ohmline.learn.predictions import Predictions


class InformedLearner(ChangingLearner):
    """A learner over a graph that may be told of its nodes by another one, its prior."""

    _beside: Prior | None

    @property
    def prior(self) -> OnlineLearner[Any, Any] | None:
        """The learner whose probabilities are joined with those of the graph; None where there is none."""
        return None if self._beside is None else self._beside.learner

    @property
    def weights(self) -> Floats | None:
        """The powers of the graph's and of the prior's probabilities in their product; None without a prior."""
        return None if self._beside is None else np.array(self._beside.way.weights(self._beside.tally))

    @property
    def tally(self) -> Tally | None:
        """What joining graph and prior remembers of them, by name; None without a prior."""
        return (
            None
            if self._beside is None
            else {name: np.array(array) for name, array in self._beside.tally.items()}
        )

    def ready(self, trials: int) -> int:
        return trials if self._beside is None else 0  # what the prior says, Python hears

    def _look(self, place: Any) -> tuple[int, float]:
        if self._beside is None:
            return super()._look(place)
        with self._still:
            known, opinions = self._opinions(place)
            _, said, leads = self._beside.join(opinions)
            return self._meant(known, int(said[0])), float(leads[0])

    def learn_event(self, place: Any, code: int) -> tuple[int, bool, float]:
        prior = self._beside
        if prior is None:
            return super().learn_event(place, code)
        place, code = self._placed(place), self._coded(code)
        with self._still:  # what is read meanwhile is of one moment
            known, opinions = self._opinions(place)
            said = int(prior.join(opinions)[1][0])
            tally = prior.learned(opinions, said, _place_of(known, code))
            return self._meant(known, said), *self._teach(prior, place, code, tally)

    def _teach(self, prior: Prior, place: int, code: int, tally: Tally) -> tuple[bool, float]:
        """Graph and prior learn a label, and what joins them, or none of them; whether and how far they moved."""
        put_back = prior.learner.checkpoint()
        done = False
        try:
            told = place < prior.n and prior.learner.learn_one(self.nodes[place], self.decode(code)).updated
            with undisturbed():
                _, updated, progress = self._learn(place, code)
                prior.tally = tally
                done = True
        except BaseException:
            if not done:
                put_back()
            raise
        return bool(updated or told), progress

    def _joined_one(self, place: int) -> dict[Any, float]:
        """The shares of the classes at a place; empty for "don't know"."""
        assert self._beside is not None  # asked only where there is a prior
        known, opinions = self._opinions(place)
        if opinions.silent[0]:
            return {}
        shares = np.zeros(len(self._table))
        shares[known] = self._beside.join(opinions)[0][0]
        return dict(zip(self.classes, shares.tolist(), strict=True))

    def _predict_at(self, things: Any, places: AnyArray) -> Predictions:
        table, prior = self._graph_table(things, places), self._beside
        if prior is None:
            return table
        known = self._known()
        back = np.append(np.full(len(self._table), -1), -1)
        back[known] = np.arange(len(known))
        mine = places < prior.n
        nodes: list[Hashable] = [self.nodes[place] for place in places[mine].tolist()]
        opinions = prior.opinions_many(
            back[table.codes], _shares_of(table.probabilities[:, known]), nodes, mine, self._named(known)
        )
        joined, said, leads = prior.join(opinions)
        shares = np.zeros(table.probabilities.shape)
        shares[:, known] = joined
        shares[said < 0] = np.nan
        codes = np.append(known, -1)[said]
        return Predictions(
            things,
            table.classes,
            codes,
            shares,
            leads,
            lambda: np.zeros(len(codes), np.bool_),  # the proofs are about the graph alone
            calibrated=True,
            labels=table.labels,
        )

    @abstractmethod
    def _graph_table(self, things: Any, places: AnyArray) -> Predictions:
        """The table of what the graph alone says of these places."""

    def _opinions(self, place: int) -> tuple[Ints, Opinions]:
        """The classes known so far, and what graph and prior say of a place in these."""
        assert self._beside is not None  # asked only where there is a prior
        code, _ = super()._look(place)
        known, state = self._known(), self.state
        # The solve that `_look` made is still there; classes that room was made for, and no more, are left out.
        score, counts = state.solve.score[known][None], state.counts[known]
        if self.space.least < 0:
            score = lifted(score, counts > 0)
        order = state.order if self._table.fixed else np.arange(len(known))
        said, chances = np.array([_place_of(known, code)]), np.empty((1, len(known)))
        if len(known):
            chances_all(score, counts, order, state.sharpness, state.precision[[place]], said, chances)
        node = self.nodes[place] if place < self._beside.n else None
        return known, self._beside.opinions(said, chances, node, self._named(known))

    def _known(self) -> Ints:
        """The codes of the classes that can be said: those that were declared, or learned so far, in that order."""
        return np.arange(len(self._table)) if self._table.fixed else self.state.order[self.state.order >= 0]

    def _named(self, known: Ints) -> list[Any]:
        return [self.decode(code) for code in known.tolist()]

    def _meant(self, known: Ints, said: int) -> int:
        """The code of a place among the classes known; -1 for "don't know"."""
        return int(known[said]) if said >= 0 else -1

    def _remembered(self) -> Callable[[], Any]:
        again, prior = super()._remembered(), self._beside
        if prior is None:
            return again
        put_back, tally = prior.learner.checkpoint(), prior.tally

        def both() -> Any:
            with self._still:
                put_back()
                prior.tally = tally
                return again()

        return both

    def _also_kept(self) -> State:
        return {} if self._beside is None else self._beside.saved()

    def _beside_restored(self, state: State) -> Prior | None:
        """The prior of a snapshot; or an error where one has a prior and the other has none."""
        if (self._beside is None) != ("prior" not in state):
            who = "the snapshot has a prior and the learner has none"
            raise SnapshotError(
                f"{who if self._beside is None else 'the learner has a prior and the snapshot has none'}; a snapshot "
                "with a prior is restored over (graph, prior), the prior made again as it was, any other over its graph"
            )
        return None if self._beside is None else self._beside.restored(state, self.kind, self.classes)

    def _become(self, prior: Prior | None, state: Any) -> None:
        """State and prior of a snapshot, both or none."""
        with undisturbed(), self._still:
            self._beside, self.state = prior, state


def _place_of(known: Ints, code: int) -> int:
    """Where a code is among the classes known; -1 where it is not."""
    found = np.flatnonzero(known == code)
    return int(found[0]) if len(found) else -1


def _shares_of(rows: Floats) -> Floats:
    """Rows that sum to 1, but for those of NaN."""
    total: Floats = rows.sum(axis=1, keepdims=True)
    return np.divide(rows, total, out=np.zeros_like(rows), where=total > 0)
