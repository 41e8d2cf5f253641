"""Every system on every graph, one cell after the other, each kept as soon as it is there."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from ohmline.compiled.sources import PACKAGE
from ohmline.data import is_here
from ohmline.errors import OhmlineError, ParameterError
from ohmline.lab.finished import about_this_machine
from ohmline.lab.page import write
from ohmline.lab.peers.contract import Problem, System
from ohmline.lab.peers.graphs import problem
from ohmline.lab.peers.made_from import key, version_of
from ohmline.lab.peers.sizes import FULL, Size
from ohmline.lab.peers.tasks import TASKS, can, fits
from ohmline.lab.peers.watch import watched
from ohmline.version import __version__

MODULES = tuple(
    f"ohmline.lab.peers.{name}"
    for name in (
        "ours",
        "scikit_learn",
        "graph_learning",
        "scikit_network",
        "river",
        "scikit_activeml",
        "rivals",
    )
)
"""Each has its `SYSTEMS`."""
FILE = "peers.json"
"""What was measured, in the folder of the results."""

Document = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What is to be compared, and where it is kept."""

    size: Size = FULL
    seed: int = 0
    folder: Path | None = None
    """Where `peers.json` is kept; None for a folder of its own that goes when the comparison ends."""
    fresh: bool = False
    """Whether to measure again what is in the folder."""
    modules: tuple[str, ...] = MODULES
    tell: Callable[[str], None] = field(default=lambda message: None)


def systems_of(modules: Sequence[str]) -> list[tuple[str, System]]:
    """All systems with their modules, in the order of the tables."""
    return [(module, system) for module in modules for system in import_module(module).SYSTEMS]


def compare(plan: Plan) -> Document:
    """Measure every cell that is not there yet; the whole table as plain data."""
    if plan.folder is not None:
        return _compare(plan, plan.folder / FILE)
    own = Path(tempfile.mkdtemp(prefix="ohmline-peers-"))
    try:
        return _compare(plan, own / FILE)
    finally:
        shutil.rmtree(own)


def _compare(plan: Plan, path: Path) -> Document:
    systems = systems_of(plan.modules)
    graphs, absent = [], {}
    for name in plan.size.graphs:
        if is_here(name):
            graphs.append(problem(name))
        else:
            absent[name] = f"ohmline data get {name}"
    kept = {} if plan.fresh else _kept(path, plan)
    document = _heading(plan, systems, graphs, absent)
    for graph in graphs:
        for row in systems:
            _fill(document, kept, plan, path, row, graph)
    _write(path, document)
    return document


def _fill(
    document: Document,
    kept: dict[tuple[str, str, str], Document],
    plan: Plan,
    path: Path,
    row: tuple[str, System],
    graph: Problem,
) -> None:
    """The cells of one system on one graph."""
    module, system = row
    missing = {}
    for task in TASKS:
        if not can(system, task) or not fits(graph.n, plan.size, task):
            continue
        made_from = key(module, system, graph, plan.size, task)
        cell = kept.get((system.name, graph.name, task))
        if cell is not None and _holds(cell, made_from, plan.size):
            document["cells"].append(cell)
        elif not system.is_here():
            document["cells"].append(
                _cell(plan, system, graph, task, made_from, failed=f"run: {system.remedy}")
            )
        else:
            missing[task] = made_from
    if not missing:
        return
    plan.tell(f"{system.name} on {graph.name}: {', '.join(missing)}")
    arguments = [module, system.name, graph.name, plan.size.name, str(plan.seed)]
    for outcome in watched(arguments, tuple(missing), plan.size.patience):
        document["cells"].append(
            _cell(plan, system, graph, outcome.task, missing[outcome.task], outcome.found, outcome.failed)
        )
        _write(path, _with_rest(document, kept))


def _holds(cell: Document, made_from: Document, size: Size) -> bool:
    """Whether a kept cell is what would be measured now; one that was given up is tried again with more patience."""
    return cell["key"] == made_from and (
        cell["found"] is not None or cell.get("patience", 0.0) >= size.patience
    )


def _with_rest(document: Document, kept: dict[tuple[str, str, str], Document]) -> Document:
    """What there is so far, with what was kept and is not come to yet, so that an interruption loses nothing."""
    here = {_place(cell) for cell in document["cells"]}
    rest = [cell for place, cell in kept.items() if place not in here]
    return {**document, "cells": document["cells"] + rest}


def _cell(
    plan: Plan,
    system: System,
    graph: Problem,
    task: str,
    key: Document,
    found: Document | None = None,
    failed: str = "",
) -> Document:
    return {
        "system": system.name,
        "graph": graph.name,
        "task": task,
        "found": found,
        "failed": failed,
        "patience": plan.size.patience,
        "key": key,
    }


def _place(cell: Document) -> tuple[str, str, str]:
    return cell["system"], cell["graph"], cell["task"]


def _heading(
    plan: Plan, systems: Sequence[tuple[str, System]], graphs: Sequence[Problem], absent: dict[str, str]
) -> Document:
    """All that is known before anything is measured."""
    size = plan.size
    return {
        "size": size.name,
        "seed": plan.seed,
        "machine": about_this_machine(),
        "shares": list(size.shares),
        "literal": size.literal,
        "large": size.large,
        "asked": list(size.asked),
        "patience": size.patience,
        "graphs": [
            {
                "name": graph.name,
                "nodes": graph.n,
                "edges": int(graph.adjacency.nnz // 2),
                "classes": graph.classes,
                "repeats": size.repeats_at(graph.n, "online"),
                "loops": size.repeats_at(graph.n, "active"),
                "refits": size.refits_at(graph.n),
            }
            for graph in graphs
        ],
        "absent": absent,
        "systems": [
            {
                "name": system.name,
                "note": system.note,
                "ours": system.ours,
                "distribution": system.distribution,
                "version": _version(system.distribution),
                "online": system.play is not None,
                "tasks": [task for task in TASKS if can(system, task)],
            }
            for _, system in systems
        ],
        "cells": [],
    }


def _version(distribution: str) -> str:
    """The version of a system; of ours that of the sources that run, whatever pip installed before."""
    return __version__ if distribution == PACKAGE else version_of(distribution)


def _kept(path: Path, plan: Plan) -> dict[tuple[str, str, str], Document]:
    """The cells of an earlier run with the same size, seed, machine, NumPy and SciPy."""
    if not path.exists():
        return {}
    document = read(path)
    same = {"size": plan.size.name, "seed": plan.seed, "machine": _hardware(about_this_machine())}
    if same != {
        "size": document["size"],
        "seed": document["seed"],
        "machine": _hardware(document["machine"]),
    }:
        return {}
    return {_place(cell): cell for cell in document["cells"]}


def _hardware(machine: Document) -> list[Any]:
    return [machine.get(part) for part in ("processor", "system", "Python", "numpy", "scipy")]


def read(path: Path) -> Document:
    """A document that `compare` wrote."""
    try:
        document: Document = json.loads(path.read_text(encoding="utf-8"))
        for part in ("size", "seed", "machine", "systems", "graphs"):
            document[part]
        for cell in document["cells"]:
            cell["key"], cell["found"], cell["failed"], _place(cell)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ParameterError(
            f"{path} is not what a comparison wrote ({type(error).__name__}: {error}); move it away, choose another "
            "folder, or measure anew with --fresh"
        ) from None
    return document


def _write(path: Path, document: Document) -> None:
    write(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def cells(document: Document, task: str) -> Iterator[Document]:
    """The cells of one task."""
    return (cell for cell in document["cells"] if cell["task"] == task)


def refuse_nothing(document: Document) -> None:
    """Raise where not one cell was measured."""
    if not any(cell["found"] for cell in document["cells"]):
        raise OhmlineError(
            "no system could be measured; the rows of the table say why: see --json, or run with --fresh"
        )
