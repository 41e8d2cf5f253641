"""What a label buys: accuracy against labels asked for, Ohmline beside the best of each other library."""

from __future__ import annotations

import io
from typing import Any

from ohmline.lab.peers.graphs import TITLES
from ohmline.lab.peers.tables import found
from ohmline.lab.svg import COLOURS

SHOWN = ("cora", "pubmed")


def picture(document: dict[str, Any]) -> str:
    """An SVG with a panel for each of the graphs in `SHOWN` that was measured; nothing where none was."""
    graphs = [name for name in SHOWN if curves(document, name)]
    if not graphs:
        return ""
    from ohmline.lab import plot

    def draw(figure: Any) -> None:
        _panels(figure, document, graphs)

    text = io.StringIO()
    figure = plot.drawn(draw, 4.6 * len(graphs) + 0.6, 4.2)
    with plot.styled():  # equal figures give equal text
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    drawing = text.getvalue()
    return drawing[drawing.index("<svg") :]


def _panels(figure: Any, document: dict[str, Any], graphs: list[str]) -> None:
    axes = figure.subplots(1, len(graphs), squeeze=False)[0]
    names = list(dict.fromkeys(name for graph in graphs for name in curves(document, graph)))
    for place, graph in zip(axes, graphs, strict=True):
        for name, values in curves(document, graph).items():
            ours = name == "Ohmline"
            place.plot(
                document["asked"],
                [100 * value for value in values],
                color=COLOURS[names.index(name) % len(COLOURS)],
                linewidth=2.6 if ours else 1.4,
                linestyle="--" if name.startswith("Ohmline,") else "-",
                marker="o" if ours else ".",
                label=name,
            )
        place.set_title(TITLES[graph])
        place.set_xlabel("labels asked for, beside one of each class")
        place.legend(fontsize=7.5, loc="lower right")
    axes[0].set_ylabel("right predictions, percent")


def curves(document: dict[str, Any], graph: str) -> dict[str, list[float]]:
    """Accuracy by system: ours, and of every other library the one that is best after the last query."""
    chosen: dict[str, tuple[str, list[float]]] = {}
    for system in document["systems"]:
        cell = found(document, system["name"], graph, "active")
        if cell is None or not cell["found"]:
            continue
        values = cell["found"]["accuracy"]
        library = system["name"] if system["ours"] else system["distribution"]
        if library not in chosen or values[-1] > chosen[library][1][-1]:
            chosen[library] = (system["name"], values)
    return dict(chosen.values())
