"""Algorithm 2 of paper 000 against its box in exact rational arithmetic, in every form it takes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import ohmline as ohm
import rational
from graphs import games
from ohmline import Contradiction, Strategy
from ohmline.errors import (
    ConflictingLabels,
    KernelError,
    LearnerError,
    ParameterError,
    ShapeError,
    SnapshotError,
)
from small_games import assert_same_game, small_graph, small_trials

CHOOSERS: dict[Strategy, rational.Chooser] = {
    Strategy.LATEST: lambda mistakes, t: [t],
    Strategy.ALL: lambda mistakes, t: list(range(t + 1)),
    Strategy.MISTAKES: lambda mistakes, t: sorted({*mistakes, t}),
}

FORMS = [
    (strategy, cyclic, aggressive)
    for strategy in Strategy
    for cyclic in (False, True)
    for aggressive in (False, True)
]


@pytest.mark.parametrize(("strategy", "cyclic", "aggressive"), FORMS)
def test_every_trial_equals_the_box_in_exact_arithmetic(
    strategy: Strategy, cyclic: bool, aggressive: bool
) -> None:
    for case in range(200):
        rng = np.random.default_rng(case)
        graph = small_graph(rng, most=6)
        # L+ alone fits labels of mean 0 only, so strategies that keep their examples need a bias.
        b = Fraction(1, 2) if case % 2 or strategy is not Strategy.LATEST else Fraction(0)
        c = Fraction(1, 4) if case % 3 == 0 else Fraction(0)
        kernel = ohm.LaplacianKernel(graph)
        if b:
            kernel = kernel + ohm.Constant(float(b))
        if c:
            kernel = kernel + ohm.Ridge(float(c))
        gram = rational.kernel(graph, b, c)
        trials = small_trials(graph, rng, noise=strategy is Strategy.LATEST)
        trials = [(i, y) for i, y in trials if gram[i][i] > 0]
        oracle = rational.projection(gram, trials, CHOOSERS[strategy], cyclic=cyclic, aggressive=aggressive)
        learner = ohm.Projection(kernel, strategy, cyclic=cyclic, aggressive=aggressive)
        assert_same_game(ohm.play(learner, trials), oracle)


@pytest.mark.parametrize(("strategy", "cyclic", "aggressive"), FORMS)
def test_a_function_of_ones_own_gives_the_game_of_the_built_in_strategy(
    strategy: Strategy, cyclic: bool, aggressive: bool
) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        graph = small_graph(rng)
        kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.5)
        trials = small_trials(graph, rng, noise=False)
        built_in = ohm.play(ohm.Projection(kernel, strategy, cyclic=cyclic, aggressive=aggressive), trials)
        own = ohm.Projection(
            kernel,
            lambda mistakes, margin, examples: CHOOSERS[strategy](list(mistakes), len(examples) - 1),
            cyclic=cyclic,
            aggressive=aggressive,
        )
        trace = ohm.play(own, trials)
        assert trace.predictions == built_in.predictions
        np.testing.assert_allclose(trace.margin, built_in.margin, atol=1e-8)
        np.testing.assert_allclose(trace.progress, built_in.progress, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("build", [ohm.Projection.one_proj, ohm.Projection.c_proj, ohm.Projection.min_norm])
def test_features_give_the_game_of_their_dense_kernel(
    build: Callable[[ohm.Kernel], ohm.Projection],
) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        graph = small_graph(rng)
        spectral = ohm.SpectralKernel(graph, rank=graph.n, shift=0.1)
        for kernel in (spectral, spectral + ohm.Ridge(0.5)):
            dense = ohm.Linear().over(spectral.space.rows)
            twin = dense + ohm.Ridge(0.5) if kernel is not spectral else dense
            trials = small_trials(graph, rng, noise=False)
            one, two = ohm.play(build(kernel), trials), ohm.play(build(twin), trials)
            np.testing.assert_allclose(one.margin, two.margin, atol=1e-6)
            np.testing.assert_allclose(one.progress, two.progress, atol=1e-6)


@pytest.mark.parametrize("columns", [2, 3, 16])
@pytest.mark.parametrize(("strategy", "cyclic", "aggressive"), FORMS)
def test_columns_on_demand_give_the_game_of_the_dense_kernel(
    strategy: Strategy, cyclic: bool, aggressive: bool, columns: int
) -> None:
    """However few columns are held: a cyclic trial projects on more half-spaces than that."""
    most = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        graph = small_graph(rng, most=14)
        dense = ohm.LaplacianKernel(graph) + ohm.Constant(0.1)
        kernel = ohm.SolverKernel(graph, b=0.1, columns=columns, fill_limit=0 if seed % 3 == 0 else 10**6)
        trials = small_trials(graph, rng, noise=False)
        options = {"cyclic": cyclic, "aggressive": aggressive}
        one, two = ohm.Projection(dense, strategy, **options), ohm.Projection(kernel, strategy, **options)
        expected, found = ohm.play(one, trials), ohm.play(two, trials)
        assert found.predictions == expected.predictions
        assert found.updated.tolist() == expected.updated.tolist()
        np.testing.assert_allclose(found.margin, expected.margin, atol=1e-7)
        np.testing.assert_allclose(found.progress, expected.progress, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(two.values(), one.values(), atol=1e-7)
        assert two.updates == one.updates
        most = max(most, one.updates - int(expected.charged.sum()))
        again = ohm.Projection.restore(two.snapshot(), kernel)
        for i in range(graph.n):  # with its label or a new one: rows that were lost are made again
            y = dict(trials).get(i, 1)
            three, four = one.learn_one(i, y), again.learn_one(i, y)
            assert three.updated == four.updated
            assert three.progress == pytest.approx(four.progress, rel=1e-6, abs=1e-8)
    assert most > 0 or not cyclic or strategy is Strategy.LATEST


@pytest.mark.parametrize("cyclic", [False, True])
def test_a_strategy_of_ones_own_over_two_columns(cyclic: bool) -> None:
    def every_other(mistakes: object, margin: object, examples: list[object]) -> list[int]:
        return [k for k in range(len(examples)) if (len(examples) - 1 - k) % 2 == 0]

    graph = ohm.graph.generate.line(20).graph
    labels = np.random.default_rng(0).choice([-1, 1], size=20)
    stream = ohm.Stream(range(20), labels).shuffled(seed=2)
    kernels = ohm.LaplacianKernel(graph) + ohm.Constant(0.2), ohm.SolverKernel(graph, b=0.2, columns=2)
    one, two = (ohm.play(ohm.Projection(kernel, every_other, cyclic=cyclic), stream) for kernel in kernels)
    np.testing.assert_allclose(one.margin, two.margin, atol=1e-8)
    np.testing.assert_allclose(one.progress, two.progress, rtol=1e-7, atol=1e-9)


def test_one_long_cyclic_trial_over_two_columns() -> None:
    """Random labels on a long path: a trial moves at dozens of nodes, and every one of them has its column added."""
    rng = np.random.default_rng(3)
    graph = ohm.graph.generate.line(70).graph
    labels = rng.choice([-1, 1], size=70)
    stream = ohm.Stream(range(70), labels).shuffled(seed=1)
    dense = ohm.Projection.c_proj(ohm.LaplacianKernel(graph) + ohm.Constant(1.0))
    thin = ohm.Projection.c_proj(ohm.SolverKernel(graph, b=1.0, columns=2))
    expected, found = ohm.play(dense, stream), ohm.play(thin, stream)
    np.testing.assert_allclose(found.margin, expected.margin, atol=1e-8)
    np.testing.assert_allclose(found.progress, expected.progress, rtol=1e-8)
    assert dense.updates == thin.updates > 500


def test_a_refused_trial_over_columns_changes_nothing() -> None:
    learner = ohm.Projection.c_proj(ohm.SolverKernel(two_triangles(), columns=2))
    for i in (0, 1):
        learner.learn_one(i, 1)
    before = learner.snapshot()
    with pytest.raises(LearnerError, match="no hypothesis separates"):
        learner.learn_one(2, 1)
    unchanged(learner, before)
    with pytest.raises(ConflictingLabels):
        learner.learn_one(0, -1)
    unchanged(learner, before)
    learner.learn_one(3, -1)
    dense = ohm.Projection.c_proj(ohm.LaplacianKernel(two_triangles()))
    for i, y in ((0, 1), (1, 1), (3, -1)):
        dense.learn_one(i, y)
    np.testing.assert_allclose(learner.values(), dense.values(), atol=1e-12)


@pytest.mark.parametrize(("strategy", "cyclic"), [(s, c) for s in Strategy for c in (False, True)])
def test_any_start_vector(strategy: Strategy, cyclic: bool) -> None:
    rng = np.random.default_rng(5)
    for _ in range(5):
        graph = small_graph(rng)
        start = rng.integers(-3, 4, size=graph.n) / 4
        trials = small_trials(graph, rng, noise=False)
        oracle = rational.projection(
            rational.kernel(graph, 1),
            trials,
            CHOOSERS[strategy],
            cyclic=cyclic,
            aggressive=True,
            start=[Fraction(float(v)) for v in start],
        )
        dense = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
        learner = ohm.Projection(dense, strategy, cyclic=cyclic, aggressive=True, start=start)
        assert_same_game(ohm.play(learner, trials), oracle)
        features = ohm.SpectralKernel(graph, rank=graph.n, shift=0.5)
        learner = ohm.Projection(features, strategy, cyclic=cyclic, start=start)
        np.testing.assert_allclose([learner.margin_one(k) for k in range(graph.n)], start, atol=1e-9)
        np.testing.assert_allclose(learner.state.sqnorm[0], features.sqnorm(start), rtol=1e-8)


@settings(max_examples=40)
@given(games(repeats=False, max_nodes=9))
def test_progress_never_exceeds_the_squared_length_of_a_fitting_function(
    game: tuple[ohm.Graph, ohm.Stream, np.ndarray],
) -> None:
    graph, stream, labelling = game
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0) + ohm.Ridge(0.1)
    limit = kernel.sqnorm(labelling.astype(float))
    for strategy, cyclic, aggressive in FORMS:
        learner = ohm.Projection(kernel, strategy, cyclic=cyclic, aggressive=aggressive)
        trace = ohm.play(learner, stream)
        assert trace.progress.sum() <= limit * (1 + 1e-9)  # Lemma 3.2, eq. (6), with w_1 = 0
        assert trace.charged.sum() <= limit * kernel.diagonal().max() * (1 + 1e-9)  # Thm 3.2


def test_min_norm_interpolates_with_the_smallest_norm() -> None:
    rng = np.random.default_rng(1)
    graph = small_graph(rng)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.3)
    learner = ohm.Projection.min_norm(kernel)
    nodes, labels = np.arange(graph.n)[::2], rng.choice([-1, 1], size=(graph.n + 1) // 2)
    for i, y in zip(nodes, labels, strict=True):
        learner.learn_one(int(i), int(y))
    matrix = kernel.space.matrix
    expected = matrix[:, nodes] @ np.linalg.solve(matrix[np.ix_(nodes, nodes)], labels)
    np.testing.assert_allclose([learner.margin_one(k) for k in range(graph.n)], expected, atol=1e-9)


def test_aggressive_may_be_changed_between_trials() -> None:
    kernel = ohm.LaplacianKernel(ohm.graph.generate.line(6).graph) + ohm.Constant(1.0)
    learner = ohm.Projection.one_proj(kernel, aggressive=True)
    learner.learn_one(0, 1)
    assert learner.learn_one(1, 1).updated
    learner.aggressive = False
    assert not learner.learn_one(2, 1).updated
    again = ohm.Projection.restore(learner.snapshot(), kernel)
    assert not again.aggressive


# -- contradictions -------------------------------------------------------------------------------


def two_triangles() -> ohm.Graph:
    return ohm.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])


def unchanged(learner: ohm.Projection, before: dict[str, np.ndarray]) -> None:
    for name, array in learner.snapshot().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("strategy", [Strategy.ALL, Strategy.MISTAKES])
def test_conflicting_labels_of_one_node_raise_and_change_nothing(strategy: Strategy, cyclic: bool) -> None:
    kernel = ohm.LaplacianKernel(two_triangles()) + ohm.Constant(1.0)
    learner = ohm.Projection(kernel, strategy, cyclic=cyclic)
    learner.learn_one(0, -1)
    before = learner.snapshot()
    with pytest.raises(ConflictingLabels, match="RELABEL"):
        learner.learn_one(0, 1)
    unchanged(learner, before)
    with pytest.raises(ConflictingLabels):
        ohm.play(learner, [(0, 1)])


@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("strategy", [Strategy.ALL, Strategy.MISTAKES])
def test_relabelling_lets_the_newest_label_win(strategy: Strategy, cyclic: bool) -> None:
    kernel = ohm.LaplacianKernel(two_triangles()) + ohm.Constant(1.0)
    learner = ohm.Projection(kernel, strategy, cyclic=cyclic, contradiction=Contradiction.RELABEL)
    for i, y in [(0, -1), (1, 1), (0, 1), (3, -1), (0, -1), (1, 1)]:
        learner.learn_one(i, y)
        assert learner.predict_one(i) == y
    assert learner.margin_one(0) < 0 < learner.margin_one(1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (ohm.Projection.min_norm, "add a Constant"),  # the affine set is empty
        (ohm.Projection.c_proj, "no hypothesis separates"),  # the cyclic projection would have no end
    ],
)
def test_labels_that_no_hypothesis_fits_are_reported(make: Any, words: str) -> None:
    # L+ fits only functions of mean 0 on each component: the third node of a triangle is one too many.
    learner = make(ohm.LaplacianKernel(two_triangles()))
    for i in (0, 1):
        learner.learn_one(i, 1)
    before = learner.snapshot()
    with pytest.raises(LearnerError, match=words):
        learner.learn_one(2, 1)
    unchanged(learner, before)
    learner.learn_one(3, -1)


def test_an_empty_affine_set_may_be_passed_over() -> None:
    learner = ohm.Projection.min_norm(
        ohm.LaplacianKernel(two_triangles()), contradiction=Contradiction.RELABEL
    )
    for i in (0, 1):
        learner.learn_one(i, 1)
    assert learner.margin_one(2) == pytest.approx(-2)
    learner.learn_one(2, 1)
    assert learner.margin_one(2) == pytest.approx(1)
    learner.learn_one(3, -1)  # the other component is as fittable as before
    assert learner.margin_one(3) == pytest.approx(-1)
    assert [learner.margin_one(k) for k in (0, 1)] == pytest.approx([1, 1])


def test_a_dependent_but_agreeing_example_is_no_contradiction() -> None:
    square = ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    learner = ohm.Projection.min_norm(ohm.LaplacianKernel(square))
    for i, y in enumerate([1, 1, -1, -1]):
        learner.learn_one(i, y)
    assert [learner.margin_one(i) for i in range(4)] == pytest.approx([1, 1, -1, -1])


def test_a_cyclic_strategy_without_end_may_fall_back_to_the_newest_example() -> None:
    learner = ohm.Projection.c_proj(ohm.LaplacianKernel(two_triangles()), contradiction=Contradiction.RELABEL)
    labels = [1, 1, 1, -1, -1, -1]
    trace = ohm.play(learner, [(i, labels[i]) for i in range(6)] * 20)
    assert len(trace) == 120
    assert trace.updated[-1]
    assert learner.predict_one(5) == -1


def test_separable_examples_that_cannot_be_interpolated_are_learned() -> None:
    # 40 points on a line: rank 2 with the bias, so no affine set, but a threshold separates them.
    points = np.column_stack([np.linspace(-1, 1, 41), np.ones(41)])
    labels = np.where(points[:, 0] > 0.1, 1, -1)
    learner = ohm.Projection.c_proj(ohm.Linear().over(points))
    ohm.play(learner, ohm.Stream(np.arange(41), labels).shuffled(0))
    assert [learner.predict_one(k) for k in range(41)] == labels.tolist()


def test_an_isolated_node_under_plain_laplacian_kernel_cannot_be_labelled() -> None:
    graph = ohm.Graph.from_edges([(0, 1)], nodes=range(3))
    for build in (ohm.Projection.one_proj, ohm.Projection.c_proj, ohm.Projection.min_norm):
        learner = build(ohm.LaplacianKernel(graph))
        with pytest.raises(LearnerError, match="Constant"):
            learner.learn_one(2, -1)
        patient = build(ohm.LaplacianKernel(graph), contradiction=Contradiction.RELABEL)
        assert patient.learn_one(2, -1).progress == 0
        patient.learn_one(0, -1)
        assert patient.predict_one(0) == -1


# -- bad input ------------------------------------------------------------------------------------


def kernel() -> ohm.Kernel:
    return ohm.LaplacianKernel(two_triangles()) + ohm.Constant(1.0)


@pytest.mark.parametrize("cyclic", [False, True])
def test_a_strategy_that_leaves_out_t_is_refused(cyclic: bool) -> None:
    learner = ohm.Projection(kernel(), lambda mistakes, margin, examples: [0], cyclic=cyclic)
    learner.learn_one(0, 1)
    before = learner.snapshot()
    with pytest.raises(LearnerError, match=r"chose \[0\] and leaves out trial 1"):
        learner.learn_one(1, 1)
    for name, array in learner.snapshot().items():
        if name != "state.history":  # the trial that failed lies beyond the trials that count
            np.testing.assert_array_equal(array, before[name], err_msg=name)


@pytest.mark.parametrize("answer", [[1.5], ["a"], [-1], [7], [True]])
def test_a_strategy_that_answers_with_something_else_is_refused(answer: list[object]) -> None:
    learner = ohm.Projection(kernel(), lambda mistakes, margin, examples: answer)  # type: ignore[arg-type,return-value]
    with pytest.raises(LearnerError, match="expected whole numbers from 0 to 0"):
        learner.learn_one(0, 1)


def test_a_strategy_that_chooses_both_labels_of_a_node() -> None:
    def everything(mistakes: object, margin: object, examples: list[object]) -> range:
        return range(len(examples))

    learner = ohm.Projection(kernel(), everything, cyclic=True)
    learner.learn_one(0, 1)
    with pytest.raises(ConflictingLabels, match="node 0 with both labels"):
        learner.learn_one(0, -1)
    learner = ohm.Projection(kernel(), everything, contradiction=Contradiction.RELABEL)
    learner.learn_one(0, 1)
    learner.learn_one(0, -1)
    assert learner.margin_one(0) == pytest.approx(-1)


def test_a_strategy_sees_mistakes_margins_and_examples() -> None:
    calls = []

    def watch(mistakes: list[int], margin: Callable[[object], float], examples: list[object]) -> list[int]:
        calls.append((list(mistakes), margin(0), list(examples)))
        return [len(examples) - 1]

    learner = ohm.Projection(kernel(), watch)
    for i, y in [(0, 1), (1, 1), (3, -1)]:
        learner.learn_one(i, y)
    assert calls[0] == ([0], 0.0, [(0, 1)])
    assert calls[1][0] == [0]
    assert calls[1][1] == pytest.approx(1)
    assert calls[2][0] == [0, 2]
    assert calls[2][2] == [(0, 1), (1, 1), (3, -1)]
    saved = learner.snapshot()
    with pytest.raises(SnapshotError, match="pass it again"):
        ohm.Projection.restore(saved, learner.kernel)
    again = ohm.Projection.restore(saved, learner.kernel, watch)
    again.learn_one(4, -1)
    assert calls[-1][2] == [(0, 1), (1, 1), (3, -1), (4, -1)]


def test_other_bad_arguments() -> None:
    with pytest.raises(ParameterError, match="strategy must be"):
        ohm.Projection(kernel(), "all")
    with pytest.raises(ParameterError, match="contradiction must be"):
        ohm.Projection(kernel(), contradiction="raise")
    with pytest.raises(ShapeError, match="6 entries"):
        ohm.Projection(kernel(), start=[1.0])
    with pytest.raises(KernelError, match="not a function of this kernel"):
        ohm.Projection(ohm.LaplacianKernel(two_triangles()), start=np.ones(6))
