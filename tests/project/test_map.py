"""The map comes back when what kept it from being drawn is gone."""

from __future__ import annotations

import asyncio

import pytest

from ohmline.errors import OhmlineError
from ohmline.project import Host, Project
from ohmline.project import map as drawing
from project.conftest import grid


def test_a_drawing_that_failed_is_tried_again(tmp_path, monkeypatch):
    folder = Project.create(tmp_path / "p", graph=grid(), classes=["left", "right"])
    real = drawing.DRAW

    async def look(map: drawing.Map) -> object:
        while (found := await map.whole()) is None:
            await asyncio.sleep(0.05)
        return found

    async def go() -> None:
        with Project.open(folder) as project:
            host = Host(project)
            await host.start()
            map = drawing.Map(host)
            try:
                monkeypatch.setattr(drawing, "DRAW", "raise SystemExit('the disk is full')")
                with pytest.raises(OhmlineError, match="the disk is full"):
                    await look(map)
                monkeypatch.setattr(drawing, "DRAW", real)
                with pytest.raises(OhmlineError, match="the disk is full"):
                    await look(map)  # not at once: a process is made for every try
                monkeypatch.setattr(drawing, "AGAIN", 0.0)
                assert (await look(map))["shown"] == len(project.nodes)
                assert map.failed == ""
            finally:
                await map.close()
                await host.stop()

    asyncio.run(go())
