"""Options of every command that reads a graph or labels: the parameters of `ohmline.graph.read` and `read_labels`."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ohmline.errors import ConflictingLabels, LabelError, OhmlineError, ParameterError

if TYPE_CHECKING:
    from ohmline.graph.graph import Graph


class Parallel(StrEnum):
    """The values of `ohmline.graph.Parallel`, without loading the library for `--help`."""

    sum = "sum"
    max = "max"
    refuse = "refuse"


GraphFile = Annotated[
    Path,
    typer.Argument(help="The graph: an edge list, GraphML, Matrix Market, Parquet, or a graph file (.ohmg)."),
]
LabelsFile = Annotated[Path, typer.Argument(help="The labels: a node and its label on each line.")]
Symmetrise = Annotated[
    bool, typer.Option("--symmetrise", help="Take a directed graph as undirected: max(S, S').")
]
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
NodesHeader = Annotated[
    bool | None,
    typer.Option(
        "--nodes-header/--no-nodes-header",
        help="Whether the first row of the file of nodes names the columns.",
    ),
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


def read_graph(
    path: Path,
    header: bool | None,
    source: str | None,
    target: str | None,
    weight: str | None,
    nodes: Path | None,
    nodes_header: bool | None,
    parallel: Parallel | None,
    symmetrise: bool,
) -> Graph:
    """The graph of a file, by the options of a command."""
    import ohmline.graph

    options: dict[str, Any] = {} if parallel is None else {"parallel": parallel.value}
    return ohmline.graph.read(
        path,
        header=header,
        source=column(source),
        target=column(target),
        weight=weight_column(weight),
        nodes=nodes,
        nodes_header=nodes_header,
        symmetrise=symmetrise,
        progress=True,
        **options,
    )


def read_known(
    path: Path, graph: Graph, header: bool | None, node: str | None, label: str | None, skip_unknown: bool
) -> dict[Any, Any]:
    """The labels of a file, by the options of a command."""
    from ohmline.graph import read_labels

    with _labels_flags():
        return read_labels(
            path,
            graph=graph,
            header=header,
            node=column(node),
            label=column(label),
            skip_unknown=skip_unknown,
        )


def read_once(path: Path, *options: Any) -> list[tuple[Any, Any]]:
    """The labels of a file that lists each node with one label; the options are those of `read_known`."""
    try:
        return list(read_known(path, *options).items())
    except ConflictingLabels as error:
        raise ConflictingLabels(
            f"{error}; if labels change over time, pass drift=True, which takes both in their order"
        ) from None


def read_changing(
    path: Path, graph: Graph, header: bool | None, node: str | None, label: str | None, skip_unknown: bool
) -> list[tuple[Any, Any]]:
    """The labels of a file in their order, with a node as often as it comes, by the options of a command."""
    from ohmline.graph.files.labels import read_labels_in_order

    with _labels_flags():
        return read_labels_in_order(
            path,
            graph,
            header=header,
            node=column(node),
            label=column(label),
            skip_unknown=skip_unknown,
        )


@contextmanager
def _labels_flags() -> Iterator[None]:
    """Errors name the flags of the file of labels."""
    try:
        yield
    except OhmlineError as error:  # here the header is that of the labels, which has a flag of its own
        raise type(error)(re.sub(r"(?<!\w)header=", "labels_header=", str(error))) from None


def expect_labels(known: Collection[Any], path: Path | None) -> None:
    """Raise where a file of labels has none, so that there is nothing to learn from."""
    if not known:
        raise LabelError(f"{path} has no labels of nodes of the graph; give one node at least a label")


def same_file(one: Path, other: Path) -> bool:
    """Whether two names are of one file, also where it is not there yet."""
    try:
        return one.samefile(other)
    except OSError:
        return os.path.abspath(one) == os.path.abspath(other)


def expect_places(written: dict[str, Path | None], read: dict[str, Path | None]) -> None:
    """Raise before any work is done where a command would write over what it reads, twice to one file, or nowhere.

    Both map a flag or an argument to its file, or to None where it was not given.
    """
    places = [(flag, path) for flag, path in written.items() if path is not None]
    for k, (flag, path) in enumerate(places):
        for name, other in read.items():
            if other is not None and same_file(path, other):
                raise ParameterError(
                    f"{flag} {path} is {name}, which is never overwritten; name another file"
                )
        for before, other in places[:k]:
            if same_file(path, other):
                raise ParameterError(f"{before} and {flag} are both {path}; name two files")
        if not os.path.isdir(path.parent):
            missing = "is not a folder" if os.path.exists(path.parent) else "does not exist"
            raise ParameterError(
                f"{flag} {path} cannot be written: the folder {path.parent} {missing}; make it, or name another"
            )
        if os.path.isdir(path):
            raise ParameterError(f"{flag} {path} cannot be written: it is a folder; name a file")


def expect_two_files(graph: Path, labels: Path | None) -> None:
    """Raise where one file is given for the graph and for the labels."""
    if labels is not None and same_file(graph, labels):
        raise ParameterError(
            f"GRAPH and LABELS are both {graph}; give the file of edges first and the file of labels second"
        )
