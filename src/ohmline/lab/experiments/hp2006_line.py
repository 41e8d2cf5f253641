"""Paper 001, Herbster and Pontil 2006: halving against the perceptron on a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.bound import Certificate, GraphPerceptronBound, HalvingBound, PounceBound
from ohmline.bound.pounce import best_cover
from ohmline.game import Trace, play_adversary
from ohmline.graph import generate, measure
from ohmline.kernel import LaplacianKernel
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.lab.experiments.hp2006 import PAPER, biased
from ohmline.lab.graph_drawing import log_marks
from ohmline.learn import Halving, Perceptron, Pounce


@dataclass(frozen=True, slots=True)
class Duel:
    """One learner against the adversary on a line."""

    forced: int
    certificate: Certificate


def line(settings: Settings) -> Result:
    """Section 5.2: on a line with one cut, halving needs log n mistakes and the perceptron more."""
    sizes = [8, 16, 64] if settings.quick else [8, 16, 32, 64, 128]
    duels: dict[int, dict[str, Duel]] = {}
    for n in sizes:
        settings.tick(f"line of {n} nodes")
        duels[n] = _line(n)
    rows = [row for n in (8, 16, 64) for row in _rows(n, duels[n])]
    settings.tick("a ring and a star")
    ring, star = _ring(32), _star(100_000)
    rows += [
        *(
            Row("ring, n = 32, cut 2", f"{method}, adversary", "mistakes", d.forced)
            for method, d in ring.items()
        ),
        *(
            Row("ring, n = 32, cut 2", f"{method}, certificate", "mistakes at most", d.certificate.value)
            for method, d in ring.items()
        ),
        *(
            Row("star, 100,000 leaves, cut 1", method, "mistakes at most", value)
            for method, value in star.items()
        ),
    ]
    every = [duel for by_method in (*duels.values(), ring) for duel in by_method.values()]
    claims = [
        Claim(
            "On a line with one cut halving errs at most ceil(log2 n) times, the perceptron 5n + 5 times",
            all(
                by["halving"].forced <= np.ceil(np.log2(n)) and by["perceptron"].forced <= 5 * n + 5
                for n, by in duels.items()
            ),
            "; ".join(
                f"n = {n}: " + ", ".join(f"{k} {d.forced}" for k, d in by.items()) for n, by in duels.items()
            ),
            threshold="both at every n",
        ),
        Claim(
            "Halving has the sharper bound on graphs of large diameter",
            all(by["halving"].certificate.value < by["perceptron"].certificate.value for by in duels.values())
            and all(by["halving"].forced <= by["perceptron"].forced for by in duels.values()),
            "in certificates and against the adversary, at every n tried",
            threshold="lower certificate and no more mistakes at every n",
        ),
        Claim(
            "The perceptron has the sharper bound on graphs of small diameter",
            star["perceptron, eq. (16)"] < star["halving, log2 of its class"],
            f"a star with 100,000 leaves and one cut edge: {star['perceptron, eq. (16)']:g} against "
            f"{star['halving, log2 of its class']:.1f}",
            threshold="a lower bound on the star",
        ),
        Claim(
            "POUNCE's bound over the whole line is O(sqrt n) against the perceptron's O(n) (paper 002)",
            all(_whole_line(n) <= 4 * np.sqrt(n) + 1 for n in sizes),
            ", ".join(f"n = {n}: {_whole_line(n):.0f}" for n in sizes),
            threshold="at most 4 sqrt(n) + 1 at every n",
        ),
        Claim(
            "No certificate was beaten",
            all(duel.certificate.valid and duel.forced <= duel.certificate.value for duel in every),
            f"{len(every)} games",
            threshold="every certificate valid and not below the mistakes",
            ours=True,
        ),
    ]

    def figure(canvas: Any) -> None:
        left, right = canvas.subplots(1, 2)
        for k, method in enumerate(duels[sizes[0]]):
            forced = [duels[n][method].forced for n in sizes]
            proven = [duels[n][method].certificate.value for n in sizes]
            left.plot(sizes, forced, marker="os^"[k], color=f"C{k}", label=method)
            right.plot(sizes, proven, marker="os^"[k], color=f"C{k}", label=method)
        left.set(xlabel="nodes of the line, n", ylabel="mistakes", ylim=(0, None))
        log_marks(left, sizes)
        left.set_title("forced by the adversary")
        right.set(xlabel="nodes of the line, n", yscale="log")
        log_marks(right, sizes)
        right.set_title("certified")
        left.legend()

    notes = [
        "The concepts are the 2(n - 1) labellings with a cut of exactly 1. The adversary is greedy: it keeps "
        "as many of them in play as it can, so the mistakes are what it forced, not the worst case.",
        "The paper prints bounds only.",
    ]
    return Result(rows, claims, {"line": figure}, notes)


def _rows(n: int, duels: dict[str, Duel]) -> list[Row]:
    name = f"line, n = {n}, cut 1"
    proven = [
        ("halving, log2 of its class", duels["halving"].certificate.value, float(np.ceil(np.log2(n)))),
        ("perceptron, eq. (16) with diameter n, any balance", 5.0 * (n + 1), 5 * n + 5),
        ("perceptron, certificate eq. (16)", duels["perceptron"].certificate.value, None),
        ("POUNCE, Theorem 2 over every node", _whole_line(n), None),
        ("POUNCE, certificate Theorem 2", duels["POUNCE"].certificate.value, None),
    ]
    return [
        *(Row(name, f"{method}, adversary", "mistakes", duel.forced) for method, duel in duels.items()),
        *(Row(name, method, "mistakes at most", ours, paper) for method, ours, paper in proven),
    ]


def _line(n: int) -> dict[str, Duel]:
    graph = generate.line(n).graph
    steps = np.array([[1] * k + [-1] * (n - k) for k in range(1, n)])
    concepts = np.vstack([steps, -steps])
    games = {
        "halving": (Halving(graph, cut_budget=1, exactly=True), HalvingBound()),
        "perceptron": (Perceptron(biased(graph, 1.0)), GraphPerceptronBound()),
        "POUNCE": (Pounce(LaplacianKernel(graph)), PounceBound()),
    }
    duels = {}
    for method, (learner, bound) in games.items():
        trace = play_adversary(learner, concepts)
        duels[method] = Duel(len(trace), bound.certify(trace, _survivor(trace, concepts)))
    return duels


def _ring(n: int) -> dict[str, Duel]:
    """Halving counts on graphs with cycles too, if they are thin."""
    graph = generate.ring(n).graph
    starts = [np.roll([1] * k + [-1] * (n - k), shift) for k in range(1, n) for shift in range(n)]
    concepts = np.array(starts)
    duels = {}
    for method, learner, bound in (
        ("halving", Halving(graph, cut_budget=2, exactly=True), HalvingBound()),
        ("perceptron", Perceptron(biased(graph, 1.0)), GraphPerceptronBound()),
    ):
        trace = play_adversary(learner, concepts)
        duels[method] = Duel(len(trace), bound.certify(trace, _survivor(trace, concepts)))
    return duels


def _star(leaves: int) -> dict[str, float]:
    """Bounds for one odd leaf, by their formulas: log2 of all labellings that cut one edge, and eq. (16)."""
    graph = generate.star(leaves)
    balance = ((leaves - 1) / (leaves + 1)) ** 2
    return {
        "halving, log2 of its class": float(np.log2(2 * graph.n_edges)),
        "perceptron, eq. (16)": float((4 + balance) * (measure.resistance_diameter(graph) + 1)),
    }


def _whole_line(n: int) -> float:
    """Theorem 2 of paper 002 with every node in the cover, at the best radius; the cut is 1."""
    return best_cover(measure.resistance_matrix(generate.line(n).graph), 4.0).value


def _survivor(trace: Trace, concepts: Floats) -> Floats:
    """A labelling that agrees with every label the adversary gave."""
    given = np.array(trace.labels, dtype=int)
    alive = (concepts[:, np.array(trace.nodes)] == given).all(axis=1)
    return np.asarray(concepts[alive][0])


EXPERIMENTS = {
    "hp2006-line": Experiment("hp2006-line", "The line: halving against the perceptron", PAPER, (), line)
}
