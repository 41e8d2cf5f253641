"""The graph and its node ids: constructors agree, laws of its matrices, bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from graphs import graphs
from ohmline.errors import (
    DirectedError,
    GraphError,
    OhmlineError,
    ShapeError,
    UnknownNode,
    WeightError,
)
from ohmline.graph import Graph, NodeIndex

nx = pytest.importorskip("networkx")


def triples(graph):
    return [
        (graph.nodes[i], graph.nodes[j], w)
        for i, j, w in zip(*(column.tolist() for column in graph.edges()), strict=True)
    ]


@given(graphs(), st.booleans())
def test_all_constructors_agree(graph, both_ways):
    edges = triples(graph)
    if both_ways:
        edges += [(v, u, w) for u, v, w in edges]
    assert Graph.from_edges(edges, nodes=graph.nodes) == graph
    columns = list(zip(*edges, strict=True)) or [(), (), ()]
    assert Graph.from_columns(*columns, nodes=graph.nodes) == graph
    assert Graph.from_scipy(graph.adjacency, nodes=graph.nodes) == graph
    assert Graph.from_scipy(graph.adjacency.toarray(), nodes=graph.nodes) == graph
    assert Graph.from_scipy(graph.to_scipy().tocoo()) == graph
    assert Graph.from_networkx(graph.to_networkx()) == graph
    array = np.array(edges).reshape(-1, 3)
    assert Graph.from_edges(array, nodes=range(graph.n)) == graph


@given(graphs(named=True))
def test_names_survive_networkx(graph):
    back = Graph.from_networkx(graph.to_networkx())
    assert back == graph
    assert hash(back) == hash(graph)
    copy = pickle.loads(pickle.dumps(graph))
    assert copy == graph
    assert not copy.weights.flags.writeable


@given(graphs())
def test_matrices_against_their_definitions(graph):
    n, dense = graph.n, graph.adjacency.toarray()
    assert np.array_equal(dense, dense.T)
    assert not dense.diagonal().any()
    assert np.allclose(graph.degree, dense.sum(axis=1))
    laplacian = graph.laplacian().toarray()
    assert np.allclose(laplacian, np.diag(dense.sum(axis=1)) - dense)
    normalised = graph.laplacian(normalised=True).toarray()
    for i in range(n):
        for j in range(n):
            scale = np.sqrt(graph.degree[i] * graph.degree[j])
            assert np.isclose(normalised[i, j], laplacian[i, j] / scale if scale else 0.0)
    assert graph.n_edges == np.count_nonzero(dense) // 2
    assert graph.n_components == nx.number_connected_components(graph.to_networkx())
    assert graph.is_connected == (graph.n_components == 1)
    for part in nx.connected_components(graph.to_networkx()):
        assert len({graph.component_of[i] for i in part}) == 1


@given(graphs(), st.data())
def test_signed_laplacian_is_the_sum_over_edges(graph, data):
    edges = [(u, v, w * data.draw(st.sampled_from([-1, 1]))) for u, v, w in triples(graph)]
    signed = Graph.from_edges(edges, nodes=graph.nodes, signed=True)
    x = np.random.default_rng(0).standard_normal(graph.n)
    energy = sum(abs(w) * (x[u] - np.sign(w) * x[v]) ** 2 for u, v, w in edges)
    assert np.isclose(x @ (signed.laplacian() @ x), energy)
    assert np.array_equal(signed.degree, graph.degree)
    assert signed.summary()["negative_edges"] == sum(w < 0 for _, _, w in edges)
    assert signed.n_components == graph.n_components
    eigenvalues = np.linalg.eigvalsh(signed.laplacian(normalised=True).toarray())
    assert eigenvalues.min() > -1e-9
    assert eigenvalues.max() < 2 + 1e-9


@given(graphs(min_nodes=3, named=True), st.randoms(use_true_random=False))
def test_subgraph_keeps_the_edges_between_its_nodes(graph, random):
    chosen = random.sample(list(graph.nodes), random.randint(1, graph.n))
    part = graph.subgraph(chosen)
    assert list(part.nodes) == chosen
    for node in chosen:
        expected = {v: w for v, w in graph.neighbours(node).items() if v in chosen}
        assert part.neighbours(node) == expected


def test_largest_component_and_summary():
    graph = Graph.from_edges([(0, 1), (2, 3), (3, 4, 0.5), (4, 4)], nodes=range(6))
    assert list(graph.largest_component().nodes) == [2, 3, 4]
    assert graph.summary() == {
        "nodes": 6,
        "edges": 3,
        "components": 3,
        "largest_component": 3,
        "isolated_nodes": 1,
        "signed": False,
        "negative_edges": 0,
        "total_weight": 2.5,
        "dropped_self_loops": 1,
    }
    assert repr(graph) == "Graph(nodes=6, edges=3, components=3)"
    assert repr(Graph.from_edges([(0, 1, -1)], signed=True)).endswith("signed)")


def test_a_graph_may_have_no_edges_or_a_single_node():
    lonely = Graph.from_edges([], nodes=["a", "b"])
    assert (lonely.n, lonely.n_edges, lonely.n_components) == (2, 0, 2)
    assert lonely.degree.tolist() == [0, 0]
    assert not lonely.laplacian(normalised=True).toarray().any()
    assert Graph.from_scipy(np.zeros((1, 1))).is_connected
    assert Graph.from_edges([("a", "a")]).dropped_loops == 1


def test_zero_weights_are_no_edges():
    graph = Graph.from_edges([(0, 1, 0.0), (1, 2, 1.0)])
    assert graph.n_edges == 1
    assert graph.n_components == 2


@pytest.mark.parametrize(
    "ids",
    [
        ["a", "b", "c"],
        [10**12, 7, -3],
        [(0, 0), (0, 1), (1, 1)],
        [frozenset({1}), "x", 2.5],
        [b"x", True, "None"],
        list(np.array(["p", "q", "r"])),
        list(np.array([500, 300, 900])),
    ],
)
def test_ids_of_every_kind(ids):
    graph = Graph.from_edges([(ids[0], ids[1]), (ids[1], ids[2], 2.0)])
    whole = all(isinstance(node, int | np.integer) and not isinstance(node, bool) for node in ids)
    assert list(graph.nodes) == (sorted(ids) if whole else ids)
    assert graph.neighbours(ids[1]) == {ids[0]: 1.0, ids[2]: 2.0}
    assert all(not isinstance(node, np.generic) for node in graph.nodes)
    assert graph == Graph.from_edges(triples(graph), nodes=graph.nodes)


@pytest.mark.parametrize(
    ("edges", "nodes"),
    [
        ([(10, 20)], [10, 20]),
        ([(1000, 3)], [3, 1000]),
        ([(0, 3)], [0, 3]),
        ([(2, 1), (1, 0)], [0, 1, 2]),
        ([(5, -3)], [-3, 5]),
        ([("y", "x")], ["y", "x"]),
        ([(7, "x"), (2, 7)], [7, "x", 2]),
    ],
)
def test_the_nodes_are_the_ends_of_the_edges_and_no_others(edges, nodes, tmp_path):
    """One rule for lists, arrays and files: whole numbers in their order, other ids as they appear."""
    assert list(Graph.from_edges(edges).nodes) == nodes
    if all(isinstance(end, int) for edge in edges for end in edge):
        assert list(Graph.from_edges(np.array(edges)).nodes) == nodes
        assert list(Graph.from_edges(np.array(edges, float)).nodes) == nodes
        assert Graph.from_edges(np.array(edges)) == Graph.from_edges(edges)
    path = tmp_path / "graph.csv"
    path.write_text("\n".join(f"{u},{v}" for u, v in edges))
    assert [str(node) for node in Graph.read(path).nodes] == [str(node) for node in nodes]
    assert Graph.from_edges([(0, 3)], nodes=range(4)).n == 4  # isolated nodes where they are asked for


def test_direction_is_an_error_unless_symmetrised():
    one_way = sparse.csr_array(np.array([[0, 2.0], [0, 0]]))
    with pytest.raises(DirectedError, match=r"edge \(0, 1\) of weight 2.0 goes one way only.*symmetrise"):
        Graph.from_scipy(one_way)
    assert Graph.from_scipy(one_way, symmetrise=True).neighbours(0) == {1: 2.0}
    with pytest.raises(DirectedError, match=r"\('a', 'b'\) has two weights, 1.0 and 3.0"):
        Graph.from_edges([("a", "b", 1), ("b", "a", 3)])
    assert Graph.from_edges([("a", "b", 1), ("b", "a", 3)], symmetrise=True).neighbours("a") == {"b": 3.0}
    with pytest.raises(DirectedError, match="networkx graph is directed"):
        Graph.from_networkx(nx.DiGraph([(0, 1)]))
    assert Graph.from_networkx(nx.DiGraph([(0, 1)]), symmetrise=True).n_edges == 1
    heaviest = nx.MultiGraph()
    heaviest.add_edge(0, 1, weight=2.0)
    heaviest.add_edge(0, 1, weight=5.0)
    assert Graph.from_networkx(heaviest).neighbours(0) == {1: 5.0}


def test_symmetrised_is_the_larger_of_the_two_directions():
    rng = np.random.default_rng(3)
    matrix = rng.random((8, 8)) * (rng.random((8, 8)) < 0.4)
    np.fill_diagonal(matrix, 0)
    graph = Graph.from_scipy(matrix, symmetrise=True)
    assert np.array_equal(graph.adjacency.toarray(), np.maximum(matrix, matrix.T))


def test_nothing_can_be_changed():
    graph = Graph.from_edges([(0, 1)])
    for array in (graph.weights, graph.indices, graph.indptr, graph.adjacency.data):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    copy = graph.to_scipy()
    copy.data[0] = 5
    assert graph.weights.tolist() == [1, 1]


def test_equality_looks_at_everything():
    graph = Graph.from_edges([("a", "b", 2.0)])
    assert graph != Graph.from_edges([("a", "b", 1.0)])
    assert graph != Graph.from_edges([("a", "c", 2.0)])
    assert graph != Graph.from_edges([("a", "b", 2.0)], signed=True)
    assert graph != Graph.from_edges([("a", "b", 2.0)], nodes=["a", "b", "c"])
    assert graph != "graph"


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Graph.from_edges([]), GraphError, "no nodes"),
        (lambda: Graph.from_scipy(np.zeros((0, 0))), GraphError, "no nodes"),
        (lambda: Graph.from_edges([("a", "b", float("nan"))]), WeightError, r"\('a', 'b'\) is nan.*finite"),
        (lambda: Graph.from_edges([(0, 1, float("inf"))]), WeightError, "inf"),
        (lambda: Graph.from_edges([(0, 1, None)]), WeightError, "nan"),
        (lambda: Graph.from_edges([(0, 1, "heavy")]), WeightError, "'heavy' is not a number"),
        (lambda: Graph.from_edges([(0, 1, -2.0)]), WeightError, "-2.0.*signed=True"),
        (lambda: Graph.from_edges([(0, 1, 2, 3)]), GraphError, r"edge 0 is \(0, 1, 2, 3\)"),
        (lambda: Graph.from_edges(["ab"]), GraphError, "edge 0 is 'ab'"),
        (lambda: Graph.from_edges([3]), GraphError, "edge 0 is 3"),
        (lambda: Graph.from_edges([([1], [2])]), GraphError, "hashable"),
        (lambda: Graph.from_edges(np.zeros((2, 4))), ShapeError, r"2 or 3 columns.*\(2, 4\)"),
        (lambda: Graph.from_edges(np.array([[0.5, 1.0]])), GraphError, "whole numbers"),
        (lambda: Graph.from_edges([("a", "z")], nodes=["a"]), UnknownNode, "unknown node 'z'"),
        (lambda: Graph.from_edges([(0, 1)], nodes=[0, 1, 1]), GraphError, "node 1 is listed twice"),
        (lambda: Graph.from_edges([], nodes=[float("nan")]), GraphError, "nan is not a node id"),
        (lambda: Graph.from_edges([], nodes=[[1]]), GraphError, "hashable"),
        (lambda: Graph.from_columns([0, 1], [1]), ShapeError, r"equally long, got \[2, 1\]"),
        (lambda: Graph.from_columns([0], [1], [1.0, 2.0]), ShapeError, r"\[1, 1, 2\]"),
        (lambda: Graph.from_scipy(np.zeros((2, 3))), ShapeError, r"square.*\(2, 3\)"),
        (lambda: Graph.from_scipy(np.zeros(3)), ShapeError, "two dimensions"),
        (lambda: Graph.from_scipy(np.eye(2) * 1j), WeightError, "complex"),
        (lambda: Graph.from_scipy(np.array([["a", "b"], ["c", "d"]])), WeightError, "real numbers"),
        (lambda: Graph.from_scipy(np.full((2, 2), np.nan)), WeightError, "nan"),
        (lambda: Graph.from_scipy(sparse.csr_array(np.full((2, 2), np.inf))), WeightError, "inf"),
        (lambda: Graph.from_scipy(np.ones((2, 2)), nodes=["a"]), ShapeError, "2 rows.*1 ids"),
        (lambda: Graph.from_networkx([(0, 1)]), GraphError, "networkx graph, got list"),
        (lambda: Graph.from_edges([(0, 1)]).subgraph([]), GraphError, "at least one node"),
        (lambda: Graph.from_edges([(0, 1)]).subgraph([0, 0]), GraphError, "listed twice"),
        (lambda: Graph.from_edges([(0, 1)]).subgraph([7]), UnknownNode, "unknown node 7"),
        (lambda: Graph.from_edges([(0, 1)]).neighbours("x"), UnknownNode, "unknown node 'x'"),
        (lambda: NodeIndex(-1), GraphError, "-1 nodes"),
    ],
)
def test_bad_input_is_named(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make()
    assert isinstance(caught.value, OhmlineError)


def test_node_index_maps_both_ways():
    names = NodeIndex(["a", "b", "c"])
    assert names[1:] == ("b", "c")
    assert list(names) == ["a", "b", "c"]
    assert "b" in names
    assert "z" not in names
    assert [1] not in names
    assert names.positions(["c", "a"]).tolist() == [2, 0]
    assert not names.is_range
    numbers = NodeIndex([0, 1, 2])
    assert numbers.is_range
    assert numbers == NodeIndex(3) == NodeIndex(range(3))
    assert hash(numbers) == hash(NodeIndex(3))
    assert numbers != names
    assert NodeIndex(range(1, 3)).position(2) == 1
    assert numbers.positions(np.array([2, 0])).tolist() == [2, 0]
    for unknown in (3, -1, True, 1.0, "0"):
        with pytest.raises(UnknownNode, match="3 nodes, for example 0, 1, 2"):
            numbers.position(unknown)
    with pytest.raises(UnknownNode, match="unknown node 9"):
        numbers.positions(np.array([0, 9]))
    assert UnknownNode("a message").args[0] == str(UnknownNode("a message"))


def test_the_fingerprint_knows_ids_edges_and_weights() -> None:
    edges = [("a", "b"), ("b", "c", 2.0)]
    graph = Graph.from_edges(edges)
    assert graph.fingerprint == Graph.from_edges(edges).fingerprint
    others = [
        Graph.from_edges([("a", "b"), ("b", "d", 2.0)]),
        Graph.from_edges([("a", "b"), ("b", "c", 3.0)]),
        Graph.from_edges([("a", "b"), ("a", "c", 2.0)]),
        Graph.from_edges(edges, signed=True),
        Graph.from_edges([(0, 1), (1, 2, 2.0)]),
        Graph.from_edges([("0", "1"), ("1", "2", 2.0)]),
    ]
    assert len({graph.fingerprint, *(other.fingerprint for other in others)}) == len(others) + 1
