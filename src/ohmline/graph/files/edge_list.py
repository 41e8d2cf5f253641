"""Edge lists as text: two columns of ids and perhaps one of weights."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Hashable
from pathlib import Path

from ohmline.errors import FileFormatError, WeightError
from ohmline.graph.edges import ordered
from ohmline.graph.files.paths import FileLimits, suffix_of, write_bytes
from ohmline.graph.files.table import NODES, Table, has_header, nodes_json, read_table, spelled, typed
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex


def read_edge_list(
    path: Path, limits: FileLimits, *, header: bool | None, signed: bool, symmetrise: bool
) -> Graph:
    """A graph from lines `source target [weight]`; see `ohmline.graph.read`."""
    table = read_table(path, limits, columns=(2, 3), header=header, ids=2)
    weights = _weights(table, signed=signed)
    spellings = [end for row in table.rows for end in row[:2]]
    if table.nodes is None:
        ends = typed(spellings)
        nodes = ordered(ends)
    else:
        nodes = table.nodes
        ids: dict[str, Hashable] = {str(node): node for node in nodes}
        for k, spelling in enumerate(spellings):
            if spelling not in ids:
                raise table.error(k // 2, f"node {spelling!r} is not among the nodes that the file lists")
        ends = [ids[spelling] for spelling in spellings]
    return Graph.from_columns(
        ends[0::2], ends[1::2], weights, nodes=nodes, signed=signed, symmetrise=symmetrise
    )


def write_edge_list(graph: Graph, path: Path) -> None:
    """One line per edge; weights only where one is not 1, the nodes only where the lines cannot tell."""
    names = spelled(graph.nodes, path)
    delimiter = {".csv": ",", ".tsv": "\t"}.get(suffix_of(path), " ")
    sources, targets, weights = (column.tolist() for column in graph.edges())
    weighted = any(w != 1 for w in weights)
    buffer = io.StringIO()
    rows = [[names[i], names[j]] for i, j in zip(sources, targets, strict=True)]
    if NodeIndex(ordered(typed([end for row in rows for end in row]))) != graph.nodes:
        buffer.write(NODES + nodes_json(graph.nodes) + "\n")
    if delimiter == " ":
        _refuse_blanks(names, path)
    if delimiter != " " or (rows and has_header(rows, 2)):
        buffer.write(delimiter.join(["source", "target", "weight"][: 3 if weighted else 2]) + "\n")
    # A name that begins like a comment is safe once it is quoted.
    odd = any(name.startswith(("#", "%")) for name in names)
    writer = csv.writer(
        buffer, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    )
    writer.writerows([*row, repr(w)] if weighted else row for row, w in zip(rows, weights, strict=True))
    write_bytes(path, buffer.getvalue().encode())


def _weights(table: Table, *, signed: bool) -> list[float] | None:
    if not table.rows or len(table.rows[0]) == 2:
        return None
    weights = []
    for k, field in enumerate(table.column(2)):
        try:
            weight = float(field)
        except ValueError:
            raise table.error(k, f"the weight {field!r} is not a number") from None
        if not math.isfinite(weight) or (weight < 0 and not signed):
            remedy = (
                "weights must be finite; drop the edge or give it a weight"
                if not math.isfinite(weight)
                else "weights must not be negative; pass signed=True if that means dissimilar nodes"
            )
            raise WeightError(f"{table.path}, line {table.lines[k]}: the weight is {field}; {remedy}")
        weights.append(weight)
    return weights


def _refuse_blanks(names: list[str], path: Path) -> None:
    for name in names:
        if " " in name or "\t" in name or "," in name or ";" in name or name.startswith(("#", "%", '"')):
            raise FileFormatError(
                f"{path}: node {name!r} would not be read back from a list separated by blanks; "
                "write a .csv, .tsv, .graphml or .parquet file"
            )
