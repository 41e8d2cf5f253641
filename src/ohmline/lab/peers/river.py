"""river: its classifiers over what a graph can be for them, spectral coordinates and the labels seen next to a node."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.lab.peers.contract import BEFORE, Problem, System
from ohmline.lab.peers.coordinates import coordinates


def softmax() -> Any:
    """A softmax regression."""
    from river import linear_model

    return linear_model.SoftmaxRegression()


def neighbours() -> Any:
    """Nearest neighbours, searched in a window of its default size."""
    from river import neighbors

    return neighbors.KNNClassifier()


def forest() -> Any:
    """An aggregated Mondrian forest."""
    from river import forest as forests

    return forests.AMFClassifier(seed=0)


def said(model: Any, row: dict[Any, float]) -> Any:
    """Its prediction; it has none before the first label."""
    code = model.predict_one(row)
    return BEFORE if code is None else code


def play(problem: Problem, order: Ints, make: Callable[[], Any]) -> int:
    """Predict and learn, one point at a time."""
    model, points, mistakes = make(), coordinates(problem), 0
    for i in order:
        row = dict(enumerate(points[i].tolist()))
        code = int(problem.codes[i])
        mistakes += said(model, row) != code
        model.learn_one(row, code)
    return mistakes


def play_beside_labels(problem: Problem, order: Ints) -> int:
    """A softmax regression on the coordinates and the share of each class among the labels seen next to the node."""
    model, points, mistakes = softmax(), coordinates(problem), 0
    seen: Floats = np.zeros((problem.n, problem.classes))
    indptr, indices, weights = problem.adjacency.indptr, problem.adjacency.indices, problem.adjacency.data
    names = [f"label {c}" for c in range(problem.classes)]
    for i in order:
        total = seen[i].sum()
        row: dict[Any, float] = dict(enumerate(points[i].tolist()))
        row.update(zip(names, (seen[i] / total if total > 0 else seen[i]).tolist(), strict=True))
        code = int(problem.codes[i])
        mistakes += said(model, row) != code
        model.learn_one(row, code)
        edges = slice(indptr[i], indptr[i + 1])
        seen[indices[edges], code] += weights[edges]
    return mistakes


def _row(name: str, note: str, play: Callable[[Problem, Ints], int]) -> System:
    return System(f"river {name}", "river", "river", play=play, note=note)


SYSTEMS = (
    _row(
        "SoftmaxRegression",
        "32 spectral coordinates, shares of the labels seen next to a node",
        play_beside_labels,
    ),
    _row("KNNClassifier", "32 spectral coordinates", partial(play, make=neighbours)),
    _row("AMFClassifier", "32 spectral coordinates", partial(play, make=forest)),
)
