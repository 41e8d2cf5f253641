"""A second model of a project, which thinks about questions and maps while the first one answers.

It hears of every event, and is asked by messages: plain values, so that it can live in another process.

| message | answer |
|---|---|
| `{"events": […]}` | none: it learns what they changed |
| `{"think": k, "taken": […]}` | `{"labels", "questions": [[node, why], …], "estimate"}` |
| `{"survey": [node, …]}` | `{"codes": […], "confidence": […]}` |
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, final

import numpy as np

from ohmline.graph.graph import Graph
from ohmline.labelling.answers import id_of, written_id
from ohmline.project.folder import read_first_graph
from ohmline.project.ledger import Ledger
from ohmline.project.model import Model
from ohmline.project.questions import best_questions, estimated_error
from ohmline.project.recipe import RecipeFunction
from ohmline.project.recipe_files import recipe_at
from ohmline.store.events import Event


@final
class Mind:
    """A model that is told of events and asked what to ask.

    Parameters
    ----------
    recipe
        The function that makes the learner.
    graph
        The graph as it was at first.
    """

    def __init__(self, recipe: RecipeFunction, graph: Graph) -> None:
        self._recipe, self._graph = recipe, graph
        self._ledger = Ledger()
        self._model: Model | None = None

    def hear(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Take a message, and give the answer if it has one."""
        if "events" in message:
            self._learn([Event(**event) for event in message["events"]])
            return None
        if "think" in message:
            return self._think(message["think"], [id_of(node) for node in message["taken"]])
        return self._survey([id_of(node) for node in message["survey"]])

    def _learn(self, events: list[Event]) -> None:
        if self._model is None:  # the first message: everything so far
            for event in events:
                self._ledger.apply(event)
            self._model = Model(self._recipe, self._graph, self._ledger)
            return
        for event in events:
            self._model.take(event, self._ledger.apply(event))

    def _think(self, k: int, taken: list[Any]) -> dict[str, Any]:
        model = self._expected()
        seed = self._ledger.settings.seed
        taken += self._ledger.skips
        found = best_questions(model, k, set(taken), seed)
        return {
            "labels": len(self._ledger.labels),
            "questions": [[written_id(choice.node), choice.why] for choice in found],
            "estimate": estimated_error(model, seed),
        }

    def _survey(self, nodes: list[Any]) -> dict[str, Any]:
        learner: Any = self._expected().learner
        table = learner.predict_many(nodes)
        best = np.nan_to_num(np.asarray(table.probabilities), nan=0.0).max(axis=1, initial=0.0)
        return {"codes": table.codes.tolist(), "confidence": [round(c, 3) for c in best.tolist()]}

    def _expected(self) -> Model:
        assert self._model is not None, "the events come first"
        return self._model


def main() -> None:
    """A process that reads messages from standard input, one JSON document a line, and answers on standard output."""
    folder, address = sys.argv[1:3]
    answers = sys.stdout
    sys.stdout = sys.stderr  # what a recipe prints is no answer
    mind = Mind(recipe_at(address), read_first_graph(Path(folder)))
    for line in sys.stdin:
        answer = mind.hear(json.loads(line))
        if answer is not None:
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
