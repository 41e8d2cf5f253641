"""One system on one graph in a process of its own: `python -m ohmline.lab.peers.worker`, a line of JSON per task."""

from __future__ import annotations

import json
import sys
import traceback
from dataclasses import replace
from importlib import import_module
from typing import Any

from ohmline.lab.peers.contract import System
from ohmline.lab.peers.graphs import problem
from ohmline.lab.peers.sizes import SIZES, Size
from ohmline.lab.peers.tasks import TASKS

WARM = "karate"


def system_of(module: str, name: str) -> System:
    """The system of that name in a module's `SYSTEMS`."""
    systems: tuple[System, ...] = import_module(module).SYSTEMS
    return next(system for system in systems if system.name == name)


def warm_up(system: System, size: Size, task: str) -> None:
    """Do a little of the same, so that imports and compiling are not in the measured time."""
    little = replace(
        size, shares=(0.2,), repeats=(1, 1, 1), loops=(1, 1, 1), refits=(2, 2), literal=0, asked=(1, 2)
    )
    TASKS[task](system, problem(WARM), little, 0)


def attempt(system: System, graph: Any, size: Size, task: str, seed: int) -> dict[str, Any]:
    """What the task found, or why it found nothing. Some peers end the interpreter where others raise."""
    try:
        warm_up(system, size, task)
        say({"begins": task})
        return {"task": task, "found": TASKS[task](system, graph, size, seed)}
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        words = str(error).strip().splitlines()
        return {
            "task": task,
            "failed": f"{type(error).__name__}: {words[0][:200]}" if words else type(error).__name__,
        }


def say(line: dict[str, Any]) -> None:
    """One line to the process that watches this one; what peers print goes to standard error."""
    sys.__stdout__.write(json.dumps(line) + "\n")  # type: ignore[union-attr]
    sys.__stdout__.flush()  # type: ignore[union-attr]


def main(module: str, name: str, graph: str, size: str, seed: str, *tasks: str) -> None:
    """Do the tasks one after the other."""
    sys.stdout = sys.stderr
    system, work = system_of(module, name), problem(graph)
    for task in tasks:
        say(attempt(system, work, SIZES[size], task, int(seed)))


if __name__ == "__main__":
    main(*sys.argv[1:])
