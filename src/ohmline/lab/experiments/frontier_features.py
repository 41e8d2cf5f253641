"""The frontier with features of the nodes: the graph and the words together, and each alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ohmline import data
from ohmline.arrays import Floats, Ints
from ohmline.game import Stream, play
from ohmline.graph import Graph, knn
from ohmline.lab.experiment import Claim, Result, Row, Settings
from ohmline.lab.experiments.frontier_cases import FIRST, NEIGHBOURS
from ohmline.lab.paired import paired
from ohmline.learn import Blend, LocalLGC, NodeFeatures, OnlineLogistic

CITED = {"cora": 0.140, "pubmed": None}
"""Citation graphs whose words are measured where they are here, and the mistake rate to stay under."""
TOGETHER, GRAPH, WORDS = "graph and features", "graph alone", "features alone"
METRIC = "mistake rate with features"


@dataclass(frozen=True)
class Described:
    """A labelled graph whose nodes have features."""

    name: str
    graph: Graph
    rows: Any
    labels: Ints
    reason: str = ""
    """Why both together may not err less than each alone."""

    def errors(self, seed: int) -> dict[str, float]:
        """One shuffle: the product, and its two members alone."""
        order = np.random.default_rng(seed).permutation(self.graph.n)
        stream = Stream(order, self.labels[order])
        features = NodeFeatures(self.rows, self.graph)
        learners = {
            GRAPH: LocalLGC(self.graph),
            WORDS: OnlineLogistic(features),
            TOGETHER: Blend([LocalLGC(self.graph), OnlineLogistic(features)]),
        }
        return {name: play(learner, stream).error_rate for name, learner in learners.items()}


def citations(seed: int, n: int = 2000, classes: int = 6) -> Described:
    """Papers in small groups, whose citations mostly stay within the group, and whose words say the subject vaguely."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) // 40
    subject = rng.integers(0, classes, n // 40 + 1)[group]
    fame = rng.pareto(2.5, n) + 1
    source = rng.choice(n, 2 * n, p=fame / fame.sum())
    kind = rng.random(len(source))
    target = np.empty_like(source)
    for k, u in enumerate(source):
        near = group == group[u] if kind[k] < 0.6 else subject == subject[u] if kind[k] < 0.75 else fame > 0
        target[k] = rng.choice(n, p=fame * near / (fame * near).sum())
    kept = source != target
    once = sparse.coo_array((np.ones(kept.sum()), (source[kept], target[kept])), shape=(n, n))
    graph = Graph.from_scipy(((once + once.T) > 0).astype(np.float64))
    return Described("citations, generated", graph, words_of(subject, classes, rng), subject)


def words_of(subject: Ints, classes: int, rng: np.random.Generator, vocabulary: int = 600) -> Any:
    """Twelve words of each paper, a third of them of its subject; rare words weigh more (TF-IDF)."""
    own = rng.dirichlet(np.full(vocabulary, 0.05), classes)
    common = rng.dirichlet(np.full(vocabulary, 0.5))
    counts = np.array([rng.multinomial(12, 0.35 * own[c] + 0.65 * common) for c in subject], dtype=np.float64)
    weighed = counts * np.log(len(subject) / (1.0 + (counts > 0).sum(axis=0)))
    length: Floats = np.linalg.norm(weighed, axis=1, keepdims=True)
    return sparse.csr_array(weighed / np.maximum(length, 1e-12))


def described(settings: Settings) -> list[Described]:
    """What can be measured here."""
    digits = data.load("digits")
    found = [
        Described(
            f"digits, {NEIGHBOURS} neighbours and pixels",
            knn(digits.points, NEIGHBOURS),
            digits.points,
            np.asarray(digits.labels, np.int64),
            "the graph is made of these very pixels, and a straight line through them adds nothing to it",
        ),
        citations(settings.seed + FIRST),
    ]
    for name in CITED:
        if data.is_here(name) and not settings.quick:
            part = data.load(name).largest_component()
            if part.features is not None:
                graph = Graph.from_scipy(part.graph.adjacency)
                found.append(Described(f"{name} with words", graph, part.features, part.codes))
    return found


def features(settings: Settings) -> Result:
    """The product of both against each alone, and Cora's words where they are here."""
    seeds = [settings.seed + FIRST + k for k in range(2 if settings.quick else 20)]
    rows: list[Row] = []
    claims: list[Claim] = []
    seen: set[str] = set()
    for case in described(settings):
        errors: dict[str, list[float]] = {}
        for seed in seeds:
            settings.tick(f"{case.name}, seed {seed}")
            for method, error in case.errors(seed).items():
                errors.setdefault(method, []).append(error)
        rows += [Row.of(case.name, method, METRIC, values) for method, values in errors.items()]
        leads = [paired(errors[alone], errors[TOGETHER]) for alone in (GRAPH, WORDS)]
        claims.append(
            Claim(
                f"{case.name}: both together err less than each alone",
                all(lead.better for lead in leads),
                f"{np.mean(errors[TOGETHER]):.4f}; graph alone {np.mean(errors[GRAPH]):.4f}, {leads[0]}; "
                f"features alone {np.mean(errors[WORDS]):.4f}, {leads[1]}",
                threshold=leads[0].rule,
                ours=True,
                reason=case.reason,
                full=True,
            )
        )
        for name, most in CITED.items():
            if case.name == f"{name} with words":
                seen.add(name)
                if most is not None:
                    claims.append(with_words(name, most, float(np.mean(errors[TOGETHER]))))
    claims += [with_words(name, most, None) for name, most in CITED.items() if most and name not in seen]
    return Result(rows, claims, notes=NOTES)


NOTES = [
    "Features: Blend([LocalLGC(graph), OnlineLogistic(features)]) with its defaults, which is a product of "
    "probabilities, against its two members alone. The generated citations have words that say the subject vaguely; "
    "nothing was chosen on them or on the digits' pixels with these seeds.",
]


def with_words(name: str, most: float, error: float | None) -> Claim:
    """The claim about a citation graph with its words; nothing is said of it where they are not here."""
    return Claim(
        f"{name} with words: mistake rate at most {most:g}",
        error is not None and error <= most,
        f"the words are not here: `ohmline data get {name}` fetches them, where no folder in OHMLINE_DATA holds "
        "the graph without them"
        if error is None
        else f"{error:.4f}",
        threshold=f"at most {most:g}",
        ours=True,
        full=True,
        missing="" if error is not None else f"the words of {name}",
    )
