"""Ids that are whole numbers, found by bisection."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Ints

LARGEST = 2**63 - 1
"""The largest number that fits."""


@final
class NumberTable:
    """Whole numbers of 64 bits as ids.

    Parameters
    ----------
    values
        The id of each position, each once.
    order
        The positions in the order of their ids; None (default) where the ids ascend.
    """

    kind = "numbers"

    def __init__(self, values: Ints, order: Ints | None = None) -> None:
        self.values = values
        self.order = order

    @classmethod
    def of(cls, values: Ints) -> NumberTable:
        """A table of numbers in any order."""
        ascending = bool((values[1:] > values[:-1]).all())
        return cls(values, None if ascending else np.argsort(values))

    def __len__(self) -> int:
        return len(self.values)

    def item(self, place: int) -> int:
        """The id at a position."""
        return int(self.values[place])

    def part(self, low: int, high: int) -> list[Any]:
        """The ids from `low` up to `high`."""
        return self.values[low:high].tolist()

    def find(self, node: Hashable) -> int:
        """The position of an id; -1 where there is none."""
        number = _whole(node)
        return -1 if number is None else int(self._places(np.array([number]))[0])

    def find_many(self, nodes: Iterable[Hashable]) -> Ints:
        """The positions of many ids, likewise."""
        if isinstance(nodes, np.ndarray) and nodes.dtype.kind == "i":
            return self._places(nodes.astype(np.int64).ravel())
        wanted = [_whole(node) for node in nodes]
        found = self._places(np.array([0 if number is None else number for number in wanted], np.int64))
        found[[number is None for number in wanted]] = -1
        return found

    def find_spelling(self, spelling: str) -> int:
        """The position of the number that is written so, in its usual spelling."""
        try:
            number = int(spelling)
        except ValueError:
            return -1
        return self.find(number) if str(number) == spelling else -1

    def arrays(self) -> dict[str, AnyArray]:
        """The arrays by their names in a file."""
        return {"ids": self.values} if self.order is None else {"ids": self.values, "id_order": self.order}

    def _places(self, wanted: Ints) -> Ints:
        if not len(self.values):
            return np.full(len(wanted), -1, np.int64)
        rank = np.searchsorted(self.values, wanted, sorter=self.order)
        rank = np.minimum(rank, len(self.values) - 1)
        places = rank if self.order is None else self.order[rank]
        # An order from a damaged file may point anywhere.
        places = np.where((places >= 0) & (places < len(self.values)), places, 0)
        return np.where(self.values[places] == wanted, places, -1).astype(np.int64)


def _whole(node: Any) -> int | None:
    """The number that a value equals, as a dictionary would have it: 2.0 is 2."""
    if not isinstance(node, int | float | np.integer | np.floating) or not -LARGEST <= node <= LARGEST:
        return None
    number = int(node)
    return number if number == node else None
