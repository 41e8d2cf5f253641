"""Graphs and labels in files."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterable, Sequence
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import Any, Literal, final

import numpy as np

from ohmline.checks import choice, file_path, flag, instance, none_or, shown, text
from ohmline.errors import FileFormatError, GraphError, ParameterError, ShapeError, UnknownNode
from ohmline.graph.edges import Parallel, Rules, parallel_of
from ohmline.graph.files.conversion import convert
from ohmline.graph.files.edge_list import read_edge_list, write_edge_list
from ohmline.graph.files.given_nodes import given_nodes, refuse_doubt
from ohmline.graph.files.graphml import read_graphml, write_graphml
from ohmline.graph.files.labels import read_labels, read_nodes
from ohmline.graph.files.market import read_market, write_market
from ohmline.graph.files.parquet import read_parquet, write_parquet
from ohmline.graph.files.parts import is_parts
from ohmline.graph.files.paths import FileLimits, suffix_of
from ohmline.graph.graph import Graph, expect_graph
from ohmline.progress import Advance

log = logging.getLogger(__name__)

__all__ = ["FileLimits", "Format", "convert", "read", "read_labels", "read_nodes", "write"]


@final
class Format(Enum):
    """The formats that graphs are read from and written to."""

    EDGE_LIST = "edge list"
    GRAPHML = "GraphML"
    MATRIX_MARKET = "Matrix Market"
    PARQUET = "Parquet"
    GRAPH_FILE = "Ohmline graph file"


_BY_SUFFIX = {
    **dict.fromkeys([".csv", ".tsv", ".txt", ".edges", ".edgelist", ".el"], Format.EDGE_LIST),
    ".graphml": Format.GRAPHML,
    ".mtx": Format.MATRIX_MARKET,
    ".parquet": Format.PARQUET,
    ".ohmg": Format.GRAPH_FILE,
}


def read(
    path: str | PathLike[str],
    *,
    format: Format | None = None,
    header: bool | None = None,
    source: str | int | None = None,
    target: str | int | None = None,
    weight: str | int | Literal[False] | None = None,
    nodes: str | PathLike[str] | Iterable[Hashable] | None = None,
    nodes_header: bool | None = None,
    signed: bool = False,
    symmetrise: bool = False,
    parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    limits: FileLimits | None = None,
    progress: Advance | bool | None = None,
) -> Graph:
    """Read a graph from a file, in the format that the end of its name or `format` says.

    | the name ends in | the file holds |
    |---|---|
    | .csv .tsv .txt .edges .edgelist .el | lines `source target [weight]` |
    | .graphml | GraphML (extra `io`) |
    | .mtx | Matrix Market, a square matrix |
    | .parquet | columns source, target and perhaps weight (extra `io`) |
    | a folder | Parquet parts of one table, with the same columns; also a pattern, such as `parts/*.parquet` |
    | .ohmg | what `Graph.write` wrote there: it is opened, not read; see `Graph.open` |

    Each but the last may be compressed (.gz, or .zst with the extra `io`). Edge lists are separated by tab, comma,
    semicolon or (unless they are called .csv or .tsv) blank: the first of these that gives all rows the same number
    of columns, at least two, and what is quoted does not count. A comma in numbers of one column only is a decimal
    comma, as in `a;b;1,5`; a weight such as 1,500, which may mean thousands, is an error. Lines that begin with # or
    % and a blank are comments. Without the blank they are too, unless they have as many columns as the rows: then
    they may be edges, which is an error that names the line; quote such names. Ids are whole numbers if all of them
    look so, else strings; numbers come in their order, strings as they appear. Edge lists of more than 8 MiB and
    large Parquet files are read as a stream, within twice the memory of the graph, which then has, where all edges
    weigh 1, no array of weights until somebody asks for it; what is unusual in them is left to the careful reader, row
    by row.

    Parameters
    ----------
    path
        The name of the file, or of a folder of Parquet parts. Parts that are numbered (part-00000, part-00001, ...)
        must be there without a gap, and those that a manifest lists must all be there.
    format
        The format, whatever the file is called. None (default) goes by the end of the name.
    header
        Whether the first row of an edge list names the columns. None (default) sees that from the rows: it does if it
        uses the usual words (source, target, from, to, ...), or if its ends are not numbers and all others are. A row
        with a number in it, or an end that comes again, is never a header otherwise. Else it is one if its weight is a
        word, or, unless blanks separate, if every other row shares an end with another; that is logged as a warning,
        since it may be an edge. Other formats ignore it.
    source, target
        The columns of an edge list or a Parquet file that hold the two ends, by name or by number (from 0). None
        (default) for those with the usual names, or the first two of two or three columns.
    weight
        The column (in GraphML the edge attribute) that holds the weights, by name or by number. None (default) for the
        one called weight, or the third of exactly three columns; False for none: all edges weigh 1.
    nodes
        The nodes, in the order of their positions, where the edges do not tell: a list of ids, or the name of a file
        that `read_nodes` reads. It names isolated nodes and every end of an edge; in Matrix Market the rows. None
        (default) for the nodes that the file itself lists, or else the ends of its edges.
    nodes_header
        Whether the first row of the file of nodes names its columns. None (default) sees that from the rows, as
        `read_nodes` does; where they leave a doubt, because the first row is an end of no edge and most of the others
        are, it is an error.
    signed
        Whether weights may be negative. By default a negative weight is an error.
    symmetrise
        Whether a directed file, or an edge with two weights, is taken as undirected with weights max(S, S').
        By default it is an error.
    parallel
        What becomes of several rows between the same two nodes: `"sum"`, `"max"` or `"refuse"`; see
        `Graph.from_edges`. None (default) counts rows of equal weight once.
    limits
        How large the file may be. None (default) for `FileLimits()`: 4 GiB, 100 million nodes.
    progress
        True for a bar, or a function that is told the steps made, while a large file is read; None (default) for
        neither.
    """
    place = file_path(path)
    kind = _format(place, format)
    log.info("reading %s as %s", place, kind.value)
    header = none_or(flag, header, "header")
    rules: Rules = {
        "signed": flag(signed, "signed"),
        "symmetrise": flag(symmetrise, "symmetrise"),
        "parallel": parallel_of(parallel),
    }
    most = FileLimits() if limits is None else instance(limits, FileLimits, "limits")
    if kind in (Format.GRAPHML, Format.MATRIX_MARKET, Format.GRAPH_FILE):
        _refuse_columns(kind, source, target, weight, nodes)
    listed, sure = given_nodes(nodes, nodes_header, most)
    if kind is Format.GRAPH_FILE:
        return Graph.open(place, progress=progress)
    try:
        if kind is Format.EDGE_LIST:
            ends = {"header": header, "source": source, "target": target, "weight": weight}
            options = {**ends, **rules, "progress": progress}
            graph = read_edge_list(place, most, nodes=listed, **options)  # type: ignore[arg-type]
            return graph if listed is None or sure else _with_nodes(graph, listed, nodes)
        if kind is Format.GRAPHML:
            return read_graphml(place, most, weight=weight, **rules)  # type: ignore[arg-type]
        if kind is Format.MATRIX_MARKET:
            return read_market(place, most, nodes=listed, **rules)
        graph = read_parquet(
            place,
            most,
            source=source,
            target=target,
            weight=weight,
            nodes=listed,
            progress=progress,
            **rules,
        )
        return graph if listed is None or sure else _with_nodes(graph, listed, nodes)
    except (GraphError, ShapeError, UnknownNode) as error:
        if str(place) in str(error):
            raise
        raise type(error)(f"{place}: {error}") from None


def write(graph: Graph, path: str | PathLike[str], *, format: Format | None = None) -> None:
    """Write a graph in the format that the end of the name or `format` says; see `read`.

    Reading the file gives an equal graph back (with `signed=True` for a signed one): order and
    types of the ids and isolated nodes are kept, in a comment or an attribute where the format
    has no place for them. The file appears whole or not at all.

    Parameters
    ----------
    graph
        The graph. Its ids are whole numbers or strings; for Matrix Market they are 0..n-1.
    path
        The name of the file, which is replaced if it exists. An edge list is separated by commas in a .csv, tabs
        in a .tsv and blanks otherwise. A name that ends in .gz or .zst is compressed.
    format
        The format, whatever the file is called. None (default) goes by the end of the name.
    """
    expect_graph(graph)
    place = file_path(path)
    kind = _format(place, format)
    if kind is Format.GRAPH_FILE:
        from ohmline.graph.mapped import write_graph

        write_graph(graph, place)
    elif kind is Format.EDGE_LIST:
        write_edge_list(graph, place)
    elif kind is Format.GRAPHML:
        write_graphml(graph, place)
    elif kind is Format.MATRIX_MARKET:
        write_market(graph, place)
    else:
        write_parquet(graph, place)


def _refuse_columns(kind: Format, source: Any, target: Any, weight: Any, nodes: Any) -> None:
    """Raise where somebody names what the format does not have."""
    for name, value in (("source", source), ("target", target)):
        if value is not None:
            raise ParameterError(
                f"{kind.value} has no columns, so {name}={shown(value)} names nothing; leave it out"
            )
    if kind is Format.GRAPHML:
        if nodes is not None:
            raise ParameterError("GraphML lists its nodes itself; leave nodes= out")
        if weight is not None and weight is not False:
            text(weight, "weight")
    elif kind is Format.GRAPH_FILE:
        for name, value in (("weight", weight), ("nodes", nodes)):
            if value is not None:
                raise ParameterError(f"a graph file has its own {name}; leave {name}= out")
    elif weight is not None:
        raise ParameterError("the entries of a matrix are its weights; leave weight= out")


def _format(path: Path, given: Format | None) -> Format:
    if given is not None:
        return choice(given, Format, "format")
    if is_parts(path):
        return Format.PARQUET
    suffix = suffix_of(path)
    if suffix not in _BY_SUFFIX:
        raise FileFormatError(
            f"{path}: the ending {suffix!r} names no format (known: {', '.join(_BY_SUFFIX)}, each also "
            "with .gz or .zst); rename it, or pass format=Format.EDGE_LIST, GRAPHML, MATRIX_MARKET, PARQUET or "
            "GRAPH_FILE"
        )
    return _BY_SUFFIX[suffix]


def _with_nodes(graph: Graph, listed: Sequence[Hashable], source: Any) -> Graph:
    """The graph, unless the first line of its file of nodes may be a header that was taken for a node."""
    joined = np.diff(graph.indptr) > 0
    refuse_doubt(source, listed, joined[graph.nodes.positions(listed)])
    return graph
