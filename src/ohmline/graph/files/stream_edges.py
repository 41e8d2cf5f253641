"""A graph from a large edge list, read as a stream."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Unpack, final

import numpy as np

from ohmline.errors import DataError, FileFormatError, OhmlineError, TooLarge
from ohmline.graph.columns import LABEL, Column, edge_columns
from ohmline.graph.edges import Rules, parallel_of
from ohmline.graph.files.edge_list import numbered
from ohmline.graph.files.header import expect_header, first_row_says, guessed
from ohmline.graph.files.paths import FileLimits, packing_of, refuse_size
from ohmline.graph.files.separator import is_number
from ohmline.graph.files.spelling import is_missing_word, missing_among_numbers
from ohmline.graph.files.stream_text import Batch, TextStream
from ohmline.graph.graph import Graph
from ohmline.graph.streaming import Edges, Forecast, Names, Numbers, ScatteredNumbers, Unusual
from ohmline.graph.streaming.coding import TooScattered
from ohmline.graph.streaming.spill import NONE
from ohmline.progress import Advance, reporting

LARGE = 1 << 23
"""Bytes from which on an edge list is read as a stream: below, all of it fits into memory many times."""
SOME = 100
"""Names that are looked at to see whether they are numbers."""
SPREAD = 2
"""Numbers below so many times the rows are their own codes."""

PLACES, LOOK = 16, 1 << 16
"""At how many places of a file, and at how many bytes there, its lines are counted to see how many rows there are."""

Finish = Callable[[Edges, Any], Any]
"""What becomes of the edges once all are read."""


def is_large(path: Path) -> bool:
    """Whether a file is worth a stream; one that is compressed counts four times."""
    try:
        return path.stat().st_size * (4 if packing_of(path) else 1) >= LARGE
    except OSError:
        return False


def graph_of(edges: Edges, coder: Any) -> Graph:
    """The edges as a graph in memory."""
    return edges.graph(coder)


@final
@dataclass(frozen=True)
class Plan:
    """How the rows of a stream are read."""

    columns: tuple[int, int, int | None]
    header: bool | None
    """Whether the first row names the columns; None where the others decide."""


def stream_edges(
    path: Path,
    limits: FileLimits,
    *,
    header: bool | None,
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
    progress: Advance | bool | None = None,
    finish: Finish = graph_of,
    folder: Path | None = None,
    in_memory: bool = True,
    **rules: Unpack[Rules],
) -> Any:
    """What `finish` makes of the edges of a file; `Unusual` where the careful reader must look at it.

    `in_memory` says that it makes a graph there, which is refused as soon as it is foreseen not to fit.
    """
    refuse_size([path], limits)
    try:
        stream = TextStream(path, limits)
        plan = _planned(stream, header, source, target, weight)
        with reporting(progress, f"reading {path.name}", path.stat().st_size) as advance:
            made = Making(finish, folder, forecast_of(path, rows_of(path)) if in_memory else None)
            return _read(stream, plan, made, advance, rules)
    except (DataError, TooLarge):
        raise
    except OhmlineError as error:  # it has better words for it
        raise Unusual(str(error)) from None


def forecast_of(path: Path, rows: int) -> Forecast:
    """What is known of the graph of a file before it is read, and what to do where it does not fit into memory."""
    name = path.name.partition(".")[0] if path.suffix else path.name
    goal = f"{name or 'graph'}.ohmg"
    return Forecast(
        str(path),
        rows,
        f"write it to a graph file, which needs no such memory (ohmline graph convert {path} {goal}), and open that "
        f'with Graph.open("{goal}")',
    )


def rows_of(path: Path) -> int:
    """About how many lines a text has, from some places of it; 0 where it is compressed."""
    size = path.stat().st_size
    if packing_of(path) is not None or not size:
        return 0
    with path.open("rb") as file:
        lines = looked = 0
        for k in range(PLACES):
            file.seek(max(size - LOOK, 0) * k // (PLACES - 1))
            piece = file.read(LOOK)
            lines, looked = lines + piece.count(b"\n"), looked + len(piece)
    return size * lines // max(looked, 1)


@final
@dataclass(frozen=True)
class Making:
    """What becomes of the edges, where they lie in the meantime, and what is known of them."""

    finish: Finish
    folder: Path | None
    forecast: Forecast | None


def _planned(
    stream: TextStream,
    header: bool | None,
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
) -> Plan:
    """Which columns are which, and what is known of a header."""
    first = stream.rows[0]
    said = expect_header(header, (source, target, weight))
    if said is None:
        found = numbered(first, source, target, weight)
        said = found if isinstance(found, bool) else first_row_says(first, *found)
    plans = {}
    for assumed in (True, False) if said is None else (said,):
        names: list[Hashable] = [*first] if assumed else [f"column {k + 1}" for k in range(stream.width)]
        if not assumed and source is None and stream.width not in (2, 3):
            raise Unusual("columns that nobody has named")
        plans[assumed] = edge_columns(
            names, source, target, weight, what=str(stream.path), error=FileFormatError
        )
        if assumed and target is None and str(names[plans[True][1]]).lower() in LABEL:
            raise Unusual("a file of labels")
    if len(set(plans.values())) > 1:
        raise Unusual("columns that depend on whether there is a header")
    return Plan(next(iter(plans.values())), said)


def _read(stream: TextStream, plan: Plan, made: Making, advance: Advance, rules: Rules) -> Any:
    """Try whole numbers first, then numbers that are scattered, then names."""
    limit = max(1 << 16, SPREAD * _expected_rows(stream))
    for coder in (Numbers(limit), ScatteredNumbers(), Names()):
        with Edges(
            signed=rules.get("signed", False),
            symmetrise=rules.get("symmetrise", False),
            parallel=parallel_of(rules.get("parallel")),
            folder=made.folder,
            forecast=made.forecast,
        ) as edges:
            try:
                if isinstance(coder, Names):
                    if not _read_names(stream, plan, coder, edges, advance):
                        return _read(stream, Plan(plan.columns, True), made, advance, rules)
                else:
                    _read_numbers(stream, plan, coder, edges, advance)
            except (TooScattered, _NoNumbers):
                continue
            return made.finish(edges, coder)
    raise AssertionError("names take everything")


@final
class _NoNumbers(Exception):
    """An id is not a whole number."""


def _expected_rows(stream: TextStream) -> int:
    size = sum(len(cell) + 1 for row in stream.rows for cell in row)
    return int(stream.path.stat().st_size * len(stream.rows) / max(size, 1))


def _read_numbers(
    stream: TextStream, plan: Plan, coder: Numbers | ScatteredNumbers, edges: Edges, advance: Advance
) -> None:
    for batch in _below_header(stream, plan.columns, plan.header is not False, advance, numbers=True):
        ends = batch.whole()
        if ends is None:
            raise _NoNumbers
        codes = coder.codes(ends)
        edges.add(codes, NONE if plan.columns[2] is None else batch.weights(), coder.top)


def _read_names(stream: TextStream, plan: Plan, coder: Names, edges: Edges, advance: Advance) -> bool:
    """Read all rows; False where the first turns out to name the columns and must be left out."""
    first, (s, t, w) = stream.rows[0], plan.columns
    undecided = plan.header is None
    if undecided and is_number(stream.rows[1][s]) and is_number(stream.rows[1][t]):
        raise Unusual("ids that may all be numbers below a header")
    counted = undecided and w is None and first[s] != first[t]
    dropped = plan.header is True or (undecided and w is not None)
    for batch in _below_header(stream, plan.columns, dropped, advance):
        codes = coder.codes(batch.text, batch.spans)
        edges.add(codes, NONE if w is None else batch.weights(), coder.top)
    if missing_among_numbers([*coder.some(SOME), "NA"]) and any(map(is_missing_word, coder.short(4))):
        raise Unusual("an id that may be a missing value")
    if undecided and w is not None:
        if first[s] == first[t] or coder.number(first[s]) >= 0 or coder.number(first[t]) >= 0:
            raise Unusual("a first row that is no header and has no weight")
        return guessed(stream.path, first)
    if not counted or stream.delimiter is None:
        return True
    # The two ends of the first row have the codes 0 and 1; see `edges_header`.
    times = np.zeros(coder.top, np.int64)
    for codes, _ in edges.parts():
        times += np.bincount(codes.ravel(), minlength=coder.top)
    if times[0] > 1 or times[1] > 1:
        return True
    below = 1
    for codes, _ in edges.parts():
        if (np.maximum(times[codes[below:, 0]], times[codes[below:, 1]]) < 2).any():
            return True
        below = 0
    guessed(stream.path, first)
    return False


def _below_header(
    stream: TextStream,
    columns: tuple[int, int, int | None],
    dropped: bool,
    advance: Advance,
    *,
    numbers: bool = False,
) -> Iterator[Batch]:
    """The rows in batches, without the first where it is a header."""
    s, t, w = columns
    for batch in stream.batches([s, t] if w is None else [s, t, w], advance, numbers=numbers):
        yield batch.below_first() if dropped else batch
        dropped = False
