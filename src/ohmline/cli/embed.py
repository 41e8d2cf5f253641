"""`ohmline embed`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    read_graph,
)
from ohmline.cli.output import AsJson, Seed, in_one_line, print_json
from ohmline.cli.workers import Blocks, ClusterAddress, Numbered, Workers, expect_unused, parts_options
from ohmline.errors import ParameterError

if TYPE_CHECKING:
    from ohmline.cluster import Manifest


def embed(
    edges: Annotated[
        Path,
        typer.Argument(help="The graph: a file; with --cluster or --workers a folder or pattern of Parquet."),
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder to write, which must not exist.")
    ] = Path("embedding"),
    rank: Annotated[int, typer.Option("--rank", help="How many eigenpairs.")] = 100,
    normalised: Annotated[bool, typer.Option("--normalised", help="Take the normalised Laplacian.")] = False,
    shift: Annotated[float, typer.Option("--shift", help="What is added to every eigenvalue.")] = 1e-4,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache",
            metavar="DIR",
            help="On this machine: keep the eigenpairs in this folder, and take them from there the next time.",
        ),
    ] = None,
    cluster: ClusterAddress = None,
    workers: Workers = None,
    blocks: Blocks = None,
    numbered: Numbered = True,
    header: Header = None,
    source: Source = None,
    target: Target = None,
    weight: Weight = None,
    nodes: Nodes = None,
    nodes_header: NodesHeader = None,
    parallel: ParallelEdges = None,
    symmetrise: Symmetrise = False,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Write the spectral features of every node: the smoothest functions on the graph.

    The folder has Parquet parts with the columns node and features, and _manifest.json with the eigenvalues and
    residuals, which what reads a folder of Parquet leaves out. On this machine by default; with --cluster on the
    workers of a Dask cluster, with --workers on so many processes here, both of which read partitioned Parquet and
    never hold the whole graph in one place.

    Each column is an eigenvector of length 1, divided by the root of its eigenvalue plus --shift, in ascending order,
    so that inner products of rows are the spectral kernel. The first column is constant on each component (with
    --normalised, proportional to the root of the degree) and by far the largest: where distances between rows matter,
    leave it out, or scale the columns.
    """
    begun = time.monotonic()
    if cluster is None and workers is None:
        if numbered is not True or blocks is not None:
            raise ParameterError("--blocks and --no-numbered are for workers; add --cluster or --workers")
        found = _here(
            edges,
            out,
            rank,
            normalised,
            shift,
            cache,
            (header, source, target, weight, nodes, nodes_header, parallel, symmetrise),
        )
    else:
        from ohmline.cluster import embed as embed_parts
        from ohmline.cluster.engine import open_cluster

        expect_unused(
            {
                "--header": header,
                "--nodes": nodes,
                "--nodes-header": nodes_header,
                "--symmetrise": symmetrise or None,
                "--cache": cache,
            }
        )
        with open_cluster(cluster, workers) as there:
            found = embed_parts(
                edges,
                out,
                there,
                rank=rank,
                normalised=normalised,
                shift=shift,
                seed=seed,
                progress=True,
                **parts_options(source, target, weight, parallel, numbered, blocks),
            )
    document = {
        "nodes": found.rows,
        "rank": rank,
        "parts": len(found.parts),
        "eigenvalues": found.about["eigenvalues"],
        "residual": max(found.about["residuals"]),
        "converged": found.about.get("converged", True),
        "out": str(out),
        "seed": seed,
        "seconds": round(time.monotonic() - begun, 3),
    }
    if json:
        print_json(document)
    else:
        print(f"{found.rows:,} nodes, {rank} features each, largest residual {document['residual']:.2g}")
        if not document["converged"]:
            print("The search did not converge: eigenpairs are as good as their residuals say; lower --rank")
        print(f"The features are in {in_one_line(str(out))}")


def _here(
    edges: Path,
    out: Path,
    rank: int,
    normalised: bool,
    shift: float,
    cache: Path | None,
    options: tuple[Any, ...],
) -> Manifest:
    """On this machine, through `SpectralKernel`."""
    if edges.is_dir() or "*" in edges.name:
        raise ParameterError(f"{edges} is many files; read them with --workers 2, or name one file")
    from ohmline.cluster.manifest import finish, result_folder
    from ohmline.cluster.one_machine import write_kernel
    from ohmline.kernel import SpectralKernel

    with result_folder(out) as folder:
        graph = read_graph(edges, *options)
        kernel = SpectralKernel(graph, rank, normalised=normalised, shift=shift, cache=cache, progress=True)
        part, about = write_kernel(kernel, folder)
        return finish(folder, "embedding", [part], about)
