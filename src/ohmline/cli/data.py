"""`ohmline data`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ohmline.cli.output import AsJson, Seed, print_json, show_table, stages

data = typer.Typer(no_args_is_help=True, help="The data catalog.")


@data.command("list")
def list_(seed: Seed = 0, json: AsJson = False) -> None:
    """List the data sets, and which of them are here already. (The seed plays no part.)"""
    from ohmline.data import CATALOG, is_here

    rows = [
        {
            "name": entry.name,
            "title": entry.title,
            "kind": "points" if entry.vectors else "graph",
            "here": is_here(entry.name),
            "licence": entry.licence,
        }
        for entry in CATALOG.values()
    ]
    if json:
        print_json(rows)
        return
    cells = [
        [
            str(row["name"]),
            str(row["kind"]),
            "yes" if row["here"] else "no",
            str(row["title"]),
            str(row["licence"]),
        ]
        for row in rows
    ]
    show_table("", ["name", "kind", "here", "what", "licence"], cells, frozenset())


@data.command()
def get(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name of the catalog.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="A folder for NAME.parquet, its edges, and NAME-labels.parquet; for other commands."
        ),
    ] = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Fetch a data set, check it and describe it; with --out, write it as files too. (The seed plays no part.)"""
    from ohmline.data import Dataset, load

    with stages(3 if out is None else 4) as stage:  # reading or downloading, building, writing, describing

        def listen(message: str) -> None:
            stage(message)
            if sys.stderr.isatty():
                print(message, file=sys.stderr)

        stage(f"loading {name}")
        found: Any = load(name, listen=listen)
        if out is not None:
            stage(f"writing {name}")
            write_files(found, out)
        stage(f"describing {name}")
        about = found.graph.summary() if isinstance(found, Dataset) else {}
    described: dict[str, Any] = {"name": name, "source": found.source, "classes": list(found.classes)}
    if isinstance(found, Dataset):
        described |= {"labels": sum(y is not None for y in found.labels), "graph": about}
    else:
        points, dimensions = found.points.shape
        described |= {"points": points, "dimensions": dimensions, "test_points": int(found.is_test.sum())}
    if json:
        print_json(described)
        return
    flat = {**described, **described.pop("graph", {})}
    flat.pop("graph", None)
    for key, value in flat.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else value
        print(f"{key.replace('_', ' '):22} {text}")


def write_files(found: Any, folder: Path) -> None:
    """The graph and the labels of a data set in a folder, which is made where it is not there."""
    from ohmline.data import Dataset
    from ohmline.errors import DataError
    from ohmline.learn.table import write_parquet

    if not isinstance(found, Dataset):
        raise DataError(
            f"{found.name} has points and no graph, so there are no edges to write; leave --out out"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder} cannot be made ({error}); give another folder for --out") from None
    found.graph.write(folder / f"{found.name}.parquet")
    known = [k for k, y in enumerate(found.labels) if y is not None]
    nodes, labels = [found.graph.nodes[k] for k in known], [found.labels[k] for k in known]
    write_parquet({"node": nodes, "label": labels}, folder / f"{found.name}-labels.parquet")
