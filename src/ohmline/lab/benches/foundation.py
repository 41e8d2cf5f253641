"""The foundation's figures: the compiled game, one event from Python, the exact kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline import data
from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, dot
from ohmline.errors import DataError
from ohmline.game import Stream, play
from ohmline.graph import Graph
from ohmline.kernel import LaplacianKernel, SpectralKernel
from ohmline.lab.bench import Bench, Measured, side_by_side, target
from ohmline.learn import Perceptron

RANK = 100


def citations() -> tuple[str, Graph, Ints]:
    """PubMed with one class against the rest, or a generated graph of its size where it is not here."""
    if data.is_here("pubmed"):
        try:
            pubmed = data.load("pubmed")
            return "pubmed", pubmed.graph, pubmed.signs("Type1").astype(np.int64)
        except DataError:
            pass
    graph, labels = _block_model()
    return "a block model of PubMed's size", graph, labels


def _block_model(n: int = 19717, edges: int = 44324) -> tuple[Graph, Ints]:
    """Two groups; four edges in five stay inside one; a path through all keeps it connected."""
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(n) < n // 2, 1, -1)
    source = rng.integers(0, n, 2 * edges)
    other = rng.integers(0, n, 2 * edges)
    keep = (labels[source] == labels[other]) | (rng.random(2 * edges) < 0.25)
    pairs = np.stack([source, other], axis=1)[keep & (source != other)][: edges - n]
    path = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    return Graph.from_edges(np.concatenate([pairs, path])), labels


def literal_play(rows: Floats, order: Ints, labels: Ints) -> int:
    """The perceptron as a NumPy loop, as its box is written."""
    w, mistakes = np.zeros(rows.shape[1]), 0
    for i in order:
        y = labels[i]
        if y * (w @ rows[i]) <= 0:
            w = w + y * rows[i]
            mistakes += 1
    return mistakes


@compiled
def bare_dots(rows: Floats, order: Ints, w: Floats, out: Floats) -> None:
    """The floor: one dot product per trial over the same rows in the same order, and nothing else."""
    for t in range(order.shape[0]):
        out[t] = dot(rows[order[t]], w, w.shape[0])


def play_perceptron() -> Measured:
    """The compiled game of the perceptron at rank 100 against a literal loop and a bare loop."""
    name, graph, labels = citations()
    kernel = SpectralKernel(graph, rank=RANK)
    rows = kernel.space.rows
    order = np.random.default_rng(0).permutation(graph.n)
    stream = Stream(order, labels[order])
    w, out = rows[0].copy(), np.empty(graph.n)
    trace = play(Perceptron(kernel), stream)
    bare_dots(rows, order, w, out)
    ours, bare = side_by_side(
        lambda: play(Perceptron(kernel), stream), lambda: bare_dots(rows, order, w, out), repeat=40
    )
    literal = side_by_side(lambda: literal_play(rows, order, labels), repeat=3)[0]
    return Measured(
        "play-perceptron",
        literal / ours,
        "a literal NumPy loop of the same perceptron",
        {
            "data": name,
            "rank": RANK,
            "trials": graph.n,
            "charged": int(trace.charged.sum()),
            "charged_by_the_literal_loop": literal_play(rows, order, labels),
            "seconds": ours,
            "reference_seconds": literal,
            "bare_dot_loop_seconds": bare,
            "times_the_bare_loop": ours / bare,
            "nanoseconds_a_trial": 1e9 * ours / graph.n,
            "targets": [
                target("at least 30 times a literal NumPy loop", literal / ours, least=30),
                target("at most 2 times a bare compiled loop of dot products", ours / bare, most=2),
            ],
        },
    )


def event() -> Measured:
    """One prediction and one step from Python, at rank 100."""
    rng = np.random.default_rng(0)
    ring = Graph.from_edges(np.stack([np.arange(2000), (np.arange(2000) + 1) % 2000], axis=1))
    kernel = SpectralKernel(ring, rank=RANK)
    learner = Perceptron(kernel)
    nodes = rng.integers(0, 2000, 2000).tolist()
    labels = np.where(rng.random(2000) < 0.5, 1, -1).tolist()
    trials = list(zip(nodes, labels, strict=True))
    a, b = rng.standard_normal((2, RANK))

    def ours() -> None:
        for x, y in trials:
            learner.predict_one(x)
            learner.learn_one(x, y)

    def empty_calls() -> None:
        for x, y in trials:
            _nothing(x, y)

    def numpy_dots() -> None:
        for _ in trials:
            np.dot(a, b)

    def numpy_events() -> None:
        rows, w = kernel.space.rows, np.zeros(RANK)
        for x, y in trials:
            _ = 1 if w @ rows[x] >= 0 else -1
            if y * (w @ rows[x]) <= 0:
                w += y * rows[x]

    ours()
    both, empty, dots, literal = (
        1e6 * seconds / len(trials)
        for seconds in side_by_side(ours, empty_calls, numpy_dots, numpy_events, repeat=20)
    )
    return Measured(
        "event",
        literal / both,
        "the same prediction and step written with NumPy",
        {
            "rank": RANK,
            "microseconds_an_event": both,
            "microseconds_of_an_empty_call": empty,
            "microseconds_of_numpy_dot": dots,
            "reference_microseconds": literal,
            "targets": [target("at most 10 microseconds for predict_one and learn_one", both, most=10)],
        },
    )


def _nothing(x: Any, y: Any) -> None:
    """An empty call."""


def kernel_exact() -> Measured:
    """L+ at n = 2000 against NumPy's pseudoinverse."""
    n = 2000
    rng = np.random.default_rng(0)
    path = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    extra = rng.integers(0, n, (4 * n, 2))
    graph = Graph.from_edges(np.concatenate([path, extra[extra[:, 0] != extra[:, 1]]]))
    laplacian = graph.laplacian().toarray()
    ours, reference = side_by_side(
        lambda: LaplacianKernel(graph).space, lambda: np.linalg.pinv(laplacian, hermitian=True), repeat=3
    )
    inverse = LaplacianKernel(graph).space.matrix
    centred = np.eye(n) - 1 / n
    residual = float(np.abs(laplacian @ inverse - centred).max())
    return Measured(
        "kernel-exact",
        reference / ours,
        "numpy.linalg.pinv(L, hermitian=True)",
        {
            "n": n,
            "edges": graph.n_edges,
            "seconds": ours,
            "reference_seconds": reference,
            "residual": residual,
            "residual_of_the_reference": float(
                np.abs(laplacian @ np.linalg.pinv(laplacian, hermitian=True) - centred).max()
            ),
            "targets": [target("at least 4 times numpy.linalg.pinv", reference / ours, least=4)],
        },
    )


BENCHES: dict[str, Bench] = {
    "play-perceptron": play_perceptron,
    "event": event,
    "kernel-exact": kernel_exact,
}
