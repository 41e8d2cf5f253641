"""Queries that look at the learner's field over all nodes, one score for each."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.learn.contract import TIE, OnlineLearner
from ohmline.query.field import Field
from ohmline.query.meeting import met
from ohmline.query.pool import PoolQuery
from ohmline.representation import represent


class FieldQuery(PoolQuery):
    """Chooses the open node of the largest score; of equals the first. A subclass gives `scores`.

    In a batch the field is conditioned on each node that was chosen before the next is, exactly and without a refit: on
    the class that it now expects there.
    """

    needs_variance: bool = True
    """Whether it reads more than the mean of the field."""

    @abstractmethod
    def scores(self, field: Field, open: Bools, rng: np.random.Generator) -> Floats:
        """How much each node is wanted; minus infinity for one that was ruled out.

        Parameters
        ----------
        field
            The learner's field, with the labels so far; not to be changed.
        open
            For each position whether its node may be chosen; at least one may.
        rng
            Draws what a query leaves to chance.
        """

    def choose(self, learner: OnlineLearner[Any, Any], open: Bools, rng: np.random.Generator) -> int:
        with met(learner, self, variance=self.needs_variance) as field:
            return best(self.scores(field, open, rng), open)

    def choose_many(
        self, learner: OnlineLearner[Any, Any], open: Bools, k: int, rng: np.random.Generator
    ) -> list[int]:
        with met(learner, self, variance=self.needs_variance) as field:
            if k > 1:
                field = field.branch()
            open, chosen = open.copy(), []
            for place in range(k):
                i = best(self.scores(field, open, rng), open)
                chosen.append(i)
                open[i] = False
                if place + 1 < k:
                    field.condition(i, expected(field, i))
            return chosen

    @final
    def __repr__(self) -> str:
        return represent(self)


def best(scores: Floats, open: Bools) -> int:
    """The first open position of the largest score, equal up to rounding."""
    top = scores.max(initial=-np.inf, where=open)
    if not np.isfinite(top):
        return int(np.flatnonzero(open)[0])
    return int(np.flatnonzero(open & (scores >= top - TIE * abs(top)))[0])


def expected(field: Field, i: int) -> int:
    """The class that a field expects at node i; -1 where it knows nothing."""
    row = field.mean[i]
    code = int(row.argmax()) if len(row) else -1
    return code if code >= 0 and row[code] > 0 else -1


def shares(mean: Floats) -> Floats:
    """The values at each node as probabilities: none below 0, together 1, all alike where nothing is known."""
    above = np.maximum(mean, 0.0)
    total = above.sum(axis=1, keepdims=True)
    count = max(mean.shape[1], 1)
    return np.where(total > 0, above / np.where(total > 0, total, 1.0), 1.0 / count)
