"""A symmetric matrix wherever its rows live: in memory, on a GPU, on many machines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from ohmline.arrays import Floats

B = TypeVar("B")


class Rows(ABC, Generic[B]):
    """A symmetric n x n matrix A and tall blocks of columns that lie beside its rows.

    What is needed of a place where linear algebra is done, and no more: the algorithms over it (`filtered_subspace`,
    `block_cg`) see small matrices only. A block is whatever the place likes (an array, a name that workers know); it
    is never changed once it is made, and `drop` says that it is not needed any more.

    Attributes
    ----------
    n
        The number of rows.
    """

    n: int

    @abstractmethod
    def random(self, columns: int, seed: int) -> B:
        """A block of standard normal numbers: equal for equal seeds, wherever the rows live."""

    @abstractmethod
    def product(self, x: B) -> B:
        """A x."""

    @abstractmethod
    def blend(self, *terms: tuple[float, B]) -> B:
        """The sum of the blocks, each times its factor."""

    @abstractmethod
    def gram(self, x: B, y: B) -> Floats:
        """x'y, a small matrix in this process."""

    @abstractmethod
    def turn(self, x: B, small: Floats) -> B:
        """x times a small matrix."""

    def drop(self, x: B) -> None:
        """Forget a block."""

    def chebyshev(self, x: B, degree: int, low: float, high: float) -> B:
        """T_degree((A - c) / e) x with c, e the middle and half width of [low, high].

        At most 1 in size on [low, high], and the steeper below it the higher the degree.

        Parameters
        ----------
        x
            A block.
        degree
            At least 1.
        low, high
            The part of the spectrum to damp.
        """
        centre, half = (low + high) / 2, (high - low) / 2
        moved = self.product(x)
        before, now = x, self.blend((1 / half, moved), (-centre / half, x))
        self.drop(moved)
        for _ in range(degree - 1):
            moved = self.product(now)
            then = self.blend((2 / half, moved), (-2 * centre / half, now), (-1.0, before))
            self.drop(moved)
            if before is not x:
                self.drop(before)
            before, now = now, then
        if before is not x:
            self.drop(before)
        return now
