"""Paper 001, Herbster and Pontil 2006: barbells, plain, noisy and thick."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.bound import Certificate, GraphPerceptronBound
from ohmline.game import Stream, Trace, play, play_adversary
from ohmline.graph import generate, measure
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.lab.experiments.hp2006 import PAPER, biased, charged
from ohmline.lab.graph_drawing import circle, log_marks, sketch
from ohmline.learn import Perceptron


def barbell(settings: Settings) -> Result:
    """Figures 2 and 3 and the thick barbell of section 4."""
    m = 200
    plain = generate.barbell(m)
    forced = play_adversary(Perceptron(biased(plain.graph, 1.0)), plain.labels)
    orders = [
        charged(play(Perceptron(biased(plain.graph, 1.0)), Stream(range(2 * m), plain.labels).shuffled(seed)))
        for seed in range(settings.seed, settings.seed + (3 if settings.quick else 20))
    ]
    equation_1 = (
        4
        * measure.cut(plain.graph, plain.labels)
        * measure.diameter(plain.graph)
        * measure.balance(plain.labels)
    )
    proof = GraphPerceptronBound().certify(forced, plain.labels)
    rows = [
        Row(f"barbell, m = {m}", "bound (1) of section 1.1", "mistakes at most", equation_1, 12),
        Row(f"barbell, m = {m}", "perceptron K_0^1, certificate eq. (16)", "mistakes at most", proof.value),
        Row(f"barbell, m = {m}", "perceptron K_0^1, adversary", "mistakes", len(forced)),
        Row.of(f"barbell, m = {m}", "perceptron K_0^1, random orders", "mistakes", orders),
    ]
    settings.tick("noisy barbell")
    sizes = [25, 50, 100, 200]
    noisy = {(k, c, n): _noisy(n, k, c) for k in (1, 3) for c in (1.0, 0.0) for n in sizes}
    for k in (1, 3):
        for c in (1.0, 0.0):
            trace, certificate = noisy[k, c, m]
            name, kernel = f"noisy barbell, m = {m}, k = {k}", f"perceptron K_{c:g}^1"
            rows += [
                Row(name, f"{kernel}, adversary", "mistakes", len(trace)),
                Row(name, f"{kernel}, certificate eq. (15)", "mistakes at most", certificate.value),
            ]
    settings.tick("thick barbell")
    bridges = [1, 5, 50, 199] if settings.quick else [1, 2, 5, 10, 20, 50, 100, 150, 199]
    thick = {edges: _thick(m, edges) for edges in bridges}
    for edges in (bridges[0], bridges[-1]):
        trace, certificate = thick[edges]
        name = f"thick barbell, m = {m}, l = {edges}"
        rows += [
            Row(name, "perceptron b = 1/4n, adversary", "mistakes", len(trace)),
            Row(name, "certificate with the resistance diameter", "mistakes at most", certificate.value, 20),
            Row(
                name,
                "bound with the geodesic diameter",
                "mistakes at most",
                _geodesic_bound(m, edges),
                16 * edges,
            ),
        ]
    worst = max(len(noisy[k, 1.0, n][0]) for k in (1, 3) for n in sizes)
    growth = [len(noisy[1, 0.0, n][0]) for n in sizes]
    claims = [
        Claim(
            "On a barbell the number of mistakes is bounded whatever the size of its cliques",
            equation_1 == 12 and max(len(forced), *orders) <= min(proof.value, 12),
            f"bound (1) is {equation_1:g} at m = {m}; an adversary forces {len(forced)}, "
            f"random orders at most {max(orders)}",
            threshold="bound (1) is 12, and no game has more mistakes than it or the certificate",
        ),
        Claim(
            "A few odd labels cost O(k) with a ridge c = 1 (section 4)",
            worst <= 8,
            f"adversary, m = {m}: {len(noisy[1, 1.0, m][0])} mistakes with k = 1 and "
            f"{len(noisy[3, 1.0, m][0])} with k = 3; at most {worst} at every m tried",
            threshold="at most 8 mistakes at every k and m",
        ),
        Claim(
            "Without a ridge the same labels cost O(k m)",
            growth[-1] >= 3 * growth[0] and len(noisy[3, 0.0, m][0]) >= 600,
            f"adversary, m = {m}: {len(noisy[1, 0.0, m][0])} mistakes with k = 1 and "
            f"{len(noisy[3, 0.0, m][0])} with k = 3; k = 1 over m = {sizes}: {growth}",
            threshold="three times as many at the largest m as at the smallest, and 600 or more with k = 3",
        ),
        Claim(
            "On a thick barbell the resistance diameter bounds the mistakes by 20 for any number of bridges",
            all(proof.value <= 20 and len(trace) <= proof.value for trace, proof in thick.values()),
            f"certificates from {thick[bridges[0]][1].value:.2f} to {thick[bridges[-1]][1].value:.2f}; "
            f"an adversary forces {max(len(trace) for trace, _ in thick.values())}",
            threshold="mistakes <= certificate <= 20 for every number of bridges",
        ),
    ]

    def figure(canvas: Any) -> None:
        left, right = canvas.subplots(1, 2, width_ratios=[1, 1.35])
        small = generate.noisy_barbell(8, 1)
        places = np.vstack([circle(8, (-1.7, 0), turn=np.pi / 4), circle(8, (1.7, 0), turn=np.pi)])
        sketch(left, small.graph, places, small.labels)
        left.set_title("one odd node (m = 8)")
        for k, marker in ((1, "o"), (3, "s")):
            for c, colour in ((0.0, "C1"), (1.0, "C0")):
                mistakes = [len(noisy[k, c, n][0]) for n in sizes]
                right.plot(sizes, mistakes, marker=marker, color=colour, label=f"k = {k}, c = {c:g}")
                bounds = [noisy[k, c, n][1].value for n in sizes]
                right.plot(
                    sizes, bounds, color=colour, linewidth=0.9, linestyle=":", marker=marker, markersize=3
                )
        right.set(xlabel="nodes of a clique, m", ylabel="mistakes forced (dotted: certificate)", yscale="log")
        right.set_ylim(2, 3e4)
        log_marks(right, sizes)
        right.set_title("a ridge makes odd labels cheap")
        right.legend(ncols=2, fontsize=8.5)

    def thick_figure(canvas: Any) -> None:
        axes = canvas.subplots()
        axes.plot(
            bridges,
            [_geodesic_bound(m, e) for e in bridges],
            marker="o",
            color="C1",
            label="bound with the geodesic diameter",
        )
        axes.plot(
            bridges,
            [thick[e][1].value for e in bridges],
            marker="s",
            color="C0",
            label="certificate with the resistance diameter",
        )
        axes.plot(
            bridges,
            [len(thick[e][0]) for e in bridges],
            marker="^",
            color="C2",
            label="forced by an adversary",
        )
        axes.axhline(20, color="#9aa2b1", linestyle="--", linewidth=1)
        axes.text(bridges[-1], 22, "the paper's 20", fontsize=8.5, color="#5b6475", ha="right")
        axes.set(xlabel="bridges between the cliques, l", ylabel="mistakes", yscale="log")
        log_marks(axes, bridges)
        axes.set_title(f"thick barbell, m = {m}")
        axes.legend()

    notes = [
        "The adversary presents the most wrong node until the perceptron agrees with the labelling; the "
        "paper names no sequence. The counts include ties, as the theorems do.",
        "Only the bounds 12, 20 and 16 l are the paper's; it prints no measured mistakes.",
    ]
    return Result(rows, claims, {"noisy-barbell": figure, "thick-barbell": thick_figure}, notes)


def _noisy(m: int, k: int, c: float) -> tuple[Trace, Certificate]:
    noisy = generate.noisy_barbell(m, k)
    trace = play_adversary(Perceptron(biased(noisy.graph, 1.0, c)), noisy.labels)
    return trace, GraphPerceptronBound().certify(trace, noisy.labels)


def _thick(m: int, edges: int) -> tuple[Trace, Certificate]:
    thick = generate.thick_barbell(m, edges)
    trace = play_adversary(Perceptron(biased(thick.graph, 1 / (8 * m))), thick.labels)  # b = 1/4n, n = 2m
    return trace, GraphPerceptronBound().certify(trace, thick.labels)


def _geodesic_bound(m: int, edges: int) -> float:
    """Eq. (16) with the geodesic in place of the resistance diameter."""
    thick = generate.thick_barbell(m, edges)
    return 4 * measure.cut(thick.graph, thick.labels) * (measure.diameter(thick.graph) + 1)


EXPERIMENTS = {
    "hp2006-barbell": Experiment("hp2006-barbell", "Barbells: plain, noisy and thick", PAPER, (), barbell)
}
