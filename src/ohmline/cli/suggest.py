"""`ohmline suggest`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ohmline.cli.files import (
    GraphFile,
    Header,
    Label,
    LabelsFile,
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
    expect_labels,
    expect_places,
    expect_two_files,
    read_graph,
    read_known,
)
from ohmline.cli.learners import AUTO, LEARNERS, Table, choice_of, in_order, made
from ohmline.cli.output import AsJson, Seed, in_one_line, print_json, show_table
from ohmline.errors import ParameterError

QUERIES = {
    "error-reduction": "ErrorReduction",
    "uncertainty": "Uncertainty",
    "sigma-optimal": "SigmaOptimal",
    "v-optimal": "VOptimal",
    "model-change": "ModelChange",
    "farthest-first": "FarthestFirst",
    "random": "Random",
}
"""What `--query` may be, and the class of each."""


def suggest(
    graph: GraphFile,
    labels: LabelsFile,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="How many nodes.")] = 20,
    query: Annotated[str, typer.Option(help=f"What chooses: {', '.join(QUERIES)}.")] = "error-reduction",
    learner: Annotated[str, typer.Option(help=f"Which learner: auto, {', '.join(LEARNERS)}.")] = AUTO,
    out: Annotated[Path | None, typer.Option("--out", help="Also write them to this CSV file.")] = None,
    header: Header = None,
    source: Source = None,
    target: Target = None,
    weight: Weight = None,
    nodes: Nodes = None,
    nodes_header: NodesHeader = None,
    parallel: ParallelEdges = None,
    symmetrise: Symmetrise = False,
    labels_header: LabelsHeader = None,
    node: Node = None,
    label: Label = None,
    skip_unknown: SkipUnknown = False,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Say which nodes to label next: those whose labels would help most, and not all in one place."""
    import ohmline.query
    from ohmline.query import suggest as suggest_nodes

    begun = time.monotonic()
    if query not in QUERIES:
        raise ParameterError(f"no query {query!r}; choose one of {', '.join(QUERIES)}")
    expect_two_files(graph, labels)
    expect_places({"--out": out}, {"GRAPH": graph, "LABELS": labels, "the file of --nodes": nodes})
    network = read_graph(graph, header, source, target, weight, nodes, nodes_header, parallel, symmetrise)
    known = read_known(labels, network, labels_header, node, label, skip_unknown)
    expect_labels(known, labels)
    player = made(choice_of(learner), Table(network), in_order(known.values()))
    player.learn_many(known)
    rest = None if learner == AUTO else [each for each in network.nodes if each not in known]
    found = suggest_nodes(player, k, getattr(ohmline.query, QUERIES[query])(), nodes=rest, seed=seed)
    if out is not None:
        found.to_csv(out)
    if json:
        print_json(
            {
                "suggestions": [row._asdict() for row in found.rows],
                "seed": seed,
                "seconds": round(time.monotonic() - begun, 3),
            }
        )
        return
    rows: list[list[Any]] = [
        [
            str(row.node),
            "" if row.prediction is None else str(row.prediction),
            "" if row.probability != row.probability else f"{row.probability:.2f}",
            row.why,
        ]
        for row in found.rows
    ]
    show_table("", ["node", "prediction", "probability", "why"], rows, frozenset({2}))
    if out is not None:
        print(f"\nThe suggestions are in {in_one_line(out)}")
