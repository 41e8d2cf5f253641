"""Which nodes to ask for: the best ones of a model, and how wrong it believes itself to be."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ohmline.arrays import Bools
from ohmline.kernel.factor import estimate
from ohmline.learn import LocalLGC
from ohmline.project.model import Model
from ohmline.project.recipe import query_for
from ohmline.query import PoolQuery, Uncertainty
from ohmline.query.next_labels import because, chosen_of, reaches

LARGE = 50_000
"""On a graph with more nodes the query sees only a sample of them: there is no factor of such a graph to be had."""
FILL, FLOPS = 4_000_000, 2e9
"""Nor does it where a factor would have more entries, or take more operations: about a second."""
SAMPLE = 400
"""How many nodes are in that sample: each takes a solve of its own."""
MANY = 1000
"""Over so many nodes the learner's estimate of its own error is taken; on a large graph over `SAMPLE` of them."""


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """A node that is worth a label.

    Attributes
    ----------
    node
        The node.
    why
        Why, in words.
    """

    node: Hashable
    why: str


def best_questions(model: Model, k: int, taken: Collection[Hashable], seed: int) -> list[Choice]:
    """At most k nodes worth asking for, the most wanted first; none that has a label or is taken.

    Where the query would take long, the most uncertain nodes of a sample are taken instead.
    """
    learner: Any = model.learner
    open_ = still_open(model, taken)
    rng = np.random.default_rng([seed, model.ledger.seq + 1])
    if not isinstance(model.recipe.query, PoolQuery) or not open_.any():
        return []
    query = query_for(model.recipe, learner, model.ledger.labels)
    if not is_affordable(model):
        places = _sampled(open_, SAMPLE, rng)
        table = learner.predict_many([learner.nodes[int(i)] for i in places])
        chances = np.nan_to_num(table.probabilities, nan=0.0)
        order = np.argsort(np.max(chances, axis=1, initial=0.0), kind="stable")[:k]
        query = Uncertainty()
        return [Choice(table.nodes[int(i)], because(query, table, int(i))) for i in order]
    chosen = chosen_of(query, learner, open_, min(k, int(open_.sum())), rng)
    table = learner.predict_many([learner.nodes[i] for i in chosen])
    reach = reaches(learner, table, chosen)
    return [Choice(learner.nodes[i], because(query, table, place, reach)) for place, i in enumerate(chosen)]


def is_affordable(model: Model) -> bool:
    """Whether a query that looks at the whole graph can be asked after every label."""
    learner = model.learner
    if not isinstance(learner, LocalLGC):
        return len(model.nodes) <= LARGE
    size = (len(model.nodes), len(model.ledger.added_edges))
    if model.affordable is None or model.affordable[0] != size:
        found = len(model.nodes) <= LARGE
        if found:
            found = estimate(learner.belief().precision(), fill_limit=FILL, flop_limit=FLOPS).fits
        model.affordable = (size, found)
    return model.affordable[1]


def still_open(model: Model, taken: Collection[Hashable]) -> Bools:
    """For each position whether its node has no label and is not taken."""
    nodes = model.nodes
    open_ = np.ones(len(nodes), np.bool_)
    for some in (model.ledger.labels, taken):
        if some:
            open_[nodes.positions(some)] = False
    return open_


def estimated_error(model: Model, seed: int) -> float:
    """The mean, over a sample of the nodes without a label, of the learner's doubt in its prediction.

    An opinion, not a limit: only a random check gives that.
    """
    open_ = still_open(model, ())
    if not open_.any() or not model.ledger.labels:
        return 0.0 if not open_.any() else 1.0
    rng = np.random.default_rng([seed, len(model.ledger.labels)])
    places = _sampled(open_, MANY if len(open_) <= LARGE else SAMPLE, rng)
    learner: Any = model.learner
    chances = np.asarray(learner.predict_many([learner.nodes[int(i)] for i in places]).probabilities)
    classes = max(len(model.ledger.classes), 1)
    best = np.nan_to_num(chances, nan=1.0 / classes).max(axis=1, initial=0.0)
    if not isinstance(learner, LocalLGC):
        best = np.clip(best, 1.0 / classes, 1.0)
    return float(np.mean(1.0 - best))


def _sampled(open_: Bools, most: int, rng: np.random.Generator) -> Any:
    """Positions of open nodes, drawn without looking at all of them where there are many."""
    n = len(open_)
    if n > LARGE:
        drawn = np.unique(rng.integers(0, n, 8 * most))
        places = drawn[open_[drawn]]
        if len(places) >= most:
            return rng.permutation(places)[:most]
    places = np.flatnonzero(open_)
    return places if len(places) <= most else rng.choice(places, most, replace=False)
