"""Lines of a text table in compiled code: where the cells of a row begin and end, and the numbers that they spell.

A line is *plain* if every reader would split it alike. Whatever is not plain stops the scan, and Python looks at that
line: comments, quotes inside a cell, control characters, a row with more or fewer cells.
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import borrowed, compiled, internal

BLANKS = 0
"""In place of a separator: any run of blanks and tabs separates."""
DONE, ODD = 0, 1
"""How a scan ended: at the end of the text or of the room for rows, or before a line that is not plain."""
_TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE, _HASH, _PERCENT = 9, 10, 13, 32, 34, 35, 37


@internal
def wide_blank(text: AnyArray, p: int, end: int) -> bool:
    """Whether a blank outside ASCII stands at p: no-break, ideographic and the like, as Python strips them."""
    if text[p] == 0xC2:
        return p + 1 < end and (text[p + 1] == 0x85 or text[p + 1] == 0xA0)
    if p + 2 >= end:
        return False
    a, b, c = text[p], text[p + 1], text[p + 2]
    if a == 0xE2 and b == 0x80:
        return c <= 0x8A or c == 0xA8 or c == 0xA9 or c == 0xAF
    return (
        (a == 0xE1 and b == 0x9A and c == 0x80)
        or (a == 0xE2 and b == 0x81 and c == 0x9F)
        or (a == 0xE3 and b == 0x80 and c == 0x80)
    )


@internal
def _stripped(text: AnyArray, low: int, high: int) -> tuple[int, int]:
    """A cell without the blanks around it; an end of -1 where there are blanks outside ASCII."""
    while low < high and (text[low] == _SPACE or text[low] == _TAB):
        low += 1
    while high > low and (text[high - 1] == _SPACE or text[high - 1] == _TAB):
        high -= 1
    if high > low and text[low] >= 0x80 and wide_blank(text, low, high):
        return low, -1
    wide = high - low >= 2 and text[high - 1] >= 0x80
    if wide and (wide_blank(text, high - 2, high) or (high - low >= 3 and wide_blank(text, high - 3, high))):
        return low, -1
    return low, high


@compiled
def scan(
    text: AnyArray,
    begin: int,
    end: int,
    separator: int,
    width: int,
    columns: Ints,
    longest: int,
    spans: AnyArray,
) -> tuple[int, int, int]:
    """Where the cells of the wanted columns lie, row by row: the rows found, where the next line begins, how it ended.

    `spans[row]` holds begin and end of each of `columns`; a column of -1 is left out. text[end - 1] is a newline.
    """
    # Counting the users of arrays that are handed on would take longer than all the rest.
    text, columns, spans = borrowed((text, columns, spans))
    rows, line = 0, begin
    while line < end and rows < spans.shape[0]:
        if text[line] == _HASH or text[line] == _PERCENT:
            return rows, line, ODD
        p, cell, wanted, plain = line, 0, 0, True
        while True:
            low, high = p, p
            if separator == BLANKS:
                while text[p] == _SPACE or text[p] == _TAB:
                    p += 1
                low = p
                while text[p] > _SPACE and text[p] < 0x80:
                    p += 1
                high = p
                if text[p] == _RETURN and text[p + 1] == _NEWLINE:
                    p += 1
                plain = plain and (text[p] == _SPACE or text[p] == _TAB or text[p] == _NEWLINE)
            else:
                while text[p] == _SPACE:
                    p += 1
                if text[p] == _QUOTE:
                    p += 1
                    low = p
                    while text[p] != _QUOTE and text[p] >= _SPACE:
                        p += 1
                    high = p
                    plain = plain and text[p] == _QUOTE
                    p += 1
                    if text[p] == _RETURN and text[p + 1] == _NEWLINE:
                        p += 1
                    plain = plain and (text[p] == separator or text[p] == _NEWLINE)
                else:
                    while text[p] != separator and (text[p] >= _SPACE or text[p] == _TAB):
                        plain = plain and text[p] != _QUOTE
                        p += 1
                    high = p
                    if text[p] == _RETURN and text[p + 1] == _NEWLINE:
                        p += 1
                    plain = plain and (text[p] == separator or text[p] == _NEWLINE)
            if not plain:
                return rows, line, ODD
            low, high = _stripped(text, low, high)
            if high < 0:
                return rows, line, ODD
            blank_tail = separator == BLANKS and low == high
            if not blank_tail:
                for k in range(columns.shape[0]):
                    if columns[k] == cell:
                        if low == high and text[p] != _NEWLINE:
                            return rows, line, ODD
                        spans[rows, 2 * k] = low
                        spans[rows, 2 * k + 1] = high
                        wanted += 1 if high > low else 0
                cell += 1
            if text[p] == _NEWLINE:
                break
            p += 1
        if p - line > longest:
            return rows, line, ODD
        empty = (cell == 0) or (cell == 1 and separator != BLANKS and _blank(text, line, p))
        if not empty:
            needed = 0
            for k in range(columns.shape[0]):
                needed += 1 if columns[k] >= 0 else 0
            if cell != width or wanted != needed:
                return rows, line, ODD
            rows += 1
        line = p + 1
    return rows, line, DONE


@internal
def _blank(text: AnyArray, low: int, high: int) -> bool:
    for p in range(low, high):
        if text[p] != _SPACE and text[p] != _TAB and text[p] != _RETURN:
            return False
    return True


@compiled
def whole_numbers(text: AnyArray, spans: AnyArray, ends: Ints) -> int:
    """Both ends of every row as whole numbers in their usual spelling: 0, 1 if one is none, 2 if one is too long."""
    for row in range(ends.shape[0]):
        for side in range(2):
            p, high = spans[row, 2 * side], spans[row, 2 * side + 1]
            minus = text[p] == 45
            if minus:
                p += 1
            digits = high - p
            if digits < 1 or (text[p] == 48 and (digits > 1 or minus)):
                return 1
            value = np.int64(0)
            for q in range(p, high):
                digit = np.int64(text[q]) - 48
                if digit < 0 or digit > 9:
                    return 1
                if digits <= 18:
                    value = value * 10 + digit
            if digits > 18:
                return 2
            ends[row, side] = -value if minus else value
    return 0


@compiled
def decimal_numbers(text: AnyArray, spans: AnyArray, powers: Floats, weights: Floats, hard: Ints) -> int:
    """The weights of rows; how many of them Python must read, whose rows are in `hard`; -k - 1 if row k has no number.

    A number of up to 15 digits with a power of ten of up to 22 is exact: both are, and one operation rounds once.
    """
    left = 0
    for row in range(weights.shape[0]):
        p, high = spans[row, 4], spans[row, 5]
        minus = text[p] == 45
        if minus or text[p] == 43:
            p += 1
        value, digits, seen, scale = np.int64(0), 0, 0, 0
        point = False
        while p < high:
            if text[p] == 46 and not point:
                point = True
            elif 48 <= text[p] <= 57:
                seen += 1
                if digits > 0 or text[p] != 48:
                    digits += 1
                if digits <= 15:
                    value = value * 10 + (np.int64(text[p]) - 48)
                scale -= 1 if point else 0
            else:
                break
            p += 1
        if seen == 0:
            return -row - 1
        if p < high:
            if text[p] != 69 and text[p] != 101:
                return -row - 1
            p += 1
            down = p < high and text[p] == 45
            if p < high and (text[p] == 45 or text[p] == 43):
                p += 1
            if p == high:
                return -row - 1
            power = 0
            while p < high:
                if not 48 <= text[p] <= 57:
                    return -row - 1
                power = power * 10 + (int(text[p]) - 48) if power < 10_000 else power
                p += 1
            scale += -power if down else power
        if digits > 15 or scale < -22 or scale > 22:
            hard[left] = row
            left += 1
            continue
        number = np.float64(value)
        number = number / powers[-scale] if scale < 0 else number * powers[scale]
        weights[row] = -number if minus else number
    return left
