"""Rivals agree with literal versions of their boxes, trial by trial, and refuse what would crash compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ohmline import Graph, OhmlineError
from ohmline.lab.rivals import DenseRelaxation, FastONL, PushKernel
from ohmline.lab.rivals.relaxation import Trials


def water_filling(psi: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """q = max(psi - tau, 0), with tau by bisection."""
    low, high = psi.min() - 1, psi.max()
    for _ in range(200):
        tau = (low + high) / 2
        low, high = (tau, high) if np.maximum(psi - tau, 0).sum() > 1 else (low, tau)
    q = np.maximum(psi - tau, 0)
    return q, [c for c in range(len(psi)) if psi[c] >= tau - 1e-12]


def gradient(psi: np.ndarray, y: int, support: list[int]) -> np.ndarray:
    """Of the surrogate of Rakhlin and Sridharan (2017)."""
    g, unit = np.zeros(len(psi)), np.eye(len(psi))
    if y in support:
        return unit[support].sum(axis=0) / len(support) - unit[y]
    rival = max((c for c in range(len(psi)) if c != y), key=lambda c: psi[c])
    g += (unit[rival] - unit[y]) / (1 + 1 / len(support))
    return g


def oracle(
    kernel: np.ndarray, top: float, order: np.ndarray, labels: np.ndarray, k: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The box of the relaxation, literally; (q, gradient) of every trial."""
    n = len(kernel)
    gradients, a, t, said = np.zeros((k, n)), 0.0, top, []
    for u in order:
        v = gradients @ kernel[:, u]
        psi = -v / np.sqrt(a + k * t)
        q, support = water_filling(psi)
        g = gradient(psi, int(labels[u]), support)
        said.append((q, g))
        gradients[:, u] = g
        a += 2 * g @ v + kernel[u, u] * (g @ g)
        t -= kernel[u, u]
    return said


def matrix_of(graph: Graph, kernel: PushKernel, share: float) -> np.ndarray:
    """The kernel's matrix by its formula."""
    n, lam = graph.n, share * graph.n
    if kernel is PushKernel.LAPLACIAN:
        return 2 * lam * np.linalg.inv(lam / n * np.eye(n) + graph.laplacian().toarray())
    degree = np.where(graph.degree > 0, graph.degree, 1.0)
    between = graph.adjacency.toarray() / np.sqrt(np.outer(degree, degree))
    alpha = lam / (n + lam) if kernel is PushKernel.NORMALISED else n / (n + lam)
    factor = n if kernel is PushKernel.NORMALISED else lam
    return 2 * factor * alpha * np.linalg.inv(np.eye(n) - (1 - alpha) * between)


def random_graph(seed: int) -> tuple[Graph, np.ndarray, np.ndarray]:
    """A weighted graph with an isolated node, labels of four classes, and an order."""
    rng = np.random.default_rng(seed)
    n = 30
    weights = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.15), 1)
    weights[:, 7] = weights[7] = 0
    graph = Graph.from_scipy(weights + weights.T)
    return graph, rng.integers(0, 4, n), rng.permutation(n)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kernel", PushKernel)
@pytest.mark.parametrize("share", [0.05, 1.0, 20.0])
def test_with_small_epsilon_it_is_the_relaxation_over_the_exact_kernel(
    kernel: PushKernel, share: float, seed: int
) -> None:
    graph, labels, order = random_graph(seed)
    if kernel is PushKernel.DAMPED:
        share /= 20  # lambda above n is refused there
    played = FastONL(kernel, share, 1e-13).play(graph, order, labels, 4)
    wanted = oracle(matrix_of(graph, kernel, share), 2.0 * graph.n**2, order, labels, 4)
    for (q, _), code in zip(wanted, played.predictions, strict=True):
        assert q[code] >= q.max() - 1e-7
    assert played.mistakes == (played.predictions != labels[order]).sum()
    assert played.edges > 0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("share", [0.05, 1.0, 20.0])
def test_the_dense_relaxation_is_its_box(share: float, seed: int) -> None:
    graph, labels, order = random_graph(seed)
    n = graph.n
    kernel = np.linalg.inv(graph.laplacian(normalised=True).toarray() / (2 * share * n) + np.eye(n) / (2 * n))
    wanted = oracle(kernel, float(np.trace(kernel)), order, labels, 4)
    played = DenseRelaxation(share).play(graph, order, labels, 4)
    for (q, _), code in zip(wanted, played.predictions, strict=True):
        assert q[code] >= q.max() - 1e-7


@pytest.mark.parametrize("seed", range(4))
def test_every_branch_of_the_gradient_agrees(seed: int) -> None:
    """Nearly one class on a graph whose kernel is flat: the support shrinks, and the rare class lies outside it."""
    graph, _, order = random_graph(seed)
    n = graph.n
    labels = (np.random.default_rng(seed).random(n) < 0.1).astype(np.int64)
    labels[order[-4:]] = [1, 1, 2, 3]
    kernel = np.linalg.inv(graph.laplacian(normalised=True).toarray() / (0.01 * n) + np.eye(n) / (2 * n))
    wanted = oracle(kernel, float(np.trace(kernel)), order, labels, 4)
    played = DenseRelaxation(0.005).play(graph, order, labels, 4)
    sizes = [np.count_nonzero(q) for q, _ in wanted]
    missed = [q[labels[u]] == 0 for (q, _), u in zip(wanted, order, strict=True)]
    assert min(sizes) < 4
    assert any(missed)
    for (q, g), code in zip(wanted, played.predictions, strict=True):
        assert q[code] >= q.max() - 1e-7
        assert abs(g.sum()) < 1e-12


def test_a_coarse_push_reads_fewer_edges_and_the_weights_count() -> None:
    graph, labels, order = random_graph(1)
    edges = [
        FastONL(PushKernel.NORMALISED, 0.3, eps).play(graph, order, labels).edges for eps in (1e-1, 1e-3)
    ]
    assert edges[0] < edges[1]
    plain = Graph.from_scipy((graph.adjacency > 0).astype(float))
    alike = FastONL(epsilon=1e-12).play(plain, order, labels, 4)
    for (q, _), code in zip(
        oracle(matrix_of(plain, PushKernel.LAPLACIAN, 1.0), 2.0 * plain.n**2, order, labels, 4),
        alike.predictions,
        strict=True,
    ):
        assert q[code] >= q.max() - 1e-7


@pytest.mark.parametrize("kernel", PushKernel)
def test_columns_that_are_kept_give_the_same_game(kernel: PushKernel) -> None:
    graph, labels, order = random_graph(3)
    rival = FastONL(kernel, 0.4, 1e-4)
    kept = rival.columns(graph)
    assert kept is not None
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(graph.n)[: 30 - seed]
        pushed, read = rival.play(graph, order, labels), rival.play(graph, order, labels, columns=kept)
        assert (pushed.predictions == read.predictions).all()
        assert (pushed.mistakes, pushed.edges) == (read.mistakes, read.edges)
    assert rival.columns(graph, most=1000) is None
    for other in (FastONL(kernel, 0.4, 1e-5), FastONL(kernel, 0.5, 1e-4)):
        with pytest.raises(OhmlineError, match="columns"):
            other.play(graph, order, labels, columns=kept)
    with pytest.raises(OhmlineError, match="columns"):
        rival.play(random_graph(4)[0], order, labels, columns=kept)
    assert (kept.entries[: kept.starts[-1]] > 0).all()


def test_columns_grow_where_they_do_not_fit() -> None:
    """On a dense graph every column is full, which is more than is set aside at first."""
    n = 150
    weights = np.ones((n, n)) - np.eye(n)
    graph, labels = Graph.from_scipy(weights), np.arange(n) % 3
    rival = FastONL(epsilon=1e-6)
    kept = rival.columns(graph)
    assert kept is not None
    assert kept.starts[-1] == n * n
    order = np.random.default_rng(0).permutation(n)[:40]
    again = rival.play(graph, order, labels, columns=kept)
    assert (again.predictions == rival.play(graph, order, labels).predictions).all()


def test_random_predictions_follow_the_chances() -> None:
    graph, labels, order = random_graph(2)
    wanted = oracle(matrix_of(graph, PushKernel.LAPLACIAN, 1.0), 2.0 * graph.n**2, order, labels, 4)
    games = [FastONL(epsilon=1e-12, draws=seed).play(graph, order, labels, 4) for seed in range(400)]
    last = np.bincount([game.predictions[-1] for game in games], minlength=4) / 400
    assert np.abs(last - wanted[-1][0]).max() < 0.1  # four standard errors
    again = FastONL(epsilon=1e-12, draws=3).play(graph, order, labels, 4)
    assert (again.predictions == games[3].predictions).all()


def test_smallest_games() -> None:
    lonely = Graph.from_edges([], nodes=["a"])
    for rival in (FastONL(), FastONL(PushKernel.NORMALISED), DenseRelaxation()):
        assert rival.play(lonely, [0], [0]).mistakes == 0
        assert rival.play(lonely, [], [0]).error_rate == 0
        assert rival.play(lonely, [0], [1], 2).mistakes == 1


@pytest.mark.parametrize(
    "input",
    [
        ("no graph", [0], [0], None),
        (None, [3], [0, 0, 1], None),
        (None, [-1], [0, 0, 1], None),
        (None, [0, 0], [0, 0, 1], None),
        (None, [0.5], [0, 0, 1], None),
        (None, [0], [0, 0], None),
        (None, [0], [0, -1, 1], None),
        (None, [0], [0, 0, 2], 2),
        (None, [0], [0, 0, 1], 0),
        ("signed", [0], [0, 0, 1], None),
    ],
)
def test_bad_games_are_refused(input: tuple[Any, ...]) -> None:
    graph, *rest = input
    if graph is None or graph == "signed":
        graph = Graph.from_edges([(0, 1, 1.0), (1, 2, -1.0 if graph else 1.0)], signed=bool(graph))
    for rival in (FastONL(), DenseRelaxation()):
        with pytest.raises(OhmlineError):
            rival.play(graph, *rest)


@pytest.mark.parametrize(
    "options", [{"kernel": "K1"}, {"share": 0}, {"share": np.nan}, {"epsilon": 0.0}, {"draws": -1}]
)
def test_bad_settings_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OhmlineError):
        FastONL(**options)
    with pytest.raises(OhmlineError):
        DenseRelaxation(share=-1.0)


def test_a_damped_kernel_needs_lambda_below_n() -> None:
    """Above it, T turns negative, and the scores would be divided by the root of a negative number."""
    with pytest.raises(OhmlineError, match="NORMALISED"):
        FastONL(PushKernel.DAMPED, 1.5)


def test_an_order_is_copied_and_checked() -> None:
    graph, labels, order = random_graph(0)
    kept = Trials.of(graph, order, labels, None)
    assert kept.classes == 4
    order[0] = 10**9
    assert kept.order.max() < graph.n
