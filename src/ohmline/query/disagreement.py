"""Disagreement: two learners say different things."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from ohmline.arrays import Bools, Floats
from ohmline.errors import LearnerError, ParameterError
from ohmline.learn.contract import OnlineLearner, expect_learner
from ohmline.query.field import Field
from ohmline.query.meeting import classes_of, met, nodes_of
from ohmline.query.pool import PoolQuery
from ohmline.query.whole_field import best, shares
from ohmline.representation import represent


@final
class Disagreement(PoolQuery):
    """Chooses the node about which the learner and another one disagree most: half the sum of |p_c - q_c|.

    p and q are the shares of the classes at the node. It is 1 where each is sure of another class and 0 where they are
    equally sure, or equally unsure, of the same ones. The two should see the graph differently: another ridge, another
    graph over the same nodes, another kind of learner; and both should be given every label. In a batch both are
    conditioned on the class that they expect together.

    Parameters
    ----------
    other
        The other learner, over the same nodes in the same order.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(5)])
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 6) for k in range(6)])
    >>> one, two = ohm.LocalLGC(line), ohm.LocalLGC(ring)
    >>> for learner in (one, two):
    ...     _ = learner.learn_one(0, "red"), learner.learn_one(3, "blue")
    >>> list(ohm.suggest(one, 1, ohm.Disagreement(two)))
    [5]
    """

    because = "two learners disagree about it"

    def __init__(self, other: OnlineLearner[Any, Any]) -> None:
        expect_learner(other)
        nodes_of(other)
        self.other = other

    def choose(self, learner: OnlineLearner[Any, Any], open: Bools, rng: np.random.Generator) -> int:
        return self.choose_many(learner, open, 1, rng)[0]

    def choose_many(
        self, learner: OnlineLearner[Any, Any], open: Bools, k: int, rng: np.random.Generator
    ) -> list[int]:
        if learner is self.other:
            raise ParameterError(
                "Disagreement was given the same learner twice; give it another one that learns the same labels"
            )
        if nodes_of(learner) != nodes_of(self.other):
            raise LearnerError(
                f"the other learner of Disagreement is over {len(nodes_of(self.other))} nodes, which are not the "
                f"{len(nodes_of(learner))} of this one; make both over graphs with the same nodes in the same order"
            )
        with met(learner, self, variance=False) as mine, met(self.other, self, variance=False) as theirs:
            names = list(dict.fromkeys([*classes_of(learner), *classes_of(self.other)]))
            fields, codes = (mine, theirs), [_codes(names, of) for of in (learner, self.other)]
            if k > 1:
                fields = (mine.branch(), theirs.branch())
            open, chosen = open.copy(), []
            for place in range(k):
                said = [_aligned(field, code, len(names)) for field, code in zip(fields, codes, strict=True)]
                i = best(np.abs(said[0] - said[1]).sum(axis=1) / 2, open)
                chosen.append(i)
                open[i] = False
                if place + 1 < k and names:
                    together = int((said[0][i] + said[1][i]).argmax())
                    for field, code in zip(fields, codes, strict=True):
                        field.condition(i, code.get(together, -1))
            return chosen

    def __repr__(self) -> str:
        return represent(self)


def _codes(names: list[Any], learner: OnlineLearner[Any, Any]) -> dict[int, int]:
    """From the place of a class among the names of both to its column in a learner's field."""
    return {names.index(label): code for code, label in enumerate(classes_of(learner))}


def _aligned(field: Field, code: dict[int, int], width: int) -> Floats:
    """The shares of a field under the names of both."""
    out = np.zeros((len(field.mean), width))
    if code:
        out[:, list(code)] = shares(field.mean)[:, list(code.values())]
    return out
