"""Edge lists as text: two columns of ids and perhaps one of weights."""

from __future__ import annotations

import csv
import io
import logging
from collections.abc import Hashable
from pathlib import Path
from typing import Literal, Unpack

import numpy as np

from ohmline.arrays import Floats
from ohmline.checks import room
from ohmline.errors import FileFormatError, WeightError
from ohmline.graph.columns import LABEL, PAIRS, Coded, Column, edge_columns
from ohmline.graph.edges import Rules, ordered
from ohmline.graph.files.header import edges_header, expect_header, split_header
from ohmline.graph.files.paths import FileLimits, suffix_of, write_bytes
from ohmline.graph.files.separator import decimal_point, has_decimal_comma
from ohmline.graph.files.spelling import (
    NODES,
    Spellings,
    is_missing_word,
    missing_among_numbers,
    nodes_json,
    spelled,
    typed,
)
from ohmline.graph.files.table import Table, careful_table, read_table, typed_columns, wrong_width
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.streaming.unusual import Unusual
from ohmline.progress import Advance

_LOG = logging.getLogger(__name__)
HUGE = 1 << 28
"""Bytes from which on a line that is not as the others is looked at without all of them."""
CAREFUL = 25
"""Bytes of memory that the careful reader takes for each byte of a file, about."""


def read_edge_list(
    path: Path,
    limits: FileLimits,
    *,
    header: bool | None,
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
    nodes: list[Hashable] | None,
    progress: Advance | bool | None = None,
    **rules: Unpack[Rules],
) -> Graph:
    """A graph from lines `source target [weight]`; see `ohmline.graph.read`."""
    from ohmline.graph.files.stream_edges import is_large, stream_edges
    from ohmline.graph.files.stream_text import TextStream

    if nodes is None and is_large(path):
        try:
            return stream_edges(
                path,
                limits,
                header=header,
                source=source,
                target=target,
                weight=weight,
                progress=progress,
                **rules,
            )
        except Unusual as why:
            _LOG.info("%s is read row by row: it has %s", path, why)
            if why.line is not None and path.stat().st_size >= HUGE:
                shortened = careful_table(
                    path, TextStream(path, limits).shortened(why.line), limits, "2 or 3"
                )
                _graph_of(shortened, header, source, target, weight, None, rules)  # most likely an error
            _expect_memory(path, why)
    whole = read_table(path, limits, wanted="2 or 3")
    return _graph_of(whole, header, source, target, weight, nodes, rules)


def _expect_memory(path: Path, why: Unusual) -> None:
    """Raise where a large file would have to be read row by row and does not fit into memory so."""
    where = "" if why.line is None else f" on line {why.line}"
    size = CAREFUL * path.stat().st_size
    room(size, f"{path} has {why}{where}, so that it is read row by row, which")


def _graph_of(
    whole: Table,
    header: bool | None,
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
    nodes: list[Hashable] | None,
    rules: Rules,
) -> Graph:
    """The graph of a table that is in memory."""
    if not whole.height:
        return Graph.from_edges([], nodes=whole.nodes if nodes is None else nodes, **rules)
    table, (s, t, w) = _columns(whole, header, source, target, weight)
    table.refuse_gaps(s)
    table.refuse_gaps(t)
    weights = None if w is None else _weights(table, w, signed=rules.get("signed", False))
    listed = table.nodes if nodes is None else nodes
    if listed is None:
        sources, targets = typed_columns(table, s, t)
        _refuse_missing(table, s, t)
        return Graph.from_columns(sources, targets, weights, **rules)
    ids = Spellings(listed)
    ends = []
    for k in (s, t):
        found = table.coded(k)
        for code in found.used():
            if str(found.names[code]) not in ids:
                raise table.error(
                    int(np.flatnonzero(found.codes == code)[0]),
                    f"node {found.names[code]!r} is not among the nodes that "
                    + (
                        "the file lists"
                        if nodes is None
                        else "nodes= names; it names every node of the graph"
                    ),
                )
        used = set(found.used())
        names = [ids.get(str(name)) if code in used else None for code, name in enumerate(found.names)]
        ends.append(Coded(names, found.codes))
    return Graph.from_columns(ends[0], ends[1], weights, nodes=listed, **rules)


def _refuse_missing(table: Table, *places: int) -> None:
    """Raise where an id is a word for a missing value and all others are whole numbers."""
    if all(table.whole(k) is not None for k in places):
        return
    columns = [table.coded(k) for k in places]
    word = missing_among_numbers(str(column.names[code]) for column in columns for code in column.used())
    if word is None:
        return
    row, k = min(
        (int(np.flatnonzero(column.codes == code)[0]), k)
        for k, column in zip(places, columns, strict=True)
        for code in column.used()
        if is_missing_word(str(column.names[code]))
    )
    raise table.error(
        row,
        f"column {k + 1} is {table.row(row)[k]!r}, which stands for a missing value where all other ids are whole "
        "numbers; drop such rows, or, if it is the name of a node, give all of them with nodes=...",
    )


def _columns(
    whole: Table,
    header: bool | None,
    source: Column | None,
    target: Column | None,
    weight: Column | Literal[False] | None,
) -> tuple[Table, tuple[int, int, int | None]]:
    """The rows below the header, and which of their columns are the ends and the weights."""
    said = expect_header(header, (source, target, weight))
    if said is None:
        said = _begins_with_header(whole, source, target, weight)
    if not said and source is None and whole.width not in (2, 3):
        raise wrong_width(whole, "2 or 3", "name two of them with source=... and target=...")
    names, table = split_header(whole, said)
    places = edge_columns(names, source, target, weight, what=str(whole.path), error=FileFormatError)
    if said and target is None and str(names[places[1]]).lower() in LABEL:
        raise FileFormatError(
            f"{whole.path}: the second column is called {names[places[1]]!r}, so this looks like a file of labels; the "
            "file of edges comes first. If these are edges, pass source=... and target=... with the names of columns"
        )
    return table, places


def _begins_with_header(
    table: Table, source: Column | None, target: Column | None, weight: Column | Literal[False] | None
) -> bool:
    """Whether the first row names the columns, where nobody has named one; see `edges_header`."""
    found = numbered(table.row(0), source, target, weight)
    return found if isinstance(found, bool) else edges_header(table, *found)


def numbered(
    first: list[str], source: Column | None, target: Column | None, weight: Column | Literal[False] | None
) -> tuple[int, int, int | None] | bool:
    """Where ends and weights stand if the first row is no header; or whether it is one, where its words say so."""
    words = [field.lower() for field in first]
    if source is None and any(u in words and v in words for u, v in PAIRS):
        return True
    s, t = (0, 1) if source is None else (source, target)
    third = 2 if source is None and len(first) == 3 else None
    w = third if weight is None else None if weight is False else weight
    places = [place for place in (s, t, w) if place is not None]
    if not all(isinstance(place, int) and 0 <= place < len(first) for place in places):
        return False  # whoever looks the columns up says what is wrong
    return int(s), int(t), None if w is None else int(w)  # type: ignore[arg-type]


def write_edge_list(graph: Graph, path: Path) -> None:
    """One line per edge; weights only where one is not 1, the nodes only where the lines cannot tell."""
    names = spelled(graph.nodes, path)
    delimiter = {".csv": ",", ".tsv": "\t"}.get(suffix_of(path), " ")
    sources, targets, weights = (column.tolist() for column in graph.edges())
    weighted = any(w != 1 for w in weights)
    buffer = io.StringIO()
    rows = [[names[i], names[j]] for i, j in zip(sources, targets, strict=True)]
    ends = [end for row in rows for end in row]
    if NodeIndex(ordered(typed(ends))) != graph.nodes or missing_among_numbers(ends) is not None:
        buffer.write(NODES + nodes_json(graph.nodes) + "\n")
    if delimiter == " ":
        _refuse_blanks(names, path)
    if delimiter != " " or (rows and _begins_with_header(_as_table(path, rows), None, None, False)):
        buffer.write(delimiter.join(["source", "target", "weight"][: 3 if weighted else 2]) + "\n")
    # A name that begins like a comment is safe once it is quoted.
    odd = any(name.startswith(("#", "%")) for name in names)
    writer = csv.writer(
        buffer, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    )
    writer.writerows([*row, repr(w)] if weighted else row for row, w in zip(rows, weights, strict=True))
    write_bytes(path, buffer.getvalue().encode())


def _as_table(path: Path, rows: list[list[str]]) -> Table:
    return Table(path, [list(column) for column in zip(*rows, strict=True)], list, None, blanks=True)


def _weights(table: Table, k: int, *, signed: bool) -> Floats:
    weights = table.floats(k)
    if weights is None:
        table.refuse_gaps(k)
        weights = _spelled_weights(table, k)
    bad = ~np.isfinite(weights) | ((weights < 0) & (not signed))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        remedy = (
            "weights must be finite; drop the edge or give it a weight"
            if not np.isfinite(weights[row])
            else "weights must not be negative; pass signed=True if that means dissimilar nodes"
        )
        raise WeightError(
            f"{table.path}, line {table.lines[row]}: the weight is {table.row(row)[k]}; {remedy}"
        )
    return weights


def _spelled_weights(table: Table, k: int) -> Floats:
    """Column k as numbers, also where they are written with a decimal comma."""
    found = table.coded(k)
    spellings = {code: str(found.names[code]) for code in found.used()}
    with_commas = any(has_decimal_comma(cell) for cell in spellings.values())
    read = decimal_point(list(spellings.values())) if with_commas else {}
    numbers = np.zeros(len(found.names))
    for code, cell in spellings.items():
        try:
            numbers[code] = read[cell] if isinstance(read, dict) and cell in read else float(cell)
        except ValueError:
            row = int(np.flatnonzero(found.codes == code)[0])
            if has_decimal_comma(cell):
                raise table.error(
                    row,
                    f"the weight {cell!r} may be written with a decimal comma, or with one for the thousands; write "
                    f"{cell.replace(',', '.')} or {cell.replace(',', '')}",
                ) from None
            raise table.error(row, f"the weight {cell!r} is not a number{table.or_header(row)}") from None
    return numbers[found.codes]


def _refuse_blanks(names: list[str], path: Path) -> None:
    for name in names:
        blank = any(char.isspace() for char in name)
        if blank or "," in name or ";" in name or name.startswith(("#", "%", '"')):
            raise FileFormatError(
                f"{path}: node {name!r} would not be read back from a list separated by blanks; "
                "write a .csv, .tsv, .graphml or .parquet file"
            )
