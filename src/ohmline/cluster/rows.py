"""A block of rows of a symmetric matrix, and the tall blocks of columns that lie beside them.

Knows nothing of workers: `multiply` is handed the foreign rows that it needs, and `needs` says which those are.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import final

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.cluster.layout import block_folder, owners

CHUNK = 2**16
"""Rows whose random numbers are drawn together, so that they depend on the row and not on the block it lies in."""


SCALE = -1
"""The number of the column that holds the scale for the hosts that ask for it."""


@final
class RowBlock:
    """Some rows of A = diag(diagonal) + entries, and columns beside them by number.

    Parameters
    ----------
    folder
        Where the blocks of the matrix lie.
    number
        Which block.
    bounds
        The first row of every block, and the end of the last.
    """

    def __init__(self, folder: Path, number: int, bounds: Sequence[int]) -> None:
        place = block_folder(folder, number)
        self.number, self.folder, self.bounds = number, folder, bounds
        self.first, self.n = int(bounds[number]), int(bounds[number + 1] - bounds[number])
        self.halo: Ints = np.load(place / "halo.npy")
        """Positions of the foreign rows that the entries refer to, ascending."""
        begin, neighbour = np.load(place / "begin.npy"), np.load(place / "neighbour.npy")
        weight = np.load(place / "weight.npy")
        shape = (self.n, self.n + len(self.halo))
        self.entries = sparse.csr_array((weight, neighbour, begin), shape=shape)
        self.degree: Floats = np.load(place / "degree.npy")
        self.diagonal: Floats = np.zeros(self.n)
        self.scale: Floats = np.ones(self.n)
        self.columns: dict[int, Floats] = {}

    def needs(self) -> dict[int, Ints]:
        """The foreign rows that a product needs: by block, their places in it."""
        found = {}
        owner = owners(self.bounds, self.halo)
        for b in np.unique(owner).tolist():
            found[int(b)] = self.halo[owner == b] - self.bounds[b]
        return found

    def shape(self, scale: Floats, diagonal: Floats) -> None:
        """Say which matrix is wanted; `fold` makes it once the scale of the halo is known."""
        self.scale, self.diagonal = scale, diagonal
        self.columns[SCALE] = scale[:, None]

    def fold(self, foreign: Floats, unit: float) -> None:
        """From the weights W to -diag(scale) W diag(scale) / unit; `foreign` is the scale of the halo."""
        rows = np.repeat(self.scale, np.diff(self.entries.indptr))
        self.entries.data *= -1 / unit
        self.entries.data *= rows
        del rows
        self.entries.data *= np.concatenate([self.scale, foreign])[self.entries.indices]

    def multiply(self, x: Floats, foreign: Floats) -> Floats:
        """The rows of A x, given those of x here and in the halo."""
        whole = np.empty((self.n + len(self.halo), x.shape[1]))
        whole[: self.n], whole[self.n :] = x, foreign
        image: Floats = self.entries @ whole
        image += self.diagonal[:, None] * x
        return image

    def random(self, columns: int, seed: int) -> Floats:
        """Standard normal numbers for these rows."""
        found = np.empty((self.n, columns))
        for chunk in range(self.first // CHUNK, (self.first + self.n - 1) // CHUNK + 1 if self.n else 0):
            low = max(self.first, chunk * CHUNK)
            high = min(self.first + self.n, (chunk + 1) * CHUNK)
            drawn = np.random.default_rng([seed, chunk]).standard_normal((high - chunk * CHUNK, columns))
            found[low - self.first : high - self.first] = drawn[low - chunk * CHUNK :]
        return found


def draw(block: RowBlock, made: int, columns: int, seed: int) -> None:
    """A new block of random columns."""
    block.columns[made] = block.random(columns, seed)


def blend(block: RowBlock, made: int, terms: Sequence[tuple[float | Floats, int]]) -> None:
    """A new block: the sum of others, each times a factor or one factor for each column."""
    (factor, x), *rest = terms
    found = block.columns[x] * factor
    for factor, x in rest:
        found += block.columns[x] * factor
    block.columns[made] = found


def turn(block: RowBlock, made: int, x: int, small: Floats) -> None:
    """A new block: another one times a small matrix."""
    block.columns[made] = block.columns[x] @ small


def rescale(block: RowBlock, made: int, x: int) -> None:
    """A new block: another one with each row times its scale."""
    block.columns[made] = block.columns[x] * block.scale[:, None]


def gram(block: RowBlock, x: int, y: int) -> Floats:
    """x'y over these rows."""
    found: Floats = block.columns[x].T @ block.columns[y]
    return found


def dots(block: RowBlock, x: int, y: int) -> Floats:
    """The inner products of column with column over these rows."""
    return np.einsum("ij,ij->j", block.columns[x], block.columns[y])


def extremes(block: RowBlock, x: int) -> Floats:
    """The entry of the largest size in each column, with its sign: the first of several."""
    values = block.columns[x]
    if not block.n:
        return np.zeros(values.shape[1])
    found: Floats = values[np.abs(values).argmax(axis=0), np.arange(values.shape[1])]
    return found
