"""Options of every command that reads a graph or labels: the parameters of `ohmline.graph.read` and `read_labels`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Parallel(StrEnum):
    """The values of `ohmline.graph.Parallel`, without loading the library for `--help`."""

    sum = "sum"
    max = "max"
    refuse = "refuse"


Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row of the edges names the columns; seen from the rows.",
    ),
]
Source = Annotated[
    str | None,
    typer.Option("--source", help="The column of one end of the edges, by name or number (from 0)."),
]
Target = Annotated[str | None, typer.Option("--target", help="The column of the other end.")]
Weight = Annotated[
    str | None, typer.Option("--weight", help="The column of the weights; 'none' for edges that all weigh 1.")
]
Nodes = Annotated[
    Path | None, typer.Option("--nodes", help="A file of all nodes, for those that no edge names.")
]
ParallelEdges = Annotated[
    Parallel | None, typer.Option("--parallel", help="What becomes of several edges between two nodes.")
]
LabelsHeader = Annotated[
    bool | None,
    typer.Option(
        "--labels-header/--no-labels-header", help="Whether the first row of the labels names the columns."
    ),
]
Node = Annotated[str | None, typer.Option("--node", help="The column of the nodes in the file of labels.")]
Label = Annotated[str | None, typer.Option("--label", help="The column of the labels.")]
SkipUnknown = Annotated[
    bool, typer.Option("--skip-unknown", help="Leave out labels of nodes that the graph does not have.")
]


def column(value: str | None) -> str | int | None:
    """A column as the library takes it: digits are a number.

    >>> column("2"), column("payer"), column(None)
    (2, 'payer', None)
    """
    return int(value) if value is not None and value.isdecimal() else value


def weight_column(value: str | None) -> str | int | None:
    """The column of the weights; False, which means none of them, for 'none'.

    >>> weight_column("none"), weight_column("amount")
    (False, 'amount')
    """
    return False if value == "none" else column(value)
