"""Several types of edges: brought as graphs, rows or columns, with directions, and refused where they do not fit."""

from __future__ import annotations

import copy
import pickle
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ohmline as ohm
from ohmline.errors import GraphError, OhmlineError, ParameterError, ShapeError, UnknownNode, WeightError

PATH = ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
arcs = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=30)


def shared(arcs: set[tuple[int, int]], u: int, v: int, most: int) -> float:
    """By hand: 1/d for each node that both point to, d at most `most` pointing there."""
    total = 0.0
    for h in range(8):
        pointing = [a for a, b in arcs if b == h]
        if u in pointing and v in pointing and len(pointing) <= most:
            total += 1 / len(pointing)
    return total


@given(arcs, st.integers(2, 4))
def test_directions_are_what_they_say(pairs: list[tuple[int, int]], most: int) -> None:
    found = ohm.graph.directions(pairs, nodes=range(8), most=most)
    ahead = {(a, b) for a, b in pairs if a != b}
    back = {(b, a) for a, b in ahead}
    for u, v in combinations(range(8), 2):
        for name, these in (("same targets", ahead), ("same sources", back)):
            weight = found[name].neighbours(u).get(v, 0.0)
            assert weight == pytest.approx(shared(these, u, v, most))
        direct = found["direct"]
        assert (v in direct.neighbours(u)) == ((u, v) in ahead or (v, u) in ahead)
    rows = np.repeat(np.arange(8), np.diff(direct.indptr))
    for row, column, way in zip(rows, direct.indices, found.directions["direct"], strict=True):
        assert way == ((row, column) in ahead) + 2 * ((column, row) in ahead)


def test_a_hub_does_not_explode() -> None:
    rng = np.random.default_rng(0)
    to_hub = [(k, 20_000) for k in range(20_000)]
    others = rng.integers(20_000, size=(20_000, 2)).tolist()
    found = ohm.graph.directions(to_hub + [(a, b) for a, b in others if a != b])
    assert found["same targets"].n_edges < 64 * 40_000
    assert found["same targets"].n_edges < 100_000  # the hub joins nobody


def test_rows_columns_and_graphs_agree() -> None:
    rows = [("a", "b", "x"), ("b", "c", "x", 2.0), ("c", "a", "y", 3.0)]
    by_rows = ohm.Relations.from_edges(rows, nodes="abcd")
    by_columns = ohm.Relations.from_columns("abc", "bca", "xxy", [1, 2, 3], nodes="abcd")
    types = {
        "x": ohm.Graph.from_edges([("a", "b"), ("b", "c", 2.0)], nodes="abcd"),
        "y": ohm.Graph.from_edges([("c", "a", 3.0)], nodes="abcd"),
    }
    assert by_rows.fingerprint == by_columns.fingerprint == ohm.Relations(types).fingerprint
    assert by_rows.types == ("x", "y")
    assert list(by_rows) == ["x", "y"]
    assert (len(by_rows), by_rows.n) == (2, 4)
    assert by_rows.summary()["y"]["edges"] == 1
    directed = ohm.Relations.from_edges(rows, nodes="abcd", directed=True)
    assert directed.fingerprint != by_rows.fingerprint


def test_the_union_counts_in_mean_weights() -> None:
    relations = ohm.Relations.from_edges([(0, 1, "x", 100.0), (1, 2, "x", 300.0), (0, 1, "y", 5.0)])
    assert relations.union().neighbours(1) == {0: 1.5, 2: 1.5}
    assert relations.union({"x": 2.0}).neighbours(1) == {0: 1.0, 2: 3.0}
    assert relations.union({"x": 0.0, "y": 0.0}).n_edges == 0
    with pytest.raises(ParameterError, match="no type 'z'; the types are"):
        relations.union({"z": 1.0})
    with pytest.raises(ParameterError, match="weight of 'x'"):
        relations.union({"x": -1.0})


def test_weights_near_the_largest_and_smallest_numbers() -> None:
    for large in (1e308, 1e-308):
        relations = ohm.Relations.from_edges([(0, 1, "x", large), (1, 2, "x", large), (0, 2, "y")])
        assert relations.union().neighbours(1) == {0: 1.0, 2: 1.0}


def test_relations_never_change() -> None:
    relations = ohm.Relations({"x": PATH})
    with pytest.raises(TypeError):
        relations.graphs["y"] = PATH  # type: ignore[index]
    with pytest.raises(AttributeError):
        relations.graphs = {}  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(relations))
    assert again.fingerprint == relations.fingerprint == copy.deepcopy(relations).fingerprint


def test_nodes_without_edges_have_directions_too() -> None:
    assert repr(ohm.graph.directions([], nodes="ab")).startswith("Relations(nodes=2, direct=0")
    with pytest.raises(GraphError, match="no nodes"):
        ohm.graph.directions([])


def test_an_edge_both_ways_is_both() -> None:
    relations = ohm.Relations.from_edges([(0, 1, "x"), (1, 0, "x", 2.0), (2, 1, "x")], directed=True)
    assert relations["x"].neighbours(1) == {0: 3.0, 2: 1.0}
    assert relations.directions["x"].tolist() == [3, 3, 2, 1]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: ohm.Relations({}), GraphError, "no type of edges"),
        (lambda: ohm.Relations([PATH]), GraphError, "give a dict"),  # type: ignore[arg-type]
        (lambda: ohm.Relations({"x": [(0, 1)]}), GraphError, "type 'x'"),  # type: ignore[dict-item]
        (lambda: ohm.Relations({3: PATH}), GraphError, "named by a string"),  # type: ignore[dict-item]
        (lambda: ohm.Relations({"": PATH}), GraphError, "not empty"),
        (
            lambda: ohm.Relations({"x": PATH, "y": ohm.Graph.from_edges([(0, 1)])}),
            GraphError,
            "4 nodes and type 'y' 2",
        ),
        (
            lambda: ohm.Relations({"x": PATH, "y": ohm.Graph.from_edges([(3, 2)], nodes=[3, 2, 1, 0])}),
            GraphError,
            "another order",
        ),
        (
            lambda: ohm.Relations({"x": ohm.Graph.from_edges([(0, 1, -1.0)], signed=True)}),
            GraphError,
            "a type of their own",
        ),
        (lambda: ohm.Relations({"x": PATH}, {"y": [1]}), ParameterError, "no type 'y'"),
        (lambda: ohm.Relations({"x": PATH}, {"x": [1]}), ShapeError, "directions of 'x'"),
        (lambda: ohm.Relations({"x": PATH}, {"x": [4] * 6}), OhmlineError, "directions of 'x'"),
        (lambda: ohm.Relations({"x": PATH}, {"x": [1] * 6}), GraphError, "contradict one another"),
        (lambda: ohm.Relations({"x": PATH})["y"], ParameterError, "the types are"),
        (lambda: ohm.Relations.from_edges([(0, 1)]), GraphError, r"edge 0 is \(0, 1\)"),
        (lambda: ohm.Relations.from_edges([]), GraphError, "no type of edges"),
        (lambda: ohm.Relations.from_edges([(0, 1, "x", -2.0)]), WeightError, "-2"),
        (lambda: ohm.Relations.from_edges([(0, 1, None)]), GraphError, "named by a string"),
        (lambda: ohm.Relations.from_edges([(0, 9, "x")], nodes=[0, 1]), UnknownNode, "names every node"),
        (lambda: ohm.Relations.from_columns([0], [1], ["x", "y"]), ShapeError, "equally long"),
        (lambda: ohm.graph.directions([(0, 1)], most=1), ParameterError, "most"),
        (lambda: ohm.graph.directions([(0, 1, -1.0)]), WeightError, "-1"),
        (lambda: ohm.Compatibility("x"), GraphError, "must be Relations or a Graph"),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_fit_is_refused_in_words(make: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize("edges", ["edges.csv", pd.DataFrame({"from": ["a"], "to": ["b"], "kind": ["x"]})])
def test_a_file_or_a_frame_of_typed_edges_is_refused_with_the_way_to_read_it(edges: Any) -> None:
    with pytest.raises(GraphError, match=r"edges must be rows \(u, v, type\).*from_columns"):
        ohm.Relations.from_edges(edges)
