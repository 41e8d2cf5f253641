"""GraphLearning: Laplace and Poisson learning, and its active learner with three acquisition functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ohmline.arrays import Ints
from ohmline.lab.peers.contract import Problem, System

EIGENVECTORS = 50
"""How many its own examples take for the covariance."""


def laplace(problem: Problem, **options: Any) -> Any:
    """`ssl.laplace`."""
    import graphlearning

    return graphlearning.ssl.laplace(problem.adjacency, **options)


def poisson(problem: Problem) -> Any:
    """`ssl.poisson`."""
    import graphlearning

    return graphlearning.ssl.poisson(problem.adjacency)


def fit(problem: Problem, known: Ints, model: Callable[[Problem], Any]) -> Ints:
    """It counts the classes among the labels, so that they are numbered anew."""
    present, codes = np.unique(problem.codes[known], return_inverse=True)
    return np.asarray(present[model(problem).fit_predict(known, codes)])


class Acquiring:
    """Its `active_learner`."""

    def __init__(self, problem: Problem, start: Ints, model: Callable[[Problem], Any], function: str) -> None:
        from graphlearning import active_learning

        chosen, options = model(problem), {}
        if function != "unc_sampling":
            # On fewer nodes than its own examples have, as many eigenvectors as there are.
            wanted = min(EIGENVECTORS, problem.n - 2)
            values, vectors = chosen.graph.eigen_decomp(normalization="normalized", k=wanted)
            options = {"C": np.diag(1 / (values + 1e-11)), "V": vectors}
        acquire = getattr(active_learning, function)
        self._model = chosen
        self._learner = active_learning.active_learner(
            chosen, acquire, np.asarray(start), problem.codes[start], **options
        )

    def next(self) -> int:
        return int(self._learner.select_queries()[0])

    def learn(self, node: int, code: int) -> None:
        self._learner.update(np.array([node]), np.array([code]))

    def predict(self) -> Ints:
        return np.asarray(self._model.predict())


def _row(name: str, note: str = "", **does: Any) -> System:
    return System(f"GraphLearning {name}", "graphlearning", "graphlearning", note=note, **does)


reweighted = partial(laplace, reweighting="poisson")
SYSTEMS = (
    _row(
        "laplace",
        "active: uncertainty",
        fit=partial(fit, model=laplace),
        begin=partial(Acquiring, model=laplace, function="unc_sampling"),
    ),
    _row("poisson", fit=partial(fit, model=poisson)),
    _row(
        "laplace, reweighted",
        "reweighting by Poisson; active: uncertainty",
        fit=partial(fit, model=reweighted),
        begin=partial(Acquiring, model=reweighted, function="unc_sampling"),
    ),
    _row("VOpt", "laplace", begin=partial(Acquiring, model=laplace, function="var_opt")),
    _row("SigmaOpt", "laplace", begin=partial(Acquiring, model=laplace, function="sigma_opt")),
)
