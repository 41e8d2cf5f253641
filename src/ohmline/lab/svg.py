"""Pictures as inline SVG, with no library: charts of curves, and graphs.

Every shape carries its colours itself, so that any program can show the picture alone; the style of the page that
holds it goes before them, and follows a light or dark scheme.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, Ints

COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#9933ff",
    "#990066",
    "#cc0033",
    "#cc66ff",
    "#3300ff",
    "#f0e442",
)
"""One colour per class, which eyes without red, green or blue can tell apart too; they repeat after the last."""

INK, SOFT, LINE, GREY, WIRE, ACCENT = "#1d2330", "#5b6475", "#e2e6ee", "#b4bac6", "#8a93a5", "#3565a9"
"""The colours of everything else where the page's style does not reach; `page.css` has those of a dark page too."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a chart."""

    name: str
    x: Sequence[float] | Floats | Ints
    y: Sequence[float] | Floats | Ints
    colour: str
    stepped: bool = False
    """A count that jumps, rather than a line between points."""
    dashed: bool = False


def chart(
    curves: Sequence[Curve],
    *,
    x_title: str,
    y_title: str,
    width: int = 760,
    height: int = 340,
    whole: bool = False,
) -> str:
    """Curves over one pair of axes, each named at its right end; `whole` for counts, which have no marks between."""
    left, right, top, bottom = 64, 150, 14, 48
    finite = [np.asarray(curve.y, dtype=float) for curve in curves]
    highest = max((float(y[np.isfinite(y)].max()) for y in finite if np.isfinite(y).any()), default=1.0)
    x_end = max((float(np.max(curve.x)) for curve in curves if len(curve.x)), default=1.0)
    if whole:
        highest, x_end = max(highest, 1.0), max(x_end, 1.0)
    x_marks, y_marks = round_marks(x_end, whole=whole), round_marks(highest, whole=whole)
    y_end = max(highest * 1.04, y_marks[-1])

    def across(x: float) -> float:
        return left + (width - left - right) * x / max(x_end, 1e-12)

    def up(y: float) -> float:
        return height - bottom - (height - top - bottom) * y / max(y_end, 1e-12)

    box = left, width - right, top, height - bottom
    parts = [
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(y_title)} against {escape(x_title)}" font-family="sans-serif">',
        *_axes(box, [(across(x), x) for x in x_marks], [(up(y), y) for y in y_marks], x_title, y_title),
    ]
    ends: list[tuple[float, Curve, float]] = []
    for curve, y in zip(curves, finite, strict=True):
        points = [
            (across(float(a)), up(float(b))) for a, b in zip(curve.x, y, strict=True) if math.isfinite(b)
        ]
        if not points:
            continue
        dash = ' stroke-dasharray="6 4"' if curve.dashed else ""
        parts.append(
            f'<path class="curve" fill="none" stroke-width="2.2" stroke="{curve.colour}"{dash} '
            f'd="{_path(points, curve.stepped)}"/>'
        )
        ends.append((points[-1][1], curve, float(y[np.isfinite(y)][-1])))
    ends.sort(key=lambda end: end[0])
    for place, (_, curve, last) in zip(_apart([end for end, _, _ in ends], 32), ends, strict=True):
        beside = width - right + 10
        parts.append(
            f'<text class="name" font-size="13.5" font-weight="600" fill="{curve.colour}" x="{beside}" '
            f'y="{place:.1f}">{escape(curve.name)}<tspan class="tick" fill="{SOFT}" font-size="12" '
            f'font-weight="400" x="{beside}" dy="15">{last:,.4g}</tspan></text>'
        )
    parts.append("</svg>")
    return "".join(parts)


def _axes(
    box: tuple[float, float, float, float],
    x_marks: Sequence[tuple[float, float]],
    y_marks: Sequence[tuple[float, float]],
    x_title: str,
    y_title: str,
) -> list[str]:
    """Axes around a box (left, right, top, bottom), with marks at their places."""
    left, right, top, floor = box
    parts = []
    for place, mark in y_marks:
        parts.append(
            f'<path class="grid" fill="none" stroke="{LINE}" d="M{left} {place:.1f}H{right}"/>'
            f'<text class="tick" fill="{SOFT}" font-size="12" x="{left - 8}" y="{place + 4:.1f}" '
            f'text-anchor="end">{mark:,g}</text>'
        )
    for place, mark in x_marks:
        parts.append(
            f'<path class="mark" fill="none" stroke="{SOFT}" d="M{place:.1f} {floor}v5"/>'
            f'<text class="tick" fill="{SOFT}" font-size="12" x="{place:.1f}" y="{floor + 19}" '
            f'text-anchor="middle">{mark:,g}</text>'
        )
    parts.append(
        f'<path class="mark" fill="none" stroke="{SOFT}" d="M{left} {floor}H{right}"/>'
        f'<text class="axis" fill="{SOFT}" font-size="13" x="{(left + right) / 2:.0f}" y="{floor + 42}" '
        f'text-anchor="middle">{escape(x_title)}</text>'
        f'<text class="axis" fill="{SOFT}" font-size="13" transform="translate(14 {(floor + top) / 2:.0f}) '
        f'rotate(-90)" text-anchor="middle">{escape(y_title)}</text>'
    )
    return parts


def draw_graph(
    places: Floats,
    edges: tuple[Ints, Ints],
    colours: Sequence[str],
    wrong: Bools,
    titles: Sequence[str],
    *,
    size: int = 720,
) -> str:
    """A graph in its layout: one disc per node, in the colour of its prediction, with a ring where that was wrong."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = np.maximum(high - low, 1e-9)
    height = int(size * float(np.clip(span[1] / span[0], 0.35, 0.72)))
    margin, n = 14.0, len(places)
    x = margin + (places[:, 0] - low[0]) / span[0] * (size - 2 * margin)
    y = margin + (high[1] - places[:, 1]) / span[1] * (height - 2 * margin)
    radius = float(np.clip(90 / math.sqrt(n), 2.2, 7.0))
    wires = "".join(f"M{x[i]:.1f} {y[i]:.1f}L{x[j]:.1f} {y[j]:.1f}" for i, j in zip(*edges, strict=True))
    parts = [
        f'<svg class="graph" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {height}" role="img" '
        'aria-label="the graph with its predictions">'
        f'<path class="edge" fill="none" stroke="{WIRE}" stroke-width="0.5" opacity="0.35" d="{wires}"/>'
    ]
    for k in np.argsort(wrong, kind="stable"):  # wrong ones last, so that nothing hides them
        ring = f' class="wrong" stroke="{INK}" stroke-width="1.6"'
        kind, r = (
            (ring, radius * 1.35) if wrong[k] else (' class="grey"' if colours[k] == GREY else "", radius)
        )
        parts.append(
            f'<circle{kind} cx="{x[k]:.1f}" cy="{y[k]:.1f}" r="{r:.1f}" fill="{colours[k]}">'
            f"<title>{escape(titles[k])}</title></circle>"
        )
    parts.append("</svg>")
    return "".join(parts)


def bar(share: float, colour: str = ACCENT) -> str:
    """A small horizontal bar for a table cell."""
    filled = 100 * min(max(share, 0.0), 1.0)
    return (
        f'<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none"><rect class="track" fill="{LINE}" '
        f'width="100" height="8" rx="2"/><rect width="{filled:.1f}" height="8" rx="2" fill="{colour}"/></svg>'
    )


def round_marks(end: float, about: int = 5, *, whole: bool = False) -> list[float]:
    """Round numbers from 0 to at most `end`, about so many; `whole` for steps of at least 1.

    >>> round_marks(266.0), round_marks(2.0, whole=True)
    ([0.0, 50.0, 100.0, 150.0, 200.0, 250.0], [0.0, 1.0, 2.0])
    """
    if not end > 0 or not math.isfinite(end):
        return [0.0]
    rough = end / about
    scale = 10.0 ** math.floor(math.log10(rough))
    steps = [k * scale for k in (1, 2, 2.5, 5, 10)]
    if whole:
        steps = [step for step in steps if step == int(step)] or [1.0]
    step = min(steps, key=lambda s: abs(end / s - about))
    return [step * k for k in range(int(end / step + 1e-9) + 1)]


def _path(points: Sequence[tuple[float, float]], stepped: bool) -> str:
    (x0, y0), rest = points[0], points[1:]
    commands = [f"M{x0:.1f} {y0:.1f}"]
    previous: Any = y0
    for k, (x, y) in enumerate(rest):
        if stepped:
            if y == previous and k < len(rest) - 1:
                continue
            commands.append(f"H{x:.1f}" if y == previous else f"H{x:.1f}V{y:.1f}")
            previous = y
        else:
            commands.append(f"L{x:.1f} {y:.1f}")
    return "".join(commands)


def _apart(places: Sequence[float], least: float, top: float = 14.0) -> list[float]:
    """Ascending places, moved so that neighbours keep their distance and none is above `top`."""
    moved = list(places)
    for k in range(len(moved) - 2, -1, -1):
        moved[k] = min(moved[k], moved[k + 1] - least)
    for k, place in enumerate(moved):
        moved[k] = max(place, top if k == 0 else moved[k - 1] + least)
    return moved
