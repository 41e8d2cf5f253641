"""Paper 004's equations and lemmas about OLLGC, written down and compared with the learner."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.graph.measure import cut
from small_games import small_graph, small_trials

SEEDS = range(40)


def connected(rng: np.random.Generator) -> ohm.Graph:
    while not (graph := small_graph(rng)).is_connected:
        pass
    return graph


def laplacian(graph: ohm.Graph) -> np.ndarray:
    adjacency = graph.adjacency.toarray()
    return np.asarray(np.diag(adjacency.sum(axis=1)) - adjacency)


@pytest.mark.parametrize("seed", SEEDS)
def test_eq_2_to_8_are_one_problem(seed: int) -> None:
    """Ridge regression over all nodes is LLGC among the functions of mean 0, which are the space of L+."""
    rng = np.random.default_rng(seed)
    graph, mu = connected(rng), float(10.0 ** rng.uniform(-2, 1))
    labels = rng.choice([-1, 1], size=graph.n)
    learner = ohm.OnlineLGC(ohm.LaplacianKernel(graph), mu, mistake_driven=False)
    ohm.play(learner, ohm.Stream(range(graph.n), labels).shuffled(seed))
    f = np.array([learner.margin_one(x) for x in range(graph.n)])
    flat = np.linalg.solve(np.eye(graph.n) + mu * laplacian(graph), labels)  # the minimum of Eq. (2)
    np.testing.assert_allclose(f, flat - flat.mean(), atol=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_lemmas_1_and_2_and_eq_18(seed: int) -> None:
    """Lemma 1 is an equation but for one distance; Eq. (18) lacks a half; Lemma 2 sums the variances up."""
    rng = np.random.default_rng(100 + seed)
    graph, mu = small_graph(rng), float(10.0 ** rng.uniform(-2, 1))
    kernel = ohm.SpectralKernel(graph, rank=min(4, graph.n), shift=0.1)
    learner = ohm.OnlineLGC(kernel, mu, mistake_driven=bool(rng.random() < 0.5), blocked=False)
    rows = kernel.space.rows
    d = rows.shape[1]
    u = rng.normal(size=d)
    a, regret, distances, variances, largest = mu * np.eye(d), 0.0, 0.0, 0.0, 0.0
    for x, y in small_trials(graph, rng, noise=True):
        w = learner.state.weights.copy()
        if not learner.learn_one(x, y).updated:
            continue
        m, after = rows[x], learner.state.weights.copy()
        a = a + np.outer(m, m)
        regret += ((w @ m - y) ** 2 - (u @ m - y) ** 2) / 2
        distance = (w - after) @ a @ (w - after) / 2
        r = m @ np.linalg.solve(a, m)
        assert distance == pytest.approx((w @ m - y) ** 2 * r / 2, rel=1e-6, abs=1e-9)  # Eq. (18), halved
        distances, variances, largest = distances + distance, variances + r, max(largest, float(m @ m))
    last = (u - learner.state.weights) @ a @ (u - learner.state.weights) / 2
    start = mu * u @ u / 2
    assert regret == pytest.approx(start + distances - last, rel=1e-6, abs=1e-7)
    assert regret <= start + distances + 1e-9  # Lemma 1
    eigenvalues = np.maximum(np.linalg.eigvalsh(a - mu * np.eye(d)), 0)
    learned = round(float(eigenvalues.sum() / largest), 9) if largest else 0.0
    middle = float(np.log1p(eigenvalues / mu).sum())
    assert variances <= middle * (1 + 1e-9) + 1e-9
    assert middle <= d * np.log1p(learned * largest / (d * mu)) * (1 + 1e-9) + 1e-9  # Lemma 2


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_3_counts_every_cut_edge_four_times(seed: int) -> None:
    """Eq. (15) prints 2 Phi. With ||u||^2 = f'Lf it takes a labelling of mean 0, which u can have in L+."""
    rng = np.random.default_rng(200 + seed)
    graph = connected(rng)
    f = rng.choice([-1.0, 1.0], size=graph.n)
    energy = float(f @ laplacian(graph) @ f)
    assert energy == pytest.approx(4 * cut(graph, f))
    rows = np.linalg.cholesky(np.linalg.pinv(laplacian(graph)) + np.ones((graph.n, graph.n)))
    u = np.linalg.solve(rows, f)
    assert float(u @ u) - f.mean() ** 2 == pytest.approx(energy, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_eigenpairs_approximate_the_kernel_best_and_not_the_laplacian(seed: int) -> None:
    """Section 5 says it of both."""
    rng = np.random.default_rng(300 + seed)
    graph = connected(rng)
    full = laplacian(graph)
    values, vectors = np.linalg.eigh(full)
    d = int(rng.integers(1, graph.n)) if graph.n > 2 else 1
    kept = slice(1, d + 1)
    low = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    pseudo = np.linalg.pinv(full)
    rest = np.sort(np.linalg.svd(pseudo, compute_uv=False))[::-1][d:]
    assert np.linalg.norm(pseudo - low) == pytest.approx(np.linalg.norm(rest), abs=1e-7)
    small = (vectors[:, kept] * values[kept]) @ vectors[:, kept].T
    best = float(np.linalg.norm(np.sort(values)[::-1][d:]))
    assert np.linalg.norm(full - small) >= best - 1e-9


def test_the_laplacian_has_a_better_approximation() -> None:
    star = laplacian(ohm.Graph.from_edges([(0, k) for k in range(1, 6)]))
    values, vectors = np.linalg.eigh(star)
    smallest = np.outer(vectors[:, 1], vectors[:, 1]) * values[1]
    largest = np.outer(vectors[:, -1], vectors[:, -1]) * values[-1]
    assert np.linalg.norm(star - largest) < 0.5 * np.linalg.norm(star - smallest)
