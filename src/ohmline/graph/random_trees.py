"""Random spanning trees of a graph: by their exact law, and faster by one that is near it.

Wilson's algorithm lets a walker go from each node to a neighbour, with a probability in proportion to the edge's
weight, until it meets the tree; its path without the loops joins the tree. The tree then has a probability in
proportion to the product of its weights. How long the walks take does not depend on which tree comes out (Wilson 1996:
the tree and the erased loops are independent), so that giving up after a number of steps favours no tree.
"""

from __future__ import annotations

import enum
import logging
from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.checks import choice, generator, room
from ohmline.compiled import compiled, inlined
from ohmline.errors import GraphError, WeightError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.rows import matrix_over

log = logging.getLogger(__name__)

PATIENCE = 40
"""Steps of the walks for each node and end of an edge, after which the default gives up on them."""
STRIDE = 1 << 24
"""Steps between two moments at which Ctrl-C is heard."""
MOST = 2**31 - 1
"""The largest number of nodes."""
HUGE = 1e280
"""Sums of smaller weights are numbers, however many there are."""


class Draw(enum.Enum):
    """By which law a spanning tree is drawn."""

    WILSON = "wilson"
    """Exactly: a tree's probability is in proportion to the product of its weights. Its time is that of random walks,
    short on well-connected graphs and on grids, long where a walk is trapped: on long thin graphs, and where weights
    span many orders of magnitude."""
    CLOCKS = "clocks"
    """Nearly: every edge of weight w rings after an exponential time of rate w, and the tree takes the earliest edges
    that close no ring (a minimum spanning tree). Heavy edges are preferred as they should be, and every tree is
    possible, but the law is another one. Its time is that of sorting the edges, whatever the graph."""


class RootedTree(NamedTuple):
    """A spanning tree of each component, hung up at a root."""

    parent: Ints
    """The node that each node hangs on; -1 at a root."""
    weight: Floats
    """The weight of the edge to the parent; 0 at a root."""
    exact: bool
    """Whether it was drawn by the exact law."""


def draw_tree(graph: Graph, draw: Draw | None, rng: np.random.Generator) -> RootedTree:
    """One spanning tree per component; `draw` None is Wilson's law where its walks end soon, else the clocks."""
    if draw is Draw.CLOCKS:
        return _by_clocks(graph, rng)
    steps = None if draw is Draw.WILSON else PATIENCE * (graph.n + len(graph.indices))
    found = _by_walks(graph, rng, steps)
    if found is None:
        log.info("random walks on %d nodes take too long: the tree is drawn by clocks, not exactly", graph.n)
        return _by_clocks(graph, rng)
    return found


def expect_positive(graph: Graph, who: str) -> Graph:
    """A graph whose spanning trees have a law: without negative weights."""
    expect_graph(graph)
    if graph.signed and bool((graph.weights < 0).any()):
        raise WeightError(
            f"{who} needs weights above 0, and this graph has negative ones; drop those edges, or use Pounce, which "
            "takes signed graphs"
        )
    if graph.n > MOST:
        raise GraphError(f"{who} takes at most {MOST} nodes, and this graph has {graph.n}")
    return graph


def draw_of(draw: Draw | None) -> Draw | None:
    """A way to draw trees, or None for the default."""
    return None if draw is None else choice(draw, Draw, "draw")


def spanning_tree(graph: Graph, *, draw: Draw | None = None, seed: int = 0) -> Graph:
    """A random spanning tree of a graph: one tree per component, with the weights of the graph.

    With `Draw.WILSON` the probability of a tree is in proportion to the product of its weights. Then an edge of
    weight w between a and b is in the tree with probability w r(a, b), its weight times its effective resistance.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    draw
        The law: `Draw.WILSON` or `Draw.CLOCKS`. None (default) takes Wilson's, and the clocks where its walks have not
        ended after 40 steps for each node and end of an edge, which is logged.
    seed
        Draws the tree. Default 0. It is drawn by the positions of nodes: the same graph with its nodes in another
        order is another draw.

    Examples
    --------
    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 5) for k in range(5)])
    >>> spanning_tree(ring)
    Graph(nodes=5, edges=4, components=1)
    """
    from scipy import sparse

    expect_positive(graph, "spanning_tree")
    tree = draw_tree(graph, draw_of(draw), generator(seed))
    child = np.flatnonzero(tree.parent >= 0)
    lower = sparse.coo_array((tree.weight[child], (child, tree.parent[child])), shape=(graph.n, graph.n))
    return Graph.from_scipy(lower + lower.T, nodes=graph.nodes)


def _by_walks(graph: Graph, rng: np.random.Generator, most: int | None) -> RootedTree | None:
    """Wilson's algorithm; None where it has not ended after `most` steps."""
    n, weights = graph.n, graph.weights
    even = not len(weights) or bool(weights.min() == weights.max())
    room(16 * n + (0 if even else 8 * len(weights)), f"a random spanning tree of {n} nodes")
    reach = np.empty(0) if even else running_sums(graph.indptr, summable(weights))
    lost = _unreachable(graph, reach)
    if lost is not None:
        if most is not None:
            return None
        raise GraphError(
            f"the weights of node {graph.nodes[lost]!r} are so far apart that a walk would never take the lightest; "
            "use draw=Draw.CLOCKS, or leave draw out"
        )
    slot, done = np.full(n, -1, np.int64), np.zeros(n, np.bool_)
    done[_roots(graph)] = True
    coin = rng.integers(2**64, size=1, dtype=np.uint64)
    where, spent = np.array([0, -1]), 0
    while where[0] < n:
        if most is not None and spent >= most:
            return None
        spent += STRIDE
        walk(graph.indptr, graph.indices, reach, slot, done, coin, where, STRIDE)
    parent, weight = np.full(n, -1, np.int64), np.zeros(n)
    child = slot >= 0
    parent[child], weight[child] = graph.indices[slot[child]], weights[slot[child]]
    return RootedTree(parent, weight, True)


def _unreachable(graph: Graph, reach: Floats) -> int | None:
    """A node with a neighbour that no toss can reach, because its weight is lost in the sum of the others'."""
    if not len(reach):
        return None
    before = np.concatenate([[0.0], reach[:-1]])
    starts = graph.indptr[:-1]
    before[starts[starts < graph.indptr[1:]]] = 0.0
    lost = np.flatnonzero(reach <= before)
    return int(np.searchsorted(graph.indptr, lost[0], side="right") - 1) if len(lost) else None


def _roots(graph: Graph) -> Ints:
    """The node of largest degree of each component, which walks meet soonest."""
    weights = summable(graph.weights)
    near = (
        graph.degree
        if weights is graph.weights
        else matrix_over(graph.indptr, graph.indices, weights).sum(axis=1)
    )
    order = np.lexsort((-near, graph.component_of))
    _, first = np.unique(graph.component_of[order], return_index=True)
    return order[first]


def summable(weights: Floats) -> Floats:
    """The weights, each divided by 2^64 where their sums could be more than a number can hold."""
    return np.ldexp(weights, -64) if float(weights.max(initial=0.0)) > HUGE else weights


@compiled
def running_sums(indptr: AnyArray, weights: Floats) -> Floats:
    """The sums of the weights of a row, from its first up to each."""
    sums = np.empty(weights.shape[0])
    for i in range(indptr.shape[0] - 1):
        total = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            total += weights[p]
            sums[p] = total
    return sums


@inlined
def coin_toss(coin: AnyArray) -> float:
    """A uniform number of [0, 1) from a state of 64 bits (splitmix64)."""
    coin[0] += np.uint64(0x9E3779B97F4A7C15)
    z = coin[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64(z >> np.uint64(11)) * 2.0**-53


@inlined
def neighbour_slot(indptr: AnyArray, reach: Floats, u: int, toss: float) -> int:
    """The place of a random neighbour of u, by weight; `reach` is empty where all weights are equal."""
    low, high = indptr[u], indptr[u + 1]
    if reach.shape[0] == 0:
        return min(low + np.int64(toss * (high - low)), high - 1)
    wanted, last = toss * reach[high - 1], high - 1
    while low < last:
        middle = (low + last) // 2
        if reach[middle] > wanted:
            last = middle
        else:
            low = middle + 1
    return low


@compiled
def walk(
    indptr: AnyArray,
    indices: AnyArray,
    reach: Floats,
    slot: Ints,
    done: Bools,
    coin: AnyArray,
    where: Ints,
    steps: int,
) -> None:
    """Walks from each node until it meets the tree, from `where` on: the node that began, and where it stands."""
    n = slot.shape[0]
    begun, u = where[0], where[1]
    left = steps
    while begun < n:
        if u < 0:
            u = begun
        while not done[u]:
            if left == 0:
                where[0], where[1] = begun, u
                return
            left -= 1
            slot[u] = neighbour_slot(indptr, reach, u, coin_toss(coin))
            u = indices[slot[u]]
        u = begun
        while not done[u]:  # the last exits make the path without its loops
            done[u] = True
            u = indices[slot[u]]
        begun += 1
        u = -1
    where[0], where[1] = n, -1


def _by_clocks(graph: Graph, rng: np.random.Generator) -> RootedTree:
    """The minimum spanning forest by exponential clocks."""
    n = graph.n
    room(16 * n + 40 * graph.n_edges, f"the clocks of {graph.n_edges} edges")
    sources, targets, weights = graph.edges()
    with np.errstate(over="ignore"):
        clocks = np.log(rng.exponential(size=len(weights))) - np.log(weights)
    chosen = join_in_order(np.argsort(clocks, kind="stable"), sources, targets, n)
    parent, weight = hang_up(sources[chosen], targets[chosen], weights[chosen], _roots(graph), n)
    return RootedTree(parent, weight, False)


@compiled
def join_in_order(order: Ints, sources: AnyArray, targets: AnyArray, n: int) -> Ints:
    """The edges that join two trees, when they come in this order."""
    leader, chosen, found = np.arange(n), np.empty(max(n - 1, 0), np.int64), 0
    for e in order:
        a, b = sources[e], targets[e]
        while leader[a] != a:
            leader[a] = leader[leader[a]]
            a = leader[a]
        while leader[b] != b:
            leader[b] = leader[leader[b]]
            b = leader[b]
        if a != b:
            leader[max(a, b)] = min(a, b)
            chosen[found] = e
            found += 1
    return chosen[:found]


@compiled
def hang_up(
    sources: AnyArray, targets: AnyArray, weights: Floats, roots: Ints, n: int
) -> tuple[Ints, Floats]:
    """Parents and their weights in the forest of these edges, from the roots down."""
    start = np.zeros(n + 2, np.int64)
    for e in range(sources.shape[0]):
        start[sources[e] + 2] += 1
        start[targets[e] + 2] += 1
    for i in range(2, n + 2):
        start[i] += start[i - 1]
    edge = np.empty(2 * sources.shape[0], np.int64)
    for e in range(sources.shape[0]):
        for i in (sources[e], targets[e]):
            edge[start[i + 1]] = e
            start[i + 1] += 1
    parent, weight = np.full(n, -1, np.int64), np.zeros(n)
    queue, length = np.empty(n, np.int64), 0
    for root in roots:
        queue[length] = root
        length += 1
    k = 0
    while k < length:
        i = queue[k]
        k += 1
        for p in range(start[i], start[i + 1]):
            e = edge[p]
            j = targets[e] if sources[e] == i else sources[e]
            if j != parent[i]:
                parent[j], weight[j] = i, weights[e]
                queue[length] = j
                length += 1
    return parent, weight
