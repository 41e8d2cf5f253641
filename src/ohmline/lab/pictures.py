"""Pictures of traces and graphs with matplotlib (the extra `plot`)."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from textwrap import fill
from types import MethodType
from typing import Any

import numpy as np

from ohmline.arrays import Floats, vector
from ohmline.checks import count, hashable, listed, seed_of, shown
from ohmline.errors import ParameterError, ShapeError, UnknownNode
from ohmline.extras import require
from ohmline.game.measures import in_order
from ohmline.game.trace import Trace
from ohmline.graph.doors.indexed import rows_by_index
from ohmline.graph.graph import Graph
from ohmline.lab.game_report import Drawing
from ohmline.lab.plot import styled
from ohmline.lab.svg import COLOURS, GREY, INK, SOFT, WIRE
from ohmline.learn.labels import plain_label
from ohmline.markup import counted

MOST = 20_000
"""The largest number of nodes that can be drawn; beyond it a picture is a blot, and takes minutes."""
NAMED = 40
"""The largest number of nodes whose ids are written beside them."""


def plot_trace(trace: Trace, certificate: Any = None, *, axes: Any = None) -> Any:
    """The picture of a game, as `Trace.plot` gives it."""
    if not len(trace):
        raise ParameterError("the trace has no trials, so there is nothing to draw; play a stream first")
    limit = None if certificate is None else _limit(certificate)
    alone = axes is not None or trace.asked in (0, int(trace.known.sum()))

    def draw(figure: Any) -> None:
        if alone:
            _mistakes(figure.subplots() if axes is None else axes, trace, limit)
            return
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.4))
        _mistakes(upper, trace, limit)
        upper.set_xlabel("")
        _asked(lower, trace)

    return _figure(draw, axes, 7.2, 3.9 if alone else 5.0)


def _mistakes(axes: Any, trace: Trace, limit: tuple[float, str] | None) -> None:
    x = np.arange(len(trace) + 1)
    axes.step(x, np.append(0, trace.mistake_curve), where="post", color=COLOURS[0], label="mistakes")
    where = f"{counted(trace.mistakes, 'mistake')} in {counted(len(trace), 'trial')}"
    every = "" if trace.asked < int(trace.known.sum()) else ", every label asked"
    axes.set_title(f"{type(trace.learner).__name__}: {where}{every}", loc="left")
    if limit is not None:
        axes.axhline(limit[0], color=COLOURS[3], linestyle=(0, (5, 3)), label=limit[1])
        axes.legend(loc="best")
    _counts(axes, "mistakes so far")


def _asked(axes: Any, trace: Trace) -> None:
    x = np.arange(len(trace) + 1)
    axes.step(x, np.append(0, np.cumsum(trace.asked_at)), where="post", color=COLOURS[2])
    axes.set_title(f"{counted(trace.asked, 'label')} asked of {int(trace.known.sum()):,} known", loc="left")
    _counts(axes, "labels asked")


def _counts(axes: Any, title: str) -> None:
    """Axes of whole numbers from 0."""
    ticker = require("matplotlib.ticker", "plot")
    axes.set_xlabel("trials")
    axes.set_ylabel(title)
    axes.set_xlim(left=0)
    axes.set_ylim(0, max(axes.get_ylim()[1], 1.0))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(ticker.MaxNLocator(integer=True, nbins=7, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _limit(certificate: Any) -> tuple[float, str]:
    """The height of a certificate's line, and what it is called."""
    try:
        value, valid, name = float(certificate.value), certificate.valid, f"at most {certificate.whole}"
        where = certificate.about
    except (AttributeError, TypeError, ValueError):
        raise ParameterError(
            f"certificate must be a Certificate, got {shown(certificate)}; ohmline.bound.best_bound(trace) gives one"
        ) from None
    if not valid or not np.isfinite(value):
        raise ParameterError(f"the certificate promises nothing, so it has no line: {certificate}")
    return value, f"certificate: {name}{where}"


def plot_graph(
    graph: Graph,
    color: Any = None,
    *,
    axes: Any = None,
    limit: int = 2500,
    seed: int = 0,
) -> Any:
    """The picture of a graph, as `Graph.plot` gives it."""
    limit, seed = count(limit, "limit", least=1, most=MOST), seed_of(seed)
    values = None if color is None else _values(graph, color)
    drawing = Drawing.of(graph, seed, limit)
    return _figure(lambda figure: _draw(figure, axes, drawing, values), axes, 7.2, 5.6)


def _values(graph: Graph, color: Any) -> list[Any]:
    """One value per node of the graph; None where there is none."""
    table = getattr(color, "predictions", None)  # a trace or a table of predictions
    if table is not None and hasattr(color, "nodes"):
        pairs = zip(color.nodes, table, strict=True)
        color = {hashable(node, "node", UnknownNode): value for node, value in pairs}
    if isinstance(color, Mapping):
        found: list[Any] = [None] * graph.n
        for node, value in color.items():
            found[graph.nodes.position(node)] = plain_label(value)
        return found
    rows = rows_by_index(color, graph.nodes, "color")
    if rows is not None:
        color = color.iloc[rows]
    if isinstance(color, str | bytes):
        raise ParameterError(
            f"color must give each node a class or a number, got {shown(color)}; give a dict of nodes, or a list "
            "in the order of graph.nodes"
        )
    values = [plain_label(value) for value in listed(color, "color")]
    if len(values) != graph.n:
        raise ShapeError(
            f"color must have one value for each of the {graph.n:,} nodes, got {len(values):,}; a dict may name some"
        )
    return values


def _draw(figure: Any, axes: Any, drawing: Drawing, values: list[Any] | None) -> None:
    outside = axes is None
    axes = figure.subplots() if axes is None else axes
    part, places = drawing.part, drawing.places
    collections = require("matplotlib.collections", "plot")
    source, target, _ = part.edges()
    wires = collections.LineCollection(
        np.stack([places[source], places[target]], axis=1),
        colors=WIRE,
        linewidths=float(np.clip(60 / np.sqrt(max(len(source), 1)), 0.25, 1.2)),
        alpha=0.45,
        zorder=1,
    )
    axes.add_collection(wires)
    size = float(np.clip(12000 / part.n, 9, 130))
    if values is None:
        axes.scatter(*places.T, s=size, c=COLOURS[0], zorder=2, **_rim(size))
    else:
        chosen = [values[i] for i in drawing.whole.nodes.positions(part.nodes).tolist()]
        if _continuous(values):
            _shade(axes, places, chosen, size, outside)
        else:
            classes = in_order({value for value in values if value is not None})
            _paint(axes, places, chosen, classes, size, outside)
    if part.n <= NAMED:
        for node, (x, y) in zip(part.nodes, places, strict=True):
            axes.annotate(
                str(node)[:20], (x, y), (0, 0.55 * np.sqrt(size)), textcoords="offset points", ha="center",
                va="bottom", fontsize=8, color=SOFT, parse_math=False,
            )  # fmt: skip
    axes.set_aspect("equal", adjustable="datalim" if outside else None)
    axes.margins(0.05)
    axes.set_axis_off()
    title = f"{counted(drawing.whole.n, 'node')}, {counted(drawing.whole.n_edges, 'edge')}"
    if drawing.said and outside:
        # Under the picture a long line meets neither the legend nor the edge.
        figure.supxlabel(drawing.said, x=0.01, ha="left", fontsize=9, color=SOFT)
    elif drawing.said:
        title = f"{title}\n{fill(drawing.said, _letters(axes, 10))}"
    axes.set_title(title, loc="left", fontsize=10)


def _letters(axes: Any, size: float) -> int:
    """How many bold letters of so many points fit beside each other on axes."""
    points = axes.get_window_extent().width / axes.figure.dpi * 72
    return max(20, int(points / (0.66 * size)))


def _continuous(values: list[Any]) -> bool:
    """Whether values are amounts rather than classes: fractions among them, or more whole numbers than colours."""
    known = [value for value in values if value is not None]
    if not known or not all(isinstance(value, Real) and not isinstance(value, bool) for value in known):
        return False
    whole = all(isinstance(value, Integral) or float(value).is_integer() for value in known)
    return not whole or len(set(known)) > len(COLOURS)


def _shade(axes: Any, places: Floats, values: list[Any], size: float, outside: bool) -> None:
    known = np.array([value is not None for value in values])
    if not known.all():
        axes.scatter(*places[~known].T, s=size * 0.7, c=GREY, linewidths=0, zorder=2, label="no value")
        _legend(axes, outside)
    amounts = vector([value for value in values if value is not None], "color")
    marks = axes.scatter(*places[known].T, s=size, c=amounts, cmap="viridis", zorder=3, **_rim(size))
    axes.figure.colorbar(marks, ax=axes, shrink=0.7)


def _rim(size: float) -> dict[str, Any]:
    """A white rim around a disc that is large enough to have one."""
    return {"edgecolors": "white", "linewidths": 0.5 if size > 30 else 0.0}


def _paint(
    axes: Any, places: Floats, values: list[Any], classes: tuple[Any, ...], size: float, outside: bool
) -> None:
    """Classes by colour, and past the last colour by shape too; those beyond all of these share a cross."""
    shapes = "os^"
    looks = {
        label: (COLOURS[k % len(COLOURS)], shapes[k // len(COLOURS)])
        for k, label in enumerate(classes[: len(COLOURS) * len(shapes)])
    }
    groups: dict[tuple[str, str], tuple[str, list[int]]] = {}
    others, missing = len(classes) - len(looks), (GREY, "o")
    for k, value in enumerate(values):
        look, name = missing, "no label"
        if value in looks:
            look, name = looks[value], str(value)
        elif value is not None:
            look, name = (INK, "x"), counted(others, "other class", "other classes")
        groups.setdefault(look, (name, []))[1].append(k)
    order = {look: k for k, look in enumerate([*looks.values(), (INK, "x"), missing])}
    for look in sorted(groups, key=order.__getitem__):
        name, members = groups[look]
        smaller = 0.6 if look == missing else 1.0
        edge = {} if look[1] == "x" else _rim(size)
        axes.scatter(
            *places[members].T, s=size * smaller, c=look[0], marker=look[1], zorder=2 + smaller, **edge,
            label=_plain(name[:30] + ("…" if len(name) > 30 else "")),
        )  # fmt: skip
    _legend(axes, outside, max(1.0, (36 / size) ** 0.5))


def _legend(axes: Any, outside: bool, scale: float = 1.0) -> None:
    """Names beside the picture, or within axes that are somebody else's."""
    handles, names = axes.get_legend_handles_labels()
    options = {"markerscale": scale, "ncols": 1 if len(names) <= 18 else 2}
    place = (axes.figure, "outside right center") if outside else (axes, "best")
    for text in place[0].legend(handles, names, loc=place[1], **options).get_texts():
        text.set_parse_math(False)


def _plain(name: str) -> str:
    """A name that matplotlib does not hide: it leaves out of a legend what begins with an underscore."""
    return f"\u200b{name}" if name.startswith("_") else name


def _figure(draw: Callable[[Any], None], axes: Any, width: float, height: float) -> Any:
    """The figure that `draw` fills, which notebooks show though pyplot knows nothing of it."""
    module = require("matplotlib.figure", "plot")
    if axes is not None and not hasattr(axes, "scatter"):
        raise ParameterError(f"axes must be matplotlib axes, got {shown(axes)}; figure.subplots() gives some")
    with styled():
        figure = module.Figure(figsize=(width, height)) if axes is None else axes.figure
        draw(figure)
    if axes is None:
        figure._repr_png_ = MethodType(_png, figure)
    return figure


def _png(figure: Any) -> bytes:
    """The picture as a notebook shows it."""
    buffer = io.BytesIO()
    with styled():
        figure.savefig(buffer, format="png", dpi=96, metadata={"Software": None})
    return buffer.getvalue()
