"""`ohmline project`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ohmline.cli.declared import classes_of, share_of
from ohmline.cli.files import (
    GraphFile,
    Header,
    Label,
    LabelsHeader,
    Node,
    Nodes,
    NodesHeader,
    ParallelEdges,
    SkipUnknown,
    Source,
    Symmetrise,
    Target,
    Weight,
    expect_two_files,
    read_graph,
    read_known,
)
from ohmline.cli.label_work import user
from ohmline.cli.output import AsJson, Seed, in_one_line, print_json
from ohmline.errors import LabelError, ParameterError


def project(
    folder: Annotated[Path, typer.Argument(metavar="PROJECT_DIR", help="The new folder of the project.")],
    graph: GraphFile,
    labels: Annotated[Path | None, typer.Argument(help="Labels that are known already.")] = None,
    classes: Annotated[
        str, typer.Option(help="The classes, separated by commas; those of LABELS by default.")
    ] = "",
    text: Annotated[
        Path | None, typer.Option(help="A table with a node, its text and any other columns in each row.")
    ] = None,
    images: Annotated[
        Path | None, typer.Option(help="A folder of pictures, which a column image of --text names.")
    ] = None,
    name: Annotated[
        str, typer.Option(help="What people call the project; the name of the folder by default.")
    ] = "",
    goal: Annotated[
        str, typer.Option(help="Enough when at most so many predictions are wrong, such as 5%.")
    ] = "",
    confidence: Annotated[str, typer.Option(help="How sure the goal is to be reached.")] = "95%",
    overlap: Annotated[
        int, typer.Option(min=1, max=100, help="How many people are asked for the same node.")
    ] = 1,
    recipe: Annotated[str, typer.Option(help="A shipped recipe: citations, accounts or matches.")] = "",
    wanted: Annotated[
        str,
        typer.Option(help="The class that the recipe accounts looks for; the rarest of LABELS by default."),
    ] = "",
    store: Annotated[str, typer.Option(help="The address of a PostgreSQL database for the events.")] = "",
    who: Annotated[str, typer.Option(help="Who makes it; the name of the user by default.")] = "",
    symmetrise: Symmetrise = False,
    nodes: Nodes = None,
    nodes_header: NodesHeader = None,
    header: Header = None,
    source: Source = None,
    target: Target = None,
    weight: Weight = None,
    parallel: ParallelEdges = None,
    labels_header: LabelsHeader = None,
    node: Node = None,
    label: Label = None,
    skip_unknown: SkipUnknown = False,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Make a project of a graph: a folder that `ohmline serve` and `ohmline label` work on.

    The whole folder is made, or nothing.
    """
    from ohmline.graph.files.labels import label_values
    from ohmline.project import Project, Settings
    from ohmline.project.creating import sought
    from ohmline.recipes import find

    expect_two_files(graph, labels)
    if recipe:
        find(recipe)
    settings = Settings(
        goal=share_of(goal, "--goal") if goal else None,
        confidence=share_of(confidence, "--confidence"),
        overlap=overlap,
        seed=seed,
    )
    network = read_graph(graph, header, source, target, weight, nodes, nodes_header, parallel, symmetrise)
    known = {} if labels is None else read_known(labels, network, labels_header, node, label, skip_unknown)
    declared: list[Any] = list(label_values(classes_of(classes)))
    if not declared:
        declared = sorted(set(known.values()), key=lambda each: (isinstance(each, str), each))
    if len(declared) < 2:
        raise LabelError(
            "a project needs two classes or more; write --classes a,b,c, or give LABELS that name them"
        )
    if wanted and recipe != "accounts":
        raise ParameterError("--wanted is for a recipe that looks for one class; add --recipe accounts")
    looking_for = sought(recipe, declared, known, wanted or None)
    made = Project.create(
        folder,
        graph=network,
        classes=declared,
        name=name,
        labels=known,
        nodes={} if text is None else _fields(text, network),
        images=images,
        settings=settings,
        recipe=recipe,
        store=store,
        actor=who or user(),
        wanted=looking_for,
    )
    if json:
        print_json(
            {
                "project": str(made),
                "nodes": network.n,
                "edges": network.n_edges,
                "classes": declared,
                "labels": len(known),
                **({} if looking_for is None else {"looking_for": looking_for}),
            }
        )
        return
    counts = f"{network.n:,} nodes, {network.n_edges:,} edges, {len(declared)} classes, {len(known):,} labels"
    print(f"{in_one_line(made)} is made: {counts}")
    if looking_for is not None:
        print(f"  looking for: {in_one_line(looking_for)}")
    print(f"  a page for many     ohmline serve {in_one_line(made)}")
    print(f"  in this terminal    ohmline label {in_one_line(made)}")


def _fields(path: Path, network: Any) -> dict[Any, dict[str, str]]:
    """The columns of a table as fields of cards: the first one is the text, unless another is called so."""
    from ohmline.labelling.texts import read_fields

    found: dict[Any, dict[str, str]] = {}
    for node, columns in read_fields(path, network).items():
        named = {name or f"column {k + 1}": value for k, (name, value) in enumerate(columns)}
        first = next(iter(named), "")
        if "text" not in named and first and first not in ("title", "image"):
            named = {"text" if name == first else name: value for name, value in named.items()}
        found[node] = {name: value for name, value in named.items() if value.strip()}
    return found
