"""Counting the labellings of a tree by their cut, exactly, without listing them.

A *profile* is a list whose entry c is the number of labellings with cut c (entries beyond the budget
are dropped). Labellings of disjoint parts multiply, so their profiles convolve; an edge of weight w
whose ends disagree shifts a profile by w. Two passes over a tree give, for every node and label, the
profile of the labellings in which it has that label.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Profile = list[int]
Pair = tuple[Profile, Profile]
"""The profiles for the labels -1 and +1 of one node."""


class Tree(NamedTuple):
    """One component, rooted: nodes by position with parents before children."""

    nodes: list[int]
    parent: dict[int, int]
    weight: dict[int, int]
    """Of the edge to the parent."""


def convolve(a: Profile, b: Profile, budget: int) -> Profile:
    """The profile of two disjoint parts together."""
    if len(a) == 1 or len(b) == 1:  # most parts of a path: nothing to mix
        (single,), other = (a, b) if len(a) == 1 else (b, a)
        return other if single == 1 else [single * count for count in other]
    out = [0] * min(len(a) + len(b) - 1, budget + 1)
    for i, x in enumerate(a[: len(out)]):
        if x:
            for j, y in enumerate(b[: len(out) - i]):
                out[i + j] += x * y
    return out


def across(pair: Pair, weight: int, budget: int) -> Pair:
    """What the part behind an edge gives to each label of the near end."""
    return _joined(pair[0], pair[1], weight, budget), _joined(pair[1], pair[0], weight, budget)


def _joined(same: Profile, other: Profile, weight: int, budget: int) -> Profile:
    out = same + [0] * (min(len(other) + weight, budget + 1) - len(same))
    for c, count in enumerate(other[: max(budget + 1 - weight, 0)]):
        out[c + weight] += count
    return out


def product(pairs: Sequence[Pair], budget: int) -> Pair:
    """The profiles of several parts that hang on one node."""
    minus: Profile = [1]
    plus: Profile = [1]
    for a, b in pairs:
        minus, plus = convolve(minus, a, budget), convolve(plus, b, budget)
    return minus, plus


class Counted(NamedTuple):
    """The two sides of every node: what hangs below it, and the rest of its tree."""

    below: dict[int, Pair]
    above: dict[int, Pair]


def counted(tree: Tree, label: Sequence[int], budget: int) -> Counted:
    """Both sides of every node, over the labellings that agree with `label` where it is not 0."""
    children: dict[int, list[int]] = {i: [] for i in tree.nodes}
    for i in tree.nodes[1:]:
        children[tree.parent[i]].append(i)
    below: dict[int, Pair] = {}
    upward: dict[int, Pair] = {}
    for i in reversed(tree.nodes):
        below[i] = _allowed(product([upward[c] for c in children[i]], budget), label[i])
        if i in tree.parent:
            upward[i] = across(below[i], tree.weight[i], budget)
    above: dict[int, Pair] = {tree.nodes[0]: ([1], [1])}
    for i in tree.nodes:
        parts = [upward[c] for c in children[i]]
        for c, others in zip(children[i], _others(above[i], parts, budget), strict=True):
            above[c] = across(_allowed(others, label[i]), tree.weight[c], budget)
    return Counted(below, above)


def profile_pair(sides: Counted, i: int, budget: int) -> Pair:
    """The profiles of the whole tree in which node i has the label -1, and +1."""
    return _together(sides.below[i], sides.above[i], budget)


def _others(above: Pair, parts: Sequence[Pair], budget: int) -> list[Pair]:
    """For each part the product of all the other parts and what is above."""
    ahead = [above]
    for part in parts[:-1]:
        ahead.append(_together(ahead[-1], part, budget))
    behind: Pair = ([1], [1])
    out: list[Pair] = []
    for k in range(len(parts) - 1, -1, -1):
        out.append(_together(ahead[k], behind, budget))
        behind = _together(behind, parts[k], budget)
    return out[::-1]


def _together(a: Pair, b: Pair, budget: int) -> Pair:
    return convolve(a[0], b[0], budget), convolve(a[1], b[1], budget)


def _allowed(pair: Pair, label: int) -> Pair:
    if label == 0:
        return pair
    return (pair[0], [0]) if label < 0 else ([0], pair[1])
