"""One process of the fuzzer: runs attacks by name and tells its parent what it is doing, line by line."""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from dataclasses import asdict

GIB = 2**30


def main(memory: int) -> None:
    """Write the names of all attacks, then read names from standard input and write what each attack found."""
    resource.setrlimit(resource.RLIMIT_AS, (memory * GIB, memory * GIB))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the package prints is not ours
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        from fuzz.attacks import attempt, every, find

        attacks = every()
        out.write(json.dumps(list(attacks)) + "\n")
        for line in sys.stdin:
            name = line.rstrip("\n")
            finding = attempt(name, find(name, attacks))
            out.write(json.dumps(None if finding is None else asdict(finding)) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
