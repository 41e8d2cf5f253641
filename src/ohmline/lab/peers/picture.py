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
    """Accuracy by system: ours, and of every other library what its best system has after each number of labels."""
    own: dict[str, list[float]] = {}
    others: dict[str, list[list[float]]] = {}
    for system in document["systems"]:
        cell = found(document, system["name"], graph, "active")
        if cell is None or not cell["found"]:
            continue
        values = cell["found"]["accuracy"]
        if system["ours"]:
            own[system["name"]] = values
        else:
            others.setdefault(system["name"].split()[0], []).append(values)
    named = {
        library if len(rows) == 1 else f"{library}, best of {len(rows)}": rows
        for library, rows in others.items()
    }
    return own | {name: [max(column) for column in zip(*rows, strict=True)] for name, rows in named.items()}
