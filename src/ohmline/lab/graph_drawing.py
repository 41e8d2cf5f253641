"""Small drawings of graphs for the figures of the experiments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats
from ohmline.graph.graph import Graph

POSITIVE, NEGATIVE = "#1f5fa8", "#d97a1e"
"""The colours of +1 and -1."""


def circle(
    n: int, centre: tuple[float, float] = (0.0, 0.0), radius: float = 1.0, turn: float = 0.0
) -> Floats:
    """n places spread evenly round a circle, the first at angle `turn`."""
    angle = turn + 2 * np.pi * np.arange(n) / n
    return np.column_stack([centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle)])


def sketch(axes: Any, graph: Graph, places: Floats, labels: ArrayLike, *, size: float = 34.0) -> None:
    """Draw a graph with its nodes at `places`, coloured by label, on bare axes."""
    sources, targets, _ = graph.edges()
    for s, t in zip(sources, targets, strict=True):
        axes.plot(*places[[s, t]].T, color="#b9c0cc", linewidth=0.8, zorder=1)
    colours = np.where(np.asarray(labels) > 0, POSITIVE, NEGATIVE)
    axes.scatter(*places.T, s=size, c=colours, edgecolors="white", linewidths=0.7, zorder=2)
    axes.set_aspect("equal")
    axes.set_axis_off()


def log_marks(axes: Any, values: list[float] | list[int]) -> None:
    """A logarithmic x axis with plain numbers at the values that were tried."""
    axes.set_xscale("log")
    axes.set_xticks(values, labels=[f"{value:g}" for value in values])
    axes.minorticks_off()
