"""From a file of edges to a graph file, also where the graph does not fit into memory."""

from __future__ import annotations

import shutil
from collections.abc import Hashable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, final

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.checks import LARGEST_COUNT, file_path, flag, instance, none_or
from ohmline.errors import DataError, FileFormatError, UnknownNode
from ohmline.graph.edges import Parallel, Rules, index_from, parallel_of
from ohmline.graph.files.given_nodes import given_nodes, refuse_doubt
from ohmline.graph.files.parquet import edge_parts
from ohmline.graph.files.parts import is_parts
from ohmline.graph.files.paths import FileLimits, packing_of, suffix_of
from ohmline.graph.files.stream_edges import is_large, stream_edges
from ohmline.graph.files.stream_parquet import outline, stream_parquet
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.streaming import Edges, Unusual
from ohmline.progress import Advance

SUFFIX = ".ohmg"
"""How the name of a graph file ends."""
TEXT = (".csv", ".tsv", ".txt", ".edges", ".edgelist", ".el")
"""How the names of edge lists end."""
SPILL = 8
"""Bytes on disk per edge while edges are read, where all weigh 1."""
STREAMED = object()
"""What is left of edges that have gone into a file."""


def convert(
    edges: str | PathLike[str] | Any,
    path: str | PathLike[str],
    *,
    header: bool | None = None,
    source: str | int | None = None,
    target: str | int | None = None,
    weight: str | int | Literal[False] | None = None,
    nodes: str | PathLike[str] | Iterable[Hashable] | None = None,
    nodes_header: bool | None = None,
    signed: bool = False,
    symmetrise: bool = False,
    parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    limits: FileLimits | None = None,
    progress: Advance | bool | None = None,
) -> None:
    """Write the graph of a file of edges to a graph file, which `Graph.open` maps from disk.

    A large edge list, Parquet file, folder of Parquet parts or relation of DuckDB goes through as a stream: the rows
    are put together a quarter of a gibibyte at a time, and memory is needed for the ids (with `nodes`, for the list of
    them) and eight bytes per node. Others are read whole first.

    Parameters
    ----------
    edges
        The file that is read, or the folder of its parts; or a relation of DuckDB, such as `connection.sql(query)`.
    path
        The graph file, whose name ends in .ohmg. It is replaced if it exists, and appears whole or not at all; in
        its folder there is room for a second copy of the edges, eight bytes each, while they are read.
    header, source, target, weight, nodes, nodes_header, signed, symmetrise, parallel, progress
        As for `ohmline.graph.read`.
    limits
        How large the file may be. None (default) lets what goes through as a stream be as large as it is, unless it is
        compressed (.gz, .zst); that, and what is read whole, may hold what `FileLimits()` says.
    """
    from ohmline.graph.files import read, write

    goal = file_path(path)
    if suffix_of(goal) != SUFFIX:
        raise FileFormatError(
            f"{goal}: the name of a graph file ends in {SUFFIX}; rename it, or use read and write for other formats"
        )
    rules: Rules = {
        "signed": flag(signed, "signed"),
        "symmetrise": flag(symmetrise, "symmetrise"),
        "parallel": parallel_of(parallel),
    }
    ends: dict[str, Any] = {"source": source, "target": target, "weight": weight}
    header = none_or(flag, header, "header")
    given = none_or(lambda value, name: instance(value, FileLimits, name), limits, "limits")
    listed, sure = given_nodes(nodes, nodes_header, given or FileLimits())
    finish = _written(goal, listed, None if sure else nodes)
    if hasattr(edges, "__arrow_c_stream__"):
        _convert_relation(edges, goal, ends, rules, listed, finish, progress)
        return
    place = file_path(edges, "edges")
    streams = packing_of(place) is None and (is_parts(place) or suffix_of(place) in (".parquet", *TEXT))
    most = given or FileLimits(size=LARGEST_COUNT if streams else FileLimits.size)
    options = {
        **ends,
        **rules,
        "progress": progress,
        "folder": goal.parent,
        "finish": finish,
        "in_memory": False,
    }
    try:
        if is_parts(place):
            parts = edge_parts(place, source, target, weight)
            expect_room(parts, goal)
            stream_parquet(place, most, parts=parts, **options)
            return
        if suffix_of(place) == ".parquet":
            expect_room([place], goal)
            stream_parquet(place, most, **options)
            return
        if is_large(place) and suffix_of(place) in TEXT:
            expect_room([place], goal)
            stream_edges(place, most, header=header, **options)
            return
    except Unusual:
        pass  # whoever reads it whole decides, or has the words for the error
    write(
        read(
            place,
            header=header,
            nodes=nodes if isinstance(nodes, str | PathLike) else listed,
            nodes_header=nodes_header,
            **ends,
            **rules,
            limits=most,
            progress=progress,
        ),
        goal,
    )


def _convert_relation(
    relation: Any,
    goal: Path,
    ends: dict[str, Any],
    rules: Rules,
    listed: Sequence[Hashable] | None,
    finish: Any,
    progress: Advance | bool | None,
) -> None:
    """The rows of a relation of DuckDB into a graph file, as a stream where they are many."""
    from ohmline.graph.doors.queries import duckdb_frame, streamed
    from ohmline.graph.doors.tables import graph_from
    from ohmline.graph.files import write

    names = (ends["source"], ends["target"], ends["weight"])
    options = {"folder": goal.parent, "finish": finish, "progress": progress}
    try:
        if streamed(relation, *names, what="the relation", **options, **rules) is STREAMED:
            return
    except Unusual:
        pass  # whoever reads it whole has the words for the error
    frame = duckdb_frame(relation, None)
    write(graph_from(frame, *names, what="the relation", nodes=listed, **rules), goal)


def expect_room(edges: Sequence[Path], goal: Path) -> None:
    """Raise where the disk of the goal has less room than the edges take: the graph and its spill need it."""
    try:
        free, size = shutil.disk_usage(goal.parent).free, sum(file.stat().st_size for file in edges)
    except OSError:
        return  # whoever opens them says what is wrong
    if all(file.suffix.lower() == ".parquet" for file in edges):
        size = max(size, SPILL * _rows(edges))
    if free < size:
        raise DataError(
            f"{goal} would take about {size / 2**30:.3g} GiB, and {goal.parent} has {free / 2**30:.3g} left; name a "
            "file on another disk"
        )


def _rows(files: Sequence[Path]) -> int:
    """The rows that Parquet files declare: equal values take next to no room in them, and do on the disk."""
    try:
        return outline(files)[0]
    except (Exception, Unusual):
        return 0  # whoever reads them says what is wrong


def _written(goal: Path, listed: Sequence[Hashable] | None, doubted: Any) -> Any:
    def finish(edges: Edges, coder: Any) -> object:
        edges.write(coder if listed is None else _Listed(coder, listed, doubted), goal)
        return STREAMED

    return finish


@final
class _Listed:
    """The nodes of a stream in the order of a list, which has isolated ones too.

    Parameters
    ----------
    coder
        Who gave the codes of the edges.
    listed
        All nodes.
    doubted
        The file of the list, where its first line may be the name of its column; None where that is sure.
    """

    def __init__(self, coder: Any, listed: Sequence[Hashable], doubted: Any) -> None:
        self._coder, self._listed, self._doubted = coder, listed, doubted
        self.top: int = coder.top

    def nodes(self, seen: AnyArray) -> tuple[NodeIndex, AnyArray]:
        """The ids of the list, and the position of each code."""
        found, rank = self._coder.nodes(seen)
        nodes = index_from(self._listed)
        try:
            places = nodes.positions(list(found)).astype(np.int32)
        except UnknownNode:
            raise Unusual("a node that is not listed, or is written in another way") from None
        if self._doubted is not None:
            joined = np.zeros(len(nodes), np.bool_)
            joined[places] = True
            refuse_doubt(self._doubted, self._listed, joined)
        return nodes, places if not len(rank) else places[rank]
