"""A log of events: added to and never changed, durable before it is acknowledged, refused where it is damaged.

An append writes its events to the log in one transaction, then their number and hash to the head (see
`ohmline.store.head`), each synced to the disk. Only then does it return, and only then do readers see them. If any of
this fails, the append raises, what it may have left behind is taken back, and the log refuses further events until
`recover` finds that they can be written. Reading goes on meanwhile.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self, final

from ohmline.checks import count, none_or
from ohmline.errors import JournalError, OhmlineError
from ohmline.store.disk import told
from ohmline.store.events.checked_rows import CheckedRows, Unreadable
from ohmline.store.events.event import Draft, Event, Row, rows_of
from ohmline.store.events.failed import Failed
from ohmline.store.head import NOTHING, Head
from ohmline.store.whole import whole


class EventLog(CheckedRows):
    """A log that one process owns; one thread at a time writes, and others read.

    Parameters
    ----------
    name
        The log, as errors should name it.
    head
        Its head, locked for this process.
    """

    def __init__(self, name: str, head: Head) -> None:
        super().__init__(name, head)
        self.broken = ""
        """Why nothing can be written; empty while it can."""
        self._last = (-1, NOTHING)
        self._doubtful: list[str] = []  # hashes of what a failed append may have left in the log
        self._writing = threading.RLock()
        self._closed = False

    @property
    def head(self) -> tuple[int, str]:
        """The number of the last acknowledged event (-1: there is none), and its hash."""
        return self._last

    @property
    def writable(self) -> bool:
        """Whether events can be added."""
        return not self._closed and not self.broken

    @final
    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        """Add events: all of them or, where it raises, none. When this returns, they are on the disk.

        Parameters
        ----------
        drafts
            What happened, in order.

        Returns
        -------
        list of Event
            The events, with their numbers and hashes.
        """
        with self._writing:
            self._expect_writable()
            rows = rows_of(drafts, self._last)
            if not rows:
                return []
            with whole():
                try:
                    self._write(rows)
                except OhmlineError:
                    raise
                except BaseException:  # no disk failed, but nobody knows how far this came
                    self._break("an append was interrupted", rows)
                    raise
                self._last = rows[-1][0], rows[-1][6]
                self._tidy()
            return [Event.of(row) for row in rows]

    @final
    def read(self, after: int = -1, limit: int | None = None) -> Iterator[Event]:
        """The acknowledged events after one, read from the log and checked against the chain.

        Parameters
        ----------
        after
            The number of the event before the first that is wanted; -1 (default) for all.
        limit
            The most events; None (default) for all that are acknowledged now.

        Returns
        -------
        iterator of Event
            The events in order.
        """
        first = count(after, "after", least=-1)
        wanted = none_or(count, limit, "limit")
        self._expect_open()
        last = self._last[0] if wanted is None else min(self._last[0], first + wanted)
        return self._events(first, last)

    @final
    def verify(self) -> None:
        """Read the whole log; an error where an event was changed, lost or added without its hash."""
        self._expect_open()
        try:
            self._check_tables()
        except Failed as failure:
            raise JournalError(f"{self.name}: {failure.why}; {failure.remedy}") from None
        self._check((-1, NOTHING), self._last[0], self._last)

    @final
    def recover(self) -> bool:
        """Try whether events can be written again, after an error.

        Returns
        -------
        bool
            True if they can; else `broken` says why not.
        """
        with self._writing:
            self._expect_open()
            if not self.broken:
                return True
            try:
                with whole():
                    self._reconnect()
                    self._settle()
                    self._probe()
            except Failed as failure:
                self.broken = failure.why
            except OSError as error:
                self.broken = f"{self._head.path} cannot be written: {told(error)}"
            except OhmlineError as error:
                self.broken = str(error)
            else:
                self.broken = ""
            return not self.broken

    @final
    def close(self) -> None:
        """Let others have the log."""
        with self._writing:
            if not self._closed:
                self._closed = True
                try:
                    self._shut()
                finally:
                    self._head.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"broken: {self.broken}" if self.broken else "writable"
        return f"{type(self).__name__} {self.name} with {self._last[0] + 1:,} events, {state}"

    # --- what a kind of log does ---

    @abstractmethod
    def _end(self) -> tuple[int, str]:
        """The last row, acknowledged or not."""

    @abstractmethod
    def _insert(self, rows: list[Row]) -> None:
        """Add rows in one transaction and sync them, if the log ends where `head` says; Failed where it cannot."""

    @abstractmethod
    def _remove(self, after: int) -> None:
        """Take back the rows after one, which were never acknowledged; Failed where it cannot."""

    @abstractmethod
    def _check_tables(self) -> None:
        """FileFormatError where the tables themselves are damaged; Failed where they cannot be looked at."""

    @abstractmethod
    def _tidy(self) -> None:
        """What is to be done now and then, after an append; raises nothing."""

    @abstractmethod
    def _reconnect(self) -> None:
        """Open again what was lost."""

    @abstractmethod
    def _probe(self) -> None:
        """Write something that changes nothing, and sync it; Failed where it cannot."""

    @abstractmethod
    def _shut(self) -> None:
        """Close what is open."""

    # --- what all logs do ---

    def _begin(self, trusted: tuple[int, str] | None) -> None:
        """Check the log when it is opened; what is in it and was not acknowledged before is from now on."""
        start = (-1, NOTHING) if trusted is None else trusted
        self._last = self._check(start, self._end()[0], (self._head.seq, self._head.hash))

    def _write(self, rows: list[Row]) -> None:
        seq, digest = rows[-1][0], rows[-1][6]
        try:
            self._expect_the_head()
            self._insert(rows)
        except Failed as failure:
            if failure.lasting:
                self._break(failure.why, rows)
            raise JournalError(f"nothing was added to {self.name}: {failure.why}; {failure.remedy}") from None
        try:
            self._head.write(seq, digest)
        except OSError as error:
            self._break(f"{self._head.path} cannot be written: {told(error)}", rows)
            raise JournalError(
                f"nothing was added to {self.name}: {self.broken}; make room or mend the disk, then try again"
            ) from None

    def _break(self, why: str, rows: list[Row]) -> None:
        """Refuse further events, and take back what may have been written of these."""
        self.broken = why
        self._doubtful = [row[6] for row in rows]
        with suppress(Failed, OSError, OhmlineError):  # recover() tries again
            self._settle()

    def _expect_the_head(self) -> None:
        if not self._head.is_there:
            raise Failed(
                f"{self._head.path} was deleted or replaced while it was open",
                "restore it, or open the log again",
            )

    def _settle(self) -> None:
        """Make head and log end with the last acknowledged event."""
        self._expect_the_head()
        self._head.write(*self._last)  # first, so that the head is never ahead of the log
        end = self._end()
        if end[0] < self._last[0]:
            raise Failed(
                f"it ends with event {end[0]}, but event {self._last[0]} was acknowledged", self._restore()
            )
        if end[0] > self._last[0]:
            if self._hashes(end[0]) != self._doubtful:
                raise Failed("another program has written to it", "open it again")
            self._remove(self._last[0])
            end = self._end()
        if end != self._last:
            raise Failed(f"event {end[0]} is not the one that was acknowledged", self._restore())
        self._doubtful = []

    def _hashes(self, last: int) -> list[str]:
        """The hashes of the rows that were not acknowledged."""
        try:
            return [row[6] for row in self._rows(self._last[0], last, last - self._last[0])]
        except Unreadable as error:
            raise Failed(str(error), "restore it from a copy") from None

    def _expect_open(self) -> None:
        if self._closed:
            raise JournalError(f"{self.name} is closed; open it again")

    def _expect_writable(self) -> None:
        self._expect_open()
        if self.broken:
            raise JournalError(
                f"nothing is added to {self.name} since {self.broken}; make room or mend that, then try again"
            )
