"""Label a citation graph: what is each paper about?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ohmline.graph.graph import Graph
from ohmline.learn import LocalLGC
from ohmline.project import Project, Recipe, Settings
from ohmline.query import ErrorReduction
from ohmline.recipes.papers import WORDS, papers


def recipe(graph: Graph, classes: tuple[Any, ...], seed: int) -> Recipe:
    """Ask for the papers whose topics are expected to settle most mistakes.

    Parameters
    ----------
    graph
        Who cites whom.
    classes
        The topics.
    seed
        Not used: nothing here is left to chance.
    """
    return Recipe(LocalLGC(graph, classes, guess=True), ErrorReduction())


def demo(folder: Any, *, size: int = 600, seed: int = 0) -> Path:
    """Make a project with papers to read.

    Parameters
    ----------
    folder
        The name of the new folder.
    size
        How many papers. Default 600.
    seed
        The same seed gives the same papers. Default 0.

    Returns
    -------
    Path
        The folder.
    """
    made = papers(size, seed)
    return Project.create(
        folder,
        graph=made.graph,
        classes=list(WORDS),
        nodes=made.nodes,
        name="Topics of papers",
        settings=Settings(goal=0.2),
        recipe="citations",
    )
