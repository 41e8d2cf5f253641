"""The pictures of paper 003's experiments: curves over T, and decision boundaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.lab.experiments import glz2008 as glz
from ohmline.lab.plot import PALETTE

BLUE, RED = PALETTE[0], PALETTE[3]
INK, GREY = "#2b303b", "#9aa2b1"
LOOKS = {  # one colour and one marker per method, the same in every figure
    glz.BATCH: (INK, "s"),
    glz.BASIC: (PALETTE[0], "o"),
    glz.BUFFER: (PALETTE[1], "^"),
    glz.BUFFER_U: (PALETTE[2], "D"),
    glz.TREE: (PALETTE[6], "v"),
    glz.TREE_PPK: (PALETTE[3], "P"),
    glz.LABELLED_ONLY: (GREY, "x"),
    glz.NO_GRAPH: (GREY, "x"),
}

Curves = Mapping[str, Mapping[int, Sequence[float]]]
"""Method -> T -> the values of the trials."""


def look(method: str) -> dict[str, Any]:
    """Colour, marker and dash of a method."""
    colour, marker = LOOKS.get(method, (PALETTE[4], "*"))
    return {"color": colour, "marker": marker, "linestyle": "--" if colour == GREY else "-"}


def curves_over_time(axes: Any, curves: Curves, title: str, ylabel: str) -> None:
    """Mean and one standard deviation over the trials against T."""
    for k, (method, by_time) in enumerate(curves.items()):
        times = np.array(sorted(by_time))
        mean = np.array([np.mean(by_time[t]) for t in times.tolist()])
        std = np.array([np.std(by_time[t]) for t in times.tolist()])
        nudge = 2 ** ((k - len(curves) / 2) * 0.02)  # error bars side by side
        style = {"label": method, "capsize": 2, "elinewidth": 0.9, **look(method)}
        axes.errorbar(times * nudge, mean, [np.minimum(std, np.maximum(mean, 0.0)), std], **style)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted({t for by_time in curves.values() for t in by_time}))
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel("T, points seen")
    axes.set_ylabel(ylabel)
    axes.set_title(title, loc="left")


def panels(figure: Any, columns: Mapping[str, Curves], ylabel: str) -> None:
    """Curves side by side on one scale, under one legend."""
    figure.set_size_inches(5.2 * len(columns), 4.6)
    axes = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
    for place, (title, curves) in zip(axes, columns.items(), strict=True):
        curves_over_time(place, curves, title, ylabel)
        place.label_outer()
    axes[0].set_ylim(bottom=-0.01 * max(axes[0].get_ylim()[1], 0.05))  # so that markers at 0 are whole
    legend_below(figure, axes)


def legend_below(figure: Any, axes: Any) -> None:
    """Every label of every panel once."""
    found: dict[str, Any] = {}
    for place in axes:
        for handle, label in zip(*place.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=4)


def boundaries(
    figure: Any,
    functions: Mapping[str, Callable[[Floats], Floats]],
    points: Floats,
    labels: Sequence[int | None],
    kept: Mapping[str, Floats],
) -> None:
    """f as shading with its zero line; the points, the labels shown, and the basis that is kept."""
    figure.set_size_inches(3.5 * len(functions), 3.9)
    side = 1.12
    ticks = np.linspace(-side, side, 181)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    signs = np.array([0 if y is None else y for y in labels])
    places = figure.subplots(1, len(functions), squeeze=False)[0]
    for axes, (title, function) in zip(places, functions.items(), strict=True):
        values = np.clip(function(grid), -1, 1).reshape(len(ticks), -1)
        axes.imshow(values, extent=(-side, side) * 2, origin="lower", cmap="RdBu", vmin=-2, vmax=2)
        axes.contour(ticks, ticks, values, levels=[0.0], colors=INK, linewidths=1.2)
        if title in kept:
            axes.plot(*kept[title].T, "o", mfc="none", mec=INK, mew=0.5, markersize=3.2, alpha=0.55)
        else:
            axes.plot(*points[signs == 0].T, ".", color=INK, markersize=1.6, alpha=0.35)
        for sign, colour, marker in ((1, BLUE, "o"), (-1, RED, "s")):
            axes.plot(*points[signs == sign].T, marker, color=colour, mec="white", mew=0.7, markersize=6)
        axes.set_title(title)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.set(xticks=[], yticks=[], xlim=(-side, side), ylim=(-side, side), aspect="equal")
