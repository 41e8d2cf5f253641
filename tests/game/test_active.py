"""Pool queries and the two phases of active learning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import ohmline as ohm
from graphs import games
from ohmline.bound import ProjectionBound
from ohmline.errors import LabelError, LearnerError, ParameterError, ShapeError, UnknownNode
from ohmline.graph.generate import barbell, line
from ohmline.query.pool import PoolQuery, open_positions
from small_games import small_graph

BUILDS = [ohm.Projection.one_proj, ohm.Projection.c_proj, ohm.Projection.min_norm]


def criterion(learner: ohm.Projection, x: object) -> float:
    """Eq. (15), literally."""
    return (min(abs(learner.margin_one(x)), 1.0) - 1.0) ** 2 / learner.kernel.entry(x, x)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("form", ["dense", "features"])
def test_max_progress_is_the_argmax_of_the_criterion(build: object, form: str) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        graph = small_graph(rng, most=8)
        kernel = (
            ohm.LaplacianKernel(graph) + ohm.Constant(0.5)
            if form == "dense"
            else ohm.SpectralKernel(graph, rank=graph.n, shift=0.3)
        )
        learner = build(kernel, aggressive=True)
        query, open_ = ohm.MaxProgress(), np.ones(graph.n, dtype=bool)
        for _ in range(graph.n):
            scores = np.array([criterion(learner, x) for x in range(graph.n)])
            i = query.choose(learner, open_, rng)
            assert open_[i]
            assert scores[i] >= scores[open_].max() * (1 - 1e-8)
            margins = np.array([abs(learner.margin_one(x)) for x in range(graph.n)])
            j = ohm.MinMargin().choose(learner, open_, rng)
            assert open_[j]
            assert margins[j] <= margins[open_].min() + 1e-8
            learner.learn_one(i, int(rng.choice([-1, 1])))
            open_[i] = False


def test_the_criterion_is_the_least_progress_of_the_two_labels() -> None:
    kernel = ohm.LaplacianKernel(barbell(4).graph) + ohm.Constant(0.5)
    learner = ohm.Projection.one_proj(kernel, aggressive=True, cyclic=True)
    learner.learn_one(0, 1)
    for x in range(1, 8):
        least = min(
            ohm.Projection.restore(learner.snapshot(), kernel).learn_one(x, y).progress for y in (-1, 1)
        )
        assert least == pytest.approx(criterion(learner, x))


def test_among_equals_the_first_is_chosen() -> None:
    ring = ohm.Graph.from_edges([(k, (k + 1) % 6) for k in range(6)])
    learner = ohm.Projection.one_proj(ohm.LaplacianKernel(ring) + ohm.Constant(1.0))
    rng = np.random.default_rng(0)
    mask = open_positions(6, [2, 4, 5])
    assert ohm.MaxProgress().choose(learner, mask, rng) == 2
    assert ohm.MinMargin().choose(learner, mask, rng) == 2
    # Labelled everywhere, no progress is left, and still a node is chosen.
    for x in range(6):
        learner.aggressive = True
        learner.learn_one(x, 1)
    saturated = ohm.Projection(learner.kernel, start=np.full(6, 3.0))
    assert ohm.MaxProgress().choose(saturated, mask, rng) == 2


def test_isolated_nodes_promise_no_progress_without_a_bias() -> None:
    graph = ohm.Graph.from_edges([(1, 2)], nodes=range(3))
    learner = ohm.Projection.one_proj(ohm.LaplacianKernel(graph))
    assert ohm.MaxProgress().choose(learner, np.ones(3, dtype=bool), np.random.default_rng(0)) == 1


@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("query", [ohm.MaxProgress(), ohm.MinMargin(), ohm.Random()])
def test_two_phases_are_two_games(query: PoolQuery, suffix: bool) -> None:
    game = barbell(10)
    kernel = ohm.LaplacianKernel(game.graph) + ohm.Constant(0.2)
    learner = ohm.Projection.one_proj(kernel)
    trace = ohm.play_active(
        learner, range(20), game.labels, query, selections=6, aggressive_suffix=suffix, seed=3
    )
    assert (trace.selected, len(trace)) == (6, 20)
    assert sorted(trace.nodes) == list(range(20))
    assert trace.labels == [int(game.labels[x]) for x in trace.nodes]
    assert learner.aggressive == suffix
    again = ohm.Projection.one_proj(kernel, aggressive=True)
    first = ohm.play(again, ohm.Stream(trace.nodes[:6], trace.labels[:6]))
    again.aggressive = suffix
    second = ohm.play(again, ohm.Stream(trace.nodes[6:], trace.labels[6:]))
    np.testing.assert_array_equal(trace.margin, np.append(first.margin, second.margin))
    np.testing.assert_array_equal(trace.progress, np.append(first.progress, second.progress))
    assert trace.predictions == first.predictions + second.predictions
    assert trace.mistakes == first.mistakes + second.mistakes
    assert trace.first(4).selected == 4


@settings(max_examples=30)
@given(games(max_nodes=10))
def test_theorem_5_1_holds_for_the_mistakes_after_the_selections(
    game: tuple[ohm.Graph, ohm.Stream, np.ndarray],
) -> None:
    graph, _, labels = game
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.5)
    for build in BUILDS:
        trace = ohm.play_active(
            build(kernel), graph.nodes, labels, ohm.MaxProgress(), selections=graph.n // 2
        )
        certificate = ProjectionBound(active=trace.selected).certify(trace, labels)
        assert certificate.valid
        assert trace.charged[trace.selected :].sum() <= certificate.value + 1e-6


def test_other_oracles_streams_and_learners() -> None:
    game = line(12)
    labels = dict(enumerate(game.labels.tolist()))
    kernel = ohm.LaplacianKernel(game.graph) + ohm.Constant(1.0)
    asked = []

    def tell(x: int) -> int:
        asked.append(x)
        return labels[x]

    learner = ohm.Projection.one_proj(kernel)
    trace = ohm.play_active(
        learner, range(5), tell, ohm.MinMargin(), selections=3, stream=[(11, -1), (9, None)]
    )
    assert tuple(asked) == trace.nodes[:3]
    assert trace.nodes[3:] == (11, 9)
    assert trace.labels[3:] == [-1, None]
    assert trace.asked == 4
    by_mapping = ohm.play_active(
        ohm.Projection.one_proj(kernel), range(5), labels, ohm.MinMargin(), selections=3, stream=[(11, -1)]
    )
    assert by_mapping.nodes == trace.nodes[:4]
    perceptron = ohm.play_active(ohm.Perceptron(kernel), range(12), labels, ohm.MinMargin(), selections=4)
    assert len(perceptron) == 12
    pounce = ohm.play_active(ohm.Pounce(kernel), range(12), labels, ohm.Random(), selections=4)
    assert pounce.selected == 4
    nothing = ohm.play_active(ohm.Pounce(kernel), [], {}, ohm.Random(), selections=0)
    assert len(nothing) == 0


def test_named_nodes_and_late_predictions_share_one_table_of_codes() -> None:
    graph = ohm.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    with pytest.raises(LearnerError, match="over the nodes of a graph"):
        ohm.play_active(ohm.OnlineManifold(), "abcd", [1, 1, -1, -1], ohm.Random(), selections=2)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
    trace = ohm.play_active(
        ohm.Projection.one_proj(kernel), "abcd", [-1, -1, -1, -1], ohm.MaxProgress(), selections=1
    )
    assert trace.predictions == [1, -1, -1, -1]
    assert trace.mistakes == 1


def test_bad_pools_are_refused_before_anything_is_learned() -> None:
    learner = ohm.Projection.one_proj(ohm.LaplacianKernel(line(6).graph) + ohm.Constant(1.0))
    before = learner.snapshot()
    labels = [1] * 6
    for pool, oracle, options, error, message in [
        ([0, 1, 99], [1, 1, 1], {}, UnknownNode, "unknown node 99"),
        ([0, 1, 1], [1, 1, 1], {}, ParameterError, "node 1 is in the pool 2 times"),
        (range(6), [1, 1], {}, ShapeError, "the pool has 6 nodes and labels 2 entries"),
        (range(6), labels, {"selections": 7}, ParameterError, "selections is 7 and the pool has 6"),
        (range(6), labels, {"selections": -1}, ParameterError, "selections must be a whole number"),
        (range(6), labels, {"query": ohm.Always()}, LearnerError, "takes a pool query"),
        (range(6), {}, {}, LabelError, "no label came for node"),
    ]:
        settings_ = {"selections": 1, "query": ohm.MaxProgress(), **options}
        query = settings_.pop("query")
        with pytest.raises(error, match=message):
            ohm.play_active(learner, pool, oracle, query, **settings_)
        learner.aggressive = False
        for name, array in learner.snapshot().items():
            np.testing.assert_array_equal(array, before[name])
    perceptron = ohm.Perceptron(learner.kernel)
    with pytest.raises(LearnerError, match="never aggressive"):
        ohm.play_active(perceptron, range(6), labels, ohm.Random(), selections=1, aggressive_suffix=True)
    with pytest.raises(LearnerError, match="MaxProgress needs a learner with a hypothesis"):
        ohm.play_active(ohm.Pounce(learner.kernel), range(6), labels, ohm.MaxProgress(), selections=1)


def test_the_criterion_over_all_nodes_asks_again_where_a_label_was_lost() -> None:
    """I = V at every trial, as (15) is printed: literally the argmax, chosen nodes included."""
    repeats = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        graph = small_graph(rng)
        labels = rng.choice([-1, 1], size=graph.n)
        kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.5)
        learner, literal = ohm.Projection.one_proj(kernel), ohm.Projection.one_proj(kernel, aggressive=True)
        again = ohm.MaxProgress(again=True)
        trace = ohm.play_active(learner, range(graph.n), labels.tolist(), again, selections=2 * graph.n)
        chosen = trace.nodes[: trace.selected]
        for x in chosen:
            scores = np.array([criterion(literal, k) for k in range(graph.n)])
            assert x == np.flatnonzero(scores >= scores.max() * (1 - 1e-8))[0]
            literal.learn_one(x, int(labels[x]))
        repeats += len(set(chosen)) < len(chosen)
        assert sorted(trace.nodes[trace.selected :]) == sorted(set(range(graph.n)) - set(chosen))
        certificate = ProjectionBound(active=trace.selected).certify(trace, labels)
        assert certificate.proven
        assert certificate.charged <= certificate.value
    assert repeats > 10
    assert repr(again) == "MaxProgress(again=True)"
    with pytest.raises(ParameterError, match="selections is 3 and the pool has 0"):
        ohm.play_active(ohm.Projection.one_proj(kernel), [], [], again, selections=3)
    with pytest.raises(ParameterError, match="again must be"):
        ohm.MaxProgress(again=1)
