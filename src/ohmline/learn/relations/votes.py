"""How much each type of edges counts, from how well its labelled neighbours foretell a label that is left out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.graph.graph import Graph
from ohmline.graph.relations import relative_weights

GRID = np.array([0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0])
"""The weights that are tried for a type, the others held fast; 0 leaves it out."""
SMOOTH = 1.0
"""How many votes the frequencies of the classes have beside the neighbours'."""
NOISE = 0.02
"""The share of labels that no neighbour can foretell."""
DOUBT = 0.1
"""The loss, in nats, of a weight that differs from 1 by the factor e; it grows with the square of the logarithm.

Chosen among 1, .3 and .1 on Cora with generated types and on block models, seeds 0 and 1."""
LEAST = 0.01
"""Below this the doubt about a weight grows no more."""
ROUNDS = 8
"""How often all types are gone through, at most."""


class Votes(NamedTuple):
    """For each labelled node, and each type, the weight of its labelled neighbours."""

    right: Floats
    """[k, i]: of those with the same label as node i, over edges of type k."""
    all: Floats
    """[k, i]: of all of them."""
    share: Floats
    """[i]: the share of labelled nodes that have the label of node i."""


def votes_of(graphs: list[Graph], label: Ints) -> Votes:
    """What the labelled neighbours of each labelled node say, an edge counting in units of its type's mean weight."""
    nodes = np.flatnonzero(label >= 0)
    right, every = np.zeros((len(graphs), len(nodes))), np.zeros((len(graphs), len(nodes)))
    for k, graph in enumerate(graphs):
        if not len(graph.indices):
            continue
        rows = np.repeat(label, np.diff(graph.indptr))
        ends = label[graph.indices]
        there = np.flatnonzero((rows >= 0) & (ends >= 0))
        row = np.repeat(np.arange(graph.n), np.diff(graph.indptr))[there]
        weight = relative_weights(graph)[there]
        every[k] = np.bincount(row, weight, minlength=graph.n)[nodes]
        same = rows[there] == ends[there]
        right[k] = np.bincount(row[same], weight[same], minlength=graph.n)[nodes]
    counts = np.bincount(label[nodes]) if len(nodes) else np.zeros(0, np.int64)
    present = int(np.count_nonzero(counts))
    share = (counts[label[nodes]] + 1) / (len(nodes) + present) if len(nodes) else np.zeros(0)
    return Votes(right, every, share)


def loss(votes: Votes, weights: Floats) -> float:
    """The sum of -ln(probability of each label), told from the labels of its neighbours alone, and of the doubts.

    The probability is (share + sum of weight times right votes) / (1 + sum of weight times votes), mixed with the share
    of the class by `NOISE`.
    """
    right, every = weights @ votes.right, weights @ votes.all
    told = (SMOOTH * votes.share + right) / (SMOOTH + every)
    doubt = DOUBT * float((np.log(np.maximum(weights, LEAST)) ** 2).sum())
    return float(-np.log((1 - NOISE) * told + NOISE * votes.share).sum()) + doubt


def fitted(votes: Votes, start: Floats) -> Floats:
    """Weights of small loss, the largest of which is 1: the best of a grid for one type after the other, in turn.

    Of two starts, the weights so far and all alike, the better end is taken.
    """
    ends = [_descended(votes, np.array(begin, dtype=np.float64)) for begin in (start, np.ones(len(start)))]
    best = min(ends, key=lambda weights: loss(votes, weights))
    return np.asarray(best / best.max() if best.max() > 0 else np.ones(len(best)))


def _descended(votes: Votes, weights: Floats) -> Floats:
    least = loss(votes, weights)
    for _ in range(ROUNDS):
        before = least
        for k in range(len(weights)):
            for value in GRID:
                tried = weights.copy()
                tried[k] = value
                found = loss(votes, tried)
                if found < least - 1e-9:
                    least, weights = found, tried
        if least > before - 1e-6:
            break
    return weights


def worths(votes: Votes, weights: Floats) -> Floats:
    """For each type by how much the mean loss of a label grows when the type is left out."""
    n = max(votes.right.shape[1], 1)
    found = np.empty(len(weights))
    for k in range(len(weights)):
        without = np.where(np.arange(len(weights)) == k, 0.0, weights)
        right, every = np.stack([without, weights]) @ votes.right, np.stack([without, weights]) @ votes.all
        told = (SMOOTH * votes.share + right) / (SMOOTH + every)
        losses = -np.log((1 - NOISE) * told + NOISE * votes.share).sum(axis=1)
        found[k] = (losses[0] - losses[1]) / n
    return found
