"""What to label next: seconds per choice beside a loop that refits, and what the labels are worth."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

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
WARM, TIMED, EVERY = 8, 24, 6
"""Choices before the clock starts, while it runs, and from one refit to the next."""
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
    said = learner.predict_many([learner.nodes[int(i)] for i in rest])
    return float(np.mean(said.codes == codes[rest]))


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


class Refitting:
    """The same choices without anything kept: every field that is looked at is solved for afresh."""

    def __init__(self, learner: LocalLGC) -> None:
        belief = learner.belief()
        weights = sparse.diags_array((belief.codes >= 0) / belief.noise)
        self.precision = sparse.csr_array(belief.precision() + weights)
        self.noise, self.codes, self.classes = belief.noise, belief.codes, len(belief.classes)
        self.indptr, self.indices = (
            part.astype(np.int64) for part in (self.precision.indptr, self.precision.indices)
        )

    def factor(self) -> None:
        """What one refit per choice costs at the least: the factor, all variances and the mean of every class."""
        covariance = inverse_of(self.precision)
        covariance.diagonal()
        for c in range(self.classes):
            covariance.times((self.codes == c) / self.noise)

    def hypothetical_label(self, i: int, code: int) -> Floats:
        """The mean of a class after node i got its label, by a solve of the equations with it."""
        matrix, right = self.precision.data.copy(), (self.codes == code) / self.noise
        row = slice(self.indptr[i], self.indptr[i + 1])
        matrix[row] += (self.indices[row] == i) / self.noise
        right[i] = 1 / self.noise
        diagonal = self.precision.diagonal()
        diagonal[i] += 1 / self.noise
        return np.asarray(
            conjugate_gradients(self.indptr, self.indices, matrix, diagonal, right, TOLERANCE, 20_000)[0]
        )


class Seconds(NamedTuple):
    """Medians, in seconds of the processor: a busy machine takes whole slices away from what is short."""

    choice: float
    """Of one call of `suggest`, in a loop with `learn_one`."""
    factor: float
    """Of one refit by a factor."""
    label: float
    """Of one solve for a label that a candidate may get."""


def timed(graph: Graph, codes: Ints, query: PoolQuery | None) -> Seconds:
    """Choices and refits in turns, in one thread."""
    learner = started(graph, codes, 0)
    choices, factors, labels = [], [], []
    for t in range(WARM + TIMED):
        start = time.process_time()
        (node,) = next_labels(learner, 1, query)
        choices.append(time.process_time() - start)
        if t % EVERY == 0:
            loop, i = Refitting(learner), graph.nodes.position(node)
            start = time.process_time()
            loop.factor()
            middle = time.process_time()
            loop.hypothetical_label(i, 0)
            factors.append(middle - start)
            labels.append(time.process_time() - middle)
        learner.learn_one(node, int(codes[graph.nodes.position(node)]))
    return Seconds(*(float(np.median(part)) for part in (choices[WARM:], factors[1:], labels[1:])))


def suggest() -> Measured:
    """Seconds per choice at the size of Cora and of PubMed, and accuracy on Cora from one label of each class."""
    query, targets, ratios = ErrorReduction(), [], []
    details: dict[str, Any] = {}
    for name in ("cora", "pubmed"):
        data = load(name).largest_component()
        codes = codes_of(data.labels)
        found, single = timed(data.graph, codes, None), timed(data.graph, codes, Contested())
        refit = found.factor + query.candidates * (int(codes.max()) + 1) * found.label
        ratios.append(refit / found.choice)
        details[name] = {
            "nodes": data.graph.n,
            "seconds_per_choice": found.choice,
            "refitting_loop_seconds_per_choice": refit,
            "one_factor_seconds": found.factor,
            "ratio_to_one_factor_per_choice": found.factor / found.choice,
            "contested_seconds_per_choice": single.choice,
            "contested_ratio_to_one_factor_per_choice": single.factor / single.choice,
        }
        targets.append(target(f"{name}: at least 50 times the refitting loop", ratios[-1], least=50))
    data = load("cora").largest_component()
    codes = codes_of(data.labels)
    for name, what in (("default", None), ("uncertainty", Uncertainty()), ("random", Random())):
        reached = accuracies(data.graph, codes, what)
        for k, after in enumerate(AFTER):
            details[f"{name}_accuracy_after_{after}"] = float(reached[:, k].mean())
            details[f"{name}_std_after_{after}"] = float(reached[:, k].std())
    for after, least in ((50, 0.77), (100, 0.80)):
        value = details[f"default_accuracy_after_{after}"]
        targets.append(target(f"Cora after {after} choices: accuracy at least {least:g}", value, least=least))
    reference = (
        "expected error reduction by refits: a fresh factor for each choice, and a fresh solve for each label that "
        "each of its candidates may get"
    )
    return Measured("suggest", min(ratios), reference, {**details, "targets": targets})


BENCHES: dict[str, Bench] = {"suggest": suggest}
