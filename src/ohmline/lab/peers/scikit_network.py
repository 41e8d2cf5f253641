"""scikit-network: diffusion, propagation and personalised PageRank."""

from __future__ import annotations

from functools import partial

import numpy as np

from ohmline.arrays import Ints
from ohmline.lab.peers.contract import Problem, System


def fit(problem: Problem, known: Ints, classifier: str) -> Ints:
    """One of its classifiers with its defaults; what it leaves without a class gets the commonest."""
    from sknetwork import classification

    model = getattr(classification, classifier)()
    found = np.asarray(model.fit_predict(problem.adjacency, problem.shown(known)))
    return np.where(found < 0, np.bincount(problem.codes[known]).argmax(), found)


def _row(name: str, classifier: str) -> System:
    return System(
        f"scikit-network {name}", "scikit-network", "sknetwork", fit=partial(fit, classifier=classifier)
    )


SYSTEMS = (
    _row("Diffusion", "DiffusionClassifier"),
    _row("Propagation", "Propagation"),
    _row("PageRank", "PageRankClassifier"),
)
