"""`ohmline papers`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from ohmline.cli.output import AsJson, print_json, show_table
from ohmline.errors import ParameterError


def papers(
    key: Annotated[
        str | None,
        typer.Argument(metavar="[PAPER]", help="One paper, such as 001 or hp2006; else all of them."),
    ] = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="Only what is not here, with its reason.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The tables of docs/papers.md.")] = False,
    json: AsJson = False,
) -> None:
    """List everything numbered in the five papers: what implements it and which test holds it."""
    from ohmline.lab import papers as table

    found = table.papers()
    if key is not None:
        found = tuple(paper for paper in found if key in (paper.key, paper.title.partition(":")[0]))
        if not found:
            names = ", ".join(f"{number:03} or {name}" for number, name in enumerate(table.KEYS))
            raise ParameterError(f"unknown paper {key!r}; the papers are {names}")
    if missing:
        found = tuple(table.without_names(paper) for paper in found)
    if markdown:
        print(table.markdown(found), end="")
    elif json:
        print_json([asdict(paper) for paper in found])
    else:
        for paper in found:
            rows = [
                [item.number, item.says, table.here(item, str), ", ".join(item.tests)] for item in paper.items
            ]
            show_table(paper.title, ["", "what", "here", "held by"], rows, frozenset())
