"""``ohmline play``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ohmline.cli.demo import show_game
from ohmline.cli.output import AsJson, ExitCode, Out, Seed, print_json, trials
from ohmline.errors import FileFormatError, LabelError, ParameterError, UnknownNode

if TYPE_CHECKING:
    from ohmline.game import Stream
    from ohmline.graph import Graph
    from ohmline.kernel import Kernel

EXACT_LIMIT = 6000
"""Up to so many nodes the exact kernel is used unless another is asked for."""


class Order(StrEnum):
    """In which order the nodes come up."""

    random = "random"
    file = "file"


class KernelName(StrEnum):
    """Which kernel a learner works in."""

    auto = "auto"
    exact = "exact"
    spectral = "spectral"


def play(
    graph: Annotated[
        Path, typer.Argument(help="The graph: an edge list, GraphML, Matrix Market or Parquet.")
    ],
    labels: Annotated[Path, typer.Argument(help="The labels: a node and its label on each line.")],
    learner: Annotated[str, typer.Option(help="Which learner plays.")] = "perceptron",
    query: Annotated[
        str, typer.Option(help="Which labels are asked for: always, random:P, variance:KAPPA or gap:C.")
    ] = "always",
    budget: Annotated[int, typer.Option(help="Stop asking after so many labels; -1 for no limit.")] = -1,
    kernel: Annotated[
        KernelName, typer.Option(help=f"The kernel; auto is exact up to {EXACT_LIMIT:,} nodes.")
    ] = KernelName.auto,
    rank: Annotated[int, typer.Option(min=1, help="The rank of the spectral kernel.")] = 100,
    order: Annotated[Order, typer.Option(help="The order in which nodes come up.")] = Order.random,
    symmetrise: Annotated[
        bool, typer.Option("--symmetrise", help="Take a directed graph as undirected: max(S, S').")
    ] = False,
    out: Out = Path("report.html"),
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Play the labels of a file on the graph of a file and write a report."""
    import ohmline.graph
    from ohmline.cli.learners import choice_of
    from ohmline.game import play as play_stream
    from ohmline.lab.game import Game
    from ohmline.lab.game_report import game_page
    from ohmline.lab.page import write

    choice, rule = choice_of(learner), query_of(query, budget)
    network = ohmline.graph.read(graph, symmetrise=symmetrise)
    stream = read_labels(labels, network)
    if order is Order.random:
        stream = stream.shuffled(seed)
    player, stream, names = seat(choice, network, stream, kernel, rank)
    with trials("playing", len(stream)) as progress:
        trace = play_stream(player, stream, rule, seed=seed, progress=progress)
    game = Game.of(f"{learner} on {graph.name}", trace, names)
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
    """The query that ``--query`` and ``--budget`` name."""
    from ohmline.query import Always, Budget, GapBelow, RandomRate, VarianceAbove

    kinds: dict[str, Any] = {"random": RandomRate, "variance": VarianceAbove, "gap": GapBelow}
    name, _, parameter = text.partition(":")
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
        raise ParameterError(
            f"no query {text!r}; choose always, random:P with P from 0 to 1, variance:KAPPA or gap:C"
        ) from None
    return query if budget < 0 else Budget(query, labels=budget)


def read_labels(path: Path, graph: Graph) -> Stream:
    """A stream in the order of the file: node and label, by comma, tab, semicolon or space.

    A first line whose node the graph does not have is a header. An empty label, or ``?``, means
    that nobody knows it.
    """
    from ohmline.game import Stream

    try:
        lines = [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path} cannot be read as a text of labels ({error})") from None
    rows = [_cells(line) for line in lines if not line.startswith("#")]
    nodes, labels = [], []
    for number, row in enumerate(rows, start=1):
        if len(row) != 2:
            raise FileFormatError(f"{path}, entry {number}: expected a node and a label, got {row!r:.80}")
        try:
            nodes.append(_node(row[0], graph))
        except UnknownNode as error:
            if number == 1:
                continue
            raise FileFormatError(f"{path}, entry {number}: {error}") from None
        labels.append(None if row[1] in ("", "?") else _label(row[1]))
    if not any(label is not None for label in labels):
        raise LabelError(f"{path} has no label; give a node and its label on each line")
    return Stream(nodes, labels)


def _cells(line: str) -> list[str]:
    import csv

    for mark in ("\t", ",", ";"):
        if mark in line:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=mark))]
    return line.split()


def _node(text: str, graph: Graph) -> Any:
    """The id as the graph has it: as text, or as a whole number."""
    if text in graph.nodes:
        return text
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number in graph.nodes:
        return number
    graph.nodes.position(text)  # raises: neither is there
    return text


def _label(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text


def seat(
    choice: Any, graph: Graph, stream: Stream, kernel: KernelName, rank: int
) -> tuple[Any, Stream, dict[Any, str]]:
    """The learner ready to play, the stream in its labels, and how these are shown."""
    from ohmline.learn import OneVsRest

    classes = sorted(stream.classes, key=lambda y: (isinstance(y, str), y))
    if choice.many is not None:
        return choice.many(graph, classes), stream, {}
    space = kernel_of(graph, kernel, rank)
    if set(classes) <= {-1, 1}:
        return choice.binary(space), stream, {}
    if len(classes) == 2:
        names = {-1: str(classes[0]), 1: str(classes[1])}
        return choice.binary(space), stream.binary(classes[1]), names
    return OneVsRest(lambda: choice.binary(space), classes=classes), stream, {}


def kernel_of(graph: Graph, name: KernelName, rank: int) -> Kernel:
    """The kernel that ``--kernel`` names."""
    from ohmline.kernel import LaplacianKernel, SpectralKernel

    if name is KernelName.exact or (name is KernelName.auto and graph.n <= EXACT_LIMIT):
        return LaplacianKernel(graph).with_default_bias()
    return SpectralKernel(graph, rank=min(rank, graph.n))
