"""Every theorem under attack: weights over twelve orders of magnitude, bridges, repeated and noisy labels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline import bound
from ohmline.errors import ConflictingLabels, ParameterError
from ohmline.learn.projection import Contradiction

BOUNDS: list[bound.Bound] = [
    bound.PerceptronBound(),
    bound.PerceptronBound(bound.Fit.MISTAKEN),
    bound.GraphPerceptronBound(),
    bound.ProjectionBound(),
    bound.PartitionBound(),
    bound.PounceBound(),
    bound.PounceBound(bound.Fit.MISTAKEN),
    bound.OnlineLGCBound(),
    bound.OnlineLGCRegret(),
    bound.EmbeddingBound(),
    bound.HalvingBound(),
    bound.SelectiveRegret(),
    bound.MarginBound(0.9),
]


def hostile_graph(rng: np.random.Generator) -> ohm.Graph:
    """A few clusters, or a path, or a tree, with bridges of almost nothing and weights over twelve orders."""
    n, shape = int(rng.integers(2, 14)), int(rng.integers(4))
    span = float(rng.choice([0.0, 2.0, 6.0]))
    edges: dict[tuple[int, int], float] = {}
    for k in range(1, n):
        to = k - 1 if shape == 0 else int(rng.integers(k))
        edges[to, k] = 10.0 ** rng.uniform(-span, span)
    if shape >= 2:
        for i, j in rng.integers(0, n, (2 * n, 2)).tolist():
            if i < j:
                edges[i, j] = 10.0 ** rng.uniform(-span, span)
    if shape == 3:  # two halves and a bridge
        half = n // 2
        edges = {pair: w for pair, w in edges.items() if (pair[0] < half) == (pair[1] < half)}
        if half:
            edges[half - 1, n - 1] = float(rng.choice([1e-9, 1e-6, 1e-12]))
    return ohm.Graph.from_edges([(i, j, w) for (i, j), w in edges.items()], nodes=range(n))


def hostile_stream(rng: np.random.Generator, graph: ohm.Graph) -> tuple[ohm.Stream, np.ndarray]:
    labels = np.where(rng.random(graph.n) < 0.5, 1, -1)
    if rng.random() < 0.5:
        labels = np.where(np.arange(graph.n) < rng.integers(0, graph.n + 1), 1, -1)
    nodes = rng.integers(0, graph.n, int(rng.integers(1, 40)))
    said = labels[nodes]
    if rng.random() < 0.3:
        said = np.where(rng.random(len(nodes)) < 0.2, -said, said)
    return ohm.Stream(nodes, said), labels


def learners(rng: np.random.Generator, graph: ohm.Graph) -> Iterator[Any]:
    laplacian = ohm.LaplacianKernel(graph)
    biased = laplacian + ohm.Constant(float(10.0 ** rng.uniform(-3, 9)))
    ridged = biased + ohm.Ridge(float(10.0 ** rng.uniform(-6, 2)))
    kernel = [biased, ridged, laplacian, float(10.0 ** rng.uniform(-5, 5)) * biased][int(rng.integers(4))]
    yield ohm.Perceptron(kernel)
    yield ohm.Pounce([laplacian, biased, ridged][int(rng.integers(3))])
    relabel = Contradiction.RELABEL
    make = [ohm.Projection.one_proj, ohm.Projection.c_proj, ohm.Projection.min_norm][int(rng.integers(3))]
    yield make(kernel, contradiction=relabel)
    if graph.n > 2:
        yield ohm.OnlineLGC(
            ohm.SpectralKernel(graph, rank=int(rng.integers(1, graph.n))),
            mu=float(10.0 ** rng.uniform(-4, 1)),
        )
    if np.all(graph.weights == 1):
        yield ohm.Halving(graph, int(rng.integers(1, 4)), width_limit=12)
    with suppress(ParameterError):  # of a mu that rounding would swallow
        yield ohm.OnlineLGC(
            biased, float(10.0 ** rng.uniform(-4, 4)), mistake_driven=bool(rng.random() < 0.5)
        )
    points = rng.normal(size=(graph.n, 2)).round(1)
    yield ohm.Pounce(ohm.ExponentialEmbedding(points, a=float(rng.choice([1.0, 30.0, 3000.0, np.inf]))))


def attack(seed: int) -> int:
    """How many certificates one hostile game of every learner gave, none of them beaten."""
    rng, count = np.random.default_rng(seed), 0
    graph = hostile_graph(rng)
    for learner in learners(rng, graph):
        stream, labels = hostile_stream(rng, graph)
        query = ohm.RandomRate(0.5) if rng.random() < 0.2 else ohm.Always()
        try:
            trace = ohm.play(learner, stream, query, seed=seed)
        except ConflictingLabels:  # halving refuses what no labelling of its class can say
            continue
        for theorem in BOUNDS:
            for comparator in (None, labels):
                try:
                    certificate = theorem.certify(trace, comparator)
                except ohm.OhmlineError:
                    continue
                count += 1
                assert not np.isnan(certificate.value)
                assert not certificate.beaten, f"seed {seed}: {learner!r} {theorem} {certificate}"
    return count


@pytest.mark.parametrize("block", range(4))
def test_no_certificate_is_beaten(block: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sum(attack(1000 * block + k) for k in range(30)) > 200


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
def test_twenty_thousand_certificates_are_not_beaten(block: int) -> None:
    assert sum(attack(100_000 + 1000 * block + k) for k in range(250)) > 2500
