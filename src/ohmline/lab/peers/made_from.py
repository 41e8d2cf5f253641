"""What a cell of the tables is made from: the sources that do the work, the graph, the settings of the task, versions.

A kept cell is measured again when one of them has changed, and not because of anything else: words in a docstring, a
package that the system never calls, and the number of the commit are no reason.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from ohmline.compiled.sources import PACKAGE, place, source
from ohmline.lab.peers.contract import Problem, System
from ohmline.lab.peers.sizes import Size

HERE = "ohmline.lab.peers"
RULES = tuple(f"{HERE}.{name}" for name in ("tasks", "worker", "watch"))
"""How everything is measured."""
ASIDE = (
    "ohmline.cli",
    "ohmline.device",
    "ohmline.errors",
    "ohmline.extras",
    "ohmline.graph.doors",
    "ohmline.graph.files",
    "ohmline.graph.mapped",
    "ohmline.graph.streaming",
    "ohmline.learn.table",
    "ohmline.markup",
    "ohmline.progress",
    "ohmline.representation",
    "ohmline.sql",
)
"""What only reads and writes files and words, or works on another device: a cell begins with a matrix in memory."""
BENEATH = ("numpy", "scipy", "numba")
"""The packages that our own systems are made with."""
DIGITS = 16


def key(module: str, system: System, problem: Problem, size: Size, task: str) -> dict[str, Any]:
    """What a kept cell must share with this run."""
    return {
        "sources": sources(module),
        "graph": graph(problem),
        "settings": settings(size, problem.n, task),
        "versions": versions(system),
        "here": system.is_here(),
    }


def settings(size: Size, nodes: int, task: str) -> dict[str, Any]:
    """What a size says of one task on a graph of so many nodes."""
    said: dict[str, Any] = {"repeats": size.repeats_at(nodes, task)}
    if task == "online":
        said["refits"] = size.refits_at(nodes)
    else:
        said["looks"] = list(size.asked if task == "active" else size.shares)
    return said


def versions(system: System) -> dict[str, str]:
    """The version of what pip installs; for our own systems, whose sources are hashed, of what lies beneath them."""
    names = BENEATH if system.distribution == PACKAGE else (system.distribution,)
    return {name: version_of(name) for name in names}


def version_of(distribution: str) -> str:
    """The version that is installed; empty where there is none."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


@cache
def graph(problem: Problem) -> str:
    """One hash of the edges, weights and classes, wherever they come from."""
    matrix, digest = problem.adjacency, hashlib.sha256()
    for part, kind in (
        (matrix.indptr, np.int64),
        (matrix.indices, np.int64),
        (matrix.data, np.float64),
        (problem.codes, np.int64),
    ):
        digest.update(np.ascontiguousarray(part, dtype=kind).tobytes())
    return digest.hexdigest()[:DIGITS]


@cache
def sources(module: str) -> str:
    """One hash of the code behind an adapter, down to the last module of ours, and of the rules it is measured by."""
    return hash_of(sorted({*behind(module), *RULES}))


def behind(module: str) -> set[str]:
    """The modules of this package that a module is made from, itself included."""
    known: set[str] = set()
    waiting = {module}
    while waiting:
        known |= waiting
        waiting = {other for name in waiting for other in imported(name) if not _is_aside(other)} - known
    return known


def _is_aside(name: str) -> bool:
    return any(name == other or name.startswith(f"{other}.") for other in ASIDE)


def hash_of(modules: Iterable[str]) -> str:
    """One hash of what modules do: comments, docstrings and the way that lines are broken make no difference."""
    digest = hashlib.sha256()
    for name in modules:
        digest.update(f"{name} {code(source(name))}\n".encode())
    return digest.hexdigest()[:DIGITS]


@cache
def code(text: bytes) -> str:
    """One hash of what a text of Python does."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not _is_words(line)]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_words(line: ast.AST) -> bool:
    """Whether a line is a string alone: a docstring, or words about an attribute."""
    return (
        isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Constant)
        and isinstance(line.value.value, str)
    )


@cache
def imported(name: str) -> frozenset[str]:
    """The modules that a module takes something from, the one where each name is made, also within its functions."""
    return frozenset(home(origin, word) for origin, word in _imports(name))


def home(origin: str, word: str) -> str:
    """The module where a name is made that a package may only hand on."""
    if place(f"{origin}.{word}") is not None:
        return f"{origin}.{word}"
    path = place(origin)
    if path is not None and path.name == "__init__.py":
        for further, handed in _imports(origin):
            if handed == word and further != origin:
                return home(further, word)
    return origin


@cache
def _imports(name: str) -> tuple[tuple[str, str], ...]:
    """Module and name of all that a module imports from this package."""
    found = []
    for node in ast.walk(ast.parse(source(name))):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == PACKAGE:
            found += [(str(node.module), alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names if alias.name.partition(".")[0] == PACKAGE]
    return tuple(found)
