"""Keys: which one labels with which class, and how one is read from a terminal."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

COMMANDS = {"u": "undo", "s": "skip", "w": "why", "?": "help", "q": "quit"}
"""The keys that do not label."""
ESCAPE, ENTER, TAB, BACK = "\x1b", "\r", "\t", "\x7f"
NAME = "/"
"""Begins the name of a class, which is then completed."""
PAUSE = 0.25
"""Seconds between two looks at the size of the window."""


class Keymap:
    """The key of each class: a digit and a letter for up to nine of them, two digits or more beyond.

    Parameters
    ----------
    names
        The classes as they are shown.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.digits = len(str(len(names))) if len(names) > 9 else 1
        self.numbers = [f"{k + 1:0{self.digits}d}" for k in range(len(names))]
        self.letters = self._letters() if self.digits == 1 else [""] * len(names)

    def _letters(self) -> list[str]:
        taken = set(COMMANDS)
        letters = []
        for name in self.names:
            letter = next((c for c in name.lower() if c.isalpha() and c not in taken), "")
            taken.add(letter)
            letters.append(letter)
        return letters

    def find(self, typed: str) -> int | None:
        """The place of the class with this number or letter."""
        if typed in self.numbers:
            return self.numbers.index(typed)
        letter = typed.lower()
        return self.letters.index(letter) if letter and letter in self.letters else None

    def begins(self, typed: str) -> bool:
        """Whether more digits would make this the number of a class."""
        return bool(typed) and any(number.startswith(typed) for number in self.numbers)

    def matches(self, typed: str) -> list[int]:
        """The classes whose name begins with what was typed, or else those that have it in them."""
        part = typed.lower()
        exact = [k for k, name in enumerate(self.names) if name == typed]
        begin = [k for k, name in enumerate(self.names) if name.lower().startswith(part)]
        return exact or begin or [k for k, name in enumerate(self.names) if part in name.lower()]


class Keyboard:
    """The keys of a terminal, one at a time and without Enter.

    Parameters
    ----------
    size
        Gives the size of the window; `read` returns "" when it has changed.
    """

    def __init__(self, size: Callable[[], Any]) -> None:
        self._size = size
        self._saved: Any = None
        self._old: Any = None
        self._waiting = ""

    def __enter__(self) -> Self:
        if sys.platform != "win32":
            import termios

            self._fd = sys.stdin.fileno()
            self._saved = termios.tcgetattr(self._fd)
            self._old = signal.signal(signal.SIGCONT, lambda number, frame: self._take_over())
            self._take_over()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if sys.platform != "win32" and self._saved is not None:
            import termios

            signal.signal(signal.SIGCONT, self._old)
            with suppress(termios.error):  # the terminal may be gone
                termios.tcsetattr(self._fd, termios.TCSADRAIN, self._saved)

    def _take_over(self) -> None:
        import termios
        import tty

        with suppress(termios.error):
            tty.setcbreak(self._fd)
        self._last = None

    def forget(self) -> None:
        """Drop the keys that were pressed while nobody could see what they would answer."""
        self._waiting = ""
        if sys.platform == "win32":
            import msvcrt

            while msvcrt.kbhit():
                msvcrt.getwch()
            return
        import termios

        with suppress(termios.error):
            termios.tcflush(self._fd, termios.TCIFLUSH)

    def read(self) -> str:
        """The next key; "" when the window has another size now, or the process was stopped and goes on.

        An arrow or function key is one key, and no letter of it is taken for a class. Raises EOFError when the
        terminal is gone.
        """
        self._last = self._size()
        while True:
            if self._last != self._size():
                return ""
            key = self._windows() if sys.platform == "win32" else self._posix()
            if key:
                return key

    def _posix(self) -> str:
        if self._waiting:
            key, self._waiting = self._waiting[0], self._waiting[1:]
            return key
        try:
            ready, _, _ = select.select([self._fd], [], [], PAUSE)
            if not ready:
                return ""
            raw = os.read(self._fd, 256)
        except OSError:
            raise EOFError from None
        if not raw or raw == b"\x04":
            raise EOFError
        typed = raw.decode("utf-8", "replace").replace("\n", ENTER).replace("\b", BACK)
        if typed[0] == ESCAPE:  # an arrow, say, which comes as several characters
            return ESCAPE
        self._waiting = typed[1:].partition(ESCAPE)[0]
        return typed[0]

    def _windows(self) -> str:
        import msvcrt

        end = time.monotonic() + PAUSE
        while not msvcrt.kbhit():  # type: ignore[attr-defined, unused-ignore]
            if time.monotonic() > end:
                return ""
            time.sleep(0.02)
        key = str(msvcrt.getwch())  # type: ignore[attr-defined, unused-ignore]
        if key in ("\x00", "\xe0"):
            msvcrt.getwch()  # type: ignore[attr-defined, unused-ignore]
            return ESCAPE
        if key == "\x03":
            raise KeyboardInterrupt
        return BACK if key == "\b" else key
