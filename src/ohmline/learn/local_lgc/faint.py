"""What a table says of nodes that labels reach too faintly to be heard.

Local solves end within a tolerance, and sweeps go a few steps. So on a long, thin graph with few labels a node far from
all of them has no score, although a path joins it with a label. In a table of many nodes it gets one all the same:

  score_j = sum_k w_jk score_k / sum_k w_jk,

over its neighbours k that are nearer to those with scores. A mean, and not the share of a score that the exact
solution has there: shares that halve with each step would be rounded to nothing after a thousand. The scores are so
small that the node's probabilities stay nearly level. Whoever has none then is joined with no label.
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.compiled import compiled
from ohmline.learn.local_lgc.adjacency import Adjacency, root
from ohmline.learn.local_lgc.state import LocalState

FAINT = -2
"""Marks a node without a score, until the next layer of nodes is found."""


@compiled
def carry_on(adjacency: Adjacency, scores: Floats) -> None:
    """Give a score to every node that is joined with one that has a score, layer by layer."""
    n, classes = scores.shape
    layer, queue = np.zeros(n, np.int64), np.empty(n, np.int64)
    end = 0
    for j in range(n):
        mass = 0.0
        for c in range(classes):
            mass += scores[j, c]
        if mass > 0.0:
            queue[end] = j
            end += 1
        else:
            layer[j] = FAINT
    if end == n:
        return
    begin, deep = 0, 0
    while begin < end:
        deep, last = deep + 1, end
        for q in range(begin, last):
            for p in range(adjacency.start[queue[q]], adjacency.stop[queue[q]]):
                j = adjacency.neighbour[p]
                if layer[j] == FAINT:
                    layer[j] = deep
                    queue[end] = j
                    end += 1
        for q in range(last, end):
            mean_of_nearer(adjacency, layer, scores, queue[q])
        begin = last


@compiled
def mean_of_nearer(adjacency: Adjacency, layer: Ints, scores: Floats, j: int) -> None:
    """The scores of j: the mean of its neighbours in nearer layers."""
    total = 0.0
    for p in range(adjacency.start[j], adjacency.stop[j]):
        k = adjacency.neighbour[p]
        if 0 <= layer[k] < layer[j]:
            w = adjacency.weight[p & adjacency.every]
            total += w
            for c in range(scores.shape[1]):
                scores[j, c] += scores.dtype.type(w) * scores[k, c]
    for c in range(scores.shape[1]):
        scores[j, c] /= scores.dtype.type(total)


@compiled
def unheard(adjacency: Adjacency, state: LocalState, where: Ints, heard: Bools) -> Bools:
    """Which of the nodes `where` are joined with a label, and heard of none in a local solve."""
    found = np.empty(len(where), np.bool_)
    for a in range(len(where)):
        found[a] = not heard[a] and state.labelled[root(adjacency, where[a])] > 0
    return found
