"""Large Parquet files of edges as a stream, through pyarrow."""

from __future__ import annotations

import importlib.util
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Unpack

from ohmline.errors import FileFormatError
from ohmline.graph.columns import Column, edge_columns
from ohmline.graph.doors import arrow_stream
from ohmline.graph.doors.arrow_stream import ROWS, stream_batches
from ohmline.graph.edges import Rules
from ohmline.graph.files.paths import FileLimits, packing_of, refuse_size
from ohmline.graph.files.stream_edges import Finish, forecast_of, graph_of
from ohmline.graph.streaming import Unusual
from ohmline.progress import Advance, reporting

_NODES = b"ohmline-nodes"
_BUFFER = 1 << 20
"""Bytes of a column that are read at a time."""


def stream_parquet(
    path: Path,
    limits: FileLimits,
    *,
    parts: Sequence[Path] | None = None,
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
    progress: Advance | bool | None = None,
    finish: Finish = graph_of,
    folder: Path | None = None,
    in_memory: bool = True,
    **rules: Unpack[Rules],
) -> Any:
    """What `finish` makes of the edges of a file or its parts; `Unusual` where these are few or must be read whole.

    `in_memory` says that it makes a graph there, which is refused as soon as it is foreseen not to fit.
    """
    files = [path] if parts is None else list(parts)
    refuse_size(files, limits, path)
    if importlib.util.find_spec("pyarrow") is None or any(packing_of(file) is not None for file in files):
        raise Unusual("no reader for a stream")
    import pyarrow

    try:
        rows, names = outline(files)
    except (pyarrow.ArrowException, OSError) as error:
        raise Unusual(str(error)) from None
    refuse_rows(path, rows, limits)
    if rows < arrow_stream.LARGE:
        raise Unusual(f"{rows} rows")
    try:
        s, t, w = edge_columns(names, source, target, weight, what=str(path), error=FileFormatError)
        wanted = [str(names[k]) for k in ((s, t) if w is None else (s, t, w))]
        with reporting(progress, f"reading {path.name}", rows) as advance:
            return stream_batches(
                lambda: _batches(files, wanted),
                [*wanted],
                rows,
                0,
                1,
                False if w is None else 2,
                what=str(path),
                finish=finish,
                advance=advance,
                folder=folder,
                forecast=forecast_of(path, rows) if in_memory else None,
                **rules,
            )
    except (pyarrow.ArrowException, OSError) as error:
        raise Unusual(str(error)) from None
    except FileFormatError as error:  # whoever reads it whole has better words
        raise Unusual(str(error)) from None


def refuse_rows(path: Path, rows: int, limits: FileLimits) -> None:
    """Raise where a table declares more rows than fit its limit: equal values take next to no room in a file."""
    if 16 * rows > limits.size:
        raise FileFormatError(
            f"{path} declares {rows} rows; if it should, pass limits=FileLimits(size=...) with {16 * rows} or more"
        )


def outline(files: Sequence[Path]) -> tuple[int, list[Hashable]]:
    """The rows of all files, and the columns of the first; `Unusual` where one lists nodes or has twin columns."""
    from pyarrow.parquet import ParquetFile

    rows, first = 0, None
    for path in files:
        with ParquetFile(path) as file:
            rows += file.metadata.num_rows
            names: list[Hashable] = list(file.schema_arrow.names)
            if _NODES in (file.metadata.metadata or {}) or len(set(names)) < len(names):
                raise Unusual("a list of nodes, or two columns of one name")
            first = names if first is None else first
    assert first is not None
    return rows, first


def _batches(files: Sequence[Path], columns: list[str]) -> Iterator[Any]:
    from pyarrow.parquet import ParquetFile

    for path in files:
        with ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False) as file:
            for batch in file.iter_batches(ROWS, columns=columns, use_threads=False):
                yield batch.select(columns)
