"""A client that costs little: raw requests over connections that stay open."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, final
from urllib.parse import urlsplit

from ohmline.errors import DataError


@final
@dataclass(frozen=True, slots=True)
class Line:
    """Where requests go, and who sends them.

    Attributes
    ----------
    address
        The server's address.
    token
        A token.
    """

    address: str
    token: str = ""

    def post(self, path: str, body: Any) -> bytes:
        """A request as it goes over the line.

        Parameters
        ----------
        path
            What is asked.
        body
            What goes along, as plain values.
        """
        data = json.dumps(body, separators=(",", ":")).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {urlsplit(self.address).netloc}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        )
        return head.encode() + data


@final
class Connection:
    """One connection.

    Parameters
    ----------
    reader, writer
        Its two ends.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, line: Line) -> Connection:
        """A connection to a server.

        Parameters
        ----------
        line
            Where to.
        """
        to = urlsplit(line.address)
        return cls(*await asyncio.open_connection(to.hostname, to.port))

    async def ask(self, request: bytes) -> bytes:
        """Send a request and give the body of the reply, which must be a good one.

        Parameters
        ----------
        request
            The request as it goes over the line.
        """
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        body = await self._reader.readexactly(size)
        if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
            raise DataError(f"the server answered {head[:15]!r} {body[:300]!r}; the benchmark cannot go on")
        return body

    def close(self) -> None:
        """Hang up."""
        self._writer.close()


async def crowd(line: Line, requests: Iterator[bytes], connections: int, seconds: float) -> list[float]:
    """How long each request took, of many connections that send one after the other.

    Parameters
    ----------
    line
        Where to.
    requests
        What is sent, by whoever is free.
    connections
        How many at once.
    seconds
        For how long.
    """
    end, times = time.perf_counter() + seconds, []

    async def one() -> None:
        connection = await Connection.open(line)
        while (start := time.perf_counter()) < end:
            await connection.ask(next(requests))
            times.append(time.perf_counter() - start)
        connection.close()

    await asyncio.gather(*(one() for _ in range(connections)))
    return times


async def paced(line: Line, requests: Iterable[bytes], per_second: float, seconds: float) -> list[float]:
    """How long each request took, of one connection that sends at a steady rate; who waits is counted from its time.

    Parameters
    ----------
    line
        Where to.
    requests
        What is sent.
    per_second
        How many per second.
    seconds
        For how long.
    """
    connection, times, start = await Connection.open(line), [], time.perf_counter()
    for number, request in enumerate(requests):
        due = start + number / per_second
        if due > start + seconds:
            break
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await connection.ask(request)
        times.append(time.perf_counter() - due)
    connection.close()
    return times


def share(times: list[float], part: float) -> float:
    """The time that so large a part of the requests did not exceed, in milliseconds.

    >>> share([0.001, 0.002, 0.003, 0.004], 0.5)
    3.0

    Parameters
    ----------
    times
        Seconds.
    part
        0.5 for the median, 0.99 for all but a hundredth.
    """
    ranked = sorted(times)
    return 1000 * ranked[min(len(ranked) - 1, int(part * len(ranked)))]
