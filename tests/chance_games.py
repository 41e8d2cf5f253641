"""Games of OnlineLGC whose labels are drawn, and a literal oracle of what they do on average."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import ohmline as ohm
from small_games import small_graph


@dataclass
class ChanceGame:
    """An order of nodes, the mean label of each node, and the learner's ridge and query."""

    graph: ohm.Graph
    kernel: ohm.Kernel
    means: np.ndarray
    order: np.ndarray
    mu: float
    kappa: float

    def learner(self, *, mistake_driven: bool = False) -> ohm.OnlineLGC:
        return ohm.OnlineLGC(self.kernel, self.mu, mistake_driven=mistake_driven, blocked=False)

    def labels(self, rng: np.random.Generator) -> np.ndarray:
        return np.where(rng.random(len(self.order)) < (1 + self.means[self.order]) / 2, 1, -1)

    def play(self, rng: np.random.Generator, *, mistake_driven: bool = False) -> ohm.Trace:
        learner = self.learner(mistake_driven=mistake_driven)
        return ohm.play(learner, ohm.Stream(self.order, self.labels(rng)), ohm.VarianceAbove(self.kappa))


@dataclass
class Averages:
    """What happens in the same game over many draws of the labels."""

    regret: np.ndarray
    """Of each draw: the sum of |Delta_t| where the sign of the estimate is not that of Delta_t."""
    estimates: np.ndarray
    """Of each draw and trial."""
    bias: np.ndarray
    """B_t as Eq. (20) has it, with mu I for I."""
    variance: np.ndarray


def draw_game(rng: np.random.Generator, *, trials: int = 30) -> ChanceGame:
    graph = small_graph(rng, most=6)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(float(10.0 ** rng.uniform(-2, 1)))
    shape = int(rng.integers(4))
    signs = rng.choice([-1.0, 1.0], size=graph.n)
    means = (signs, signs * rng.choice([0.1, 0.5, 0.9]), rng.uniform(-1, 1, graph.n), signs)[shape]
    if shape == 3:
        means = np.where(rng.random(graph.n) < 0.5, means, 0.3 * means)
    return ChanceGame(
        graph,
        kernel,
        means,
        rng.integers(graph.n, size=trials),
        float(10.0 ** rng.uniform(-3, 1)),
        float(rng.choice([0.2, 0.4, 0.8, 1.0])),
    )


def features(kernel: ohm.Kernel) -> np.ndarray:
    """Rows whose inner products are the kernel, one per node."""
    values, vectors = np.linalg.eigh(kernel.space.dense())
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))


def averages(game: ChanceGame, asked: np.ndarray, rng: np.random.Generator, draws: int = 200) -> Averages:
    """Algorithm 2 written down, every asked label learned, over many draws of the labels at once."""
    rows = features(game.kernel)
    u = np.linalg.lstsq(rows, game.means, rcond=None)[0]
    d = rows.shape[1]
    a, b = game.mu * np.eye(d), np.zeros((draws, d))
    regret = np.zeros(draws)
    estimates, bias, variance = [], [], []
    for t, i in enumerate(game.order):
        m, mean = rows[i], game.means[i]
        with_m = a + np.outer(m, m)
        gain = np.linalg.solve(with_m, m)
        estimate = b @ gain
        bias.append(float(u @ (game.mu * np.eye(d) + np.outer(m, m)) @ gain))
        variance.append(float(m @ gain))
        estimates.append(estimate)
        regret += abs(mean) * (estimate * np.sign(mean) <= 1e-12)
        if asked[t]:
            a = with_m
            b += np.where(rng.random(draws) < (1 + mean) / 2, 1.0, -1.0)[:, None] * m
    return Averages(regret, np.array(estimates).T, np.array(bias), np.array(variance))


def adversarial_order(game: ChanceGame, rng: np.random.Generator, trials: int = 30) -> ChanceGame:
    """The order of a greedy adversary that knows the means and no label: each time the node that costs most."""
    rows = features(game.kernel)
    draws, d = 60, rows.shape[1]
    a, b = game.mu * np.eye(d), np.zeros((draws, d))
    order = []
    for t in range(1, trials + 1):
        margins = b @ np.linalg.solve(a, rows.T)
        cost = np.abs(game.means) * np.mean(margins * np.sign(game.means) <= 1e-12, axis=0)
        i = int(rng.choice(np.flatnonzero(cost >= cost.max() - 1e-12)))
        order.append(i)
        q = float(rows[i] @ np.linalg.solve(a, rows[i]))
        if q / (1 + q) > t**-game.kappa:
            a = a + np.outer(rows[i], rows[i])
            b += np.where(rng.random(draws) < (1 + game.means[i]) / 2, 1.0, -1.0)[:, None] * rows[i]
    return ChanceGame(game.graph, game.kernel, game.means, np.array(order), game.mu, game.kappa)
