"""The report of a game: figures, the mistake curve against the bound, the graph, a table by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.game.measures import cells, in_order
from ohmline.graph.graph import Graph
from ohmline.lab import page
from ohmline.lab.game import Game
from ohmline.lab.layout import layout
from ohmline.lab.svg import COLOURS, GREY, SOFT, Curve, bar, chart, draw_graph
from ohmline.markup import counted

DRAWN = 2500
"""How many nodes of a graph are drawn at most; of a larger one those around its best-connected node."""


def game_page(title: str, lead: str, graph: Graph | None, games: Sequence[Game], *, seed: int = 0) -> str:
    """A self-contained page about games on one graph; without a picture where there is none."""
    drawing = None if graph is None else Drawing.of(graph, seed)
    body = [] if graph is None else [_about(graph)]
    for game in games:
        if game.title != title:
            body.append(f"<h2>{escape(game.title)}</h2>")
        body += game_parts(game, drawing)
    return page.page(title, lead, body)


def game_parts(game: Game, drawing: Drawing | None) -> list[str]:
    """What there is to say about one game, piece by piece; without a picture where there is no drawing."""
    against = " against the bound" if _has_bound(game) else ""
    parts = [_figures(game), page.card(_curves(game), f"Mistakes{against}, trial by trial")]
    if drawing is not None:
        parts.append(page.card(_picture(game, drawing), "The graph in the colours of the predictions"))
    parts.append(page.card(_by_class(game), "By class"))
    if game.certificate is not None:
        parts.append(page.card(_assumptions(game), "What the certificate rests on"))
    return parts


@dataclass(frozen=True, eq=False)
class Drawing:
    """The part of a graph that is drawn, with a place for each of its nodes."""

    whole: Graph
    part: Graph
    places: Floats

    @classmethod
    def of(cls, graph: Graph, seed: int, limit: int = DRAWN) -> Drawing:
        """The graph, or of a large one `limit` nodes around its best-connected node, laid out."""
        shown = neighbourhood(graph, limit)
        part = graph if len(shown) == graph.n else graph.subgraph([graph.nodes[i] for i in shown])
        return cls(graph, part, layout(part, seed=seed))

    @property
    def said(self) -> str:
        """Which nodes are drawn, in words; empty where all are."""
        if self.part is self.whole:
            return ""
        return (
            f"The picture shows {self.part.n:,} of {counted(self.whole.n, 'node')}: those nearest to the "
            "best-connected one."
        )


def neighbourhood(graph: Graph, limit: int) -> Ints:
    """All positions of a small graph; of a large one those nearest its best-connected node."""
    if graph.n <= limit:
        return np.arange(graph.n)
    seen = np.zeros(graph.n, dtype=bool)
    order = [int(np.diff(graph.indptr).argmax())]
    seen[order[0]] = True
    for i in order:  # grows while it is walked: breadth first
        for j in graph.indices[graph.indptr[i] : graph.indptr[i + 1]].tolist():
            if not seen[j] and len(order) < limit:
                seen[j] = True
                order.append(j)
    return np.sort(np.array(order, dtype=np.int64))


def _about(graph: Graph) -> str:
    sizes = counted(graph.n, "node"), counted(graph.n_edges, "edge"), counted(graph.n_components, "component")
    return f'<p class="note">The graph has {sizes[0]}, {sizes[1]} and {sizes[2]}.</p>'


def _figures(game: Game) -> str:
    trace, certificate = game.trace, game.certificate
    wrong = "mistake" if trace.mistakes == 1 else "mistakes"
    pairs = [
        (f"{trace.mistakes:,}", f"{wrong} in {counted(len(trace), 'trial')}"),
        (f"{100 * trace.error_rate:.1f} %", "of the predictions were wrong"),
        (f"{trace.asked:,}", f"{'label' if trace.asked == 1 else 'labels'} asked for"),
    ]
    if certificate is not None and certificate.valid:
        noun = "mistake" if certificate.whole == "1" else "mistakes"
        what = f"{noun}{certificate.about}" + (", certified" if certificate.proven else ", under assumptions")
        pairs.append((f"≤ {certificate.whole}", what))
    pairs.append((duration(trace.seconds), "for the whole game"))
    return page.tiles(pairs)


def duration(seconds: float) -> str:
    """A time in the unit that suits it.

    >>> duration(0.00042), duration(0.25), duration(3.21)
    ('0.42 ms', '250 ms', '3.2 s')
    """
    if seconds < 0.01:
        return f"{1e3 * seconds:.2g} ms"
    return f"{1e3 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _has_bound(game: Game) -> bool:
    return bool(np.isfinite(game.bound).any())


def _curves(game: Game) -> str:
    trace = game.trace
    x = np.arange(1, len(trace) + 1)
    curves = [Curve("mistakes", np.append(0, x), np.append(0, trace.mistake_curve), COLOURS[0], stepped=True)]
    if trace.asked < int(trace.known.sum()):
        where = np.cumsum(trace.charged & trace.asked_at)
        curves.append(Curve("where asked", np.append(0, x), np.append(0, where), COLOURS[2], stepped=True))
    note = ""
    if _has_bound(game):
        curves.append(Curve("the bound", game.checkpoints, game.bound, COLOURS[1], dashed=True))
        note = (
            '<p class="note">The bound is known while the game runs: at each point it rests only on the '
            "labels seen until then, and the mistakes among these can never cross it.</p>"
        )
    return chart(curves, x_title="trials", y_title="mistakes so far", whole=True) + note


def _picture(game: Game, drawing: Drawing) -> str:
    trace, graph, shades = game.trace, drawing.part, _shades(game)
    trial_of = {x: t for t, x in enumerate(trace.nodes)}
    colours, wrong, titles = [], np.zeros(graph.n, dtype=bool), []
    predictions, labels = trace.predictions, trace.labels
    for k, node in enumerate(graph.nodes):
        t = trial_of.get(node)
        if t is None:
            colours.append(GREY)
            titles.append(f"node {node}: did not come up")
            continue
        said, truth = game.name_of(predictions[t]), game.name_of(labels[t])
        colours.append(shades.get(predictions[t], SOFT))
        wrong[k] = trace.mistake[t]
        end = f"it is {truth}" if trace.known[t] else "nobody knows"
        titles.append(f"node {node}, trial {t + 1}: said {said}, {end}")
    source, target, _ = graph.edges()
    named = {shade: escape(game.name_of(label)) for label, shade in reversed(shades.items())}
    named |= {SOFT: "don't know"} if SOFT in colours else {}
    keys = "".join(
        f'<span><i style="background:{shade}"></i>{named[shade]}</span>'
        for shade in dict.fromkeys([*shades.values(), SOFT])
        if shade in named
    )
    keys += '<span><i class="ring"></i>wrong</span>'
    if GREY in colours:
        keys += '<span><i class="grey"></i>did not come up</span>'
    repeats = " Colours repeat: there are more classes than colours." if len(shades) > len(COLOURS) else ""
    return (
        draw_graph(drawing.places, (source, target), colours, wrong, titles)
        + f'<div class="legend">{keys}</div>'
        + f'<p class="note">Each node has the colour of what was said when it came up. Point at a node to '
        f"read its trial.{repeats} {drawing.said}</p>"
    )


def _shades(game: Game) -> dict[Any, str]:
    """A colour for each class, in an order that does not depend on the game."""
    said = {y for y in game.trace.meaning.values() if y is not None}
    ordered = in_order(said | set(game.trace.stream.classes))
    return {label: COLOURS[k % len(COLOURS)] for k, label in enumerate(ordered)}


def _by_class(game: Game) -> str:
    shades, found = _shades(game), game.trace.measures()
    head = (
        "class",
        "trials",
        "mistakes",
        "recall",
        "",
        "precision",
        "",
        "average precision",
        "precision at k",
    )
    rows = []
    for label, row in found.per_class.items():
        trials, mistakes, recall, precision, average, at_k = cells(row)
        recalled, right = bar(row["recall"], shades[label]), bar(row["precision"], shades[label])
        rows.append(
            (escape(game.name_of(label)), trials, mistakes, recall, recalled, precision, right, average, at_k)
        )
    note = (
        "Recall: how many of the class were found. Precision: how many that were called so belong to it. Average "
        "precision: how early its members come when all trials are ordered by the score that the class had before "
        "the label. Precision at k: the share of members among the first k of that order."
    )
    if not found.ranked:
        note += (
            " With more than two classes a game keeps only the gap between the two best scores, so trials that were "
            "given to another class come after those given to this one, all of them alike."
        )
    return page.table(head, rows, numbers=frozenset({1, 2, 3, 5, 7, 8})) + f'<p class="note">{note}</p>'


def _assumptions(game: Game) -> str:
    certificate = game.certificate
    assert certificate is not None
    rows = [
        (
            escape(a.text),
            page.verdict(a.holds, "checked", "checked, does not hold") if a.checked else "assumed",
        )
        for a in certificate.assumptions
    ]
    said = f"{certificate.charged:,} mistakes or ties{certificate.about}, at most {certificate.whole}"
    if not certificate.valid:
        said = "void: an assumption does not hold"
    return f"<p>{escape(certificate.theorem)}: {said}.</p>" + page.table(("assumption", ""), rows)
