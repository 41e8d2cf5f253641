"""The start of `ohmline demo`: the first, which makes machine code, and the later ones, which read it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ohmline.errors import OhmlineError
from ohmline.lab.bench import Bench, Measured, target
from ohmline.lab.benches.child import ONE_THREAD

LIBRARIES = "import numpy, scipy.sparse.linalg, numba, sklearn.semi_supervised"
"""The reference: what the demo stands on, and not one line of work."""
DEMO = "from ohmline.cli import main; main()"
SECONDS = 3.0
"""How long a later start may take."""


class Took(NamedTuple):
    """What a command took, with the processes that it started."""

    seconds: float
    processor: float
    """Seconds of all processors together, which a busy machine changes less."""


def took(folder: Path, code: str, *arguments: str) -> Took:
    """Run Python code in a fresh process whose byte code and machine code are kept in a folder."""
    kept = {"NUMBA_CACHE_DIR": str(folder / "machine"), "PYTHONPYCACHEPREFIX": str(folder / "byte")}
    environment = {**os.environ, **ONE_THREAD, **kept}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before, start = _spent(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise OhmlineError(f"python -c {code!r} ended with code {done.returncode}: {done.stderr[-500:]}")
    return Took(seconds, _spent() - before)


def _spent() -> float:
    """Processor seconds of all processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start(repeat: int = 5) -> Measured:
    """The first start with nothing kept, then later ones in turns with importing the libraries."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        took(folder, LIBRARIES)  # their byte code
        first = took(folder, DEMO, "demo")
        later, libraries = [], []
        for _ in range(repeat):
            later.append(took(folder, DEMO, "demo"))
            libraries.append(took(folder, LIBRARIES))
    fastest, floor = min(each.seconds for each in later), min(each.seconds for each in libraries)
    return Measured(
        "start",
        floor / fastest,
        f"python -c '{LIBRARIES}'",
        {
            "first_start_seconds": first.seconds,
            "first_start_processor_seconds": first.processor,
            "second_start_seconds": fastest,
            "second_start_processor_seconds": min(each.processor for each in later),
            "libraries_seconds": floor,
            "libraries_processor_seconds": min(each.processor for each in libraries),
            "targets": [target("seconds of a second start", fastest, most=SECONDS)],
        },
    )


BENCHES: dict[str, Bench] = {"start": start}
