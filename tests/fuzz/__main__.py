"""The command line of the fuzzer: `python -m fuzz --seconds 600 --seed 0`."""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MEMORY = 6
"""GiB that an attack may take."""
PATIENCE = 60.0
"""Seconds that an attack may take; compiling a learner on a busy machine is part of them."""
START = 600.0
"""Seconds until the first attack: all learners are compiled where the cache is cold."""
STARTING = "the start"
TWO = " && "
"""As in `fuzz.attacks`, which this process does not import: it would load the package that is attacked."""
TESTS = Path(__file__).resolve().parent.parent


class Worker:
    """A process that attacks, and is replaced when it dies or hangs."""

    def __init__(self) -> None:
        paths = [str(TESTS), os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "OMP_NUM_THREADS": "1",
            "OHMLINE_MEMORY": "1",
        }
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.worker", str(MEMORY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env=environment,
        )
        self.attack = STARTING
        self.since = time.monotonic()

    def send(self, attack: str) -> None:
        """Start an attack."""
        assert self.process.stdin is not None
        self.attack, self.since = attack, time.monotonic()
        try:
            self.process.stdin.write(attack + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has died, which the next look at it shows

    def tail(self) -> str:
        """The last line that it complained with."""
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else ""

    def end(self) -> None:
        """Stop it."""
        self.process.kill()
        self.process.wait()


def fuzz(
    seed: int, only: str, seconds: float, jobs: int
) -> tuple[dict[tuple[str, str], dict[str, Any]], int, int]:
    """Findings by class and place, how many attacks were made, and of how many."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    names: list[str] | None = None
    done, total, end = 0, 0, float("inf")
    ready = selectors.DefaultSelector()
    more: Iterator[str] = iter(())

    def start() -> None:
        worker = Worker()
        ready.register(worker.process.stdout, selectors.EVENT_READ, worker)  # type: ignore[arg-type]

    def replace(worker: Worker, what: str) -> None:
        ready.unregister(worker.process.stdout)  # type: ignore[arg-type]
        worker.end()
        place = worker.attack.partition("=")[0]
        message = f"exit code {worker.process.returncode} {worker.tail()}"
        note(found, {"what": what, "where": place, "attack": worker.attack, "message": message})
        start()

    for _ in range(jobs):
        start()
    while time.monotonic() < end and names != []:
        for key, _ in ready.select(timeout=1.0):
            worker = key.data
            line = worker.process.stdout.readline()
            if not line:
                replace(worker, "crash")
                if worker.attack == STARTING:
                    names = []  # it will not get better
                    break
                continue
            said = json.loads(line)
            if isinstance(said, list):
                if names is None:  # the first that is ready; from now on the time counts
                    names = sorted(name for name in said if only in name)
                    random.Random(seed).shuffle(names)
                    total, end = len(names), time.monotonic() + seconds
                    more = further(said, random.Random(seed))
            else:
                done += 1
                if said is not None:
                    note(found, said)
            if not names:
                break
            worker.send(names.pop())
            if not names and not only:
                names.append(next(more))  # every single attack was made: go on with two at once
        for key in list(ready.get_map().values()):
            patience = PATIENCE if key.data.attack != STARTING else START
            if time.monotonic() - key.data.since > patience:
                replace(key.data, "hang")
    for key in list(ready.get_map().values()):
        key.data.end()
    return found, done, total


def further(names: list[str], draw: random.Random) -> Iterator[str]:
    """Without end: two attacks on one call or one snapshot at once, and files damaged in other ways."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(re.split(r"[\[(]", name)[0], []).append(name)
    files = sorted({name.split(" ")[1] for name in names if name.startswith("file ")})
    pairs = [group for key, group in sorted(groups.items()) if not key.startswith("file ")]
    while True:
        if files and draw.random() < 0.3:
            yield f"file {draw.choice(files)} {draw.randrange(400, 10**9)}"
        elif pairs:
            yield TWO.join(draw.sample(group, 2) if len(group := draw.choice(pairs)) > 1 else group * 2)


def note(found: dict[tuple[str, str], dict[str, Any]], finding: dict[str, Any]) -> None:
    """Keep the first finding of each class and place, and print it."""
    key = finding["what"], finding["where"]
    if key in found:
        found[key]["times"] += 1
        return
    found[key] = {**finding, "times": 1}
    words = f"{finding['what']} at {finding['where']}\n  {finding['attack']}\n  {finding['message']}"
    print(words.encode("ascii", "backslashreplace").decode(), flush=True)


def main() -> int:
    """Fuzz for a while; 1 where something was found."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long (600)")
    parser.add_argument("--seed", type=int, default=None, help="draws the order of the attacks; printed")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--only", default="", help="only attacks whose name contains this")
    parser.add_argument("--out", type=Path, default=None, help="write the findings as JSON lines")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**9)
    print(f"seed {seed}, {options.seconds:g} seconds", flush=True)
    found, done, total = fuzz(seed, options.only, options.seconds, options.jobs)
    print(f"{done} attacks, among them the {min(done, total)} of {total} single ones, {len(found)} findings")
    if options.out is not None:
        options.out.write_text("".join(json.dumps(finding) + "\n" for finding in found.values()))
    return 1 if found or not done else 0


if __name__ == "__main__":
    sys.exit(main())
