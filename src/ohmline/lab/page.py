"""A self-contained HTML page: one file, no network, light and dark."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from ohmline.errors import ParameterError
from ohmline.markup import table as table
from ohmline.version import __version__


def page(title: str, lead: str, body: Iterable[str]) -> str:
    """A whole document around ready-made pieces of HTML; `title` and `lead` are plain text."""
    style = files("ohmline.lab").joinpath("page.css").read_text(encoding="utf-8")
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
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


def write(path: Path, content: str) -> Path:
    """Write a file whole or not at all."""
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
        raise ParameterError(
            f"{path} cannot be written ({error.strerror}); choose another place with --out"
        ) from None
    return path
