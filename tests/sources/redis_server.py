"""A real Redis server for a test, on a free port, gone afterwards."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WHY = "redis-server is not installed (Debian: apt-get install redis-server)"


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def started(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """A server that keeps its data in a folder, when it answers."""
    redis = pytest.importorskip("redis")
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip(WHY)
    options = [
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--dir",
        str(folder),
        "--appendonly",
        "yes",
        "--save",
        "",
    ]
    server = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = redis.Redis(port=port)
    try:
        for _ in range(400):
            try:
                client.ping()
                return server
            except redis.ConnectionError:
                assert server.poll() is None, "redis-server ended at once"
                time.sleep(0.02)
    finally:
        client.close()
    server.kill()
    server.wait()
    raise AssertionError("redis-server does not answer")


@contextmanager
def running(folder: Path) -> Iterator[tuple[str, Any]]:
    """The address of a server, and a plain client."""
    import redis

    port = free_port()
    server = started(folder, port)
    client = redis.Redis(port=port)
    try:
        yield f"redis://127.0.0.1:{port}/0", client
    finally:
        client.close()
        server.kill()
        server.wait()
