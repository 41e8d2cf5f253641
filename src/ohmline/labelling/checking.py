"""The check at the end: an audit of predictions that are kept as they were when it began.

The limit of an audit is about one fixed set of predictions. So the learner is made anew from the labels known at that
moment, its predictions for all other nodes are kept, and what is learned afterwards does not change them. A later audit
of better predictions is a new one, with a number of its own: the j-th spends 1 / (j (j + 1)) of the allowed probability
of being wrong, so that all of them hold together with the stated confidence, however many there are.

The predictions are not in the journal: they follow from the graph and the labels before the audit, and the journal has
their digest. Where another machine comes to other predictions, it begins another audit.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import log, sqrt
from typing import Any, final

import numpy as np

from ohmline.bound.auditing import Audit, ErrorLimit
from ohmline.bound.auditing.bets import Population, most_wrong
from ohmline.checks import shown
from ohmline.graph.graph import Graph
from ohmline.learn import LocalLGC

FARTHEST = 4000
"""A forecast looks at most so many labels ahead."""
LEAST_LOOKS = 15
"""Before so many looks nobody can say whether a check will succeed."""
WORTH = 100
"""A check may go on if it is likely to need no more labels than this, or than there are labels already."""


def words_about_rare(
    predictions: Mapping[Hashable, Any], labels: Mapping[Hashable, Any], classes: Sequence[Any], goal: float
) -> str:
    """What a person should know where a check begins that one common class would pass all alone; "" where none would.

    Parameters
    ----------
    predictions
        What is checked.
    labels
        The labels that it was made from.
    classes
        The classes.
    goal
        The share of wrong predictions at which it is enough.

    Examples
    --------
    >>> words_about_rare({1: "a", 2: "b"}, {3: "a", 4: "b"}, ("a", "b"), 0.05)
    ''
    """
    (common, count), *_ = Counter(predictions.values()).most_common(1)
    other, known = 1 - count / len(predictions), set(labels.values())
    missing = [label for label in classes if label not in known]
    rest = ", ".join(shown(label) for label in classes if label != common)
    if len(known) < 2:
        none = ", ".join(map(shown, missing))
        return (
            f"a random check begins, and nothing is known of {none}: no label is of that class, so every prediction is "
            f"{shown(common)}, which passes if at most {100 * goal:g} % of the nodes are anything else; search for "
            f"{none} first (docs: My class is rare)"
        )
    if other < goal:
        return (
            f"a random check begins, and {most_of(1 - other)} of the predictions are {shown(common)}: to say so "
            f"of every node would pass a goal of {100 * goal:g} % as well, if {rest} is as rare as predicted; the "
            f"check does not say how many of {rest} are found (docs: My class is rare)"
        )
    return ""


def most_of(share: float) -> str:
    """A share in per cent, which is 100 % only where it is all of it.

    >>> most_of(0.974), most_of(0.99996), most_of(1.0)
    ('97.4 %', '99.996 %', '100 %')
    """
    digits = next((d for d in range(3, 17) if share >= 1 or float(f"{100 * share:.{d}g}") < 100), 17)
    return f"{100 * share:.{digits}g} %"


@final
class Check:
    """An audit of the predictions that a set of labels leads to.

    Parameters
    ----------
    graph, classes
        The graph, and the classes of its nodes.
    labels
        The labels that the predictions are made from.
    number
        Which audit of the job this is, counted from 1.
    seed
        The seed of the job.
    predicted
        The predictions and their probabilities, where they do not come from `LocalLGC`. None (default) makes them.
    """

    def __init__(
        self,
        graph: Graph,
        classes: Sequence[Any],
        labels: Mapping[Hashable, Any],
        number: int,
        seed: int,
        *,
        predicted: tuple[dict[Hashable, Any], dict[Hashable, float]] | None = None,
    ) -> None:
        self.number = number
        self.predictions, self.chances = predicted or predictions_from(graph, classes, labels)
        self.commonest, often = Counter(self.predictions.values()).most_common(1)[0]
        """The class that is predicted most often."""
        self.commonest_share = often / len(self.predictions)
        self.estimate = 1.0 - float(np.mean(list(self.chances.values())))
        """The share of wrong predictions in the learner's opinion."""
        self._doubt = {node: round(1 - chance, 2) for node, chance in self.chances.items()}
        self._seed = int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])
        codes = {label: k for k, label in enumerate(classes)}
        digest = hashlib.sha256()
        digest.update(np.array([codes[label] for label in self.predictions.values()], np.int64).tobytes())
        digest.update(np.array([round(100 * d) for d in self._doubt.values()], np.int64).tobytes())
        self.digest = digest.hexdigest()
        self.audit = self._fresh()

    def start_again(self, labels: Mapping[Hashable, Any], skipped: Iterable[Hashable]) -> None:
        """Bring the audit to where these labels and skips lead."""
        self.audit = self._fresh()
        for node, label in labels.items():
            if node in self.predictions:
                self.audit.record(node, label)
        for node in skipped:
            if node in self.predictions and node not in labels:
                self.audit.skip(node)

    def is_hopeless(self, goal: float, confidence: float, known: int) -> bool:
        """Whether it is time for better predictions, because the goal would take more labels than it is worth.

        The guess is kind: the rate of wrong ones may be lower than what was found, by one deviation.
        """
        limit = self.audit.at_most(confidence)
        if limit.sampled < LEAST_LOOKS or limit.found < 2:
            return False
        rate = (limit.found - sqrt(limit.found)) / limit.sampled
        if rate >= goal:
            return True
        nats = log(self.number * (self.number + 1) / (1 - confidence))
        needed = 2 * rate * (1 - rate) * nats / (goal - rate) ** 2 + nats / goal
        return needed - limit.sampled > max(WORTH, known)

    def more_until(self, goal: float, confidence: float) -> int | None:
        """About how many more random labels the goal takes; None for more than can be foreseen."""

        def reached(more: int) -> bool:
            return self.audit.forecast(more, confidence).share <= goal

        if self.audit.at_most(confidence).sampled < LEAST_LOOKS:
            return None
        low, high = 0, 8
        while not reached(high):
            if high >= min(FARTHEST, self.audit.remaining // 2):
                return None
            low, high = high, 2 * high
        while high - low > max(1, high // 16):
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return high

    def limit(self, confidence: float) -> ErrorLimit:
        """The limit on the wrong predictions among the nodes that have no answer yet."""
        return self.audit.at_most(confidence)

    def _fresh(self) -> Audit:
        return Audit(self.predictions, doubt=self._doubt, seed=self._seed, number=self.number)


def least_looks(size: int, goal: float, confidence: float, number: int) -> int:
    """How many random labels a check of so many predictions takes if it finds no wrong one."""
    alpha = (1 - confidence) / (number * (number + 1))
    population = Population(size, 0.0, 0.0, 0.0)

    def enough(looks: int) -> bool:
        none = np.zeros(looks)
        return most_wrong(population, none, none, alpha) <= goal * (size - looks)

    low, high = 0, 1
    while high < size and not enough(high):
        low, high = high, 2 * high
    high = min(high, size)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def predictions_from(
    graph: Graph, classes: Sequence[Any], labels: Mapping[Hashable, Any]
) -> tuple[dict[Hashable, Any], dict[Hashable, float]]:
    """The prediction for every node without a label, and its probability, from these labels and nothing else."""
    learner = LocalLGC(graph, classes, guess=True)
    learner.learn_many(labels)
    learner.refine()
    table = learner.predict_many([node for node in graph.nodes if node not in labels])
    chances = table.probabilities[np.arange(len(table)), table.codes]
    return (
        dict(zip(table.nodes, table.predictions, strict=True)),
        dict(zip(table.nodes, chances.tolist(), strict=True)),
    )
