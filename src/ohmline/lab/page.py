"""A self-contained HTML page: one file, no network, light and dark."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from ohmline.errors import ParameterError
from ohmline.lab.experiment import Verdict
from ohmline.markup import table as table
from ohmline.version import __version__

OURS = '<meta name="generator" content="Ohmline">'
"""By this a page is known to be one of ours, which may be replaced."""


def page(title: str, lead: str, body: Iterable[str]) -> str:
    """A whole document around ready-made pieces of HTML; `title` and `lead` are plain text."""
    style = files("ohmline.lab").joinpath("page.css").read_text(encoding="utf-8")
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8">{OURS}<title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body><main>"
        f"<header><h1>{escape(title)}</h1><p>{escape(lead)}</p></header>"
        f"{''.join(body)}<footer>Ohmline {__version__}</footer></main></body></html>\n"
    )


def tiles(pairs: Sequence[tuple[str, str]]) -> str:
    """Large numbers, each with what it means."""
    each = "".join(
        f'<div class="tile"><b>{escape(value)}</b><span>{escape(meaning)}</span></div>'
        for value, meaning in pairs
    )
    return f'<div class="tiles">{each}</div>'


def card(inner: str, title: str = "") -> str:
    """A piece of a page on a background of its own."""
    heading = f"<h3>{escape(title)}</h3>" if title else ""
    return f'<section class="card">{heading}{inner}</section>'


def verdict(holds: bool, yes: str = "holds", no: str = "does not hold") -> str:
    """A mark that does not rely on colour alone."""
    return f'<span class="good">✓ {yes}</span>' if holds else f'<span class="bad">✗ {no}</span>'


MARKS = {
    Verdict.HOLDS: ("good", "✓"),
    Verdict.CONDITION: ("some", "✓"),
    Verdict.NOT: ("bad", "✗"),
    Verdict.OPEN: ("open", "–"),
}


def mark(verdict: Verdict, many: int | None = None, word: str = "") -> str:
    """What a run says about a claim, or about so many of them, in a mark that does not rely on colour alone.

    `word` stands in the place of the verdict's own.
    """
    kind, sign = MARKS[verdict]
    words = word or str(verdict) if many is None else f"{many} {verdict}"
    return f'<span class="{kind}">{sign} {words}</span>'


def may_replace(path: Path, by: str = "--out") -> None:
    """Refuse to write a page over a file that is none of ours; `by` is how its place was chosen."""
    if not os.path.exists(path):
        return
    try:
        if not path.is_file():
            raise ParameterError(f"{path} is not a plain file; choose another place with {by}")
        with open(path, encoding="utf-8", errors="replace") as file:
            ours = OURS in file.read(1000)
    except OSError as error:
        raise ParameterError(
            f"{path} cannot be read ({error.strerror}), so it is not replaced; choose another place with {by}"
        ) from None
    if not ours:
        raise ParameterError(
            f"{path} is there already and is no report of Ohmline's, so it is not replaced; choose another place "
            f"with {by}, or move it away"
        )


def write(path: Path, content: str, by: str = "--out") -> Path:
    """Write a file whole or not at all; `by` is how its place was chosen."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(content)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ParameterError(f"{path} cannot be written ({error.strerror}); choose another place") from None
    return path
