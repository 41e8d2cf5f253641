"""Ids as codes of 32 bits: whole numbers that are their own codes, others by a hash table."""

from __future__ import annotations

import os
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Ints, frozen
from ohmline.compiled import compiled
from ohmline.graph.ids import NameTable, NumberTable
from ohmline.graph.ids.names import slots_for
from ohmline.graph.nodes import NodeIndex, index_over
from ohmline.graph.streaming.interning import PADDING, code_of, empty_slots, hash_names, intern, place_again
from ohmline.graph.streaming.unusual import Unusual

MOST = 2**31 - 2
"""The most different ids: codes have 32 bits."""


@final
class TooScattered(Exception):
    """Whole numbers so large, or so few of those below them, that an array over all of them would be waste."""


@final
class Numbers:
    """Whole numbers from 0 on as their own codes.

    Parameters
    ----------
    limit
        The number from which on they count as scattered.
    """

    def __init__(self, limit: int) -> None:
        self._limit = min(limit, MOST)
        self.top = 0
        """One more than the largest code so far."""

    def codes(self, ends: Ints) -> AnyArray:
        """The codes of rows of two numbers."""
        if len(ends):
            if ends.min() < 0 or ends.max() >= self._limit:
                raise TooScattered
            self.top = max(self.top, int(ends.max()) + 1)
        return ends.astype(np.int32)

    def nodes(self, seen: AnyArray) -> tuple[NodeIndex, AnyArray]:
        """The ids that were seen, in their order, and the position of each code; nothing where it is the code."""
        if seen.all():
            return NodeIndex(len(seen)), np.empty(0, np.int32)
        rank = np.cumsum(seen, dtype=np.int32)
        rank -= 1
        return index_over(NumberTable(frozen(np.flatnonzero(seen)))), rank


@final
class ScatteredNumbers:
    """Whole numbers of any size up to 64 bits, coded in the order in which they come."""

    def __init__(self) -> None:
        self._slots = slots_for(1 << 12)
        self._values = np.empty(1 << 12, np.int64)
        self._key = int.from_bytes(os.urandom(8), "little") | 1
        self.top = 0

    def codes(self, ends: Ints) -> AnyArray:
        """The codes of rows of two numbers."""
        codes = np.empty(ends.shape, np.int32)
        done = 0
        while True:
            done, self.top = _code_numbers(
                ends, done, self._slots, self._values, self.top, np.uint64(self._key), codes
            )
            if done == len(ends):
                return codes
            if self.top >= MOST:
                raise Unusual(f"more than {MOST} nodes")
            self._values = _longer(self._values)
            self._slots = slots_for(len(self._values))
            _place_numbers(self._slots, self._values, self.top, np.uint64(self._key))

    def nodes(self, seen: AnyArray) -> tuple[NodeIndex, AnyArray]:
        """The ids in their order, and the position of each code."""
        values = self._values[: self.top]
        del self._slots
        order = np.argsort(values)
        rank = np.empty(self.top, np.int32)
        rank[order] = np.arange(self.top, dtype=np.int32)
        values = values[order]
        if self.top and values[0] == 0 and values[-1] == self.top - 1:
            return NodeIndex(self.top), rank
        return index_over(NumberTable(frozen(values))), rank


@final
class Names:
    """Strings, coded in the order in which they come, which is the order of their nodes."""

    def __init__(self) -> None:
        self._slots = empty_slots(1 << 12)
        self._pool = np.empty(1 << 16, np.uint8)
        self._offsets = np.zeros(1 << 12, np.int64)
        self._seed = np.uint64(int.from_bytes(os.urandom(8), "little"))
        self.top = 0

    def codes(self, text: AnyArray, spans: AnyArray) -> AnyArray:
        """The codes of rows of two names, text[spans[k, 0]:spans[k, 1]] and text[spans[k, 2]:spans[k, 3]].

        The text goes on for `PADDING` bytes beyond the last name.
        """
        codes, hashes = np.empty((len(spans), 2), np.int32), np.empty((len(spans), 2), np.int64)
        if len(spans) and (spans.min() < 0 or spans.max() + PADDING > len(text)):
            raise Unusual("names without padding")
        hash_names(text, spans, self._seed, hashes)
        done = 0
        while True:
            done, self.top = intern(
                text, spans, hashes, done, self._slots, self._pool, self._offsets, self.top, codes
            )
            if done == len(spans):
                return codes
            if self.top >= MOST:
                raise Unusual(f"more than {MOST} nodes")
            size = int(spans[done, 1] - spans[done, 0] + spans[done, 3] - spans[done, 2]) + PADDING
            while self._offsets[self.top] + size > len(self._pool):
                self._pool = _longer(self._pool)
            if self.top + 3 > len(self._offsets):
                self._offsets = _longer(self._offsets)
            if 2 * (self.top + 2) > len(self._slots):
                self._slots = np.zeros((0, 3), np.uint64)  # two tables at once would take half as much again
                self._slots = empty_slots(self.top + 2)
                place_again(self._slots, self._pool, self._offsets, self.top, self._seed)

    def nodes(self, seen: AnyArray) -> tuple[NodeIndex, AnyArray]:
        """The ids as they came; a code is a position."""
        del self._slots  # the table that stays has a seed that does not change, so that it can lie in a file
        pool = self._pool[: self._offsets[self.top]].copy()
        offsets = self._offsets[: self.top + 1].copy()
        del self._pool, self._offsets
        return index_over(NameTable.over(pool, offsets)), np.empty(0, np.int32)

    def number(self, text: str) -> int:
        """The code of a name that has come; -1 for others."""
        padded = np.frombuffer(text.encode() + bytes(PADDING), np.uint8)
        return int(code_of(padded, self._slots, self._pool, self._offsets, self._seed))

    def some(self, most: int) -> list[str]:
        """The first names."""
        return self._spelled(np.arange(min(most, self.top)))

    def short(self, size: int) -> list[str]:
        """The names of at most so many bytes."""
        return self._spelled(np.flatnonzero(np.diff(self._offsets[: self.top + 1]) <= size))

    def _spelled(self, codes: Ints) -> list[str]:
        starts, stops = self._offsets[codes].tolist(), self._offsets[codes + 1].tolist()
        return [bytes(self._pool[a:b]).decode() for a, b in zip(starts, stops, strict=True)]


@compiled
def _code_numbers(
    ends: Ints, first: int, slots: AnyArray, values: Ints, top: int, key: Any, codes: AnyArray
) -> tuple[int, int]:
    """The codes of rows from `first` on; the rows done before there may be no room, and how many numbers there are."""
    mask = slots.shape[0] - 1
    for row in range(first, ends.shape[0]):
        if top + 2 > values.shape[0]:
            return row, top
        for side in range(2):
            value = ends[row, side]
            slot = np.int64(_mixed(value, key)) & mask
            while slots[slot] != 0 and values[slots[slot] - 1] != value:
                slot = (slot + 1) & mask
            if slots[slot] == 0:
                values[top] = value
                top += 1
                slots[slot] = top
            codes[row, side] = slots[slot] - 1
    return ends.shape[0], top


@compiled
def _place_numbers(slots: AnyArray, values: Ints, top: int, key: Any) -> None:
    mask = slots.shape[0] - 1
    for k in range(top):
        slot = np.int64(_mixed(values[k], key)) & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = k + 1


@compiled
def _mixed(value: int, key: Any) -> Any:
    code = (np.uint64(value) ^ key) * np.uint64(0x9E3779B97F4A7C15)
    code = (code ^ (code >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return (code ^ (code >> np.uint64(32))) >> np.uint64(2)


def _longer(array: AnyArray) -> AnyArray:
    """The same entries, with half as much room again."""
    more = np.zeros(len(array) + len(array) // 2 + 16, array.dtype)
    more[: len(array)] = array
    return more
