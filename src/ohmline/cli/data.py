"""`ohmline data`."""

from __future__ import annotations

import sys
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
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Fetch a data set, check it and describe it. (The seed plays no part.)"""
    from ohmline.data import Dataset, load

    with stages(3) as stage:  # reading or downloading, building, describing

        def listen(message: str) -> None:
            stage(message)
            if sys.stderr.isatty():
                print(message, file=sys.stderr)

        stage(f"loading {name}")
        found: Any = load(name, listen=listen)
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
