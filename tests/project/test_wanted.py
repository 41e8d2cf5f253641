"""Nodes that arrive: a query on a stream is told what it would be told in a game."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import UnknownNode
from ohmline.project import Host, Project, Recipe, commands


def opened(folder: Path, query: Any, n: int = 60) -> Project:
    ring = ohm.Graph.from_edges([(k, (k + 1) % n) for k in range(n)])
    Project.create(folder, graph=ring, classes=["a", "b"])
    return Project.open(
        folder, recipe=lambda graph, classes, seed: Recipe(ohm.LocalLGC(graph, classes, guess=True), query)
    )


def arrive(project: Project, nodes: range, label: Any = None) -> list[bool]:
    """Whether each node is wanted; where it is, it gets its label at once."""
    found = []
    for node in nodes:
        wanted = project.do(commands.Arrive(node), "stream").wanted
        found.append(wanted)
        if wanted and label is not None:
            project.do(commands.Label(node, label(node)), "ann")
    return found


@pytest.mark.parametrize(("rate", "least", "most"), [(0.0, 0, 0), (0.3, 8, 30), (1.0, 60, 60)])
def test_a_random_rate_is_a_rate(tmp_path: Path, rate: float, least: int, most: int) -> None:
    with opened(tmp_path / "it", ohm.RandomRate(rate)) as project:
        assert least <= sum(arrive(project, range(60))) <= most


def test_chance_is_the_same_for_the_same_project(tmp_path: Path) -> None:
    runs = []
    for name in ("one", "two"):
        with opened(tmp_path / name, ohm.RandomRate(0.5)) as project:
            runs.append(arrive(project, range(30)))
    assert runs[0] == runs[1]


def test_a_gap_is_not_believed_before_classes_stop_coming(tmp_path: Path) -> None:
    with opened(tmp_path / "it", ohm.GapBelow(0.0, repeats=8)) as project:
        found = arrive(project, range(40), lambda node: "ab"[node >= 3])
        # a, a, a, b, then eight that bring nothing new; after that a gap above 0 is enough.
        assert all(found[:12])
        assert np.mean(found[12:]) < 0.5


def test_an_edge_to_nowhere_is_refused_by_its_end(tmp_path: Path) -> None:
    async def go(project: Project) -> None:
        host = Host(project)
        await host.start()
        try:
            with pytest.raises(UnknownNode, match="unknown node 999"):
                await host.submit(commands.Arrive(60, {}, ((60, 0, 1.0), (999, 60, 1.0))), "stream")
            assert project.seq == 0
            assert 60 not in project.nodes
            await host.submit(commands.Arrive(60, {}, ((60, 0, 1.0),)), "stream")
            assert 60 in project.nodes
        finally:
            await host.stop()

    with opened(tmp_path / "it", ohm.RandomRate(1.0)) as project:
        asyncio.run(go(project))
