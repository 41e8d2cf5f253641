"""Where the second model lives: in a process of its own, or in a thread where its recipe cannot be found elsewhere."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, final

from ohmline.errors import OhmlineError
from ohmline.project.mind import Mind
from ohmline.project.project import Project
from ohmline.project.recipe_files import address_of_recipe
from ohmline.store.events import Event

LONGEST_LINE = 2**30


class ThinkerGone(OhmlineError):
    """The process that thinks about questions has ended."""


class Thinker(ABC):
    """The second model, somewhere."""

    @abstractmethod
    async def start(self, events: Sequence[Event]) -> None:
        """Begin, with all events so far."""

    @abstractmethod
    async def tell(self, events: Sequence[Event]) -> None:
        """Tell it of more events."""

    @abstractmethod
    async def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Ask it something; one question at a time."""

    @abstractmethod
    async def stop(self) -> None:
        """End it."""


def thinker_for(project: Project) -> Thinker:
    """A thinker for a project."""
    address = address_of_recipe(project.recipe)
    if address:
        return InProcess(str(project.folder), address)
    return InThread(lambda: Mind(project.recipe, project.model.first))


@final
class InProcess(Thinker):
    """A child process, which talks in lines of JSON.

    Parameters
    ----------
    folder
        The folder of the project.
    address
        Where the recipe is found.
    """

    def __init__(self, folder: str, address: str) -> None:
        self._folder, self._address = folder, address
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def start(self, events: Sequence[Event]) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            "from ohmline.project.mind import main; main()",
            self._folder,
            self._address,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=True,  # Ctrl-C is for the server, which ends the child itself
        )
        await self.tell(events)

    async def tell(self, events: Sequence[Event]) -> None:
        await self._write({"events": [_plain(event) for event in events]})

    async def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        asked = asyncio.ensure_future(self._ask(message))
        asked.add_done_callback(_heed)
        return await asyncio.shield(asked)  # who no longer waits must not leave the answer to who asks next

    async def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        async with self._turn:
            await self._write(message)
            assert self._process is not None
            assert self._process.stdout is not None
            line = await self._process.stdout.readline()
        if not line:
            raise ThinkerGone("the process that thinks about questions has ended; it will be started again")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)  # it holds nothing that is not on the disk
        await process.wait()
        if process.stdin is not None:
            process.stdin.close()

    async def _write(self, message: dict[str, Any]) -> None:
        if self._process is None or self._process.stdin is None:
            raise ThinkerGone("the process that thinks about questions is not there")
        try:
            self._process.stdin.write(json.dumps(message).encode("ascii") + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise ThinkerGone("the process that thinks about questions has ended") from None


@final
class InThread(Thinker):
    """A thread of this process.

    Parameters
    ----------
    make
        Makes the second model.
    """

    def __init__(self, make: Callable[[], Mind]) -> None:
        self._make = make
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="ohmline-thinker")
        self._mind: Mind | None = None

    async def start(self, events: Sequence[Event]) -> None:
        self._mind = await asyncio.get_running_loop().run_in_executor(self._worker, self._make)
        await self.tell(events)

    async def tell(self, events: Sequence[Event]) -> None:
        await self._hear({"events": [_plain(event) for event in events]})

    async def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        answer = await self._hear(message)
        assert answer is not None
        return answer

    async def stop(self) -> None:
        self._worker.shutdown(wait=True)

    async def _hear(self, message: dict[str, Any]) -> dict[str, Any] | None:
        assert self._mind is not None
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._mind.hear, message)


def _heed(asked: asyncio.Future[Any]) -> None:
    """Look at how it ended, so that nobody is told of an error that no longer concerns anybody."""
    if not asked.cancelled():
        asked.exception()


def _plain(event: Event) -> dict[str, Any]:
    """An event as plain values; `asdict` would copy all of it, for a quarter of what an answer costs."""
    return {name: getattr(event, name) for name in Event.__slots__}
