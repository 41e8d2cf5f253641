"""The service in a thread of this process, without a port: requests go to its application as function calls."""

from __future__ import annotations

import asyncio
import getpass
import queue
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, final

from ohmline.errors import ServiceError
from ohmline.extras import require
from ohmline.service.app import build_app
from ohmline.service.limits import Limits
from ohmline.service.people import Role, new_person
from ohmline.service.register import Register
from ohmline.service.state import State
from ohmline.service.workspace import Workspace

if TYPE_CHECKING:
    from ohmline.project.recipe import RecipeFunction

T = TypeVar("T")
STARTING, ENDING = 600.0, 60.0
"""Seconds that a project may take to open, which compiles the learner the first time, and to close."""
PLENTY = Limits(rate=1e6, burst=10**6)
"""One person in one process need not be slowed down."""


@final
class InProcess:
    """A service of one process.

    The person is an admin, as whoever starts `ohmline serve` is.

    Parameters
    ----------
    folder
        A project, or a folder of projects.
    recipe
        What the projects do; None for what each says itself.
    person
        Under which name answers are written; "" for the name of the user.
    """

    def __init__(self, folder: Path, recipe: RecipeFunction | None, person: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="ohmline-widget", daemon=True)
        self._thread.start()
        self._state: State | None = None
        self._taking, self._ended = threading.Lock(), False  # whether requests are taken
        try:
            self._wait(self._open(folder, recipe, person), STARTING)
        except BaseException:
            self.close()
            raise

    async def _open(self, folder: Path, recipe: RecipeFunction | None, person: str) -> None:
        workspace, register = Workspace(folder, recipe), Register(folder)
        who, self.token = new_person(person or getpass.getuser(), Role.ADMIN)
        register.add_for_this_run(who)
        state = State(workspace, register, PLENTY)
        self._app = build_app(state)
        await workspace.open()
        state.ready, self._state = True, state

    def transport(self) -> Any:
        """What carries the requests of a `Client` here; httpx calls it."""
        httpx = require("httpx", "widget")
        outer = self

        class ToTheApplication(httpx.BaseTransport):  # type: ignore[misc, name-defined]
            """Passes requests on to the application, in its thread."""

            def handle_request(self, request: Any) -> Any:
                exchange = Exchange(request)
                outer._begin(exchange)
                status, headers = exchange.started()
                return httpx.Response(status, headers=headers, stream=_Pieces(exchange))

        class _Pieces(httpx.SyncByteStream):  # type: ignore[misc, name-defined]
            def __init__(self, exchange: Exchange) -> None:
                self._exchange = exchange

            def __iter__(self) -> Iterator[bytes]:
                return self._exchange.pieces()

            def close(self) -> None:
                with outer._taking:
                    if not outer._ended:  # afterwards every exchange is ended already
                        outer._loop.call_soon_threadsafe(self._exchange.gone.set)

        return ToTheApplication()

    def _begin(self, exchange: Exchange) -> None:
        with self._taking:
            if self._ended:
                raise ServiceError("the project is closed here; make a new Labeller")
            answer = asyncio.run_coroutine_threadsafe(exchange.run(self._app), self._loop)
        answer.add_done_callback(exchange.ended)

    def close(self) -> None:
        """Close the projects. May be called twice."""
        with self._taking:
            self._ended = True
        if self._loop.is_closed():
            return
        try:
            if self._state is not None:
                self._wait(self._shut(self._state), ENDING)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(ENDING)
            self._loop.close()

    async def _shut(self, state: State) -> None:
        state.ready = False
        state.ending.set()
        await state.workspace.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)
        await self._loop.shutdown_default_executor()

    def _wait(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)


@final
class Exchange:
    """One request and its reply, which may go on for long.

    Parameters
    ----------
    request
        The request of httpx.
    """

    def __init__(self, request: Any) -> None:
        self._body = request.read()
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": "http",
            "path": request.url.path,
            "raw_path": request.url.raw_path.partition(b"?")[0],
            "query_string": request.url.query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": ("127.0.0.1", 0),
            "server": ("localhost", 0),
        }
        self._said: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._read = False
        self.gone = asyncio.Event()
        """Set when nobody reads the reply any more."""

    async def run(self, app: Any) -> None:
        """Let the application answer."""
        try:
            await app(self._scope, self._receive, self._send)
        except BaseException as error:
            self._said.put(error)
            raise
        self._said.put(None)

    def ended(self, answer: Future[None]) -> None:
        """Tell who waits for the reply that there is none, if it was given up before it began."""
        if answer.cancelled():
            self._said.put(asyncio.CancelledError())

    def started(self) -> tuple[int, Any]:
        """Status and headers, when they are there."""
        first = self._next()
        return first["status"], first["headers"]

    def pieces(self) -> Iterator[bytes]:
        """The reply, piece by piece."""
        while (message := self._next()) is not None:
            yield message.get("body", b"")

    def _next(self) -> Any:
        message = self._said.get()
        if isinstance(message, BaseException):
            raise require("httpx", "widget").ReadError(f"the service has ended: {message!r}")
        return message

    async def _receive(self) -> dict[str, Any]:
        if not self._read:
            self._read = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self._said.put(message)
