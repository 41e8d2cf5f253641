"""Tables in parts: a folder of Parquet files, a pattern of names, or one file; checked before any is read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, final

from ohmline.errors import DataError, FileFormatError, GraphError
from ohmline.extras import require
from ohmline.graph.columns import PAIRS
from ohmline.graph.files.parts import files_of as files_of

PIECE = 2**22
"""Rows that one task reads at least, where the file has row groups to divide it by."""


@final
@dataclass(frozen=True)
class Piece:
    """Some row groups of one file: what one task reads.

    Attributes
    ----------
    path
        The file.
    first, last
        Its row groups from `first` to before `last`.
    rows
        How many rows they have.
    """

    path: str
    first: int
    last: int
    rows: int


@final
@dataclass(frozen=True)
class EdgeParts:
    """Edges in parts.

    Attributes
    ----------
    pieces
        What tasks read.
    source, target
        The columns of the ends.
    weight
        The column of the weights; None for edges that all weigh 1.
    integers
        Whether ids are whole numbers; else they are strings.
    """

    pieces: tuple[Piece, ...]
    source: str
    target: str
    weight: str | None
    integers: bool

    @property
    def rows(self) -> int:
        """The number of edges."""
        return sum(piece.rows for piece in self.pieces)


def footer(path: Path) -> Any:
    """What a Parquet file says of itself."""
    parquet = require("pyarrow.parquet", "cluster")
    try:
        with parquet.ParquetFile(path) as file:
            return file.metadata
    except FileNotFoundError:
        raise DataError(
            f"the part {path} is missing; write it again, or leave it out of the pattern"
        ) from None
    except (OSError, ValueError) as error:  # pyarrow's own errors are both
        raise FileFormatError(f"{path} is not Parquet, or is cut short ({error}); write it again") from None


def pieces_of(path: Path, metadata: Any) -> list[Piece]:
    """A file by row groups, some of them together where they are small."""
    pieces, first, rows = [], 0, 0
    for k in range(metadata.num_row_groups):
        rows += metadata.row_group(k).num_rows
        if rows >= PIECE or k + 1 == metadata.num_row_groups:
            pieces.append(Piece(str(path.resolve()), first, k + 1, rows))
            first, rows = k + 1, 0
    return pieces


def edge_parts(
    place: str | os.PathLike[str],
    source: str | None = None,
    target: str | None = None,
    weight: str | Literal[False] | None = None,
) -> EdgeParts:
    """The parts of a table of edges, all with the same columns."""
    arrow = require("pyarrow", "cluster")
    pieces: list[Piece] = []
    chosen: tuple[str, str, str | None] | None = None
    kind: Any = None
    before = ""
    for path in files_of(place):
        metadata = footer(path)
        schema = metadata.schema.to_arrow_schema()
        found = columns_of(schema.names, source, target, weight, path)
        kinds = {_kind(arrow, schema.field(name).type, path, name) for name in found[:2]}
        if found[2] is not None:
            _expect_numbers(arrow, schema.field(found[2]).type, path, found[2])
        if len(kinds) > 1:
            raise FileFormatError(
                f"{path}: one end is a whole number and the other a string; write both alike"
            )
        if chosen is not None and (found, kinds) != (chosen, kind):
            raise FileFormatError(
                f"{path} has other columns ({', '.join(map(str, schema.names))}) than {before}; all parts must "
                f"have the same: {', '.join(name for name in chosen if name)}"
            )
        chosen, kind, before = found, kinds, str(path)
        pieces += pieces_of(path, metadata)
    assert chosen is not None
    if not sum(piece.rows for piece in pieces):
        raise GraphError(f"{place} has no edges; give parts with at least one row")
    return EdgeParts(tuple(pieces), *chosen, integers=kind == {True})


def columns_of(
    names: Sequence[str],
    source: str | None,
    target: str | None,
    weight: str | Literal[False] | None,
    path: Path,
) -> tuple[str, str, str | None]:
    """Which column is which: as told, by the usual names, or the only two or three."""
    for wanted in (source, target, weight):
        if wanted and wanted not in names:
            raise FileFormatError(f"{path} has no column {wanted!r}; it has {', '.join(map(repr, names))}")
    low = {name.lower(): name for name in names}
    if source is None or target is None:
        pair = next((pair for pair in PAIRS if pair[0] in low and pair[1] in low), None)
        if pair is not None:
            source, target = source or low[pair[0]], target or low[pair[1]]
        elif len(names) in (2, 3) and source is None and target is None:
            source, target = names[0], names[1]
        else:
            raise FileFormatError(
                f"{path} has the columns {', '.join(map(repr, names))}; say which are the ends of the edges with "
                "source= and target="
            )
    if weight is None:
        rest = [name for name in names if name not in (source, target)]
        weight = next((name for name in rest if name.lower() in ("weight", "w", "value")), None)
        if weight is None and len(names) == 3 and rest:
            weight = rest[0]
    return source, target, weight or None


def _kind(arrow: Any, kind: Any, path: Path, name: str) -> bool:
    """Whether ids are whole numbers; strings are the other kind."""
    types = arrow.types
    plain = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_integer(plain):
        return True
    if types.is_string(plain) or types.is_large_string(plain) or types.is_string_view(plain):
        return False
    raise FileFormatError(f"{path}: the ids in {name!r} are of type {kind}; write whole numbers or strings")


def _expect_numbers(arrow: Any, kind: Any, path: Path, name: str) -> None:
    if not (arrow.types.is_integer(kind) or arrow.types.is_floating(kind)):
        raise FileFormatError(f"{path}: the weights in {name!r} are of type {kind}; write numbers")
