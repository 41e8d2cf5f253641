"""The laws of `suggest`: what it never does, and what it does with what it is given."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ohmline as ohm
from graphs import graphs
from ohmline.errors import LearnerError, ParameterError, UnknownNode

QUERIES: list[Any] = [
    None,
    ohm.Uncertainty(),
    ohm.SigmaOptimal(),
    ohm.VOptimal(3),
    ohm.Contested(),
    ohm.ErrorReduction(3),
    ohm.ModelChange(),
    ohm.FarthestFirst(),
    ohm.Random(),
    ohm.MinMargin(),
]


def taught(graph: ohm.Graph, seed: int, labels: int) -> ohm.LocalLGC:
    learner, rng = ohm.LocalLGC(graph), np.random.default_rng(seed)
    for i in rng.choice(graph.n, min(labels, graph.n), replace=False).tolist():
        learner.learn_one(graph.nodes[i], f"class {rng.integers(3)}")
    return learner


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


@given(
    graphs(named=True), st.integers(0, 99), st.integers(0, 12), st.integers(0, 15), st.sampled_from(QUERIES)
)
def test_suggestions_are_open_and_different_and_change_nothing(
    graph: ohm.Graph, seed: int, labels: int, k: int, query: Any
) -> None:
    learner = taught(graph, seed, labels)
    before = learner.snapshot()
    found = list(ohm.suggest(learner, k, query, seed=seed))
    assert len(found) == len(set(found)) == min(k, graph.n - min(labels, graph.n))
    assert all(learner.label_one(x) is None for x in found)
    assert same(before, learner.snapshot())
    assert list(ohm.suggest(learner, k, query, seed=seed)) == found


@pytest.mark.parametrize("query", QUERIES[:8], ids=repr)
def test_the_order_of_the_nodes_does_not_matter(query: Any) -> None:
    rng = np.random.default_rng(5)
    edges = [(k, (k + 1) % 30, float(rng.uniform(0.5, 2))) for k in range(30)]  # no leaf, which would tie
    edges += [
        (int(a), int(b), float(rng.uniform(0.5, 2))) for a, b in rng.integers(0, 30, (20, 2)) if a + 1 < b
    ]
    edges = list({(min(a, b), max(a, b)): (a, b, w) for a, b, w in edges}.values())
    found = []
    for order in (list(range(30)), rng.permutation(30).tolist()):
        learner = ohm.LocalLGC(ohm.Graph.from_edges(edges, nodes=order), classes=["x", "y"])
        for node, label in ((3, "x"), (17, "y"), (25, "x")):
            learner.learn_one(node, label)
        wide = (
            type(query)(30)
            if isinstance(query, ohm.VOptimal | ohm.ErrorReduction | ohm.ModelChange)
            else query
        )
        found.append(set(ohm.suggest(learner, 6, wide)))
    assert found[0] == found[1]


def two_cliques(size: int = 8) -> ohm.Graph:
    one = [(a, b) for a in range(size) for b in range(a)]
    return ohm.Graph.from_edges(one + [(a + size, b + size) for a, b in one] + [(0, size)])


@pytest.mark.parametrize("query", [q for q in QUERIES[:8] if not isinstance(q, ohm.Uncertainty)], ids=repr)
def test_two_suggestions_are_not_both_in_one_clique(query: Any) -> None:
    found = list(ohm.suggest(ohm.LocalLGC(two_cliques(), classes=["x", "y"]), 2, query))
    assert {node >= 8 for node in found} == {True, False}


def test_the_default_looks_where_nothing_is_known_while_one_class_has_come_up() -> None:
    learner = ohm.LocalLGC(two_cliques(), classes=["x", "y"])
    learner.learn_one(3, "x")
    assert ohm.suggest(learner, 1)[0] >= 8


def test_an_uncertain_batch_is_not_the_top_of_the_single_scores() -> None:
    """Two cliques, one of them larger, each between two labels: every node of one is as uncertain as the next."""
    graph = two_cliques()
    extra = [("l", 1), ("m", 1), ("l", 9), ("m", 9)]
    a, b, _ = graph.edges()
    graph = ohm.Graph.from_edges(
        [*zip(a.tolist(), b.tolist(), strict=True), *extra], nodes=[*range(16), "l", "m"]
    )
    learner = ohm.LocalLGC(graph, classes=["x", "y"])
    learner.learn_one("l", "x")
    learner.learn_one("m", "y")
    found = list(ohm.suggest(learner, 2, ohm.Uncertainty()))
    assert {node >= 8 for node in found} == {True, False}


def test_labelled_nodes_of_a_pool_are_passed_over_and_a_small_pool_is_given_whole() -> None:
    learner = taught(two_cliques(), 0, 0)
    learner.learn_one(3, "x")
    assert sorted(ohm.suggest(learner, 9, nodes=[3, 4, 4, 5])) == [4, 5]
    assert list(ohm.suggest(learner, 9, nodes=[])) == []
    assert list(ohm.suggest(learner, 9, nodes=[3])) == []
    assert list(ohm.suggest(learner, 0)) == []


def test_a_learner_that_forgets_its_nodes_must_be_given_the_pool() -> None:
    learner = ohm.Perceptron(ohm.LaplacianKernel(two_cliques()) + ohm.Constant(1.0))
    with pytest.raises(LearnerError, match=r"Perceptron does not remember.*nodes="):
        ohm.suggest(learner)
    assert len(ohm.suggest(learner, 3, nodes=range(16))) == 3


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"k": -1}, ParameterError, "k must be a whole number"),
        ({"k": 2.0}, ParameterError, "k must be a whole number"),
        ({"seed": -1}, ParameterError, "seed"),
        ({"nodes": [99]}, UnknownNode, "unknown node 99"),
        ({"nodes": 5}, ohm.OhmlineError, "iterable"),
        ({"query": ohm.Always()}, LearnerError, "pool query.*play"),
        ({"query": ohm.Uncertainty}, LearnerError, r"class Uncertainty.*Uncertainty\(\)"),
        ({"query": "uncertainty"}, LearnerError, r"name.*query=ohm\.Uncertainty\(\)"),
        ({"query": "v-optimal"}, LearnerError, r"name.*query=ohm\.VOptimal\(\)"),
        ({"query": "best"}, LearnerError, r"name.*query=ohm\.Uncertainty\(\)"),
    ],
)
def test_bad_arguments_are_named(arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        ohm.suggest(taught(two_cliques(), 0, 3), **arguments)


def test_bad_learners_are_named() -> None:
    with pytest.raises(LearnerError, match="learner"):
        ohm.suggest("learner")  # type: ignore[arg-type]
    for points in (ohm.OnlineManifold(), ohm.LocalManifold()):
        with pytest.raises(LearnerError, match=rf"{type(points).__name__}.*ohm\.play\("):
            ohm.suggest(points)


def test_the_table_says_why(tmp_path: Path) -> None:
    line = ohm.Graph.from_edges([(k, k + 1) for k in range(6)], nodes=[*range(7), "alone"])
    learner = ohm.LocalLGC(line, classes=["red", "blue"])
    learner.learn_one(0, "red")
    learner.learn_one(6, "blue")
    table = ohm.suggest(learner, 9, ohm.Uncertainty())
    rows = {row.node: row for row in table.rows}
    assert list(table) == list(table.nodes) == [table[k] for k in range(len(table))]
    assert rows[3].why == "two classes are nearly level: red .51, blue .49"  # in the middle of the line
    assert rows["alone"].why.startswith("no label reaches it")
    assert rows["alone"].prediction is None
    assert rows[1].prediction == "red"
    assert rows[1].probability == learner.predict_many([1])[0].probability
    assert "3: two classes are nearly level" in repr(table)
    assert ohm.suggest(learner, 1, ohm.Random()).rows[0].why == "drawn at random"
    table.to_csv(tmp_path / "next.csv")
    with (tmp_path / "next.csv").open(newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["node"] for row in read] == [str(x) for x in table]
    assert [row["why"] for row in read] == [row.why for row in table.rows]


def ragged() -> ohm.Graph:
    """A large part, a smaller one that no label reaches, one of two nodes, and many nodes without edges."""
    made = ohm.graph.generate.stochastic_block_model([60, 60], 0.02 + 0.08 * np.eye(2), seed=1).graph
    u, v, _ = made.largest_component().edges()
    large = [(f"a{int(a)}", f"a{int(b)}") for a, b in zip(u, v, strict=True)]
    small = [(f"b{k}", f"b{(k + 1) % 30}") for k in range(30)]
    alone = [f"alone {k}" for k in range(40)]
    joined = sorted({x for edge in [*large, *small] for x in edge})
    return ohm.Graph.from_edges([*large, *small, ("p", "q")], nodes=[*alone, *joined, "p", "q"])


@pytest.mark.parametrize(
    "query", [None, ohm.Uncertainty(), ohm.SigmaOptimal(), ohm.Contested(), ohm.ModelChange()], ids=repr
)
def test_nodes_without_edges_come_last(query: Any) -> None:
    graph = ragged()
    learner = ohm.fit(graph, {"a0": "x", "a100": "y"})
    table = ohm.suggest(learner, 12, query)
    assert not [node for node in table if str(node).startswith("alone")]
    everything = list(ohm.suggest(learner, graph.n, ohm.Uncertainty()))
    assert all(str(node).startswith("alone") for node in everything[-40:])
    last = ohm.suggest(learner, 40, nodes=[f"alone {k}" for k in range(40)]).rows
    assert {row.why for row in last} == {
        "no label reaches it; it has no edges, so that its label settles this node alone"
    }


def test_a_part_that_no_label_reaches_counts_as_many_nodes_as_it_has() -> None:
    found = ohm.suggest(ohm.fit(ragged(), {"a0": "x", "a100": "y"}), 10)
    rows = {row.node: row.why for row in found.rows}
    of_b = [node for node in rows if str(node).startswith("b")]
    assert of_b
    assert (
        rows[of_b[0]] == "no label reaches it; its label would give a class to the 30 nodes it is joined with"
    )
    assert "p" not in rows
    assert "q" not in rows
    assert any(str(node).startswith("a") for node in rows)


def test_many_small_parts_leave_candidates_where_labels_are() -> None:
    pairs = [(f"p{k}", f"q{k}") for k in range(60)]
    cliques = [(6 * c + a, 6 * c + b) for c in range(3) for a in range(6) for b in range(a)]
    graph = ohm.Graph.from_edges([*pairs, *cliques, (0, 6), (11, 12)])
    learner = ohm.fit(graph, {1: "x", 13: "y"})
    assert ohm.suggest(learner, 1)[0] in range(6, 12)  # all 6 in the middle are in doubt; a pair is two nodes


def test_the_table_becomes_a_frame() -> None:
    pytest.importorskip("polars")
    table = ohm.suggest(taught(two_cliques(), 0, 2), 4)
    frame = table.to_frame()
    assert frame.columns == ["node", "prediction", "probability", "why"]
    assert len(frame) == 4
    assert ohm.suggest(taught(two_cliques(), 0, 2), 0).to_frame().shape == (0, 4)
