"""Farthest first, and the certificate that looks forward from its labels: never beaten."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.bound import further


def smooth_game(seed: int) -> tuple[ohm.Graph, ohm.Kernel, np.ndarray, float]:
    """A random graph, a kernel over it, labels that mostly agree along edges, and the weight that they cut."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 25))
    edges = {(int(rng.integers(k)), k) for k in range(1, n)}
    edges |= {tuple(sorted(int(v) for v in rng.choice(n, 2, replace=False))) for _ in range(n // 2)}
    weighted = [(a, b, float(10.0 ** rng.uniform(-1, 1))) for a, b in sorted(edges)]
    graph = ohm.Graph.from_edges(weighted, nodes=range(n))
    labels = np.ones(n, int)
    for k in range(1, n):
        labels[k] = labels[int(rng.integers(k))] * (1 if rng.random() < 0.8 else -1)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(float(10.0 ** rng.uniform(0, 2)))
    if rng.random() < 0.5:
        kernel = kernel + ohm.Ridge(float(10.0 ** rng.uniform(-3, 0)))
    cut = sum(w for a, b, w in weighted if labels[a] != labels[b])
    return graph, kernel, labels, cut


@pytest.mark.parametrize("part", range(3))
def test_the_forward_certificate_is_never_beaten(part: int) -> None:
    used = []
    for seed in range(40 * part, 40 * (part + 1)):
        graph, kernel, labels, cut = smooth_game(seed)
        learner, seen, promised, wrong = ohm.Projection.min_norm(kernel), {}, [], []
        (node,) = ohm.suggest(learner, 1, ohm.FarthestFirst())
        for _ in range(graph.n):
            view = learner.view_one(node)
            wrong.append(view.margin * labels[node] <= 0)  # a tie counts as one
            learner.learn_one(node, int(labels[node]))
            seen[node] = int(labels[node])
            if len(seen) == graph.n:
                break
            certificate = further(kernel, seen).at_most(cut)
            assert certificate.valid
            promised.append(certificate.value)
            (node,) = ohm.suggest(learner, 1, ohm.FarthestFirst())
        came = [sum(wrong[t + 1 :]) for t in range(len(promised))]
        assert all(c <= p for c, p in zip(came, promised, strict=True)), (
            f"seed {seed}: {came} against {promised}"
        )
        used += [c / p for c, p in zip(came, promised, strict=True) if p]
    assert max(used) > 0.2, "certificates far above what comes would show nothing"


@pytest.mark.parametrize("seed", range(10))
def test_it_labels_where_the_certificate_knows_least(seed: int) -> None:
    graph, kernel, labels, _ = smooth_game(seed)
    learner = ohm.Projection.min_norm(kernel)
    seen = {0: int(labels[0])}
    learner.learn_one(0, seen[0])
    for _ in range(graph.n - 2):
        (node,) = ohm.suggest(learner, 1, ohm.FarthestFirst())
        before = further(kernel, seen)
        alone = further(kernel, seen, nodes=[node]).open[0]
        assert alone == pytest.approx(before.open[0], rel=1e-6)
        learner.learn_one(node, int(labels[node]))
        seen[node] = int(labels[node])
        assert further(kernel, seen).open[0] <= before.open[0] * (1 + 1e-9)


def test_it_limits_what_can_come_sooner_than_chance() -> None:
    """After ten labels of a grid, the largest variance is lower than after ten at random, in every draw."""
    side = 12
    edges = [((a, b), (a + 1, b)) for a in range(side - 1) for b in range(side)]
    edges += [((b, a), (b, a + 1)) for a in range(side - 1) for b in range(side)]
    graph = ohm.Graph.from_edges(edges)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(10.0)
    learner = ohm.Projection.min_norm(kernel)
    learner.learn_one((0, 0), 1)
    ours = dict.fromkeys([(0, 0), *ohm.suggest(learner, 9, ohm.FarthestFirst())], 1)
    for seed in range(20):
        rest = ohm.suggest(learner, 9, ohm.Random(), seed=seed)
        assert further(kernel, ours).open[0] < further(kernel, dict.fromkeys([(0, 0), *rest], 1)).open[0]
