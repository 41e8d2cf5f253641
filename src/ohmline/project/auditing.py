"""The random checks of a project: when one is due, what it is about, and what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any

from ohmline.labelling.checking import Check
from ohmline.labelling.session import ENOUGH, FIRST_CHECK, LEAST
from ohmline.project.ledger import Begun, Ledger
from ohmline.project.model import Model
from ohmline.project.recipe import RecipeFunction, default_recipe, made


def check_of(model: Model, recipe: RecipeFunction, begun: Begun | None) -> Check:
    """The check that is under way, or the one that would begin now, without any answer in it."""
    ledger = model.ledger
    size = (len(ledger.added_nodes), len(ledger.added_edges))
    if begun is not None:
        size = (begun.nodes, begun.edges)
    graph = model.graph_at(*size)
    labels = ledger.labels if begun is None else begun.labels
    number = ledger.begun + 1 if begun is None else begun.number
    classes = tuple(ledger.classes) if begun is None else begun.classes
    seed = ledger.settings.seed
    if recipe is default_recipe:
        return Check(graph, classes, labels, number, seed)
    learner: Any = made(recipe, graph, classes, seed, ledger.looks_for).learner
    for node, label in labels.items():
        learner.learn_one(node, label)
    table = learner.predict_many([node for node in graph.nodes if node not in labels])
    commonest = Counter(labels.values()).most_common(1)[0][0] if labels else classes[0]
    said: dict[Hashable, Any] = {}
    chances: dict[Hashable, float] = {}
    for row in table:
        said[row.node] = commonest if row.prediction is None else row.prediction
        chance = row.probability
        chances[row.node] = chance if 0 <= chance <= 1 else 1.0 / len(classes)
    return Check(graph, classes, labels, number, seed, predicted=(said, chances))


def is_due(ledger: Ledger, estimate: float) -> bool:
    """Whether it is time for a random check: it believes to be good enough, or was not checked for long."""
    goal, known, before = ledger.settings.goal, len(ledger.labels), ledger.learned_at_end
    classes = len(ledger.classes)
    if goal is None or ledger.audit is not None:
        return False
    if known < max(LEAST, 3 * classes) or known - before < max(LEAST, before // 4):
        return False
    latest = 2 * before if before else max(FIRST_CHECK, 15 * classes)
    return known >= latest or estimate * ledger.tally.trust <= ENOUGH * goal


def percent(share: float) -> str:
    """A share in words.

    >>> percent(1.0), percent(0.0123), percent(0.204)
    ('100 %', '1.2 %', '20 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"


def sentence(progress: dict[str, Any]) -> str:
    """What a gauge says, in words."""
    limit, goal, more = progress["limit"], progress["goal"], progress["more"]
    sure = f"{100 * progress['confidence']:g} %"
    if progress["stage"] == "reached":
        return (
            f"You may stop: with {sure} confidence at most {percent(limit['share'])} of the other predictions, as they "
            f"are exported now, are wrong, and {percent(goal)} was the goal."
        )
    if progress["stage"] == "finished":
        return "There is nothing left to ask: every node has a label or was skipped."
    if limit is not None:
        found = f"{limit['found']:,} of {limit['sampled']:,} random predictions were wrong"
        rest = "" if more is None else f"; about {more:,} more labels will do"
        return (
            f"Checking at random: with {sure} confidence at most {percent(limit['share'])} of the rest are wrong "
            f"({found}{rest})."
        )
    if not progress["labels"]:
        return "Nothing is known yet: the first labels say most."
    if progress["estimate"] > 0.9:
        return "Too little is known yet for the learner to say how often it is wrong; a few more labels will help."
    believed = (
        f"The learner itself expects {percent(progress['estimate'])} of its other predictions to be wrong"
    )
    if goal is None:
        return f"{believed}; set a goal, and a random check will prove when it is enough."
    rest = "" if more is None else f", which takes at least {more:,} labels"
    return f"{believed}; a random check will follow{rest}."
