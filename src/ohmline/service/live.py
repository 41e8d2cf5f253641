"""Events as they happen, over a connection that stays open (server-sent events).

Each has its sequence number as `id`, so that a browser that lost the line says where it was, and gets the rest from the
log. A comment goes out when nothing happened for a while, so that a dead line is noticed. Whoever reads so slowly that
one piece is not taken within a minute is dropped, and resumes by number.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, suppress
from typing import Any, final

from ohmline.service.guards import BARE_HEADERS
from ohmline.service.limits import LiveConnections
from ohmline.service.reply import Receive, Scope, Send, encode

HEARTBEAT = 15.0
"""Seconds without an event after which a comment is sent."""
SLOWEST = 60.0
"""Seconds within which a piece must be taken."""
STANDING = 0.5
"""How often it is checked that the person may still listen, in seconds."""
PROGRESS = 0.5
"""The progress goes along at most once in so many seconds."""


@final
class Live:
    """A response that never ends.

    Parameters
    ----------
    events
        The events, old and new, each as plain values.
    connections, who
        Where the connection is counted, and whose it is.
    progress
        How far the project is.
    ending
        Set when the server ends.
    may
        Whether the person may still listen: who is removed, logs out or gets another role hears nothing more.
    """

    status = 200

    def __init__(
        self,
        events: AsyncIterator[dict[str, Any]],
        connections: LiveConnections,
        who: str,
        progress: Callable[[], dict[str, Any]],
        ending: asyncio.Event,
        may: Callable[[], bool],
    ) -> None:
        self._events, self._connections, self._who = events, connections, who
        self._progress, self._ending, self._may = progress, ending, may
        self._told = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until one side has had enough."""
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"x-accel-buffering", b"no"),
            *BARE_HEADERS,
        ]
        with self._connections.one(self._who):
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            tasks = {
                asyncio.ensure_future(self._tell(send)),
                asyncio.ensure_future(_gone(receive)),
                asyncio.ensure_future(self._ending.wait()),
                asyncio.ensure_future(self._standing()),
            }
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(OSError):
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _standing(self) -> None:
        while self._may():
            await asyncio.sleep(STANDING)

    async def _tell(self, send: Send) -> None:
        await _piece(send, b"retry: 2000\n\n")
        async with aclosing(self._events) as events:  # type: ignore[type-var]
            while True:
                following = asyncio.ensure_future(anext(events))
                try:
                    while not (await asyncio.wait([following], timeout=HEARTBEAT))[0]:
                        await _piece(send, b": still here\n\n")
                finally:
                    if not following.done():
                        following.cancel()
                        await asyncio.wait([following])
                try:
                    event = following.result()
                except StopAsyncIteration:
                    return
                if not self._may():
                    return
                await _piece(send, b"id: %d\nevent: %s\ndata: %s\n\n" % self._parts(event))

    def _parts(self, event: dict[str, Any]) -> tuple[int, bytes, bytes]:
        now = time.monotonic()
        if now - self._told >= PROGRESS:
            self._told = now
            event = {**event, "progress": self._progress()}
        return event["seq"], event["kind"].encode("ascii"), encode(event)


async def _piece(send: Send, text: bytes) -> None:
    async with asyncio.timeout(SLOWEST):
        await send({"type": "http.response.body", "body": text, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
