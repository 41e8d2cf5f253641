"""What a person is told about a node: what the learner thinks of it and why, and its neighbours."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, final

from ohmline.graph.graph import Graph
from ohmline.learn import LocalLGC
from ohmline.learn.local_lgc.shares import Share, shares_of


@final
@dataclass(frozen=True, slots=True)
class Opinion:
    """What the learner thinks of a node.

    Attributes
    ----------
    prediction
        The class that it would say; None before any label is known.
    probabilities
        The probability of each class, largest first; empty where there is no prediction.
    reached
        Whether a labelled node is connected with this one; if not, the prediction is the commonest class.
    because
        The labelled nodes that carry most of the score, with their shares.
    """

    prediction: Any
    probabilities: dict[Any, float]
    reached: bool
    because: tuple[Share, ...]


@final
@dataclass(frozen=True, slots=True)
class Neighbour:
    """A neighbour of a node.

    Attributes
    ----------
    node
        The neighbour.
    weight
        The weight of the edge.
    label
        Its label; None if it has none.
    """

    node: Hashable
    weight: float
    label: Any


def opinion_of(learner: LocalLGC, node: Hashable, k: int = 3) -> Opinion:
    """What the learner thinks of a node, and the `k` labelled nodes that carry most of it."""
    chances = learner.predict_proba_one(node)
    because = shares_of(learner, node, k)
    ranked = dict(sorted(chances.items(), key=lambda item: -item[1]))
    return Opinion(learner.predict_one(node), ranked, bool(because), because)


def neighbours_of(graph: Graph, labels: Mapping[Hashable, Any], node: Hashable) -> list[Neighbour]:
    """The neighbours of a node, heaviest first and, of equal weight, those with a label first."""
    found = [Neighbour(other, weight, labels.get(other)) for other, weight in graph.neighbours(node).items()]
    return sorted(found, key=lambda each: (-abs(each.weight), each.label is None))
