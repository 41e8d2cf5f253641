"""Counting the labellings of a graph by their cut, exactly, without listing them.

A *profile* is a list whose entry c is the number of labellings with cut c (entries beyond the budget are dropped).
Labellings of disjoint parts multiply, so their profiles convolve. A *table* has one profile for each labelling of a
few nodes. Every node has one for its own label and its edges to nodes that are summed out later; summing out a node
multiplies all that speak of it and adds over its two labels, which gives a table over its later neighbours. A second
pass in the other direction tells every node what the rest of the graph says, so that the labellings in which any
node has either label are counted at the price of two passes: O(n 2^width k^2) operations, k the budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from typing import NamedTuple

from ohmline.graph.graph import Graph
from ohmline.learn.halving.elimination import Elimination

Profile = list[int]


class Table(NamedTuple):
    """A profile for each labelling of the nodes of `scope`; bit q of an index says whether scope[q] is +1."""

    scope: tuple[int, ...]
    """Turns, not positions, in ascending order."""
    profiles: list[Profile]


ONE = Table((), [[1]])


def convolve(a: Profile, b: Profile, budget: int) -> Profile:
    """The profile of two disjoint parts together."""
    if len(a) == 1 or len(b) == 1:  # most parts of a path: nothing to mix
        (single,), other = (a, b) if len(a) == 1 else (b, a)
        return other if single == 1 else [single * count for count in other] if single else [0]
    out = [0] * min(len(a) + len(b) - 1, budget + 1)
    for i, x in enumerate(a[: len(out)]):
        if x:
            for j, y in enumerate(b[: len(out) - i]):
                out[i + j] += x * y
    return out


def added(a: Profile, b: Profile) -> Profile:
    """The profile of two kinds of labellings together."""
    if len(a) < len(b):
        a, b = b, a
    return [*map(int.__add__, a, b), *a[len(b) :]]


def product(a: Table, b: Table, budget: int) -> Table:
    """What two tables say together; the first one should have the emptier profiles."""
    if a is ONE or b is ONE:
        return b if a is ONE else a
    scope = a.scope if a.scope == b.scope else tuple(sorted({*a.scope, *b.scope}))
    here, there = _places(scope, a.scope), _places(scope, b.scope)
    pairs = zip(here, there, strict=True)
    return Table(scope, [convolve(a.profiles[i], b.profiles[j], budget) for i, j in pairs])


def onto(table: Table, scope: tuple[int, ...]) -> Table:
    """The table summed over every node that is not in `scope`."""
    if table.scope == scope:
        return table
    kept = tuple(v for v in table.scope if v in scope)
    profiles: list[Profile] = [[]] * 2 ** len(kept)
    for place, profile in zip(_places(table.scope, kept), table.profiles, strict=True):
        profiles[place] = added(profiles[place], profile) if profiles[place] else profile
    return Table(kept, profiles)


def _places(scope: tuple[int, ...], part: tuple[int, ...]) -> tuple[int, ...]:
    return _bits(len(scope), tuple(map(scope.index, part)))


@lru_cache(maxsize=4096)
def _bits(size: int, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """For each labelling of `size` nodes the index of its part on the chosen ones."""
    return tuple(sum((t >> q & 1) << k for k, q in enumerate(chosen)) for t in range(2**size))


class Part(NamedTuple):
    """One component, its nodes by turn: the order in which they are summed out."""

    nodes: list[int]
    """The positions, by turn."""
    later: list[tuple[int, ...]]
    """For each turn those of the neighbours that are left."""
    children: list[list[int]]
    """For each turn those whose tables are handed to it: it is the first of their later ones."""
    edges: list[Table]
    """For each turn what its edges to later ones cost."""


def parts(graph: Graph, elimination: Elimination, budget: int) -> list[Part]:
    """The components, in the order of their numbers."""
    nodes: list[list[int]] = [[] for _ in range(graph.n_components)]
    turn: dict[int, int] = {}
    for v in elimination.order:
        mine = nodes[int(graph.component_of[v])]
        turn[v] = len(mine)
        mine.append(v)
    out = []
    for mine in nodes:
        later = [tuple(turn[w] for w in elimination.later[v]) for v in mine]
        children: list[list[int]] = [[] for _ in mine]
        for t, rest in enumerate(later):
            if rest:
                children[rest[0]].append(t)
        edges = [_edges(graph, v, turn, budget) for v in mine]
        out.append(Part(mine, later, children, edges))
    return out


def _edges(graph: Graph, v: int, turn: dict[int, int], budget: int) -> Table:
    """What the edges from v to nodes with later turns cost, by the labels of their ends."""
    row = slice(int(graph.indptr[v]), int(graph.indptr[v + 1]))
    pairs = zip(graph.indices[row].tolist(), graph.weights[row].tolist(), strict=True)
    ends = sorted((turn[w], int(weight)) for w, weight in pairs if turn[w] > turn[v])
    profiles: list[Profile] = []
    for labels in range(2 ** (len(ends) + 1)):
        cost = 0
        for q, (_, weight) in enumerate(ends, start=1):
            differ = (labels ^ labels >> q) & 1
            cost += abs(weight) if differ == (weight > 0) else 0
        profiles.append([0] * cost + [1] if cost <= budget else [0])
    return Table((turn[v], *(t for t, _ in ends)), profiles)


class Counted(NamedTuple):
    """What both passes found: for each turn what it and those summed out before say, and what all the others do."""

    below: list[Table]
    above: list[Table]
    total: Profile
    """Over all labellings of the component."""
    seen: dict[int, tuple[Profile, Profile]]
    """What was asked for, so that it is worked out once."""


def counted(part: Part, label: Sequence[int], budget: int) -> Counted:
    """Both passes over a component, over the labellings that agree with `label` where it is not 0."""
    own = [_allowed(t, label[v]) for t, v in enumerate(part.nodes)]
    below: list[Table] = []
    message: list[Table] = []
    for t, edges in enumerate(part.edges):
        inner = _all([own[t], *(message[c] for c in part.children[t])], budget)
        below.append(product(edges, inner, budget))
        message.append(onto(below[t], part.later[t]))
    above = [ONE] * len(part.nodes)
    for t in range(len(part.nodes) - 1, -1, -1):
        if part.children[t]:
            given = [message[c] for c in part.children[t]]
            outer = product(part.edges[t], _all([above[t], own[t]], budget), budget)
            outer = onto(outer, tuple({v: None for table in given for v in table.scope}))
            for c, others in zip(part.children[t], _others(outer, given, budget), strict=True):
                above[c] = onto(others, part.later[c])
    return Counted(below, above, message[-1].profiles[0], {})


def profile_pair(sides: Counted, turn: int, budget: int) -> tuple[Profile, Profile]:
    """The profiles of the whole component in which one node has the label -1, and +1."""
    if turn not in sides.seen:
        minus, plus = onto(product(sides.below[turn], sides.above[turn], budget), (turn,)).profiles
        sides.seen[turn] = minus, plus
    return sides.seen[turn]


def _all(tables: Iterable[Table], budget: int) -> Table:
    return reduce(lambda a, b: product(a, b, budget), tables)


def _others(outer: Table, given: Sequence[Table], budget: int) -> list[Table]:
    """For each of some tables the product of all the others and the outer one."""
    ahead = [outer]
    for table in given[:-1]:
        ahead.append(product(ahead[-1], table, budget))
    behind, out = ONE, []
    for k in range(len(given) - 1, -1, -1):
        out.append(product(ahead[k], behind, budget))
        behind = product(behind, given[k], budget)
    return out[::-1]


def _allowed(turn: int, label: int) -> Table:
    if label == 0:
        return ONE
    return Table((turn,), [[1], [0]] if label < 0 else [[0], [1]])
