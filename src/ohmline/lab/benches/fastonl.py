"""LocalLGC's time and mistakes per trial beside FastONL's push at its best setting, graph by graph."""

from __future__ import annotations

from typing import Any

from ohmline import data
from ohmline.game import Stream, play
from ohmline.lab.bench import Bench, Measured, side_by_side, target
from ohmline.lab.experiments.frontier_cases import RIVALS, Case, pictures, published
from ohmline.learn import LocalLGC

ORDERS = 3
"""Shuffles on which FastONL's setting is chosen and the mistakes are counted."""
WANTED = 20.0


def cases() -> list[Case]:
    """Cora and PubMed; digits where neither is here."""
    found = [published(name) for name in ("cora", "pubmed") if data.is_here(name)]
    return found or [pictures("digits")]


def measure(case: Case, repeat: int = 3) -> dict[str, Any]:
    """All figures of one graph: the setting is the one with the fewest mistakes on these very shuffles."""
    classes = int(case.labels.max()) + 1
    orders = [case.order(seed) for seed in range(ORDERS)]
    wrong: dict[str, int] = {}
    for name, rival in RIVALS.items():
        columns = rival.columns(case.graph)
        games = [rival.play(case.graph, order, case.labels, classes, columns=columns) for order in orders]
        wrong[name] = sum(game.mistakes for game in games)
    best = min(wrong, key=lambda name: wrong[name])
    streams = [Stream(order, case.labels[order]) for order in orders]
    ours = sum(play(LocalLGC(case.graph), stream).mistakes for stream in streams)
    trials = ORDERS * case.graph.n
    seconds, theirs = side_by_side(
        lambda: play(LocalLGC(case.graph), streams[0]),
        lambda: RIVALS[best].play(case.graph, orders[0], case.labels, classes),
        repeat=repeat,
    )
    return {
        "microseconds_a_trial": 1e6 * seconds / case.graph.n,
        "mistake_rate": ours / trials,
        "fastonl_setting": best,
        "fastonl_microseconds_a_trial": 1e6 * theirs / case.graph.n,
        "fastonl_mistake_rate": wrong[best] / trials,
        "ratio": theirs / seconds,
        "targets": [
            target(f"{case.name}: FastONL / ours", theirs / seconds, least=WANTED),
            target(f"{case.name}: mistakes above FastONL's", ours - wrong[best], most=0),
        ],
    }


def fastonl() -> Measured:
    """A trial of LocalLGC with its defaults against a push of FastONL; the ratio is the smallest over the graphs."""
    found = {case.name: measure(case) for case in cases()}
    targets = [line for figures in found.values() for line in figures.pop("targets")]
    return Measured(
        "fastonl",
        min(figures["ratio"] for figures in found.values()),
        "FastONL's push, compiled and without work that is not local, at its setting with the fewest mistakes",
        {**found, "targets": targets},
    )


BENCHES: dict[str, Bench] = {"fastonl": fastonl}
