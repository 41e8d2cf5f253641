"""Active learning: a phase in which the learner picks what to ask, then the online game."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ohmline.arrays import Ints
from ohmline.checks import count, flag, generator, listed, shown
from ohmline.errors import LabelError, LearnerError, OhmlineError, ParameterError, ShapeError
from ohmline.game.loop import Log
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.contract import OnlineLearner, expect_learner
from ohmline.learn.labels import plain_label
from ohmline.query.pool import PoolQuery, open_positions

Oracle = Callable[[Any], Any] | Mapping[Any, Any] | Sequence[Any]


def play_active(
    learner: OnlineLearner[Any, Any],
    pool: Iterable[Hashable],
    labels: Oracle,
    query: PoolQuery,
    *,
    selections: int,
    stream: Stream | Iterable[tuple[Any, Any]] | None = None,
    aggressive_suffix: bool = False,
    seed: int = 0,
) -> Trace:
    """Let a query choose which nodes of a pool to label, then play the rest online (paper 000, section 5).

    A learner that can be aggressive (`Projection`) is aggressive while the labels are chosen.

    Parameters
    ----------
    learner
        An online learner over the nodes of a graph.
    pool
        The nodes to choose from, each listed once.
    labels
        Tells the label of a node when it is asked for: a function of the node, a mapping, or a sequence in the
        order of the pool. A chosen node must have a label.
    query
        What chooses: `MaxProgress()`, `MinMargin()`, `Random()` or another `PoolQuery`.
    selections
        How many nodes are chosen, from 0 to the size of the pool; any number where the query may choose a node again.
    stream
        What is played after the selections, with every label asked for. None (default) plays the nodes of the pool
        that are left, in a random order.
    aggressive_suffix
        Whether a learner that can be aggressive stays so after the selections. False (default) is the paper's
        Act-st and Act-mu. Most of the drop in the mistakes after the selections comes from True, whichever query
        chooses.
    seed
        Draws the choices of `Random` and the order of the nodes that are left. Default 0.

    Returns
    -------
    Trace
        Both phases. `trace.selected` is the number of chosen trials: the A of Theorem 5.1, for
        `ProjectionBound(active=trace.selected)`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.graph.generate.line(30)
    >>> learner = ohm.Projection.one_proj(ohm.LaplacianKernel(line.graph))
    >>> trace = ohm.play_active(learner, range(30), line.labels, ohm.MaxProgress(), selections=4)
    >>> trace.selected, trace.nodes[:4], trace.future_mistakes(4)
    (4, (14, 20, 17, 15), 0)
    """
    expect_learner(learner)
    if not isinstance(query, PoolQuery):
        raise LearnerError(
            f"play_active takes a pool query (MaxProgress, MinMargin, Random), got {shown(query)}"
        )
    nodes = getattr(learner, "nodes", None)
    if not isinstance(nodes, NodeIndex):
        raise LearnerError(f"a pool needs a learner over the nodes of a graph, got {type(learner).__name__}")
    names = listed(pool, "pool")
    positions = nodes.positions(names)
    selections = count(selections, "selections")
    if flag(aggressive_suffix, "aggressive_suffix") and not _can_be_aggressive(learner):
        raise LearnerError(
            f"{type(learner).__name__} is never aggressive; drop aggressive_suffix=True, or use Projection"
        )
    ask = _oracle(labels, names, positions)
    _refuse_repeats(positions, nodes)
    if selections > len(names) and not (query.again and names):
        raise ParameterError(
            f"selections is {selections} and the pool has {len(names)} nodes; select at most that many"
        )
    rng = generator(seed)
    start = time.perf_counter()
    put_back, aggressive = learner.checkpoint(), getattr(learner, "aggressive", None)
    try:
        _set_aggressive(learner, True)
        chosen = _select(learner, nodes, positions, ask, query, selections, rng)
        _set_aggressive(learner, aggressive_suffix)
        if stream is None:
            left = [nodes[int(i)] for i in rng.permutation(positions[~np.isin(positions, chosen.taken)])]
            stream = Stream(left, [ask(x) for x in left])
        rest = play(learner, stream)
    except BaseException as error:
        if isinstance(aggressive, bool):
            _set_aggressive(learner, aggressive)
        if isinstance(error, OhmlineError):
            put_back()
        raise
    return _joined(chosen, rest, selections, time.perf_counter() - start)


class _Chosen:
    """The trials of the selection phase."""

    def __init__(self) -> None:
        self.taken: list[int] = []
        self.trials: list[tuple[Any, Any]] = []
        self.rows: list[tuple[Any, float, float, bool, float]] = []


def _select(
    learner: OnlineLearner[Any, Any],
    nodes: NodeIndex,
    positions: Ints,
    ask: Callable[[Any], Any],
    query: PoolQuery,
    selections: int,
    rng: np.random.Generator,
) -> _Chosen:
    chosen, open_ = _Chosen(), open_positions(len(nodes), positions)
    for _ in range(selections):
        i = query.choose(learner, open_, rng)
        x = nodes[i]
        y = ask(x)
        if y is None:
            raise LabelError(f"no label came for node {shown(x)}, which was chosen; leave it out of the pool")
        view, variance = learner.view_one(x), learner.variance_one(x)
        update = learner.learn_one(x, y)
        chosen.taken.append(i)
        chosen.trials.append((x, y))
        chosen.rows.append((view.prediction, view.margin, variance, update.updated, update.progress))
        open_[i] = query.again
    return chosen


def _joined(chosen: _Chosen, rest: Trace, selections: int, seconds: float) -> Trace:
    """One trace of both phases, under one table of prediction codes."""
    code_of: dict[Any, int] = {label: code for code, label in rest.meaning.items()}
    for row in chosen.rows:
        code_of.setdefault(row[0], max(code_of.values(), default=-1) + 1)
    log = Log.empty(selections + len(rest))
    for t, (prediction, margin, variance, updated, progress) in enumerate(chosen.rows):
        log.prediction[t], log.margin[t], log.variance[t] = code_of[prediction], margin, variance
        log.asked[t], log.updated[t], log.progress[t] = True, updated, progress
    for column, part in zip(log, rest.log, strict=True):
        column[selections:] = part
    stream = Stream(
        [*(x for x, _ in chosen.trials), *rest.nodes],
        [*(y for _, y in chosen.trials), *rest.labels],
        revealed=[*(True for _ in chosen.trials), *rest.stream.revealed],
    )
    meaning = {code: label for label, code in code_of.items()}
    return Trace(rest.learner, stream, meaning, log, seconds, selected=selections)


def _oracle(labels: Oracle, names: list[Any], positions: Ints) -> Callable[[Any], Any]:
    if callable(labels):
        return labels
    if isinstance(labels, Mapping):
        return labels.get
    given = listed(labels, "labels")
    if len(given) != len(positions):
        raise ShapeError(
            f"the pool has {len(positions)} nodes and labels {len(given)} entries; give one per node, "
            "in the order of the pool"
        )
    table = [plain_label(y) for y in given]
    return dict(zip(names, table, strict=True)).get


def _refuse_repeats(positions: Ints, nodes: NodeIndex) -> None:
    found, times = np.unique(positions, return_counts=True)
    if np.any(times > 1):
        raise ParameterError(
            f"node {shown(nodes[int(found[times > 1][0])])} is in the pool {int(times.max())} times; "
            "list every node once"
        )


def _can_be_aggressive(learner: OnlineLearner[Any, Any]) -> bool:
    return isinstance(getattr(learner, "aggressive", None), bool)


def _set_aggressive(learner: Any, value: bool) -> None:
    if _can_be_aggressive(learner):
        learner.aggressive = value
