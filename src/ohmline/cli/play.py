"""`ohmline play`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ohmline.cli.add_ons import With, add, add_all
from ohmline.cli.demo import show_game
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
    read_changing,
    read_graph,
    read_once,
)
from ohmline.cli.learners import (
    AUTO,
    BEST,
    DRIFTING,
    EXACT_LIMIT,
    LEARNERS,
    Choice,
    KernelName,
    Table,
    choice_of,
    in_order,
    made,
    named,
)
from ohmline.cli.output import AsJson, ExitCode, Out, Seed, print_json
from ohmline.errors import LearnerError, ParameterError

if TYPE_CHECKING:
    from ohmline.game import Stream


class Order(StrEnum):
    """In which order the nodes come up."""

    random = "random"
    file = "file"


def play(
    graph: GraphFile,
    labels: LabelsFile,
    learner: Annotated[
        str, typer.Option(help=f"Which learner plays: auto, which is {BEST}, or {', '.join(LEARNERS)}.")
    ] = AUTO,
    drift: Annotated[
        bool,
        typer.Option(
            "--drift",
            help=f"Labels change over time: a node may be listed again, and auto is {DRIFTING}.",
        ),
    ] = False,
    query: Annotated[
        str,
        typer.Option(help="Which labels are asked for: always, random:P, variance:KAPPA, gap:C or ahead:C."),
    ] = "always",
    budget: Annotated[
        int, typer.Option(min=-1, help="Stop asking after so many labels; -1 for no limit.")
    ] = -1,
    kernel: Annotated[
        KernelName, typer.Option(help=f"The kernel; auto is exact up to {EXACT_LIMIT:,} nodes.")
    ] = KernelName.auto,
    rank: Annotated[int, typer.Option(min=1, help="The rank of the spectral kernel.")] = 100,
    order: Annotated[
        Order | None, typer.Option(help="The order in which nodes come up: random, or with --drift file.")
    ] = None,
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
    with_: With = None,
    out: Out = Path("report.html"),
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Play the labels of a file on the graph of a file and write a report.

    Two classes are played as -1 and +1, more as one against the rest, unless the learner takes many
    classes itself.
    """
    from ohmline.game import Stream
    from ohmline.game import play as play_stream
    from ohmline.lab.game import Game
    from ohmline.lab.game_report import game_page
    from ohmline.lab.page import may_replace, write
    from ohmline.query.asking import needs_variance

    expect_two_files(graph, labels)
    expect_places({"--out": out}, {"GRAPH": graph, "LABELS": labels, "the file of --nodes": nodes})
    may_replace(out)
    add(with_)
    name = named(learner, drift=drift)
    choice, rule = choice_of(name), query_of(query, budget)
    network = read_graph(graph, header, source, target, weight, nodes, nodes_header, parallel, symmetrise)
    read = (labels, network, labels_header, node, label, skip_unknown)
    listed = read_changing(*read) if name == DRIFTING else read_once(*read)
    expect_labels(listed, labels)
    stream = Stream([node for node, _ in listed], [label for _, label in listed])
    if order is Order.random or (order is None and name != DRIFTING):
        stream = stream.shuffled(seed)
    table = Table(network, kernel, rank)
    rehearsal, _, _ = seat(choice, table, stream)  # loads the machine code before the clock runs
    player, stream, names = seat(choice, table, stream)
    try:
        play_stream(rehearsal, stream.take(1), rule)
    except LearnerError as error:
        if not needs_variance(rule):
            raise
        raise LearnerError(
            f"--query {query} needs a learner that knows its own variance: --learner local-lgc, shared-lgc or "
            f"online-lgc; with --learner {name} use --query always or --query random:0.1"
        ) from error
    trace = play_stream(player, stream, rule, seed=seed, progress=True)
    game = Game.of(f"{name} on {graph.name}", trace, names)
    lead = f"{len(trace):,} nodes of {graph.name} came up; labels from {labels.name}; query {rule!r}."
    write(out, game_page(game.title, lead, network, [game], seed=seed))
    if json:
        print_json({"seed": seed, "graph": network.summary(), "games": [game.document()], "report": str(out)})
    else:
        show_game(game)
        print(f"\nThe report is in {out}")
    if not game.kept:
        raise typer.Exit(ExitCode.FAILED)


def query_of(text: str, budget: int) -> Any:
    """The query that `--query` and `--budget` name."""
    from ohmline.lab import plugins
    from ohmline.query import Always, Budget, GapAhead, GapBelow, RandomRate, VarianceAbove

    kinds: dict[str, Any] = {
        "random": RandomRate,
        "variance": VarianceAbove,
        "gap": GapBelow,
        "ahead": GapAhead,
    }
    name, _, parameter = text.partition(":")
    if name not in kinds and name != "always" and name not in plugins.QUERIES:
        add_all(None)
    kinds |= {added.name: added.make for added in plugins.QUERIES.values()}
    try:
        if name == "always" and not parameter:
            query: Any = Always()
        elif name == "random" and not parameter:
            raise ValueError
        else:
            query = kinds[name](float(parameter)) if parameter else kinds[name]()
    except (KeyError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        others = "".join(f", {added}" for added in plugins.QUERIES)
        raise ParameterError(
            f"no query {text!r}; choose always, random:P with P from 0 to 1, variance:KAPPA, gap:C or ahead:C{others}"
        ) from None
    return query if budget < 0 else Budget(query, labels=budget)


def seat(choice: Choice, table: Table, stream: Stream) -> tuple[Any, Stream, dict[Any, str]]:
    """The learner ready to play, the stream in the labels it knows, and how these are shown."""
    classes = in_order(stream.classes)
    if choice.binary and len(classes) == 2 and set(classes) != {-1, 1}:
        names = {-1: str(classes[0]), 1: str(classes[1])}
        return choice.make(table, ()), stream.binary(classes[1]), names
    return made(choice, table, classes), stream, {}
