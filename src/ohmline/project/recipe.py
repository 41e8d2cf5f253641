"""A recipe: what a project learns with, what it asks, where its nodes come from, and what else is to happen."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

from ohmline.checks import function, instance, none_or, shown
from ohmline.errors import ParameterError
from ohmline.graph.graph import Graph
from ohmline.learn import LocalLGC
from ohmline.learn.contract import OnlineLearner, expect_learner
from ohmline.query import ErrorReduction, PoolQuery, SigmaOptimal
from ohmline.store.events import Event

EXPLORE = 10
"""Classes that did not come up among so many labels for each class are looked for no longer."""


@final
@dataclass(frozen=True, slots=True)
class Recipe:
    """What a project does.

    Attributes
    ----------
    learner
        A fresh learner over the project's graph and classes.
    query
        Which labels are worth a person's time: a pool query, or a query on a stream where nodes arrive.
    stream
        The nodes in the order in which they arrive, or None where all of them are there from the beginning (a pool).
    show
        Gives more to read about a node: a dict from titles to texts. None for nothing more.
    on_event
        Is called with every event after it is on the disk. None for nothing.
    """

    learner: OnlineLearner[Any, Any]
    query: Any
    stream: Iterable[Hashable] | None = None
    show: Callable[[Hashable], Mapping[str, str]] | None = None
    on_event: Callable[[Event], None] | None = None

    def __post_init__(self) -> None:
        expect_learner(self.learner)
        if not isinstance(self.query, PoolQuery) and not hasattr(self.query, "_fields"):
            wants = getattr(self.query, "wants", None)
            if not callable(wants):
                raise ParameterError(
                    f"query of a recipe must be a pool query or a query on a stream, got {shown(self.query)}; "
                    "ErrorReduction() is the usual one"
                )
        for name in ("show", "on_event"):
            none_or(function, getattr(self, name), name)

    @property
    def streams(self) -> bool:
        """Whether nodes arrive one by one, and each is asked for or not when it does."""
        return not isinstance(self.query, PoolQuery)


RecipeFunction = Callable[..., Recipe]
"""What a user writes: from a graph, its classes and a seed to a recipe.

A fourth parameter called `wanted`, where there is one, is given the class that the project looks for, None for none."""


def default_recipe(graph: Graph, classes: tuple[Any, ...], seed: int) -> Recipe:
    """Label everything: `LocalLGC`, and the questions whose answers are expected to correct most.

    Parameters
    ----------
    graph
        The graph.
    classes
        Its classes.
    seed
        Not used: nothing here is left to chance.
    """
    return Recipe(LocalLGC(graph, classes, guess=True), ErrorReduction())


def looks_for_a_class(recipe: RecipeFunction) -> bool:
    """Whether a recipe is about one class: it has a parameter `wanted`."""
    try:
        return "wanted" in inspect.signature(function(recipe, "recipe")).parameters
    except ValueError:  # a function without a signature takes the three that every recipe takes
        return False


def made(
    recipe: RecipeFunction, graph: Graph, classes: tuple[Any, ...], seed: int, wanted: Any = None
) -> Recipe:
    """What a recipe's function gives, or an error where that is no recipe."""
    options = {"wanted": wanted} if looks_for_a_class(recipe) else {}
    return instance(
        function(recipe, "recipe")(graph, classes, seed, **options),
        Recipe,
        "recipe(graph, classes, seed)",
        "return a Recipe",
    )


def query_for(recipe: Recipe, learner: OnlineLearner[Any, Any], labels: Mapping[Hashable, Any]) -> PoolQuery:
    """The query that chooses now.

    While there are classes that nobody has named, the nodes that most others depend on come first: a learner that
    knows one class is sure of it everywhere, and has nothing to doubt.
    """
    query = recipe.query
    if isinstance(query, ErrorReduction) and isinstance(learner, LocalLGC):
        classes = len(learner.classes)
        if len(labels) < EXPLORE * classes and len(set(labels.values())) < classes:
            return SigmaOptimal()
    return instance(query, PoolQuery, "query")
