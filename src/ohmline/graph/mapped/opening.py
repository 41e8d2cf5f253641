"""Opening a graph file: mapped, read-only, and never trusted before it was checked once."""

from __future__ import annotations

import json
import mmap
import os
import stat
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, frozen
from ohmline.checks import room
from ohmline.errors import DataError, FileFormatError
from ohmline.graph.fingerprint import fingerprint_of
from ohmline.graph.graph import Graph, graph_over
from ohmline.graph.ids import NameTable, NumberTable
from ohmline.graph.mapped.checking import check_digest, check_ids, check_rows
from ohmline.graph.mapped.layout import PAGE, TYPES, Contents, decoded
from ohmline.graph.mapped.remembered import Stamp, is_remembered, remember, stamp_of
from ohmline.graph.nodes import NodeIndex, index_over
from ohmline.graph.rows import Rows
from ohmline.progress import Advance, reporting


@final
@dataclass(frozen=True)
class GraphFile:
    """The file that a graph lies in.

    Attributes
    ----------
    path
        Its name.
    fingerprint
        The digest of the graph, as the file states it; `Graph.open(path, verify=True)` works it out.
    stamp
        Which file it was, in which state: a copy of the graph in another process opens that one or none.
    """

    path: Path
    fingerprint: str
    stamp: Stamp

    def reopened(self) -> tuple[Any, ...]:
        """How another process gets the graph: by opening the same file."""
        return _reopen, (str(self.path), self.stamp)


def open_graph(path: Path, *, verify: bool, trust: bool, progress: Advance | bool | None) -> Graph:
    """A graph over the arrays of a file; see `Graph.open`."""
    descriptor, contents, stamp = _opened(path)
    try:
        arrays = _mapped(descriptor, contents)
    finally:
        os.close(descriptor)
    if verify or not (trust or is_remembered(stamp)):
        _check(path, contents, arrays, verify=verify, progress=progress)
        if stamp_of(path.stat()) == stamp:
            remember(stamp)
    rows = Rows(arrays["indptr"], arrays["indices"], arrays.get("weights"))
    nodes = _nodes(path, contents, arrays)
    graph = graph_over(
        rows,
        nodes,
        signed=contents.signed,
        dropped_loops=contents.dropped_loops,
        file=GraphFile(path, contents.fingerprint, stamp),
    )
    if verify:
        found = index_over(nodes.table).fingerprint if nodes.table is not None else nodes.fingerprint
        whole = fingerprint_of(nodes, graph.signed, rows.indptr, rows.indices, rows.weights)
        if (found, whole) != (contents.nodes_fingerprint, contents.fingerprint):
            raise FileFormatError(
                f"{path} states the fingerprint of another graph than the one that it holds; write it again"
            )
    return graph


def _opened(path: Path) -> tuple[int, Contents, Stamp]:
    """A descriptor of the file, what it states about itself, and its state."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        link = ", which the link names," if path.is_symlink() else ""
        raise DataError(f"{path}{link} does not exist; check the name and the folder") from None
    except OSError as error:
        raise DataError(f"{path} cannot be opened: {error.strerror or error}") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            what = "a folder" if stat.S_ISDIR(status.st_mode) else "no ordinary file"
            raise FileFormatError(f"{path} is {what}; give the name of a graph file")
        contents = decoded(path, os.read(descriptor, PAGE))
        if status.st_size != contents.size():
            raise FileFormatError(
                f"{path} has {status.st_size} bytes, and its table of contents states {contents.size()}; it was cut "
                "short, or something was added to it: get a whole copy, or write it again"
            )
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, contents, stamp_of(status)


def _mapped(descriptor: int, contents: Contents) -> dict[str, AnyArray]:
    """Every array over the mapped file; nobody can write to them."""
    whole = mmap.mmap(descriptor, contents.size(), access=mmap.ACCESS_READ)
    return {
        name: np.frombuffer(whole, TYPES[name], section.length, section.offset)
        if section.length
        else frozen(np.empty(0, TYPES[name]))
        for name, section in contents.sections.items()
    }


def _check(
    path: Path,
    contents: Contents,
    arrays: dict[str, AnyArray],
    *,
    verify: bool,
    progress: Advance | bool | None,
) -> None:
    """The checks that a file must pass before compiled code sees it, and those of every byte."""
    total = contents.entries + (contents.nodes if contents.ids != "range" else 0)
    total += sum(len(array) for array in arrays.values()) if verify else 0
    with reporting(progress, f"checking {path.name}", total) as advance:
        if verify:
            for name, section in contents.sections.items():
                check_digest(path, name, arrays[name], section.sha256, advance)
        check_rows(
            path,
            arrays["indptr"],
            arrays["indices"],
            arrays.get("weights"),
            signed=contents.signed,
            advance=advance,
        )
        table = _table(contents, arrays)
        if table is not None:
            check_ids(path, table, advance)


def _table(contents: Contents, arrays: dict[str, AnyArray]) -> NameTable | NumberTable | None:
    if contents.ids == "numbers":
        return NumberTable(arrays["ids"], arrays.get("id_order"))
    if contents.ids == "names":
        return NameTable(arrays["name_bytes"], arrays["name_offsets"], arrays["name_slots"])
    return None


def _nodes(path: Path, contents: Contents, arrays: dict[str, AnyArray]) -> NodeIndex:
    """The ids of the nodes."""
    table = _table(contents, arrays)
    if table is not None:
        return index_over(table, contents.nodes_fingerprint)
    if contents.ids == "range":
        return NodeIndex(contents.nodes)
    room(200 * contents.nodes, f"{contents.nodes} ids that are neither all strings nor all numbers")
    ends = arrays["name_offsets"].tolist()
    pool = bytes(arrays["name_bytes"])
    try:
        return NodeIndex([_id(json.loads(pool[a:b])) for a, b in pairwise(ends)])
    except (ValueError, TypeError) as error:
        raise FileFormatError(
            f"{path} is damaged: its ids cannot be read ({error}); write it again"
        ) from None


def _id(value: Any) -> Hashable:
    return tuple(map(_id, value)) if isinstance(value, list) else value


def _reopen(path: str, stamp: Stamp) -> Graph:
    """The graph of a file that another process has checked, as long as it is the same file in the same state."""
    place = Path(path)
    descriptor, _, found = _opened(place)
    os.close(descriptor)
    if found != stamp:
        raise DataError(f"{place} was changed after the graph was opened; open it again")
    return open_graph(place, verify=False, trust=True, progress=None)
