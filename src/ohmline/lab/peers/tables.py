"""What was measured as tables: one page in Markdown for the documentation, and the same as HTML."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

from ohmline.lab import page
from ohmline.lab.peers.graphs import TITLES
from ohmline.markup import table as html_table

Document = dict[str, Any]
NOT_DONE = "–"
OURS = "Ohmline"
"""The row of ours that asks its own questions."""
COMMAND = "ohmline bench peers --out docs"
APART = 2
"""Two figures that are nearer than so many standard errors are told to be level."""


@dataclass(frozen=True, slots=True)
class Table:
    """A heading, what it shows, and cells that are ready to print."""

    title: str
    words: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Read = Callable[[Document], float]


def found(document: Document, system: str, graph: str, task: str) -> Document | None:
    """The cell of a system, a graph and a task; None where there is none."""
    for cell in document["cells"]:
        if (cell["system"], cell["graph"], cell["task"]) == (system, graph, task):
            return dict(cell)
    return None


def best(document: Document, graph: str, task: str, read: Read, *, least: bool) -> list[tuple[float, str]]:
    """The systems that were measured with what `read` reads off their numbers, the best first."""
    pairs = []
    for system in document["systems"]:
        cell = found(document, system["name"], graph, task)
        if cell is not None and cell["found"]:
            pairs.append((read(cell["found"]), system["name"]))
    return sorted(pairs, key=lambda pair: pair[0] if least else -pair[0])


def tables(document: Document) -> Iterator[Table]:
    """All of them."""
    yield _online(document)
    yield from _accuracies(document)
    yield from _actives(document)
    yield _seconds(document, "online", "Time: a trial online", "Milliseconds of the processor.", _one)
    middle = len(document["shares"]) // 2
    yield _seconds(
        document,
        "accuracy",
        "Time: from matrix and labels to a prediction of all nodes",
        f"Milliseconds of the processor, with {document['shares'][middle]:.0%} of the labels, from nothing: what a "
        "system makes of the matrix, learning and predicting. Ohmline learns label by label, each after a prediction, "
        "and would go on from there; a system that refits does all of this again for one label more.",
        lambda numbers: numbers["seconds"][middle],
    )
    yield _seconds(
        document,
        "active",
        "Time: a choice",
        "Milliseconds of the processor, learning the label included.",
        _one,
    )
    yield _memory(document)


def _one(numbers: Document) -> float:
    return float(numbers["seconds"])


def _graphs(document: Document) -> list[str]:
    """The graphs that the run has come to."""
    begun = {cell["graph"] for cell in document["cells"]}
    return [graph["name"] for graph in document["graphs"] if graph["name"] in begun]


def _left(document: Document) -> Iterator[tuple[str, str]]:
    """The graph and the system of each cell that the run has not come to; "" for all systems on a graph."""
    for name in (graph["name"] for graph in document["graphs"]):
        if name not in _graphs(document):
            yield name, ""
            continue
        there = {(cell["system"], cell["task"]) for cell in document["cells"] if cell["graph"] == name}
        tasks = {task for _, task in there}
        for system in document["systems"]:
            if any((system["name"], task) not in there for task in system["tasks"] if task in tasks):
                yield name, system["name"]


def _systems(document: Document, task: str) -> list[Document]:
    return [system for system in document["systems"] if task in system["tasks"]]


def _cell(cell: Document | None, show: Callable[[Document], str]) -> str:
    if cell is None:
        return NOT_DONE
    return show(cell["found"]) if cell["found"] else cell["failed"].removeprefix("ParameterError: ")


def _table(
    document: Document,
    task: str,
    title: str,
    words: str,
    columns: list[tuple[str, str, Read]],
    *,
    least: bool,
    show: Callable[[float, Document], str],
) -> Table:
    """A row for each system that does the task; the best of each column in bold."""
    first = {
        head: next(iter(best(document, graph, task, read, least=least)), (math.nan, ""))[0]
        for head, graph, read in columns
    }

    def shown(numbers: Document, head: str, read: Read) -> str:
        text = show(read(numbers), numbers)
        return f"**{text}**" if read(numbers) == first[head] else text

    rows = []
    for system in _systems(document, task):
        cells = []
        for head, graph, read in columns:
            cell = found(document, system["name"], graph, task)
            cells.append(_cell(cell, lambda numbers, h=head, r=read: shown(numbers, h, r)))  # type: ignore[misc]
        if any(cell != NOT_DONE for cell in cells):
            rows.append((system["name"], *cells))
    return Table(title, words, ("", *(head for head, _, _ in columns)), tuple(rows))


def _online(document: Document) -> Table:
    columns = [(TITLES[graph], graph, lambda numbers: float(numbers["rate"])) for graph in _graphs(document)]
    words = (
        "Mistakes in percent of all nodes, in random orders; a node is predicted, then its label is seen. The standard "
        "deviation is over the orders. A system without an online mode is refitted on every trial of the smallest "
        "graph; elsewhere its figure, marked by ~, is what refitting on every trial is expected to give, from fits at "
        "some places of the same orders."
    )

    def show(value: float, numbers: Document) -> str:
        mark = "~" if numbers["how"] == "refits" else ""
        return f"{mark}{100 * value:.2f} ± {100 * numbers['std']:.2f}"

    return _table(document, "online", "Mistakes online", words, columns, least=True, show=show)


def _accuracies(document: Document) -> Iterator[Table]:
    words = "Right predictions in percent of the nodes without a label; known are one of each class and random ones."
    for graph in _graphs(document):
        columns: list[tuple[str, str, Read]] = [
            (f"{share:.0%}", graph, lambda numbers, k=k: float(numbers["accuracy"][k]))  # type: ignore[misc]
            for k, share in enumerate(document["shares"])
        ]
        yield _table(
            document,
            "accuracy",
            f"Accuracy against labels: {TITLES[graph]}",
            words,
            columns,
            least=False,
            show=lambda value, numbers: f"{100 * value:.1f}",
        )


def _actives(document: Document) -> Iterator[Table]:
    words = (
        "Right predictions in percent of the nodes without a label, after so many labels that the system asked for on "
        "top of one of each class."
    )
    for graph in _graphs(document):
        columns: list[tuple[str, str, Read]] = [
            (str(asked), graph, lambda numbers, k=k: float(numbers["accuracy"][k]))  # type: ignore[misc]
            for k, asked in enumerate(document["asked"])
        ]
        made = _table(
            document,
            "active",
            f"Active learning: {TITLES[graph]}",
            words,
            columns,
            least=False,
            show=lambda value, numbers: f"{100 * value:.1f}",
        )
        if made.rows:
            yield made


def _seconds(document: Document, task: str, title: str, words: str, read: Read) -> Table:
    begun = {cell["graph"] for cell in document["cells"] if cell["task"] == task}
    columns = [(TITLES[graph], graph, read) for graph in _graphs(document) if graph in begun]
    return _table(
        document, task, title, words, columns, least=True, show=lambda value, numbers: f"{1000 * value:.3g}"
    )


def _memory(document: Document) -> Table:
    """The peak of each process, over its tasks."""
    rows = []
    for system in document["systems"]:
        row = []
        for graph in _graphs(document):
            cells = [found(document, system["name"], graph, task) for task in system["tasks"]]
            sizes = [cell["found"]["bytes"] for cell in cells if cell is not None and cell["found"]]
            row.append(f"{max(sizes) / 1e6:.0f}" if sizes and max(sizes) else NOT_DONE)
        if any(cell != NOT_DONE for cell in row):
            rows.append((system["name"], *row))
    return Table(
        "Memory",
        "The largest memory of the process in MB, with everything that it imports.",
        ("", *(TITLES[graph] for graph in _graphs(document))),
        tuple(rows),
    )


def firsts(document: Document) -> Iterator[str]:
    """Who is first where, in sentences; computed, so that no table is read kindly."""
    for graph in _graphs(document):
        order = best(document, graph, "online", lambda numbers: float(numbers["rate"]), least=True)
        if order:
            said = _placed(document, order, "mistakes", partial(_error, document, graph, "online", 0))
            yield f"{TITLES[graph]}, online: {said}{_so_far(document, graph, 'online')}"
    for graph in _graphs(document):
        for k, asked in enumerate(document["asked"]):
            order = best(
                document,
                graph,
                "active",
                lambda numbers, k=k: float(numbers["accuracy"][k]),  # type: ignore[misc]
                least=False,
            )
            if order and asked in document["asked"][-2:]:
                said = _placed(document, order, "right", partial(_error, document, graph, "active", k))
                yield f"{TITLES[graph]}, after {asked} queries: {said}{_so_far(document, graph, 'active')}"


def _so_far(document: Document, graph: str, task: str) -> str:
    """How many systems have no figure there, so that nobody is called the first of all too early."""
    systems = _systems(document, task)
    cells = [found(document, system["name"], graph, task) for system in systems]
    measured = sum(cell is not None and bool(cell["found"]) for cell in cells)
    return "" if measured == len(systems) else f" (Measured: {measured} of {len(systems)} systems.)"


def _error(document: Document, graph: str, task: str, place: int, system: str) -> float:
    """The standard error of a figure, from how it differs from draw to draw."""
    cell = found(document, system, graph, task)
    (about,) = (each for each in document["graphs"] if each["name"] == graph)
    draws = about["loops" if task == "active" else "repeats"]
    assert cell is not None
    std = cell["found"]["std"]
    return float(std if task == "online" else std[place]) / math.sqrt(max(draws - 1, 1))


def _placed(
    document: Document, order: list[tuple[float, str]], what: str, error: Callable[[str], float]
) -> str:
    """Who is first, the best on the other side, and whether the draws can tell the two apart."""
    ours = {system["name"] for system in document["systems"] if system["ours"]}
    value, name = order[0]
    said = f"{name} is first with {100 * value:.1f} % {what}"
    others = [pair for pair in order if (pair[1] in ours) != (name in ours)]
    if not others:
        return f"{said}."
    second, other = others[0]
    said += f"; {'the best peer' if name in ours else 'ours'}, {other}, has {100 * second:.1f} %."
    itself = next((found for found, system in order if system == OURS), None)
    if name in ours and name != OURS and itself is not None:
        said += f" {OURS} with questions of its own has {100 * itself:.1f} %."
    level = abs(value - second) < APART * math.hypot(error(name), error(other))
    return said + (" The draws cannot tell the two apart." if level else "")


def settings(document: Document) -> Iterator[str]:
    """How it was measured, in sentences."""
    yield (
        "Each system works on each graph in a process of its own, on one thread; all get the same graphs (their "
        "largest components), labels, orders and first labels. Time is that of the processor, without imports, "
        f"compiling and a first small piece of work. A cell is given up after {document['patience']:g} s. "
        "Every figure is a mean over "
        + ", ".join(
            f"{graph['repeats']} draws on {TITLES[graph['name']]}"
            + (f" ({graph['loops']} in active learning)" if graph["loops"] != graph["repeats"] else "")
            for graph in document["graphs"]
        )
        + f" (seed {document['seed']}). Before its first label every system is taken to say the same class."
    )
    for graph in document["graphs"]:
        yield (
            f"{TITLES[graph['name']]}: {graph['nodes']:,} nodes, {graph['edges']:,} edges, {graph['classes']} classes; "
            f"{graph['refits']} fits in each order for a system without an online mode."
        )
    for name, system in _left(document):
        yield (
            f"{TITLES[name]}: {system or 'no system'} was {'not ' if system else ''}measured to the end, because the "
            "run ended before it; the same command goes on there."
        )
    for name, remedy in document["absent"].items():
        yield f"{TITLES[name]} is not here: run {remedy}."
    yield "; ".join(f"{name} {value}" for name, value in document["machine"].items()) + "."


def notes(document: Document) -> Table:
    """Versions and settings of the systems."""
    rows = []
    for system in document["systems"]:
        remedy = f"`pip install '{system['distribution']}'`"
        rows.append(
            (system["name"], system["version"] or f"not installed: {remedy}", system["note"] or "defaults")
        )
    return Table("The systems", "Versions and settings.", ("", "version", "settings"), tuple(rows))


TITLE = "Ohmline and its peers"
LEAD = (
    "The same work by Ohmline and by the systems that you might pick instead. The best of each column is in "
    "bold, whoever it is. A dash: the system has no such mode, or nothing of it was measured there; the end of the "
    "page says how it was done."
)


def markdown(document: Document) -> str:
    """The page for the documentation."""
    parts = [f"# {TITLE}", LEAD, f"`{COMMAND}` measures it again and writes this page."]
    parts.append("\n".join(f"- {line}" for line in firsts(document)))
    if document["size"] == "full":
        parts.append("![Accuracy against labels asked for](images/peers.svg)")
    parts += [_markdown(each) for each in (*tables(document), notes(document))]
    parts += ["## How it was measured", "\n".join(f"- {line}" for line in settings(document))]
    return "\n\n".join(parts) + "\n"


def _markdown(table: Table) -> str:
    lines = [f"| {' | '.join(table.head)} |", "|---" + "|---:" * (len(table.head) - 1) + "|"]
    lines += [f"| {' | '.join(cell.replace('|', ' ') for cell in row)} |" for row in table.rows]
    return f"## {table.title}\n\n{table.words}\n\n" + "\n".join(lines)


def html(document: Document, drawing: str) -> str:
    """The same as a page of its own."""
    body = [page.card("".join(f"<p>{escape(line)}</p>" for line in firsts(document)), "Who is first")]
    if drawing:
        body.append(page.card(drawing, "What a label buys"))
    body += [page.card(_html(each), each.title) for each in (*tables(document), notes(document))]
    body.append(
        page.card("".join(f"<p>{escape(line)}</p>" for line in settings(document)), "How it was measured")
    )
    return page.page(TITLE, LEAD, body)


def _html(table: Table) -> str:
    def cell(text: str) -> str:
        bold = text.startswith("**")
        return f"<b>{escape(text.strip('*'))}</b>" if bold else escape(text)

    rows = [[cell(text) for text in row] for row in table.rows]
    numbers = frozenset(range(1, len(table.head)))
    return f"<p>{escape(table.words)}</p>" + html_table(table.head, rows, numbers=numbers)
