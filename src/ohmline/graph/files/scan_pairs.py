"""Lines of two cells and nothing else, which is what most edge lists are: read in one pass of compiled code.

Whatever is not so stops the pass, and `ohmline.graph.files.scan` looks at the rows from there on.
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import AnyArray, Ints
from ohmline.compiled import borrowed, compiled, internal
from ohmline.graph.files.scan import BLANKS, wide_blank

_NEWLINE, _RETURN, _SPACE, _QUOTE, _HASH, _PERCENT, _ZERO = 10, 13, 32, 34, 35, 37, 48
_DIGITS = 18
"""Digits of the longest number that is read here."""


@compiled
def scan_numbers(text: AnyArray, begin: int, end: int, separator: int, ends: Ints) -> tuple[int, int]:
    """Two whole numbers a line in their usual spelling, none below 0; the rows, and where the next line begins.

    text[end - 1] is a newline, and two more follow it.
    """
    between = _SPACE if separator == BLANKS else separator
    rows, line = 0, begin
    while line < end and rows < ends.shape[0]:
        p, first = line, np.int64(0)
        digit = np.int64(text[p]) - _ZERO
        while 0 <= digit <= 9:
            first = first * 10 + digit
            p += 1
            digit = np.int64(text[p]) - _ZERO
        size = p - line
        if text[p] != between or size < 1 or size > _DIGITS or (text[line] == _ZERO and size > 1):
            break
        p += 1
        start, second = p, np.int64(0)
        digit = np.int64(text[p]) - _ZERO
        while 0 <= digit <= 9:
            second = second * 10 + digit
            p += 1
            digit = np.int64(text[p]) - _ZERO
        size = p - start
        if text[p] == _RETURN:
            p += 1
        if text[p] != _NEWLINE or size < 1 or size > _DIGITS or (text[start] == _ZERO and size > 1):
            break
        ends[rows, 0] = first
        ends[rows, 1] = second
        rows += 1
        line = p + 1
    return rows, line


@compiled
def scan_names(
    text: AnyArray, begin: int, end: int, separator: int, longest: int, spans: AnyArray
) -> tuple[int, int]:
    """Two names a line without quotes, tabs or blanks around them; the rows, and where the next line begins.

    text[end - 1] is a newline, and two more follow it.
    """
    between = _SPACE if separator == BLANKS else separator
    stops = np.zeros(256, np.bool_)
    stops[:_SPACE] = True
    stops[_QUOTE] = True
    stops[between] = True
    if separator == BLANKS:
        stops[0x80:] = True  # some of them are blanks
    # Counting the users of arrays that are handed on would take longer than all the rest.
    text, spans = borrowed((text, spans))
    rows, line = 0, begin
    while line < end and rows < spans.shape[0]:
        if text[line] == _HASH or text[line] == _PERCENT:
            break
        p = line
        while not stops[text[p]]:
            p += 1
        middle = p
        if text[p] != between or not _plain(text, line, middle):
            break
        p += 1
        while not stops[text[p]]:
            p += 1
        stop = p
        if text[p] == _RETURN:
            p += 1
        if text[p] != _NEWLINE or p - line > longest or not _plain(text, middle + 1, stop):
            break
        spans[rows, 0] = line
        spans[rows, 1] = middle
        spans[rows, 2] = middle + 1
        spans[rows, 3] = stop
        rows += 1
        line = p + 1
    return rows, line


@internal
def _plain(text: AnyArray, low: int, high: int) -> bool:
    """Whether a cell has something in it and no blank at either end."""
    if low >= high or text[low] == _SPACE or text[high - 1] == _SPACE:
        return False
    if text[low] >= 0x80 and wide_blank(text, low, high):
        return False
    if text[high - 1] < 0x80:
        return True
    return not (
        (high - low >= 2 and wide_blank(text, high - 2, high))
        or (high - low >= 3 and wide_blank(text, high - 3, high))
    )


@compiled
def newlines(text: AnyArray, begin: int, end: int) -> int:
    """How many lines end in a part of a text."""
    found = 0
    for p in range(begin, end):
        found += 1 if text[p] == _NEWLINE else 0
    return found
