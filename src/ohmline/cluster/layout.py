"""Where the rows of a distributed matrix lie: contiguous blocks of positions, each in its own folder of files.

The folder is one that the client and all workers see. It is the memory of the cluster: a worker that takes over a block
reads it from there, and so does not depend on who had it before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from ohmline.arrays import Ints
from ohmline.errors import ClusterError

STRIP = 16
"""Columns that are exchanged and multiplied at a time; bounds the memory of a product."""


@final
@dataclass(frozen=True)
class BlockSize:
    """What decides how much memory a block of rows takes.

    Attributes
    ----------
    rows
        How many rows.
    entries
        How many entries of the matrix lie in them.
    halo
        How many rows of other blocks a product needs.
    """

    rows: int
    entries: int
    halo: int

    def bytes(self, columns: int, live: int) -> float:
        """Memory for the entries and so many live blocks of so many columns, with one product under way."""
        entries = 12.0 * self.entries + 32.0 * (self.rows + self.halo)
        strips = 8.0 * min(STRIP, columns) * 4 * self.halo
        return entries + strips + 8.0 * self.rows * columns * live


@final
@dataclass(frozen=True)
class Layout:
    """A distributed matrix on disk.

    Attributes
    ----------
    folder
        Where the blocks lie.
    bounds
        Block b has the rows from `bounds[b]` to `bounds[b + 1]`.
    sizes
        The size of each block.
    named
        Whether nodes have ids of their own, kept beside each block; else a node's id is its position.
    weight
        The sum of all entries: twice that of the edges' weights.
    top
        The largest weighted degree.
    """

    folder: Path
    bounds: tuple[int, ...]
    sizes: tuple[BlockSize, ...]
    named: bool
    weight: float
    top: float

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.bounds[-1]

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return len(self.sizes)

    @property
    def entries(self) -> int:
        """The number of entries: twice that of the edges."""
        return sum(size.entries for size in self.sizes)

    @property
    def mean_weight(self) -> float:
        """The mean weight of an edge; 1 without edges."""
        return self.weight / self.entries if self.entries else 1.0


def block_folder(folder: Path, block: int) -> Path:
    """The folder of a block."""
    return folder / f"block-{block:05d}"


def even_bounds(n: int, blocks: int) -> tuple[int, ...]:
    """So many blocks of nearly the same number of rows."""
    return tuple(int(n * b // blocks) for b in range(blocks + 1))


def owners(bounds: Sequence[int], positions: Ints) -> Ints:
    """The block that has each position."""
    return np.searchsorted(np.asarray(bounds), positions, side="right") - 1


def dealt(layout: Layout, room: dict[str, float], columns: int, live: int) -> dict[str, list[int]]:
    """Which worker takes which blocks: the largest first, each to the one with the most room left.

    Raises before anything is read where a worker's memory would not suffice.
    """
    left = dict(sorted(room.items()))
    blocks: dict[str, list[int]] = {name: [] for name in left}
    needs = [size.bytes(columns, live) for size in layout.sizes]
    endless = all(size == float("inf") for size in left.values())
    taken = dict.fromkeys(left, 0.0)
    for b in sorted(range(layout.blocks), key=lambda b: (-needs[b], b)):
        name = min(taken, key=taken.__getitem__) if endless else max(left, key=left.__getitem__)
        if left[name] < needs[b]:
            total, free = sum(needs) / 2**30, sum(room.values()) / 2**30
            # Where all of it is too much, more blocks need more rows of each other.
            remedy = "lower the rank, or make more blocks" if total < free else "or lower the rank"
            raise ClusterError(
                f"{layout.n:,} nodes, {layout.entries // 2:,} edges and {columns} columns need {total:.3g} GiB on the "
                f"workers (the largest block {max(needs) / 2**30:.3g}), and {len(room)} workers have {free:.3g} GiB to "
                f"spare; add workers or memory, {remedy}"
            )
        left[name] -= needs[b]
        taken[name] += needs[b]
        blocks[name].append(b)
    return {name: sorted(given) for name, given in blocks.items() if given}
