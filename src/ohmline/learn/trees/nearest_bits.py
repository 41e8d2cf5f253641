"""The nearest labelled place before and after any place of a line: a tree of words of 64 bits.

A bit of the lowest level is a place; a bit of a higher one says whether any bit of a word below it is set. Among a
million places four words are read at most on the way up, and as many on the way down.
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import AnyArray, Ints
from ohmline.compiled import highest_bit, inlined, lowest_bit

WORD = 6
"""log2 of the bits of a word."""
MASK = 63


def levels_of(places: int) -> Ints:
    """Where each level begins, and, at the end, how many words there are in all."""
    starts, length = [0], places
    while True:
        length = max((length + MASK) >> WORD, 1)
        starts.append(starts[-1] + length)
        if length == 1:
            return np.array(starts)


@inlined
def set_bit(words: AnyArray, starts: Ints, p: int) -> None:
    """Mark place p."""
    for level in range(starts.shape[0] - 1):
        place = starts[level] + (p >> WORD)
        before = words[place]
        words[place] = before | (np.uint64(1) << np.uint64(p & MASK))
        if before != np.uint64(0):
            return  # the levels above know already
        p = p >> WORD


@inlined
def clear_bit(words: AnyArray, starts: Ints, p: int) -> None:
    """Take the mark of place p away."""
    for level in range(starts.shape[0] - 1):
        place = starts[level] + (p >> WORD)
        words[place] = words[place] & ~(np.uint64(1) << np.uint64(p & MASK))
        if words[place] != np.uint64(0):
            return
        p = p >> WORD


@inlined
def marked_before(words: AnyArray, starts: Ints, p: int) -> int:
    """The last marked place before p; -1 where there is none."""
    for level in range(starts.shape[0] - 1):
        rest = words[starts[level] + (p >> WORD)] & ((np.uint64(1) << np.uint64(p & MASK)) - np.uint64(1))
        p = p >> WORD
        if rest != np.uint64(0):
            p = (p << WORD) + highest_bit(rest)
            for below in range(level - 1, -1, -1):
                p = (p << WORD) + highest_bit(words[starts[below] + p])
            return p
    return -1


@inlined
def marked_after(words: AnyArray, starts: Ints, p: int) -> int:
    """The first marked place after p; -1 where there is none."""
    for level in range(starts.shape[0] - 1):
        # Two shifts: one by 64 is not defined.
        above = (~np.uint64(0) << np.uint64(p & MASK)) << np.uint64(1)
        rest = words[starts[level] + (p >> WORD)] & above
        p = p >> WORD
        if rest != np.uint64(0):
            p = (p << WORD) + lowest_bit(rest)
            for below in range(level - 1, -1, -1):
                p = (p << WORD) + lowest_bit(words[starts[below] + p])
            return p
    return -1
