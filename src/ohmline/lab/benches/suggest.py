"""What to label next: seconds per choice beside a loop that refits, and what the labels are worth."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.data import load
from ohmline.graph.graph import Graph
from ohmline.kernel.iterate import conjugate_gradients
from ohmline.lab.bench import Bench, Measured, target
from ohmline.learn import LocalLGC
from ohmline.query import Contested, ErrorReduction, PoolQuery, Random, Uncertainty
from ohmline.query import suggest as next_labels
from ohmline.query.covariance import inverse_of

SEEDS, AFTER = range(10), (50, 100)
WARM, TIMED = 12, 40
"""Choices before the clock starts, and while it runs."""
TOLERANCE = 1e-6
"""Where the solves of the refitting loop end."""


def codes_of(labels: Any) -> Ints:
    """Whole numbers for the classes."""
    return np.unique(np.asarray(labels).astype(str), return_inverse=True)[1].astype(np.int64)


def started(graph: Graph, codes: Ints, seed: int) -> LocalLGC:
    """A learner that was given one random label of each class."""
    rng, classes = np.random.default_rng(seed), int(codes.max()) + 1
    learner = LocalLGC(graph, classes=range(classes))
    for c in range(classes):
        i = int(rng.choice(np.flatnonzero(codes == c)))
        learner.learn_one(graph.nodes[i], c)
    return learner


def accuracy(learner: LocalLGC, codes: Ints) -> float:
    """The share of the nodes without a label that are predicted right."""
    rest = np.flatnonzero(~learner.labelled())
    said = [learner.predict_one(learner.nodes[int(i)]) for i in rest]
    return float(np.mean([guess == codes[i] for guess, i in zip(said, rest, strict=True)]))


def accuracies(graph: Graph, codes: Ints, query: PoolQuery | None) -> Floats:
    """Mean accuracy after so many choices, from one label of each class: a row for each seed."""
    rows = []
    for seed in SEEDS:
        learner, row = started(graph, codes, seed), []
        for t in range(1, max(AFTER) + 1):
            (node,) = next_labels(learner, 1, query, seed=1000 * seed + t)
            learner.learn_one(node, int(codes[graph.nodes.position(node)]))
            if t in AFTER:
                row.append(accuracy(learner, codes))
        rows.append(row)
    return np.array(rows)


def seconds_per_choice(graph: Graph, codes: Ints, query: PoolQuery | None) -> float:
    """Of `suggest` in a loop with `learn_one`, once the learner has been met; the median."""
    learner, spent = started(graph, codes, 0), []
    for _ in range(WARM + TIMED):
        start = time.perf_counter()
        (node,) = next_labels(learner, 1, query)
        spent.append(time.perf_counter() - start)
        learner.learn_one(node, int(codes[graph.nodes.position(node)]))
    return float(np.median(spent[WARM:]))


class Refitting:
    """The same choices without anything kept: every field that is looked at is solved for afresh."""

    def __init__(self, learner: LocalLGC) -> None:
        belief = learner.belief()
        self.precision = sparse.csr_array(
            belief.precision() + sparse.diags_array((belief.codes >= 0) / belief.noise)
        )
        self.noise, self.codes, self.classes = belief.noise, belief.codes, len(belief.classes)

    def factor(self) -> None:
        """What one refit per choice costs at the least: the factor, all variances and the mean of every class."""
        covariance = inverse_of(self.precision)
        covariance.diagonal()
        for c in range(self.classes):
            covariance.times((self.codes == c) / self.noise)

    def hypothetical_label(self, i: int, code: int) -> Floats:
        """The mean of one class after a label that may come, by a solve of the changed equations."""
        changed = self.precision.copy()
        changed[i, i] += 1 / self.noise
        right = (self.codes == code) / self.noise
        right[i] = 1 / self.noise
        found, _ = conjugate_gradients(
            changed.indptr.astype(np.int64),
            changed.indices.astype(np.int64),
            changed.data,
            changed.diagonal(),
            right,
            TOLERANCE,
            20_000,
        )
        return np.asarray(found)


def refitting_seconds(graph: Graph, codes: Ints) -> tuple[float, float]:
    """Seconds of one refit by a factor, and of the solves for one hypothetical label, all its classes together."""
    learner = started(graph, codes, 0)
    for node in next_labels(learner, 20):
        learner.learn_one(node, int(codes[graph.nodes.position(node)]))
    loop = Refitting(learner)
    i = graph.nodes.position(next_labels(learner, 1)[0])
    return _fastest(loop.factor), loop.classes * _fastest(lambda: loop.hypothetical_label(i, 0))


def _fastest(work: Callable[[], Any]) -> float:
    work()
    return min(_timed(work) for _ in range(3))


def _timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def suggest() -> Measured:
    """Seconds per choice at the size of Cora and of PubMed, and accuracy on Cora from one label of each class."""
    query, targets, ratios = ErrorReduction(), [], []
    details: dict[str, Any] = {}
    for name in ("cora", "pubmed"):
        data = load(name).largest_component()
        codes = codes_of(data.labels)
        ours = seconds_per_choice(data.graph, codes, None)
        single = seconds_per_choice(data.graph, codes, Contested())
        factor, label = refitting_seconds(data.graph, codes)
        refit = factor + query.candidates * label
        ratios.append(refit / ours)
        details[name] = {
            "nodes": data.graph.n,
            "seconds_per_choice": ours,
            "refitting_loop_seconds_per_choice": refit,
            "one_factor_per_choice_seconds": factor,
            "ratio_to_one_factor_per_choice": factor / ours,
            "contested_seconds_per_choice": single,
            "contested_ratio_to_one_factor_per_choice": factor / single,
        }
        targets.append(target(f"{name}: at least 50 times the refitting loop", refit / ours, least=50))
    data = load("cora").largest_component()
    codes = codes_of(data.labels)
    for name, what in (("default", None), ("uncertainty", Uncertainty()), ("random", Random())):
        found = accuracies(data.graph, codes, what)
        for k, after in enumerate(AFTER):
            details[f"{name}_accuracy_after_{after}"] = float(found[:, k].mean())
            details[f"{name}_std_after_{after}"] = float(found[:, k].std())
    for after, least in ((50, 0.77), (100, 0.80)):
        value = details[f"default_accuracy_after_{after}"]
        targets.append(target(f"Cora after {after} choices: accuracy at least {least:g}", value, least=least))
    reference = (
        "expected error reduction by refits: a fresh factor for each choice, and a fresh solve for each label that "
        "each of its candidates may get"
    )
    return Measured("suggest", min(ratios), reference, {**details, "targets": targets})


BENCHES: dict[str, Bench] = {"suggest": suggest}
