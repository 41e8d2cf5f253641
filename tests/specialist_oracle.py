"""The switching cluster specialists as the paper's box says, specialist by specialist, for any kind of number."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import ohmline as ohm
from ohmline.learn.cluster_specialists.state import MISTAKE
from ohmline.learn.trees.lines import drawn_lines

OTHER = object()
"""Any class that has not been seen: all of them have the same weights."""
Exact = Any
"""A Fraction, or a Decimal of sixty digits."""


def basis(lo: int, hi: int) -> list[tuple[int, int]]:
    """The dyadic basis of the places lo to hi."""
    if lo == hi:
        return [(lo, hi)]
    middle = (lo + hi) // 2
    return [(lo, hi), *basis(lo, middle), *basis(middle + 1, hi)]


class Spine:
    """One component of one tree: every specialist has a weight, and all of them are touched at every label."""

    def __init__(self, lo: int, hi: int, share: Exact, *, every: bool) -> None:
        self.every = every
        self.intervals, self.share = basis(lo, hi), share
        assert len(self.intervals) == 2 * (hi - lo + 1) - 1
        self.weight: dict[tuple[tuple[int, int], Any], Exact] = {
            (i, OTHER): 0 * share + 1 for i in self.intervals if every
        }
        self.made = 0
        digits: Any = Decimal if isinstance(share, Decimal) else float
        self.tick = (1 - digits(share)) ** (1 / digits(MISTAKE))
        """What a label that was said rightly leaves of a weight; in fractions as near as floating point is."""
        if isinstance(share, Fraction):
            self.tick = Fraction(self.tick)

    def awake(self, place: int) -> list[tuple[tuple[int, int], Any]]:
        return [s for s in self.weight if s[0][0] <= place <= s[0][1]]

    def meet(self, y: Any) -> None:
        self.weight |= {(i, y): self.weight.get((i, OTHER), 0 * self.share + 1) for i in self.intervals}

    def said(self, place: int, classes: list[Any]) -> dict[Any, Exact]:
        found = dict.fromkeys(classes, 0 * self.share)
        for s in self.awake(place):
            if s[1] is not OTHER:
                found[s[1]] += self.weight[s]
        return found

    def vote(self, place: int, classes: list[Any]) -> Any:
        """None before the first label; of equals (but for the sixtieth digit) the class that was seen first."""
        if self.made == 0:
            return None
        said = self.said(place, classes)
        best = classes[0]
        for y in classes[1:]:
            if said[y] > said[best] + (0 if isinstance(self.share, Fraction) else Decimal("1e-40")):
                best = y
        return best

    def close(self, place: int, classes: list[Any]) -> bool:
        """Whether floating-point numbers might see another class in front."""
        top = sorted(self.said(place, classes).values(), reverse=True)
        return len(top) > 1 and 0 <= top[0] - top[1] < top[0] * type(top[0])("1e-12")

    def correct(self, place: int, y: Any, *, wrong: bool) -> None:
        awake = self.awake(place)
        every = sum(self.weight[s] for s in awake)
        right = sum(self.weight[s] for s in awake if s[1] == y)
        for s in awake:
            self.weight[s] = self.weight[s] * every / right if s[1] == y else 0 * self.share
        assert sum(self.weight.values()) - len(self.weight) <= (
            0 if isinstance(self.share, Fraction) else Decimal("1e-40")
        )
        share = self.share if wrong else 1 - self.tick
        for s in self.weight:
            self.weight[s] = (1 - share) * self.weight[s] + share
        self.made += 1


class Oracle:
    """A committee of spines, each component by itself."""

    def __init__(
        self,
        graph: ohm.Graph,
        trees: int,
        share: Exact,
        seed: int,
        part: slice = slice(None),
        *,
        every: bool = True,
    ) -> None:
        lines, _ = drawn_lines(graph, trees, None, seed, weighted=False)
        self.place, self.component = lines.place[:, part].tolist(), lines.component.tolist()
        ends = lines.first.tolist()
        self.spines = [
            [Spine(ends[k], ends[k + 1] - 1, share, every=every) for k in range(graph.n_components)]
            for _ in range(trees)[part]
        ]
        self.classes: list[Any] = []

    def at(self, x: int) -> list[tuple[Spine, int]]:
        return [(tree[self.component[x]], self.place[x][t]) for t, tree in enumerate(self.spines)]

    def shares(self, x: int) -> dict[Any, Exact] | None:
        here = self.at(x)
        votes = Counter(spine.vote(place, self.classes) for spine, place in here)
        if None in votes:
            return None
        found = {}
        for y in self.classes:
            parts = [spine.said(place, self.classes) for spine, place in here]
            split = sum(said[y] / sum(said.values()) for said in parts) / len(here)
            found[y] = (votes[y] + split) / (len(here) + 1)
        return found

    def learn(self, x: int, y: Any) -> None:
        wrong = [s.vote(p, self.classes) != y for s, p in self.at(x)]
        if y not in self.classes:
            self.classes.append(y)
            for tree in self.spines:
                for spine in tree:
                    spine.meet(y)
        for (spine, place), so in zip(self.at(x), wrong, strict=True):
            if so or spine.every:
                spine.correct(place, y, wrong=so)
