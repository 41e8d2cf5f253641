"""All nodes at once: the estimate F, a few sweeps nearer to the exact f.

A local solve answers for one node. For many it is cheaper to let every node hear its neighbours at once: one sweep is
F_j <- (b_j + sum_k w_jk F_k) / Q_jj, which brings the largest error of F down, whatever F is (Q is an M-matrix). Five
of them are right as often as a local solve for each node. To go on until F is exact would be worse: as local solves do,
F keeps to what labels near by say, while the exact f hears the whole graph, its large classes above all. What else the
exact f knows while labels are few, `afar.py` adds after the sweeps.

Right with 1, 5 and 20 % random labels by the sweeps alone (seeds 300 to 302, which chose the number):

| | a local solve each | 4 sweeps | 6 sweeps | the exact f |
|---|---|---|---|---|
| PubMed | .751 .794 .813 | .744 .790 .815 | .749 .790 .815 | .746 .784 .814 |
| Cora | .703 .761 .832 | .698 .761 .836 | .702 .763 .837 | .638 .742 .830 |
| wikimovies4 | .448 .499 .573 | .461 .506 .564 | .466 .511 .555 | .460 .442 .459 |

Neighbour graphs of digits and USPS lie within .005 of local solves too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, Ints, read_only
from ohmline.compiled import compiled, prefetch
from ohmline.learn.contract import TIE
from ohmline.learn.local_lgc.adjacency import Adjacency, root
from ohmline.learn.local_lgc.exact import solved
from ohmline.learn.local_lgc.few import every
from ohmline.learn.local_lgc.state import LocalState, commonest, leading

SWEEPS = 5
"""Sweeps from the estimate on."""
AHEAD = 24
"""The scores of neighbours so many places ahead are on their way from memory ..."""
CLOSE = 2**21
"""... where all of them take more bytes than this, and so are not near the processor anyway."""
FEW = 500
"""So many nodes are solved for one by one, whatever the graph."""
LOCAL_EDGES = 30
"""More nodes are, as long as there are this many times as many nodes and ends of edges in the graph."""


def one_by_one(adjacency: Adjacency, wanted: int) -> bool:
    """Whether local solves are worth their time for so many nodes."""
    nodes, ends = adjacency.extent.tolist()
    return bool(wanted <= max(FEW, (nodes + ends) // LOCAL_EDGES))


def swept(adjacency: Adjacency, state: LocalState, classes: int) -> Floats:
    """The scores of all nodes."""
    n = int(adjacency.extent[0])
    scores = every(state.estimate, n, classes).copy()
    image = np.empty_like(scores)
    for _ in range(SWEEPS):
        sweep(adjacency, state.nodes, scores, image)
        scores, image = image, scores
    return scores


@compiled
def sweep(adjacency: Adjacency, nodes: Any, scores: Floats, image: Floats) -> None:
    """Every node hears its neighbours."""
    classes, ends = scores.shape[1], adjacency.neighbour.shape[0]
    row, rows, width = np.empty(classes, scores.dtype), scores.ctypes.data, classes * scores.itemsize
    ahead = AHEAD if scores.shape[0] * width > CLOSE else 0
    for j in range(scores.shape[0]):
        for c in range(classes):
            row[c] = 0.0
        if nodes[j].label >= 0:
            row[nodes[j].label] = 1 / adjacency.mu
        for p in range(adjacency.start[j], adjacency.stop[j]):
            if ahead and p + ahead < ends:
                prefetch(rows + adjacency.neighbour[p + ahead] * width, 1)
                prefetch(rows + adjacency.neighbour[p + ahead] * width + width - 1, 1)
            w, k = scores.dtype.type(adjacency.weight[p & adjacency.every]), adjacency.neighbour[p]
            for c in range(classes):
                row[c] += w * scores[k, c]
        share = scores.dtype.type(nodes[j].q)
        for c in range(classes):
            image[j, c] = row[c] / share


@compiled
def decide_all(
    adjacency: Adjacency, state: LocalState, scores: Floats, where: Ints, codes: Ints, margins: Floats
) -> None:
    """The class and gap of the nodes `where`."""
    for a in range(where.shape[0]):
        j = where[a]
        best, top, second = -1, 0.0, 0.0
        if state.labelled[root(adjacency, j)] > 0:
            best, top, second = leading(adjacency, scores[j], state.order, state.counts)
        margins[a] = top - second if top - second > TIE else 0.0
        if best < 0 and adjacency.guess:
            best = commonest(state)
        codes[a] = best


def kept_space(adjacency: Adjacency, grown: bool) -> Adjacency:
    """The graph as it is now, whatever becomes of it: lists are only ever appended to, or begun anew elsewhere."""
    start, stop, extent = adjacency.start, adjacency.stop, adjacency.extent.copy()
    if grown:
        start, stop = read_only(start), read_only(stop)
    return adjacency._replace(start=start, stop=stop, extent=extent)


def kept_state(state: LocalState) -> LocalState:
    """What a proof needs of the state as it is now; the scores that it starts from are another matter."""
    return state._replace(nodes=state.nodes.copy(), order=state.order.copy(), counts=state.counts.copy())


def proven(adjacency: Adjacency, state: LocalState, scores: Floats, where: Ints, codes: Ints) -> Bools:
    """Where the exact solution is proven to have the class that was said."""
    exact, error = solved(adjacency, state, scores)
    certain = np.empty(len(where), np.bool_)
    compare(adjacency, state.order, state.counts, exact, error, where, codes, certain)
    return certain


@compiled
def compare(
    adjacency: Adjacency,
    order: Ints,
    counts: Ints,
    exact: Floats,
    error: Floats,
    where: Ints,
    codes: Ints,
    certain: Bools,
) -> None:
    """Whether the exact scores, each within its error, have the class that was said at the nodes `where`."""
    for a in range(where.shape[0]):
        best, top, second = leading(adjacency, exact[where[a]], order, counts)
        certain[a] = best >= 0 and best == codes[a] and top - second > 2 * error[where[a]]
