"""The process that thinks ahead answers who asked, whatever became of who asked before."""

from __future__ import annotations

import asyncio

from ohmline.project import Project
from ohmline.project.thinker import InProcess, thinker_for
from project.conftest import grid


def test_an_answer_that_nobody_waits_for_is_not_given_to_the_next(tmp_path):
    folder = Project.create(tmp_path / "p", graph=grid(), classes=["left", "right"])

    async def ask() -> dict[str, object]:
        with Project.open(folder) as project:
            thinker = thinker_for(project)
            assert isinstance(thinker, InProcess)
            await thinker.start(list(project.log.read()))
            try:
                given_up = asyncio.ensure_future(thinker.ask({"think": 1, "taken": []}))
                await asyncio.sleep(0.01)
                given_up.cancel()
                await asyncio.gather(given_up, return_exceptions=True)
                return await thinker.ask({"survey": ["0-0", "0-1"]})
            finally:
                await thinker.stop()

    assert len(asyncio.run(ask())["codes"]) == 2
