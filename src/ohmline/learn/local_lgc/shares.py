"""Which labelled nodes carry the score of a node, and how much of it each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats
from ohmline.checks import count
from ohmline.compiled import compiled
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.learner import LocalLGC
from ohmline.learn.local_lgc.local_solve import lower
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
def carried(adjacency: Adjacency, state: LocalState, t: int, tolerance: float, parts: Floats) -> None:
    """The scores at t are sums of x_j / mu over the labelled nodes j: these parts, one for each node."""
    begin(adjacency, state.precision, state.solve, t)
    lower(adjacency, state.precision, state.solve, t, tolerance)
    for a in range(state.solve.found[0].touched):
        j = state.solve.touched[a]
        if state.label[j] >= 0:
            parts[j] = state.solve.x[j] / adjacency.mu


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
        parts = np.zeros(len(learner.nodes))
        carried(learner.space, learner.state, t, TOLERANCE, parts)
        total = float(parts.sum())
        if not total > 0:
            return ()
        first = [int(j) for j in np.argsort(-parts, kind="stable")[:most] if parts[j] > 0]
        labels = [learner.decode(int(learner.state.label[j])) for j in first]
    return tuple(
        Share(learner.nodes[j], label, float(parts[j]) / total)
        for j, label in zip(first, labels, strict=True)
    )
