"""Writing a graph file, array by array, so that it never has to fit into memory."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.errors import FileFormatError
from ohmline.graph.files.paths import replacing
from ohmline.graph.fingerprint import PART, fingerprint_of
from ohmline.graph.graph import Graph
from ohmline.graph.ids import IdTable, NameTable, NumberTable
from ohmline.graph.ids.names import joined
from ohmline.graph.mapped.layout import MOST_NODES, PAGE, TYPES, Contents, Section, encoded, width
from ohmline.graph.mapped.remembered import remember, stamp_of
from ohmline.graph.nodes import NodeIndex


@final
class GraphWriter:
    """A graph file under way: arrays are appended to in pieces, several at a time if need be.

    Parameters
    ----------
    path
        The file that is written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("wb")
        self._end = PAGE
        self._places: dict[str, int] = {}
        self._lengths: dict[str, int] = {}
        self._digests: dict[str, Any] = {}

    def reserve(self, name: str, entries: int) -> None:
        """Make room for an array of at most so many entries.

        Parameters
        ----------
        name
            Which array; see `ohmline.graph.mapped.layout`.
        entries
            How many entries it may get; what is not used stays a hole, which takes no room on most disks.
        """
        self._places[name], self._lengths[name] = self._end, 0
        self._digests[name] = sha256()
        self._end += -(-entries * width(name) // PAGE) * PAGE

    def put(self, name: str, array: AnyArray) -> None:
        """Append to an array.

        Parameters
        ----------
        name
            Which array; it was reserved before.
        array
            The next entries.
        """
        for low in range(0, len(array), PART):
            piece = np.ascontiguousarray(array[low : low + PART], TYPES[name])
            self._file.seek(self._places[name] + self._lengths[name] * width(name))
            self._file.write(piece.data)
            self._digests[name].update(piece)
            self._lengths[name] += len(piece)

    def array(self, name: str, array: AnyArray) -> None:
        """Write an array whole.

        Parameters
        ----------
        name
            Which array.
        array
            All of it.
        """
        self.reserve(name, len(array))
        self.put(name, array)

    def drop(self, name: str) -> None:
        """Leave an array out after all; its room stays unused.

        Parameters
        ----------
        name
            Which array.
        """
        for table in (self._places, self._lengths, self._digests):
            del table[name]

    def mapped(self, name: str) -> AnyArray:
        """An array that was written, read-only, out of the file.

        Parameters
        ----------
        name
            Which array.
        """
        self._file.flush()
        if not self._lengths[name]:
            return np.empty(0, TYPES[name])
        return np.memmap(
            self.path, TYPES[name], mode="r", offset=self._places[name], shape=(self._lengths[name],)
        )

    def nodes(self, index: NodeIndex, path: Path) -> str:
        """Write the ids; the name of their kind.

        Parameters
        ----------
        index
            The ids.
        path
            The file that is meant, for errors.
        """
        if index.is_range:
            return "range"
        table = index.table or _table_of(index)
        if table is not None:
            for name, array in table.arrays().items():
                self.array(name, array)
            return table.kind
        texts = [_as_json(node, path) for node in index]
        pool, offsets = joined(texts)
        self.array("name_bytes", pool)
        self.array("name_offsets", offsets)
        return "json"

    def finish(
        self,
        *,
        nodes: int,
        signed: bool,
        dropped_loops: int,
        ids: str,
        fingerprint: str,
        nodes_fingerprint: str,
    ) -> None:
        """Write the table of contents; the file is whole then.

        Parameters
        ----------
        nodes, signed, dropped_loops, ids, fingerprint, nodes_fingerprint
            As `Contents` has them.
        """
        sections = {
            name: Section(place, self._lengths[name], self._digests[name].hexdigest())
            for name, place in self._places.items()
        }
        contents = Contents(
            nodes,
            sections["indices"].length,
            signed,
            dropped_loops,
            ids,
            fingerprint,
            nodes_fingerprint,
            sections,
        )
        self._file.truncate(contents.size())
        self._file.seek(0)
        self._file.write(encoded(contents))
        self._file.flush()
        os.chmod(self.path, 0o444)  # who truncates a mapped file ends every process that reads it

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@contextmanager
def writing(path: Path) -> Iterator[GraphWriter]:
    """A writer whose file takes the place of `path` if all goes well; rows that it wrote need no check on opening."""
    if sys.byteorder != "little":
        raise FileFormatError(f"{path}: graph files are for little-endian machines; write an edge list here")
    with ExitStack() as after:
        with replacing(path) as beside:
            writer = GraphWriter(beside)
            try:
                yield writer
            finally:
                writer.close()
            written = after.enter_context(beside.open("rb"))
        remember(
            stamp_of(os.fstat(written.fileno()))
        )  # of what was written, whatever has come to lie there since


def write_graph(graph: Graph, path: Path) -> None:
    """Write a graph that is in memory, or in another file."""
    if graph.n > MOST_NODES:
        raise FileFormatError(
            f"{path}: a graph file has at most {MOST_NODES} nodes, and this one has {graph.n}"
        )
    with writing(path) as writer:
        writer.array("indices", graph.indices)
        weights = None if graph.is_unweighted else graph.weights
        if weights is not None:
            writer.array("weights", weights)
        writer.array("indptr", graph.indptr)
        ids = writer.nodes(graph.nodes, path)
        writer.finish(
            nodes=graph.n,
            signed=graph.signed,
            dropped_loops=graph.dropped_loops,
            ids=ids,
            fingerprint=fingerprint_of(graph.nodes, graph.signed, graph.indptr, graph.indices, weights),
            nodes_fingerprint=graph.nodes.fingerprint,
        )


def _table_of(index: NodeIndex) -> IdTable | None:
    """Ids in a table, where all are strings or all are numbers of 64 bits; None for others."""
    kinds = {type(node) for node in index}
    if kinds == {str}:
        try:
            for node in index:
                str(node).encode()
        except UnicodeEncodeError:  # half a character, which JSON can hold
            return None
        return NameTable.of(str(node) for node in index)
    if kinds == {int} and all(-(2**63) < int(str(node)) < 2**63 for node in index):
        return NumberTable.of(np.fromiter(index, np.int64, len(index)))
    return None


def _as_json(node: Any, path: Path) -> str:
    """An id as JSON, in which a list is a tuple."""
    if isinstance(node, tuple):
        return f"[{','.join(_as_json(part, path) for part in node)}]"
    if not isinstance(node, str | int | float):
        raise FileFormatError(
            f"{path}: node {node!r} cannot be written; use strings, numbers or tuples of them as ids"
        )
    return json.dumps(node)
