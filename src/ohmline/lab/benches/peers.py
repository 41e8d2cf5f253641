"""Ohmline beside the systems that a user would pick instead, as a benchmark: how much faster at no more mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ohmline.lab.bench import Bench, Measured, target
from ohmline.lab.page import write
from ohmline.lab.peers.graphs import TITLES
from ohmline.lab.peers.picture import picture
from ohmline.lab.peers.run import Plan, compare, refuse_nothing
from ohmline.lab.peers.tables import OURS, best, html, markdown


def peers(plan: Plan | None = None) -> Measured:
    """The comparison; with a folder in the plan its tables, page and picture are written there."""
    plan = Plan() if plan is None else plan
    document = compare(plan)
    refuse_nothing(document)
    if plan.folder is not None:
        write_all(document, plan.folder)
    return judged(document)


def write_all(document: dict[str, Any], folder: Path) -> None:
    """`peers.md`, `peers.html` and `images/peers.svg`, beside the `peers.json` that they come from."""
    drawing = _drawing(document)
    write(folder / "peers.md", markdown(document))
    write(folder / "peers.html", html(document, drawing))
    if drawing:
        write(folder / "images" / "peers.svg", drawing)


def _drawing(document: dict[str, Any]) -> str:
    """The picture; nothing without the library that draws it, since the tables say the same."""
    try:
        return picture(document)
    except ImportError:
        return ""


def judged(document: dict[str, Any]) -> Measured:
    """The ratio is the smallest over the graphs: a trial of the peer with fewest mistakes against one of ours."""
    ours = {system["name"] for system in document["systems"] if system["ours"]}
    ratios, targets = [], []
    for graph in (graph["name"] for graph in document["graphs"]):
        rates = best(document, graph, "online", lambda numbers: float(numbers["rate"]), least=True)
        others = [pair for pair in rates if pair[1] not in ours]
        own = [pair for pair in rates if pair[1] == OURS]
        if own and others:
            title = f"{TITLES[graph]}: mistake rate above the best peer's ({others[0][1]})"
            targets.append(target(title, own[0][0] - others[0][0], most=0.0))
            times = {
                name: seconds
                for seconds, name in best(
                    document, graph, "online", lambda numbers: float(numbers["seconds"]), least=True
                )
            }
            ratios.append(times[others[0][1]] / times[OURS])
            targets.append(target(f"{TITLES[graph]}: its time per trial over ours", ratios[-1], least=10.0))
        if graph in ("cora", "pubmed"):
            targets += _active_targets(document, graph, ours)
    return Measured(
        "peers",
        min(ratios, default=float("nan")),
        "the peer with the fewest mistakes online, a trial against a trial, on the graph where that is least",
        {"document": document, "targets": targets},
    )


def _active_targets(document: dict[str, Any], graph: str, ours: set[str]) -> list[dict[str, Any]]:
    found = []
    for k, asked in enumerate(document["asked"]):
        if asked not in (50, 100):
            continue
        order = best(
            document,
            graph,
            "active",
            lambda numbers, k=k: float(numbers["accuracy"][k]),  # type: ignore[misc]
            least=False,
        )
        own = [value for value, name in order if name == OURS]
        others = [pair for pair in order if pair[1] not in ours]
        if own and others:
            title = f"{TITLES[graph]}, {asked} queries: accuracy above the best peer's ({others[0][1]})"
            found.append(target(title, own[0] - others[0][0], least=0.0))
    return found


BENCHES: dict[str, Bench] = {"peers": peers}
