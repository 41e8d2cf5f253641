"""All nodes at once: beside a loop of `predict_one`, and beside scikit-learn's label spreading."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from ohmline.data import load
from ohmline.lab.bench import Bench, Measured, side_by_side, target
from ohmline.learn import LocalLGC

SHARE, SEEDS, SOME = 0.05, range(5), 2000
ALPHAS = (0.2, 0.9, 0.99)
"""What label spreading may be tuned with; 0.2 is its default. The most accurate one is the reference."""


def predict() -> Measured:
    """`predict_many` on PubMed with 5 % labels."""
    data = load("pubmed").largest_component()
    graph, truth = data.graph, data.codes
    right: dict[str, list[float]] = {}
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        shown = rng.permutation(graph.n)[: round(SHARE * graph.n)]
        rest = np.setdiff1d(np.arange(graph.n), shown)
        learner = LocalLGC(graph, range(len(data.classes)))
        learner.learn_many([graph.nodes[k] for k in shown.tolist()], truth[shown].tolist())
        said = {f"label_spreading_{alpha:g}": _spread(graph, truth, shown, alpha)() for alpha in ALPHAS}
        said |= {"ours": learner.predict_many().codes}
        for name, codes in said.items():
            right.setdefault(name, []).append(float(np.mean(codes[rest] == truth[rest])))
    accuracy = {name: float(np.mean(values)) for name, values in right.items()}
    alpha = max(ALPHAS, key=lambda each: accuracy[f"label_spreading_{each:g}"])
    some = [graph.nodes[k] for k in rng.permutation(graph.n)[:SOME].tolist()]

    def one_by_one() -> None:
        for node in some:
            learner.predict_one(node)

    ours, with_proof, loop, theirs, to_the_end = side_by_side(
        learner.predict_many,
        lambda: learner.predict_many().certain,
        one_by_one,
        _spread(graph, truth, shown, alpha),
        _spread(graph, truth, shown, alpha, steps=10_000),
        repeat=9,
    )
    loop *= graph.n / SOME
    best = accuracy[f"label_spreading_{alpha:g}"]
    targets = [
        target("times as fast as predict_one for every node", loop / ours, least=20),
        target("times as fast as LabelSpreading (its default of 30 steps)", theirs / ours, least=3),
        target(
            "accuracy less that of the best LabelSpreading, mean of 5 draws", accuracy["ours"] - best, least=0
        ),
    ]
    details = {
        "nodes": graph.n,
        "labels": len(shown),
        "seconds": ours,
        "seconds_with_proof_of_certain": with_proof,
        "seconds_one_by_one": loop,
        "seconds_label_spreading": theirs,
        "seconds_label_spreading_until_it_converges": to_the_end,
        "accuracy": accuracy,
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
