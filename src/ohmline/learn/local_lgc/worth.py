"""The variance that queries read: how little is known about a node, or what its label would be worth elsewhere.

With x* = Q^-1 e_t exactly, v = x*_t / (mu + x*_t) is how little the labels say about t itself, and a label at t would
remove (g_t - x*_t)^2 / (mu + x*_t) from the variance of the sum of all other unlabelled values, where g_t is the sum of
x* over the unlabelled nodes. Q is symmetric, so g = Q^-1 u, where u is 1 at the unlabelled nodes: one vector for all
nodes. It is kept as the estimate F is: a solve at t gives u'x + g'r, in which an error of g counts r times only.

A new label at t changes one equation of Q g = u. What it changes is pushed on from t until what is `due` is little
everywhere, so that a label costs about as much as a solve; what is left adds up, and is pushed once it is worth it.
That is done only in a game whose query reads it; what is then known of g is part of the state. Otherwise g is solved
for afresh when it is first asked for after a change, so that reading changes nothing. What is due is made up for by
its mean: a walk that forgets where it started is stopped, by the ridge or at a label, at the rate ridge + share / (mu
+ 1/degree), where `share` is that of the labelled nodes, and is anywhere with equal chance.

x*_t = x_t + r'x*, of which x_t + r'x falls short by r'Q^-1 r. That is put at sum r_j^2 / Q_jj, its first term, plus
||r||_1^2 / (rate nodes) for walks that are anywhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats
from ohmline.compiled import Stopped, compiled, internal
from ohmline.learn.local_lgc.adjacency import Adjacency, root, times, width_of
from ohmline.learn.local_lgc.global_solve import all_places, conjugate_gradients
from ohmline.learn.local_lgc.local_solve import COARSEST, FINER, FINEST, GLOBAL, UNLIMITED, lower
from ohmline.learn.local_lgc.nodes import QUEUED, lift_mark, marked, nodes_of, put_mark
from ohmline.learn.local_lgc.scratch import FRESH, KNOWN, UNFINISHED, UNKNOWN, leave
from ohmline.learn.local_lgc.state import LocalState

NEAR = 0.02
"""What may be due at a node, as a share of Q_jj and of what is wanted, where labels are many; see `enough`."""
LEAST = 0.15
"""The smallest part of that."""
CLOSE = 0.01
"""The share of a node's own variance that may be guessed."""
SWEEPS = 4
"""A label may make what is due walk every edge this many times; beyond, a global solve costs less."""


class Walks(NamedTuple):
    """What becomes of a random walk that forgets where it started, among nodes that are connected."""

    nodes: int
    rate: float
    """At which it is stopped."""
    mean: float
    """How long it is at unlabelled nodes: about the mean of g there."""


@internal
def walks(adjacency: Adjacency, nodes: int, labelled: int) -> Walks:
    """Among so many nodes, so many of them labelled."""
    share = labelled / nodes
    rate = adjacency.ridge + share / (adjacency.mu + adjacency.extent[0] / max(adjacency.extent[1], 1))
    return Walks(nodes, rate, (1 - share) / rate)


@internal
def walks_at(adjacency: Adjacency, state: LocalState, t: int) -> Walks:
    """Among the nodes that are connected with t."""
    home = root(adjacency, t)
    return walks(adjacency, -adjacency.parent[home], state.labelled[home])


@internal
def enough(adjacency: Adjacency, found: Walks) -> float:
    """What may be due at a node, as a share of its `width_of`.

    The fewer labels there are, the less g differs from node to node, and the closer it has to be known.
    """
    stay = 1 / (adjacency.ridge + adjacency.extent[1] / adjacency.extent[0])
    differing = max(1 - adjacency.ridge / found.rate, LEAST)
    return NEAR * differing * found.rate * max(found.mean, stay)


@internal
def wanted(state: LocalState, j: int) -> float:
    """u_j."""
    return 0.0 if state.nodes[j].label >= 0 else 1.0


@internal
def solve_worths(adjacency: Adjacency, state: LocalState) -> None:
    """Solve for g at all nodes, from where it stands, or from nothing."""
    solve = state.solve
    worth, due, owed = solve.worth, solve.due, solve.owed
    nodes, where = state.nodes, all_places(adjacency)
    if solve.found[0].worths == UNKNOWN:
        worth[:] = 0.0
        for j in where:
            due[j] = wanted(state, j)
    solve.found[0].worths = UNKNOWN  # until it is done
    most = enough(adjacency, walks(adjacency, adjacency.extent[0], state.counts.sum()))
    if conjugate_gradients(adjacency, nodes, solve, where, worth, due, most, np.inf):
        raise Stopped
    owed[:] = 0.0
    for j in where:  # what is due in truth, not what rounding made of it
        due[j] = wanted(state, j) - times(adjacency, nodes, worth, j)
        owed[root(adjacency, j)] += due[j]


@internal
def hear_label(adjacency: Adjacency, state: LocalState, t: int) -> None:
    """t has its first label from now on: u_t is 0, and Q_tt larger by 1/mu. The solve there, from before, is at hand.

    That makes 1 + worth_t / mu due at t. Of it, -x times as much as cancels it leaves r times as much.
    """
    nodes, solve = state.nodes, state.solve
    if not solve.found[0].watched or solve.found[0].worths == UNKNOWN:
        solve.found[0].worths = UNKNOWN
        return
    times_x = (adjacency.mu + solve.worth[t]) / (adjacency.mu + nodes[t].x)
    left = 0.0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        solve.worth[j] -= times_x * nodes[j].x
        solve.due[j] -= times_x * nodes[j].r
        left += nodes[j].r
    solve.owed[root(adjacency, t)] -= times_x * left
    solve.found[0].worths = KNOWN if push_due(adjacency, state, t) else UNFINISHED


@internal
def push_due(adjacency: Adjacency, state: LocalState, t: int) -> bool:
    """Push what is due where the solve at t went, and what this makes due elsewhere; False after too much work."""
    nodes, solve = state.nodes, state.solve
    worth, due, queue = solve.worth, solve.due, solve.queue
    most = enough(adjacency, walks_at(adjacency, state, t))
    capacity, head, waiting = queue.shape[0], 0, 0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        if abs(due[j]) > most * width_of(adjacency, nodes, j):
            queue[waiting] = j
            put_mark(nodes, j, QUEUED)
            waiting += 1
    tail = waiting if waiting < capacity else 0
    limit, edges, gone = SWEEPS * (adjacency.extent[0] + adjacency.extent[1]), 0, 0.0
    while waiting > 0 and edges < limit:
        j = queue[head]
        head = head + 1 if head + 1 < capacity else 0
        waiting -= 1
        lift_mark(nodes, j, QUEUED)
        moved = due[j] / nodes[j].q
        due[j] = 0.0
        worth[j] += moved
        gone += moved * (adjacency.ridge + (1 / adjacency.mu if nodes[j].label >= 0 else 0.0))
        edges += adjacency.stop[j] - adjacency.start[j] + 1
        for p in range(adjacency.start[j], adjacency.stop[j]):
            k = adjacency.neighbour[p]
            due[k] += moved * adjacency.weight[p & adjacency.every]
            if not marked(nodes, k, QUEUED) and abs(due[k]) > most * width_of(adjacency, nodes, k):
                put_mark(nodes, k, QUEUED)
                queue[tail] = k
                tail = tail + 1 if tail + 1 < capacity else 0
                waiting += 1
    leave(queue, nodes, head, waiting)
    solve.owed[root(adjacency, t)] -= gone
    solve.found[0].unheard += edges
    return waiting == 0


class Own(NamedTuple):
    """What a solve says about x*_t, the variance of t's own value."""

    value: float
    guessed: float
    """The part of it that is only put at so much."""


@internal
def weigh_own(adjacency: Adjacency, state: LocalState, t: int) -> Own:
    """From the x and r of the solve at t."""
    nodes, solve, walk = state.nodes, state.solve, walks_at(adjacency, state, t)
    near, short, left = nodes[t].x, 0.0, 0.0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        r = nodes[j].r
        near += r * nodes[j].x
        short += r * r / nodes[j].q
        left += r
    guessed = short + left * left / (walk.rate * walk.nodes)
    return Own(near + guessed, guessed)


@internal
def own_variance(adjacency: Adjacency, state: LocalState, t: int) -> float:
    """v = x*_t / (mu + x*_t): go on with the solve at t until little of it is guessed.

    The solve is then no longer the one that predicts, so that it is void: looking changes nothing.
    """
    solve = state.solve
    own = weigh_own(adjacency, state, t)
    tolerance, final = COARSEST, False
    while own.guessed > CLOSE * own.value and not final and tolerance > FINEST:
        solve.found[0].node = -1
        tolerance = tolerance * FINER
        final = lower(adjacency, state.nodes, solve, t, tolerance, np.int64(UNLIMITED)) == GLOBAL
        own = weigh_own(adjacency, state, t)
    return own.value / (adjacency.mu + own.value)


@internal
def variance_elsewhere(adjacency: Adjacency, state: LocalState, t: int) -> float:
    """(g_t - x*_t)^2 / (mu + x*_t), from the solve at t."""
    if adjacency.least < 0:
        return variance_with_signs(adjacency, state, t)
    nodes, solve = state.nodes, state.solve
    if solve.found[0].worths == UNKNOWN or solve.found[0].worths == UNFINISHED:
        solve_worths(adjacency, state)
        solve.found[0].worths = FRESH
    if solve.found[0].watched:
        solve.found[0].worths = KNOWN
    walk = walks_at(adjacency, state, t)
    shift = solve.owed[root(adjacency, t)] / (walk.rate * walk.nodes)
    everywhere = 0.0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        if nodes[j].label < 0:
            everywhere += nodes[j].x
        everywhere += nodes[j].r * (solve.worth[j] + solve.due[j] / nodes[j].q + shift)
    own = weigh_own(adjacency, state, t).value
    elsewhere = max(everywhere - own, 0.0)
    return elsewhere * elsewhere / (adjacency.mu + own)


@internal
def variance_with_signs(adjacency: Adjacency, state: LocalState, t: int) -> float:
    """(sum_j |x*_j| - x*_t)^2 / (mu + x*_t) over the unlabelled nodes, each with the sign in which it goes with t.

    No vector serves all nodes here, since the signs depend on t. What the solve left counts |r_j| times as much as the
    mean of g, which is how long a walk is at unlabelled nodes.
    """
    nodes, solve, walk = state.nodes, state.solve, walks_at(adjacency, state, t)
    everywhere = 0.0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        if nodes[j].label < 0:
            everywhere += abs(nodes[j].x)
        everywhere += abs(nodes[j].r) * walk.mean
    own = weigh_own(adjacency, state, t).value
    if nodes[t].label < 0:
        everywhere -= own
    elsewhere = max(everywhere, 0.0)
    return elsewhere * elsewhere / (adjacency.mu + own)


WORTHS = ("worth", "due", "owed")


def worths_of(state: LocalState, n: int) -> dict[str, AnyArray]:
    """What is known of g at the first n nodes, for a snapshot: without it, a restored game would ask otherwise."""
    solve = state.solve
    known = int(solve.found[0]["worths"])
    known = UNKNOWN if known == FRESH else known
    arrays = {name: getattr(solve, name)[:n].copy() if known != UNKNOWN else np.zeros(n) for name in WORTHS}
    return {**arrays, "worths": np.array([known])}


def put_worths(state: LocalState, found: dict[str, AnyArray]) -> None:
    """What a snapshot knows of g."""
    solve = state.solve
    for name in WORTHS:
        getattr(solve, name)[: len(found[name])] = found[name]
    solve.found["worths"] = found["worths"][0]


def worths_off(adjacency: Adjacency, state: LocalState, found: dict[str, AnyArray]) -> float:
    """How far u - Q worth is from what a snapshot says is due, relative to the terms of that difference."""
    if found["worths"][0] == UNKNOWN:
        return 0.0
    nodes = nodes_of(found["label"], found["precision"])
    return float(largest_gap(adjacency, nodes, found["worth"], found["due"]))


@compiled
def largest_gap(adjacency: Adjacency, nodes: Any, worth: Floats, due: Floats) -> float:
    """The largest difference of (u - Q worth)_j and due_j, relative to Q_jj and the largest worth."""
    largest, scale = 0.0, 0.0
    for j in range(len(worth)):
        scale = max(scale, abs(worth[j]))
    for j in range(len(worth)):
        wished = 0.0 if nodes[j].label >= 0 else 1.0
        off = abs(wished - times(adjacency, nodes, worth, j) - due[j])
        largest = max(largest, off / (1.0 + 2.0 * nodes[j].q * scale))
    return largest
