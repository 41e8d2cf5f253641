"""Parquet through polars: columns source, target and weight."""

from __future__ import annotations

import io
from collections.abc import Hashable
from pathlib import Path
from typing import Any, Literal, Unpack, final

import numpy as np

from ohmline.checks import room
from ohmline.errors import FileFormatError
from ohmline.extras import require
from ohmline.graph.columns import Coded, Column, edge_columns
from ohmline.graph.doors.frames import Frame, PolarsFrame
from ohmline.graph.doors.tables import graph_from
from ohmline.graph.edges import Rules, ordered
from ohmline.graph.files.parts import files_of, is_parts
from ohmline.graph.files.paths import FileLimits, content, refuse_size, write_bytes
from ohmline.graph.files.spelling import listed_nodes, nodes_json, spelled
from ohmline.graph.files.stream_parquet import outline, refuse_rows, stream_parquet
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.streaming.unusual import Unusual
from ohmline.progress import Advance

_NODES = "ohmline-nodes"
WHOLE = 60
"""Bytes of memory for each row of a table that is read whole, about."""


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
    parts = edge_parts(path, source, target, weight) if is_parts(path) else None
    if nodes is None:
        try:
            return stream_parquet(
                path,
                limits,
                parts=parts,
                source=source,
                target=target,
                weight=weight,
                progress=progress,
                **rules,
            )
        except Unusual as why:
            _expect_room(path, [path] if parts is None else parts, why)
    elif parts is not None:
        refuse_size(parts, limits, path)
        refuse_rows(path, outline(parts)[0], limits)
    if parts is None or len(parts) == 1:
        frame, listed = parquet_frame(path if parts is None else parts[0], limits)
    else:
        frame, listed = _joined(path, parts, source, target, weight, limits), None
    given = nodes if nodes is not None or listed is None else _listed(listed, path)
    table = frame if given is None else _Respelled(frame, given)
    return graph_from(
        table, source, target, weight, what=str(path), error=FileFormatError, nodes=given, **rules
    )


def _expect_room(path: Path, files: list[Path], why: Unusual) -> None:
    """Raise where tables would have to be read whole and do not fit into memory so."""
    try:
        size = sum(file.stat().st_size for file in files) + WHOLE * outline(files)[0]
    except Exception:  # whoever reads them has the words for what is wrong with them
        return
    room(size, f"{path} has {why}, so that it is read whole, which")


def parquet_frame(path: Path, limits: FileLimits) -> tuple[PolarsFrame, str | None]:
    """The columns of a Parquet file, and the nodes that it lists itself."""
    polars = require("polars", "io")
    data = content(path, limits)
    try:
        rows = polars.scan_parquet(io.BytesIO(data)).select(polars.len()).collect().item()
        refuse_rows(path, rows, limits)
        frame = polars.read_parquet(io.BytesIO(data))
        return PolarsFrame(frame), polars.read_parquet_metadata(io.BytesIO(data)).get(_NODES)
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError, ValueError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(
            f"{path} is not Parquet, or is cut short ({error}); give the format that it has, "
            "or write it again"
        ) from None


def edge_parts(
    path: Path, source: Column | None, target: Column | None, weight: Column | Literal[False] | None
) -> list[Path]:
    """The files of a table of edges in parts, all with the same columns of the same kinds."""
    pyarrow, parquet = require("pyarrow", "io"), require("pyarrow.parquet", "io")
    files = files_of(path)
    first: list[tuple[str, str]] = []
    for file in files:
        try:
            with parquet.ParquetFile(file) as opened:
                schema, listed = opened.schema_arrow, _NODES.encode() in (opened.metadata.metadata or {})
        except (pyarrow.ArrowException, OSError) as error:
            raise FileFormatError(
                f"{file} is not Parquet, or is cut short ({error}); write it again"
            ) from None
        places = edge_columns(schema.names, source, target, weight, what=str(file), error=FileFormatError)
        found = [(schema.names[k], _kind(pyarrow.types, schema.types[k])) for k in places if k is not None]
        found[2:] = [(name, kind.removeprefix("whole ")) for name, kind in found[2:]]
        first = first or found
        if found != first:
            raise FileFormatError(
                f"{file} has other columns than {files[0].name}: {_listing(found)} instead of {_listing(first)}; all "
                "parts must have the same"
            )
        if listed and len(files) > 1:
            raise FileFormatError(
                f"{file} lists the nodes of a graph of its own; it is no part of {path}: read it by itself"
            )
    return files


def _kind(types: Any, kind: Any) -> str:
    """What the values of a column are, however long."""
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_integer(kind):
        return "whole numbers"
    if types.is_floating(kind) or types.is_boolean(kind):
        return "numbers"
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "strings"
    return str(kind)


def _listing(columns: list[tuple[str, str]]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in columns)


def _joined(
    path: Path,
    parts: list[Path],
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
    limits: FileLimits,
) -> PolarsFrame:
    """The columns of several parts below each other."""
    polars = require("polars", "io")
    frames = []
    for part in parts:
        whole = parquet_frame(part, limits)[0]
        places = edge_columns(whole.names, source, target, weight, what=str(part), error=FileFormatError)
        frames.append(
            polars.DataFrame({str(whole.names[k]): whole.column(k) for k in places if k is not None})
        )
    return PolarsFrame(polars.concat(frames, how="vertical_relaxed"))


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
    numbers = [node for node in graph.nodes if isinstance(node, int)] if whole else []
    long = next((node for node in numbers if not -(2**63) <= node < 2**63), None)
    if long is not None:
        raise FileFormatError(
            f"{path}: node {long} is beyond the whole numbers of 64 bits that Parquet has; write .csv, or a graph file "
            "(.ohmg)"
        )
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
