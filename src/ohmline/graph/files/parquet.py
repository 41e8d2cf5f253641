"""Parquet through polars: columns source, target and weight."""

from __future__ import annotations

import io
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Unpack, final

import numpy as np

from ohmline.errors import FileFormatError
from ohmline.extras import require
from ohmline.graph.columns import Coded, Column
from ohmline.graph.doors.frames import Frame, PolarsFrame
from ohmline.graph.doors.tables import graph_from
from ohmline.graph.edges import Rules, ordered
from ohmline.graph.files.paths import FileLimits, content, write_bytes
from ohmline.graph.files.spelling import listed_nodes, nodes_json, spelled
from ohmline.graph.files.stream_parquet import stream_parquet
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.streaming.unusual import Unusual
from ohmline.progress import Advance

_NODES = "ohmline-nodes"


def read_parquet(
    path: Path,
    limits: FileLimits,
    *,
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
    nodes: list[Hashable] | None,
    progress: Advance | bool | None = None,
    **rules: Unpack[Rules],
) -> Graph:
    """A graph from the columns source, target and weight, or from the only two or three there are."""
    if nodes is None:
        with suppress(Unusual):
            return stream_parquet(
                path, limits, source=source, target=target, weight=weight, progress=progress, **rules
            )
    frame, listed = parquet_frame(path, limits)
    given = nodes if nodes is not None or listed is None else _listed(listed, path)
    table = frame if given is None else _Respelled(frame, given)
    return graph_from(
        table, source, target, weight, what=str(path), error=FileFormatError, nodes=given, **rules
    )


def parquet_frame(path: Path, limits: FileLimits) -> tuple[Frame, str | None]:
    """The columns of a Parquet file, and the nodes that it lists itself."""
    polars = require("polars", "io")
    data = content(path, limits)
    try:
        rows = polars.scan_parquet(io.BytesIO(data)).select(polars.len()).collect().item()
        if 16 * rows > limits.size:  # equal values take next to no room in the file
            raise FileFormatError(
                f"{path} declares {rows} rows; if it should, pass limits=FileLimits(size=...) with {16 * rows} or more"
            )
        frame = polars.read_parquet(io.BytesIO(data))
        return PolarsFrame(frame), polars.read_parquet_metadata(io.BytesIO(data)).get(_NODES)
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError, ValueError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(
            f"{path} is not Parquet, or is cut short ({error}); give the format that it has, "
            "or write it again"
        ) from None


@final
class _Respelled:
    """A table whose ids are those of a list that are spelled alike: Parquet may hold 1 where the list has '1'."""

    def __init__(self, frame: Frame, nodes: list[Hashable]) -> None:
        self.names, self.height = frame.names, frame.height
        self.numbers, self.values = frame.numbers, frame.values
        self._frame = frame
        self._nodes = {str(node): node for node in nodes}

    def ids(self, k: int) -> Coded:
        """Column k as ids of the list."""
        column = self._frame.ids(k)
        if not isinstance(column, Coded):
            names, codes = np.unique(column, return_inverse=True)
            column = Coded(names.tolist(), codes)
        return Coded([self._nodes.get(str(name), name) for name in column.names], column.codes)


def write_parquet(graph: Graph, path: Path) -> None:
    """One row per edge; ids are whole numbers if all are, else strings."""
    polars = require("polars", "io")
    names = spelled(graph.nodes, path)
    whole = all(isinstance(node, int) for node in graph.nodes)
    ids: list[Any] = list(graph.nodes) if whole else names
    sources, targets, weights = (column.tolist() for column in graph.edges())
    kind = polars.Int64 if whole else polars.String
    frame = polars.DataFrame(
        {"source": [ids[i] for i in sources], "target": [ids[j] for j in targets], "weight": weights},
        schema={"source": kind, "target": kind, "weight": polars.Float64},
    )
    ends = [ids[end] for edge in zip(sources, targets, strict=True) for end in edge]
    plain = NodeIndex(ordered(ends)) == graph.nodes
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata=None if plain else {_NODES: nodes_json(graph.nodes)})
    write_bytes(path, buffer.getvalue())


def _listed(spelling: str, path: Path) -> list[Hashable]:
    try:
        return listed_nodes(spelling)
    except ValueError as error:
        raise FileFormatError(
            f"{path}: the list of nodes is broken ({error}); write the file again"
        ) from None
