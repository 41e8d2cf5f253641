"""One style for every figure of the experiments (needs the extra `plot`)."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ohmline.extras import require
from ohmline.lab.svg import COLOURS

PALETTE = COLOURS

STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.size": 10.5,
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "text.color": "#1d2330",
    "axes.titlecolor": "#1d2330",
    "axes.labelcolor": "#3c4454",
    "axes.edgecolor": "#9aa2b1",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e9f0",
    "grid.linewidth": 0.8,
    "xtick.color": "#5b6475",
    "ytick.color": "#5b6475",
    "lines.linewidth": 1.9,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "svg.fonttype": "path",
    "svg.hashsalt": "ohmline",
    "svg.image_inline": True,
}


ON_A_PAGE = {
    "#1d2330": "--ink",
    "#1d2433": "--ink",
    "#3c4454": "--ink",
    "#5b6475": "--soft",
    "#9aa2b1": "--wire",
    "#c3c9d4": "--grey",
    "#e6e9f0": "--line",
    "#ffffff": "--card",
}
"""Colours of the house style that follow the light or dark scheme of the page around a figure."""


def new_figure(width: float = 7.2, height: float = 4.2) -> Any:
    """An empty matplotlib `Figure` in the house style, without touching global state.

    Styles apply while artists are made, so draw inside `styled`, as `drawn` does.
    """
    with styled():
        return require("matplotlib.figure", "plot").Figure(figsize=(width, height))


def styled() -> Any:
    """A context in which matplotlib draws in the house style."""
    matplotlib = require("matplotlib", "plot")
    cycle = require("cycler", "plot").cycler(color=PALETTE)
    return matplotlib.rc_context({**STYLE, "axes.prop_cycle": cycle})


def drawn(draw: Callable[[Any], None], width: float = 7.2, height: float = 4.2) -> Any:
    """The figure that `draw` makes of an empty one.

    >>> figure = drawn(lambda figure: figure.subplots().plot([1, 2, 3]))
    >>> len(figure.axes)
    1
    """
    with styled():
        figure = require("matplotlib.figure", "plot").Figure(figsize=(width, height))
        draw(figure)
        return figure


def as_svg(figure: Any) -> str:
    """The figure as an `<svg>` element for a page: equal figures give equal text.

    >>> text = as_svg(drawn(lambda figure: figure.subplots().set_xlabel("trials")))
    >>> text.startswith("<svg"), "fill: var(--card, #ffffff)" in text
    (True, True)
    """
    buffer = io.StringIO()
    with styled():
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    colour = re.compile("|".join(ON_A_PAGE))
    return re.sub(
        r'style="[^"]*"',
        lambda style: colour.sub(
            lambda found: f"var({ON_A_PAGE[found.group()]}, {found.group()})", style.group()
        ),
        text[text.index("<svg") :],
    )


def save(figure: Any, path: Path | str) -> None:
    """Write the figure in the format that the file's name ends with."""
    with styled():
        figure.savefig(path, dpi=160)
