"""An adversary: chooses the node and the label that make the learner err, while it still can."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ohmline.arrays import Floats, numbers
from ohmline.checks import count, listed
from ohmline.errors import LabelError, LearnerError, OhmlineError, ShapeError
from ohmline.game.loop import Log
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.contract import TIE, BinaryLearner


def play_adversary(learner: BinaryLearner[Any], concepts: Any, *, limit: int = 100_000) -> Trace:
    """Play `learner` against a greedy adversary bound to a class of labellings.

    In every trial the adversary considers the nodes on which the learner disagrees with some labelling still in play,
    or ties. It presents the one at which the label that contradicts the learner keeps the most labellings in play;
    among equals the most wrong one, then the first (at a tie, one labelled -1). A node may come up again. The game
    ends when no labelling in play disagrees with the learner anywhere; against a single labelling that means "present
    the most wrong node until there is none".

    Greedy is not the worst case, so the number of mistakes is a lower bound on what an adversary can force.

    Parameters
    ----------
    learner
        A binary learner over the nodes of a graph.
    concepts
        The labellings that the adversary may answer from: one labelling of the learner's nodes in -1 and +1, in their
        order, or a table with one labelling per row.
    limit
        The largest number of trials, at least 0. Default 100,000.

    Returns
    -------
    Trace
        Every trial of it is charged, so its length is the number of mistakes forced.

    Examples
    --------
    >>> import ohmline as ohm
    >>> barbell = ohm.graph.generate.barbell(6)
    >>> learner = ohm.Perceptron(ohm.LaplacianKernel(barbell.graph) + ohm.Constant(1.0))
    >>> play_adversary(learner, barbell.labels)
    Trace(2 trials, 2 mistakes, 2 labels asked)
    """
    nodes = getattr(learner, "nodes", None)
    if not isinstance(learner, BinaryLearner) or not isinstance(nodes, NodeIndex):
        raise LearnerError(
            f"the adversary needs a binary learner over the nodes of a graph, got {type(learner).__name__}"
        )
    table = _table(concepts, len(nodes))
    limit = count(limit, "limit")
    start = time.perf_counter()
    trials: list[tuple[Any, int]] = []
    columns: list[tuple[int, float, float, bool, bool, float]] = []
    put_back = learner.checkpoint()
    while len(trials) < limit:
        margins = np.array([learner.margin_one(node) for node in nodes])
        i, y = _worst(margins, table)
        if y == 0:
            break
        try:
            view, update = learner.view_one(nodes[i]), learner.learn_one(nodes[i], 1 if y > 0 else -1)
        except OhmlineError:
            put_back()
            raise
        columns.append(
            (int(view.prediction or 0), view.margin, np.nan, True, update.updated, update.progress)
        )
        trials.append((nodes[i], y))
        table = table[table[:, i] == y]
    log = Log.empty(len(trials))
    for column, values in zip(log, zip(*columns, strict=True), strict=False):
        column[:] = values
    stream = Stream([node for node, _ in trials], [y for _, y in trials])
    return Trace(learner, stream, {-1: -1, 1: 1}, log, time.perf_counter() - start)


def _worst(margins: Floats, table: Floats) -> tuple[int, int]:
    """The node and the label to give it; label 0 when the learner errs nowhere."""
    kept = np.stack([(table == -1).sum(axis=0), (table == 1).sum(axis=0)])
    wrongness = np.stack([margins, -margins])  # of the labels -1 and +1
    able = (kept > 0) & (wrongness >= 0)
    if not able.any():
        return 0, 0
    able &= kept == kept[able].max()
    # Equal up to rounding counts as equal, so that symmetric graphs give the same game everywhere.
    most = wrongness[able].max()
    able &= wrongness >= most - TIE * max(1.0, float(np.abs(margins).max()))
    if most <= 0 and able[0].any():
        able[1] = False  # a tie predicts +1, so only -1 is wrong in the user's eyes too
    i = int(np.flatnonzero(able.any(axis=0))[0])
    return i, -1 if able[0, i] else 1


def _table(concepts: Any, n: int) -> Floats:
    flat = not isinstance(concepts, np.ndarray) and not any(
        np.ndim(row) for row in listed(concepts, "concepts")
    )
    flat = flat or (isinstance(concepts, np.ndarray) and concepts.ndim == 1)
    table = np.atleast_2d(numbers(concepts, "concepts", 1 if flat else 2, "one labelling per row"))
    if table.shape[1] != n or not len(table):
        raise ShapeError(
            f"concepts must be labellings of all {n} nodes, one per row; got shape {table.shape}"
        )
    if not np.all(np.abs(table) == 1):
        raise LabelError("concepts must be -1 or +1 everywhere")
    return table
