"""What separates the columns of a text table, and what a comma within a number means."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ohmline.errors import FileFormatError
from ohmline.graph.files.paths import suffix_of

SAMPLE = 200
"""How many lines decide what separates the columns."""
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


def delimiter_of(path: Path, number: int, sample: Sequence[str], *, strict: bool = True) -> str | None:
    """What separates the columns of the lines, the first of which is line `number`; None for blanks.

    It is the first of tab, comma and semicolon that gives all lines the same number of columns, at least two; what is
    quoted does not count. A comma that only ever stands in one column of numbers, as in `a;b;1,5`, is a decimal comma,
    and what separates the others is taken. Where none fits all lines, it is the first one of the first line.
    """
    widths = {d: _width(path, sample, d) for d in "\t,;"}
    found = [d for d in "\t,;" if widths[d] > 1]
    if "," in found[:1]:
        others = [";"] if suffix_of(path) in (".csv", ".tsv") else [";", None]
        for other in others:
            if _width(path, sample, other) > 1 and _decimal_commas(path, sample, other):
                return other
    if found:
        return found[0]
    one = [(number, sample[0])]
    present = [d for d in "\t,;" if d in sample[0]]
    delimiter = next((d for d in present if _cells(path, one, d, least=2)), next(iter(present), None))
    if delimiter is None and strict and suffix_of(path) in (".csv", ".tsv"):
        raise FileFormatError(
            f"{path}, line {number}: no comma, tab or semicolon; the file is not what its name says"
        )
    return delimiter


def _cells(
    path: Path, kept: list[tuple[int, str]], delimiter: str | None, least: int = 1
) -> list[list[str]] | None:
    """The cells of lines; None where they do not all have as many, or fewer than `least`, or quotes are broken."""
    try:
        rows = [row for _, row in split(path, kept, delimiter)]
    except FileFormatError:
        return None
    return rows if len({len(row) for row in rows}) == 1 and len(rows[0]) >= least else None


def _width(path: Path, sample: Sequence[str], delimiter: str | None) -> int:
    """How many columns all lines have; 0 where that differs."""
    if delimiter is not None and delimiter not in sample[0]:
        return 0
    rows = _cells(path, list(enumerate(sample, 1)), delimiter)
    return len(rows[0]) if rows else 0


def _decimal_commas(path: Path, sample: Sequence[str], delimiter: str | None) -> bool:
    """Whether all commas stand in numbers of one column, which is not the first."""
    rows = _cells(path, list(enumerate(sample, 1)), delimiter) or []
    with_comma = {k for row in rows for k, cell in enumerate(row) if "," in cell}
    return (
        len(with_comma) == 1
        and 0 not in with_comma
        and all(has_decimal_comma(cell) for row in rows for cell in row if "," in cell)
    )


def has_decimal_comma(cell: str) -> bool:
    """Whether a cell is a number written with a decimal comma.

    >>> has_decimal_comma("1,5"), has_decimal_comma("1.5"), has_decimal_comma("a,5")
    (True, False, False)
    """
    return _DECIMAL_COMMA.fullmatch(cell) is not None


def decimal_point(column: Sequence[str]) -> dict[str, float] | str:
    """The numbers of a column in which some have a decimal comma; or the first cell whose comma may mean thousands.

    A comma is the decimal one where no cell of the column has a point, and one at least cannot mean thousands.

    >>> decimal_point(["1,5", "2"]), decimal_point(["1,500", "2"])
    ({'1,5': 1.5, '2': 2.0}, '1,500')
    """
    commas = [cell for cell in column if has_decimal_comma(cell)]
    pointed = any("." in cell for cell in column)
    if pointed or all(_THOUSANDS.fullmatch(cell) for cell in commas):
        return commas[0]
    return {cell: float(cell.replace(",", ".")) for cell in column if cell in commas or is_number(cell)}


def is_number(field: str) -> bool:
    """Whether a cell is a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def split(path: Path, kept: list[tuple[int, str]], delimiter: str | None) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line, with its number."""
    if delimiter is None:
        whole = suffix_of(path) in (".csv", ".tsv")  # one column, in which a blank is part of the name
        yield from ((number, [line.strip()] if whole else line.split()) for number, line in kept)
        return
    number = kept[0][0]

    def feed() -> Iterator[str]:
        nonlocal number
        for number, line in kept:  # noqa: B007
            yield line

    try:
        for row in csv.reader(feed(), delimiter=delimiter, strict=True, skipinitialspace=True):
            yield number, [field.strip() for field in row]
    except csv.Error as error:
        if "field limit" in str(error):
            raise FileFormatError(
                f"{path}, line {number}: a cell of more than {csv.field_size_limit():,} characters; shorten it, or, "
                "where a quotation mark was left open, close it"
            ) from None
        raise FileFormatError(
            f"{path}, line {number}: broken quotes ({error}); the file may be cut short"
        ) from None
