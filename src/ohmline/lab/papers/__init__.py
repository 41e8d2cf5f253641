"""What the five papers hold, item by item, and where each item is in this library."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module

from ohmline.lab.papers.item import Item, Paper

KEYS = ("hpw2005", "hp2006", "h2008", "glz2008", "gu2013")
"""The papers in the order of their numbers, 000 to 004; each is a module here whose `PAPER` lists its items."""


def papers() -> tuple[Paper, ...]:
    """Every paper with its items."""
    return tuple(import_module(f"ohmline.lab.papers.{key}").PAPER for key in KEYS)


def without_names(paper: Paper) -> Paper:
    """The paper with only those items that nothing implements."""
    return replace(paper, items=tuple(item for item in paper.items if not item.names))


def markdown(of: Iterable[Paper]) -> str:
    """The tables of `docs/papers.md`: one for each paper."""
    return "\n".join(map(_section, of))


def here(item: Item, written: Callable[[str], str]) -> str:
    """What implements an item, each name `written` so, and what is to be said about it."""
    names = ", ".join(map(written, item.names))
    return ". ".join(part for part in (names, item.because) if part)


def _section(paper: Paper) -> str:
    head = [f"### {paper.title}", "", "| | what | here | held by |", "|---|---|---|---|"]
    return "\n".join([*head, *map(_row, paper.items), ""])


def _row(item: Item) -> str:
    held = ", ".join(map(_code, item.tests))
    return f"| {item.number} | {item.says} | {here(item, _code)} | {held} |"


def _code(name: str) -> str:
    return f"`{name}`"


__all__ = ["KEYS", "Item", "Paper", "here", "markdown", "papers", "without_names"]
