"""scikit-activeml: pools of vectors, here spectral coordinates, with a logistic regression."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.lab.peers.contract import Problem, System
from ohmline.lab.peers.coordinates import coordinates

MISSING = -1


class Pool:
    """A query strategy and a classifier of its own kind."""

    def __init__(self, problem: Problem, start: Ints, strategy: str) -> None:
        from skactiveml import pool
        from skactiveml.classifier import SklearnClassifier
        from sklearn.linear_model import LogisticRegression

        self._points: Floats = coordinates(problem)
        self._shown = problem.shown(start)
        self._query = getattr(pool, strategy)(missing_label=MISSING, random_state=0)
        self._model: Any = SklearnClassifier(
            LogisticRegression(), classes=list(range(problem.classes)), missing_label=MISSING, random_state=0
        )
        self._strategy = strategy
        self._model.fit(self._points, self._shown)

    def next(self) -> int:
        if self._strategy == "TypiClust":
            (node,) = self._query.query(self._points, self._shown)
        else:
            (node,) = self._query.query(self._points, self._shown, self._model, fit_clf=False)
        return int(node)

    def learn(self, node: int, code: int) -> None:
        self._shown[node] = code
        self._model.fit(self._points, self._shown)

    def predict(self) -> Ints:
        return np.asarray(self._model.predict(self._points)).astype(np.int64)


def _row(strategy: str) -> System:
    return System(
        f"scikit-activeml {strategy}",
        "scikit-activeml",
        "skactiveml",
        begin=partial(Pool, strategy=strategy),
        note="logistic regression, 32 spectral coordinates",
    )


SYSTEMS = (_row("UncertaintySampling"), _row("TypiClust"))
