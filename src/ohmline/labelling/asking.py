"""Which node is worth asking for, and how wrong the learner believes itself to be."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from ohmline.arrays import Ints
from ohmline.learn import LocalLGC

CANDIDATES = 400
"""How many nodes, drawn at random, are compared for one question."""
SAMPLE = 500
"""How many nodes, drawn at random, the learner's own estimate of its error is taken over."""


def drawn(learner: LocalLGC, places: Ints, most: int, seed: Sequence[int]) -> list[Hashable]:
    """At most so many of the nodes at these positions, at random."""
    if len(places) > most:
        places = np.random.default_rng(list(seed)).choice(places, most, replace=False)
    return [learner.nodes[int(k)] for k in places]


def best_question(learner: LocalLGC, nodes: Sequence[Hashable], seed: Sequence[int]) -> tuple[Hashable, str]:
    """The node whose label would say most: it settles much elsewhere, and its own class is open. And why, in words."""
    best, most = learner.nodes[int(places[0])], -1.0
    for node in drawn(learner, places, CANDIDATES, seed):
        chances = sorted(learner.predict_proba_one(node).values())
        gap = chances[-1] - chances[-2] if len(chances) > 1 else 0.0
        worth = learner.variance_one(node) * (1.0 - gap)
        if worth > most:
            best, most = node, worth
    return best, "its label would say most about the others"


def estimated_error(learner: LocalLGC, places: Ints, seed: Sequence[int]) -> float:
    """The mean, over nodes without a label, of the probability that the learner's prediction is wrong, in its opinion.

    An opinion, not a limit: only a random check gives that.
    """
    few = drawn(learner, places, SAMPLE, seed)
    if not few:
        return 0.0
    doubts = []
    for node in few:
        chances = learner.predict_proba_one(node)
        doubts.append(1.0 - max(chances.values()) if chances else 1.0 - 1.0 / len(learner.classes))
    return float(np.mean(doubts))
