"""The report of a game: figures, the mistake curve against the bound, the graph, a table by class."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.graph.graph import Graph
from ohmline.lab import page
from ohmline.lab.game import Game
from ohmline.lab.layout import layout
from ohmline.lab.svg import COLOURS, Curve, bar, chart, draw_graph

DRAWN = 2500
"""How many nodes of a graph are drawn at most; of a larger one those around its best-connected node."""


def game_page(title: str, lead: str, graph: Graph, games: Sequence[Game], *, seed: int = 0) -> str:
    """A self-contained page about games on one graph."""
    shown = neighbourhood(graph, DRAWN)
    places = layout(
        graph if len(shown) == graph.n else graph.subgraph([graph.nodes[i] for i in shown]), seed=seed
    )
    body = [_about(graph)]
    for game in games:
        body += [
            f"<h2>{escape(game.title)}</h2>",
            _figures(game),
            page.card(_curves(game), "Mistakes against the bound, trial by trial"),
            page.card(_picture(game, graph, shown, places), "The graph in the colours of the predictions"),
            page.card(_by_class(game), "By class"),
        ]
        if game.certificate is not None:
            body.append(page.card(_assumptions(game), "What the certificate rests on"))
    return page.page(title, lead, body)


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
    facts = graph.summary()
    components = facts["components"]
    return (
        f'<p class="note">The graph has {facts["nodes"]:,} nodes, {facts["edges"]:,} edges and '
        f"{components:,} component{'s' if components > 1 else ''}.</p>"
    )


def _figures(game: Game) -> str:
    trace, certificate = game.trace, game.certificate
    pairs = [
        (f"{trace.mistakes:,}", f"mistakes in {len(trace):,} trials"),
        (f"{100 * trace.error_rate:.1f} %", "of the predictions were wrong"),
        (f"{trace.asked:,}", "labels asked for"),
    ]
    if certificate is not None and certificate.valid:
        what = f"mistakes{certificate.about}" + (
            ", certified" if certificate.proven else ", under assumptions"
        )
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


def _curves(game: Game) -> str:
    trace = game.trace
    x = np.arange(1, len(trace) + 1)
    curves = [Curve("mistakes", np.append(0, x), np.append(0, trace.mistake_curve), COLOURS[0], stepped=True)]
    if trace.asked < int(trace.known.sum()):
        where = np.cumsum(trace.charged & trace.asked_at)
        curves.append(Curve("where asked", np.append(0, x), np.append(0, where), COLOURS[2], stepped=True))
    note = ""
    if len(game.bound) and np.isfinite(game.bound).any():
        curves.append(Curve("the bound", game.checkpoints, game.bound, COLOURS[1], dashed=True))
        note = (
            '<p class="note">The bound is known while the game runs: at each point it rests only on the '
            "labels seen until then, and the mistakes among these can never cross it.</p>"
        )
    return chart(curves, x_title="trials", y_title="mistakes so far") + note


def _picture(game: Game, graph: Graph, shown: Ints, places: Floats) -> str:
    trace = game.trace
    trial_of = {int(i): t for t, i in enumerate(graph.nodes.positions(trace.nodes))}
    shades = _shades(game)
    colours, wrong, titles = [], np.zeros(len(shown), dtype=bool), []
    predictions, labels = trace.predictions, trace.labels
    for k, i in enumerate(shown.tolist()):
        t = trial_of.get(i)
        node = graph.nodes[i]
        if t is None:
            colours.append("var(--line)")
            titles.append(f"node {node}: did not come up")
            continue
        said, truth = game.name_of(predictions[t]), game.name_of(labels[t])
        colours.append(shades.get(predictions[t], "var(--line)"))
        wrong[k] = trace.mistake[t]
        end = f"it is {truth}" if trace.known[t] else "nobody knows"
        titles.append(f"node {node}, trial {t + 1}: said {said}, {end}")
    part = graph if len(shown) == graph.n else graph.subgraph([graph.nodes[i] for i in shown])
    source, target, _ = part.edges()
    names = "".join(
        f'<span><i style="background:{shade}"></i>{escape(game.name_of(label))}</span>'
        for label, shade in shades.items()
    )
    some = "" if len(shown) == graph.n else f" The picture shows {len(shown):,} of {graph.n:,} nodes."
    return (
        draw_graph(places, (source, target), colours, wrong, titles)
        + f'<div class="legend">{names}<span><i class="ring"></i>wrong</span></div>'
        + f'<p class="note">Each node has the colour of what was said when it came up. Point at a node to '
        f"read its trial.{some}</p>"
    )


def _shades(game: Game) -> dict[Any, str]:
    """A colour for each class, in the order of their names."""
    ordered = sorted(game.trace.stream.classes, key=game.name_of)
    return {label: COLOURS[k % len(COLOURS)] for k, label in enumerate(ordered)}


def _by_class(game: Game) -> str:
    shades, rows = _shades(game), game.trace.per_class()
    return page.table(
        ("class", "trials", "mistakes", "recall", "", "precision", ""),
        [
            (
                escape(game.name_of(label)),
                f"{row['trials']:,.0f}",
                f"{row['mistakes']:,.0f}",
                f"{row['recall']:.3f}",
                bar(row["recall"], shade),
                f"{row['precision']:.3f}",
                bar(row["precision"], shade),
            )
            for label, shade in shades.items()
            for row in (rows[label],)
        ],
        numbers=frozenset({1, 2, 3, 5}),
    )


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
