"""Paper 001, Herbster and Pontil 2006: the flower and the octopus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.bound import Certificate, GraphPerceptronBound
from ohmline.game import Trace, play
from ohmline.graph import Graph, generate, measure
from ohmline.kernel import Constant, Kernel, LaplacianKernel, Ridge
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.lab.graph_drawing import circle, log_marks, sketch
from ohmline.learn import Distance, NearestNeighbour, Perceptron

PAPER = "Herbster and Pontil, Prediction on a graph with a perceptron, NIPS 2006"


def biased(graph: Graph, b: float, c: float = 0.0) -> Kernel:
    """K_c^b of eq. (10)."""
    kernel = LaplacianKernel(graph) + Constant(b)
    return kernel + Ridge(c) if c > 0 else kernel


def charged(trace: Trace) -> int:
    """Mistakes as the theorems count them."""
    return int(trace.charged.sum())


def flower(settings: Settings) -> Result:
    """Figure 4: the graph on which the diameter bounds the length of a point almost tightly."""
    p = 8
    petals = [100, 3000] if settings.quick else [30, 100, 300, 1000, 3000]
    lengths, means = [], []
    for m in petals:
        settings.tick(f"flower with {m} petals")
        graph = generate.flower(p, m).graph
        kernel = LaplacianKernel(graph)
        column = kernel.column(0)
        lengths.append(float(column[0]))
        means.append(float(np.mean(column[0] + kernel.diagonal() - 2 * column)))
    lower = [(p - 1) - (p - 1) ** 2 * p**2 / (4 * m) for m in petals]
    last = petals[-1]
    name = f"flower, p = {p}, m = {last}"
    rows = [
        Row(name, "the stem's end in L+", "||v_1||^2", lengths[-1]),
        Row(name, "lower bound of section 3", "||v_1||^2 at least", lower[-1], round(lower[-1], 3)),
        Row(name, "mean resistance, eq. (8)", "||v_1||^2 at most", means[-1]),
        Row(
            name,
            "eccentricity, eq. (8)",
            "||v_1||^2 at most",
            measure.eccentricity(generate.flower(p, 300).graph, 0),
            p,
        ),
    ]
    inside = all(low <= v <= mean <= p for low, v, mean in zip(lower, lengths, means, strict=True))
    claims = [
        Claim(
            "The squared length of v_1 lies between its lower bound and the diameter p, with a gap of 1",
            inside and p - lengths[-1] < 1.1,
            f"{lengths[-1]:.3f} in [{lower[-1]:.3f}, {p}] at m = {last}; in its interval at every m tried",
            threshold="inside at every m, and less than 1.1 below p at the largest",
        ),
        Claim(
            "Theorem 3.2: the mean resistance lies between the squared length and the eccentricity",
            inside,
            f"{lengths[-1]:.3f} <= {means[-1]:.3f} <= {p}",
            threshold="inside at every m",
        ),
    ]

    def figure(canvas: Any) -> None:
        left, right = canvas.subplots(1, 2, width_ratios=[1, 1.6])
        small = generate.flower(5, 14)
        stem = np.column_stack([np.zeros(5), np.arange(5.0)])
        angle = np.linspace(-0.2, np.pi + 0.2, 14)
        sketch(
            left,
            small.graph,
            np.vstack([stem, np.column_stack([1.5 * np.cos(angle), 4 + 1.5 * np.sin(angle)])]),
            small.labels,
        )
        left.set_title("a flower (p = 5, m = 14)")
        every = np.geomspace(petals[0], petals[-1], 100)
        floor = np.maximum((p - 1) - (p - 1) ** 2 * p**2 / (4 * every), 0)
        right.fill_between(every, floor, p, color="C0", alpha=0.1, label="between the bounds")
        right.plot(petals, means, marker="s", color="C1", label="mean resistance of node 1")
        right.plot(petals, lengths, marker="o", color="C0", label="squared length of node 1")
        right.set(xlabel="petals, m", ylim=(0, p + 0.5))
        log_marks(right, petals)
        right.set_title(f"Theorem 3.2 at p = {p}")
        right.legend(loc="lower right")

    return Result(
        rows,
        claims,
        {"flower": figure},
        ["The interval is the paper's formula; it prints no measured length."],
    )


VOTERS = (1, 3, 5, 9)
"""k of the nearest neighbours; the paper speaks of every k."""


@dataclass(frozen=True, slots=True)
class Octopus:
    """The games on one octopus."""

    nearest: dict[tuple[Distance, int], Trace]
    """By distance and k."""
    perceptron: Trace
    certificate: Certificate

    def missed_tips(self) -> set[int]:
        """The numbers of tips at which nearest neighbours erred: every second trial presents one."""
        return {int(trace.charged[1::2].sum()) for trace in self.nearest.values()}


def octopus(settings: Settings) -> Result:
    """Figure 5 and section 5.1: nearest neighbours err at every tentacle, the perceptron twice."""
    sizes = [5, 20, 80] if settings.quick else [5, 10, 20, 40, 80]
    rows: list[Row] = []
    games: dict[tuple[int, int], Octopus] = {}
    for p in (3, 5):
        for m in sizes:
            settings.tick(f"octopus with {m} tentacles of length {p}")
            games[p, m] = _octopus(p, m)
        rows += _octopus_rows(p, sizes[-1], games[p, sizes[-1]])
    most = {
        k: max(charged(g.nearest[d, k]) - m for (_, m), g in games.items() for d in Distance) for k in VOTERS
    }
    claims = [
        Claim(
            "Nearest neighbours make mistakes linear in the number of tentacles, in both distances and for every k",
            all(game.missed_tips() == {m} for (_, m), game in games.items()),
            f"every tip is missed, for every m in {sizes} and k in {list(VOTERS)}; ties among heads and tips add "
            + ", ".join(f"{extra} at k = {k}" for k, extra in most.items()),
            threshold="every tip missed, at every p, m, k and distance",
        ),
        Claim(
            "The perceptron's mistakes are bounded by 10p + 5 whatever m",
            all(
                charged(game.perceptron) <= game.certificate.value <= 10 * p + 5
                for (p, _), game in games.items()
            ),
            f"{max(charged(game.perceptron) for game in games.values())} mistakes at every m; "
            "certificates "
            + " and ".join(f"{games[p, sizes[-1]].certificate.value:g}" for p in (3, 5))
            + " against 35 and 55",
            threshold="mistakes <= certificate <= 10p + 5 at every p and m",
        ),
    ]

    def figure(canvas: Any) -> None:
        left, right = canvas.subplots(1, 2, width_ratios=[1, 1.35])
        small = generate.octopus(5, 3, head=9)
        sketch(left, small.graph, _octopus_places(5, 3, 9), small.labels)
        left.set_title("an octopus (m = 5, p = 3)")
        for k, marker in ((VOTERS[0], "o"), (VOTERS[-1], "^")):
            counts = [charged(games[3, m].nearest[Distance.GEODESIC, k]) for m in sizes]
            right.plot(sizes, counts, marker=marker, color="C1", label=f"{k}-NN, both distances")
        right.plot(
            sizes,
            [charged(games[3, m].perceptron) for m in sizes],
            marker="s",
            color="C0",
            label="perceptron",
        )
        right.plot(
            sizes,
            [games[3, m].certificate.value for m in sizes],
            linestyle=":",
            color="C0",
            label="its certificate",
        )
        right.set(xlabel="tentacles, m", ylabel="mistakes")
        right.set_title("the paper's sequence, p = 3")
        right.legend()

    notes = [
        "The counts include ties, as the theorems do; the paper counts m for nearest neighbours because it "
        "grants them the first trial. With k voters the first heads tie too: as many tips have been seen.",
    ]
    return Result(rows, claims, {"octopus": figure}, notes)


def _octopus_rows(p: int, m: int, game: Octopus) -> list[Row]:
    name = f"octopus, p = {p}, m = {m}"
    return [
        *(
            Row(name, f"{k}-NN, {distance.value} distance", "mistakes", charged(trace), m)
            for (distance, k), trace in game.nearest.items()
        ),
        Row(name, "perceptron K_0^1", "mistakes", charged(game.perceptron)),
        Row(
            name,
            "bound eq. (16), diameter 2p and any balance",
            "mistakes at most",
            5.0 * (2 * p + 1),
            10 * p + 5,
        ),
        Row(name, "certificate eq. (16)", "mistakes at most", game.certificate.value),
    ]


def _octopus(p: int, m: int) -> Octopus:
    family = generate.octopus(m, p)
    near = {
        (distance, k): play(NearestNeighbour(family.graph, distance, k), family.sequence)
        for distance in Distance
        for k in VOTERS
    }
    trace = play(Perceptron(biased(family.graph, 1.0)), family.sequence)
    return Octopus(near, trace, GraphPerceptronBound().certify(trace, family.labels))


def _octopus_places(m: int, p: int, head: int) -> Floats:
    clique = circle(head, (0, 1.2), turn=-np.pi / 2)
    root = np.array([[0.0, -0.7]])
    arms = []
    for angle in np.linspace(-2.7, -0.45, m):
        reach = np.arange(1, p + 1)[:, None] * 0.75
        arms.append(root + reach * [np.cos(angle), np.sin(angle)])
    return np.vstack([clique, root, *arms])


EXPERIMENTS = {
    experiment.id: experiment
    for experiment in (
        Experiment("hp2006-flower", "The flower: how tight the diameter is", PAPER, (), flower),
        Experiment(
            "hp2006-octopus", "The octopus: nearest neighbours against the perceptron", PAPER, (), octopus
        ),
    )
}
