"""Codes of 32 bits for names, by a hash table that finds most of them without another look.

| word of a slot | holds |
|---|---|
| 0 | the first eight bytes of a name of at most `SHORT` bytes, or the whole hash of a longer one |
| 1 | its other bytes, and its length in the top byte; `LONG` there for a longer one |
| 2 | its code plus one; 0 where the slot is free |

A short name is compared within its slot, so that a look-up waits for memory once, and prefetching hides even that. The
bytes of a longer one are compared in the pool. The table begins its hash anew each time, at a number that nobody knows.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ohmline.arrays import AnyArray, Ints
from ohmline.compiled import borrowed, compiled, inlined, prefetch

SHORT = 15
"""Bytes of the longest name that lies in its slot."""
LONG = 255
"""In place of the length of a longer name."""
PADDING = 16
"""Bytes that a text and a pool must have beyond their last name, since they are read eight bytes at a time."""
AHEAD = 12
"""Names between fetching a slot and reading it."""


@cast(Any, intrinsic)  # type: ignore[untyped-decorator]
def _word_at(typing: Any, address: Any) -> Any:
    """The eight bytes at an address, aligned or not; whoever calls it knows that they are there."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.load(place, align=1)

    return types.uint64(types.intp), generate


@inlined
def _first(word: Any, size: int) -> Any:
    """The first bytes of a word, fewer than eight, and zeros."""
    return word & ((np.uint64(1) << np.uint64(8 * size)) - np.uint64(1))


@inlined
def _mixed(code: Any, word: Any) -> Any:
    code = (code ^ word) * np.uint64(0x9E3779B97F4A7C15)
    return code ^ (code >> np.uint64(32))


@inlined
def _packed(text: AnyArray, low: int, high: int) -> tuple[Any, Any]:
    """Words 0 and 1 of a short name."""
    size = high - low
    at = text.ctypes.data + low
    if size <= 7:
        return _first(_word_at(at), size), np.uint64(size) << np.uint64(56)
    return _word_at(at), _first(_word_at(at + 8), size - 8) | (np.uint64(size) << np.uint64(56))


@inlined
def _long_hash(text: AnyArray, low: int, high: int, seed: Any) -> Any:
    code, at = seed ^ np.uint64(high - low), text.ctypes.data
    p = low
    while high - p >= 8:
        code = _mixed(code, _word_at(at + p))
        p += 8
    return _mixed(_mixed(code, _first(_word_at(at + p), high - p)), np.uint64(0xD6E8FEB86659FD93))


@inlined
def _hash(text: AnyArray, low: Any, high: Any, seed: Any) -> Any:
    """The hash of a name, from 0 on."""
    if high - low <= SHORT:
        a, b = _packed(text, low, high)
        code = _mixed(_mixed(_mixed(seed, a), b), np.uint64(0xD6E8FEB86659FD93))
    else:
        code = _long_hash(text, low, high, seed)
    return np.int64(code >> np.uint64(1))


@inlined
def _slot_of(
    text: AnyArray, low: Any, high: Any, code: int, slots: AnyArray, pool: AnyArray, offsets: Ints
) -> tuple[int, Any, Any]:
    """The slot of a name, or the free one where it belongs, and its words 0 and 1."""
    if high - low <= SHORT:
        a, b = _packed(text, low, high)
    else:
        a, b = np.uint64(code), np.uint64(LONG) << np.uint64(56)
    mask = slots.shape[0] - 1
    slot = code & mask
    while slots[slot, 2] != 0:
        if slots[slot, 0] == a and slots[slot, 1] == b:
            if high - low <= SHORT:
                break
            place = np.int64(slots[slot, 2]) - 1
            begin, end = offsets[place], offsets[place + 1]
            same = end - begin == high - low
            k = 0
            while same and k < high - low:
                same = pool[begin + k] == text[low + k]
                k += 1
            if same:
                break
        slot = (slot + 1) & mask
    return slot, a, b


@compiled
def hash_names(text: AnyArray, spans: AnyArray, seed: Any, hashes: Ints) -> None:
    """The hashes of the names of both ends of all rows; the text goes on for `PADDING` bytes beyond them."""
    for row in range(hashes.shape[0]):
        hashes[row, 0] = _hash(text, np.int64(spans[row, 0]), np.int64(spans[row, 1]), seed)
        hashes[row, 1] = _hash(text, np.int64(spans[row, 2]), np.int64(spans[row, 3]), seed)


@compiled
def intern(
    text: AnyArray,
    spans: AnyArray,
    hashes: Ints,
    first: int,
    slots: AnyArray,
    pool: AnyArray,
    offsets: Ints,
    names: int,
    codes: AnyArray,
) -> tuple[int, int]:
    """The codes of the names of both ends of rows from `first` on, new names included; the rows done, and the names.

    It stops before a row for whose names there may be no room.
    """
    # Counting the users of arrays that are handed on would take longer than all the rest.
    text, slots, pool, offsets = borrowed((text, slots, pool, offsets))
    last, mask, start = 2 * hashes.shape[0] - 1, slots.shape[0] - 1, slots.ctypes.data
    for row in range(first, hashes.shape[0]):
        size = np.int64(spans[row, 1]) - spans[row, 0] + spans[row, 3] - spans[row, 2]
        full = 2 * (names + 2) > slots.shape[0] or names + 3 > offsets.shape[0]
        if full or offsets[names] + size + PADDING > pool.shape[0]:
            return row, names
        for side in range(2):
            far = min(2 * row + side + AHEAD, last)
            prefetch(start + 24 * (hashes[far >> 1, far & 1] & mask), 1)
            low, high = np.int64(spans[row, 2 * side]), np.int64(spans[row, 2 * side + 1])
            slot, a, b = _slot_of(text, low, high, hashes[row, side], slots, pool, offsets)
            if slots[slot, 2] == 0:
                begin = offsets[names]
                for k in range(high - low):
                    pool[begin + k] = text[low + k]
                offsets[names + 1] = begin + high - low
                names += 1
                slots[slot, 0], slots[slot, 1], slots[slot, 2] = a, b, np.uint64(names)
            codes[row, side] = np.int64(slots[slot, 2]) - 1
    return hashes.shape[0], names


@compiled
def place_again(slots: AnyArray, pool: AnyArray, offsets: Ints, names: int, seed: Any) -> None:
    """Enter the names of a pool, each of which is there once, into an empty table."""
    slots, pool, offsets = borrowed((slots, pool, offsets))
    for k in range(names):
        low, high = offsets[k], offsets[k + 1]
        slot, a, b = _slot_of(pool, low, high, _hash(pool, low, high, seed), slots, pool, offsets)
        slots[slot, 0], slots[slot, 1], slots[slot, 2] = a, b, np.uint64(k + 1)


@compiled
def code_of(text: AnyArray, slots: AnyArray, pool: AnyArray, offsets: Ints, seed: Any) -> int:
    """The code of the name that a text is, up to its padding; -1 for one that has not come."""
    high = text.shape[0] - PADDING
    slot, _, _ = _slot_of(text, 0, high, _hash(text, 0, high, seed), slots, pool, offsets)
    return int(slots[slot, 2]) - 1


def empty_slots(names: int) -> AnyArray:
    """An empty hash table for so many names, at most half full."""
    return np.zeros((1 << max(4, (2 * names + 4).bit_length()), 3), np.uint64)
