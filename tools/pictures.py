"""Draws the pictures of the docs again: `make pictures` or `python tools/pictures.py [NAME ...]`.

Each is a function below and becomes `docs/images/NAME.png`. The tutorials show the same games as text. What a label
buys is drawn from `docs/peers.json`, which `ohmline bench peers --out docs` measures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ohmline as ohm
from ohmline.game import Spirals
from ohmline.lab.peers.graphs import TITLES
from ohmline.lab.peers.picture import curves
from ohmline.lab.peers.run import read
from ohmline.lab.plot import drawn, styled

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
PEERS = FOLDER.parent / "peers.json"
INK, BLUE, ORANGE, GREY = "#1d2330", "#2456c8", "#d9720f", "#c3c9d4"
LINES: dict[str, dict[str, Any]] = {
    "Ohmline": {"color": BLUE, "linewidth": 2.8, "marker": "o"},
    "Ohmline, random labels": {"color": BLUE, "linewidth": 1.4, "linestyle": ":", "marker": "."},
    "scikit-learn": {"color": ORANGE, "linewidth": 1.4, "marker": "."},
    "GraphLearning": {"color": "#8a6fc9", "linewidth": 1.4, "marker": "."},
    "scikit-activeml": {"color": "#2a9d6f", "linewidth": 1.4, "marker": "."},
}


def labels() -> Any:
    """What a label buys: right predictions against labels asked for, Ohmline beside the best of each other library."""
    document = read(PEERS)
    found = {title: lines for title in ("cora", "pubmed") if (lines := curves(document, title))}

    def draw(figure: Any) -> None:
        panels = figure.subplots(1, len(found), squeeze=False)[0]
        shown: dict[str, Any] = {}
        for axes, (graph, lines) in zip(panels, found.items(), strict=True):
            for name, values in reversed(lines.items()):  # ours on top
                library = name if name.startswith("Ohmline") else name.partition(",")[0]
                (shown[library],) = axes.plot(
                    document["asked"], [100 * value for value in values], label=library, **LINES[library]
                )
            axes.set(title=TITLES[graph], xlabel="labels asked for, beside one of each class")
            axes.set_xticks(document["asked"])
        panels[0].set_ylabel("right predictions, %")
        names = [name for name in LINES if name in shown]
        figure.legend([shown[name] for name in names], names, loc="outside lower center", ncols=len(names))

    return drawn(draw, 1.2 + 4 * len(found), 3.6)


def quick_start() -> Any:
    """What the plot of the quick start shows: the karate club, coloured by prediction."""
    karate = ohm.data.load("karate")
    learner = ohm.fit(karate.graph, {0: "Mr. Hi", 33: "Officer"})
    with styled():
        return karate.graph.plot(color=learner.predict_many())


def tutorial_octopus() -> Any:
    octopus = ohm.graph.generate.octopus(m=20, p=3)
    kernel = ohm.LaplacianKernel(octopus.graph) + ohm.Constant(1.0)
    games = {
        "nearest neighbour": ohm.play(ohm.NearestNeighbour(octopus.graph), octopus.sequence),
        "perceptron": ohm.play(ohm.Perceptron(kernel), octopus.sequence),
    }

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for (name, trace), colour in zip(games.items(), (ORANGE, BLUE), strict=True):
            axes.plot(np.arange(1, len(trace) + 1), np.cumsum(trace.charged), color=colour, label=name)
        axes.set(xlabel="trials", ylabel="mistakes and ties so far")
        axes.legend()

    return drawn(draw, 6, 3)


def tutorial_moons() -> Any:
    moons = ohm.graph.generate.two_moons(200, seed=0)
    graph = ohm.graph.knn(moons.points, 8)
    stream = ohm.Stream(graph.nodes, moons.labels).shuffled(seed=0)
    trace = ohm.play(ohm.Pounce(ohm.LaplacianKernel(graph)), stream)
    links = graph.to_scipy().tocoo()
    nodes = [node for node, _ in stream]
    wrong = [nodes[k] for k in np.flatnonzero(trace.charged)]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for a, b in zip(links.row, links.col, strict=True):
            axes.plot(*moons.points[[a, b]].T, color=GREY, linewidth=0.5, zorder=1)
        colours = np.where(np.asarray(moons.labels) > 0, BLUE, ORANGE)
        axes.scatter(*moons.points.T, c=colours, s=12, zorder=2)
        axes.scatter(
            *moons.points[wrong].T, s=130, facecolors="none", edgecolors=INK, linewidths=1.6, zorder=3
        )
        axes.set_aspect("equal")
        axes.axis("off")

    return drawn(draw, 6, 3)


def tutorial_spirals() -> Any:
    stream = Spirals(label_rate=0.005).stream(4000)
    learner = ohm.OnlineManifold()
    ohm.play(learner, stream)
    given = [(x, y) for x, y in stream if y is not None]
    seen = np.array([x for x, _ in stream])
    points = np.array([x for x, _ in given])
    low, high = seen.min(0) - 0.3, seen.max(0) + 0.3
    across, up = np.meshgrid(np.linspace(low[0], high[0], 160), np.linspace(low[1], high[1], 160))
    said = np.sign(learner.function(np.c_[across.ravel(), up.ravel()])).reshape(across.shape)

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.contourf(across, up, said, levels=[-2, 0, 2], colors=["#fbe3cb", "#d5e0f8"])
        axes.scatter(*seen[::4].T, s=2, color="#5b6475", linewidths=0)
        colours = [BLUE if y > 0 else ORANGE for _, y in given]
        axes.scatter(*points.T, c=colours, s=42, edgecolors="white", linewidths=1.0)
        axes.set_aspect("equal")
        axes.axis("off")

    return drawn(draw, 4.6, 4.4)


def tutorial_digits() -> Any:
    digits = ohm.data.load("digits")
    graph = ohm.graph.knn(digits.points, 5)
    stream = ohm.Stream(graph.nodes, digits.labels).shuffled(seed=0)
    kernel = ohm.SpectralKernel(graph, rank=100)
    games: dict[str, list[ohm.Trace]] = {
        "LocalLGC, GapBelow": [
            ohm.play(ohm.LocalLGC(graph), stream, ohm.GapBelow(c)) for c in (3e-5, 1e-4, 3e-4, 1e-3)
        ],
        "SharedLGC, VarianceAbove": [
            ohm.play(ohm.SharedLGC(kernel), stream, ohm.VarianceAbove(kappa)) for kappa in (0.1, 0.2, 0.3)
        ],
        "LocalLGC, chance": [
            ohm.play(ohm.LocalLGC(graph), stream, ohm.RandomRate(rate)) for rate in (0.05, 0.1, 0.2, 0.4)
        ],
    }

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for (name, traces), colour in zip(games.items(), (BLUE, "#2a9d6f", ORANGE), strict=True):
            axes.plot([t.asked for t in traces], [t.mistakes for t in traces], "o-", color=colour, label=name)
        axes.set(xlabel="labels asked for, of 1,797", ylabel="mistakes", ylim=(0, None), xlim=(0, None))
        axes.legend()

    return drawn(draw, 6, 3.4)


PICTURES: dict[str, Callable[[], Any]] = {
    "labels": labels,
    "quick-start": quick_start,
    "tutorial-octopus": tutorial_octopus,
    "tutorial-moons": tutorial_moons,
    "tutorial-spirals": tutorial_spirals,
    "tutorial-digits": tutorial_digits,
}


def main() -> None:
    for name in sys.argv[1:] or PICTURES:
        if name not in PICTURES:
            sys.exit(f"there is no picture {name}; there are {', '.join(PICTURES)}")
        PICTURES[name]().savefig(FOLDER / f"{name}.png", dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
