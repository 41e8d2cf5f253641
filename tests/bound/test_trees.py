"""Certificates of the learners on spanning trees: never beaten, and as tight as the theorem says."""

from __future__ import annotations

from itertools import combinations, pairwise, product
from math import log, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games, graphs
from ohmline.bound import SpanningTreeBound, WeightedTreeBound, expected_mistakes
from ohmline.bound.tree_draws import near_chances
from ohmline.errors import LabelError, LearnerError, ShapeError
from ohmline.graph import Draw
from ohmline.graph.measure import resistance_matrix

PAIRS = [(ohm.SpanningTree, SpanningTreeBound), (ohm.WeightedTree, WeightedTreeBound)]


@pytest.mark.parametrize(("kind", "bound"), PAIRS)
@settings(max_examples=40)
@given(data=st.data())
def test_no_game_beats_its_certificate(kind: Any, bound: Any, data: st.DataObject) -> None:
    graph, stream, labelling = data.draw(
        games(classes=data.draw(st.integers(2, 4)), repeats=False, max_nodes=24)
    )
    learner = kind(graph, trees=data.draw(st.sampled_from([1, 3])), seed=data.draw(st.integers(0, 3)))
    trace = ohm.play(learner, stream)
    for comparator in (None, labelling, dict(zip(graph.nodes, labelling, strict=True))):
        certificate = bound().certify(trace, comparator)
        assert certificate.proven
        assert certificate.charged <= certificate.value


@pytest.mark.parametrize(("kind", "bound"), PAIRS)
@settings(max_examples=25)
@given(data=st.data())
def test_an_adversary_does_not_beat_it(kind: Any, bound: Any, data: st.DataObject) -> None:
    """Every answer is the opposite of the prediction, as long as the cut of the line stays below a limit."""
    graph = data.draw(graphs(connected=True, min_nodes=8, max_nodes=40))
    learner, seen = kind(graph, seed=data.draw(st.integers(0, 3))), kind(graph, seed=0)
    seen = kind(graph, seed=learner.seed)
    most, place = data.draw(st.integers(1, 4)), learner.space.place[:, 0]
    label: dict[int, int] = {}
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    for x in rng.permutation(graph.n).tolist():
        wrong = -1 if learner.predict_one(x) == 1 else 1
        line = [y for _, y in sorted([(place[i], y) for i, y in label.items()] + [(place[x], wrong)])]
        label[x] = wrong if sum(a != b for a, b in pairwise(line)) <= most else -wrong
        learner.learn_one(x, label[x])
    trace = ohm.play(seen, ohm.Stream(list(label), list(label.values())))
    truth = [label[i] for i in range(graph.n)]
    for comparator in (None, truth):
        certificate = bound().certify(trace, comparator)
        assert certificate.proven
        assert trace.mistakes <= certificate.charged <= certificate.value


def test_every_order_and_labelling_of_a_short_line() -> None:
    path = ohm.Graph.from_edges([(k, k + 1, w) for k, w in enumerate([1.0, 0.2, 3.0, 1.0])])
    rng = np.random.default_rng(0)
    for labels in rng.permutation(list(product("abc", repeat=5)))[:40].tolist():
        for kind, bound in PAIRS:
            order = rng.permutation(5)
            trace = ohm.play(kind(path), ohm.Stream(order, [labels[k] for k in order]))
            for comparator in (None, labels):
                certificate = bound().certify(trace, comparator)
                assert certificate.proven
                assert certificate.charged <= certificate.value


def test_the_certificate_is_at_most_the_formula_of_the_theorem() -> None:
    for n, cut, classes in ((200, 1, 2), (1000, 5, 2), (500, 3, 4)):
        labels = np.arange(n) * (cut + 1) // n % classes
        path = ohm.Graph.from_edges([(k, k + 1) for k in range(n - 1)])
        trace = ohm.play(ohm.SpanningTree(path), ohm.Stream(range(n), labels).shuffled(seed=2))
        certificate = SpanningTreeBound().certify(trace, labels)
        formula = cut * log2((classes - 1) * (n - 1) / cut) + cut / log(2) + 1
        assert certificate.terms["cut of the line"] == cut
        assert certificate.value <= formula * 1.001
        assert ohm.bound.best_bound(trace, labels).value <= certificate.value


def test_halving_needs_as_few_mistakes_on_a_line() -> None:
    """The open question at the end of paper 002: log n mistakes on a line, without counting labellings."""
    n = 1024
    labels = np.where(np.arange(n) < 321, 1, -1)
    path = ohm.Graph.from_edges([(k, k + 1) for k in range(n - 1)])
    worst = 0
    for seed in range(5):
        trace = ohm.play(ohm.SpanningTree(path), ohm.Stream(range(n), labels).shuffled(seed=seed))
        worst = max(worst, trace.mistakes)
    assert worst <= 1 + 10 + 2  # log2 n, 1 / ln 2, and the first label


def test_the_expected_cut_is_that_of_the_trees_and_the_average_stays_below() -> None:
    rng = np.random.default_rng(3)
    n = 40
    ends = [(a, b, float(rng.random() + 0.1)) for a, b in combinations(range(n), 2) if rng.random() < 0.15]
    graph = ohm.Graph.from_edges(
        [*ends, *((k, k + 1, 0.5) for k in range(n - 1) if not any(e[:2] == (k, k + 1) for e in ends))],
        nodes=range(n),
    )
    labels = np.where(np.arange(n) < n // 2, 1, -1)
    found = expected_mistakes(graph, labels)
    cuts, mistakes = [], {kind: [] for kind, _ in PAIRS}
    for seed in range(150):
        tree = ohm.graph.spanning_tree(graph, draw=Draw.WILSON, seed=seed)
        u, v, _ = tree.edges()
        cuts.append(int((labels[u] != labels[v]).sum()))
        for kind, _ in PAIRS:
            learner = kind(graph, draw=Draw.WILSON, seed=seed)
            mistakes[kind].append(ohm.play(learner, ohm.Stream(range(n), labels).shuffled(seed)).mistakes)
    error = float(np.std(cuts)) / np.sqrt(len(cuts))
    assert abs(np.mean(cuts) - found.cut) < 4 * error
    assert found.exact
    assert np.mean(mistakes[ohm.SpanningTree]) <= found.value
    assert np.mean(mistakes[ohm.WeightedTree]) <= expected_mistakes(graph, labels, weighted=True).value


@settings(max_examples=20)
@given(graph=graphs(max_nodes=14))
def test_the_limit_on_large_graphs_is_never_below_the_exact_one(graph: ohm.Graph) -> None:
    u, v, w = graph.edges()
    near = near_chances(graph.indptr, graph.indices, graph.weights, u, v, w)
    assert np.all(near >= w * resistance_matrix(graph)[u, v] - 1e-9)
    assert np.all(near <= 1)


def test_what_is_wrong_voids_the_certificate_or_is_refused() -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    trace = ohm.play(ohm.SpanningTree(graph), ohm.Stream([0, 3, 0], [1, -1, -1]))
    assert not SpanningTreeBound().certify(trace).valid
    taught = ohm.SpanningTree(graph)
    taught.learn_one(1, 1)
    assert not SpanningTreeBound().certify(ohm.play(taught, ohm.Stream([0, 3], [1, -1]))).valid
    fresh = ohm.play(ohm.SpanningTree(graph), ohm.Stream([0, 3], [1, -1]))
    assert not SpanningTreeBound().certify(fresh, [1, 1, 1, 1]).valid
    with pytest.raises(LearnerError, match="speaks about WeightedTree"):
        WeightedTreeBound().certify(fresh)
    with pytest.raises(ShapeError, match="4 entries"):
        SpanningTreeBound().certify(fresh, [1, 1])
    with pytest.raises(LabelError, match="missing"):
        expected_mistakes(graph, [1, None, 1, 1])
    assert expected_mistakes(graph, [1, 1, 1, 1]).value == pytest.approx(1)
