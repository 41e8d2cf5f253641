"""What every command shares: its options, its output, its progress and its exit codes."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class ExitCode(IntEnum):
    """What the exit code of a command says."""

    DONE = 0
    FAILED = 1
    """It ran to the end, and a claim, a certificate or a target did not hold."""
    BAD_INPUT = 2
    MISSING = 3
    """Data or an optional package is missing, which can be downloaded or installed; among benchmarks also a GPU."""
    GONE = 141
    """Whoever read the output has gone, as in `ohmline ... | head`."""


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The seed of every random choice.")]
Out = Annotated[Path, typer.Option("--out", help="Where to write the report.", show_default=True)]


def print_json(document: Any) -> None:
    """Print one JSON document on standard output; a number that JSON cannot express becomes null."""
    sys.stdout.write(json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def in_one_line(value: Any) -> str:
    """A name from somebody's file as a terminal can only show it: one line, no escape sequence, no control character.

    >>> in_one_line("red\\x1b[2J\\nblue")
    'red�[2J blue'
    """
    text = str(value)
    if text.isprintable():
        return text
    from ohmline.labelling.texts import harmless

    return harmless(text).replace("\n", " ")


def as_json(document: Any) -> str:
    """The text that `print_json` prints."""
    return json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """The value in Python's own types, so that the numbers of arrays can be written."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else str(_plain(key)): _plain(item) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bool | int | str) or value is None:
        return value
    return str(value)


@contextmanager
def stages(total: int) -> Iterator[Callable[[str], None]]:
    """A bar on standard error that moves at each call; silence where that is no terminal."""
    if not sys.stderr.isatty():
        yield lambda message: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total)
        begun = 0

        def stage(message: str) -> None:
            nonlocal begun
            progress.update(task, description=message, completed=begun)
            progress.refresh()  # compiled code that begins now may not let the bar's own thread do so
            begun += 1

        yield stage


def show_table(title: str, head: list[str], rows: list[list[str]], numbers: frozenset[int]) -> None:
    """Print a table on standard output; plain columns where that is no terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=title or None, title_justify="left", title_style="bold", header_style="bold", box=None
    )
    for k, name in enumerate(head):
        table.add_column(name, justify="right" if k in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(in_one_line(cell)) for cell in row))
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(table)
