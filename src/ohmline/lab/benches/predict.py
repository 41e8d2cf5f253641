"""All nodes at once: beside a loop of `predict_one`, and beside scikit-learn's label spreading."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import cg

from ohmline.data import load
from ohmline.lab.bench import Bench, Measured, side_by_side, target
from ohmline.lab.benches.large_graphs import CLASSES, communities
from ohmline.learn import LocalLGC
from ohmline.learn.local_lgc.adjacency import precision_of

SHARE, SEEDS, SOME = 0.05, range(5), 2000
TOLERANCE = 1e-5
"""Where SciPy's conjugate gradients end, as a share of the right side."""
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


def predict_large(n: int = 1_000_000, repeat: int = 3) -> Measured:
    """`predict_many` with 5 % labels of ten classes, beside conjugate gradients of SciPy and label spreading."""
    graph, truth = communities(n)
    shown = np.random.default_rng(1).permutation(n)[: round(SHARE * n)]
    rest = np.setdiff1d(np.arange(n), shown)
    learner = LocalLGC(graph, range(CLASSES))
    learner.learn_many(shown, truth[shown].tolist())
    given = np.zeros(n)
    given[shown] = 1 / learner.mu
    precision = sparse.csr_matrix(precision_of(learner.space, n) + sparse.diags(given))
    wanted = np.zeros((n, CLASSES))
    wanted[shown, truth[shown]] = 1 / learner.mu

    def exactly() -> Any:
        jacobi = sparse.diags(1 / precision.diagonal())
        columns = [cg(precision, column, rtol=TOLERANCE, M=jacobi)[0] for column in wanted.T]
        return np.argmax(columns, axis=0)

    def ours_exactly(levelled: bool = False) -> Any:
        return np.array(learner.exact_many().predictions(levelled=levelled))

    works = {
        "ours": lambda: learner.predict_many().codes,
        "ours_exactly": ours_exactly,
        "ours_with_proof_of_certain": lambda: learner.predict_many().certain,
        "conjugate_gradients": exactly,
        "label_spreading": _spread(graph, truth, shown, 0.2),
    }
    works["ours_with_proof_of_certain"]()  # compiled before it counts
    seconds = dict(zip(works, side_by_side(*works.values(), repeat=repeat), strict=True))
    del works["ours_with_proof_of_certain"]
    works["ours_exactly_and_levelled"] = lambda: ours_exactly(True)
    right = {name: float(np.mean(work()[rest] == truth[rest])) for name, work in works.items()}
    theirs = seconds["conjugate_gradients"]
    targets = [
        target("times as fast as conjugate gradients", theirs / seconds["ours"], least=1),
        target("all columns in one pass, the same", theirs / seconds["ours_exactly"], least=1),
        target("times as fast as LabelSpreading", seconds["label_spreading"] / seconds["ours"], least=1),
        target("right, less the exact scores", right["ours"] - right["conjugate_gradients"], least=0),
        target("right, less LabelSpreading", right["ours"] - right["label_spreading"], least=0),
    ]
    solved = learner.exact_many()
    details = {
        "nodes": n,
        "edges": graph.n_edges,
        "seconds": seconds,
        "right": right,
        "exact_residual": solved.residual,
        "exact_error_at_most": float(solved.error.max()),
        "targets": targets,
    }
    reference = "SciPy's conjugate gradients, class by class"
    return Measured("predict-large", theirs / seconds["ours"], reference, details)


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


BENCHES: dict[str, Bench] = {"predict": predict, "predict-large": predict_large}
