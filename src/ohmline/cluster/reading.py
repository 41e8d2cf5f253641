"""The rows of a piece, some at a time, checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.cluster.parts import EdgeParts, Piece
from ohmline.errors import DataError, FileFormatError, GraphError, WeightError
from ohmline.extras import require

BATCH = 2**18
"""Edges that are treated at a time; bounds the memory of a task that reads."""


def batches(piece: Piece, columns: list[str]) -> Iterator[Any]:
    """The rows of a piece as record batches of these columns."""
    parquet = require("pyarrow.parquet", "cluster")
    try:
        with parquet.ParquetFile(piece.path, memory_map=True) as file:
            groups = list(range(piece.first, piece.last))
            yield from file.iter_batches(BATCH, row_groups=groups, columns=columns)
        require("pyarrow", "cluster").default_memory_pool().release_unused()
    except FileNotFoundError:
        raise DataError(
            f"the part {piece.path} is missing for a worker; put it where all workers see it"
        ) from None
    except (OSError, ValueError, KeyError) as error:
        if isinstance(error, DataError | FileFormatError | GraphError):
            raise
        raise FileFormatError(f"{piece.path} cannot be read ({error}); write it again") from None


def id_batches(parts: EdgeParts, piece: Piece) -> Iterator[tuple[Any, Any]]:
    """The ends of the edges of a piece."""
    for batch in batches(piece, [parts.source, parts.target]):
        yield ids_of(batch, parts.source, parts, piece), ids_of(batch, parts.target, parts, piece)


def ids_of(batch: Any, name: str, parts: EdgeParts, piece: Piece) -> Any:
    """A column of ids: int64 or large strings, none of them missing."""
    arrow = require("pyarrow", "cluster")
    column = batch.column(batch.schema.get_field_index(name))
    if column.null_count:
        raise GraphError(f"{piece.path}: {column.null_count} rows have no id in {name!r}; drop those rows")
    try:
        return column.cast(arrow.int64() if parts.integers else arrow.large_string())
    except arrow.ArrowInvalid as error:
        raise GraphError(f"{piece.path}: ids in {name!r} must be below 2^63 ({error})") from None


def weights_of(batch: Any, parts: EdgeParts, piece: Piece) -> Floats:
    """The weights: finite and not negative."""
    if parts.weight is None:
        return np.ones(batch.num_rows)
    column = batch.column(batch.schema.get_field_index(parts.weight))
    found: Floats = column.to_numpy(zero_copy_only=False).astype(np.float64)
    bad = ~(np.isfinite(found) & (found >= 0))
    if bad.any():
        raise WeightError(
            f"{piece.path}: a weight in {parts.weight!r} is {found[bad][0]}; weights must be finite and not negative"
        )
    return found
