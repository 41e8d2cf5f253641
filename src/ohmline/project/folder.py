"""A project on the disk: a folder with the graph, what there is to read about its nodes, and the events.

| file | holds |
|---|---|
| `project.toml` | format, name, recipe, where the events are |
| `graph.ohm` | the graph as it was at first |
| `nodes.parquet` | what there is to read about each node |
| `images/` | pictures of nodes |
| `events.db` | the events, unless they are in PostgreSQL |
| `events.head` | which event was acknowledged last |
| `snapshots/` | what the learner knew at some event, so that opening the project is quick |
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from ohmline.checks import file_path, shown
from ohmline.errors import FileFormatError, ParameterError, UnknownProject
from ohmline.graph.files.paths import replacing
from ohmline.graph.graph import Graph
from ohmline.store import container
from ohmline.store.places import Found, Written

FORMAT = 1
"""The format that is written; every one up to it is read."""
ABOUT, GRAPH, NODES, IMAGES = "project.toml", "graph.ohm", "nodes.parquet", "images"
EVENTS, HEAD, SNAPSHOTS = "events.db", "events.head", "snapshots"
_PASSWORD = re.compile(r"(?<=//)([^:/@]+):[^@]*@")


@final
@dataclass(frozen=True, slots=True)
class About:
    """What `project.toml` says.

    Attributes
    ----------
    name
        What people call the project.
    recipe
        The name of a shipped recipe; "" for the usual one.
    store
        The address of a PostgreSQL database; "" for the file `events.db`.
    """

    name: str
    recipe: str = ""
    store: str = ""


def write_about(folder: Path, about: About) -> None:
    """Write `project.toml`, whole or not at all; a password in the address of the store is left out."""
    lines = [f"format = {FORMAT}", f"name = {_quoted(about.name)}"]
    if about.recipe:
        lines.append(f"recipe = {_quoted(about.recipe)}")
    if about.store:
        address = _PASSWORD.sub(r"\1@", about.store)
        lines.append(f"store = {_quoted(address)}")
    with replacing(folder / ABOUT) as beside:
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_about(folder: Any) -> About:
    """What `project.toml` says, or an error that says what is wrong with the folder."""
    where = file_path(folder, "folder")
    path = where / ABOUT
    if not path.is_file():
        raise UnknownProject(
            f"{where} is no project: it has no {ABOUT}; make one with ohmline project, or give another folder"
        )
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path} cannot be read ({error}); restore it from a copy") from None
    version = found.get("format")
    if type(version) is not int or version < 1:
        raise FileFormatError(
            f"{path}: format {shown(version)} is no format of a project; expected format = {FORMAT}"
        )
    if version > FORMAT:
        raise FileFormatError(
            f"{path} has format {version}, and this version reads formats up to {FORMAT}; pip install --upgrade ohmline"
        )
    texts = {name: found.get(name, "") for name in ("name", "recipe", "store")}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise FileFormatError(f"{path}: {name} is {shown(value)}; expected a text")
    return About(**texts)


def write_first_graph(folder: Path, graph: Graph) -> None:
    """Write the graph of a project."""
    written = Written()
    place = written.place(graph)
    written.keep_graphs(but_the_given=False)
    container.write(
        folder / GRAPH, {"learner": None, "place": place, "graphs": written.graphs}, written.arrays
    )


def read_first_graph(folder: Path) -> Graph:
    """The graph of a project as it was at first."""
    header, arrays = container.read(folder / GRAPH)
    try:
        graph = Found(header["graphs"], arrays, None).place(header["place"])
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise FileFormatError(
            f"{folder / GRAPH} holds no graph ({type(error).__name__}: {error}); restore it from a copy"
        ) from None
    if not isinstance(graph, Graph):
        raise FileFormatError(f"{folder / GRAPH} holds no graph; restore it from a copy")
    return graph


def expect_new(folder: Path) -> None:
    """Refuse a folder that is there already, unless it is empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ParameterError(f"{folder} exists and is not empty; name a new folder for the project")
    if not folder.parent.is_dir():
        raise ParameterError(f"{folder.parent} is no folder; make it first, or name another place")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
