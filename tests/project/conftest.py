from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ohmline as ohm
from ohmline.project import Project, Settings


class Clock:
    """A time that tests set."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def grid(side: int = 6) -> ohm.Graph:
    edges = []
    for i in range(side):
        for j in range(side):
            if i + 1 < side:
                edges.append((f"{i}-{j}", f"{i + 1}-{j}"))
            if j + 1 < side:
                edges.append((f"{i}-{j}", f"{i}-{j + 1}"))
    return ohm.Graph.from_edges(edges)


def truth(node: Any) -> str:
    if "-" not in str(node):
        return "right"
    return "left" if int(str(node).split("-")[1]) < 3 else "right"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Project.create(
        tmp_path / "club", graph=grid(), classes=["left", "right"], settings=Settings(gold_every=0)
    )


@pytest.fixture
def project(folder: Path, clock: Clock):
    with Project.open(folder, clock=clock) as opened:
        yield opened
