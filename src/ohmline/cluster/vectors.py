"""Vectors in parts: a `.npy` file, or partitioned Parquet, as rows that any worker can map."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.checks import file_path
from ohmline.cluster.engine import Cluster
from ohmline.cluster.parts import Piece, files_of, footer, pieces_of
from ohmline.cluster.reading import batches
from ohmline.errors import FileFormatError, ParameterError
from ohmline.extras import require
from ohmline.graph.columns import NODE
from ohmline.graph.files.paths import replacing


@final
@dataclass(frozen=True)
class Vectors:
    """Rows in files that every worker can map.

    Attributes
    ----------
    files
        Matrices, one below the other.
    bounds
        The first row of every file, and the end of the last.
    dimensions
        How many numbers a row has.
    ids
        Files with the ids of the rows, one for each matrix; None where a row's id is its position.
    """

    files: tuple[str, ...]
    bounds: tuple[int, ...]
    dimensions: int
    ids: tuple[str, ...] | None

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.bounds[-1]

    def rows(self, low: int, high: int) -> Floats:
        """The rows from `low` to before `high`."""
        found = np.empty((high - low, self.dimensions))
        for k, name in enumerate(self.files):
            first, last = max(low, self.bounds[k]), min(high, self.bounds[k + 1])
            if first < last:
                mapped = np.load(name, mmap_mode="r")
                found[first - low : last - low] = mapped[first - self.bounds[k] : last - self.bounds[k]]
        return found

    def take(self, places: Ints) -> Floats:
        """Some rows."""
        found = np.empty((len(places), self.dimensions))
        owner = np.searchsorted(self.bounds, places, side="right") - 1
        for k in np.unique(owner).tolist():
            mapped = np.load(self.files[k], mmap_mode="r")
            found[owner == k] = mapped[places[owner == k] - self.bounds[k]]
        return found

    def names(self, places: Ints) -> Any:
        """The ids of some rows."""
        arrow = require("pyarrow", "cluster")
        if self.ids is None:
            return arrow.array(places)
        owner = np.searchsorted(self.bounds, places, side="right") - 1
        order, pieces = np.argsort(owner, kind="stable"), []
        for k in np.unique(owner).tolist():
            column = (
                require("pyarrow.parquet", "cluster").read_table(self.ids[k]).column("id").combine_chunks()
            )
            pieces.append(column.take(arrow.array(places[owner == k] - self.bounds[k])))
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return arrow.chunked_array(pieces).combine_chunks().take(arrow.array(back))


def open_vectors(cluster: Cluster, place: str | os.PathLike[str], folder: Path) -> Vectors:
    """Vectors from a `.npy` file, mapped where it lies, or from Parquet, which workers turn into such files."""
    path = file_path(place, "vectors")
    if path.suffix == ".npy":
        try:
            mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise FileFormatError(
                f"{path} cannot be read as .npy ({error}); write it with numpy.save"
            ) from None
        if mapped.ndim != 2 or mapped.dtype.kind not in "fiu":
            raise FileFormatError(
                f"{path} has shape {mapped.shape} and type {mapped.dtype}; expected rows of numbers"
            )
        found = Vectors((str(path.resolve()),), (0, len(mapped)), mapped.shape[1], None)
    else:
        pieces: list[Piece] = []
        columns: tuple[tuple[str, ...], str | None] | None = None
        for file in files_of(path):
            metadata = footer(file)
            mine = _columns(metadata.schema.to_arrow_schema(), file)
            if columns is not None and mine != columns:
                raise FileFormatError(
                    f"{file} has other columns than the parts before it; all must have the same"
                )
            columns = mine
            pieces += pieces_of(file, metadata)
        assert columns is not None
        widths = set(cluster.map(write_vectors, list(enumerate(pieces)), *columns, folder))
        if len(widths) > 1:
            raise FileFormatError(
                f"{path}: vectors have different lengths, {sorted(widths)}; all must have the same"
            )
        numbers = range(len(pieces))
        found = Vectors(
            tuple(str(folder / f"vectors-{k:06d}.npy") for k in numbers),
            tuple(np.append(0, np.cumsum([piece.rows for piece in pieces])).tolist()),
            widths.pop() if widths else 0,
            None if columns[1] is None else tuple(str(folder / f"ids-{k:06d}.parquet") for k in numbers),
        )
    if found.n < 2 or not found.dimensions:
        raise ParameterError(
            f"{path} has {found.n} vectors of {found.dimensions} numbers; give at least two rows"
        )
    return found


def _columns(schema: Any, path: Path) -> tuple[tuple[str, ...], str | None]:
    """The columns that make a vector, and that of the ids."""
    types = require("pyarrow", "cluster").types
    node = next((name for name in schema.names if name.lower() in NODE), None)
    lists = [f.name for f in schema if types.is_fixed_size_list(f.type) or types.is_list(f.type)]
    numbers = [f.name for f in schema if types.is_floating(f.type) or types.is_integer(f.type)]
    chosen = lists if lists else [name for name in numbers if name != node]
    if not chosen or len(lists) > 1:
        raise FileFormatError(
            f"{path} has the columns {', '.join(map(repr, schema.names))}; expected one column of lists of numbers, or "
            "columns of numbers, and perhaps a column 'node'"
        )
    return tuple(chosen), node


def write_vectors(task: tuple[int, Piece], columns: tuple[str, ...], node: str | None, folder: Path) -> int:
    """Write the vectors of a piece as a matrix, and its ids; the length of a vector."""
    arrow, parquet = require("pyarrow", "cluster"), require("pyarrow.parquet", "cluster")
    number, piece = task
    wanted = [*columns] if node is None else [*columns, node]
    blocks, ids = [], []
    for batch in batches(piece, wanted):
        blocks.append(_matrix(batch, columns, piece))
        if node is not None:
            ids.append(batch.column(batch.schema.get_field_index(node)))
    if len({block.shape[1] for block in blocks}) > 1:
        raise FileFormatError(f"{piece.path}: vectors have different lengths; all must have the same")
    rows = np.concatenate(blocks) if blocks else np.empty((0, 0))
    with replacing(folder / f"vectors-{number:06d}.npy") as beside, beside.open("wb") as out:
        np.save(out, rows, allow_pickle=False)
    if node is not None:
        with replacing(folder / f"ids-{number:06d}.parquet") as beside:
            parquet.write_table(arrow.table({"id": arrow.chunked_array(ids)}), beside)
    return int(rows.shape[1])


def _matrix(batch: Any, columns: tuple[str, ...], piece: Piece) -> Floats:
    arrow = require("pyarrow", "cluster")
    chosen = [batch.column(batch.schema.get_field_index(name)) for name in columns]
    if any(column.null_count for column in chosen):
        raise FileFormatError(f"{piece.path}: a vector is missing; fill or drop such rows")
    kind = chosen[0].type
    if arrow.types.is_list(kind) or arrow.types.is_fixed_size_list(kind):
        flat = chosen[0].flatten().to_numpy(zero_copy_only=False).astype(np.float64)
        if batch.num_rows == 0 or len(flat) % batch.num_rows:
            raise FileFormatError(f"{piece.path}: vectors have different lengths; all must have the same")
        width = len(flat) // batch.num_rows
        if arrow.types.is_list(kind) and set(chosen[0].value_lengths().to_pylist()) != {width}:
            raise FileFormatError(f"{piece.path}: vectors have different lengths; all must have the same")
        found = flat.reshape(batch.num_rows, width)
    else:
        found = np.column_stack([c.to_numpy(zero_copy_only=False).astype(np.float64) for c in chosen])
    if not np.isfinite(found).all():
        raise FileFormatError(
            f"{piece.path}: a vector has an entry that is not finite; fill or drop such rows"
        )
    return np.asarray(found)
