"""Which node is worth asking for, and how wrong the learner believes itself to be."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from ohmline.arrays import Ints
from ohmline.learn import LocalLGC
from ohmline.query import SigmaOptimal, suggest

SAMPLE = 1000
"""How many nodes, drawn at random, the learner's own estimate of its error is taken over."""


def best_question(learner: LocalLGC, places: Ints, seed: int, unseen: int) -> tuple[Hashable, str]:
    """The node whose label is worth most among those at these positions, and why, in words.

    While there are classes that nobody has named, the nodes that most others depend on come first: a learner that
    knows one class is sure of it everywhere, and has nothing to doubt.
    """
    nodes = [learner.nodes[int(k)] for k in places]
    query = SigmaOptimal() if unseen else None
    row = suggest(learner, k=1, query=query, nodes=nodes, seed=seed).rows[0]
    return row.node, row.why


def estimated_error(learner: LocalLGC, places: Ints, seed: Sequence[int]) -> float:
    """The mean, over nodes without a label, of the probability that the learner's prediction is wrong, in its opinion.

    An opinion, not a limit: only a random check gives that.
    """
    if not len(places):
        return 0.0
    if len(places) > SAMPLE:
        places = np.random.default_rng(list(seed)).choice(places, SAMPLE, replace=False)
    chances = learner.predict_proba_many([learner.nodes[int(k)] for k in places])
    best = np.nan_to_num(chances, nan=1.0 / len(learner.classes)).max(axis=1)
    return float(np.mean(1.0 - best))
