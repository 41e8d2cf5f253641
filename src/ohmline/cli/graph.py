"""`ohmline graph`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ohmline.cli.files import (
    Header,
    Nodes,
    NodesHeader,
    ParallelEdges,
    Source,
    Symmetrise,
    Target,
    Weight,
    column,
    expect_places,
    weight_column,
)
from ohmline.cli.output import AsJson, Seed, print_json

graph = typer.Typer(
    no_args_is_help=True, help="Graphs in files of their own (.ohmg), mapped instead of read."
)


@graph.command()
def convert(
    edges: Annotated[
        Path,
        typer.Argument(
            metavar="EDGES", help="An edge list, Parquet, a folder of Parquet parts or another format."
        ),
    ],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The graph file to write; its name ends in .ohmg.")
    ],
    header: Header = None,
    source: Source = None,
    target: Target = None,
    weight: Weight = None,
    nodes: Nodes = None,
    nodes_header: NodesHeader = None,
    parallel: ParallelEdges = None,
    symmetrise: Symmetrise = False,
    signed: Annotated[
        bool, typer.Option("--signed", help="Take negative weights, which mark dissimilar nodes.")
    ] = False,
    max_size: Annotated[
        float | None,
        typer.Option(
            "--max-size",
            min=0.001,
            help="GiB that EDGES may hold, also when unpacked. Without it: what is compressed or read whole 4, a "
            "stream any number.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Write the graph of a file of edges to a graph file. (The seed plays no part.)

    A large edge list, Parquet file or folder of its parts goes through as a stream, so that the graph need not fit into
    memory.
    """
    expect_places({"FILE": file}, {"EDGES": edges, "the file of --nodes": nodes})
    import ohmline.graph

    start = time.perf_counter()
    options: dict[str, Any] = {} if parallel is None else {"parallel": parallel.value}
    ohmline.graph.convert(
        edges,
        file,
        header=header,
        source=column(source),
        target=column(target),
        weight=weight_column(weight),
        nodes=nodes,
        nodes_header=nodes_header,
        symmetrise=symmetrise,
        signed=signed,
        limits=None if max_size is None else ohmline.graph.FileLimits(size=int(max_size * 2**30)),
        progress=True,
        **options,
    )
    _tell(ohmline.graph.Graph.open(file), file, start, json)


@graph.command()
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A graph file.")],
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Compare every byte of a graph file with its checksums, and check its rows and ids. (The seed plays no part.)"""
    import ohmline.graph

    start = time.perf_counter()
    _tell(ohmline.graph.Graph.open(file, verify=True, progress=True), file, start, json)


def _tell(found: Any, file: Path, start: float, json: bool) -> None:
    """What the file holds."""
    about = {
        "file": str(file),
        "nodes": found.n,
        "edges": found.n_edges,
        "weighted": not found.is_unweighted,
        "signed": found.signed,
        "dropped_self_loops": found.dropped_loops,
        "bytes": file.stat().st_size,
        "fingerprint": found.fingerprint,
        "seconds": time.perf_counter() - start,
    }
    if json:
        print_json(about)
        return
    for key, value in about.items():
        text = f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if type(value) is int else value
        print(f"{key.replace('_', ' '):20} {text}")
