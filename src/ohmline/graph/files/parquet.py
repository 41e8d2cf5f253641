"""Parquet through polars: columns source, target and weight."""

from __future__ import annotations

import io
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from ohmline.errors import FileFormatError
from ohmline.extras import require
from ohmline.graph.edges import ordered
from ohmline.graph.files.paths import FileLimits, content, write_bytes
from ohmline.graph.files.table import listed_nodes, nodes_json, spelled
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex

_NODES = "ohmline-nodes"


def read_parquet(path: Path, limits: FileLimits, *, signed: bool, symmetrise: bool) -> Graph:
    """A graph from the columns source, target and weight, or from the only two or three there are."""
    polars = require("polars", "io")
    data = content(path, limits)
    try:
        rows = polars.scan_parquet(io.BytesIO(data)).select(polars.len()).collect().item()
        if 16 * rows > limits.size:  # equal values take next to no room in the file
            raise FileFormatError(
                f"{path} declares {rows} rows; if it should, pass limits=FileLimits(size=...) with {16 * rows} or more"
            )
        frame = polars.read_parquet(io.BytesIO(data))
        listed = polars.read_parquet_metadata(io.BytesIO(data)).get(_NODES)
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError, ValueError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(
            f"{path} is not Parquet, or is cut short ({error}); give the format that it has, "
            "or write it again"
        ) from None
    names = _columns(frame, path)
    for name in names:
        if frame[name].null_count():
            row = frame[name].is_null().arg_true()[0] + 1
            raise FileFormatError(f"{path}, row {row}: column {name!r} is empty; leave no gaps")
    sources, targets = frame[names[0]].to_list(), frame[names[1]].to_list()
    if listed is None:
        nodes = ordered([end for edge in zip(sources, targets, strict=True) for end in edge])
        if not nodes:
            raise FileFormatError(f"{path} has no rows; expected at least one edge")
    else:
        nodes = _listed(listed, path)
        ids: dict[str, Hashable] = {str(node): node for node in nodes}
        sources, targets = ([ids.get(str(end), end) for end in ends] for ends in (sources, targets))
    weights = frame[names[2]].to_list() if len(names) == 3 else None
    return Graph.from_columns(sources, targets, weights, nodes=nodes, signed=signed, symmetrise=symmetrise)


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


def _columns(frame: Any, path: Path) -> list[str]:
    named = [name for name in ("source", "target", "weight") if name in frame.columns]
    if named[:2] == ["source", "target"]:
        return named
    if len(frame.columns) in (2, 3):
        return list(frame.columns)
    raise FileFormatError(
        f"{path} has the columns {', '.join(frame.columns)}; expected source, target and perhaps weight: "
        "rename them, or leave the others out"
    )


def _listed(spelling: str, path: Path) -> list[Hashable]:
    try:
        return listed_nodes(spelling)
    except ValueError as error:
        raise FileFormatError(
            f"{path}: the list of nodes is broken ({error}); write the file again"
        ) from None
