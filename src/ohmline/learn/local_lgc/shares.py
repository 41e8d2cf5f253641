"""Which labelled nodes carry the score of a node, and how much of it each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.checks import count
from ohmline.compiled import compiled
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.chances import chances_of
from ohmline.learn.local_lgc.learner import LocalLGC
from ohmline.learn.local_lgc.local_solve import UNLIMITED, lower
from ohmline.learn.local_lgc.scratch import begin
from ohmline.learn.local_lgc.state import LocalState

TOLERANCE = 1e-4
"""Where the solve ends: finer than a prediction needs, so that little of the score is left without a name."""


@final
@dataclass(frozen=True, slots=True)
class Share:
    """What one labelled node contributes to the score of another.

    Attributes
    ----------
    node
        The labelled node.
    label
        Its label.
    share
        Its part of the scores of all classes together, from 0 to 1.
    """

    node: Hashable
    label: Any
    share: float


@compiled
def carried(adjacency: Adjacency, state: LocalState, t: int, tolerance: float) -> tuple[Ints, Floats]:
    """The scores at t are sums of x_j / mu over the labelled nodes j: those that the solve reached, and their parts."""
    nodes = state.nodes
    begin(adjacency, nodes, state.solve, t)
    lower(adjacency, nodes, state.solve, t, tolerance, np.int64(UNLIMITED))
    reached = state.solve.found[0].touched
    places, parts = np.empty(reached, np.int64), np.empty(reached)
    many = 0
    for a in range(reached):
        j = state.solve.touched[a]
        if nodes[j].label >= 0 and nodes[j].x > 0:
            places[many], parts[many] = j, nodes[j].x / adjacency.mu
            many += 1
    return places[:many].copy(), parts[:many].copy()


def shares_of(learner: LocalLGC, node: Hashable, k: int = 3) -> tuple[Share, ...]:
    """The labelled nodes that carry most of a node's score, largest share first.

    Parameters
    ----------
    learner
        The learner.
    node
        A node.
    k
        How many at most. Default 3.

    Returns
    -------
    tuple of Share
        The shares; empty where no label reaches the node.
    """
    most, t = count(k, "k", least=1), learner.nodes.position(node)
    with learner.unmoved():
        found, parts = carried(learner.space, learner.state, t, TOLERANCE)
        total = float(parts.sum())
        if not total > 0:
            return ()
        order = np.lexsort((found, -parts))[:most]
        first, shares = found[order].tolist(), (parts[order] / total).tolist()
        labels = [learner.decode(int(learner.state.label[j])) for j in first]
    return tuple(
        Share(learner.nodes[j], label, share) for j, label, share in zip(first, labels, shares, strict=True)
    )


def chances_without(learner: LocalLGC, node: Hashable) -> dict[Any, float]:
    """The probability of each class at a labelled node, as it would be without its own label.

    With z = x_t / mu, the part of its own label in its scores, those of all others would be 1 / (1 - z) times what they
    are: Q without the label has (Q - e e' / mu)^-1 e = Q^-1 e / (1 - z).

    Parameters
    ----------
    learner
        The learner.
    node
        A node that has a label.

    Returns
    -------
    dict
        Empty where no other label reaches the node.
    """
    t = learner.nodes.position(node)
    with learner.unmoved():
        state, classes = learner.state, learner.classes
        found, parts = carried(learner.space, state, t, TOLERANCE)
        own, others = float(parts[found == t].sum()), found != t
        scores = np.bincount(state.label[found[others]], parts[others], minlength=len(classes)) / (1 - own)
        if not scores.sum() > 0:
            return {}
        counts = state.counts.copy()
        counts[state.label[t]] -= 1
        precision = state.precision[[t]] - 1 / learner.space.mu
        chances = chances_of(state._replace(counts=counts), scores[None], precision, np.zeros(1, np.int64))[0]
    return dict(zip(classes, chances.tolist(), strict=True))
