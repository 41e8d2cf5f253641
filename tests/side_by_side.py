"""Helpers for tests with more than one process or thread."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable


def control_c(script: str) -> tuple[str, int]:
    """What a script prints and returns that is interrupted a second after it printed "go"."""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    return said, process.returncode


def in_threads(call: Callable[[int], None], count: int) -> None:
    """Call with 0, 1, ... in threads that take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=call, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
