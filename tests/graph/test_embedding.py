"""The exponential embedding: exact networks of powers of two, the limit tree, and POUNCE on both."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csgraph
from scipy.spatial.distance import cdist

import ohmline as ohm
import rational
from ohmline.errors import GraphError, OhmlineError, ParameterError, ShapeError, UnknownNode, WeightError
from ohmline.graph.generate import strips, two_moons
from ohmline.graph.spanning import below, largest_edge, spanning_forest
from small_games import assert_same_game

SHARPNESS = [1, 12, 150]
"""a = ln 2 times this makes every conductance a power of two, so the oracle is exact."""


def integer_distances(rng: np.random.Generator, n: int, *, distinct: bool) -> np.ndarray:
    upper = np.triu_indices(n, 1)
    pool = np.arange(1, n * n)
    values = (
        rng.choice(pool, size=len(upper[0]), replace=False) if distinct else rng.integers(1, 5, len(upper[0]))
    )
    distances = np.zeros((n, n))
    distances[upper] = values
    return distances + distances.T


def exact_conductance(distances: np.ndarray, sharpness: int) -> rational.Matrix:
    return [
        [Fraction(0) if i == j else Fraction(1, 2 ** (sharpness * int(d))) for j, d in enumerate(row)]
        for i, row in enumerate(distances)
    ]


def log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


@pytest.mark.parametrize(
    ("sharpness", "distinct"),
    [*((s, d) for s in SHARPNESS for d in (False, True)), (1847, False), (7387, False)],  # a up to 5120
)
def test_voltages_and_resistances_are_exact_at_every_a(sharpness: int, distinct: bool) -> None:
    rng = np.random.default_rng(sharpness)
    for _ in range(4):
        n = int(rng.integers(2, 7))
        distances = integer_distances(rng, n, distinct=distinct)
        embedding = ohm.ExponentialEmbedding.from_distances(distances, math.log(2) * sharpness)
        gram = rational.grounded_kernel(exact_conductance(distances, sharpness), ground=1)
        resistance = [gram[k][k] for k in range(n)]
        unit = log(Fraction(2) ** (sharpness * int(distances[distances > 0].min())))
        found = embedding.log_resistances(1)
        assert found[1] == -math.inf
        for k in range(n):
            if k != 1:
                assert found[k] == pytest.approx(log(resistance[k]) - unit, rel=1e-12, abs=1e-11)
        phi = embedding.voltages(0, 1)
        exact = [float(gram[k][0] / gram[0][0]) for k in range(n)]
        np.testing.assert_allclose(phi, exact, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("sharpness", SHARPNESS)
@pytest.mark.parametrize("distinct", [False, True])
def test_pounce_equals_its_box_in_exact_arithmetic(sharpness: int, distinct: bool) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 7))
        distances = integer_distances(rng, n, distinct=distinct)
        trials = [(int(i), int(rng.choice([-1, 1]))) for i in rng.integers(n, size=2 * n)]
        conductance = exact_conductance(distances, sharpness)
        largest = max(max(row) for row in conductance)
        scaled = [[c / largest for c in row] for row in conductance]
        oracle = rational.pounce(rational.grounded_kernel(scaled), [0] * n, trials, tie=Fraction(1, 10**9))
        embedding = ohm.ExponentialEmbedding.from_distances(distances, math.log(2) * sharpness)
        assert_same_game(ohm.play(ohm.Pounce(embedding), trials), oracle)


def test_the_limit_is_that_of_ever_sharper_embeddings() -> None:
    agreed = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 7))
        distances = integer_distances(rng, n, distinct=True)
        trials = [(int(i), int(rng.choice([-1, 1]))) for i in rng.permutation(n)]
        oracle = rational.pounce(rational.grounded_kernel(exact_conductance(distances, 40)), [0] * n, trials)
        trace = ohm.play(ohm.Pounce(ohm.ExponentialEmbedding.from_distances(distances, math.inf)), trials)
        for t, exact in enumerate(oracle.margins):
            assert trace.margin[t] == pytest.approx(float(exact), abs=1e-9)
            if t and abs(exact) < 1e-9:
                break  # a tie in the limit, which every finite a decides one way or the other
            agreed += 1
    assert agreed > 150


def test_the_tree_is_minimal_and_its_largest_edges_are_bottlenecks() -> None:
    rng = np.random.default_rng(0)
    distances = cdist(points := rng.random((30, 2)), points)
    forest = spanning_forest(np.where(np.eye(30, dtype=bool), np.inf, distances))
    assert forest.length.sum() == pytest.approx(csgraph.minimum_spanning_tree(distances).sum())
    edges = [(k, int(p)) for k, p in enumerate(forest.parent) if p >= 0]
    for i, j in rng.integers(30, size=(40, 2)):
        if i == j:
            continue
        edge = largest_edge(forest, int(i), int(j))
        # Without that edge i and j part; without any larger one they do not.
        kept = np.zeros((30, 30))
        for a, b in edges:
            kept[a, b] = a != edge
        part = csgraph.connected_components(kept, directed=False)[1]
        assert part[i] != part[j]
        sides = np.array([below(forest, edge, k) for k in range(30)])
        assert set(zip(part.tolist(), sides.tolist(), strict=True)) in (
            {(0, True), (1, False)},
            {(0, False), (1, True)},
        )
        larger = [(a, b) for a, b in edges if forest.rank[a] <= forest.rank[edge]]
        kept = np.zeros((30, 30))
        for a, b in larger:
            kept[a, b] = 1
        part = csgraph.connected_components(kept, directed=False)[1]
        assert part[i] == part[j]


@pytest.mark.parametrize("a", [40, 80, 160, 320, 640, 1280, 2560, 5120, math.inf])
def test_strips_cost_at_most_three_mistakes(a: float) -> None:
    for seed in range(3):
        task = strips(20, seed=seed)
        learner = ohm.Pounce(ohm.ExponentialEmbedding(task.points, a))
        stream = ohm.Stream(task.asked, task.labels[task.asked]).shuffled(seed)
        assert ohm.play(learner, stream).charged.sum() <= 3  # Thm 8 with a cover of 2


@pytest.mark.parametrize("a", [40, 5120, math.inf])
def test_two_moons_cost_two_mistakes(a: float) -> None:
    moons = two_moons(120)
    stream = ohm.Stream(moons.asked, moons.labels).shuffled(0)
    assert ohm.play(ohm.Pounce(ohm.ExponentialEmbedding(moons.points, a)), stream).charged.sum() == 2


@pytest.mark.parametrize("a", [0.5, 1.0, 2.0, 6.0, 12.0])
def test_a_blunt_embedding_is_the_graph_of_its_weights(a: float) -> None:
    rng = np.random.default_rng(2)
    points = rng.random((15, 2))
    embedding = ohm.ExponentialEmbedding(points, a)
    labels = rng.choice([-1, 1], size=15)
    stream = ohm.Stream(range(15), labels).shuffled(1)
    kernel = ohm.LaplacianKernel(embedding.graph())
    one, two = ohm.play(ohm.Pounce(embedding), stream), ohm.play(ohm.Pounce(kernel), stream)
    np.testing.assert_allclose(one.margin, two.margin, atol=1e-7)
    np.testing.assert_allclose(one.progress, two.progress, atol=1e-7)
    assert kernel.sqdist(3, 5) == pytest.approx(math.exp(embedding.log_resistances(5)[3]))


@pytest.mark.parametrize("a", [3.0, 900.0, math.inf])
def test_longer_distances_all_alike_change_nothing(a: float) -> None:
    rng = np.random.default_rng(4)
    distances = integer_distances(rng, 9, distinct=True)
    longer = np.where(np.eye(9, dtype=bool), 0.0, distances + 32)
    trials = [(int(i), int(rng.choice([-1, 1]))) for i in rng.integers(9, size=20)]
    one, two = (
        ohm.play(ohm.Pounce(ohm.ExponentialEmbedding.from_distances(d, a)), trials)
        for d in (distances, longer)
    )
    np.testing.assert_array_equal(one.margin, two.margin)


@pytest.mark.parametrize("a", [2.0, 5000.0, math.inf])
def test_points_infinitely_far_apart_are_components(a: float) -> None:
    distances = np.full((5, 5), np.inf)
    np.fill_diagonal(distances, 0.0)
    for i, j, d in [(0, 1, 1.0), (1, 2, 3.0), (3, 4, 2.0)]:
        distances[i, j] = distances[j, i] = d
    embedding = ohm.ExponentialEmbedding.from_distances(distances, a, nodes="abcde")
    learner = ohm.Pounce(embedding)
    learner.learn_one("a", -1)
    learner.learn_one("c", 1)
    learner.learn_one("d", 1)
    assert [learner.margin_one(x) for x in "acde"] == [-1, 1, 1, 1]
    assert learner.predict_one("b") == -1
    assert np.isnan(embedding.voltages("a", "c")[3])
    again = ohm.Pounce.restore(learner.snapshot(), embedding)
    assert again.margin_one("b") == learner.margin_one("b")


@pytest.mark.parametrize("a", [2.0, 700.0, math.inf])
def test_compiled_play_equals_events(a: float) -> None:
    moons = two_moons(30, noise=0.3)
    stream = ohm.Stream(moons.asked, moons.labels).shuffled(0)
    embedding = ohm.ExponentialEmbedding(moons.points, a)
    one, two = (ohm.play(ohm.Pounce(embedding), stream, compiled=c) for c in (True, False))
    np.testing.assert_array_equal(one.margin, two.margin)
    np.testing.assert_array_equal(one.updated, two.updated)


def test_one_point_is_enough() -> None:
    learner = ohm.Pounce(ohm.ExponentialEmbedding([[1.0, 2.0]], 3.0))
    learner.learn_one(0, -1)
    assert learner.predict_one(0) == -1


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: ohm.ExponentialEmbedding([[0.0], [1.0]], 0.0),
            ParameterError,
            "a must be a finite number above 0",
        ),
        (lambda: ohm.ExponentialEmbedding([[0.0], [1.0]], math.nan), ParameterError, "got nan"),
        (lambda: ohm.ExponentialEmbedding([[0.0], [math.nan]], 1.0), ParameterError, "points"),
        (lambda: ohm.ExponentialEmbedding(np.zeros((0, 2)), 1.0), GraphError, "at least one point"),
        (lambda: ohm.ExponentialEmbedding([[0.0], [1.0]], 1.0, nodes=["a"]), ShapeError, "2 points"),
        (lambda: ohm.ExponentialEmbedding.from_distances([[0, 1]], 1.0), ShapeError, "square"),
        (lambda: ohm.ExponentialEmbedding.from_distances([[0, -1], [-1, 0]], 1.0), WeightError, "is -1"),
        (lambda: ohm.ExponentialEmbedding.from_distances([[0, np.nan], [1, 0]], 1.0), WeightError, "is nan"),
        (lambda: ohm.ExponentialEmbedding.from_distances([[0, 1], [2, 0]], 1.0), WeightError, "symmetric"),
        (lambda: ohm.ExponentialEmbedding.from_distances([[1, 1], [1, 0]], 1.0), WeightError, "to itself"),
        (lambda: ohm.ExponentialEmbedding([[0.0], [9.0], [1.0]], 40.0).graph(), WeightError, "use Pounce"),
        (
            lambda: ohm.ExponentialEmbedding([[0.0], [9.0]], math.inf).log_resistances(0),
            ParameterError,
            "inf",
        ),
        (lambda: ohm.ExponentialEmbedding([[0.0], [9.0]], 1.0).voltages(0, 0), GraphError, "two different"),
        (lambda: ohm.ExponentialEmbedding([[0.0], [9.0]], 1.0).voltages(0, 7), UnknownNode, "unknown node 7"),
    ],
)
def test_bad_input_is_named(make: object, error: type[OhmlineError], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_equal_distances_at_the_limit_are_those_of_distances_a_little_apart() -> None:
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [3.0, 0.0], [3.0, 1.0]])
    distances = ohm.ExponentialEmbedding(square, a=1.0).distances
    n, forest = len(distances), ohm.ExponentialEmbedding(square, a=np.inf).space
    apart = distances + 1e-6 * (
        1 - np.eye(n)
    )  # the edges of the tree a little shorter, in the order of their ranks
    for i in np.flatnonzero(forest.parent >= 0):
        j = forest.parent[i]
        apart[i, j] = apart[j, i] = distances[i, j] + 1e-9 * forest.rank[i]
    limits = [ohm.ExponentialEmbedding.from_distances(table, a=np.inf) for table in (distances, apart)]
    rng = np.random.default_rng(0)
    differs = 0
    for _ in range(60):
        nodes, labels = rng.integers(0, n, 12), np.where(rng.random(n) < 0.5, 1, -1)
        stream = ohm.Stream(nodes, labels[nodes])
        tied, near = (ohm.play(ohm.Pounce(embedding), stream) for embedding in limits)
        assert tied.predictions == near.predictions
        large = ohm.play(ohm.Pounce(ohm.ExponentialEmbedding(square, a=3000.0)), stream)
        differs += tied.predictions != large.predictions
        for trace in (tied, near, large):
            certificate = ohm.bound.EmbeddingBound().certify(trace, labels)
            assert certificate.valid
            assert certificate.charged <= certificate.value
    assert differs > 0  # two equal paths share the current at a finite a, as the docstring says


def test_there_is_no_network_at_the_limit() -> None:
    with pytest.raises(WeightError, match="spanning tree"):
        ohm.ExponentialEmbedding([[0.0], [1.0], [2.0]], a=np.inf).graph()
