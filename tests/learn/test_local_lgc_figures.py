"""LocalLGC's figures: on the real graphs, and the benchmark and experiment that report them."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from scipy import stats

import ohmline as ohm
from ohmline.errors import DataError
from ohmline.lab.benches.large_graphs import hubs
from ohmline.lab.benches.local_lgc import chase, count_edges, large_graph, one_graph, play_plain
from ohmline.lab.experiment import Row, Settings
from ohmline.lab.experiments.local import (
    Case,
    _all_labels,
    _claims,
    _few_labels,
    calibration_error,
    play_closely,
    rates,
)
from ohmline.learn.local_lgc.local_solve import UNLIMITED


def case(name: str) -> Case:
    try:
        part = ohm.data.load(name).largest_component()
    except DataError as missing:
        pytest.skip(f"set OHMLINE_DATA to a folder with {name}: {missing}")
    return Case(name, ohm.Graph.from_scipy(part.graph.adjacency), part.codes)


def mean(
    case: Case, query: ohm.query.StreamQuery, shuffles: int = 5, **options: float
) -> tuple[float, float]:
    """Mean mistake rate and labels over shuffles, with the defaults unless told otherwise."""
    table = rates(case, list(range(shuffles)), lambda: ohm.LocalLGC(case.graph, **options), query)
    return float(table[:, 0].mean()), float(table[:, 1].mean())


@pytest.mark.data
def test_cora() -> None:
    cora = case("cora")
    assert mean(cora, ohm.Always())[0] <= 0.157
    assert mean(cora, ohm.Always(), tolerance=1e-4, caution=0.3)[0] <= 0.154
    rate, labels = mean(cora, ohm.GapBelow())
    assert rate <= 0.168
    assert labels <= 700
    closely = play_closely(cora, 0, {})
    assert closely.calibration <= 0.05
    assert closely.certain >= 0.4


def digits() -> Case:
    images = ohm.data.load("digits")
    return Case("digits", ohm.graph.knn(images.points, 10), images.labels)


def les_miserables() -> Case:
    novel = nx.convert_node_labels_to_integers(nx.les_miserables_graph())
    adjacency = nx.to_scipy_sparse_array(novel, weight="weight", dtype=float)
    return Case("les miserables", ohm.Graph.from_scipy(adjacency), np.arange(len(novel)) % 4)


@pytest.mark.parametrize("reach", [True, False])
@pytest.mark.parametrize(
    "graph",
    [pytest.param(lambda: case("cora"), marks=pytest.mark.data, id="cora"), digits, les_miserables],
)
def test_variances_rank_nodes_as_the_exact_ones_do(graph: Callable[[], Case], reach: bool) -> None:
    """A query reads before each label is learned, so that what is kept from label to label is ranked by."""
    given, ridge = graph(), 0.1
    n = given.graph.n
    order = np.random.default_rng(1).permutation(n)
    laplacian = given.graph.laplacian().toarray() / given.graph.weights.mean()
    learner, done = ohm.LocalLGC(given.graph, reach=reach), 0
    mu = learner.mu
    for share in (0.01, 0.02, 0.05, 0.15, 0.4):
        many = max(int(share * n), 1)
        for x in order[done:many].tolist():
            learner.variance_one(x)
            learner.learn_one(x, int(given.labels[x]))
        done = many
        known, rest = order[:many], order[many:][:300]
        q = laplacian + ridge * np.eye(n)
        q[known, known] += 1 / mu
        inverse = np.linalg.inv(q)
        own = inverse[rest, rest]
        elsewhere = np.delete(inverse, known, axis=0)[:, rest].sum(axis=0) - own
        exact = elsewhere**2 / (mu + own) if reach else own / (mu + own)
        told = np.array([learner.variance_one(x) for x in rest.tolist()])
        assert stats.spearmanr(told, exact)[0] >= 0.95
        assert 0.97 <= (told / exact).mean() <= (1.15 if reach else 1.01)


@pytest.mark.parametrize("reach", [True, False])
def test_a_variance_does_not_depend_on_when_others_were_read(reach: bool) -> None:
    """What is kept from label to label is close to what is solved for afresh, after edits too."""
    novel = les_miserables()
    often, once = (ohm.LocalLGC(novel.graph, reach=reach) for _ in range(2))
    order = np.random.default_rng(0).permutation(novel.graph.n)[:40].tolist()
    told = np.empty(0)
    for step, x in enumerate(order):
        for learner in (often, once):
            if step == 20:
                learner.forget_one(order[0])
            elif step == 30:
                learner.add_node("new")
                learner.add_edge("new", x)
            else:
                learner.learn_one(x, int(novel.labels[x]))
        told = np.array([often.variance_one(x) for x in often.nodes])
    assert np.array([once.variance_one(x) for x in once.nodes]) == pytest.approx(told, rel=0.1, abs=0.1)


@pytest.mark.data
def test_pubmed() -> None:
    pubmed = case("pubmed")
    assert mean(pubmed, ohm.Always())[0] <= 0.174
    rate, labels = mean(pubmed, ohm.GapBelow(), shuffles=2)
    assert rate <= 0.178
    assert labels <= 6500


@pytest.mark.data
@pytest.mark.slow
def test_pubmed_closely() -> None:
    pubmed = case("pubmed")
    assert mean(pubmed, ohm.Always(), tolerance=1e-4, caution=0.3)[0] <= 0.1735
    rate, labels = mean(pubmed, ohm.GapBelow(0.0005), shuffles=2)
    assert rate <= 0.1756
    assert labels <= 10_000
    assert play_closely(pubmed, 0, {}).calibration <= 0.05


@pytest.mark.data
@pytest.mark.parametrize("name", ["cora", pytest.param("wikimovies4", marks=pytest.mark.slow)])
def test_informed_queries_beat_random_ones(name: str) -> None:
    graph = case(name)
    rate, labels = mean(graph, ohm.GapBelow(), shuffles=2)
    assert rate < mean(graph, ohm.RandomRate(labels / graph.graph.n), shuffles=2)[0]


def test_probabilities_are_calibrated_on_digits() -> None:
    closely = play_closely(digits(), 0, {})
    assert closely.calibration <= 0.05
    assert closely.error <= 0.035


def test_calibration_error_is_that_of_its_definition() -> None:
    rng = np.random.default_rng(0)
    confidence, right = rng.random(500), rng.random(500) < 0.5
    expected = 0.0
    for low in np.arange(15) / 15:
        inside = (confidence >= low) & (confidence < low + 1 / 15)
        if inside.any():
            expected += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    assert calibration_error(confidence, right) == pytest.approx(expected)


def karate() -> Case:
    club = ohm.data.load("karate")
    return Case("karate", ohm.Graph.from_scipy(club.graph.adjacency), club.codes)


def test_the_benchmark_counts_what_the_game_does() -> None:
    club = karate()
    order = np.random.default_rng(0).permutation(club.graph.n)
    learner, twin = (ohm.LocalLGC(club.graph, [0, 1]) for _ in range(2))
    edges = 0
    for x in order.tolist():
        learner.view_one(x)
        edges += int(learner.state.solve.found[0]["edges"])
        learner.learn_one(x, int(club.labels[x]))
    assert count_edges(twin.space, twin.state, order, club.labels) == edges
    np.testing.assert_array_equal(twin.state.estimate, learner.state.estimate)


def test_the_plain_push_is_the_same_learner_without_its_correction() -> None:
    """At a tolerance of 1e-4 on a small graph both are nearly exact, so they err alike."""
    club = karate()
    order = np.random.default_rng(0).permutation(club.graph.n)
    plain = ohm.LocalLGC(club.graph, [0, 1])
    state = plain.state
    mistakes = play_plain(plain.space, state.nodes, state.solve, order, club.labels, np.arange(2))
    exact = ohm.LocalLGC(club.graph, [0, 1], tolerance=1e-12, caution=float("inf"))
    trace = ohm.play(exact, ohm.Stream(order, club.labels[order]))
    assert mistakes == trace.mistakes


def test_five_arrays_play_the_same_game() -> None:
    """The reference is LocalLGC without caps and sweeps, mistake for mistake: no worse, which would flatter ours."""
    figures = large_graph(n=400, trials=300, repeat=1)
    assert len(figures["targets"]) == 3
    graph, signs = hubs(400)
    order = np.random.default_rng(1).permutation(400)[:300]
    labels = (signs + 1) // 2
    learner = ohm.LocalLGC(graph, [0, 1])
    learner.space = learner.space._replace(most=UNLIMITED, most_learned=UNLIMITED)
    trace = ohm.play(learner, ohm.Stream(order, labels[order]))
    assert trace.mistakes == figures["five_arrays_mistakes"]


def test_the_chase_visits_every_place() -> None:
    following = np.array([3, 2, 0, 1])
    assert [chase(following, k) for k in range(5)] == [0, 3, 1, 2, 0]


def test_the_benchmark_and_the_experiment_report_a_small_graph() -> None:
    club = karate()
    figures = one_graph("karate", club.graph, club.labels, None)
    assert len(figures["targets"]) == 4
    assert figures["floor_microseconds"] > 0
    rows: list[Row] = []
    found = _all_labels(club, [0, 1], Settings(), rows)
    points = _few_labels(club, [0, 1], Settings(), rows)
    assert 0 <= found["defaults"]["certain share"] <= 1
    assert all(len(curve) == 5 for curve in points.values())
    assert next(iter(_claims("karate", found, points))).claim.startswith("karate: expected")
    assert len(rows) == 3 * 5 + 5 * 3 * 2
