"""Machine code is made when it is first needed, which takes up to a minute after an installation.

A server must not keep somebody waiting for that, so it does everything once before it listens, on a project of its own
that is thrown away.
"""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ohmline.errors import OhmlineError

if TYPE_CHECKING:
    from ohmline.project.recipe import RecipeFunction

log = logging.getLogger("ohmline.service")


def warm_up(recipe: RecipeFunction | None) -> None:
    """Ask, answer, predict, check and undo once on a small graph.

    Parameters
    ----------
    recipe
        What the projects do; None for the usual.
    """
    from ohmline.graph.graph import Graph
    from ohmline.project import Project
    from ohmline.project import commands as c

    graph = Graph.from_edges([(k, k + 1) for k in range(7)])
    with tempfile.TemporaryDirectory() as folder:
        try:
            made = Project.create(
                Path(folder, "warm"), graph=graph, classes=["a", "b"], labels={0: "a", 7: "b"}
            )
            with Project.open(made, recipe=recipe) as project:
                project.predict([3], why=3)
                project.do(c.Lease(), "ann")
                project.do(c.Label(3, "a"), "ann")
                project.progress()
                project.model.learner.predict_many(list(graph.nodes))
                project.do(c.BeginAudit(), "ann", admin=True)
                project.progress()
                project.do(c.EndAudit(), "ann", admin=True)
                project.do(c.Undo(), "ann")
        except (OhmlineError, OSError) as error:  # a recipe of one's own need not fit such a graph
            log.debug("warming up came to nothing: %s", error)
