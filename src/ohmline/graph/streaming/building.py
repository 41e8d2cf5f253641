"""The edges of a stream as a graph: in memory, or straight into a graph file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, frozen
from ohmline.checks import room
from ohmline.errors import GraphError
from ohmline.graph.edges import Parallel
from ohmline.graph.fingerprint import fingerprint_of
from ohmline.graph.graph import Graph, graph_over
from ohmline.graph.mapped.writing import writing
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.rows import Rows
from ohmline.graph.streaming.scatter import APART, EQUAL, LARGEST, add_up, begin_rows, count_ends, fill, tidy
from ohmline.graph.streaming.spill import Spill
from ohmline.graph.streaming.unusual import Unusual

AT_ONCE = 1 << 28
"""Bytes of rows that are put together at a time on their way into a file."""


SURE = 0.8
"""The share of the rows that are expected which there are at least."""
TO_FILE = "write it to a graph file with ohmline.graph.convert, and open that with Graph.open"


class Coder(Protocol):
    """Whoever gave the codes."""

    top: int

    def nodes(self, seen: AnyArray) -> tuple[NodeIndex, AnyArray]:
        """The ids, and the position of each code; nothing where a code is a position."""


@final
@dataclass(frozen=True)
class Forecast:
    """What is known of a graph in memory before its edges have been read.

    Parameters
    ----------
    what
        Where they come from, in words.
    rows
        How many there will be, about; 0 where nobody knows.
    instead
        What to do where the graph of them does not fit into memory.
    """

    what: str
    rows: int
    instead: str

    def expect_room(self, rows: int, nodes: int, *, weighted: bool) -> None:
        """Raise where the graph of so many rows and nodes, or of most of those to come, does not fit into memory.

        Parameters
        ----------
        rows, nodes
            What has been read.
        weighted
            Whether a weight other than 1 was among it.
        """
        to_come = int(SURE * self.rows)
        size = 12 if weighted else 4
        found, ahead = 2 * size * rows + 8 * nodes, 2 * size * to_come
        if to_come > rows:
            room(ahead, f"the graph of the about {self.rows:,} edges of {self.what}", self.instead)
        room(found, f"the graph of the first {rows:,} edges of {self.what}", self.instead)


@final
class Edges:
    """Edges as they come, and then the graph of them.

    Parameters
    ----------
    signed, symmetrise, parallel
        As for `Graph.from_edges`.
    folder
        Where the edges lie on disk in the meantime; None (default) for the system's folder of temporary files.
    forecast
        What is known of the graph that they are to become in memory; None (default) where it need not fit there.
    """

    def __init__(
        self,
        *,
        signed: bool,
        symmetrise: bool,
        parallel: Parallel | None,
        folder: Path | None = None,
        forecast: Forecast | None = None,
    ) -> None:
        self._forecast = forecast
        self._signed, self._parallel = signed, parallel
        self._how = (
            APART
            if parallel is Parallel.SUM
            else LARGEST
            if symmetrise or parallel is Parallel.MAX
            else EQUAL
        )
        self._spill = Spill(folder)
        self._counts = np.zeros(1 << 12, np.int64)
        self._seen = np.zeros(1 << 12, np.bool_)
        self._loops = 0

    def __enter__(self) -> Edges:
        return self

    def __exit__(self, *error: object) -> None:
        self._spill.close()

    def add(self, codes: AnyArray, weights: Floats, top: int) -> None:
        """More edges.

        Parameters
        ----------
        codes
            Two codes per row, of 32 bits.
        weights
            One weight per row; none at all means that all weigh 1.
        top
            One more than the largest code.
        """
        if len(weights):
            good = np.isfinite(weights) & (self._signed | (weights >= 0))
            if not good.all():
                raise Unusual(f"the weight {weights[~good][0]}")
        if top >= len(self._counts):
            size = top + top // 2 + 2
            self._counts = np.concatenate([self._counts, np.zeros(size - len(self._counts), np.int64)])
            self._seen = np.concatenate([self._seen, np.zeros(size - len(self._seen), np.bool_)])
        self._loops += count_ends(codes, weights, self._counts, self._seen)
        self._spill.append(codes, weights)
        if self._forecast is not None:
            rows = max(self._spill.rows - self._loops, 0)
            self._forecast.expect_room(rows, top, weighted=self._weighted)

    def parts(self) -> Iterator[tuple[AnyArray, Floats]]:
        """The codes and weights of all edges so far, some rows at a time."""
        return self._spill.parts()

    def graph(self, coder: Coder) -> Graph:
        """All of them as a graph in memory."""
        nodes, rank, indptr, entries = self._ready(coder)
        weighted = self._weighted
        size = (12 if weighted else 4) * entries + 8 * len(nodes)
        instead = TO_FILE if self._forecast is None else self._forecast.instead
        room(size, f"a graph of {entries // 2:,} edges", instead)
        neighbour, weight = self._rows(rank, indptr, 0, len(nodes), entries, entries)
        return graph_over(
            Rows(frozen(indptr), frozen(neighbour), frozen(weight) if weighted and _differ(weight) else None),
            nodes,
            signed=self._signed,
            dropped_loops=self._loops,
        )

    def write(self, coder: Coder, path: Path) -> None:
        """All of them into a graph file, some rows at a time, so that the graph need not fit into memory."""
        nodes, rank, indptr, most = self._ready(coder)
        n, weighted = len(nodes), self._weighted
        starts = indptr.copy()  # where the rows lie before any twin is dropped
        with writing(path) as writer:
            writer.reserve("indices", most)
            if weighted:
                writer.reserve("weights", most)
            low, ones = 0, True
            while low < n:
                limit = starts[low + 1] + AT_ONCE // (12 if weighted else 4)
                high = n if most <= limit else int(np.searchsorted(starts[1:], limit, side="right")) - 1
                high = max(high, low + 1)
                base = int(starts[low + 1])
                size = (most if high == n else int(starts[high + 1])) - base
                neighbour, weight = self._rows(rank, indptr, low, high, size, base + size)
                writer.put("indices", neighbour)
                if weighted:
                    writer.put("weights", weight)
                    ones = ones and not _differ(weight)
                low = high
            if weighted and ones:
                writer.drop("weights")
            writer.array("indptr", indptr)
            ids = writer.nodes(nodes, path)
            weights = writer.mapped("weights") if weighted and not ones else None
            writer.finish(
                nodes=n,
                signed=self._signed,
                dropped_loops=self._loops,
                ids=ids,
                fingerprint=fingerprint_of(nodes, self._signed, indptr, writer.mapped("indices"), weights),
                nodes_fingerprint=nodes.fingerprint,
            )

    @property
    def _weighted(self) -> bool:
        return self._spill.weighted or self._how == APART

    def _ready(self, coder: Coder) -> tuple[NodeIndex, AnyArray, AnyArray, int]:
        """The nodes, the position of each code, where row i begins, at indptr[i + 1], and the entries of all rows."""
        if not coder.top:
            raise GraphError("the graph has no nodes; give at least one edge, or nodes=[...]")
        counts = self._counts[1 : coder.top + 1]
        self._seen[: coder.top] |= counts > 0
        nodes, rank = coder.nodes(self._seen[: coder.top])
        indptr = np.zeros(len(nodes) + 1, np.int64)
        if len(rank):
            seen = self._seen[: coder.top]
            indptr[1:][rank[seen]] = counts[seen]
        else:
            indptr[1:] = counts
        del self._counts
        self._seen = np.zeros(0, np.bool_)
        entries = int(indptr.sum())
        begin_rows(indptr)
        return nodes, rank, indptr, entries

    def _rows(
        self, rank: AnyArray, indptr: AnyArray, low: int, high: int, size: int, stop: int
    ) -> tuple[AnyArray, Floats]:
        """Rows low..high-1, sorted and each pair once; where they end in all is entered into indptr."""
        base = stop - size
        neighbour = np.empty(size, np.int32)
        weight = np.empty(size if self._weighted else 0)
        for codes, weights in self._spill.parts():
            fill(codes, weights, rank, indptr, low, high, base, neighbour, weight)
        entries, twins = tidy(indptr, low, high, base, neighbour, weight, self._how)
        if twins < 0:
            raise Unusual("an edge with two weights")
        if twins and self._parallel is Parallel.REFUSE:
            raise Unusual("an edge that is listed twice")
        if self._parallel is Parallel.SUM:
            total = add_up(indptr, low, high, neighbour, weight, entries)
            if total is None:
                raise Unusual("weights whose sum is too large")
            entries = total
        neighbour.resize(entries, refcheck=False)  # in place: a copy would not fit
        if self._weighted:
            weight.resize(entries, refcheck=False)
        return neighbour, weight


def _differ(weight: Floats) -> bool:
    """Whether a weight is not 1."""
    step = 1 << 20
    return any(not (weight[low : low + step] == 1.0).all() for low in range(0, len(weight), step))
