"""What the learners on lines of random spanning trees share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Floats
from ohmline.checks import count, room, seed_of
from ohmline.graph.graph import Graph
from ohmline.graph.random_trees import Draw, draw_of, expect_positive
from ohmline.learn.contract import State
from ohmline.learn.graph_learner import GraphLearner
from ohmline.learn.predictions import Predictions
from ohmline.learn.snapshots import saved_count, saved_member, saved_seed, saved_text
from ohmline.learn.trees.lines import TreeLines, digest, drawn_lines

MOST_TREES = 1001
"""The largest committee."""


class LineLearner(GraphLearner):
    """A learner on the lines of a committee of random spanning trees, whose predictions are shares of votes."""

    trees: int
    draw: Draw | None
    seed: int
    exact_law: bool
    """Whether every tree was drawn by the law that was asked for."""

    def _draw_lines(
        self, graph: Graph, trees: int, draw: Draw | None, seed: int, *, weighted: bool
    ) -> TreeLines:
        """The lines of the learner's trees, once its graph and its parameters were checked."""
        self.graph = expect_positive(graph, type(self).__name__)
        self.trees = count(trees, "trees", least=1, most=MOST_TREES)
        self.draw, self.seed = draw_of(draw), seed_of(seed)
        lines, self.exact_law = drawn_lines(graph, self.trees, self.draw, self.seed, weighted=weighted)
        self._digest = digest(lines)
        return lines

    @final
    def predict_proba_one(self, x: Hashable) -> dict[Any, float]:
        """Each class's share of the votes; empty where no label reaches.

        Parameters
        ----------
        x
            A node.
        """
        t = self.nodes.position(x)
        with self._still:
            share = np.zeros((1, len(self._table)))
            self._votes(np.array([t]), share)
            names = self.classes
        return dict(zip(names, share[0].tolist(), strict=True)) if share.any() else {}

    @abstractmethod
    def _votes(self, places: AnyArray, rows: Floats) -> None:
        """Put each class's share of the votes at each place into its row; 0 where no label reaches."""

    def _predict_at(self, things: Any, places: AnyArray) -> Predictions:
        codes, margins = self._views(places)
        known = len(self._table)
        room(8 * len(places) * known, f"the probabilities of {known} classes at {len(places)} nodes")
        scores: Floats = np.empty((len(places), known))
        self._votes(places, scores)
        return self._predicted(things, self.classes, codes, margins, scores)

    def settings(self) -> State:
        return {
            **self._table.settings(),
            "trees": np.array(self.trees),
            "draw": np.array("" if self.draw is None else self.draw.value),
            "seed": np.array(str(self.seed)),
            "lines": np.array(self._digest),
        }

    @classmethod
    def _options(cls, state: State) -> dict[str, Any]:
        drawn = saved_text(state, cls.kind, "draw") != ""
        return {
            "trees": saved_count(state, cls.kind, "trees"),
            "draw": saved_member(state, cls.kind, "draw", Draw) if drawn else None,
            "seed": saved_seed(state, cls.kind),
        }
