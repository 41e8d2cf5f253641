"""Check entity matches: pairs of records arrive, and a person is asked about those that the learner is not sure of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ohmline.graph.graph import Graph
from ohmline.learn import LocalLGC
from ohmline.project import Project, Recipe
from ohmline.query import GapBelow
from ohmline.recipes.records import pairs


def recipe(graph: Graph, classes: tuple[Any, ...], seed: int) -> Recipe:
    """Ask about pairs whose two best classes are close, measured by how much the learner knows near them.

    Parameters
    ----------
    graph
        Pairs of records, and which of them share one.
    classes
        The classes.
    seed
        Not used: nothing here is left to chance.
    """
    return Recipe(LocalLGC(graph, classes, guess=True), GapBelow(), stream=tuple(graph.nodes))


def demo(folder: Any, *, size: int = 80, seed: int = 0) -> Path:
    """Make a project with pairs of records, five of each kind known.

    Parameters
    ----------
    folder
        The name of the new folder.
    size
        How many people the records are about. Default 80.
    seed
        The same seed gives the same records. Default 0.

    Returns
    -------
    Path
        The folder.
    """
    made, kinds = pairs(size, seed), ("same", "different")
    known = {node: kind for kind in kinds for node in [n for n, k in made.same.items() if k == kind][:5]}
    return Project.create(
        folder,
        graph=made.graph,
        classes=kinds,
        labels=known,
        nodes=made.nodes,
        name="The same person?",
        recipe="matches",
    )
