"""What the experiments of paper 003 share: its tasks, its methods, and the protocol of section 4.1.

| paper 003 | here |
|---|---|
| sigma_K, sigma, lambda_1, lambda_2 | `Task` |
| basic online, buffer, buffer-U, RPtree, RPtree PPK | `METHODS` |
| gamma / sqrt(t), gamma = .1 (.03 with a tree) | `Way.PRINTED`, judged by f-bar as in the paper |
| (not in the paper) | `Way.RECOMMENDED`: proximal steps, judged by f_T |

The paper's figures are pictures without numbers, so the rows have ours alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.game import Stream, play
from ohmline.kernel import RBF
from ohmline.lab.experiment import Row
from ohmline.learn.batch import LabelledOnly, LapSVM
from ohmline.learn.manifold import Basis, Buffer, Full, Manifold, OnlineManifold, Printed, Proximal, RPTree
from ohmline.learn.manifold.function import KernelFunction

PAPER = "Goldberg, Li and Zhu 2008 (paper 003)"

BATCH, LABELLED_ONLY, NO_GRAPH = "batch MR", "labelled only", "buffer-U, no graph"
BASIC, BUFFER, BUFFER_U, TREE, TREE_PPK = "basic online", "buffer", "buffer-U", "RPtree", "RPtree PPK"


@dataclass(frozen=True, slots=True)
class Task:
    """A data set of the paper with the parameters tuned for batch MR at T = 500."""

    name: str
    kernel_width: float
    graph_width: float
    lambda_1: float
    lambda_2: float
    label_rate: float = 0.02

    def batch(self) -> LapSVM:
        """Batch MR: f*."""
        return LapSVM(
            RBF(self.kernel_width), RBF(self.graph_width), lambda_1=self.lambda_1, lambda_2=self.lambda_2
        )

    def labelled_only(self) -> LabelledOnly:
        """A support vector machine on the labelled points."""
        return LabelledOnly(RBF(self.kernel_width), lambda_1=self.lambda_1)

    def learner(self, basis: Basis, step: Printed | Proximal, **options: Any) -> OnlineManifold:
        """Online MR with this basis and step."""
        return OnlineManifold(
            RBF(self.kernel_width),
            basis,
            smoothness=Manifold(self.graph_width),
            step=step,
            label_rate=self.label_rate,
            **{"lambda_1": self.lambda_1, "lambda_2": self.lambda_2, **options},
        )


SPIRALS = Task("spirals", kernel_width=0.08, graph_width=0.05, lambda_1=1e-4, lambda_2=1.0)
MNIST = Task("MNIST", kernel_width=2.5, graph_width=0.7, lambda_1=0.01, lambda_2=0.1)

TAU = 300
METHODS = (BASIC, BUFFER, BUFFER_U, TREE, TREE_PPK)


def basis_of(method: str) -> Basis:
    """The basis of an online method of the paper."""
    if method == BASIC:
        return Full()
    if method in (TREE, TREE_PPK):
        return RPTree(TAU, covariance=method == TREE_PPK)
    return Buffer(TAU, keep="labelled" if method == BUFFER_U else "newest")


class Way(Enum):
    """Which step, and which function is judged."""

    PRINTED = "printed steps, f-bar"
    RECOMMENDED = "recommended steps, f_T"

    @property
    def title(self) -> str:
        """For a figure."""
        return self.value[0].upper() + self.value[1:]

    def learner(self, task: Task, method: str, **options: Any) -> OnlineManifold:
        """The learner of `method`."""
        if self is Way.RECOMMENDED:
            return task.learner(basis_of(method), Proximal(), **options)
        gamma = 0.03 if method in (TREE, TREE_PPK) else 0.1
        return task.learner(basis_of(method), Printed(gamma), **options)

    def function(self, learner: OnlineManifold) -> KernelFunction:
        """The function that is judged."""
        return learner.average if self is Way.PRINTED else learner.function


def learn_up_to(learner: OnlineManifold, stream: Stream, times: Sequence[int]) -> Iterator[int]:
    """Play the stream on to each of `times` in turn, and stop there."""
    start = 0
    for stop in times:
        play(learner, stream.ordered(range(start, stop)))
        yield stop
        start = stop


def seen(stream: Stream, trials: int) -> tuple[Floats, list[Any]]:
    """The first points of a stream with the labels that were shown, for a batch method."""
    part = stream.take(trials)
    labels = [y if shown else None for y, shown in zip(part.labels, part.revealed.tolist(), strict=True)]
    return np.asarray(part.nodes), labels


def error(scores: Floats, truth: Floats) -> float:
    """Share of wrong signs; a zero score is +1."""
    return float(np.mean(np.where(scores >= 0, 1, -1) != truth))


Errors = dict[str, dict[int, list[float]]]
"""Method -> T -> one value per trial."""


def note(table: Errors, method: str, t: int, value: float) -> None:
    """Write a value down."""
    table.setdefault(method, {}).setdefault(t, []).append(value)


def mean(table: Errors, method: str, t: int) -> float:
    """The mean over the trials."""
    return float(np.mean(table[method][t]))


def rows_of(dataset: str, tables: dict[Way, Errors], metric: str) -> list[Row]:
    """A row for every method, way and T; what has no step is listed once."""
    rows: list[Row] = []
    for way, table in tables.items():
        for method, by_time in table.items():
            plain = method in (BATCH, LABELLED_ONLY)
            if plain and way is not Way.PRINTED:
                continue
            name = method if plain else f"{method}, {way.value}"
            rows.extend(Row.of(dataset, name, f"{metric}, T = {t}", values) for t, values in by_time.items())
    return rows
