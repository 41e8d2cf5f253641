"""`ohmline predict`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ohmline.cli.add_ons import With, add
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
    column,
    expect_labels,
    expect_places,
    expect_two_files,
    read_changing,
    read_graph,
    read_once,
)
from ohmline.cli.learners import AUTO, DRIFTING, LEARNERS, Table, choice_of, in_order, made, named
from ohmline.cli.output import AsJson, Seed, in_one_line, print_json, stages
from ohmline.cli.workers import Blocks, ClusterAddress, Numbered, Workers, expect_unused, parts_options
from ohmline.errors import LearnerError, ParameterError

if TYPE_CHECKING:
    from ohmline.graph.graph import Graph
    from ohmline.learn import Predictions


def predict(
    graph: GraphFile,
    labels: Annotated[
        Path | None, typer.Argument(help="The labels: a node and its label on each line.")
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            "--out", help="Where the predictions go: .csv, .csv.gz or .parquet; with workers a folder."
        ),
    ] = Path("predictions.csv"),
    model: Annotated[
        Path | None, typer.Option("--model", help="Go on from a model that --save wrote.")
    ] = None,
    save: Annotated[Path | None, typer.Option("--save", help="Keep the model in this file.")] = None,
    learner: Annotated[str, typer.Option(help=f"Which learner: auto, {', '.join(LEARNERS)}.")] = AUTO,
    drift: Annotated[
        bool,
        typer.Option(
            "--drift",
            help=f"Labels change over time: a node may be listed again, and auto is {DRIFTING}.",
        ),
    ] = False,
    with_: With = None,
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
    labels_header: LabelsHeader = None,
    node: Node = None,
    label: Label = None,
    skip_unknown: SkipUnknown = False,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Predict the class of every node, with probabilities, from the labels of some.

    The file of predictions has a row for each node: its label where one is known, the predicted class (empty where no
    label reaches), its probability, the margin, whether the class is certain, and the probability of each class.
    With --cluster or --workers the graph is a folder or pattern of Parquet parts, and so are the predictions.
    """
    begun = time.monotonic()
    if cluster is not None or workers is not None:
        expect_unused(
            {
                "--model": model,
                "--save": save,
                "--learner": None if learner == AUTO else learner,
                "--drift": drift or None,
                "--header": header,
                "--nodes": nodes,
                "--nodes-header": nodes_header,
                "--symmetrise": symmetrise or None,
            }
        )
        reading = parts_options(source, target, weight, parallel, numbered, blocks)
        if labels is None:
            raise ParameterError("there is nothing to learn from; give LABELS")
        reading |= {"header": labels_header, "node": column(node), "label": column(label)}
        reading |= {"skip_unknown": skip_unknown}
        document = _on_workers(graph, labels, out, cluster, workers, reading)
        document |= {"model": None, "seed": seed, "seconds": round(time.monotonic() - begun, 3)}
        return print_json(document) if json else _tell(document)
    if blocks is not None or not numbered:
        raise ParameterError("--blocks and --no-numbered are for workers; add --cluster or --workers")
    kind = _kind(out)
    add(with_)
    expect_two_files(graph, labels)
    expect_places(
        {"--out": out, "--save": save}, {"GRAPH": graph, "LABELS": labels, "the file of --nodes": nodes}
    )
    if labels is None and model is None:
        raise ParameterError("there is nothing to learn from; give LABELS, or --model with a saved one")
    network = read_graph(graph, header, source, target, weight, nodes, nodes_header, parallel, symmetrise)
    with stages(4) as stage:  # the graph had a bar of its own
        told: list[tuple[Any, Any]] = []
        if labels is not None:
            stage(f"reading {in_one_line(labels.name)}")
            read = (labels, network, labels_header, node, label, skip_unknown)
            told = read_changing(*read) if named(learner, drift=drift) == DRIFTING else read_once(*read)
            if model is None:
                expect_labels(told, labels)
        stage(f"learning {len(told):,} labels")
        player = _player(network, model, learner, drift, [label for _, label in told])
        if told:
            player.learn_many([node for node, _ in told], [label for _, label in told])
        known = dict(told)
        stage(f"predicting {network.n:,} nodes")
        table = player.predict_many()
        given = table.labels or [known.get(each) for each in table.nodes]
        stage(f"writing {in_one_line(out.name)}")
        _write(table, given, out, kind)
        if save is not None:
            from ohmline.store import save as save_learner

            save_learner(player, save)
    document = {
        "nodes": len(table),
        "labelled": sum(each is not None for each in given),
        "unreached": len(table) - int(table.known.sum()),
        "classes": [str(each) for each in table.classes],
        "counts": {str(each): count for each, count in table.counts.items()},
        "out": str(out),
        "model": None if save is None else str(save),
        "seed": seed,
        "seconds": round(time.monotonic() - begun, 3),
    }
    if json:
        print_json(document)
    else:
        _tell(document)


def _on_workers(
    edges: Path,
    labels: Path,
    out: Path,
    address: str | None,
    workers: int | None,
    reading: dict[str, Any],
) -> dict[str, Any]:
    """Predict on a cluster; what there is to tell."""
    from ohmline.cluster import predict as predict_parts
    from ohmline.cluster.engine import open_cluster

    with open_cluster(address, workers) as there:
        found = predict_parts(edges, labels, out, there, progress=True, **reading)
    told = ("nodes", "labelled", "unreached", "classes", "counts")
    return {**{name: found.about[name] for name in told}, "out": str(out)}


def _player(network: Graph, model: Path | None, learner: str, drift: bool, labels: list[Any]) -> Any:
    """The learner: the saved one, or a fresh one."""
    if model is None:
        return made(choice_of(named(learner, drift=drift)), Table(network), in_order(labels))
    if learner != AUTO:
        raise ParameterError(f"--model {model} has its own learner; leave out --learner {learner}")
    from ohmline.store import load

    player = load(model, graph=network)
    if not hasattr(player, "predict_many") or getattr(player, "nodes", None) is None:
        raise LearnerError(
            f"--model {model} holds {type(player).__name__}, which does not predict the nodes of a graph"
        )
    if drift and not _follows_changes(player):
        raise LearnerError(
            f"--model {model} holds {type(player).__name__}, which is not for labels that change; leave out --drift, "
            "or leave out --model to learn all labels again"
        )
    return player


def _follows_changes(player: Any) -> bool:
    from ohmline.learn import ClusterSpecialists, DriftingLGC

    return isinstance(player, DriftingLGC | ClusterSpecialists)


def _kind(out: Path) -> str:
    name = out.name.removesuffix(".gz")
    if name.endswith(".parquet") and name == out.name:
        return "parquet"
    if name.endswith(".csv"):
        return "csv"
    raise ParameterError(
        f"--out {out} has no ending that says what to write; name it .csv, .csv.gz or .parquet"
    )


def _write(table: Predictions, labels: Sequence[Any], out: Path, kind: str) -> None:
    from ohmline.learn.table import write_csv, write_parquet

    columns = {"node": table.nodes, "label": labels, **table.columns()}
    (write_parquet if kind == "parquet" else write_csv)(columns, out)


def _tell(document: dict[str, Any]) -> None:
    print(f"{document['labelled']:,} of {document['nodes']:,} nodes are labelled")
    for name, count in document["counts"].items():
        print(f"  {in_one_line(name)}: {count:,} predicted")
    if len(document["classes"]) == 1:
        print("  only one class is known, so every node is predicted as it; label a node of another one")
    if document["unreached"]:
        print(f"  no class: {document['unreached']:,}, which no label reaches")
    print(f"The predictions are in {in_one_line(document['out'])}")
    if document["model"]:
        print(f"The model is in {in_one_line(document['model'])}; go on from it with --model")
