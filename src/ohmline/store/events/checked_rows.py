"""Rows of a log that are checked against the chain of hashes whenever they are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from ohmline.errors import FileFormatError
from ohmline.store.events.event import BrokenChain, Event, Row, check_chain
from ohmline.store.head import NOTHING, Head

PAGE = 512
"""How many events are read at once, so that no reader keeps the log busy for long."""


class Unreadable(Exception):
    """Rows of the log cannot be read, since they are damaged."""


class CheckedRows(ABC):
    """The rows of a log.

    Parameters
    ----------
    name
        The log, as errors should name it.
    head
        Its head, locked for this process.
    """

    def __init__(self, name: str, head: Head) -> None:
        self.name = name
        self._head = head

    @abstractmethod
    def _rows(self, after: int, last: int, most: int) -> list[Row]:
        """Some rows after one, up to a last one; Unreadable where they are damaged, JournalError on a bad disk."""

    def _check(self, start: tuple[int, str], last: int, head: tuple[int, str]) -> tuple[int, str]:
        """The last row, after the chain was checked from an event on and compared with the head."""
        seq, digest = head
        if last < max(seq, start[0]):
            raise FileFormatError(
                f"{self.name} ends with event {last}, but event {max(seq, start[0])} was acknowledged: the end is lost"
                f"; {self._restore()}"
            )
        if start[0] >= 0 and self._hash_of(start[0]) != start[1]:
            raise self._damaged(start[0])
        if 0 <= seq <= start[0] and self._hash_of(seq) != digest:
            raise self._another(seq)
        end = start
        while end[0] < last:
            rows = self._page(end[0], last)
            end = self._chained(rows, end)
            if rows[0][0] <= seq <= end[0] and rows[seq - rows[0][0]][6] != digest:
                raise self._another(seq)
        return end

    def _events(self, after: int, last: int) -> Iterator[Event]:
        if after >= last:
            return
        end = after, NOTHING if after < 0 else self._hash_of(after)
        while end[0] < last:
            rows = self._page(end[0], last)
            end = self._chained(rows, end)
            yield from map(Event.of, rows)

    def _chained(self, rows: list[Row], end: tuple[int, str]) -> tuple[int, str]:
        try:
            return check_chain(rows, end)
        except BrokenChain as error:
            raise self._damaged(error.seq) from None

    def _page(self, after: int, last: int) -> list[Row]:
        """The next rows, of which there is at least one."""
        try:
            rows = self._rows(after, last, PAGE)
        except Unreadable:
            rows = self._one(after, last)
        if not rows:
            raise self._damaged(after + 1)
        return rows

    def _one(self, after: int, last: int) -> list[Row]:
        """The next row alone, so that the error names the one that is damaged."""
        try:
            return self._rows(after, min(last, after + 1), 1)
        except Unreadable as error:
            raise self._damaged(after + 1, str(error)) from None

    def _hash_of(self, seq: int) -> str:
        rows = self._one(seq - 1, seq)
        if not rows or rows[0][0] != seq:
            raise self._damaged(seq)
        return rows[0][6]

    def _damaged(self, seq: int, why: str = "") -> FileFormatError:
        cause = why or "it is damaged, or an event was changed, added or removed"
        return FileFormatError(f"{self.name}, event {seq}: {cause}; restore it from a copy")

    def _another(self, seq: int) -> FileFormatError:
        return FileFormatError(
            f"{self.name}, event {seq}: this is not the event that was acknowledged; {self._restore()}"
        )

    def _restore(self) -> str:
        return f"restore it from a copy, whole, or delete {self._head.path} to go on with what is there"
