"""Matrix Market: the matrix of weights, nodes by number."""

from __future__ import annotations

import io
import re
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Unpack

from scipy import sparse

from ohmline.errors import FileFormatError
from ohmline.graph.edges import Rules
from ohmline.graph.files.paths import FileLimits, content, write_bytes
from ohmline.graph.graph import Graph

_CONTROL = re.compile(rb"[^\t\r\n\x20-\xff]")


def read_market(
    path: Path, limits: FileLimits, *, nodes: Iterable[Hashable] | None, **rules: Unpack[Rules]
) -> Graph:
    """A graph from a square matrix of weights, sparse or dense, as a Matrix Market file."""
    from scipy.io import mmread

    data = content(path, limits)
    if not data.startswith(b"%%MatrixMarket"):
        raise FileFormatError(
            f"{path} is not Matrix Market: it does not begin with %%MatrixMarket; give the format that it has"
        )
    # The parser reads past the end of a last line without its newline, and trips over control bytes.
    if _CONTROL.search(data):
        raise FileFormatError(f"{path} holds bytes that are not text after its first line; write it again")
    _expect_size(path, data, limits)
    try:
        matrix = mmread(io.BytesIO(data + b"\n"), spmatrix=False)
    except (ValueError, OverflowError, MemoryError, TypeError, IndexError) as error:
        raise FileFormatError(
            f"{path} is broken or cut short: {error}. Write or download it again."
        ) from None
    return Graph.from_scipy(matrix, nodes=nodes, **rules)


def _expect_size(path: Path, data: bytes, limits: FileLimits) -> None:
    """Refuse a file that declares more nodes than the limit, or more entries than its bytes can hold."""
    for line in data.splitlines()[1:]:
        if not line.strip() or line.lstrip().startswith(b"%"):
            continue
        try:
            declared = [int(word) for word in line.split()]
        except ValueError:
            return  # the parser says what is wrong
        if declared and max(declared[:2]) > limits.nodes:
            raise FileFormatError(
                f"{path} declares {max(declared[:2])} nodes, more than {limits.nodes}; if it should, pass "
                "limits=FileLimits(nodes=...) with a larger number"
            )
        dense = b"array" in data.splitlines()[0].lower() and len(declared) == 2
        entries = declared[0] * declared[1] // 2 if dense else declared[2] if len(declared) == 3 else 0
        if 2 * entries > len(data):
            raise FileFormatError(
                f"{path} declares {entries} entries, more than it can hold; it is cut short"
            )
        return


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
