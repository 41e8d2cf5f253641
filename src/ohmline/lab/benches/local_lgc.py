"""LocalLGC's time per trial: against refitting, the plain push, FastONL's push, and the memory's floor."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from ohmline import data
from ohmline.arrays import Ints
from ohmline.compiled import compiled
from ohmline.game import Stream, play
from ohmline.graph import Graph, knn
from ohmline.lab.bench import Bench, Measured, fastest, side_by_side, target
from ohmline.lab.benches import fastonl
from ohmline.lab.benches.five_arrays import play_arrays
from ohmline.lab.benches.large_graphs import hubs
from ohmline.lab.experiments.frontier_cases import Case
from ohmline.learn import LocalLGC
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.local_solve import UNLIMITED, push
from ohmline.learn.local_lgc.scratch import LocalSolve, begin
from ohmline.learn.local_lgc.state import LocalState, first_two
from ohmline.learn.local_lgc.step import learn_class, look_at
from ohmline.learn.local_lgc.sweeps import SWEEPS

PLAIN = 1e-4
"""The tolerance of the plain push."""
FEW_MICROSECONDS = 10.0
"""That a trial may take with defaults, on a quiet machine."""
ALPHA = 0.8
"""LabelSpreading's clamping factor: its best in this protocol."""


def cases() -> list[tuple[str, Graph, Ints, float | None]]:
    """Name, graph, labels and the wanted ratio to refitting; digits where neither citation graph is here."""
    found: list[tuple[str, Graph, Ints, float | None]] = []
    for name, least in (("cora", 150.0), ("pubmed", 800.0)):
        if data.is_here(name):
            part = data.load(name).largest_component()
            found.append((name, part.graph, part.codes, least))
    if not found:
        digits = data.load("digits")
        found.append(("digits, 10 neighbours", knn(digits.points, 10), digits.labels, None))
    return found


@compiled
def play_plain(
    adjacency: Adjacency,
    nodes: Any,
    solve: LocalSolve,
    order: Ints,
    truth: Ints,
    known: Ints,
) -> int:
    """The same game with b'x alone for a score, to a fixed tolerance; the number of mistakes."""
    mistakes = 0
    score = np.zeros(solve.score.shape[0])
    for t in order:
        begin(adjacency, nodes, solve, t)
        push(adjacency, nodes, solve, PLAIN, UNLIMITED, UNLIMITED)
        score[:] = 0.0
        for a in range(solve.found[0].touched):
            j = solve.touched[a]
            if nodes[j].label >= 0:
                score[nodes[j].label] += nodes[j].x
        mistakes += first_two(score, known)[0] != truth[t]
        nodes[t].label = truth[t]
        nodes[t].q += 1 / adjacency.mu
    return mistakes


@compiled
def count_edges(adjacency: Adjacency, state: LocalState, order: Ints, truth: Ints) -> int:
    """How many edges a whole game touches."""
    edges = 0
    for t in order:
        look_at(adjacency, state, t)
        edges += state.solve.found[0].edges
        learn_class(adjacency, state, t, truth[t])
    return edges


@compiled
def chase(following: Ints, steps: int) -> int:
    """Follow a chain in memory, where each access waits for the one before."""
    place = 0
    for _ in range(steps):
        place = following[place]
    return place


def access_seconds(size: int) -> float:
    """The time of one random access to a working set of `size` bytes."""
    following, steps = ring_of_accesses(size), 1_000_000
    chase(following, 10)
    return fastest(lambda: chase(following, steps)) / steps


def ring_of_accesses(size: int) -> Ints:
    """For each place in `size` bytes the one that comes after it, in random order and round."""
    length = max(size // 8, 2)
    order = np.random.default_rng(0).permutation(length)
    following: Ints = np.empty(length, np.int64)
    following[order] = np.roll(order, -1)
    return following


def refit_seconds(graph: Graph, labels: Ints, order: Ints) -> float:
    """One refit of LabelSpreading on the sparse graph, a mean over the course of the game.

    It keeps its default of at most 30 iterations, which favours it where they do not suffice.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.semi_supervised import LabelSpreading

    affinity = sparse.csr_matrix(graph.adjacency)
    places = np.arange(graph.n)[:, None]
    seconds = []
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        seen = np.full(graph.n, -1)
        first = order[: int(share * graph.n)]
        seen[first] = labels[first]
        model = LabelSpreading(kernel=lambda x, y=None: affinity, alpha=ALPHA)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            seconds.append(fastest(lambda m=model, s=seen: m.fit(places, s), repeat=2))  # type: ignore[misc]
    return float(np.mean(seconds))


def one_graph(name: str, graph: Graph, labels: Ints, least: float | None) -> dict[str, Any]:
    """All figures of one graph."""
    n, classes = graph.n, int(labels.max()) + 1
    order = np.random.default_rng(0).permutation(n)
    stream = Stream(order, labels[order])
    ids = list(range(classes))

    def ours() -> Any:
        return play(LocalLGC(numbered, ids), stream)

    def plain() -> int:
        learner = LocalLGC(numbered, ids)
        state, known = learner.state, np.arange(classes)
        return play_plain(learner.space, state.nodes, state.solve, order, labels, known)

    numbered = Graph.from_scipy(graph.adjacency)
    error, plain_error = ours().error_rate, plain() / n
    seconds, plain_seconds = side_by_side(ours, plain, repeat=5)
    refit = refit_seconds(numbered, labels, order)
    counted = LocalLGC(numbered, ids)
    edges = count_edges(counted.space, counted.state, order, labels) / n
    # Each touched edge reads a neighbour, its weight, and what is kept at the far end.
    size = 16 * len(graph.indices) + 40 * n + counted.state.estimate.nbytes
    access = access_seconds(size)
    refits, pushes = refit / (seconds / n), plain_seconds / seconds
    return {
        "microseconds_a_trial": 1e6 * seconds / n,
        "mistake_rate": error,
        "edges_a_trial": edges,
        "floor_microseconds": 1e6 * edges * access,
        "nanoseconds_a_random_access": 1e9 * access,
        "refit_milliseconds": 1e3 * refit,
        "ratio_to_refitting": refits,
        "plain_push_microseconds": 1e6 * plain_seconds / n,
        "plain_push_mistake_rate": plain_error,
        "ratio_to_plain_push": pushes,
        "targets": [
            target(f"{name}: refitting / ours", refits, least=least),
            target(f"{name}: plain push / ours", pushes, least=8.0),
            target(f"{name}: microseconds a trial", 1e6 * seconds / n, most=FEW_MICROSECONDS),
            target(f"{name}: mistake rate above the plain push's", error - plain_error, most=0.006),
        ],
    }


def large_graph(n: int = 1_000_000, trials: int = 100_000, repeat: int = 2) -> dict[str, Any]:
    """The first trials on a large graph of hubs, beside the same push over five arrays, without caps and sweeps."""
    graph, signs = hubs(n)
    labels = (signs + 1) // 2
    order = np.random.default_rng(1).permutation(n)[:trials]
    stream, mistakes, mu = Stream(order, labels[order]), [0, 0], LocalLGC(graph).mu

    def ours() -> None:
        mistakes[0] = play(LocalLGC(graph, [0, 1], sweeps=SWEEPS), stream).mistakes

    def arrays() -> None:
        mistakes[1] = play_arrays(graph.indptr, graph.indices, order, labels, 2, mu)

    play_arrays(graph.indptr, graph.indices, order[:1], labels, 2, mu)
    play(LocalLGC(graph, [0, 1], sweeps=SWEEPS), Stream(order[:1], labels[order[:1]]))
    seconds, reference = side_by_side(ours, arrays, repeat=repeat)
    return {
        "nodes": n,
        "trials": trials,
        "microseconds_a_trial": 1e6 * seconds / trials,
        "mistakes": mistakes[0],
        "five_arrays_microseconds": 1e6 * reference / trials,
        "five_arrays_mistakes": mistakes[1],
        "ratio_to_five_arrays": reference / seconds,
        "targets": [
            target("hubs: microseconds a trial", 1e6 * seconds / trials, most=60.0),
            target("hubs: five arrays / ours", reference / seconds, least=2.0),
            target("hubs: mistakes above five arrays'", mistakes[0] - mistakes[1], most=0),
        ],
    }


def measure(
    graphs: list[tuple[str, Graph, Ints, float | None]], rivals: list[Case], large: dict[str, Any]
) -> Measured:
    """All figures: of each graph, of each graph beside FastONL's push, and those of a large graph, as they are."""
    found = {name: one_graph(name, graph, labels, least) for name, graph, labels, least in graphs}
    beside = {case.name: fastonl.measure(case) for case in rivals}
    every = (*found.values(), *beside.values(), large)
    targets = [line for figures in every for line in figures.pop("targets")]
    return Measured(
        "local-lgc",
        min(figures["ratio_to_refitting"] for figures in found.values()),
        "refitting scikit-learn's LabelSpreading (sparse affinity) on every trial",
        {**found, "fastonl": beside, "hubs": large, "targets": targets},
    )


def local_lgc() -> Measured:
    """A trial of LocalLGC with its defaults; the ratio is the smallest one to refitting.

    Under `fastonl` are its mistakes and its time beside FastONL's push, as `ohmline bench fastonl` measures them.
    """
    return measure(cases(), fastonl.cases(), large_graph())


BENCHES: dict[str, Bench] = {"local-lgc": local_lgc}
