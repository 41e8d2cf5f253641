"""From a file of edges to a graph file, also where the graph does not fit into memory."""

from __future__ import annotations

import shutil
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from ohmline.checks import file_path, flag, instance, none_or
from ohmline.errors import DataError, FileFormatError
from ohmline.graph.edges import Parallel, Rules, parallel_of
from ohmline.graph.files.paths import FileLimits, suffix_of
from ohmline.graph.files.stream_edges import is_large, stream_edges
from ohmline.graph.files.stream_parquet import stream_parquet
from ohmline.graph.streaming import Edges, Unusual
from ohmline.progress import Advance

SUFFIX = ".ohmg"
"""How the name of a graph file ends."""


def convert(
    edges: str | PathLike[str],
    path: str | PathLike[str],
    *,
    header: bool | None = None,
    source: str | int | None = None,
    target: str | int | None = None,
    weight: str | int | Literal[False] | None = None,
    signed: bool = False,
    symmetrise: bool = False,
    parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    limits: FileLimits | None = None,
    progress: Advance | bool | None = None,
) -> None:
    """Write the graph of a file of edges to a graph file, which `Graph.open` maps from disk.

    A large edge list or Parquet file goes through as a stream: the rows are put together a quarter of a gibibyte at a
    time, and memory is needed for the ids and eight bytes per node. Other files are read whole first.

    Parameters
    ----------
    edges
        The file that is read.
    path
        The graph file, whose name ends in .ohmg. It is replaced if it exists, and appears whole or not at all; in
        its folder there is room for a second copy of the edges, eight bytes each, while they are read.
    header, source, target, weight, signed, symmetrise, parallel, limits, progress
        As for `ohmline.graph.read`.
    """
    from ohmline.graph.files import read, write

    place, goal = file_path(edges, "edges"), file_path(path)
    if suffix_of(goal) != SUFFIX:
        raise FileFormatError(
            f"{goal}: the name of a graph file ends in {SUFFIX}; rename it, or use read and write for other formats"
        )
    rules: Rules = {
        "signed": flag(signed, "signed"),
        "symmetrise": flag(symmetrise, "symmetrise"),
        "parallel": parallel_of(parallel),
    }
    most = FileLimits() if limits is None else instance(limits, FileLimits, "limits")
    ends: dict[str, Any] = {"source": source, "target": target, "weight": weight}
    header = none_or(flag, header, "header")
    options = {**ends, **rules, "progress": progress, "folder": goal.parent, "finish": _written(goal)}
    try:
        if suffix_of(place) == ".parquet":
            expect_room(place, goal)
            stream_parquet(place, most, **options)
            return
        if is_large(place) and suffix_of(place) in (".csv", ".tsv", ".txt", ".edges", ".edgelist", ".el"):
            expect_room(place, goal)
            stream_edges(place, most, header=header, **options)
            return
    except Unusual:
        pass  # whoever reads it whole decides, or has the words for the error
    write(
        read(place, header=header, **ends, **rules, limits=most, progress=progress),
        goal,
    )


def expect_room(edges: Path, goal: Path) -> None:
    """Raise where the disk of the goal has less room than the file of edges takes: the graph and its spill need it."""
    try:
        free, size = shutil.disk_usage(goal.parent).free, edges.stat().st_size
    except OSError:
        return  # whoever opens them says what is wrong
    if free < size:
        raise DataError(
            f"{goal} would take about {size / 2**30:.3g} GiB, and {goal.parent} has {free / 2**30:.3g} left; name a "
            "file on another disk"
        )


def _written(goal: Path) -> Any:
    def finish(edges: Edges, coder: Any) -> None:
        edges.write(coder, goal)

    return finish
