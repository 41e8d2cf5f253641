"""Ids that are strings: their bytes in one array, and a hash table over them in compiled code.

The table holds for each slot the position of a name plus one, 0 where it is free; a name is looked for from the slot
that its hash says, one after the other. Bytes are always compared, so that a hash decides nothing by itself, and no
slot of a damaged file is followed outside the arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import pairwise
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Ints, frozen
from ohmline.compiled import borrowed, compiled, inlined, prefetch

SEED = 0x243F6A8885A308D3
"""Where the hash of a table in a file begins."""
AHEAD = 16
"""Names between fetching a slot and entering a name into it."""


@inlined
def _hash(text: AnyArray, low: int, high: int, seed: Any) -> Any:
    """FNV-1a of text[low:high], its upper bits mixed into the lower ones; below 2^62."""
    code = np.uint64(seed)
    for k in range(low, high):
        code = (code ^ np.uint64(text[k])) * np.uint64(0x100000001B3)
    code ^= code >> np.uint64(32)
    code *= np.uint64(0xD6E8FEB86659FD93)
    code ^= code >> np.uint64(32)
    return np.int64(code >> np.uint64(2))


@inlined
def _slot_of(
    text: AnyArray, low: int, high: int, code: int, slots: AnyArray, pool: AnyArray, offsets: Ints, names: int
) -> int:
    """The slot of a name, or the free one where it belongs; -1 where a damaged table has neither."""
    mask = slots.shape[0] - 1
    slot = code & mask
    for _ in range(slots.shape[0]):
        place = np.int64(slots[slot]) - 1
        if place < 0:
            return slot
        if place < names:
            begin, end = offsets[place], offsets[place + 1]
            if end - begin == high - low and begin >= 0 and end <= pool.shape[0]:
                same = True
                for k in range(high - low):
                    if pool[begin + k] != text[low + k]:
                        same = False
                        break
                if same:
                    return slot
        slot = (slot + 1) & mask
    return -1


@compiled
def find_all(
    text: AnyArray,
    ends: Ints,
    slots: AnyArray,
    pool: AnyArray,
    offsets: Ints,
    names: int,
    seed: Any,
    found: Ints,
) -> None:
    """The positions of the names text[ends[k]:ends[k + 1]]; -1 where there is none."""
    text, slots, pool, offsets = borrowed((text, slots, pool, offsets))
    for k in range(found.shape[0]):
        code = _hash(text, ends[k], ends[k + 1], seed)
        slot = _slot_of(text, ends[k], ends[k + 1], code, slots, pool, offsets, names)
        found[k] = -1 if slot < 0 else np.int64(slots[slot]) - 1


@compiled
def place_all(slots: AnyArray, pool: AnyArray, offsets: Ints, names: int, seed: Any) -> None:
    """Enter every name of the pool, each of which is there once, into an empty table that has room for them."""
    slots, pool, offsets = borrowed((slots, pool, offsets))
    mask, start = slots.shape[0] - 1, slots.ctypes.data
    coming = np.empty(AHEAD, np.int64)
    for k in range(names + AHEAD):
        if k >= AHEAD:
            slot = coming[k % AHEAD] & mask
            while slots[slot] != 0:
                slot = (slot + 1) & mask
            slots[slot] = k - AHEAD + 1
        if k < names:
            coming[k % AHEAD] = _hash(pool, offsets[k], offsets[k + 1], seed)
            prefetch(start + 4 * (coming[k % AHEAD] & mask), 1)


def slots_for(names: int) -> AnyArray:
    """An empty hash table for so many names, at most half full."""
    return np.zeros(1 << max(4, (2 * names + 4).bit_length()), np.int32)


@final
class NameTable:
    """Strings as ids, in the order of their positions.

    Parameters
    ----------
    pool
        The UTF-8 bytes of all names, one after the other.
    offsets
        Where each name begins in the pool, and where the last one ends.
    slots
        The hash table: a power of two of entries.
    seed
        Where the hash begins.
    """

    kind = "names"

    def __init__(self, pool: AnyArray, offsets: Ints, slots: AnyArray, seed: int = SEED) -> None:
        self.pool, self.offsets, self.slots, self.seed = pool, offsets, slots, seed

    @classmethod
    def of(cls, names: Iterable[str]) -> NameTable:
        """A table of names, each of which is there once."""
        pool, offsets = joined(names)
        return cls.over(np.array(pool), offsets)

    @classmethod
    def over(cls, pool: AnyArray, offsets: Ints) -> NameTable:
        """A table of the names that lie in a pool."""
        slots = slots_for(len(offsets) - 1)
        place_all(slots, pool, offsets, len(offsets) - 1, np.uint64(SEED))
        return cls(frozen(pool), frozen(offsets), frozen(slots))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def item(self, place: int) -> str:
        """The id at a position."""
        return bytes(self.pool[self.offsets[place] : self.offsets[place + 1]]).decode("utf-8", "replace")

    def part(self, low: int, high: int) -> list[Any]:
        """The ids from `low` up to `high`."""
        ends = self.offsets[low : high + 1].tolist()
        if len(ends) < 2:
            return []
        text = bytes(self.pool[ends[0] : ends[-1]])
        return [text[a - ends[0] : b - ends[0]].decode("utf-8", "replace") for a, b in pairwise(ends)]

    def find(self, node: Hashable) -> int:
        """The position of an id; -1 where there is none."""
        return int(self.find_many([node])[0])

    def find_many(self, nodes: Iterable[Hashable]) -> Ints:
        """The positions of many ids, likewise."""
        listed = list(nodes)
        text, ends = joined(node if isinstance(node, str) else "" for node in listed)
        found = np.empty(len(listed), np.int64)
        find_all(text, ends, self.slots, self.pool, self.offsets, len(self), np.uint64(self.seed), found)
        found[[not isinstance(node, str) for node in listed]] = -1
        return found

    def find_spelling(self, spelling: str) -> int:
        """The position of a name."""
        return self.find(spelling)

    def arrays(self) -> dict[str, AnyArray]:
        """The arrays by their names in a file."""
        return {"name_bytes": self.pool, "name_offsets": self.offsets, "name_slots": self.slots}


def joined(names: Iterable[str]) -> tuple[AnyArray, Ints]:
    """The bytes of strings one after the other, and where each begins; the last entry is where the last one ends."""
    encoded = [str(name).encode("utf-8", "surrogatepass") for name in names]
    ends = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(piece) for piece in encoded], out=ends[1:])
    return np.frombuffer(b"".join(encoded) or b"\0", np.uint8), ends
