"""A project for many people at once: commands are written in groups, and questions are thought of ahead.

All memory is changed in one thread, that of the event loop. Commands that come while a group is being written wait and
make up the next group, so that one flush of the disk serves all of them. A command is answered after its events are on
the disk and in memory.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple, final

from ohmline.errors import GraphError, JournalError, OhmlineError
from ohmline.labelling.answers import id_of, written_id
from ohmline.project.batch import Batch, Request
from ohmline.project.commands import Arrive, BeginAudit, Command
from ohmline.project.project import SYSTEM, Project
from ohmline.project.questions import Choice, best_questions
from ohmline.project.thinker import Thinker, ThinkerGone, thinker_for
from ohmline.store.events import Event

log = logging.getLogger("ohmline.project")
GROUP = 512
"""The most commands that are written together."""
BEHIND = 10_000
"""A listener that is so many events behind is let go; it can come back and read them from the log."""
AHEAD = 3
"""How many questions are thought of ahead for each person, and for one more."""
WANTED = 20
"""While so many labels of nodes that arrived are wanted, no more nodes arrive."""
_END = object()
SOON = 300.0
"""Who did something in the last so many seconds is counted as being there."""


class _Waiting(NamedTuple):
    request: Request
    reply: asyncio.Future[Any]


@final
class Host:
    """Runs a project in an event loop.

    Parameters
    ----------
    project
        The project, which nobody else may change from now on.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.commits = 0
        """How many groups were written."""
        self.commit_seconds = 0.0
        """How long writing them took, together."""
        self._queue: deque[_Waiting] = deque()
        self._work = asyncio.Event()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="ohmline-writer")
        self._thinker: Thinker = thinker_for(project)
        self._tasks: list[asyncio.Task[None]] = []
        self._listeners: set[asyncio.Queue[Event | None]] = set()
        self._untold: list[Event] = []
        self._thought = asyncio.Event()
        self._seen: dict[str, float] = {}
        self._tried_again = 0.0
        self._stopping = False
        self._writing = False

    @property
    def waiting(self) -> int:
        """How many commands wait to be written."""
        return len(self._queue)

    @property
    def listeners(self) -> int:
        """How many listen to the events."""
        return len(self._listeners)

    async def start(self) -> None:
        """Begin to take commands, and to think."""
        project, loop = self.project, asyncio.get_running_loop()
        seed = project.settings.seed
        first = best_questions(project.model, AHEAD, set(project.ledger.skips), seed)
        project.desk.estimate()
        project.desk.ahead = first
        self._untold = []
        self._tasks = [loop.create_task(self._write()), loop.create_task(self._think())]
        if project.model.recipe.stream is not None:
            self._tasks.append(loop.create_task(self._feed()))

    async def submit(self, command: Command, actor: str, *, admin: bool = False) -> Any:
        """Do something; the reply comes when it is on the disk.

        Parameters
        ----------
        command
            What to do.
        actor
            Who does it.
        admin
            Whether that person may do what concerns others. Default False.
        """
        request = Request(command, actor, admin)
        self._seen[actor] = monotonic()
        for first in self.project.first(request):
            try:
                await self._enqueue(first)
            except OhmlineError as error:
                if first.actor != SYSTEM and not isinstance(error, GraphError):
                    raise
                log.debug("%s came to nothing: %s", type(first.command).__name__, error)
        return await self._enqueue(request)

    async def stop(self) -> None:
        """Write what was taken, then end."""
        self._stopping = True
        while self._queue or self._writing:
            await asyncio.sleep(0.005)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for listener in self._listeners:
            listener.put_nowait(None)
        await self._thinker.stop()
        self._writer.shutdown(wait=True)

    async def events(self, after: int) -> AsyncIterator[Event]:
        """Every event after a number: from the log at first, then as they come.

        Parameters
        ----------
        after
            The number of the last event that is known.
        """
        listener: asyncio.Queue[Event | None] = asyncio.Queue()
        self._listeners.add(listener)
        loop = asyncio.get_running_loop()
        try:
            last = after
            while last < self.project.seq:
                for event in await loop.run_in_executor(None, self._read, last):
                    if event.seq > self.project.seq:  # on the disk, but not yet in memory: it will come
                        break
                    yield event
                    last = event.seq
            while (fresh := await listener.get()) is not None:
                if fresh.seq > last:
                    yield fresh
                    last = fresh.seq
        finally:
            self._listeners.discard(listener)

    async def survey(self, nodes: Sequence[Any]) -> dict[str, Any]:
        """The predicted class and its probability at nodes, made beside the answering of people.

        Parameters
        ----------
        nodes
            Nodes of the project.
        """
        return await self._thinker.ask({"survey": [written_id(node) for node in nodes]})

    def _read(self, after: int) -> list[Event]:
        return list(self.project.log.read(after, 1000))

    async def _enqueue(self, request: Request) -> Any:
        if self._stopping:
            raise JournalError("the service is stopping and takes nothing more; try again in a moment")
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.append(_Waiting(request, reply))
        self._work.set()
        return await reply

    async def _write(self) -> None:
        """Write groups of commands for ever."""
        while True:
            await self._work.wait()
            self._work.clear()
            while self._queue:
                group = self._next_group()
                self._writing = True
                try:
                    await self._write_group(group)
                except OhmlineError as error:
                    _fail(self._not_waiting(group), error)
                except Exception as error:
                    log.exception("a group of commands failed")
                    what = f"the project cannot go on ({type(error).__name__}: {error})"
                    _fail(self._not_waiting(group), JournalError(what))
                finally:
                    self._writing = False

    def _next_group(self) -> list[_Waiting]:
        """The commands that are written next; a check, which takes long to prepare, is the first of its group."""
        group: list[_Waiting] = []
        while self._queue and len(group) < GROUP:
            if group and isinstance(self._queue[0].request.command, BeginAudit):
                break
            group.append(self._queue.popleft())
        return group

    async def _write_group(self, group: list[_Waiting]) -> None:
        project, loop = self.project, asyncio.get_running_loop()
        if isinstance(group[0].request.command, BeginAudit):
            with suppress(OhmlineError):  # it is said again to whoever asked for it, and to nobody else
                await loop.run_in_executor(self._writer, project.checks.prepare)
        await self._recover()
        batch = project.plan([each.request for each in group])
        waiting = {id(each.request): each for each in group}
        for request, error in batch.failed:
            _answer(waiting[id(request)].reply, error)
        events = await self._store(batch)
        self._queue.extendleft(reversed([waiting[id(request)] for request in batch.later]))
        try:
            replies = project.apply(batch, events)
        finally:
            self._publish(events)
        for each, reply in zip(batch.plans, replies, strict=True):
            _answer(waiting[id(each.request)].reply, reply)

    def _not_waiting(self, group: list[_Waiting]) -> list[_Waiting]:
        again = {id(each) for each in self._queue}
        return [each for each in group if id(each) not in again]

    async def _store(self, batch: Batch) -> list[Event]:
        drafts = batch.drafts
        if not drafts:
            return []
        began = monotonic()
        append = self.project.log.append
        events = await asyncio.get_running_loop().run_in_executor(self._writer, append, drafts)
        self.commits += 1
        self.commit_seconds += monotonic() - began
        return events

    async def _recover(self) -> None:
        """Try a log again that could not be written, at most once a second."""
        if self.project.log.writable or monotonic() - self._tried_again < 1.0:
            return
        self._tried_again = monotonic()
        await asyncio.get_running_loop().run_in_executor(self._writer, self.project.log.recover)

    def _publish(self, events: list[Event]) -> None:
        if not events:
            return
        self._untold.extend(events)
        self._thought.set()
        for listener in list(self._listeners):
            for event in events:
                listener.put_nowait(event)
            if listener.qsize() > BEHIND:
                self._listeners.discard(listener)
                listener.put_nowait(None)

    async def _feed(self) -> None:
        """Let the nodes of the recipe's stream arrive, as fast as their labels are given; each arrives once."""
        project, loop = self.project, asyncio.get_running_loop()
        stream = iter(project.model.recipe.stream or ())
        while True:
            while len(project.ledger.wanted) >= WANTED:
                await asyncio.sleep(0.2)
            node = await loop.run_in_executor(None, next, stream, _END)
            if node is _END:
                return
            if node in project.ledger.arrived:
                continue
            try:
                await self.submit(Arrive(node), SYSTEM, admin=True)
            except OhmlineError as error:
                log.warning("node %r of the stream did not arrive: %s", node, error)

    async def _think(self) -> None:
        """Keep questions ahead for ever."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                seen = self.project.seq
                so_far = await loop.run_in_executor(None, lambda: list(self.project.log.read()))
                self._untold = [event for event in self._untold if event.seq > seen]
                await self._thinker.start([event for event in so_far if event.seq <= seen])
                while True:
                    await self._think_once()
                    await self._thought.wait()
            except ThinkerGone as error:
                log.warning("%s", error)
                await self._thinker.stop()
                self._thinker = thinker_for(self.project)
                await asyncio.sleep(1.0)

    async def _think_once(self) -> None:
        project = self.project
        self._thought.clear()
        untold, self._untold = self._untold, []
        if untold:
            await self._thinker.tell(untold)
        now = monotonic()
        self._seen = {who: when for who, when in self._seen.items() if now - when < SOON}
        k = AHEAD * (len(self._seen) + 1)
        taken = [written_id(node) for node in project.ledger.leases.nodes(project.clock())]
        answer = await self._thinker.ask({"think": k, "taken": taken})
        project.desk.ahead = [Choice(id_of(node), why) for node, why in answer["questions"]]
        project.desk.believe(answer["labels"], answer["estimate"])


def _answer(reply: asyncio.Future[Any], answer: Any) -> None:
    if reply.done():
        return
    if isinstance(answer, BaseException):
        reply.set_exception(answer)
    else:
        reply.set_result(answer)


def _fail(group: list[_Waiting], error: OhmlineError) -> None:
    for each in group:
        _answer(each.reply, error)
