"""Queries on a pool: which node should be labelled next?

| paper 000 | here |
|---|---|
| Act-st, eq. (15) | `MaxProgress()` |
| Act-mu | `MinMargin()` |
| I | the positions that are still `open`; with `MaxProgress(again=True)` those of the whole pool, as printed |
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, Protocol, cast, final, runtime_checkable

import numpy as np

from ohmline.arrays import Bools, Floats, Ints, count
from ohmline.checks import flag
from ohmline.compiled import any_order, compiled
from ohmline.errors import LearnerError
from ohmline.learn.contract import TIE, OnlineLearner


@runtime_checkable
class Valued(Protocol):
    """A learner whose hypothesis is a function of its kernel's space, with a value at every node."""

    kernel: Any

    def values(self) -> Floats:
        """The hypothesis at every position; not to be changed."""
        ...


class PoolQuery(ABC):
    """Chooses the node of a pool whose label to ask for next. A subclass gives `choose`."""

    again: bool = False
    """Whether a node that was chosen stays open, so that it may be chosen again."""

    @abstractmethod
    def choose(self, learner: OnlineLearner[Any, Any], open: Bools, rng: np.random.Generator) -> int:
        """The position of the node to ask for.

        Parameters
        ----------
        learner
            The learner that will be given the label.
        open
            For each position whether its node may still be chosen; at least one may.
        rng
            Draws the choice of a query that leaves it to chance.
        """

    because: str = "chosen by the query"
    """Why a node that it chose is worth a label, in a few words."""

    def choose_many(
        self, learner: OnlineLearner[Any, Any], open: Bools, k: int, rng: np.random.Generator
    ) -> list[int]:
        """The positions of k different nodes to ask for at once, the most wanted first.

        Each choice is accounted for before the next. Here a twin of the learner learns what it predicts; queries that
        look at a field of all nodes condition that instead.

        Parameters
        ----------
        learner
            The learner that will be given the labels; it is not changed.
        open
            For each position whether its node may be chosen; at least k may.
        k
            How many nodes, at least 0.
        rng
            Draws the choice of a query that leaves it to chance.
        """
        open, chosen, pupil = open.copy(), [], learner
        for place in range(k):
            i = self.choose(pupil, open, rng)
            chosen.append(i)
            open[i] = False
            if place + 1 < k and not self.blind:
                pupil = twin_of(learner) if pupil is learner else pupil
                x = cast(Any, pupil).nodes[i]
                pupil.learn_one(x, pupil.predict_one(x))
        return chosen

    blind: bool = False
    """Whether it does not look at the learner at all."""


@final
class MaxProgress(PoolQuery):
    """Chooses the node of largest sure progress: argmax (min(|g_i|, 1) - 1)^2 / K_ii (paper 000, eq. 15).

    It prefers nodes that are central (K_ii small) and far from every label (|g_i| small); among equals it takes the
    first. The learner must have a hypothesis in a kernel's space (`Projection`). Cost: one pass over the values and
    the diagonal, which is read from the kernel once.

    Parameters
    ----------
    again
        Whether a node that was chosen may be chosen again. The paper maximises over all nodes at every trial (I = V),
        which True does: a label that later moves have made uncertain is asked for once more. False (default) spends
        every label on a new node.
    """

    because = "its label moves the learner farthest, whatever it is"

    def __init__(self, *, again: bool = False) -> None:
        self.again = flag(again, "again")
        self._learner: Any = None
        self._inverse: Floats = np.empty(0)
        self._scores: Floats = np.empty(0)

    def choose(self, learner: OnlineLearner[Any, Any], open: Bools, rng: np.random.Generator) -> int:
        if learner is not self._learner:
            self._meet(learner)
        return int(most_progress(learner.values(), self._inverse, open, self._scores))  # type: ignore[attr-defined]

    def _meet(self, learner: OnlineLearner[Any, Any]) -> None:
        """Take the diagonal of a learner's kernel, once."""
        if not isinstance(learner, Valued):
            raise LearnerError(
                f"MaxProgress needs a learner with a hypothesis in a kernel's space (Projection), "
                f"got {type(learner).__name__}; use MinMargin or Random with this one"
            )
        diagonal = learner.kernel.diagonal()
        # A zero vector cannot be moved towards, so it promises no progress.
        self._inverse = np.divide(1.0, diagonal, out=np.zeros(len(diagonal)), where=diagonal > 0)
        self._scores = np.empty(len(diagonal))
        self._learner = learner

    def __repr__(self) -> str:
        return "MaxProgress(again=True)" if self.again else "MaxProgress()"


@final
class MinMargin(PoolQuery):
    """Chooses the node of smallest margin, argmin |g_i| (paper 000, Act-mu); among equals the first."""

    because = "its margin is the smallest"

    def choose(self, learner: OnlineLearner[Any, Any], open: Bools, rng: np.random.Generator) -> int:
        places = np.flatnonzero(open)
        if isinstance(learner, Valued):
            sizes = np.abs(learner.values()[places])
        else:
            nodes = cast(Any, learner).nodes
            sizes = np.array([abs(learner.view_one(nodes[int(i)]).margin) for i in places])
        return int(places[np.flatnonzero(sizes <= sizes.min() + TIE * max(1.0, float(sizes.max())))[0]])

    def __repr__(self) -> str:
        return "MinMargin()"


@final
class Random(PoolQuery):
    """Chooses any node, each with the same probability."""

    blind = True
    because = "drawn at random"

    def choose(self, learner: OnlineLearner[Any, Any], open: Bools, rng: np.random.Generator) -> int:
        return int(rng.choice(np.flatnonzero(open)))

    def __repr__(self) -> str:
        return "Random()"


def twin_of(learner: OnlineLearner[Any, Any]) -> OnlineLearner[Any, Any]:
    """Another learner that knows the same, over the same kernel or graph; one that can be aggressive is."""
    made_with = next(
        (vars(learner)[name] for name in ("make", "kernel", "graph") if name in vars(learner)), None
    )
    strategy = getattr(learner, "strategy", None)
    if made_with is None or (callable(strategy) and not isinstance(strategy, int)):
        twin = copy(learner)
    else:
        twin = type(learner).restore(learner.snapshot(), made_with)
    if isinstance(getattr(twin, "aggressive", None), bool):
        cast(Any, twin).aggressive = True
    return twin


def open_positions(n: int, positions: Any) -> Bools:
    """The mask of a pool that lists positions."""
    mask = np.zeros(count(n, "n"), dtype=np.bool_)
    mask[positions] = True
    return mask


CHUNK = 512


@any_order
def score(values: Floats, inverse: Floats, open: Bools, out: Floats) -> None:
    """Eq. (15) at every open position, 0 at the others."""
    for i in range(len(values)):
        gap = 1.0 - abs(values[i])
        gap = gap if gap > 0.0 else 0.0
        out[i] = gap * gap * inverse[i] * open[i]


@compiled
def largest(bits: Ints) -> int:
    """The largest of some whole numbers; unlike a maximum of floats it is taken many at a time."""
    top = bits[0]
    for k in range(len(bits)):
        top = bits[k] if bits[k] > top else top
    return top


@compiled
def most_progress(values: Floats, inverse: Floats, open: Bools, scores: Floats) -> int:
    """The first open position of largest progress, equal up to rounding; `scores` is room to work in."""
    score(values, inverse, open, scores)
    n, bits = len(scores), scores.view(np.int64)  # floats that are not negative are ordered as their bits
    tops = np.empty((n + CHUNK - 1) // CHUNK, np.int64)
    for b in range(len(tops)):
        tops[b] = largest(bits[b * CHUNK : min(n, (b + 1) * CHUNK)])
    highest = tops.view(np.float64)
    wanted = highest.max() * (1 - TIE)
    for b in range(len(tops)):
        if highest[b] >= wanted:
            for i in range(b * CHUNK, min(n, (b + 1) * CHUNK)):
                if open[i] and scores[i] >= wanted:
                    return i
    return -1
