"""FastONL: the online relaxation with columns of the kernel from local pushes (Zhou, Sun, Babanezhad, ICML 2023)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints, positive
from ohmline.checks import choice, generator, none_or, room, seed_of, shown
from ohmline.compiled import compiled, internal
from ohmline.errors import ParameterError
from ohmline.graph.graph import Graph
from ohmline.lab.rivals.relaxation import (
    Played,
    PushKernel,
    Trials,
    add_entry,
    expect_pushable,
    learn,
    new_game,
)


class PushGraph(NamedTuple):
    """What a push reads. `plain` gives (alpha I + D - W)^-1, otherwise alpha (I - (1 - alpha) W D^-1)^-1."""

    indptr: Ints
    indices: AnyArray
    weights: Floats
    """Empty where all are 1."""
    degree: Floats
    plain: bool
    alpha: float
    factor: float
    epsilon: float


class Work(NamedTuple):
    """What a push writes; all zero between pushes."""

    x: Floats
    r: Floats
    seen: Bools
    queued: Bools
    queue: Ints
    """A ring that holds every node at most once."""
    touched: Ints


@internal
def new_work(n: int) -> Work:
    return Work(
        np.zeros(n),
        np.zeros(n),
        np.zeros(n, np.bool_),
        np.zeros(n, np.bool_),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
    )


@internal
def forget(work: Work, j: int) -> None:
    """Clear what a push left at a node."""
    work.x[j] = work.r[j] = 0.0
    work.seen[j] = False


@internal
def between(graph: PushGraph, t: int, j: int) -> float:
    """What turns an entry of the pushed column of t, of the resolvent of W D^-1, into one of the symmetric kernel."""
    return 1.0 if graph.plain or j == t else np.sqrt(graph.degree[t] / graph.degree[j])


@internal
def push_column(graph: PushGraph, source: int, work: Work) -> tuple[int, int]:
    """One column, first in first out, until no residual exceeds epsilon times the degree; nodes and edges touched."""
    n, alpha, x, r = graph.degree.shape[0], graph.alpha, work.x, work.r
    r[source] = 1 / alpha if graph.plain else 1.0
    work.touched[0], work.queue[0] = source, source
    work.seen[source] = work.queued[source] = True
    count, edges, head, waiting = 1, 0, 0, 1
    while waiting > 0:
        u = work.queue[head]
        head = head + 1 if head + 1 < n else 0
        waiting -= 1
        work.queued[u] = False
        degree = graph.degree[u]
        if r[u] <= graph.epsilon * degree:
            continue
        left, r[u] = r[u], 0.0
        through = alpha + degree if graph.plain else degree
        moved = (left if graph.plain else (1 - alpha) * left) / through if through > 0 else 0.0
        x[u] += alpha * (moved if graph.plain else left)
        for p in range(graph.indptr[u], graph.indptr[u + 1]):
            k = graph.indices[p]
            r[k] += moved * graph.weights[p] if graph.weights.shape[0] else moved
            if not work.seen[k]:
                work.seen[k] = True
                work.touched[count] = k
                count += 1
            if not work.queued[k]:
                work.queued[k] = True
                tail = head + waiting
                work.queue[tail if tail < n else tail - n] = k
                waiting += 1
        edges += graph.indptr[u + 1] - graph.indptr[u]
    return count, edges


@compiled
def play_pushes(
    graph: PushGraph,
    order: Ints,
    truth: Ints,
    classes: int,
    dice: Floats,
    predictions: Ints,
) -> int:
    """A whole game; the number of edges touched. The work space is cleared where it was touched, and nowhere else."""
    n, edges = graph.degree.shape[0], 0
    work, game = new_work(n), new_game(n, classes)
    for trial in range(order.shape[0]):
        t = order[trial]
        count, read = push_column(graph, t, work)
        edges += read
        game.v[:] = 0.0
        own = graph.factor * work.x[t]
        for a in range(count):
            j = work.touched[a]
            if game.known[j]:
                add_entry(game, j, graph.factor * between(graph, t, j) * work.x[j])
            forget(work, j)
        predictions[trial] = learn(game, t, own, truth[t], dice[trial])
    return edges


@compiled
def gather_columns(
    graph: PushGraph, first: int, starts: Ints, places: AnyArray, entries: Floats, edges: Ints
) -> int:
    """Write the columns of nodes from `first` on, until one does not fit; the node to go on with."""
    n = graph.degree.shape[0]
    work = new_work(n)
    for t in range(first, n):
        count, edges[t] = push_column(graph, t, work)
        place = starts[t]
        fits = place + count <= places.shape[0]
        for a in range(count):
            j = work.touched[a]
            if fits and work.x[j] > 0:
                places[place] = j
                entries[place] = graph.factor * between(graph, t, j) * work.x[j]
                place += 1
            forget(work, j)
        if not fits:
            return t
        starts[t + 1] = place
    return n


@compiled
def play_columns(
    starts: Ints,
    places: AnyArray,
    entries: Floats,
    order: Ints,
    truth: Ints,
    classes: int,
    dice: Floats,
    predictions: Ints,
) -> None:
    """The same game with columns that were pushed before."""
    game = new_game(starts.shape[0] - 1, classes)
    for trial in range(order.shape[0]):
        t, own = order[trial], 0.0
        game.v[:] = 0.0
        for p in range(starts[t], starts[t + 1]):
            j = places[p]
            if game.known[j]:
                add_entry(game, j, entries[p])
            elif j == t:
                own = entries[p]
        predictions[trial] = learn(game, t, own, truth[t], dice[trial])


@dataclass(frozen=True, slots=True)
class Columns:
    """All columns of a kernel on one graph: they do not depend on the labels, so that many games can share them."""

    setting: FastONL
    graph: Graph
    starts: Ints
    places: AnyArray
    entries: Floats
    edges: Ints
    """How many edges the push of each column touched."""


@dataclass(frozen=True, slots=True)
class FastONL:
    """FastONL with one kernel and one lambda, every label revealed.

    The paper draws its predictions from the distribution q; its published code takes the largest entry, which errs
    less, and so do we unless a seed for the draws is given. A class that no label speaks for loses to the others, and
    among equal chances the first class wins.

    Parameters
    ----------
    kernel
        Which kernel. Default `PushKernel.LAPLACIAN`.
    share
        lambda, as a multiple of the number of nodes, above 0; with `PushKernel.DAMPED` at most 1. Default 1.
    epsilon
        A push ends when no residual exceeds this many times the degree, above 0. Default 1e-5.
    draws
        The seed of random predictions; None (default) predicts the class of the largest chance.

    Examples
    --------
    >>> from ohmline import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
    >>> FastONL().play(path, [0, 5, 1, 4, 2, 3], [0, 0, 0, 1, 1, 1]).predictions
    array([0, 0, 0, 1, 0, 0])

    References
    ----------
    Zhou, Sun, Babanezhad, Fast Online Node Labeling for Very Large Graphs, ICML 2023.
    """

    kernel: PushKernel = PushKernel.LAPLACIAN
    share: float = 1.0
    epsilon: float = 1e-5
    draws: int | None = None

    def __post_init__(self) -> None:
        choice(self.kernel, PushKernel, "kernel")
        positive(self.share, "share")
        if self.kernel is PushKernel.DAMPED and self.share > 1:
            raise ParameterError(
                f"share must be at most 1 with PushKernel.DAMPED, got {shown(self.share)}; "
                f"PushKernel.NORMALISED with share {1 / self.share:g} is the same kernel"
            )
        positive(self.epsilon, "epsilon")
        none_or(seed_of, self.draws, "draws")

    def columns(self, graph: Graph, *, most: float = 1e9) -> Columns | None:
        """Push every column, for games in many orders; None where they would need more than `most` bytes.

        Parameters
        ----------
        graph
            The graph, without negative weights.
        most
            How many bytes they may take.
        """
        expect_pushable(graph)
        positive(most, "most")
        reads, starts = self._reads(graph), np.zeros(graph.n + 1, np.int64)
        edges, done, length = np.zeros(graph.n, np.int64), 0, 64 * graph.n + 1024
        places, entries = np.empty(0, np.int32), np.empty(0)
        while done < graph.n:
            if 12.0 * length > most:
                return None
            room(24.0 * length, f"the columns of {graph.n} nodes", "take a larger epsilon")
            places, entries = extended(places, length), extended(entries, length)
            done = gather_columns(reads, done, starts, places, entries, edges)
            length = max(
                int(1.3 * length), int(1.1 * starts[done] * graph.n / max(done, 1)), starts[done] + graph.n
            )
        return Columns(self, graph, starts, places, entries, edges)

    def play(
        self,
        graph: Graph,
        order: Any,
        labels: Any,
        classes: int | None = None,
        *,
        columns: Columns | None = None,
    ) -> Played:
        """Play the nodes in turn: predict, reveal, learn.

        Parameters
        ----------
        graph
            The graph, without negative weights.
        order
            The positions of the nodes to play, each at most once.
        labels
            The class of every node, as a number from 0.
        classes
            How many classes there are. None (default) for one more than the largest label.
        columns
            What `columns(graph)` gave, so that nothing is pushed; the game is the same. None (default) pushes.
        """
        trials = Trials.of(graph, order, labels, classes)
        if columns is not None and (columns.setting != self or columns.graph is not graph):
            raise ParameterError("columns must be those of this setting and this graph; make them again")
        reads = self._reads(graph)
        length = len(trials.order)
        dice = np.full(length, -1.0) if self.draws is None else generator(self.draws).random(length)
        predictions = np.empty(length, np.int64)
        game = (trials.order, trials.truth, trials.classes, dice, predictions)
        start = time.perf_counter()
        if columns is None:
            edges = play_pushes(reads, *game)
        else:
            play_columns(columns.starts, columns.places, columns.entries, *game)
            edges = int(columns.edges[trials.order].sum())
        seconds = time.perf_counter() - start
        wrong = int((predictions != trials.truth[trials.order]).sum())
        return Played(predictions, wrong, int(edges), seconds)

    def _reads(self, graph: Graph) -> PushGraph:
        alpha, factor = self.kernel.constants(self.share, graph.n)
        return PushGraph(
            graph.indptr,
            graph.indices,
            np.empty(0) if graph.is_unweighted else graph.weights,
            graph.degree,
            self.kernel is PushKernel.LAPLACIAN,
            float(alpha),
            float(factor),
            float(self.epsilon),
        )


def extended(array: AnyArray, length: int) -> AnyArray:
    """A longer copy, whose end is not yet written."""
    longer = np.empty(length, array.dtype)
    longer[: len(array)] = array
    return longer
