"""The compiled step of `Compatibility`: what labels two edges away say of a node, by which classes edges join."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import compiled, implements, internal
from ohmline.learn.contract import TIE
from ohmline.learn.relations.halves import Halves
from ohmline.learn.step import learn, view

SMOOTH = 1.0
"""How many pairs, spread as labels are, each class is taken to have been seen in before the first."""
OWN = 4.6
"""The log of how much likelier a node's own label makes its class: 100 to 1."""
UNIT = 2.0**30
"""What an edge that counts 1 adds to `heard`: whole numbers, so that no order of labels leaves a rounding error."""


class PairState(NamedTuple):
    """The labels, and how often each kind of edge joins two classes."""

    label: Ints
    """The class of each node, -1 for none."""
    order: Ints
    """The codes of the classes, in the order in which they were first learned."""
    seen: Ints
    """How many were."""
    counts: Ints
    """How many nodes have each class."""
    pairs: Ints
    """[r, a, b]: how many edges of kind r lead from a node of class a to one of class b."""
    ends: Floats
    """[r, a]: how many edges of kind r the nodes of class a have, to anybody, as `Halves.ways` counts them."""
    heard: Ints
    """[h, r, a]: how much edges of kind r count that lead from hub h to nodes of class a, in parts of `UNIT`."""


@internal
def ratios(space: Halves, state: PairState, prior: Floats, kind: int, out: Floats) -> None:
    """P(other end has class b | this end has class a) / P(an end has class b), for the classes seen, in their order.

    An end of the type, whichever way its edges go: of those of one way all ends may be of one class, so that nothing is
    left to divide by. That the way itself gives the class of this end away is told by `ways`.
    """
    seen, first, total = state.seen[0], space.first[kind], 0.0
    ends = np.zeros(seen)
    for b in range(seen):
        for a in range(seen):
            for r in range(first, first + space.many[kind]):
                ends[b] += state.pairs[r, state.order[a], state.order[b]]
        total += ends[b]
    for b in range(seen):
        ends[b] = (ends[b] + SMOOTH * prior[b]) / (total + SMOOTH)
    for a in range(seen):
        row = 0.0
        for b in range(seen):
            row += state.pairs[kind, state.order[a], state.order[b]]
        for b in range(seen):
            pairs = state.pairs[kind, state.order[a], state.order[b]]
            out[a, b] = (pairs / ends[b] + SMOOTH) / (row + SMOOTH)


@internal
def ways(space: Halves, state: PairState, out: Floats) -> None:
    """[r, a]: the log of P(an edge goes this way | class a) / P(it goes this way); 0 for types without directions."""
    seen = state.seen[0]
    for r in range(out.shape[0]):
        first, many = space.first[r], space.many[r]
        here, total = 0.0, 0.0
        for a in range(seen):
            here += state.ends[r, state.order[a]]
            for q in range(first, first + many):
                total += state.ends[q, state.order[a]]
        share = (here + SMOOTH / many) / (total + SMOOTH)
        for a in range(seen):
            of = 0.0
            for q in range(first, first + many):
                of += state.ends[q, state.order[a]]
            out[r, a] = np.log((state.ends[r, state.order[a]] / share + SMOOTH) / (of + SMOOTH))


@internal
def place_of(state: PairState, code: int) -> int:
    """The place of a class among those seen."""
    for k in range(state.seen[0]):
        if state.order[k] == code:
            return k
    return -1


@internal
def normalise(scores: Floats) -> None:
    """From logarithms to shares of 1."""
    largest, total = scores.max(), 0.0
    for a in range(scores.shape[0]):
        scores[a] = np.exp(scores[a] - largest)
        total += scores[a]
    for a in range(scores.shape[0]):
        scores[a] /= total


@internal
def votes_at(space: Halves, state: PairState, x: int, p: int, votes: Ints) -> bool:
    """What the labelled neighbours of a hub say, but for x, whose edge p leads there; whether there are any."""
    j, own = space.indices[p], state.label[x]
    votes[:] = state.heard[space.hub[j]]
    if own >= 0:
        q = p
        while q > space.indptr[x] and space.indices[q - 1] == j:
            q -= 1
        while q < space.indptr[x + 1] and space.indices[q] == j:
            votes[space.mirror[space.kind[q]], own] -= np.int64(UNIT * space.power[q])
            q += 1
    return bool(votes.any())


@internal
def shares_at(space: Halves, state: PairState, x: int, shares: Floats) -> bool:
    """The share of each class seen, in their order, and whether any label is within two edges."""
    seen, kinds = state.seen[0], space.mirror.shape[0]
    labels = 0.0
    for a in range(seen):
        labels += state.counts[state.order[a]] + 1
    prior, place = np.empty(seen), np.full(state.counts.shape[0], -1)
    for a in range(seen):
        prior[a] = (state.counts[state.order[a]] + 1) / labels
        place[state.order[a]] = a
    ratio, logs = np.empty((kinds, seen, seen)), np.empty((kinds, seen, seen))
    for r in range(kinds):
        ratios(space, state, prior, r, ratio[r])
        for a in range(seen):
            for b in range(seen):
                logs[r, a, b] = np.log(ratio[r, a, b])
    way = np.empty((kinds, seen))
    ways(space, state, way)
    known, belief = state.label[x] >= 0, np.empty(seen)
    votes = np.empty((kinds, state.counts.shape[0]), np.int64)
    for a in range(seen):
        shares[a] = np.log(prior[a])
        for r in range(kinds):
            shares[a] += space.ways[x, r] * way[r, a]
    if known:
        shares[place[state.label[x]]] += OWN
    for p in range(space.indptr[x], space.indptr[x + 1]):
        j, r = space.indices[p], space.kind[p]
        if state.label[j] >= 0:
            known = True
            for a in range(seen):
                shares[a] += space.power[p] * logs[r, a, place[state.label[j]]]
        else:
            heard = False
            for b in range(seen):
                belief[b] = np.log(prior[b])
                for k in range(kinds):
                    belief[b] += space.ways[j, k] * way[k, b]
            if space.hub[j] >= 0:
                heard = votes_at(space, state, x, p, votes)
                for k in range(kinds if heard else 0):
                    for c in range(seen):
                        power = votes[k, state.order[c]] / UNIT
                        for b in range(seen):
                            belief[b] += power * logs[k, b, c]
            else:
                for q in range(space.indptr[j], space.indptr[j + 1]):
                    i = space.indices[q]
                    if i != x and state.label[i] >= 0:
                        heard = True
                        for b in range(seen):
                            belief[b] += space.power[q] * logs[space.kind[q], b, place[state.label[i]]]
            known = known or heard
            if heard:
                normalise(belief)
                for a in range(seen):
                    said = 0.0
                    for b in range(seen):
                        said += ratio[r, a, b] * belief[b]
                    shares[a] += space.power[p] * np.log(said)
    normalise(shares)
    return known


@internal
def leader(state: PairState, shares: Floats) -> tuple[int, float]:
    """The class with the largest share, the first learned among equals, and its lead."""
    best, top, second = -1, 0.0, 0.0
    for a in range(shares.shape[0]):
        if best < 0 or shares[a] > top + TIE:
            second, top, best = top, shares[a], state.order[a]
        else:
            second = max(second, shares[a])
    lead = top - second
    return best, (lead if lead > TIE else 0.0)


@implements(view, PairState)
def view_pairs(space: Any, state: PairState, x: int) -> tuple[int, float]:
    if state.seen[0] == 0:
        return -1, 0.0
    shares = np.empty(state.seen[0])
    if not shares_at(space, state, x, shares):
        return -1, 0.0
    return leader(state, shares)


@internal
def tell_hub(space: Halves, heard: Ints, p: int, y: int, change: int) -> None:
    """Count the end of an edge, which is at a node of class y, for the hub at the other end; or take it back."""
    hub = space.hub[space.indices[p]]
    if hub >= 0:
        heard[hub, space.mirror[space.kind[p]], y] += change * np.int64(UNIT * space.power[p])


@internal
def add_pairs(space: Halves, label: Ints, pairs: Ints, heard: Ints, x: int, y: int, change: int) -> None:
    """Count the edges between x, as one of class y, and its labelled neighbours; or take them back."""
    for p in range(space.indptr[x], space.indptr[x + 1]):
        tell_hub(space, heard, p, y, change)
        other = label[space.indices[p]]
        if other >= 0:
            pairs[space.kind[p], y, other] += change
            pairs[space.mirror[space.kind[p]], other, y] += change


@implements(learn, PairState)
def learn_pairs(space: Any, state: PairState, x: int, y: int, margin: float) -> tuple[bool, float]:
    old = state.label[x]
    if old == y:
        return False, 0.0
    if place_of(state, y) < 0:
        state.order[state.seen[0]] = y
        state.seen[0] += 1
    if old >= 0:
        add_pairs(space, state.label, state.pairs, state.heard, x, old, -1)
        state.counts[old] -= 1
        for r in range(space.mirror.shape[0]):
            state.ends[r, old] -= space.ways[x, r]
    add_pairs(space, state.label, state.pairs, state.heard, x, y, 1)
    state.label[x] = y
    state.counts[y] += 1
    for r in range(space.mirror.shape[0]):
        state.ends[r, y] += space.ways[x, r]
    return True, 1.0


@compiled
def recount(space: Halves, label: Ints, counts: Ints, pairs: Ints, ends: Floats, heard: Ints) -> None:
    """What follows from the labels: the counts of classes, pairs, ends and of the hubs, into arrays of zeros."""
    for x in range(label.shape[0]):
        if label[x] >= 0:
            counts[label[x]] += 1
            for r in range(ends.shape[0]):
                ends[r, label[x]] += space.ways[x, r]
            for p in range(space.indptr[x], space.indptr[x + 1]):
                tell_hub(space, heard, p, label[x], 1)
                other = label[space.indices[p]]
                if other >= 0:
                    pairs[space.kind[p], label[x], other] += 1


@compiled
def survey(
    space: Halves, state: PairState, places: AnyArray, codes: Ints, margins: Floats, chances: Floats
) -> None:
    """The predictions of many nodes, and the share of each class, 0 for those not seen."""
    shares = np.empty(state.seen[0])
    for k in range(places.shape[0]):
        codes[k], margins[k] = -1, 0.0
        if state.seen[0] > 0 and shares_at(space, state, places[k], shares):
            codes[k], margins[k] = leader(state, shares)
            for a in range(shares.shape[0]):
                chances[k, state.order[a]] = shares[a]


@compiled
def tables(space: Halves, state: PairState, out: Floats) -> None:
    """The ratios of every kind, for the classes seen."""
    seen, labels = state.seen[0], 0.0
    for a in range(seen):
        labels += state.counts[state.order[a]] + 1
    prior = np.empty(seen)
    for a in range(seen):
        prior[a] = (state.counts[state.order[a]] + 1) / labels
    for r in range(out.shape[0]):
        ratios(space, state, prior, r, out[r])
