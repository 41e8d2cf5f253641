"""Any learner, with sets of labels beside its predictions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from copy import deepcopy
from typing import Any, Self, cast, final

import numpy as np

from ohmline.arrays import AnyArray, Bools
from ohmline.checks import count, listed, number, shown
from ohmline.compiled import undisturbed
from ohmline.errors import ParameterError
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.belief import Belief, Believes, KnowsLabelled, TellsChances
from ohmline.learn.blend.members import known_classes, nodes_of, stands_on, teach_all
from ohmline.learn.conformal.label_set import LabelSet
from ohmline.learn.conformal.levels import LEAST_STEP, NEVER, Levels, Target
from ohmline.learn.conformal.saved import saved_layers, saved_levels, saved_member
from ohmline.learn.contract import OnlineLearner, State, Update, View, expect_learner
from ohmline.learn.labels import plain_label
from ohmline.learn.predictions import Predictions
from ohmline.learn.snapshots import expect_kind
from ohmline.learn.turns import TakesTurns
from ohmline.representation import represent

STEP, WINDOW = 0.01, 1000
"""The defaults of the step and of the number of labels that are remembered."""


@final
class ConformalSets(TakesTurns, OnlineLearner[Any, Any]):
    """A learner that also says a set of labels for each thing, which holds the right one as often as was asked for.

    Adaptive conformal inference (Gibbs and Candes 2021): a set holds the classes whose probability is not stranger than
    those of the last labels were, at a level that falls by `step` times the coverage when a label was outside of its
    set, and rises by `step` times the rest when it was inside. After T labels, whatever they were, however they drift
    and however bad the learner is, the share of labels that were outside of the set that would have been said just
    before differs from 1 - coverage by at most `promise()`:

      (max(1 - coverage, coverage) + step) / (step T).

    At 1 and above that promises nothing, since no two shares differ by more: with the usual step and coverage it does
    not for the first 91 labels, and after 910 labels it is 0.1.

    `bound.CoverageBound` turns a game into a certificate of this, a little sharper on its own side. It speaks of the
    trials whose label is revealed, to `learn_one`, `learn_many` or a game. Where a query asks for some labels only, it
    says nothing about the others: those that are asked for are often the hard ones.

    A level of 0 or less says "everything": a `LabelSet` that holds every label, those of classes that nobody has seen
    yet too. So does "don't know", and so do the first labels, until there are enough to judge by. A level of 1 or more
    says the empty set. Where the learner is right more often than `coverage`, sets must be empty at times: ask for more
    coverage, if that is not what you want.

    Predictions, probabilities, variances and beliefs are the learner's own. The wrapper takes the learner over: let
    nobody else teach it.

    Parameters
    ----------
    learner
        Any learner. The better its probabilities, the smaller the sets; the coverage holds without.
    coverage
        How often the set shall hold the label, above 0 and below 1; or several such numbers, all of which can be asked
        for. Default 0.9.
    step
        gamma, above 0 and at most 1: how quickly the level follows. Default 0.01.
    window
        How many labels are remembered to judge by, at least 1. Default 1000.

    Examples
    --------
    >>> import ohmline as ohm
    >>> karate = ohm.data.load("karate")
    >>> learner = ohm.ConformalSets(ohm.LocalLGC(karate.graph), coverage=0.8)
    >>> trace = ohm.play(learner, karate.stream().shuffled(seed=0))
    >>> learner.predict_one(9) in learner.predict_set_one(9)
    True
    >>> abs(learner.missed_share() - 0.2) <= learner.promise()
    True

    References
    ----------
    Gibbs and Candes, Adaptive conformal inference under distribution shift, NeurIPS 2021.
    """

    kind = "ConformalSets"

    def __init__(
        self,
        learner: OnlineLearner[Any, Any],
        coverage: float | Iterable[float] = 0.9,
        *,
        step: float = STEP,
        window: int = WINDOW,
    ) -> None:
        expect_learner(learner)
        self.learner = learner
        """The learner that is asked and taught."""
        self.coverage = checked_coverages(coverage)
        self.step = number(step, "step", least=LEAST_STEP, most=1.0)
        self.window = count(window, "window", least=1)
        self._levels = Levels.fresh(Target(self.coverage, self.step, self.window))
        self._tells = isinstance(learner, TellsChances)

    @property
    def nodes(self) -> NodeIndex | None:
        """The nodes it may be asked about; None over vectors."""
        return nodes_of(self.learner)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes of the learner."""
        return known_classes(self.learner)

    @property
    def declared_classes(self) -> tuple[Any, ...] | None:
        return self.learner.declared_classes

    def predict_set_one(self, x: Any, coverage: float | None = None) -> LabelSet:
        """The set of labels of `x`; never changes the learner.

        Parameters
        ----------
        x
            A node, or a point for learners over vectors.
        coverage
            One of those that the learner was made with; None (default) for the first.
        """
        k = self._which(coverage)
        with self._still:
            return self._levels.told(k, self._told(x), self.classes)

    def predict_set_many(
        self, nodes: Iterable[Any] | None = None, coverage: float | None = None
    ) -> list[LabelSet]:
        """The sets of many things at once, from the probabilities of `predict_many`.

        Parameters
        ----------
        nodes
            As for `predict_many`.
        coverage
            As for `predict_set_one`.
        """
        k = self._which(coverage)
        with self._still:
            table = self.learner.predict_many(nodes)
            return [self._levels.told(k, chances, self.classes) for chances in told_by(table)]

    @property
    def labels(self) -> int:
        """How many labels it was taught."""
        return self._levels.labels

    def missed(self, coverage: float | None = None) -> int:
        """How many of the labels so far were outside of their sets.

        Parameters
        ----------
        coverage
            As for `predict_set_one`.
        """
        return self._levels.missed[self._which(coverage)]

    def missed_share(self, coverage: float | None = None) -> float:
        """The share of the labels so far that were outside of their sets; NaN before the first.

        Parameters
        ----------
        coverage
            As for `predict_set_one`.
        """
        k, kept = self._which(coverage), self._levels
        return float(kept.missed[k] / kept.labels) if kept.labels else float("nan")

    def promise(self, coverage: float | None = None) -> float:
        """How far `missed_share` can be from 1 - coverage, whatever the labels were; infinite before the first.

        At 1 and above it says nothing: there are too few labels yet.

        Parameters
        ----------
        coverage
            As for `predict_set_one`.
        """
        wanted = self.coverage[self._which(coverage)]
        labels = self._levels.labels
        return (max(wanted, 1 - wanted) + self.step) / (self.step * labels) if labels else float("inf")

    def _which(self, coverage: float | None) -> int:
        """The place of a coverage among those it was made with."""
        if coverage is None:
            return 0
        wanted = number(coverage, "coverage")
        if wanted not in self.coverage:
            raise ParameterError(
                f"coverage {shown(coverage)} is none of {shown(self.coverage)}, which this learner was made with: each "
                f"needs a level of its own, kept from the first label on; make it with "
                f"ConformalSets(learner, coverage=[..., {shown(coverage)}])"
            )
        return self.coverage.index(wanted)

    def _told(self, x: Any) -> dict[Any, float]:
        """The learner's probabilities; empty for "don't know"."""
        if self._tells:
            return cast(TellsChances, self.learner).predict_proba_one(x)
        return told_by(self.learner.predict_many([x]))[0]

    def predict_one(self, x: Any) -> Any:
        return self.learner.predict_one(x)

    def view_one(self, x: Any) -> View[Any]:
        return self.learner.view_one(x)

    def variance_one(self, x: Any) -> float:
        return self.learner.variance_one(x)

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The learner's probability of each class; empty for "don't know".

        Parameters
        ----------
        x
            A node, or a point for learners over vectors.
        """
        with self._still:
            return self._told(x)

    def predict_many(self, nodes: Iterable[Any] | None = None) -> Predictions:
        return self.learner.predict_many(nodes)

    def learn_one(self, x: Any, y: Any) -> Update:
        with self.alone():
            label = plain_label(y)
            if label is None:
                return self.learner.learn_one(x, None)
            levels = self._levels.learned(label, self._told(x), self.classes)

            def written() -> None:
                self._levels = levels

            with self._still:  # what is read meanwhile is of one moment
                return teach_all((self.learner,), [0], x, label, written)[0]

    def labelled(self) -> Bools | None:
        """For each position whether its node has a label; None where the learner does not remember it."""
        return self.learner.labelled() if isinstance(self.learner, KnowsLabelled) else None

    def belief(self) -> Belief | None:
        """The learner's belief; None where it has none."""
        return self.learner.belief() if isinstance(self.learner, Believes) else None

    def watch(self, on: bool) -> None:
        self.learner.watch(on)

    def checkpoint(self) -> Callable[[], None]:
        learner, levels = self.learner.checkpoint(), self._levels

        def put_back() -> None:
            with undisturbed(), self._still:
                learner()
                self._levels = levels

        return put_back

    def snapshot(self) -> State:
        with self._still:
            kept = self._levels
            return {
                "kind": np.array(self.kind),
                "coverage": np.array(self.coverage),
                "step": np.array(self.step),
                "window": np.array(self.window),
                "missed": np.array(kept.missed, dtype=np.int64),
                "labels": np.array(kept.labels),
                "strangeness": np.array(np.minimum(kept.strangeness, NEVER)),
                **{f"learner/{key}": value for key, value in self.learner.snapshot().items()},
            }

    @classmethod
    def restore(cls, state: State, kernel: Any) -> Self:
        """The learner that was snapshot.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            The learner inside, made again as it was; or another `ConformalSets` of it.
        """
        expect_kind(state, cls.kind)
        whole = isinstance(kernel, ConformalSets) and layers(kernel) >= saved_layers(state)
        fresh = kernel.learner if whole else kernel
        expect_learner(fresh)
        member = type(fresh).restore(saved_member(state), stands_on(fresh))
        levels = saved_levels(state)
        target = levels.target
        learner = cls(member, target.coverage, step=target.step, window=target.window)
        learner._levels = levels
        return learner

    def __copy__(self) -> Self:
        return deepcopy(self)  # two of them never share a learner

    def __repr__(self) -> str:
        several = len(self.coverage) > 1
        return represent(self, coverage=list(self.coverage) if several else self.coverage[0])


def layers(learner: Any) -> int:
    """How many `ConformalSets` are around one another."""
    return 1 + layers(learner.learner) if isinstance(learner, ConformalSets) else 0


def told_by(table: Predictions) -> list[dict[Hashable, float]]:
    """The probabilities in each row of a table; none for "don't know"."""
    rows: AnyArray = table.probabilities
    return [
        {} if code < 0 else dict(zip(table.classes, row, strict=True))
        for code, row in zip(table.codes.tolist(), rows.tolist(), strict=True)
    ]


def checked_coverages(coverage: Any) -> tuple[float, ...]:
    """One or several numbers above 0 and below 1, each once."""
    several = not isinstance(coverage, int | float | np.number | str | None) and np.ndim(coverage) != 0
    wanted = listed(coverage, "coverage") if several else [coverage]
    found = tuple(number(each, "coverage") for each in wanted)
    bad = [each for each in found if not 0 < each < 1]
    if bad:
        raise ParameterError(
            f"coverage must lie above 0 and below 1, got {shown(bad[0])}; 0.9 for a set that holds the label nine "
            "times in ten"
        )
    if not found or len(set(found)) < len(found):
        raise ParameterError(f"coverage must be one number or several different ones, got {shown(coverage)}")
    return found
