"""Watch a worker from outside: what it says, how much memory it takes, and when its time is up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from ohmline.lab.benches.child import ONE_THREAD, memory_of

PAUSE = 0.02
"""Seconds between two looks."""
WAITS = 10
"""A process that does not work, or whose time cannot be read, is given up after so many times its patience."""
WORKER = "ohmline.lab.peers.worker"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A task's numbers with the memory that it took, or why there are none."""

    task: str
    found: dict[str, Any] | None = None
    failed: str = ""


def over(patience: float) -> str:
    """What a cell says that was given up."""
    return f"over {patience:g} s"


def watched(arguments: Sequence[str], tasks: Sequence[str], patience: float) -> Iterator[Outcome]:
    """The outcome of each task as it comes. A task that ends its process costs the others nothing: they start anew."""
    waiting = list(tasks)
    while waiting:
        for outcome in _one_process(arguments, list(waiting), patience):
            waiting.remove(outcome.task)
            yield outcome


def _one_process(arguments: Sequence[str], tasks: Sequence[str], patience: float) -> Iterator[Outcome]:
    command = [sys.executable, "-m", WORKER, *arguments, *tasks]
    with tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, **ONE_THREAD}
        )
        try:
            yield from _lines(child, errors, list(tasks), patience)
        finally:
            child.kill()
            child.wait()
            assert child.stdout is not None
            child.stdout.close()


def _lines(
    child: subprocess.Popen[str], errors: IO[str], tasks: list[str], patience: float
) -> Iterator[Outcome]:
    lines: SimpleQueue[str | None] = SimpleQueue()
    threading.Thread(target=_read, args=(child.stdout, lines), daemon=True).start()
    task, most, before = tasks.pop(0), 0, 0
    begun, worked = time.monotonic(), 0.0
    while True:
        now = memory_of(child.pid).get("RssAnon", 0)
        most = max(most, now)
        spent, waited = processor_seconds(child.pid) - worked, time.monotonic() - begun
        if spent > patience or waited > WAITS * patience:
            yield Outcome(task, failed=over(patience))
            return
        try:
            line = lines.get(timeout=PAUSE)
        except Empty:
            continue
        if line is None:
            yield Outcome(task, failed=_last_words(child, errors))
            return
        said = json.loads(line)
        if "begins" in said:
            most = before = now
        elif "failed" in said:
            yield Outcome(task, failed=said["failed"])
        else:
            found = {**said["found"], "bytes": most, "bytes_before": before}
            yield Outcome(task, found)
        if "begins" not in said:
            if not tasks:
                return
            task = tasks.pop(0)
        begun, worked = time.monotonic(), processor_seconds(child.pid)


def _read(pipe: IO[str] | None, lines: SimpleQueue[str | None]) -> None:
    assert pipe is not None
    for line in pipe:
        lines.put(line)
    lines.put(None)


def _last_words(child: subprocess.Popen[str], errors: IO[str]) -> str:
    """Why a process ended that should not have."""
    code = child.wait()
    errors.seek(0)
    words = [line.strip() for line in errors.read().splitlines() if line.strip()]
    said = f": {words[-1][:200]}" if words else ""
    return f"its process ended with code {code}{said}"


def processor_seconds(process: int) -> float:
    """The time that the processor has given to a process; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
