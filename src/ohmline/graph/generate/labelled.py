"""What a generator gives back: a graph or points, with the labelling that belongs to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.graph.graph import Graph


@final
@dataclass(frozen=True, eq=False)
class Labelled:
    """A graph on the nodes 0..n-1 and a labelling of them.

    What every generator of graphs here returns; fields that make no sense for a family are None.

    Attributes
    ----------
    graph
        The graph.
    labels
        -1 or +1 for every position.
    sequence
        The trials (node, label) that the paper plays; every node in turn where it names none.
    clean
        The labelling before noise; equal to `labels` for families that keep no other.
    groups
        The number of the cluster that each node belongs to; all 0 for families without clusters.
    points
        Coordinates, one row per node, for families that live in space; None for the others.

    Examples
    --------
    >>> from ohmline.graph import generate
    >>> barbell = generate.barbell(3)
    >>> barbell.graph, barbell.labels
    (Graph(nodes=6, edges=7, components=1), array([ 1,  1,  1, -1, -1, -1]))
    >>> barbell.sequence[:2]
    ((0, 1), (1, 1))
    """

    graph: Graph
    labels: Ints
    sequence: tuple[tuple[int, int], ...] = ()
    clean: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    groups: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    points: Floats | None = None

    def __post_init__(self) -> None:
        n = self.graph.n
        if not self.sequence:
            trials = tuple((node, int(label)) for node, label in enumerate(self.labels))
            object.__setattr__(self, "sequence", trials)
        if not len(self.clean):
            object.__setattr__(self, "clean", self.labels)
        if not len(self.groups):
            object.__setattr__(self, "groups", np.zeros(n, dtype=np.int64))


@final
@dataclass(frozen=True, eq=False)
class LabelledPoints:
    """Points in space and a labelling of them.

    What the generators of points return; build a graph on them as you like.

    Attributes
    ----------
    points
        The coordinates, one row per point.
    labels
        -1 or +1 for every point.
    asked
        The positions that are to be predicted; the others are only there to be seen.
    """

    points: Floats
    labels: Ints
    asked: Ints


def halves(n: int, positive: int) -> Ints:
    """+1 on the first `positive` positions of n, -1 on the rest."""
    labels = np.full(n, -1, dtype=np.int64)
    labels[:positive] = 1
    return labels
