"""What the recipes that ship buy, on graphs that they generate: `python tools/recipes.py` prints it as JSON.

Each row of a table of `docs/recipes` is the mean over the ten seeds below. Nothing was chosen on these: what was looked
at to choose a setting had seeds 0 to 4. Every question is asked and answered in a project, as people would.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ohmline import GapBelow, LocalLGC, Stream, play
from ohmline.game import Trace
from ohmline.project import Project, Recipe, commands
from ohmline.query import RandomRate, Uncertainty
from ohmline.recipes import demo, find
from ohmline.recipes.ledgers import accounts
from ohmline.recipes.papers import WORDS, papers
from ohmline.recipes.records import pairs

SEEDS = range(100, 110)
ANSWERS, LABELS = (50, 100, 150), (20, 40, 60, 120)


def with_query(query: Any) -> Callable[..., Recipe]:
    """The learner of every recipe, asking otherwise."""
    return lambda graph, classes, seed: Recipe(LocalLGC(graph, classes, guess=True), query)


def answered(
    project: Project, truth: Callable[[Any], str], looks: tuple[int, ...], drawn: list[Any] | None
) -> Iterator[int]:
    """True answers to the project's questions, or about drawn nodes; each number of answers that is looked at."""
    for count in range(1, max(looks) + 1):
        if drawn is None:
            (question,) = project.do(commands.Lease(), "ann").questions
            project.do(commands.Label(question.node, truth(question.node), question.lease), "ann")
        else:
            project.do(commands.Label(drawn[count - 1], truth(drawn[count - 1])), "ann")
        if count in looks:
            yield count


def drawn_from(project: Project, recipe: Any, seed: int) -> list[Any] | None:
    """The nodes without a label in random order, where no recipe asks."""
    rest = [node for node in project.nodes if node not in project.ledger.labels]
    return [rest[k] for k in np.random.default_rng(seed).permutation(len(rest))] if recipe is None else None


def bad_accounts(recipe: Any, seed: int, folder: Path) -> dict[str, float]:
    """How many of the bad accounts that nobody knew have been found."""
    bad = accounts(seed=seed).bad
    with Project.open(demo(folder, "accounts", seed=seed), recipe=recipe or find("accounts")) as project:
        known, drawn = set(project.ledger.labels), drawn_from(project, recipe, seed)
        looks = answered(project, lambda node: "bad" if node in bad else "ordinary", ANSWERS, drawn)
        return {f"found after {count}": len((set(project.ledger.labels) - known) & bad) for count in looks}


def topics(recipe: Any, seed: int, folder: Path) -> dict[str, float]:
    """The share of wrong predictions among the papers that nobody was asked for."""
    made, found = papers(600, seed), {}
    truth = made.topics
    # The demo has a goal, and so a check, whose questions are random; here the query asks to the end.
    Project.create(folder, graph=made.graph, classes=list(WORDS), recipe="citations")
    with Project.open(folder, recipe=recipe or find("citations")) as project:
        for count in answered(project, truth.__getitem__, LABELS, drawn_from(project, recipe, seed)):
            rest = [node for node in project.nodes if node not in project.ledger.labels]
            wrong = [said.prediction != truth[said.node] for said in project.predict(rest)]
            found[f"wrong after {count}"] = float(np.mean(wrong))
    return found


def matches(seed: int) -> dict[str, dict[str, float]]:
    """Pairs that arrive in random order: how many labels are asked for, and how many predictions are wrong."""
    made = pairs(seed=seed)
    kinds = ("same", "different")
    known = {node: kind for kind in kinds for node in [n for n, k in made.same.items() if k == kind][:5]}
    rest = {node: kind for node, kind in made.same.items() if node not in known}
    stream = Stream(list(rest), list(rest.values())).shuffled(seed=seed)

    def game(query: Any = None) -> Trace:
        learner = LocalLGC(made.graph, kinds, guess=True)
        for node, kind in known.items():  # as in the project of the recipe
            learner.learn_one(node, kind)
        return play(learner, stream, query, seed=seed)

    every, gap = game(), game(GapBelow())
    games = {"every label": every, "at random, half of them": game(RandomRate(0.5)), "GapBelow()": gap}
    games["at random, as many"] = game(RandomRate(gap.asked / len(stream)))
    return {
        name: {"asked": trace.asked / len(trace), "mistakes": trace.error_rate}
        for name, trace in games.items()
    }


def measured() -> dict[str, dict[str, dict[str, float]]]:
    """Everything, by recipe, row and number."""
    runs: dict[str, dict[str, list[dict[str, float]]]] = {"accounts": {}, "citations": {}, "matches": {}}
    ways = {
        "accounts": (
            bad_accounts,
            {"Likeliest": find("accounts"), "Uncertainty()": with_query(Uncertainty())},
        ),
        "citations": (topics, {"asked by the recipe": find("citations")}),
    }
    for seed in SEEDS:
        for name, (measure, rows) in ways.items():
            for row, recipe in {"drawn at random": None, **rows}.items():
                with TemporaryDirectory() as folder:
                    found = measure(recipe, seed, Path(folder, "it"))
                runs[name].setdefault(row, []).append(found)
        for row, found in matches(seed).items():
            runs["matches"].setdefault(row, []).append(found)
        print(f"seed {seed} of {SEEDS[0]} to {SEEDS[-1]}", file=sys.stderr)
    mean = partial(np.mean, dtype=float)
    return {
        name: {
            row: {key: float(mean([one[key] for one in found])) for key in found[0]}
            for row, found in rows.items()
        }
        for name, rows in runs.items()
    }


if __name__ == "__main__":
    print(json.dumps(measured(), indent=1))
