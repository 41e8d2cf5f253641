"""Servers in processes of their own, whose CPU time can be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import final

from ohmline.errors import DataError, ParameterError
from ohmline.service.benches.load import Line

BARE = """
import socket, json, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
async def echo(request):
    json.loads(await request.body())
    return Response(b'{"seq":1}', media_type="application/json")
app = Starlette(routes=[Route("/bare", echo, methods=["POST"])])
listener = socket.create_server(("127.0.0.1", 0))
print(json.dumps({"address": "http://127.0.0.1:%d" % listener.getsockname()[1], "token": ""}), flush=True)
uvicorn.Server(uvicorn.Config(app, http="httptools", access_log=False, log_config=None, lifespan="off")).run([listener])
"""
"""The floor: the same server and router, and a route that does nothing."""


@final
class Child:
    """A server in a process of its own.

    Parameters
    ----------
    process
        The process.
    line
        How to reach it.
    """

    def __init__(self, process: subprocess.Popen[bytes], line: Line) -> None:
        self.process, self.line = process, line

    def cpu(self) -> float:
        """The seconds of CPU that it has used so far, without its own children."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            raise ParameterError(
                "the CPU time of a process is read from /proc, which this system does not have; run it on Linux"
            ) from None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def child(*command: str) -> Iterator[Child]:
    """In a `with`: a server that prints its address and token in one line of JSON.

    Parameters
    ----------
    *command
        What to run with Python.
    """
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, stderr=said) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                said.seek(0)
                raise DataError(f"the server did not start: {said.read()[-500:].decode(errors='replace')}")
            about = json.loads(line)
            yield Child(process, Line(about["address"], about["token"]))
        finally:
            process.terminate()
            process.wait(60)


def served(folder: Path) -> tuple[str, ...]:
    """The command of `ohmline serve` for a folder.

    Parameters
    ----------
    folder
        The project.
    """
    run = "from ohmline.cli import main; main()"
    return ("-c", run, "serve", str(folder), "--port", "0", "--json", "--rate", "1000000", "--who", "bench")
