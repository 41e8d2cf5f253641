"""Matrix Market: the matrix of weights, nodes by number."""

from __future__ import annotations

import io
import re
from pathlib import Path

from scipy import sparse

from ohmline.errors import FileFormatError
from ohmline.graph.files.paths import content, write_bytes
from ohmline.graph.graph import Graph

_CONTROL = re.compile(rb"[^\t\r\n\x20-\xff]")


def read_market(path: Path, *, signed: bool, symmetrise: bool) -> Graph:
    """A graph from a square matrix of weights, sparse or dense, as a Matrix Market file."""
    from scipy.io import mmread

    data = content(path)
    if not data.startswith(b"%%MatrixMarket"):
        raise FileFormatError(
            f"{path} is not Matrix Market: it does not begin with %%MatrixMarket; give the format that it has"
        )
    # The parser reads past the end of a last line without its newline, and trips over control bytes.
    if _CONTROL.search(data):
        raise FileFormatError(f"{path} holds bytes that are not text after its first line; write it again")
    try:
        matrix = mmread(io.BytesIO(data + b"\n"))
    except (ValueError, OverflowError, MemoryError) as error:
        raise FileFormatError(
            f"{path} is broken or cut short: {error}. Write or download it again."
        ) from None
    return Graph.from_scipy(matrix, signed=signed, symmetrise=symmetrise)


def write_market(graph: Graph, path: Path) -> None:
    """The lower triangle of the matrix of weights; the nodes must be 0..n-1."""
    from scipy.io import mmwrite

    if not graph.nodes.is_range:
        raise FileFormatError(
            f"{path}: Matrix Market has no place for node ids such as {graph.nodes[0]!r}; write a .csv, "
            ".graphml or .parquet file, or write Graph.from_scipy(graph.adjacency) and keep the ids yourself"
        )
    buffer = io.BytesIO()
    mmwrite(buffer, sparse.coo_array(graph.adjacency), symmetry="symmetric", precision=17)
    write_bytes(path, buffer.getvalue())
