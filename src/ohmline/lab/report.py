"""The report of a trace in one line."""

from __future__ import annotations

from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, final

from ohmline.checks import file_path, none_or, seed_of, text
from ohmline.game.trace import Trace
from ohmline.graph.graph import Graph, expect_graph
from ohmline.lab.game import Game
from ohmline.lab.game_report import game_page
from ohmline.lab.page import may_replace, write
from ohmline.markup import counted

HEIGHT = 640
"""How tall a notebook shows a report, in pixels."""


@final
class Report:
    """A self-contained page about a game, which notebooks show and `save` writes.

    Attributes
    ----------
    title
        Its title, in plain text.
    html
        The whole document.
    """

    def __init__(self, title: str, html: str) -> None:
        self.title, self.html = title, html

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page; a file that Ohmline did not write is never replaced.

        Parameters
        ----------
        path
            The name of the file.
        """
        place = file_path(path)
        may_replace(place, "path")
        return write(place, self.html, "path")

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {len(self.html):,} characters of HTML; save(path) writes it>"

    def _repr_html_(self) -> str:
        # In a frame of its own: its style must not reach the notebook, nor the notebook's reach it.
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="{escape(self.title)}" sandbox="" '
            f'style="width:100%;height:{HEIGHT}px;border:1px solid rgba(128,128,128,.35)"></iframe>'
        )


def report_of(
    trace: Trace,
    path: str | PathLike[str] | None = None,
    *,
    title: str | None = None,
    graph: Graph | None = None,
    seed: int = 0,
) -> Report:
    """The report of a trace, as `Trace.report` gives it."""
    title = none_or(text, title, "title") or f"A game of {type(trace.learner).__name__}"
    seed = seed_of(seed)
    place = none_or(file_path, path, "path")
    if place is not None:
        may_replace(place, "path")
    graph = graph_of(trace.learner) if graph is None else expect_graph(graph)
    asked = counted(trace.asked, "label")
    lead = f"{counted(len(trace), 'trial')}, {asked} asked for; {type(trace.learner).__name__}."
    found = Report(title, game_page(title, lead, graph, [Game.of(title, trace)], seed=seed))
    if place is not None:
        write(place, found.html, "path")
    return found


def graph_of(learner: Any) -> Graph | None:
    """The graph that a learner learns on; None for one over vectors."""
    member = getattr(learner, "unseen", learner)  # one of the learners of OneVsRest
    kernel = getattr(member, "kernel", None)
    for holder in (member, getattr(kernel, "base", None)):
        graph = getattr(holder, "graph", None)
        if isinstance(graph, Graph):
            return graph
    return None
