"""A stream from a file that somebody else writes to.

| what happens to the file | what the source does |
|---|---|
| it grows | gives the new lines, each when its line end is there |
| it is renamed, and another one takes its name (rotation) | reads the old one to its end, then the new one |
| it is cut short or written anew, here or while nobody looked | SourceError, unless `begin_again` |
| a line is no record, is too long, or is refused by the project | writes it to a file of its own, with the reason |
| the process ends, however | gives every line again that was not acknowledged, with the key that it had |
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, final

from ohmline.checks import file_path, flag, none_or, positive, shown
from ohmline.errors import ParameterError, SourceError
from ohmline.sources.item import Item, Source
from ohmline.sources.lines import Line, is_at, rest_of, whole_line
from ohmline.sources.mark import Mark, append_line, digest_of, fits, read_mark, write_mark
from ohmline.sources.record import Record, json_record, key_of
from ohmline.sources.rows import Rows

JSON_ENDINGS, CSV_ENDINGS = (".jsonl", ".ndjson"), (".csv",)


@final
class GrowingFile(Source):
    """What `follow_file` gives."""

    def __init__(
        self,
        path: Path,
        mark: Path,
        aside: Path,
        poll: float | None,
        begin_again: bool,
        rows: Callable[[], Callable[[bytes], Record | None]],
    ) -> None:
        self._path, self._mark_path, self._aside = path, mark, aside
        self._poll, self._begin_again, self._rows = poll, begin_again, rows
        self._closed = threading.Event()
        self._mark = read_mark(mark)
        self._open: dict[int, _Given] = {}  # by where the line starts

    def items(self) -> Iterator[Item]:
        while not self._closed.is_set():
            file = self._opened()
            if file is None:
                if self._poll is None:
                    raise SourceError(f"there is no file {self._path}; check the name")
                self._closed.wait(self._poll)
                continue
            with file:
                yield from self._lines_of(file)
                if self._poll is None:
                    return

    def close(self) -> None:
        self._closed.set()

    def _opened(self) -> IO[bytes] | None:
        try:
            file = self._path.open("rb", buffering=0)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SourceError(f"{self._path} cannot be read: {error}") from None
        if not fits(file, self._mark):
            if not self._begin_again:
                file.close()
                raise SourceError(
                    f"{self._path} is not the file that was read up to byte {self._mark.offset:,} (line "
                    f"{self._mark.line:,}): it was cut short, rotated or written anew; begin_again=True reads what is "
                    f"there from its beginning, and {self._mark_path} is the mark"
                )
            self._next_round()
        return file

    def _next_round(self) -> None:
        self._open.clear()
        self._mark = Mark(self._mark.round + 1)
        write_mark(self._mark_path, self._mark)

    def _lines_of(self, file: IO[bytes]) -> Iterator[Item]:
        """The items of one file, until another has its name, or to its end where nobody waits for more."""
        parse, offset, moved = self._rows(), self._mark.offset, False
        head = whole_line(file, 0) if offset else None
        if head is not None:
            _parsed(parse, head)  # the first line of a table says what its columns are
        while not self._closed.is_set():
            line = whole_line(file, offset)
            if line is not None:
                moved, offset = False, line.end
                item = self._item(file, line, parse)
                if item is not None:
                    yield item
            elif self._poll is None:
                return
            elif moved:  # looked once more after the new file was there
                self._leave(file, offset)
                return
            elif os.fstat(file.fileno()).st_size < offset or not fits(file, self._mark):
                return  # `_opened` says what is wrong, or begins again
            elif is_at(file, self._path) or not self._path.exists():
                self._closed.wait(self._poll)
            else:
                moved = True

    def _leave(self, file: IO[bytes], offset: int) -> None:
        """Go over to the next file, once every line of this one is done."""
        if rest := rest_of(file, offset):
            self._set_aside(
                Line(offset, offset + len(rest), rest, False), "the file was rotated within this line"
            )
        if self._open:
            raise SourceError(
                f"{self._path} was rotated while {len(self._open)} of its items were not acknowledged; acknowledge "
                "each item before the next one is taken"
            )
        self._next_round()

    def _item(self, file: IO[bytes], line: Line, parse: Callable[[bytes], Record | None]) -> Item | None:
        """The item of a line; None for a head, an empty line, and one that is no record."""
        record, reason = _parsed(parse, line)
        given = self._open[line.start] = _Given(line.end, digest_of(file, line.end))
        if record is None:
            if reason:
                self._set_aside(line, reason)
            self._done(line, given)
            return None
        key = record.key or key_of("file", self._path.name, self._mark.round, line.start, record)
        return Item(
            record.node,
            record.fields,
            record.edges,
            key,
            on_ack=partial(self._done, line, given),
            on_refusal=partial(self._refuse, line, given),
        )

    def _refuse(self, line: Line, given: _Given, reason: str) -> None:
        self._set_aside(line, reason)
        self._done(line, given)

    def _set_aside(self, line: Line, reason: str) -> None:
        about = {"round": self._mark.round, "offset": line.start, "reason": reason}
        append_line(self._aside, {**about, "line": line.content.decode("utf-8", "backslashreplace")})

    def _done(self, line: Line, given: _Given) -> None:
        """Move the mark past this line, and past those behind it that were done already."""
        if self._open.get(line.start) is not given:
            return  # acknowledged twice, or of a file that is gone
        given.done = True
        mark = self._mark
        while mark.offset in self._open and self._open[mark.offset].done:
            passed = self._open.pop(mark.offset)
            mark = Mark(mark.round, passed.end, mark.line + 1, passed.digest)
        if mark is not self._mark:
            self._mark = mark
            write_mark(self._mark_path, mark)


@final
@dataclass(slots=True, eq=False)
class _Given:
    """A line that was given out: where it ends, by what the file up to there is known again, and whether it is done."""

    end: int
    digest: str
    done: bool = False


def _parsed(parse: Callable[[bytes], Record | None], line: Line) -> tuple[Record | None, str]:
    """The record of a line, or why it is none ("" for a line that need not be one)."""
    if line.too_long:
        return None, "the line is too long"
    if not line.content.strip():
        return None, ""
    try:
        return parse(line.content), ""
    except ParameterError as error:
        return None, str(error)


def follow_file(
    path: Any,
    *,
    mark: Any = None,
    aside: Any = None,
    poll: float | None = 0.5,
    begin_again: bool = False,
    whole_ids: bool = False,
) -> Source:
    """A stream from a file that grows, such as a log: every line is an item, and every new line one more.

    How far the file was read is remembered in a small file beside it, which is written after an item is acknowledged.
    A last line without its line end waits until somebody has written the rest of it.

    Parameters
    ----------
    path
        The file. With the ending `.jsonl` or `.ndjson` each line is a JSON object with `node` and, if there are any,
        `fields`, `neighbours`, `edges` and `key`. With the ending `.csv` the first line names the columns: `node`, and
        if there are any `neighbours` (ids with ";" between them) and `key`; all others are fields. No entry may
        contain a line end.
    mark
        The file that remembers the place; None (default) for the name of the file with `.mark` after it.
    aside
        The file for lines that are no records or that the project refuses, as JSON with the reason; None (default) for
        the name of the file with `.aside.jsonl` after it.
    poll
        Seconds between two looks for new lines; None ends the stream at the end of the file. Default 0.5.
    begin_again
        Whether a file that was cut short or written anew is read from its beginning. By default that is an error,
        because lines may be lost.
    whole_ids
        Whether the ids in a CSV file are whole numbers. By default they are texts.

    Returns
    -------
    Source
        The items; `close()` ends a stream that waits.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> log = pathlib.Path(tempfile.mkdtemp(), "arrivals.csv")
    >>> _ = log.write_text("node,neighbours,text\\nb,a,Two trees\\nc,a;b,Three")
    >>> for item in follow_file(log, poll=None):
    ...     print(item.node, item.edges, item.fields)
    ...     item.ack()
    b (('b', 'a', 1.0),) {'text': 'Two trees'}
    """
    path = file_path(path)
    ending = path.suffix.lower()
    whole_ids = flag(whole_ids, "whole_ids")
    if ending in JSON_ENDINGS:
        rows: Callable[[], Callable[[bytes], Record | None]] = lambda: json_record  # noqa: E731
    elif ending in CSV_ENDINGS:
        rows = partial(Rows, whole_ids=whole_ids)
    else:
        raise ParameterError(
            f"path must end in .jsonl, .ndjson or .csv, got {shown(str(path))}; rename the file"
        )
    return GrowingFile(
        path,
        path.with_name(path.name + ".mark") if mark is None else file_path(mark, "mark"),
        path.with_name(path.name + ".aside.jsonl") if aside is None else file_path(aside, "aside"),
        none_or(positive, poll, "poll"),
        flag(begin_again, "begin_again"),
        rows,
    )
