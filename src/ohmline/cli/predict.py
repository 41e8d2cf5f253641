"""`ohmline predict`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ohmline.cli.files import (
    GraphFile,
    Header,
    Label,
    LabelsHeader,
    Node,
    Nodes,
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
    read_graph,
    read_known,
)
from ohmline.cli.learners import LEARNERS, Table, choice_of, in_order, made
from ohmline.cli.output import AsJson, Seed, in_one_line, print_json
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
    learner: Annotated[str, typer.Option(help=f"Which learner: auto, {', '.join(LEARNERS)}.")] = "auto",
    cluster: ClusterAddress = None,
    workers: Workers = None,
    blocks: Blocks = None,
    numbered: Numbered = True,
    header: Header = None,
    source: Source = None,
    target: Target = None,
    weight: Weight = None,
    nodes: Nodes = None,
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
                "--learner": None if learner == "auto" else learner,
                "--header": header,
                "--nodes": nodes,
                "--symmetrise": symmetrise or None,
            }
        )
        reading = parts_options(source, target, weight, parallel, numbered, blocks)
        alone = _labels_alone(labels, labels_header, node, label)
        document = _on_workers(graph, alone, out, cluster, workers, reading, skip_unknown)
        document |= {"model": None, "seed": seed, "seconds": round(time.monotonic() - begun, 3)}
        return print_json(document) if json else _tell(document)
    if blocks is not None or not numbered:
        raise ParameterError("--blocks and --no-numbered are for workers; add --cluster or --workers")
    kind = _kind(out)
    expect_two_files(graph, labels)
    expect_places(
        {"--out": out, "--save": save}, {"GRAPH": graph, "LABELS": labels, "the file of --nodes": nodes}
    )
    if labels is None and model is None:
        raise ParameterError("there is nothing to learn from; give LABELS, or --model with a saved one")
    network = read_graph(graph, header, source, target, weight, nodes, parallel, symmetrise)
    known: dict[Any, Any] = {}
    if labels is not None:
        known = read_known(labels, network, labels_header, node, label, skip_unknown)
        if model is None:
            expect_labels(known, labels)
    player = _player(network, model, learner, known)
    if known:
        player.learn_many(known)
    table = player.predict_many()
    given = table.labels or [known.get(each) for each in table.nodes]
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


def _labels_alone(
    labels: Path | None, header: bool | None, node: str | None, label: str | None
) -> dict[Any, Any]:
    """Labels of nodes that no graph in this process has."""
    from ohmline.graph import read_labels

    if labels is None:
        raise ParameterError("there is nothing to learn from; give LABELS")
    known = dict(read_labels(labels, header=header, node=column(node), label=column(label)))
    expect_labels(known, labels)
    return known


def _on_workers(
    edges: Path,
    known: dict[Any, Any],
    out: Path,
    address: str | None,
    workers: int | None,
    reading: dict[str, Any],
    skip_unknown: bool,
) -> dict[str, Any]:
    """Predict on a cluster; what there is to tell."""
    from ohmline.cluster import predict as predict_parts
    from ohmline.cluster.engine import open_cluster

    with open_cluster(address, workers) as there:
        found = predict_parts(edges, known, out, there, skip_unknown=skip_unknown, progress=True, **reading)
    told = ("nodes", "labelled", "unreached", "classes", "counts")
    return {**{name: found.about[name] for name in told}, "out": str(out)}


def _player(network: Graph, model: Path | None, learner: str, known: dict[Any, Any]) -> Any:
    """The learner: the saved one, or a fresh one."""
    if model is None:
        return made(choice_of(learner), Table(network), in_order(known.values()))
    if learner != "auto":
        raise ParameterError(f"--model {model} has its own learner; leave out --learner {learner}")
    from ohmline.store import load

    player = load(model, graph=network)
    if not hasattr(player, "predict_many") or getattr(player, "nodes", None) is None:
        raise LearnerError(
            f"--model {model} holds {type(player).__name__}, which does not predict the nodes of a graph"
        )
    return player


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
    if document["unreached"]:
        print(f"  no class: {document['unreached']:,}, which no label reaches")
    print(f"The predictions are in {in_one_line(document['out'])}")
    if document["model"]:
        print(f"The model is in {in_one_line(document['model'])}; go on from it with --model")
