"""Many threads at once, in the hardest weather."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable


def at_once(work: Callable[[int], None], threads: int) -> None:
    """Call `work` with 0, 1, 2, ... in so many threads, which the interpreter switches between all the time."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        running = [threading.Thread(target=work, args=(seed,)) for seed in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
