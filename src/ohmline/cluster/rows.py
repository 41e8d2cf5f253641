"""A block of rows of a symmetric matrix, and the tall blocks of columns that lie beside them.

Knows nothing of workers: `multiply` is handed the foreign rows that it needs, and `needs` says which those are.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.cluster.layout import block_folder, owners
from ohmline.cluster.product import SOME, multiply_some
from ohmline.errors import ClusterError

CHUNK = 2**16
"""Rows whose random numbers are drawn together, so that they depend on the row and not on the block it lies in."""


NUMBERS = 2**15
"""Numbers that are added up at a time, so that what is between stays in the cache."""
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
        self.begin: Ints = np.load(place / "begin.npy")
        self.neighbour: AnyArray = np.load(place / "neighbour.npy")
        """The column of each entry: a row of this block, or beyond those a row of the halo."""
        self.entry: Floats = np.load(place / "weight.npy")
        self._check(place)
        self.degree: Floats = np.load(place / "degree.npy")
        self.diagonal: Floats = np.zeros(self.n)
        self.scale: Floats = np.ones(self.n)
        self.columns: dict[int, Floats] = {}

    def _check(self, place: Path) -> None:
        """Nothing that is not an index goes to compiled code."""
        sound = (
            len(self.begin) == self.n + 1
            and self.begin[0] == 0
            and self.begin[-1] == len(self.neighbour) == len(self.entry)
            and (np.diff(self.begin) >= 0).all()
            and (not len(self.neighbour) or self.neighbour.min() >= 0)
            and (not len(self.neighbour) or self.neighbour.max() < self.n + len(self.halo))
            and (not len(self.halo) or (self.halo[0] >= 0 and self.halo[-1] < self.bounds[-1]))
        )
        if not sound:
            raise ClusterError(f"the block {place} is damaged; start again with another work folder")

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
        scale = np.concatenate([self.scale, foreign])
        for low in range(
            0, self.n, SOME
        ):  # some rows at a time, so that no second array of all entries is made
            high = min(low + SOME, self.n)
            part = slice(self.begin[low], self.begin[high])
            self.entry[part] *= scale[self.neighbour[part]] / -unit
            self.entry[part] *= np.repeat(self.scale[low:high], np.diff(self.begin[low : high + 1]))

    def multiply(
        self,
        x: int,
        made: int,
        others: Sequence[tuple[float, int]],
        factor: float,
        left: int,
        foreign: Floats,
    ) -> None:
        """factor A x plus up to two others, each times its factor, into `made`: as many columns from `left` on as there
        are of the foreign rows."""
        (a, y), (b, z) = (*others, (0.0, x), (0.0, x))[:2]
        here, one, two, out = (self.columns[c] for c in (x, y, z, made))
        for low in range(0, self.n, SOME):
            high = min(low + SOME, self.n)
            multiply_some(
                self.begin,
                self.neighbour,
                self.entry,
                self.diagonal,
                here,
                foreign,
                factor,
                a,
                one,
                b,
                two,
                out,
                left,
                low,
                high,
            )

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
    found = np.empty_like(block.columns[terms[0][1]])
    some = max(1, NUMBERS // found.shape[1])
    for low in range(0, block.n, some):
        part = slice(low, low + some)
        (factor, x), *rest = terms
        np.multiply(block.columns[x][part], factor, out=found[part])
        for factor, x in rest:
            found[part] += block.columns[x][part] * factor
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
