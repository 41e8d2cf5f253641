"""`ohmline label`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    expect_places,
    expect_two_files,
    read_graph,
    read_known,
)
from ohmline.cli.label_work import conclude, expect_terminal, say, user, worked
from ohmline.cli.output import AsJson, Seed, in_one_line, print_json
from ohmline.errors import FileFormatError, LabelError, ParameterError

if TYPE_CHECKING:
    from ohmline.graph.graph import Graph
    from ohmline.labelling import Session


def label(
    graph: GraphFile,
    labels: Annotated[
        Path | None, typer.Argument(help="Labels that are known already; the file is never changed.")
    ] = None,
    classes: Annotated[
        str, typer.Option(help="The classes, separated by commas; a journal that exists knows its own.")
    ] = "",
    text: Annotated[Path | None, typer.Option(help="A table with a node and its text in each row.")] = None,
    goal: Annotated[
        str, typer.Option(help="Stop when at most so many predictions are wrong, such as 5%.")
    ] = "",
    confidence: Annotated[str, typer.Option(help="How sure the goal is to be reached.")] = "95%",
    journal: Annotated[
        Path | None, typer.Option(help="Where every answer is kept; GRAPH with .labels.jsonl by default.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The labels, written on quitting; GRAPH with .labels.csv by default.")
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option(help="Also write the class of every node, labelled or predicted.")
    ] = None,
    export: Annotated[
        bool, typer.Option("--export", help="Ask nothing: write the labels of the journal and stop.")
    ] = False,
    who: Annotated[str, typer.Option(help="Who answers; the name of the user by default.")] = "",
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
    """Ask a person for labels in the terminal: the nodes that say most, then a random check.

    GRAPH may also be the folder of a project, as `ohmline serve` has it: answers go into its log.
    One key labels and moves on. Every answer is on the disk before the next question comes, and the same
    command goes on where it was left, after q, Ctrl-C or a killed process alike.
    """
    from ohmline.graph.files.spelling import spelled

    if (graph / "project.toml").exists():
        from ohmline.cli.label_project import label_project

        given = {
            "LABELS": labels,
            "--classes": classes,
            "--text": text,
            "--journal": journal,
            "--export": export,
        }
        label_project(graph, given, goal, confidence, out, predictions, who, json)
        return
    log = journal or Path(f"{_stem(graph)}.labels.jsonl")
    table = out or Path(f"{_stem(graph)}.labels.csv")
    expect_two_files(graph, labels)
    read = {"GRAPH": graph, "LABELS": labels, "the file of --nodes": nodes, "--text": text, "--journal": log}
    expect_places({"--out": table, "--predictions": predictions}, read)
    _expect_ours(table, log)
    if export:
        _export(log, table, predictions, json)
        return
    wanted, sure = share_of(goal, "--goal") if goal else None, share_of(confidence, "--confidence")
    declared = classes_of(classes)
    begun = time.monotonic()
    say(f"reading {in_one_line(graph)} …")
    network = read_graph(graph, header, source, target, weight, nodes, nodes_header, parallel, symmetrise)
    texts = {} if text is None else _texts(text, network)
    spelled(network.nodes, table)  # what could not be written at the end is refused now
    known = None
    if labels is not None:
        found = read_known(labels, network, labels_header, node, label, skip_unknown)
        known = _declared(found, labels, declared)
    elif not declared and not log.exists():
        raise LabelError("no classes are declared; write --classes a,b,c, or give LABELS that name them")
    expect_terminal()
    say("getting ready; the first time after an installation takes a minute, while machine code is made …")
    session = _session(
        network,
        declared,
        known,
        str(labels or ""),
        journal=log,
        goal=wanted,
        confidence=sure,
        who=who,
        seed=seed,
    )
    with session:
        summary, signalled = worked(session, graph.name, texts, table, predictions)
    conclude(summary, begun, signalled, json)


def _texts(path: Path, network: Graph) -> dict[Any, str]:
    from ohmline.labelling.texts import read_texts

    return read_texts(path, network)


def _declared(found: dict[Any, Any], path: Path, declared: list[str]) -> dict[Any, Any]:
    """The labels of a file, each one of the declared classes."""
    from ohmline.graph.files.labels import label_values, written_form

    if not declared:
        return found
    by_name = dict(zip(map(written_form, declared), label_values(declared), strict=True))
    for node, each in found.items():
        if written_form(each) not in by_name:
            raise LabelError(
                f"{path}: node {node!r} has the label {each!r}, which is not among --classes {','.join(declared)}; "
                "add it there, or mend the file"
            )
    return {node: by_name[written_form(each)] for node, each in found.items()}


def _session(
    network: Graph,
    declared: list[str],
    known: dict[Any, Any] | None,
    source: str,
    *,
    who: str,
    **options: Any,
) -> Session:
    from ohmline.graph.files.labels import label_values
    from ohmline.labelling import Session

    classes = label_values(declared) if declared else None
    return Session(network, classes, labels=known, source=source, who=who or user(), **options)


def _export(journal: Path, table: Path, predictions: Path | None, json: bool) -> None:
    from ohmline.labelling.export import labels_in, write_labels

    if predictions is not None:
        raise ParameterError(
            "--predictions needs the learner, which --export does not make; run without --export, and quit"
        )
    found = labels_in(journal)
    write_labels(found, table)
    if json:
        print_json({"journal": str(journal), "out": str(table), "labels": len(found)})
    else:
        print(f"{len(found):,} labels are in {in_one_line(table)}")


def _expect_ours(table: Path, journal: Path) -> None:
    """Raise where a table of labels is there already that did not come from this journal."""
    from ohmline.labelling.export import is_written_from

    if table.exists() and not is_written_from(table, journal):
        raise FileFormatError(
            f"{table} exists and was not written by this command: it is no table of labels that {journal} has; give it "
            "as LABELS if it has labels, and name another file with --out"
        )


def _stem(graph: Path) -> str:
    name = graph.name
    for ending in (
        ".gz",
        ".zst",
        graph.with_suffix("").suffix if graph.suffix in (".gz", ".zst") else graph.suffix,
    ):
        name = name.removesuffix(ending) if ending else name
    return name or "graph"
