"""All nodes at once: beside a loop of `predict_one`, and beside scikit-learn's label spreading."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from ohmline.data import load
from ohmline.lab.bench import Bench, Measured, side_by_side, target
from ohmline.learn import LocalLGC

SHARE, SEED, SOME = 0.05, 0, 2000
ALPHAS = (0.2, 0.9, 0.99)
"""What label spreading may be tuned with; 0.2 is its default. The most accurate one is the reference."""


def predict() -> Measured:
    """`predict_many` on PubMed with 5 % labels."""
    data = load("pubmed").largest_component()
    graph, truth = data.graph, data.codes
    rng = np.random.default_rng(SEED)
    shown = rng.permutation(graph.n)[: round(SHARE * graph.n)]
    rest = np.setdiff1d(np.arange(graph.n), shown)
    learner = LocalLGC(graph, range(len(data.classes)))
    learner.learn_many([graph.nodes[k] for k in shown.tolist()], truth[shown].tolist())
    some = [graph.nodes[k] for k in rng.permutation(graph.n)[:SOME].tolist()]

    def one_by_one() -> None:
        for node in some:
            learner.predict_one(node)

    spreads = {alpha: _spread(graph, truth, shown, alpha) for alpha in ALPHAS}
    accuracy = {alpha: float(np.mean(spread()[rest] == truth[rest])) for alpha, spread in spreads.items()}
    alpha = max(accuracy, key=lambda a: accuracy[a])
    converged = _spread(graph, truth, shown, alpha, steps=10_000)
    agreed = float(np.mean(converged()[rest] == truth[rest]))
    learner.predict_many()
    ours, loop, theirs, to_the_end = side_by_side(
        learner.predict_many, one_by_one, spreads[alpha], converged, repeat=9
    )
    loop *= graph.n / SOME
    right = float(np.mean(learner.predict_many().codes[rest] == truth[rest]))
    targets = [
        target("times as fast as predict_one for every node", loop / ours, least=20),
        target("times as fast as LabelSpreading until it converges", to_the_end / ours, least=3),
        target(
            "times as fast as LabelSpreading stopped after its default of 30 steps", theirs / ours, least=3
        ),
        target("accuracy, beside the better of the two", right, least=max(accuracy[alpha], agreed)),
    ]
    details = {
        "nodes": graph.n,
        "labels": len(shown),
        "seconds": ours,
        "seconds_one_by_one": loop,
        "seconds_label_spreading": theirs,
        "seconds_label_spreading_converged": to_the_end,
        "accuracy": right,
        "accuracy_label_spreading": accuracy,
        "accuracy_label_spreading_converged": agreed,
        "targets": targets,
    }
    reference = f"predict_one for each of {graph.n:,} nodes, from {SOME:,} of them"
    return Measured("predict", loop / ours, reference, details)


def _spread(graph: Any, truth: Any, shown: Any, alpha: float, steps: int = 30) -> Any:
    """Fit scikit-learn's label spreading with the graph as a sparse kernel, and predict every node."""
    from sklearn.semi_supervised import LabelSpreading

    matrix = sparse.csr_matrix((graph.weights, graph.indices, graph.indptr), shape=(graph.n, graph.n))
    y = np.full(graph.n, -1)
    y[shown] = truth[shown]
    points = np.arange(graph.n)[:, None]

    def work() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it did not converge
            model = LabelSpreading(kernel=lambda X, Y=None: matrix, alpha=alpha, max_iter=steps)
            return model.fit(points, y).transduction_

    return work


BENCHES: dict[str, Bench] = {"predict": predict}
