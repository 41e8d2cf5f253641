"""Edges that come as Arrow batches, from a Parquet file or a database, as a stream."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Unpack, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.errors import DataError, OhmlineError, TooLarge
from ohmline.extras import require
from ohmline.graph.columns import Column, edge_columns
from ohmline.graph.edges import Rules, parallel_of
from ohmline.graph.streaming import Edges, Forecast, Names, Numbers, ScatteredNumbers, Unusual
from ohmline.graph.streaming.coding import TooScattered
from ohmline.graph.streaming.interning import PADDING
from ohmline.graph.streaming.spill import NONE

LARGE = 1 << 20
"""Rows from which on a table is read as a stream: below, all of it fits into memory many times."""
ROWS = 1 << 16
"""Rows that are looked at together."""
SPREAD = 2
"""Numbers below so many times the rows are their own codes."""

Batches = Callable[[], Iterator[Any]]
"""Gives all record batches, from the first on, each time that it is called."""


def stream_batches(
    batches: Batches,
    names: list[Hashable],
    rows: int,
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
    *,
    what: str,
    finish: Callable[[Edges, Any], Any],
    advance: Callable[[int], None],
    folder: Path | None = None,
    forecast: Forecast | None = None,
    **rules: Unpack[Rules],
) -> Any:
    """What `finish` makes of the edges; `Unusual` where the reader of whole tables must look at them.

    `forecast` is what is known of the graph that they become in memory; None where they need not fit there.
    """
    try:
        columns = edge_columns(names, source, target, weight, what=what)
        for coder in (Numbers(max(1 << 16, SPREAD * rows)), ScatteredNumbers(), Names()):
            with Edges(
                signed=rules.get("signed", False),
                symmetrise=rules.get("symmetrise", False),
                parallel=parallel_of(rules.get("parallel")),
                folder=folder,
                forecast=forecast,
            ) as edges:
                try:
                    for batch in batches():
                        for low in range(0, batch.num_rows, ROWS):
                            _add(batch.slice(low, ROWS), columns, coder, edges)
                            advance(min(ROWS, batch.num_rows - low))
                except (TooScattered, _NoNumbers):
                    continue
                return finish(edges, coder)
    except (DataError, TooLarge):
        raise
    except OhmlineError as error:
        raise Unusual(str(error)) from None
    raise AssertionError("names take everything")


@final
class _NoNumbers(Exception):
    """The ids are strings."""


def _add(
    batch: Any, columns: tuple[int, int, int | None], coder: Numbers | ScatteredNumbers | Names, edges: Edges
) -> None:
    s, t, w = columns
    weights = NONE if w is None else _numbers(batch.column(w))
    ends = [batch.column(s), batch.column(t)]
    if any(column.null_count for column in ends):
        raise Unusual("an end that is missing")
    if isinstance(coder, Names):
        codes = coder.codes(*_texts(ends))
    else:
        codes = coder.codes(np.column_stack([_whole(column) for column in ends]))
    edges.add(codes, weights, coder.top)


def _whole(column: Any) -> Ints:
    """A column of whole numbers that fit into 64 bits."""
    types = require("pyarrow", "io").types
    if not types.is_integer(column.type):
        raise _NoNumbers
    numbers = column.to_numpy(zero_copy_only=False)
    if numbers.dtype == np.uint64 and len(numbers) and numbers.max() > 2**63 - 1:
        raise Unusual("a number of more than 63 bits")
    return numbers.astype(np.int64)


def _texts(columns: list[Any]) -> tuple[AnyArray, AnyArray]:
    """Two columns of strings as one text, and where each name lies in it."""
    arrow = require("pyarrow", "io")
    types = arrow.types
    pieces, spans, start = [], np.empty((len(columns[0]), 4), np.int32), 0
    for k, column in enumerate(columns):
        kind = column.type
        texts = (types.is_string, types.is_large_string, types.is_string_view)
        if types.is_dictionary(kind):
            column, kind = column.dictionary_decode(), kind.value_type
        if not any(is_text(kind) for is_text in texts):
            raise Unusual(f"ids of type {kind}")
        column = column.cast(arrow.large_string())
        _, offsets, data = column.buffers()
        ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
        low, high = int(ends[0]), int(ends[-1])
        if start + high - low >= 2**31:
            raise Unusual("long names")
        pieces.append(b"" if data is None else memoryview(data)[low:high])
        spans[:, 2 * k] = ends[:-1] - low + start
        spans[:, 2 * k + 1] = ends[1:] - low + start
        start += high - low
    return np.frombuffer(b"".join([*pieces, bytes(PADDING)]), np.uint8), spans


def _numbers(column: Any) -> Floats:
    """A column of weights."""
    arrow = require("pyarrow", "io")
    kind = column.type
    types = arrow.types
    if column.null_count or not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        raise Unusual(f"weights of type {kind}, or missing ones")
    if types.is_boolean(kind):
        column = column.cast(arrow.uint8())
    return np.array(column.to_numpy(zero_copy_only=False), np.float64)


def peeked(reader: Any, rows: int) -> tuple[list[Any], Iterator[Any]]:
    """The first batches, so many that they have `rows` rows if there are as many, and all batches again."""
    first: list[Any] = []
    for batch in reader:
        first.append(batch)
        if sum(found.num_rows for found in first) >= rows:
            break
    return first, chain(first, reader)
