"""Large Parquet files of edges as a stream, through pyarrow."""

from __future__ import annotations

import importlib.util
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any, Literal, Unpack

from ohmline.graph.columns import Column
from ohmline.graph.doors import arrow_stream
from ohmline.graph.doors.arrow_stream import ROWS, stream_batches
from ohmline.graph.edges import Rules
from ohmline.graph.files.paths import FileLimits, packing_of
from ohmline.graph.files.stream_edges import Finish, graph_of
from ohmline.graph.streaming import Unusual
from ohmline.progress import Advance, reporting

_NODES = b"ohmline-nodes"
_BUFFER = 1 << 20
"""Bytes of a column that are read at a time."""


def stream_parquet(
    path: Path,
    limits: FileLimits,
    *,
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
    progress: Advance | bool | None = None,
    finish: Finish = graph_of,
    folder: Path | None = None,
    **rules: Unpack[Rules],
) -> Any:
    """What `finish` makes of the edges of a file; `Unusual` where the file is small or must be read whole."""
    if importlib.util.find_spec("pyarrow") is None or packing_of(path) is not None:
        raise Unusual("no reader for a stream")
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        if path.stat().st_size > limits.size:
            raise Unusual("too many bytes")
        with ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False) as file:
            rows, schema = file.metadata.num_rows, file.schema_arrow
            names: list[Hashable] = list(schema.names)
            if rows < arrow_stream.LARGE or 16 * rows > limits.size:
                raise Unusual(f"{rows} rows")
            if _NODES in (file.metadata.metadata or {}) or len(set(names)) < len(names):
                raise Unusual("a list of nodes, or two columns of one name")

            def batches() -> Iterator[Any]:
                return file.iter_batches(ROWS, use_threads=False)

            with reporting(progress, f"reading {path.name}", rows) as advance:
                return stream_batches(
                    batches,
                    names,
                    rows,
                    source,
                    target,
                    weight,
                    what=str(path),
                    finish=finish,
                    advance=advance,
                    folder=folder,
                    **rules,
                )
    except (pyarrow.ArrowException, OSError) as error:
        raise Unusual(str(error)) from None
