"""Graphs and labels in files."""

from __future__ import annotations

import logging
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import final

from ohmline.checks import choice, file_path, flag, instance, none_or
from ohmline.errors import FileFormatError, GraphError, ShapeError, UnknownNode
from ohmline.graph.files.edge_list import read_edge_list, write_edge_list
from ohmline.graph.files.graphml import read_graphml, write_graphml
from ohmline.graph.files.labels import read_labels
from ohmline.graph.files.market import read_market, write_market
from ohmline.graph.files.parquet import read_parquet, write_parquet
from ohmline.graph.files.paths import FileLimits, suffix_of
from ohmline.graph.graph import Graph, expect_graph

log = logging.getLogger(__name__)

__all__ = ["FileLimits", "Format", "read", "read_labels", "write"]


@final
class Format(Enum):
    """The formats that graphs are read from and written to."""

    EDGE_LIST = "edge list"
    GRAPHML = "GraphML"
    MATRIX_MARKET = "Matrix Market"
    PARQUET = "Parquet"


_BY_SUFFIX = {
    **dict.fromkeys([".csv", ".tsv", ".txt", ".edges", ".edgelist", ".el"], Format.EDGE_LIST),
    ".graphml": Format.GRAPHML,
    ".mtx": Format.MATRIX_MARKET,
    ".parquet": Format.PARQUET,
}


def read(
    path: str | PathLike[str],
    *,
    format: Format | None = None,
    header: bool | None = None,
    signed: bool = False,
    symmetrise: bool = False,
    limits: FileLimits | None = None,
) -> Graph:
    """Read a graph from a file, in the format that the end of its name or `format` says.

    | the name ends in | the file holds |
    |---|---|
    | .csv .tsv .txt .edges .edgelist .el | lines `source target [weight]` |
    | .graphml | GraphML (extra `io`) |
    | .mtx | Matrix Market, a square matrix |
    | .parquet | columns source, target and perhaps weight (extra `io`) |

    Each may be compressed (.gz). Edge lists are separated by tab, comma, semicolon or (unless
    they are called .csv or .tsv) blank, whichever the first line has; lines that begin with #
    or % are comments. Ids are whole numbers if all of them look so, else strings; numbers come in their
    order, strings as they appear.

    Parameters
    ----------
    path
        The name of the file.
    format
        The format, whatever the file is called. None (default) goes by the end of the name.
    header
        Whether the first row of an edge list names the columns. None (default) sees that from the rows. Other
        formats ignore it.
    signed
        Whether weights may be negative. By default a negative weight is an error.
    symmetrise
        Whether a directed file, or an edge with two weights, is taken as undirected with weights max(S, S').
        By default it is an error.
    limits
        How large the file may be. None (default) for `FileLimits()`: 4 GiB, 100 million nodes.
    """
    place = file_path(path)
    kind = _format(place, format)
    log.info("reading %s as %s", place, kind.value)
    header = none_or(flag, header, "header")
    signed, symmetrise = flag(signed, "signed"), flag(symmetrise, "symmetrise")
    most = FileLimits() if limits is None else instance(limits, FileLimits, "limits")
    try:
        if kind is Format.EDGE_LIST:
            return read_edge_list(place, most, header=header, signed=signed, symmetrise=symmetrise)
        if kind is Format.GRAPHML:
            return read_graphml(place, most, signed=signed, symmetrise=symmetrise)
        if kind is Format.MATRIX_MARKET:
            return read_market(place, most, signed=signed, symmetrise=symmetrise)
        return read_parquet(place, most, signed=signed, symmetrise=symmetrise)
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
        in a .tsv and blanks otherwise. A name that ends in .gz is compressed.
    format
        The format, whatever the file is called. None (default) goes by the end of the name.
    """
    expect_graph(graph)
    place = file_path(path)
    kind = _format(place, format)
    if kind is Format.EDGE_LIST:
        write_edge_list(graph, place)
    elif kind is Format.GRAPHML:
        write_graphml(graph, place)
    elif kind is Format.MATRIX_MARKET:
        write_market(graph, place)
    else:
        write_parquet(graph, place)


def _format(path: Path, given: Format | None) -> Format:
    if given is not None:
        return choice(given, Format, "format")
    suffix = suffix_of(path)
    if suffix not in _BY_SUFFIX:
        raise FileFormatError(
            f"{path}: the ending {suffix!r} names no format (known: {', '.join(_BY_SUFFIX)}, each also "
            "with .gz); pass format=Format.EDGE_LIST, GRAPHML, MATRIX_MARKET or PARQUET"
        )
    return _BY_SUFFIX[suffix]
