"""A server that runs: where it listens, how it begins and how it ends."""

from __future__ import annotations

import asyncio
import getpass
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final
from urllib.parse import urlsplit

from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.extras import require
from ohmline.service.app import build_app
from ohmline.service.guards import HostNames
from ohmline.service.listening import Options, listening
from ohmline.service.people import Role, new_person
from ohmline.service.register import Register
from ohmline.service.state import State
from ohmline.service.workspace import Workspace

if TYPE_CHECKING:
    pass

log = logging.getLogger("ohmline.service")

GRACE = 10
"""Seconds that requests have to finish when the server ends."""


@final
@dataclass(frozen=True)
class Started:
    """A server that listens.

    Attributes
    ----------
    address
        By which people know it.
    port
        Where it listens.
    token
        The token of the person who started it, which ends with it.
    person
        Who that is.
    projects
        The ids of its projects.
    stop
        Ends it, from any thread.
    workspace
        Its projects, for the thread that it runs in.
    """

    address: str
    port: int
    token: str
    person: str
    projects: tuple[str, ...]
    stop: Callable[[], None]
    workspace: Workspace

    @property
    def page(self) -> str:
        """The page, which logs in with the token. What follows # is not sent to any server."""
        return f"{self.address}/#token={self.token}"


def serve(options: Options, started: Callable[[Started], None]) -> None:
    """Serve a folder until SIGINT or SIGTERM comes.

    Parameters
    ----------
    options
        How.
    started
        Is called once the server listens.
    """
    listener = listening(options)
    with listener:
        if sys.platform == "win32":
            asyncio.run(_run(options, listener, started))
        else:
            require("uvloop", "serve").run(_run(options, listener, started))


async def _run(options: Options, listener: socket.socket, started: Callable[[Started], None]) -> None:
    uvicorn = require("uvicorn", "serve")
    register = Register(options.folder)
    person, token = new_person(options.who or _user(), Role.ADMIN)
    register.add_for_this_run(person)
    port = listener.getsockname()[1]
    names, secure = _names(options)
    workspace = Workspace(options.folder, options.recipe)
    state = State(
        workspace, register, options.limits, HostNames(names, secure), f"ohmline-{port}", options.open_metrics
    )
    await workspace.open()
    try:
        config = uvicorn.Config(
            build_app(state),
            loop="none",
            http="httptools",
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=GRACE,
        )
        server = uvicorn.Server(config)
        server.capture_signals = _no_signals  # ours do not kill the process before the projects are closed
        loop = asyncio.get_running_loop()

        def stop() -> None:
            state.ready = False
            state.ending.set()
            server.should_exit = True

        with _signals(loop, stop):
            state.ready = True
            serving = asyncio.ensure_future(server.serve(sockets=[listener]))
            while not server.started and not serving.done():
                await asyncio.sleep(0.01)
            if not serving.done():
                host = f"[{options.host}]" if ":" in options.host else options.host
                started(
                    Started(
                        options.public_url.rstrip("/") or f"http://{host}:{port}",
                        port,
                        token,
                        person.name,
                        tuple(id for id, _ in workspace),
                        lambda: _soon(loop, stop),
                        workspace,
                    )
                )
            await serving
    finally:
        state.ending.set()
        await workspace.close()


def _soon(loop: asyncio.AbstractEventLoop, work: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # it has ended already
        loop.call_soon_threadsafe(work)


def _names(options: Options) -> tuple[list[str], str]:
    """The names that the server answers to, and which of them is reached by https."""
    names = [options.host]
    if not options.public_url:
        return names, ""
    try:
        url = urlsplit(options.public_url)
        valid = url.scheme in ("http", "https") and url.hostname and url.path in ("", "/") and not url.query
    except ValueError:
        valid = False
    if not valid:
        raise ParameterError(
            f"public_url {shown(options.public_url)} is no address of a server; write https://label.example.org"
        )
    return [*names, str(url.hostname)], url.netloc if url.scheme == "https" else ""


@contextmanager
def _no_signals() -> Iterator[None]:
    yield


@contextmanager
def _signals(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> Iterator[None]:
    """In a `with`: SIGINT and SIGTERM call `stop`; nothing where this is not the main thread."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    set_: list[Any] = []
    try:
        for number in numbers:
            try:
                loop.add_signal_handler(number, stop)
                set_.append(number)
            except (NotImplementedError, RuntimeError, ValueError):
                break
        yield
    finally:
        for number in set_:
            loop.remove_signal_handler(number)


def _user() -> str:
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = ""
    return "".join(c for c in name if c.isalnum() or c in ".-_") or "admin"
