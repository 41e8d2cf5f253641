"""Every door gives the same graph as a list of edges, and says what is wrong with bad input."""

from __future__ import annotations

import sqlite3
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import ohmline as ohm
from ohmline.errors import (
    DatabaseError,
    DirectedError,
    GraphError,
    OhmlineError,
    ParameterError,
    ShapeError,
    UnknownNode,
    WeightError,
)
from ohmline.graph import Graph, Parallel

duckdb = pytest.importorskip("duckdb")
igraph = pytest.importorskip("igraph")
nx = pytest.importorskip("networkx")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

NAMES = ["source", "target", "weight"]


def columns(edges):
    return [list(column) for column in zip(*edges, strict=True)] or [[], [], []]


def in_sqlite(edges):
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE edges (source, target, weight)")
    connection.executemany("INSERT INTO edges VALUES (?, ?, ?)", edges)
    return connection


def by_sql(edges, **build):
    connection = in_sqlite(edges)
    try:
        return Graph.from_sql(connection, "SELECT * FROM edges ORDER BY rowid", **build)
    finally:
        connection.close()


def by_duckdb(edges, **build):
    table = pa.table(dict(zip(NAMES, columns(edges), strict=True)))
    with duckdb.connect() as connection:
        connection.register("edges", table)
        return Graph.from_duckdb("SELECT * FROM edges", connection, **build)


def frame(edges):
    return dict(zip(NAMES, columns(edges), strict=True))


DOORS = {
    "columns": lambda edges, **build: Graph.from_columns(*columns(edges), **build),
    "arrays": lambda edges, **build: Graph.from_columns(*map(np.array, columns(edges)), **build),
    "series": lambda edges, **build: Graph.from_columns(*map(pd.Series, columns(edges)), **build),
    "chunks": lambda edges, **build: Graph.from_columns(*map(pa.array, columns(edges)), **build),
    "pandas": lambda edges, **build: Graph.from_pandas(pd.DataFrame(frame(edges)), **build),
    "pandas objects": lambda edges, **build: Graph.from_pandas(
        pd.DataFrame(frame(edges), dtype=object), **build
    ),
    "pandas categories": lambda edges, **build: Graph.from_pandas(
        pd.DataFrame(frame(edges)).astype({"source": "category", "target": "category"}), **build
    ),
    "pandas that may miss": lambda edges, **build: Graph.from_pandas(
        pd.DataFrame(frame(edges)).convert_dtypes(), **build
    ),
    "polars": lambda edges, **build: Graph.from_polars(pl.DataFrame(frame(edges)), **build),
    "lazy polars": lambda edges, **build: Graph.from_polars(pl.LazyFrame(frame(edges)), **build),
    "arrow": lambda edges, **build: Graph.from_arrow(pa.table(frame(edges)), **build),
    "duckdb": by_duckdb,
    "sql": by_sql,
}


@st.composite
def edge_lists(draw, *, repeats=False):
    """Edges of positive weight between numbers, large numbers or names, and perhaps nodes without an edge."""
    n = draw(st.integers(2, 9))
    ids = draw(
        st.sampled_from([list(range(n)), [10**12 - 7 * k for k in range(n)], [f"node {k}" for k in range(n)]])
    )
    rows = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), min_size=1, max_size=20))
    if not repeats:
        rows = list({(min(pair), max(pair)): pair for pair in rows}.values())
    weights = draw(st.lists(st.sampled_from([0.5, 1.0, 2.25]), min_size=len(rows), max_size=len(rows)))
    edges = [(ids[a], ids[b], w) for (a, b), w in zip(rows, weights, strict=True)]
    return edges, draw(st.sampled_from([None, ids[::-1]]))


@pytest.mark.parametrize("door", DOORS)
@given(drawn=edge_lists())
@settings(max_examples=30)
def test_every_door_gives_the_graph_of_its_edges(door, drawn):
    edges, nodes = drawn
    expected = Graph.from_edges(edges, nodes=nodes)
    found = DOORS[door](edges, nodes=nodes)
    assert found == expected
    assert [type(node) for node in found.nodes] == [type(node) for node in expected.nodes]
    assert found.dropped_loops == expected.dropped_loops


@pytest.mark.parametrize("door", DOORS)
@given(drawn=edge_lists(repeats=True), how=st.sampled_from(["sum", "max"]))
@settings(max_examples=20)
def test_parallel_edges_are_combined_alike_at_every_door(door, drawn, how):
    edges, nodes = drawn
    pairs = {}
    for u, v, w in edges:
        if u != v:
            pairs.setdefault(frozenset([u, v]), []).append(w)
    found = DOORS[door](edges, nodes=nodes, parallel=how)
    assert found == Graph.from_edges(edges, nodes=nodes, parallel=how)
    combine = sum if how == "sum" else max
    assert found.n_edges == len(pairs)
    for pair, weights in pairs.items():
        u, v = pair
        assert found.neighbours(u)[v] == combine(weights)


@given(drawn=edge_lists())
def test_graphs_of_other_libraries_go_there_and_back(drawn):
    edges, nodes = drawn
    graph = Graph.from_edges(edges, nodes=nodes)
    assert Graph.from_networkx(graph.to_networkx()) == graph
    assert Graph.from_igraph(graph.to_igraph()) == graph
    for table, back in (
        (graph.to_pandas(), Graph.from_pandas),
        (graph.to_polars(), Graph.from_polars),
        (graph.to_arrow(), Graph.from_arrow),
    ):
        if graph.n_edges:
            assert back(table, nodes=graph.nodes) == graph


def pyg(graph, **more):
    """What `Data` of PyTorch Geometric has, in arrays."""
    rows = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    return SimpleNamespace(
        **{
            "edge_index": np.stack([rows, graph.indices]),
            "edge_weight": graph.weights,
            "num_nodes": graph.n,
            **more,
        }
    )


@given(drawn=edge_lists())
def test_the_attributes_of_pyg_are_enough(drawn):
    edges, nodes = drawn
    graph = Graph.from_edges(edges, nodes=nodes)
    assert Graph.from_pyg(pyg(graph), nodes=graph.nodes) == graph
    assert Graph.from_pyg(pyg(graph, node_ids=list(graph.nodes))) == graph
    s, t, w = graph.edges()
    one_way = pyg(graph, edge_index=np.stack([s, t]), edge_weight=w[:, None])
    assert Graph.from_pyg(one_way, nodes=graph.nodes) == graph


def test_pyg_itself():
    module = pytest.importorskip("torch_geometric.data")
    import torch

    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    weights = torch.tensor([1.0, 1.0, 2.5, 2.5], requires_grad=True)
    data = module.Data(edge_index=edges, edge_weight=weights, num_nodes=4)
    graph = Graph.from_pyg(data)
    assert graph == Graph.from_edges([(0, 1), (1, 2, 2.5)], nodes=range(4))
    named = Graph.from_edges([("a", "b", 0.5), ("b", "c", 2.0)], nodes=["a", "b", "c", "d"])
    sent = named.to_pyg(
        {"y": [0, 1, 1, 0], "label": {"a": "x"}, "train": np.array([True, False, True, False])}
    )
    assert sent.num_nodes == 4
    assert sent.is_undirected()
    assert sent.y.tolist() == [0, 1, 1, 0]
    assert sent.train.dtype == torch.bool
    assert sent.label == ["x", None, None, None]
    assert Graph.from_pyg(sent) == named
    assert sent.validate()


def test_pyg_says_what_is_wrong():
    graph = Graph.from_edges([(0, 1), (1, 2)])
    for data, error, words in (
        (object(), GraphError, "with an edge_index"),
        (SimpleNamespace(edge_index=None), GraphError, "with an edge_index"),
        (SimpleNamespace(edge_index=np.zeros((3, 2), int)), ShapeError, r"two rows, got shape \(3, 2\)"),
        (SimpleNamespace(edge_index=np.zeros((2, 2))), ShapeError, "whole numbers"),
        (pyg(graph, num_nodes=2), GraphError, "names node 2, and the graph has 2 nodes"),
        (pyg(graph, num_nodes=-1), GraphError, "num_nodes must be"),
        (pyg(graph, edge_weight=np.ones(3)), ShapeError, "one weight per edge, 4 in all"),
        (pyg(graph, edge_weight=np.array(["a"] * 4)), WeightError, "real numbers"),
        (pyg(graph, edge_types=[]), GraphError, "to_homogeneous"),
        (pyg(graph, edge_weight=[1.0, 2.0, 1.0, 1.0]), DirectedError, "two weights, 1.0 and 2.0"),
    ):
        with pytest.raises(error, match=words):
            Graph.from_pyg(data)
    with pytest.raises(ShapeError, match="name the 3 nodes of the graph, got 1"):
        Graph.from_pyg(pyg(graph), nodes=["a"])


def test_each_direction_of_pyg_is_combined_for_itself():
    data = SimpleNamespace(edge_index=[[0, 1, 0, 1], [1, 0, 1, 0]], edge_weight=[1.0, 1.0, 2.0, 2.0])
    assert Graph.from_pyg(data, parallel="sum").neighbours(0) == {1: 3.0}
    assert Graph.from_pyg(data, parallel="max").neighbours(0) == {1: 2.0}
    with pytest.raises(GraphError, match=r"edge \(0, 1\) is listed 2 times"):
        Graph.from_pyg(data, parallel="refuse")
    with pytest.raises(DirectedError, match="two weights"):
        Graph.from_pyg(data)


# Parallel edges

PAYMENTS = [("a", "b", 5.0), ("b", "a", 2.0), ("a", "b", 2.0), ("b", "c", 1.0)]


def test_parallel_edges_are_summed_maxed_or_refused():
    assert Graph.from_edges(PAYMENTS, parallel="sum").neighbours("b") == {"a": 9.0, "c": 1.0}
    assert Graph.from_edges(PAYMENTS, parallel=Parallel.MAX).neighbours("b") == {"a": 5.0, "c": 1.0}
    with pytest.raises(
        GraphError, match=r"edge \('a', 'b'\) is listed 3 times, with weights from 2.0 to 5.0 \(1 such"
    ):
        Graph.from_edges(PAYMENTS, parallel="refuse")
    with pytest.raises(DirectedError, match="two weights"):
        Graph.from_edges(PAYMENTS)
    twice = [(0, 1), (1, 0)]
    assert Graph.from_edges(twice).neighbours(0) == {1: 1.0}
    assert Graph.from_edges(twice, parallel="sum").neighbours(0) == {1: 2.0}
    with pytest.raises(GraphError, match="2 times"):
        Graph.from_edges(twice, parallel="refuse")


def test_parallel_edges_of_a_matrix_and_of_multigraphs():
    entries = ([1.0, 2.0, 1.0, 2.0], ([0, 0, 1, 1], [1, 1, 0, 0]))
    matrix = sparse.coo_array(entries, shape=(2, 2))
    assert Graph.from_scipy(matrix).neighbours(0) == {1: 3.0}
    assert Graph.from_scipy(matrix, parallel="sum").neighbours(0) == {1: 3.0}
    assert Graph.from_scipy(matrix, parallel="max").neighbours(0) == {1: 2.0}
    with pytest.raises(GraphError, match="listed 2 times"):
        Graph.from_scipy(matrix, parallel="refuse")
    several = nx.MultiGraph([("a", "b", {"weight": 1.0}), ("b", "a", {"weight": 4.0})])
    assert Graph.from_networkx(several).neighbours("a") == {"b": 4.0}
    assert Graph.from_networkx(several, parallel="sum").neighbours("a") == {"b": 5.0}
    with pytest.raises(GraphError, match="listed 2 times"):
        Graph.from_networkx(several, parallel="refuse")
    theirs = igraph.Graph(edges=[(0, 1), (0, 1)])
    assert Graph.from_igraph(theirs, parallel="sum").neighbours(0) == {1: 2.0}


def test_sums_that_vanish_or_overflow():
    opposed = [(0, 1, 1.0), (0, 1, -1.0), (1, 2, 1.0)]
    assert Graph.from_edges(opposed, signed=True, parallel="sum").n_edges == 1
    with pytest.raises(WeightError, match=r"edge \(0, 1\) is inf"):
        Graph.from_edges([(0, 1, 1e308), (1, 0, 1e308)], parallel="sum")


@given(st.lists(st.floats(0.01, 1e6), min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_a_sum_does_not_depend_on_the_order_of_rows(weights, random):
    edges = [(0, 1, w) for w in weights]
    first = Graph.from_edges(edges, parallel="sum")
    random.shuffle(edges)
    assert Graph.from_edges(edges, parallel="sum") == first


@pytest.mark.parametrize("bad", ["add", "SUM", 1, True, [], b"sum"])
def test_parallel_is_one_of_three_words(bad):
    with pytest.raises(ParameterError, match="parallel must be 'sum', 'max', 'refuse' or None"):
        Graph.from_edges([(0, 1)], parallel=bad)


# Columns


def test_columns_by_name_by_number_and_by_their_usual_names():
    table = pd.DataFrame({"day": [1, 2], "payer": ["a", "b"], "payee": ["b", "c"], "amount": [2.0, 3.0]})
    expected = Graph.from_edges([("a", "b", 2.0), ("b", "c", 3.0)])
    assert Graph.from_pandas(table, source="payer", target="payee", weight="amount") == expected
    assert Graph.from_pandas(table, source=1, target=2, weight=3) == expected
    unweighted = Graph.from_edges([("a", "b"), ("b", "c")])
    assert Graph.from_pandas(table, source="payer", target="payee") == unweighted
    usual = table.rename(columns={"payer": "From", "payee": "TO"})
    assert Graph.from_pandas(usual, weight="amount") == expected
    assert Graph.from_pandas(table[["payer", "payee", "amount"]]) == expected
    assert Graph.from_pandas(table[["payer", "payee", "amount"]], weight=False) == unweighted
    numbered = pd.DataFrame([["a", "b"], ["b", "c"]])
    assert Graph.from_pandas(numbered) == unweighted


@pytest.mark.parametrize(
    ("table", "options", "error", "words"),
    [
        ({"a": [1], "b": [2], "c": [3], "d": [4]}, {}, GraphError, "columns a, b, c, d; expected source, target"),
        ({"a": [1], "b": [2]}, {"source": "x", "target": "b"}, GraphError, "no column 'x' for source; it has a, b"),
        ({"a": [1], "b": [2]}, {"source": "a"}, ParameterError, "source= is given and target= is not"),
        ({"a": [1], "b": [2]}, {"source": "a", "target": "a"}, ParameterError, "are both column 'a'"),
        ({"a": [1], "b": [2]}, {"source": 0.5, "target": "a"}, ParameterError, "name or the number of a column"),
        ({"a": [1], "b": [2]}, {"source": True, "target": "a"}, ParameterError, "name or the number of a column"),
        ({"a": [1], "b": [2]}, {"source": 2, "target": 0}, GraphError, "no column 2 for source"),
        ({"a": [1], "b": [2]}, {"weight": "w"}, GraphError, "no column 'w' for weight"),
        ({"a": [1]}, {}, GraphError, "has the columns a; expected source, target"),
        ({}, {}, GraphError, "has the columns none"),
        ({"source": [], "target": []}, {}, GraphError, "no rows; expected at least one edge"),
        ({"a": ["x", None], "b": ["y", "z"]}, {}, GraphError, "row 2: column 'a' is empty, in 1 of 2 rows"),
        ({"a": [1.0, 2.5], "b": [1.0, 2.0]}, {}, GraphError, "2.5 is not a node id: .*whole"),
        ({"a": [1.0, float("nan")], "b": [1.0, 2.0]}, {}, GraphError, "row 2: column 'a' is empty"),
        ({"a": [1, None], "b": [1, 2]}, {}, GraphError, "row 2: column 'a' is empty"),
        ({"a": ["x"], "b": ["y"], "w": [float("nan")]}, {}, WeightError, r"edge \('x', 'y'\) is nan"),
        ({"a": ["x"], "b": ["y"], "w": [None]}, {}, WeightError, r"edge \('x', 'y'\) is nan"),
        ({"a": ["x"], "b": ["y"], "w": [float("inf")]}, {}, WeightError, "is inf; weights must be finite"),
        ({"a": ["x"], "b": ["y"], "w": [-1.0]}, {}, WeightError, "is -1.0; .*signed=True"),
        ({"a": ["x"], "b": ["y"], "w": ["heavy"]}, {}, WeightError, "'heavy'"),
        ({"a": [1], "b": ["x"]}, {"nodes": [1]}, UnknownNode, "unknown node 'x'.*nodes= names every node"),
        ({"a": [1], "b": [2]}, {"parallel": "mean"}, ParameterError, "parallel must be"),
        ({"a": [1], "b": [2]}, {"signed": "yes"}, ParameterError, "signed must be True or False"),
    ],
)  # fmt: skip
def test_bad_tables_are_refused_alike(table, options, error, words):
    made = [
        (Graph.from_pandas, pd.DataFrame(table)),
        (Graph.from_polars, pl.DataFrame(table)),
        (Graph.from_arrow, pa.table(table)),
    ]
    for door, frame in made:
        with pytest.raises(error, match=words) as caught:
            door(frame, **options)
        assert isinstance(caught.value, OhmlineError)


def test_ids_of_mixed_and_odd_kinds():
    mixed = pd.DataFrame({"a": [1, "x", (1, 2)], "b": ["x", (1, 2), 1]})
    assert list(Graph.from_pandas(mixed).nodes) == [1, "x", (1, 2)]
    with pytest.raises(GraphError, match="column 'a' holds values that are not hashable"):
        Graph.from_pandas(pd.DataFrame({"a": [[1], [2]], "b": [1, 2]}))
    with pytest.raises(GraphError, match="hashable"):
        Graph.from_polars(pl.DataFrame({"a": [[1], [2]], "b": [1, 2]}))
    decimals = pl.DataFrame(
        {"a": [Decimal(1), Decimal(2)], "b": [Decimal(2), Decimal(3)], "w": [Decimal("0.5")] * 2}
    )
    assert Graph.from_polars(decimals) == Graph.from_edges([(1, 2, 0.5), (2, 3, 0.5)])
    big = 2**63 + 5
    assert list(Graph.from_polars(pl.DataFrame({"a": [big], "b": [1]})).nodes) == [1, big]
    whole = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 3.0]})
    assert list(Graph.from_pandas(whole).nodes) == [1, 2, 3]
    assert list(Graph.from_pandas(pd.DataFrame({"a": ["x"], "b": [1]})).nodes) == ["x", 1]


def test_isolated_nodes_from_a_column():
    edges = {"a": ["x"], "b": ["y"]}
    for nodes in (
        ["x", "y", "z"],
        pd.Series(["x", "y", "z"]),
        pl.Series(["x", "y", "z"]),
        pa.array(["x", "y", "z"]),
    ):
        assert list(Graph.from_pandas(pd.DataFrame(edges), nodes=nodes).nodes) == ["x", "y", "z"]
    with pytest.raises(GraphError, match="nodes must be one column"):
        Graph.from_pandas(pd.DataFrame(edges), nodes=pd.DataFrame(edges))
    with pytest.raises(GraphError, match="no id in row 2"):
        Graph.from_pandas(pd.DataFrame(edges), nodes=pd.Series(["x", None]))
    empty = pd.DataFrame({"source": [], "target": []})
    assert Graph.from_pandas(empty, nodes=["x"]).n == 1


def test_the_wrong_door_names_the_right_one():
    with pytest.raises(
        GraphError,
        match=r"expected a pandas DataFrame, got a DataFrame of polars; Graph.from_polars takes this",
    ):
        Graph.from_pandas(pl.DataFrame({"a": [1], "b": [2]}))
    with pytest.raises(GraphError, match=r"expected a polars DataFrame.*Graph.from_edges takes lists"):
        Graph.from_polars([(1, 2)])
    with pytest.raises(GraphError, match="expected an Arrow table"):
        Graph.from_arrow([(1, 2)])
    with pytest.raises(ParameterError, match="relation of DuckDB or a query"):
        Graph.from_duckdb(5)
    with pytest.raises(GraphError, match="expected an igraph graph, got list"):
        Graph.from_igraph([])


# igraph and attributes


def test_igraph_names_directions_and_missing_weights():
    theirs = igraph.Graph(3, [(0, 1), (1, 2)], directed=True)
    with pytest.raises(DirectedError, match="directed; pass symmetrise=True"):
        Graph.from_igraph(theirs)
    assert Graph.from_igraph(theirs, symmetrise=True).n_edges == 2
    theirs.to_undirected()
    theirs.vs["name"] = ["x", "y", "z"]
    theirs.es["weight"] = [1.5, None]
    with pytest.raises(WeightError, match=r"edge \('y', 'z'\) is nan"):
        Graph.from_igraph(theirs)
    theirs.es["km"] = [1.5, 2.5]
    assert Graph.from_igraph(theirs, weight="km").neighbours("y") == {"x": 1.5, "z": 2.5}
    assert Graph.from_igraph(theirs, weight="km", nodes=[7, 8, 9]).neighbours(8) == {7: 1.5, 9: 2.5}
    with pytest.raises(ShapeError, match="name the 3 vertices"):
        Graph.from_igraph(theirs, weight="km", nodes=[7])
    theirs.vs["name"] = ["x", "x", "z"]
    with pytest.raises(GraphError, match="'x' is listed twice"):
        Graph.from_igraph(theirs, weight="km")


def test_attributes_of_nodes_go_out():
    graph = Graph.from_edges([("a", "b"), ("b", "c")])
    attributes = {"label": {"a": "x", "c": "y"}, "score": np.array([0.5, 0.25, 1.0])}
    theirs = graph.to_networkx(attributes)
    assert dict(theirs.nodes(data="label")) == {"a": "x", "b": None, "c": "y"}
    assert "label" not in theirs.nodes["b"]
    assert theirs.nodes["b"]["score"] == 0.25
    drawn = graph.to_igraph(attributes)
    assert drawn.vs["label"] == ["x", None, "y"]
    assert drawn.vs["score"] == [0.5, 0.25, 1.0]
    for bad, error, words in (
        ([1], ParameterError, "attributes must map each name"),
        ({"label": {"z": 1}}, UnknownNode, "unknown node 'z'"),
        ({"label": [1, 2]}, ShapeError, "or 3 values in the order of"),
        ({"label": "abc"}, ShapeError, "must be a mapping"),
        ({5: [1, 2, 3]}, ParameterError, "name of an attribute must be a string"),
    ):
        with pytest.raises(error, match=words):
            graph.to_networkx(bad)


def test_ids_that_fit_no_column_of_polars_or_arrow():
    graph = Graph.from_edges([(1, "x"), ("x", (2, 3))])
    assert graph.to_pandas()["target"].tolist() == ["x", (2, 3)]
    with pytest.raises(GraphError, match="to_pandas takes ids of any kind"):
        graph.to_arrow()
    with pytest.raises(GraphError, match="to_pandas takes ids of any kind"):
        graph.to_polars()


# Databases


def test_a_query_with_parameters_and_names():
    connection = in_sqlite(PAYMENTS)
    graph = Graph.from_sql(
        connection,
        "SELECT weight AS w, source AS u, target AS v FROM edges WHERE weight > ?",
        parameters=(1.5,),
        source="u",
        target="v",
        weight="w",
        parallel="sum",
    )
    assert graph == Graph.from_edges([("a", "b", 9.0)])
    connection.close()


def test_what_a_database_says_is_passed_on():
    connection = in_sqlite([("a", None, 1.0)])
    for query, error, words in (
        (
            "SELECT * FROM missing",
            DatabaseError,
            "query 'SELECT . FROM missing' failed: no such table: missing",
        ),
        ("SELEC", DatabaseError, "syntax error"),
        ("CREATE TABLE x (a)", DatabaseError, "gives no rows; give a SELECT"),
        ("SELECT * FROM edges", GraphError, "row 1: column 'target' is empty"),
        ("SELECT * FROM edges WHERE 0", GraphError, "the result of the query has no rows"),
        ("SELECT source FROM edges", GraphError, "has the columns source; expected source, target"),
        ("SELECT 'a' AS s, 'b' AS t, 'x' AS w", WeightError, "'x' is not a number"),
        ("SELECT 1.5 AS s, 2 AS t", GraphError, "1.5 is not a node id"),
        (7, ParameterError, "query must be a string"),
    ):
        with pytest.raises(error, match=words):
            Graph.from_sql(connection, query)
    connection.close()
    with pytest.raises(DatabaseError, match="connection cannot be used: Cannot operate on a closed database"):
        Graph.from_sql(connection, "SELECT 1, 2")
    with pytest.raises(ParameterError, match="connection must be an open connection"):
        Graph.from_sql("edges.db", "SELECT 1, 2")


def test_duckdb_relations_queries_and_closed_connections():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE edges AS SELECT * FROM (VALUES (1, 2, 0.5), (2, 3, 1.5)) t(s, t, w)")
    expected = Graph.from_edges([(1, 2, 0.5), (2, 3, 1.5)])
    relation = connection.table("edges")
    assert Graph.from_duckdb(relation) == expected
    assert Graph.from_duckdb("FROM edges", connection) == expected
    assert Graph.from_sql(connection, "SELECT * FROM edges WHERE w < ?", parameters=[1]).n_edges == 1
    assert Graph.from_duckdb("SELECT 1 AS a, 2 AS b").n == 2
    with pytest.raises(DatabaseError, match=r"(?i)query 'FROM nowhere' failed.*nowhere"):
        Graph.from_duckdb("FROM nowhere", connection)
    connection.close()
    with pytest.raises(DatabaseError, match=r"(?i)clos"):
        Graph.from_duckdb(relation)
    with pytest.raises(DatabaseError, match=r"(?i)clos"):
        Graph.from_sql(connection, "SELECT 1, 2")


def test_adbc_gives_columns():
    dbapi = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with dbapi.connect() as connection:
        found = Graph.from_sql(connection, "SELECT 'a' AS source, 'b' AS target, 2.5 AS weight")
        assert found == Graph.from_edges([("a", "b", 2.5)])
        with pytest.raises(DatabaseError, match="missing"):
            Graph.from_sql(connection, "SELECT * FROM missing")


def test_doors_are_open_at_the_front():
    assert ohm.Graph.from_sql.__doc__
    assert Parallel.SUM == "sum"
