"""What a table of ids can be asked."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Protocol

from ohmline.arrays import AnyArray, Ints


class IdTable(Protocol):
    """The ids of positions 0..n-1, each once, in arrays that may lie in a file."""

    kind: str
    """The name of this kind of table in a file."""

    def __len__(self) -> int: ...

    def item(self, place: int) -> Hashable:
        """The id at a position from 0 to n - 1."""

    def part(self, low: int, high: int) -> list[Any]:
        """The ids from position `low` up to `high`."""

    def find(self, node: Hashable) -> int:
        """The position of an id; -1 where there is no such id."""

    def find_many(self, nodes: Iterable[Hashable]) -> Ints:
        """The positions of many ids, likewise."""

    def find_spelling(self, spelling: str) -> int:
        """The position of the id that is written so, likewise."""

    def arrays(self) -> dict[str, AnyArray]:
        """The arrays by their names in a file."""
