"""The everyday job on handwritten digits: a few labels asked for, everything predicted, checked, and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.bound import Certificate, further
from ohmline.bound.auditing.audit import ErrorLimit
from ohmline.data import Vectors
from ohmline.graph import Graph
from ohmline.job import audit, fit
from ohmline.kernel.contract import Kernel
from ohmline.lab.label_spreading import Aside
from ohmline.learn import LocalLGC
from ohmline.learn.predictions import Predictions
from ohmline.query import SigmaOptimal, suggest

LABELS = 40
"""How many labels are asked for."""
FIRST, BATCH = 10, 5
"""The first ones are spread over the graph, because nothing is known; the others come in batches of the most useful."""
DRAWS = 5
"""How often as many labels are drawn at random, to compare with."""
GOAL, CONFIDENCE = 0.05, 0.95
"""The check goes on until at most this share is proven wrong with this confidence,"""
LOOK, MOST = 20, 400
"""looked at after every so many labels, and not beyond so many."""
NEXT = 5


@dataclass(frozen=True, slots=True)
class Everyday:
    """What came of the job."""

    labels: Ints
    """The truth, which only the person who is asked and the judge of the end see."""
    asked: Ints
    """The nodes whose label was asked for, in order."""
    table: Predictions
    right: float
    """The share of all digits that are named right."""
    random: Floats
    """The same with as many random labels, one number for each draw."""
    spread: Floats | None
    """The same for scikit-learn's LabelSpreading with those labels; None where it is not installed."""
    checked: ErrorLimit
    further: Certificate
    """How many more mistakes there can be."""
    next: list[Any]
    """The nodes it would ask for next."""

    def sentence(self) -> str:
        """What a visitor tells a colleague."""
        said = (
            f"Ohmline asked for {len(self.asked)} of {len(self.labels):,} labels and named "
            f"{_percent(self.right)} of the digits right; with {len(self.asked)} random labels it is "
            f"{_percent(float(self.random.mean()))}"
        )
        if self.spread is not None:
            said += f", and {_percent(float(self.spread.mean()))} with scikit-learn's LabelSpreading"
        return f"{said}."

    def document(self) -> dict[str, Any]:
        """The job in the shape that `--json` prints."""
        return {
            "labels": len(self.asked),
            "nodes": len(self.labels),
            "right": self.right,
            "right_with_random_labels": float(self.random.mean()),
            "right_with_label_spreading": None if self.spread is None else float(self.spread.mean()),
            "checked": self.checked.sampled,
            "wrong_among_checked": self.checked.found,
            "at_most_wrong": self.checked.share,
            "confidence": self.checked.confidence,
            "further_mistakes": self.further.value,
            "next": self.next,
            "sentence": self.sentence(),
        }


def everyday(
    digits: Vectors,
    graph: Graph,
    kernel: Kernel,
    draws: list[Ints],
    aside: Aside,
    stage: Callable[[str], None],
    seed: int,
) -> Everyday:
    """Do the job, while LabelSpreading runs aside on the same draws; `stage` is told what is going on."""
    labels = digits.labels
    stage(f"asking for {LABELS} labels")
    learner, asked = LocalLGC(graph, range(10)), list[int]()
    while len(asked) < LABELS:
        few = not asked
        wanted = suggest(learner, k=FIRST if few else BATCH, query=SigmaOptimal() if few else None, seed=seed)
        for node in cast(tuple[int, ...], wanted.nodes):
            learner.learn_one(node, int(labels[node]))
            asked.append(node)
    table = learner.predict_many()
    stage("checking and comparing")
    known: dict[Any, Any] = {i: int(labels[i]) for i in asked}
    source, target, weight = graph.edges()
    cut = float(weight[labels[source] != labels[target]].sum())
    random = [fit(graph, {int(i): int(labels[i]) for i in drawn}).predict_many() for drawn in draws]
    right, checked = _right(table, labels), _checked(learner, labels, seed)
    limit = further(kernel, known, classes=range(10)).at_most(cut)
    wanted_next = list(suggest(learner, k=NEXT, seed=seed))
    spread = aside.found()
    return Everyday(
        labels,
        np.array(asked),
        table,
        right,
        np.array([_right(each, labels) for each in random]),
        None if spread is None else np.array(spread),
        checked,
        limit,
        wanted_next,
    )


def random_draws(n: int, seed: int) -> list[Ints]:
    """The labels that are drawn at random, to compare with."""
    return [np.random.default_rng([seed, k]).permutation(n)[:LABELS] for k in range(DRAWS)]


def _right(table: Predictions, labels: Ints) -> float:
    return float(
        np.mean([said == truth for said, truth in zip(table.predictions, labels.tolist(), strict=True)])
    )


def _checked(learner: LocalLGC, labels: Ints, seed: int) -> ErrorLimit:
    """Random labels until they prove the goal."""
    check = audit(learner, seed=seed)
    for _ in range(0, MOST, LOOK):
        for node in check.batch(LOOK):
            check.record(node, int(labels[cast(int, node)]))
        found = check.at_most(CONFIDENCE)
        if found.share <= GOAL:
            break
    return found


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
