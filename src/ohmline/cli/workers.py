"""Options of every command that can run on the workers of a cluster."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ohmline.cli.files import Parallel
from ohmline.errors import ParameterError

ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", help="Run on the Dask cluster whose scheduler listens here."
    ),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", help="Run on so many worker processes of this machine."),
]
Blocks = Annotated[
    int | None,
    typer.Option("--blocks", help="With workers: blocks of rows; the same number gives the same bits."),
]
Numbered = Annotated[
    bool,
    typer.Option(
        "--numbered/--no-numbered",
        help="With workers: whether whole numbers as ids are the positions 0, 1, 2, ...",
    ),
]


def expect_unused(options: dict[str, Any]) -> None:
    """Raise where an option was given that workers do not know; options are by their flag, None where not given."""
    for flag, value in options.items():
        if value is not None:
            raise ParameterError(
                f"{flag} is not for workers, which read Parquet and predict with LocalLGC; leave it out, or leave out "
                "--cluster and --workers"
            )


def parts_options(
    source: str | None,
    target: str | None,
    weight: str | None,
    parallel: Parallel | None,
    numbered: bool,
    blocks: int | None,
) -> dict[str, Any]:
    """How edges in parts are read, by the options of a command."""
    return {
        "source": source,
        "target": target,
        "weight": False if weight == "none" else weight,
        "parallel": None if parallel is None else parallel.value,
        "numbered": numbered,
        "blocks": blocks,
    }
