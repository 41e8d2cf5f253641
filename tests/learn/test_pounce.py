"""POUNCE against its box in exact rational arithmetic, its repeats, components and refusals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

import ohmline as ohm
import rational
from graphs import games
from ohmline.errors import KernelError, LabelError, SnapshotError, UnknownNode
from ohmline.graph.generate import barbell, three_clusters
from small_games import assert_same_game, small_graph, small_trials


@pytest.mark.parametrize("seed", range(0, 200, 10))
def test_every_trial_equals_the_box_in_exact_arithmetic(seed: int) -> None:
    for case in range(seed, seed + 10):
        rng = np.random.default_rng(case)
        graph = small_graph(rng)
        trials = small_trials(graph, rng, noise=case % 2 == 1)
        c = Fraction(0) if case % 3 else Fraction(1, 2)
        oracle = rational.pounce(rational.kernel(graph, 0, c), graph.component_of.tolist(), trials)
        exact = ohm.LaplacianKernel(graph)
        trace = ohm.play(ohm.Pounce(exact + ohm.Ridge(float(c)) if c else exact), trials)
        assert_same_game(trace, oracle)


@settings(max_examples=25)
@given(games(connected=False))
def test_a_bias_and_the_form_of_the_kernel_change_nothing(
    game: tuple[ohm.Graph, ohm.Stream, np.ndarray],
) -> None:
    graph, stream, _ = game
    plain = ohm.play(ohm.Pounce(ohm.LaplacianKernel(graph)), stream)
    biased = ohm.play(ohm.Pounce(ohm.LaplacianKernel(graph) + ohm.Constant(0.7)), stream)
    np.testing.assert_allclose(biased.margin, plain.margin, atol=1e-7)
    assert biased.updated.tolist() == plain.updated.tolist()


def test_features_give_the_game_of_their_dense_kernel() -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        graph = small_graph(rng)
        spectral = ohm.SpectralKernel(graph, rank=graph.n, shift=0.1)
        dense = ohm.Linear().over(spectral.space.rows)
        trials = small_trials(graph, rng, noise=True)
        one = ohm.play(ohm.Pounce(dense), trials)
        # The dense twin has no components, so cut the streams to one of them.
        if graph.n_components == 1:
            two = ohm.play(ohm.Pounce(spectral), trials)
            np.testing.assert_allclose(one.margin, two.margin, atol=1e-7)


def test_the_first_node_of_every_component_is_a_tie_that_counts_as_a_mistake() -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2), (3, 4)], nodes=range(6))
    learner = ohm.Pounce(ohm.LaplacianKernel(graph))
    learner.learn_one(0, -1)
    assert [learner.margin_one(k) for k in range(6)] == [-1, -1, -1, 0, 0, 0]
    trace = ohm.play(learner, [(3, 1), (4, 1), (5, 1), (5, 1), (2, -1)])
    assert trace.mistakes == 0
    assert trace.charged.tolist() == [True, False, True, False, False]
    assert trace.updated.tolist() == trace.charged.tolist()


def test_a_repeated_node_is_relabelled_without_moving() -> None:
    learner = ohm.Pounce(ohm.LaplacianKernel(barbell(3).graph))
    learner.learn_one(0, 1)
    before = learner.state.w.copy()
    assert learner.learn_one(0, -1) == ohm.Update(mistake=True, updated=True, progress=0.0)
    assert learner.margin_one(0) == -1
    np.testing.assert_array_equal(learner.state.w, before)


def test_coinciding_points_share_one_label() -> None:
    # Two equal rows are one point: their distance is 0, whatever their names.
    points = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    learner = ohm.Pounce(ohm.Linear().over(points))
    learner.learn_one(0, 1)
    assert learner.learn_one(1, -1).progress == 0.0
    assert [learner.margin_one(k) for k in range(2)] == [-1, -1]
    learner.learn_one(2, 1)
    assert learner.margin_one(2) == 1


@pytest.mark.parametrize("m", [10, 40])
def test_three_clusters_cost_three_mistakes_at_most(m: int) -> None:
    labelled = three_clusters(m)
    for seed in range(3):
        stream = ohm.Stream(np.arange(labelled.graph.n), labelled.labels).shuffled(seed)
        assert ohm.play(ohm.Pounce(ohm.LaplacianKernel(labelled.graph)), stream).charged.sum() <= 3


def test_three_large_clusters_are_hard_for_the_perceptron_only() -> None:
    labelled = three_clusters(320)
    kernel = ohm.LaplacianKernel(labelled.graph)
    matrix = kernel.space.matrix
    diagonal = np.diagonal(matrix)
    bias = float((diagonal[:, None] + diagonal - 2 * matrix).max())
    for seed in range(3):
        stream = ohm.Stream(np.arange(labelled.graph.n), labelled.labels).shuffled(seed)
        assert ohm.play(ohm.Pounce(kernel), stream).charged.sum() <= 3
        assert ohm.play(ohm.Perceptron(kernel + ohm.Constant(bias)), stream).mistakes >= 90


def balanced() -> ohm.Graph:
    return ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, -1.0), (2, 0, -1.0)], signed=True)


def test_a_singular_signed_laplacian_is_refused_with_the_remedy() -> None:
    with pytest.raises(KernelError, match=r"component of node 0 is balanced.*add a ridge"):
        ohm.Pounce(ohm.LaplacianKernel(balanced()))
    with pytest.raises(KernelError, match="singular"):
        ohm.Pounce(ohm.LaplacianKernel(balanced()) + ohm.Constant(1.0))
    ohm.Pounce(ohm.LaplacianKernel(balanced()) + ohm.Ridge(0.1))


def test_a_positive_definite_signed_laplacian_is_learned_by_the_box() -> None:
    frustrated = ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, 1.0), (2, 0, -1.0), (2, 3, 0.5)], signed=True)
    exact = rational.inverse(rational.laplacian(frustrated))
    rng = np.random.default_rng(0)
    for _ in range(20):
        trials = [(int(i), int(rng.choice([-1, 1]))) for i in rng.integers(4, size=10)]
        oracle = rational.pounce(exact, [0] * 4, trials)
        assert_same_game(ohm.play(ohm.Pounce(ohm.LaplacianKernel(frustrated)), trials), oracle)


def test_a_signed_graph_with_positive_edges_only_is_an_ordinary_one() -> None:
    graph = ohm.Graph.from_edges([(0, 1, 1.0), (2, 3, 2.0)], nodes=range(5), signed=True)
    ohm.Pounce(ohm.LaplacianKernel(graph))


def test_bad_input_names_the_value_and_changes_nothing() -> None:
    learner = ohm.Pounce(ohm.LaplacianKernel(barbell(3).graph))
    learner.learn_one(0, 1)
    before = learner.snapshot()
    with pytest.raises(UnknownNode, match="99"):
        learner.learn_one(99, 1)
    with pytest.raises(LabelError, match="'yes'"):
        learner.learn_one(1, "yes")
    for name, array in learner.snapshot().items():
        np.testing.assert_array_equal(array, before[name])
    with pytest.raises(SnapshotError, match="Perceptron"):
        ohm.Pounce.restore(ohm.Perceptron(learner.kernel).snapshot(), learner.kernel)


BRIDGE = [(0, 1, 10.0), (1, 2, 1e-9), (2, 3, 10.0)]


@pytest.mark.parametrize(
    ("edges", "bias"),
    [(BRIDGE, 0.0), ([(0, 1), (1, 2), (2, 3)], 1e9), ([(0, 1, 1e6), (1, 2, 1e-6), (2, 3, 1e6)], 1e12)],
)
def test_a_small_resistance_is_not_lost_in_large_entries(edges: list[tuple[float, ...]], bias: float) -> None:
    graph = ohm.Graph.from_edges(edges)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(bias) if bias else ohm.LaplacianKernel(graph)
    trace = ohm.play(ohm.Pounce(kernel), ohm.Stream([0, 1] * 50, [1, -1] * 50))
    assert trace.charged.sum() == 2
    assert ohm.bound.PounceBound().certify(trace).value >= 2
    again = ohm.play(ohm.Pounce(ohm.SolverKernel(graph, b=bias)), ohm.Stream([0, 1] * 50, [1, -1] * 50))
    assert again.charged.sum() == 2


def test_two_blobs_with_a_bridge_of_almost_nothing() -> None:
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 0.3, (40, 2)), rng.normal(0, 0.3, (40, 2)) + np.array([5.2, 0.0])])
    sq = ((points[:, None] - points) ** 2).sum(-1)
    weights = np.exp(-sq) * (1 - np.eye(80))
    graph = ohm.Graph.from_scipy(weights)
    labels = np.where(rng.random(80) < 0.5, 1, -1)
    stream = ohm.Stream(np.tile(np.arange(80), 20), np.tile(labels, 20))
    trace = ohm.play(ohm.Pounce(ohm.LaplacianKernel(graph)), stream)
    certificate = ohm.bound.PounceBound().certify(trace, labels)
    assert trace.charged.sum() <= 80
    assert certificate.valid
    assert certificate.charged <= certificate.value


def test_points_of_a_low_rank_kernel_that_coincide_are_relabelled() -> None:
    star = ohm.Graph.from_edges([("hub", k) for k in range(6)])
    kernel = ohm.SpectralKernel(star, rank=1)  # the constant alone: every point is the same
    learner = ohm.Pounce(kernel)
    learner.learn_one("hub", 1)
    assert learner.learn_one(0, -1) == ohm.learn.contract.Update(mistake=True, updated=True, progress=0.0)
    assert learner.predict_one(1) == -1
