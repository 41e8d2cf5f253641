"""The project that `ohmline serve` makes where none is named: handwritten digits, each joined to the most similar."""

from __future__ import annotations

from pathlib import Path


def demo_project(folder: Path) -> Path:
    """Make the demo project.

    Parameters
    ----------
    folder
        The new folder.
    """
    from ohmline.data import load
    from ohmline.project import Project

    club = load("karate")
    return Project.create(folder, graph=club.graph, classes=["left", "right"], name="A karate club")
