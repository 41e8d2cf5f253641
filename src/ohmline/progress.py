"""One bar that shows how far something has come: in a terminal, in a notebook, and nowhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from ohmline.checks import function

PAUSE = 0.1
"""Seconds between two changes of a bar in a notebook: each one is a message to the browser."""

Advance = Callable[[int], None]
"""Called with how many steps were made since the last call."""


@contextmanager
def reporting(progress: Advance | bool | None, description: str, total: int | None) -> Iterator[Advance]:
    """What to tell of each step: the user's own function, a bar where True asks for one, or nobody."""
    if progress is None or progress is False:
        yield _nobody
    elif progress is True:
        with bar(description, total) as advance:
            yield advance
    else:
        yield function(progress, "progress", "give True for a bar, or a function of the steps made")


@contextmanager
def bar(description: str, total: int | None) -> Iterator[Advance]:
    """A bar on standard error or in the notebook; silence where there is neither, so that no log fills with bars.

    Parameters
    ----------
    description
        What is going on, in plain text.
    total
        How many steps there are; None where nobody knows.
    """
    if in_notebook():
        yield _Cell(description, total).advance
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        what = TextColumn("{task.description}", markup=False)  # it may be the name of a file
        columns = (what, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(description, total=total)
            yield lambda steps: progress.advance(task, steps)
    else:
        yield _nobody


def in_notebook() -> bool:
    """Whether a notebook's kernel runs this code; a module that nobody has imported is not imported for it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and getattr(shell, "kernel", None) is not None


class _Cell:
    """A bar in the output of a notebook's cell, changed in place."""

    def __init__(self, description: str, total: int | None) -> None:
        from IPython.display import display

        self._description, self._total, self._done, self._told = description, total, 0, time.monotonic()
        self._handle: Any = display(self, display_id=True)

    def advance(self, steps: int) -> None:
        self._done += steps
        now = time.monotonic()
        if now - self._told >= PAUSE or self._done == self._total:
            self._told = now
            self._handle.update(self)

    def __repr__(self) -> str:
        whole = "" if self._total is None else f" of {self._total:,}"
        return f"{self._description}: {self._done:,}{whole}"

    def _repr_html_(self) -> str:
        size = "" if self._total is None else f' value="{self._done}" max="{max(self._total, 1)}"'
        return f"<div>{escape(repr(self))} <progress{size}></progress></div>"


def _nobody(steps: int) -> None:
    """The steps of something that nobody watches."""
