"""Papers that were never written: topics, titles and abstracts to read, and who cites whom.

A paper's words come mostly from its own topic, so that a person can tell it by reading. It cites papers that are cited
already, most of them of its own topic: about four in five, as in real citation graphs.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import final

import numpy as np

from ohmline.checks import count, generator
from ohmline.graph.graph import Graph

WORDS = {
    "astronomy": "star galaxy orbit telescope comet spectrum redshift planet eclipse nebula dust luminosity",
    "botany": "leaf root pollen seedling moss orchid bark canopy chlorophyll petal spore drought",
    "economics": "price market tariff wage inflation credit auction demand bank tax household trade",
    "linguistics": "verb vowel dialect syllable grammar pronoun accent corpus phrase tense idiom translation",
    "medicine": "patient dose symptom vaccine kidney trial infection therapy blood fever surgery diagnosis",
    "robotics": "gripper robot motor sensor joint actuator drone obstacle torque wheel battery calibration",
}
"""The topics, each with words of its own."""
TITLES = (
    "On the {0} and the {1} in {2} studies",
    "How {0} shapes {1}: evidence from {2} records",
    "A model of {0} and {1} under changing {2}",
    "Measuring {0} with {1}, and what {2} adds",
    "Does {0} explain {1}? The role of {2}",
    "{0}, {1} and {2}: a second look",
)
SENTENCES = (
    "We follow the {0} over ten years and relate it to the {1}.",
    "Earlier work took the {0} to be fixed; we let it depend on the {1}.",
    "A small experiment with {0} and {1} supports this.",
    "The {0} turns out to matter more than the {1}.",
    "We share all measurements of {0} and of {1}.",
    "Where the {0} is missing, the {1} stands in for it.",
)
OWN_CITATIONS, OWN_WORDS = 0.8, 0.88
"""The shares of citations and of words that stay within the topic."""


@final
@dataclass(frozen=True, slots=True)
class Papers:
    """A citation graph with something to read at every node.

    Attributes
    ----------
    graph
        Who cites whom.
    topics
        The topic of each paper.
    nodes
        Title, abstract and year of each paper.
    """

    graph: Graph
    topics: dict[Hashable, str]
    nodes: dict[Hashable, dict[str, str]]


def papers(n: int = 600, seed: int = 0) -> Papers:
    """Some papers.

    Parameters
    ----------
    n
        How many, at least 10. Default 600.
    seed
        The same seed gives the same papers. Default 0.
    """
    n, rng = count(n, "n", least=10, most=10**6), generator(seed)
    names = list(WORDS)
    topic = rng.integers(len(names), size=n)
    cited = np.ones(n)
    edges: list[tuple[str, str]] = []
    ids = [f"paper-{k:04}" for k in range(n)]
    for k in range(1, n):
        own = topic[:k] == topic[k]
        for _ in range(int(rng.integers(1, 6))):
            among = own if own.any() and rng.random() < OWN_CITATIONS else ~own
            weight = cited[:k] * among if among.any() else cited[:k]
            j = int(rng.choice(k, p=weight / weight.sum()))
            cited[j] += 1.0
            edges.append((ids[k], ids[j]))
    topics: dict[Hashable, str] = {ids[k]: names[topic[k]] for k in range(n)}
    nodes: dict[Hashable, dict[str, str]] = {}
    for k in range(n):
        said = _Words(names, names[topic[k]], rng)
        title = said.put_into(TITLES)
        nodes[ids[k]] = {
            "title": title,
            "text": f"{said.put_into(SENTENCES)} {said.put_into(SENTENCES)}",
            "year": str(1990 + 30 * k // n),
        }
    return Papers(Graph.from_edges(edges, nodes=ids), topics, nodes)


class _Words:
    """Words for one paper: most from its own topic, none twice."""

    def __init__(self, names: list[str], topic: str, rng: np.random.Generator) -> None:
        self._rng, self._names, self._topic = rng, names, topic
        self._used: set[str] = set()

    def put_into(self, frames: tuple[str, ...]) -> str:
        frame = frames[int(self._rng.integers(len(frames)))]
        words = [self._word() for _ in range(frame.count("{"))]
        text = frame.format(*words)
        return text[0].upper() + text[1:]

    def _word(self) -> str:
        while True:
            own = self._rng.random() < OWN_WORDS
            topic = self._topic if own else self._names[int(self._rng.integers(len(self._names)))]
            words = WORDS[topic].split()
            word = words[int(self._rng.integers(len(words)))]
            if word not in self._used:
                self._used.add(word)
                return word
