"""The command line: `ohmline demo`, `play`, `reproduce`, `bench`, `data`."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""


def main() -> None:
    """The entry point of the command `ohmline`."""
    before = signal.signal(
        signal.SIGINT, _leave
    )  # while modules load, nothing is begun that would have to be ended
    from ohmline.cli.app import app

    signal.signal(signal.SIGINT, before)
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _leave(number: int, frame: Any) -> None:
    os._exit(INTERRUPTED)
