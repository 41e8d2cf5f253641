"""Learners on random spanning trees, against a literal reading of their rules."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games, graphs
from ohmline.errors import LearnerError, ParameterError, SnapshotError, UnknownNode, WeightError
from ohmline.graph import Draw
from ohmline.graph.random_trees import draw_tree
from ohmline.graph.tree_line import line_of

LEARNERS = [ohm.SpanningTree, ohm.WeightedTree]


class Literal:
    """The learner by its rules, over lines given as lists of nodes and lengths."""

    def __init__(self, learner: Any) -> None:
        self.learner, self.label = learner, {}
        n = learner.graph.n
        self.lines = []
        for t in range(learner.trees):
            place = learner.space.place[:, t].tolist()
            self.lines.append((place, learner.space.miles(t, np.arange(n)).tolist(), n))

    def vote(self, t: int, x: int) -> tuple[Any, Fraction]:
        place, mile, _ = self.lines[t]
        part = self.learner.graph.component_of
        near = sorted(
            (abs(mile[place[x]] - mile[place[i]]), place[i] > place[x], place[i])
            for i in self.label
            if part[i] == part[x]
        )
        if not near:
            return None, Fraction(0)
        where = {place[i]: y for i, y in self.label.items()}
        before = max((p for p in where if p < place[x] and self.same(p, t, x)), default=None)
        after = min((p for p in where if p > place[x] and self.same(p, t, x)), default=None)
        if before is None or after is None or where[before] == where[after]:
            return where[near[0][2]], Fraction(1)
        a, b = mile[place[x]] - mile[before], mile[after] - mile[place[x]]
        return where[near[0][2]], Fraction(abs(a - b), a + b)

    def same(self, p: int, t: int, x: int) -> bool:
        part, place = self.learner.graph.component_of, self.lines[t][0]
        return bool(part[place.index(p)] == part[x])

    def view(self, x: int) -> tuple[Any, Fraction]:
        if x in self.label:
            return self.label[x], Fraction(1)
        votes = [self.vote(t, x) for t in range(self.learner.trees)]
        if votes[0][0] is None:
            return None, Fraction(0)
        counts = Counter(y for y, _ in votes)
        most = max(counts.values())
        best = next(y for y, _ in votes if counts[y] == most)
        second = max((c for y, c in counts.items() if y != best), default=0)
        sure = sum(s for y, s in votes if y == best) / most
        lead = most - second
        return best, (lead - 1 + sure) / self.learner.trees if lead else Fraction(0)


@pytest.mark.parametrize("kind", LEARNERS)
@settings(max_examples=25)
@given(data=st.data())
def test_every_trial_is_the_literal_rule(kind: Any, data: st.DataObject) -> None:
    graph, stream, _ = data.draw(games(classes=data.draw(st.integers(2, 4)), max_nodes=16))
    learner = kind(graph, trees=data.draw(st.sampled_from([1, 3, 5])), seed=data.draw(st.integers(0, 5)))
    slow = Literal(learner)
    for x, y in stream:
        seen, wanted = learner.view_one(x), slow.view(x)
        assert seen.prediction == wanted[0]
        assert seen.margin == pytest.approx(float(wanted[1]), abs=1e-12)
        if x in slow.label and data.draw(st.booleans()):
            learner.forget_one(x)
            del slow.label[x]
            assert learner.label_one(x) is None
        else:
            learner.learn_one(x, y)
            slow.label[x] = y
    table = learner.predict_many()
    for k, node in enumerate(graph.nodes):
        view = learner.view_one(node)
        assert table[k].prediction == view.prediction
        if view.prediction is not None:
            assert table.probabilities[k].sum() == pytest.approx(1)
            best = table.probabilities[k].max()
            assert table.probabilities[k][learner.classes.index(view.prediction)] >= best - 1e-12


@settings(max_examples=30)
@given(graph=graphs(max_nodes=14), seed=st.integers(0, 9), draw=st.sampled_from([None, *Draw]))
def test_a_line_is_the_walk_of_a_spanning_forest(graph: ohm.Graph, seed: int, draw: Draw | None) -> None:
    tree = draw_tree(graph, draw, np.random.default_rng(seed))
    assert int((tree.parent < 0).sum()) == graph.n_components
    weight = graph.adjacency.toarray()
    for i, up in enumerate(tree.parent.tolist()):
        assert up < 0 or weight[i, up] == tree.weight[i] > 0
    spanned = ohm.Graph.from_edges(
        [(i, up) for i, up in enumerate(tree.parent.tolist()) if up >= 0], nodes=range(graph.n)
    )
    assert np.array_equal(spanned.component_of, graph.component_of)
    line = line_of(tree, graph.component_of)
    assert sorted(line.node.tolist()) == list(range(graph.n))
    assert np.array_equal(graph.component_of[line.node], np.sort(graph.component_of))
    # The weakest edge of the tree's path between two neighbours on the line, and each edge walked at most twice.
    walked: Counter[tuple[int, int]] = Counter()
    for k in range(1, graph.n):
        a, b = int(line.node[k - 1]), int(line.node[k])
        if graph.component_of[a] != graph.component_of[b]:
            assert line.weight[k] == 0
            continue
        path = path_between(tree.parent, a, b)
        assert line.weight[k] == min(weight[i, j] for i, j in path)
        walked.update((min(e), max(e)) for e in path)
    assert max(walked.values(), default=0) <= 2


def path_between(parent: np.ndarray, a: int, b: int) -> list[tuple[int, int]]:
    up = [a]
    while parent[up[-1]] >= 0:
        up.append(int(parent[up[-1]]))
    down = [b]
    while down[-1] not in up:
        down.append(int(parent[down[-1]]))
    whole = [*up[: up.index(down[-1]) + 1], *down[-2::-1]]
    return list(pairwise(whole))


def trees_of(graph: ohm.Graph) -> dict[frozenset[tuple[int, int]], float]:
    """All spanning trees, each with the product of its weights."""
    edges = [(int(a), int(b), float(w)) for a, b, w in zip(*graph.edges(), strict=True)]
    found = {}
    for chosen in combinations(edges, graph.n - 1):
        if ohm.Graph.from_edges([e[:2] for e in chosen], nodes=range(graph.n)).n_components == 1:
            found[frozenset(e[:2] for e in chosen)] = float(np.prod([e[2] for e in chosen]))
    return found


def test_wilson_draws_trees_by_their_products_of_weights_and_clocks_do_not() -> None:
    graph = ohm.Graph.from_edges([(0, 1, 3.0), (1, 2), (2, 3, 2.0), (3, 0), (0, 2, 0.5)])
    weights = trees_of(graph)
    total, draws = sum(weights.values()), 4000
    rng, far = np.random.default_rng(1), {}
    for draw in Draw:
        counts: Counter[frozenset[tuple[int, int]]] = Counter()
        for _ in range(draws):
            parent = draw_tree(graph, draw, rng).parent.tolist()
            counts[frozenset((min(i, p), max(i, p)) for i, p in enumerate(parent) if p >= 0)] += 1
        assert set(counts) <= set(weights)
        expected = {tree: draws * weight / total for tree, weight in weights.items()}
        far[draw] = sum((counts[tree] - e) ** 2 / e for tree, e in expected.items())
    assert far[Draw.WILSON] < 30  # chi-square with 7 degrees of freedom: below 30 but once in 10,000
    assert far[Draw.CLOCKS] > 30


def test_a_walk_that_takes_too_long_is_given_up_but_not_where_the_law_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ohmline.graph.random_trees.STRIDE", 50)
    ring = ohm.graph.generate.ring(60).graph
    monkeypatch.setattr("ohmline.graph.random_trees.PATIENCE", 0)
    assert not ohm.SpanningTree(ring).exact_law
    assert ohm.SpanningTree(ring, draw=Draw.WILSON).exact_law
    monkeypatch.setattr("ohmline.graph.random_trees.PATIENCE", 10**6)
    assert ohm.SpanningTree(ring).exact_law


def test_a_path_is_its_own_line_and_weights_decide_who_is_near() -> None:
    path = ohm.Graph.from_edges([(k, k + 1, 1.0 if k < 5 else 100.0) for k in range(10)])
    assert ohm.SpanningTree(path).line() in ([*range(11)], [*range(10, -1, -1)])
    plain, weighted = ohm.SpanningTree(path), ohm.WeightedTree(path)
    for learner in (plain, weighted):
        learner.learn_many({0: "light", 10: "heavy"})
    assert plain.predict_one(4) == "light"
    assert weighted.predict_one(4) == "heavy"


def test_lengths_far_apart_stay_in_order() -> None:
    path = ohm.Graph.from_edges([(0, 1, 1e-300), (1, 2, 1e300), (2, 3, 1.0), (3, 4, 1e-9)])
    learner = ohm.WeightedTree(path)
    assert (np.diff(learner.space.mile[0]) >= 1).all()
    learner.learn_many({0: "a", 4: "b"})
    assert [learner.predict_one(k) for k in (1, 2, 3)] == ["b", "b", "b"]


@pytest.mark.parametrize("kind", LEARNERS)
def test_late_classes_and_components_without_labels(kind: Any) -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2), (3, 4)], nodes=range(6))
    learner = kind(graph, trees=3)
    assert learner.predict_one(0) is None
    assert learner.learn_one(1, "a").mistake
    assert [learner.predict_one(k) for k in range(6)] == ["a", "a", "a", None, None, None]
    assert learner.learn_one(5, "late").mistake
    assert learner.classes == ("a", "late")
    with pytest.raises(LearnerError, match="no label to forget"):
        learner.forget_one(0)
    declared = kind(graph, ["late", "a"])
    assert declared.classes == ("late", "a")
    assert ohm.learn.SpanningTree(ohm.Graph.from_edges([], nodes=["only"])).predict_one("only") is None


@pytest.mark.parametrize("kind", LEARNERS)
def test_bad_input_is_refused(kind: Any) -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(ParameterError, match="trees must be odd"):
        kind(graph, trees=4)
    with pytest.raises(ParameterError, match=r"one of Draw\.WILSON"):
        kind(graph, draw="wilson")
    with pytest.raises(WeightError, match="negative"):
        kind(ohm.Graph.from_edges([(0, 1, -1.0), (1, 2)], signed=True))
    learner = kind(graph)
    learner.learn_one(0, "a")
    saved = learner.snapshot()
    other = kind(graph, seed=1, trees=3)
    other.learn_one(0, "a")
    with pytest.raises(SnapshotError, match="trees"):
        other.load(saved)
    with pytest.raises(SnapshotError, match="lines"):
        kind.restore({**saved, "lines": np.array("0" * 64)}, graph)
    with pytest.raises(SnapshotError, match="over its Graph"):
        kind.restore(saved, ohm.LaplacianKernel(graph))
    assert kind.restore(saved, graph).predict_one(2) == "a"


@pytest.mark.parametrize("kind", [ohm.SpanningTree, ohm.WeightedTree, ohm.ClusterSpecialists])
def test_the_probabilities_of_one_node_are_its_row_of_the_table(kind: Any) -> None:
    graph = ohm.Graph.from_edges([(k, k + 1) for k in range(9)], nodes=range(12))
    learner = kind(graph, trees=5)
    assert learner.predict_proba_one(3) == {}
    learner.learn_many({0: "a", 9: "b", 5: "c"})
    for node, row in zip(range(10), learner.predict_proba_many(range(10)), strict=True):
        assert list(learner.predict_proba_one(node).values()) == row.tolist()
        assert set(learner.predict_proba_one(node)) == {"a", "b", "c"}
    assert learner.predict_proba_one(11) == {}
    with pytest.raises(UnknownNode, match="99"):
        learner.predict_proba_one(99)
