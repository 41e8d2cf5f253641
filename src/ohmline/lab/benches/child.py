"""Work in a process of its own, watched from outside: its processor time, and how much memory it took at most."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ohmline.errors import OhmlineError

PAUSE = 0.01
"""Seconds between two looks at the memory of a child."""
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
)


def run_child(module: str, *arguments: str) -> dict[str, Any]:
    """The last line that `python -m module arguments` prints, as JSON, and its largest RssAnon in bytes.

    RssAnon is the memory of a process that no file stands behind; the pages of a mapped file count as RssFile, which
    the system takes back whenever it needs them. Neither is kept by the system as a maximum, so they are looked at a
    hundred times a second, where there is /proc.
    """
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **ONE_THREAD}
    ) as child:
        assert child.stdout is not None
        most = {"RssAnon": 0, "RssFile": 0}
        while child.poll() is None:
            for name, size in memory_of(child.pid).items():
                if name in most:
                    most[name] = max(most[name], size)
            time.sleep(PAUSE)
        lines = child.stdout.read().strip().splitlines()
    if child.returncode or not lines:
        raise OhmlineError(
            f"{module} {' '.join(arguments)} ended with code {child.returncode}; run it by itself"
        )
    found: dict[str, Any] = json.loads(lines[-1])
    return {**found, "most_anonymous_bytes": most["RssAnon"], "most_mapped_bytes": most["RssFile"]}


def memory_of(process: int | str = "self") -> dict[str, int]:
    """The memory of a process in bytes, by the names of /proc; nothing where there is none."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return {}
    fields = (line.split() for line in lines if line.startswith(("Vm", "Rss")))
    return {field[0].rstrip(":"): 1024 * int(field[1]) for field in fields}


def forget_peak() -> None:
    """Let the largest memory so far be the present one, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return
