"""A line that is lost when a test says so: a proxy that cuts connections, before a reply or at once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit


class Flaky:
    """Passes bytes on, until it is told to lose some replies."""

    def __init__(self, address: str) -> None:
        self._to = (urlsplit(address).hostname or "", urlsplit(address).port or 0)
        self._door = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.lose_replies = 0
        """So many replies from now on never arrive; their requests did."""
        self.lost = 0
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        self._begin(self._welcome)

    def _begin(self, work: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=work, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _welcome(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._door.accept()
                self._ends.append(here)
                there = socket.create_connection(self._to)
                self._ends.append(there)
                self._begin(self._pass, here, there, False)
                self._begin(self._pass, there, here, True)

    def _pass(self, source: socket.socket, target: socket.socket, reply: bool) -> None:
        with suppress(OSError):
            while piece := source.recv(1 << 16):
                if reply and self.lose_replies:
                    self.lose_replies, self.lost = self.lose_replies - 1, self.lost + 1
                    break
                target.sendall(piece)
        _shut(source, target)

    def cut(self) -> None:
        """End every connection that there is."""
        _shut(*self._ends)

    def close(self) -> None:
        _shut(self._door)
        self._threads[0].join()
        self.cut()
        for thread in self._threads:
            thread.join()
        for end in [self._door, *self._ends]:
            end.close()


def _shut(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def flaky(address: str) -> Iterator[Flaky]:
    line = Flaky(address)
    try:
        yield line
    finally:
        line.close()
