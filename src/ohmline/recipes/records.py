"""Records of people who never lived, some of them twice: which two are the same person?

A node is a pair of records that look alike. Two pairs that share a record are neighbours, the more so the more alike
both look: what is decided about one says something about the other.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations
from math import exp
from typing import final

import numpy as np

from ohmline.checks import count, generator
from ohmline.graph.graph import Graph

FIRST = (
    "Anna Anne Bernd Carla Clara David Elena Erik Erika Frieda Georg Hanna Ivan Jonas Jonna Karin Lars Lena"
)
LAST = "Albers Ahlers Berg Bergen Carlsen Dahl Dahlke Ekman Frank Franke Holm Holmes Jansen Jensen Kern Lund"
STREETS = "Mill Lane|Mill Road|Park Street|Lake View|Church Hill|Station Road|High Street|Harbour Walk"
TOWNS = "Norham Northam Westby Westbury Eastholm Sudham"
ALIKE = 0.72
"""Records that look less alike than this are no pair."""


@final
@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of records.

    Attributes
    ----------
    graph
        Pairs, and which of them share a record.
    same
        For each pair whether it is one person.
    nodes
        What there is to read about each pair.
    """

    graph: Graph
    same: dict[Hashable, str]
    nodes: dict[Hashable, dict[str, str]]


def pairs(people: int = 80, seed: int = 0) -> Pairs:
    """Some pairs, in random order.

    Parameters
    ----------
    people
        How many people there are, at least 20. Default 80, which makes about 500 pairs.
    seed
        The same seed gives the same pairs. Default 0.
    """
    people, rng = count(people, "people", least=20, most=2000), generator(seed)
    records: list[tuple[int, str]] = []
    for person in range(people):
        plain = _person(rng)
        records += [(person, _typed(plain, rng)) for _ in range(int(rng.integers(1, 5)))]
    found: dict[str, tuple[int, int, float]] = {}
    for a, b in combinations(range(len(records)), 2):
        matcher = SequenceMatcher(None, records[a][1], records[b][1], autojunk=False)
        if matcher.real_quick_ratio() >= ALIKE and matcher.quick_ratio() >= ALIKE:
            alike = matcher.ratio()
            if alike >= ALIKE:
                found[f"r{a}-r{b}"] = (a, b, alike)
    ids = [list(found)[k] for k in rng.permutation(len(found))]
    holders: dict[int, list[str]] = {}
    for node in ids:
        for record in found[node][:2]:
            holders.setdefault(record, []).append(node)
    edges = {
        frozenset(two): exp(-abs(found[two[0]][2] - found[two[1]][2]) / 0.03)
        for members in holders.values()
        for two in combinations(members, 2)
    }
    same: dict[Hashable, str] = {}
    nodes: dict[Hashable, dict[str, str]] = {}
    for node in ids:
        a, b, alike = found[node]
        same[node] = "same" if records[a][0] == records[b][0] else "different"
        nodes[node] = {
            "text": f"{records[a][1]}\n{records[b][1]}",
            "title": f"{records[a][1]} = {records[b][1]}?",
            "alike": f"{alike:.0%}",
        }
    listed = [(*sorted(two), weight) for two, weight in edges.items()]
    return Pairs(Graph.from_edges(listed, nodes=ids), same, nodes)


def _person(rng: np.random.Generator) -> list[str]:
    lists = (FIRST.split(), LAST.split(), STREETS.split("|"), TOWNS.split())
    choice = [words[int(rng.integers(len(words)))] for words in lists]
    return [f"{choice[0]} {choice[1]}", f"{choice[2]} {int(rng.integers(1, 60))}", choice[3]]


def _typed(plain: list[str], rng: np.random.Generator) -> str:
    """A record as somebody typed it: two letters swapped, one lost, a first name cut to its letter."""
    name, street, town = plain
    if rng.random() < 0.25:
        name = f"{name[0]}. {name.partition(' ')[2]}"
    words = f"{name}, {street}, {town}"
    for _ in range(int(rng.integers(0, 3))):
        k = int(rng.integers(1, len(words) - 2))
        words = words[:k] + (words[k + 1] + words[k] if rng.random() < 0.5 else words[k + 1]) + words[k + 2 :]
    return words
