"""scikit-learn: label spreading and propagation on the graph's own affinities, self-training on coordinates."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.lab.peers.contract import Problem, System
from ohmline.lab.peers.coordinates import coordinates

ALPHA = 0.8
"""The clamping factor that does best online on citation graphs; scikit-learn's default is 0.2."""


def spreading(problem: Problem, known: Ints, alpha: float = 0.2) -> Ints:
    """`LabelSpreading` with the sparse adjacency for its kernel."""
    from sklearn.semi_supervised import LabelSpreading

    return _transduced(
        LabelSpreading(kernel=lambda x, y=None: problem.adjacency, alpha=alpha), problem, known
    )


def spreading_wider(problem: Problem, known: Ints) -> Ints:
    """The same with `ALPHA`."""
    return spreading(problem, known, ALPHA)


def propagation(problem: Problem, known: Ints) -> Ints:
    """`LabelPropagation` with the sparse adjacency for its kernel."""
    from sklearn.semi_supervised import LabelPropagation

    # It divides all entries in place, so it gets a copy.
    return _transduced(LabelPropagation(kernel=lambda x, y=None: problem.adjacency.copy()), problem, known)


def _transduced(model: Any, problem: Problem, known: Ints) -> Ints:
    return np.asarray(_fitted(model, problem, known).transduction_)


def _fitted(model: Any, problem: Problem, known: Ints) -> Any:
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(np.arange(problem.n)[:, None], problem.shown(known))


def self_training(problem: Problem, known: Ints) -> Ints:
    """`SelfTrainingClassifier` around a logistic regression on the coordinates."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.semi_supervised import SelfTrainingClassifier

    points, shown = coordinates(problem), problem.shown(known)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="y contains no unlabeled samples")
        return np.asarray(SelfTrainingClassifier(LogisticRegression()).fit(points, shown).predict(points))


class SmallestMargin:
    """Refit after every label, and ask where the two best classes are nearest: the loop that a user writes first."""

    def __init__(self, problem: Problem, start: Ints) -> None:
        self._problem, self._known = problem, [int(i) for i in start]
        self._shares = self._refitted()

    def _refitted(self) -> Floats:
        from sklearn.semi_supervised import LabelSpreading

        model = LabelSpreading(kernel=lambda x, y=None: self._problem.adjacency, alpha=ALPHA)
        known = np.array(self._known)
        return np.asarray(_fitted(model, self._problem, known).label_distributions_)

    def next(self) -> int:
        best = np.sort(self._shares, axis=1)
        margin = best[:, -1] - best[:, -2]
        margin[self._known] = np.inf
        return int(margin.argmin())

    def learn(self, node: int, code: int) -> None:
        self._known.append(node)
        self._shares = self._refitted()

    def predict(self) -> Ints:
        return np.asarray(self._shares.argmax(axis=1))


def _row(name: str, note: str = "", **does: Any) -> System:
    return System(f"scikit-learn {name}", "scikit-learn", "sklearn", note=note, **does)


SYSTEMS = (
    _row("LabelSpreading", fit=spreading),
    _row(
        "LabelSpreading, alpha 0.8",
        "active: the smallest margin",
        fit=spreading_wider,
        begin=SmallestMargin,
    ),
    _row("LabelPropagation", fit=propagation),
    _row("SelfTraining", f"logistic regression, {32} spectral coordinates", fit=self_training),
)
