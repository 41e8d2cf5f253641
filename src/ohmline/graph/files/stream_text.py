"""Large edge lists as a stream: in pieces, without a Python object for any cell.

Whatever this reads, the careful reader would read in the same way. Where it would refuse something, or decide by rules
that need all rows at once, this one raises `Unusual` and leaves the file to it.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.errors import FileFormatError, OhmlineError
from ohmline.extras import require
from ohmline.graph.files.paths import FileLimits, packing_of, suffix_of
from ohmline.graph.files.scan import BLANKS, ODD, decimal_numbers, scan, whole_numbers
from ohmline.graph.files.scan_pairs import newlines, scan_names, scan_numbers
from ohmline.graph.files.separator import SAMPLE, delimiter_of, split
from ohmline.graph.files.spelling import COMMENTS, NODES
from ohmline.graph.files.table import HEADERS, is_comment
from ohmline.graph.streaming import Unusual
from ohmline.graph.streaming.interning import PADDING

PIECE = 1 << 22
"""Bytes that are read at a time."""
ROWS = 1 << 16
"""Rows that are looked at together."""
_LONGEST_CELL = 100_000
"""Below the longest cell that Python's own reader takes; longer lines are left to it."""
_AFTER = b"\n\n\n" + bytes(PADDING)
"""What follows every text, so that compiled code may read a little beyond its end."""
_PAIR = 64
"""More bytes than a line of two numbers has."""
_POWERS = np.array([float(10**k) for k in range(23)])


@final
@dataclass(frozen=True)
class Batch:
    """Some rows: a text, and where the cells of both ends and of the weights lie in it."""

    text: AnyArray
    spans: AnyArray
    above: int
    """Lines of the file before the text."""
    ends: Ints | None = None
    """Both ends of every row, where they are whole numbers and have been read already: then there are no spans."""

    def below_first(self) -> Batch:
        """The same rows without the first."""
        return Batch(self.text, self.spans[1:], self.above, None if self.ends is None else self.ends[1:])

    def line(self, row: int) -> int:
        """The line of a row in the file."""
        return self.above + bytes(self.text[: self.spans[row, 0]]).count(b"\n") + 1

    def whole(self) -> Ints | None:
        """Both ends as whole numbers; None where one is a name."""
        if self.ends is not None:
            return self.ends
        ends = np.empty((len(self.spans), 2), np.int64)
        found = whole_numbers(self.text, self.spans, ends)
        if found == 2:
            raise Unusual("a whole number of more than 18 digits")
        return None if found else ends

    def weights(self) -> Floats:
        """The weights."""
        weights = np.empty(len(self.spans))
        hard = np.empty(len(self.spans), np.int64)
        left = decimal_numbers(self.text, self.spans, _POWERS, weights, hard)
        if left < 0:
            raise Unusual("a weight that is no plain number", self.line(-left - 1))
        for row in hard[:left].tolist():
            weights[row] = float(bytes(self.text[self.spans[row, 4] : self.spans[row, 5]]))
        return weights

    def cells(self, row: int) -> list[str]:
        """The cells of a row."""
        spans = self.spans[row].tolist()
        return [bytes(self.text[a:b]).decode() for a, b in zip(spans[0::2], spans[1::2], strict=True)]


@final
class TextStream:
    """The rows of a large text table.

    Parameters
    ----------
    path
        The file.
    limits
        How large it may be.
    """

    def __init__(self, path: Path, limits: FileLimits) -> None:
        self.path, self._limits = path, limits
        self._longest = min(limits.line, _LONGEST_CELL)
        sample, self.first = self._sampled()
        try:
            self.delimiter = delimiter_of(path, 1, sample, strict=False)
            if self.delimiter is None and suffix_of(path) in (".csv", ".tsv"):
                raise Unusual("one column")
            self.rows = [row for _, row in split(path, list(enumerate(sample, 1)), self.delimiter)]
        except OhmlineError as error:
            raise Unusual(str(error)) from None
        self.width = len(self.rows[0])

    def _sampled(self) -> tuple[list[str], int]:
        """The first rows, and how many lines come before them."""
        kept: list[str] = []
        above = 0
        piece = next(self._pieces(lambda done: None), b"")
        if piece.lstrip()[:9].lower().startswith((b"<!doctype", b"<html", b"<?xml")):
            raise Unusual("a web page or XML")
        begin = 0
        try:
            while (stop := piece.find(b"\n", begin)) >= 0:
                text, begin = piece[begin:stop].decode(), stop + 1
                if text.startswith(NODES):
                    raise Unusual("a list of nodes")
                if text.strip() and not text.startswith(COMMENTS):
                    kept.append(text)
                elif not kept:
                    above += 1
                if len(kept) == SAMPLE:
                    break
        except UnicodeDecodeError:
            raise Unusual("no UTF-8 text") from None
        if len(kept) < SAMPLE:
            raise Unusual("few rows")
        return kept, above

    def batches(
        self, columns: list[int], advance: Callable[[int], None], *, numbers: bool = False
    ) -> Iterator[Batch]:
        """All rows, the first included, with the cells of these columns.

        Parameters
        ----------
        columns
            The columns, the ends first.
        advance
            Is told how many bytes of the file were read.
        numbers
            Whether ids are hoped to be whole numbers.
        """
        wanted = np.array(columns, np.int64)
        separator = BLANKS if self.delimiter is None else ord(self.delimiter)
        spans = np.empty((ROWS, 2 * len(columns)), np.int32)
        ends = np.empty((ROWS if numbers else 0, 2), np.int64)
        pairs = self.width == len(columns) == 2 and self._longest > _PAIR
        before, above = True, 0
        for piece in self._pieces(advance):
            text = np.frombuffer(piece + _AFTER, np.uint8)  # nothing is read beyond it
            begin, end = 0, len(piece)
            if not piece.isascii():
                try:
                    piece.decode()
                except UnicodeDecodeError:
                    raise Unusual("no UTF-8 text") from None
            while begin < end:
                if pairs:
                    rows, begin = (
                        scan_numbers(text, begin, end, separator, ends)
                        if numbers
                        else scan_names(text, begin, end, separator, self._longest, spans)
                    )
                    if rows:
                        before = False
                        yield self._pairs(text, spans, ends, rows, columns, above, numbers=numbers)
                        continue
                rows, begin, how = scan(text, begin, end, separator, self.width, wanted, self._longest, spans)
                if rows:
                    before = False
                    yield Batch(text, spans[:rows], above)
                if how == ODD:
                    stop = piece.index(b"\n", begin)
                    line = above + piece.count(b"\n", 0, begin) + 1
                    row = self._odd_row(piece[begin:stop].decode(), before, line)
                    if row is not None:
                        before = False
                        yield _batch_of(row, columns, line)
                    begin = stop + 1
            above += newlines(text, 0, end)

    def _pairs(
        self,
        text: AnyArray,
        spans: AnyArray,
        ends: Ints,
        rows: int,
        columns: list[int],
        above: int,
        *,
        numbers: bool,
    ) -> Batch:
        """Rows of two cells, in the order of the columns."""
        if numbers:
            return Batch(text, spans[:0], above, ends[:rows] if columns[0] == 0 else ends[:rows, ::-1].copy())
        return Batch(text, spans[:rows] if columns[0] == 0 else np.roll(spans[:rows], 2, axis=1), above)

    def shortened(self, line: int) -> str:
        """The first rows, one line further down and nothing between: every line keeps its number."""
        kept, number, head = [], 0, self.first + SAMPLE
        for piece in self._pieces(lambda done: None):
            size = piece.count(b"\n")
            if number < head or number < line <= number + size:
                lines = piece.split(b"\n")[:-1]
                kept += [
                    text if number + k < head or number + k == line - 1 else b""
                    for k, text in enumerate(lines)
                ]
            else:
                kept += [b""] * size
            number += size
            if number >= line:
                break
        return b"\n".join(kept[: max(line, head)]).decode("utf-8", "replace")

    def _odd_row(self, line: str, before: bool, number: int) -> list[str] | None:
        """The cells of a line that is not plain, as the careful reader has them; None for a comment."""
        if "\0" in line or line.startswith(NODES) or len(line) > self._limits.line:
            raise Unusual("a line that only the careful reader takes", number)
        if not line.strip() or is_comment(line):
            return None
        try:
            ((_, cells),) = split(self.path, [(1, line)], self.delimiter)
        except (FileFormatError, ValueError, csv.Error):
            if line.startswith(COMMENTS):
                return None
            raise Unusual("broken quotes", number) from None
        if line.startswith(COMMENTS):
            words = [cell.lstrip("#%").lower() for cell in cells]
            if len(cells) != self.width or (before and sum(word in HEADERS for word in words) > 1):
                return None
            raise Unusual("a comment like a row", number)
        if len(cells) != self.width:
            raise Unusual("a row of another width", number)
        return cells

    def _pieces(self, advance: Callable[[int], None]) -> Iterator[bytes]:
        """The text in pieces that end with a newline, without a byte-order mark."""
        try:
            with _opened(self.path) as (file, raw):
                rest, size, told = b"", 0, 0
                while data := file.read(PIECE):
                    size += len(data)
                    if size > self._limits.size:
                        raise Unusual("a file that is too large")
                    if size == len(data):
                        data = data.removeprefix(b"\xef\xbb\xbf")
                    cut = data.rfind(b"\n") + 1
                    if cut:
                        yield rest + data[:cut] if rest else data[:cut]
                        rest = data[cut:]
                    else:
                        rest += data
                        if len(rest) > 8 * PIECE:
                            raise Unusual("a long line")
                    advance(raw.tell() - told)
                    told = raw.tell()
                if rest:
                    yield rest + b"\n"
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise Unusual(str(error)) from None


class _opened:
    """The text of a file, unpacked on the way, and the file itself, whose place says how far it has come."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> tuple[Any, Any]:
        self._raw = self._path.open("rb")
        packing = packing_of(self._path)
        if packing is None:
            return self._raw, self._raw
        if packing.suffix == ".gz":
            return gzip.GzipFile(fileobj=self._raw), self._raw
        return _Frames(self._raw), self._raw

    def __exit__(self, *error: object) -> Literal[False]:
        self._raw.close()
        return False


class _Frames:
    """The text of a .zst file, frame by frame: a last one that is cut short is an error, as it is for gzip.

    Parameters
    ----------
    raw
        The file, open for reading bytes.
    """

    STEP = 4096
    """Compressed bytes that are unpacked at a time: few, since each may stand for many."""

    def __init__(self, raw: Any) -> None:
        self._raw, self._module = raw, require("zstandard", "io")
        self._frame: Any = None
        self._left = b""

    def read(self, size: int) -> bytes:
        """At least so many bytes, or all that are left."""
        parts, got = [], 0
        while got < size:
            data, self._left = self._left or self._raw.read(self.STEP), b""
            if not data:
                if self._frame is not None and not self._frame.eof:
                    raise EOFError("the file is cut short")
                break
            if self._frame is None or self._frame.eof:
                self._frame = self._module.ZstdDecompressor().decompressobj()
            try:
                piece = self._frame.decompress(data)
            except self._module.ZstdError as error:
                raise ValueError(str(error)) from None
            if self._frame.eof:
                self._left = self._frame.unused_data
            parts.append(piece)
            got += len(piece)
        return b"".join(parts)


def _batch_of(row: list[str], columns: list[int], line: int) -> Batch:
    """A row that Python has split."""
    cells = [row[k].encode() if k >= 0 else b"" for k in columns]
    if any(not cell for cell, k in zip(cells, columns, strict=True) if k >= 0):
        raise Unusual("an empty cell", line)
    ends = np.cumsum([0] + [len(cell) for cell in cells])
    spans = np.array([[end for k in range(len(cells)) for end in (ends[k], ends[k + 1])]], np.int32)
    return Batch(np.frombuffer(b"".join(cells) + _AFTER, np.uint8), spans, line - 1)
