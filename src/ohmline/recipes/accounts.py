"""Find rare bad accounts: the likeliest ones first, and now and then a look where nobody has looked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.arrays import Bools
from ohmline.checks import fraction
from ohmline.graph.graph import Graph
from ohmline.learn import LocalLGC
from ohmline.learn.contract import OnlineLearner
from ohmline.project import Project, Recipe
from ohmline.query import PoolQuery
from ohmline.recipes.ledgers import accounts


@final
class Likeliest(PoolQuery):
    """Chooses the node that most likely has the wanted class; one time in a few, any node.

    Parameters
    ----------
    wanted
        The class.
    explore
        How often any node is chosen, from 0 to 1. Default 0.1.
    """

    because = "the likeliest that nobody has looked at, or a look elsewhere"

    def __init__(self, wanted: Any, explore: float = 0.1) -> None:
        self.wanted, self.explore = wanted, fraction(explore, "explore")

    def choose(self, learner: OnlineLearner[Any, Any], open: Bools, rng: np.random.Generator) -> int:
        places = np.flatnonzero(open)
        if rng.random() < self.explore:
            return int(rng.choice(places))
        nodes: Any = learner.nodes  # type: ignore[attr-defined]
        table = learner.predict_many([nodes[int(i)] for i in places])
        chances = table.probabilities[:, table.classes.index(self.wanted)]
        best = np.flatnonzero(chances >= np.nanmax(chances) - 1e-12)
        return int(places[rng.choice(best)])

    def __repr__(self) -> str:
        return f"Likeliest({self.wanted!r}, explore={self.explore})"


def recipe(graph: Graph, classes: tuple[Any, ...], seed: int, wanted: Any = None) -> Recipe:
    """Ask for what is most likely of the class that is looked for.

    Parameters
    ----------
    graph
        Who pays whom.
    classes
        The classes.
    seed
        Not used: the seed of the project draws the exploration.
    wanted
        The class that is looked for. None (default) for the last one, as in a project that names none.
    """
    return Recipe(LocalLGC(graph, classes, guess=True), Likeliest(classes[-1] if wanted is None else wanted))


@final
@dataclass(frozen=True, slots=True)
class Found:
    """How the search goes.

    Attributes
    ----------
    found
        How many of the answers were what is looked for.
    answers
        How many answers there are.
    """

    found: int
    answers: int

    def __str__(self) -> str:
        return f"{self.found} found in {self.answers} answers"


def found_so_far(project: Project) -> Found:
    """How many of the answers were what the project looks for; labels that nobody was asked for do not count.

    Parameters
    ----------
    project
        An open project.
    """
    ledger = project.ledger
    wanted, votes = project.classes[-1] if ledger.looks_for is None else ledger.looks_for, ledger.votes
    answers = [label for node, label in project.ledger.labels.items() if node not in votes.imported]
    return Found(answers.count(wanted), len(answers))


def demo(folder: Any, *, size: int = 3000, seed: int = 0) -> Path:
    """Make a project with accounts, two bad ones and eight ordinary ones of which are known.

    Parameters
    ----------
    folder
        The name of the new folder.
    size
        How many accounts. Default 3,000.
    seed
        The same seed gives the same accounts. Default 0.

    Returns
    -------
    Path
        The folder.
    """
    made, rng = accounts(size, seed=seed), np.random.default_rng([seed, 1])
    ordinary = [str(node) for node in made.graph.nodes if node not in made.bad]
    known = dict.fromkeys(rng.choice(sorted(map(str, made.bad)), 2, replace=False).tolist(), "bad")
    known |= dict.fromkeys(rng.choice(ordinary, 8, replace=False).tolist(), "ordinary")
    return Project.create(
        folder,
        graph=made.graph,
        classes=["ordinary", "bad"],
        labels=known,
        nodes=made.nodes,
        name="Bad accounts",
        recipe="accounts",
    )
