"""What files and packages of others add to the commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ohmline.errors import PluginError

With = Annotated[
    list[Path] | None,
    typer.Option(
        "--with", metavar="FILE", help="A Python file that adds learners, queries, data sets or experiments."
    ),
]


def add(files: list[Path] | None) -> None:
    """Load the files that were named; one that cannot be loaded is an error."""
    if files:
        from ohmline.lab.plugins import load_file

        for file in files:
            load_file(file)


def add_all(files: list[Path] | None) -> bool:
    """Load what packages and files add; whether one of them could not be loaded, which is said."""
    from ohmline.lab.plugins import load_file, load_packages

    wrong = load_packages()
    for file in files or []:
        try:
            load_file(file)
        except PluginError as error:
            wrong.append(error)
    for each in wrong:
        print(f"ohmline: {each}", file=sys.stderr)
    return bool(wrong)
