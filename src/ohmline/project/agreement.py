"""How much people agree: Krippendorff's alpha for classes, with any number of people and any votes missing.

alpha = 1 - D_o / D_e: the disagreement that is there, over what chance would bring. 1 is perfect agreement, 0 what
throwing dice gives. Each node with m >= 2 votes counts its ordered pairs of votes, each with the weight 1 / (m - 1).
(K. Krippendorff, Content Analysis, chapter on reliability; nominal differences.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple


class Agreement(NamedTuple):
    """How much people agree.

    Attributes
    ----------
    alpha
        Krippendorff's alpha; None where no node has two votes, or all votes are the same.
    nodes
        How many nodes have two votes or more.
    pairs
        How many pairs of votes on the same node there are.
    """

    alpha: float | None
    nodes: int
    pairs: int


def krippendorff(votes: Iterable[Iterable[Hashable]]) -> Agreement:
    """Krippendorff's alpha of the votes on each node.

    Parameters
    ----------
    votes
        For each node its votes.

    Returns
    -------
    Agreement
        The alpha, and what it was computed from.

    Examples
    --------
    >>> krippendorff([["a", "a"], ["b", "b"], ["a", "b"]])
    Agreement(alpha=0.4444444444444444, nodes=3, pairs=3)
    """
    counts: Counter[Any] = Counter()
    disagreement, nodes, pairs = 0.0, 0, 0
    for said in votes:
        here = Counter(said)
        m = here.total()
        if m < 2:
            continue
        nodes, pairs = nodes + 1, pairs + m * (m - 1) // 2
        counts.update(here)
        disagreement += (m * m - sum(k * k for k in here.values())) / (m - 1)
    n = counts.total()
    by_chance = n * n - sum(k * k for k in counts.values())
    if not by_chance:
        return Agreement(None, nodes, pairs)
    return Agreement(1 - (n - 1) * disagreement / by_chance, nodes, pairs)
