"""Tables and graphs of other libraries in which something is missing or comes twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from ohmline.errors import FileFormatError, GraphError, LabelError
from ohmline.graph import Graph, labels_of, read, read_labels


def test_what_stands_for_a_missing_id_names_no_node():
    pandas = pytest.importorskip("pandas")
    for missing in (None, pandas.NA, pandas.NaT):
        with pytest.raises(GraphError, match="is not a node id: it stands for a missing one"):
            Graph.from_edges([(missing, 1), (1, 2)])
        with pytest.raises(GraphError, match="is not a node id"):
            Graph.from_edges([("a", "b")], nodes=["a", "b", missing])


def test_a_vertex_of_igraph_without_a_name():
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(n=3, edges=[(0, 1), (1, 2)])
    graph.vs["name"] = ["a", None, "c"]
    with pytest.raises(GraphError, match="None is not a node id"):
        Graph.from_igraph(graph)


@pytest.mark.parametrize(
    "names",
    [["source", "target", "source"], ["source", "target", "weight", "weight"], ["a", "a", "w"], ["a", "a"]],
)
def test_two_columns_of_one_name(names):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1, 2, 3, 4][: len(names)]], columns=names)
    with pytest.raises(GraphError, match=r"has two columns '.*'; rename one"):
        Graph.from_pandas(frame)


def test_two_columns_of_labels():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1, "a", "b"]], columns=["node", "label", "label"])
    with pytest.raises(LabelError, match=r"has two columns 'label'"):
        labels_of(frame)


def test_missing_values_of_pandas_are_missing_labels():
    pandas = pytest.importorskip("pandas")
    assert labels_of({0: pandas.NA, 1: "a", 2: pandas.NaT, 3: float("nan")}) == {1: "a"}
    assert labels_of([(0, pandas.NA), (1, 2.0)]) == {1: 2}


def test_the_parallel_edges_of_a_multigraph():
    networkx = pytest.importorskip("networkx")
    graph = networkx.MultiGraph([(1, 2, {"weight": 1}), (1, 2, {"weight": 2})])
    for parallel, weight in ((None, 2), ("max", 2), ("sum", 3)):
        assert Graph.from_networkx(graph, parallel=parallel).weights.tolist() == [weight, weight]
    with pytest.raises(GraphError, match="listed 2 times"):
        Graph.from_networkx(graph, parallel="refuse")


def test_the_head_of_a_file_of_nodes_does_not_become_a_node(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("a,b\nx,y\ny,z\n")
    for head in ("person", "node"):
        (tmp_path / "n.csv").write_text(f"{head}\nx\ny\nz\nw\n")
        if head == "node":
            assert "node" not in read(tmp_path / "e.csv", nodes=tmp_path / "n.csv").nodes
        else:
            with pytest.raises(FileFormatError, match="'person' is no end of an edge"):
                read(tmp_path / "e.csv", nodes=tmp_path / "n.csv")


def test_a_node_without_edge_and_without_label_is_no_error(tmp_path: Path) -> None:
    graph = Graph.from_edges([("x", "y"), ("y", "z")])
    assert labels_of({"x": "a", "nobody": None}, graph=graph) == {"x": "a"}
    (tmp_path / "l.csv").write_text("node,label\nx,a\nnobody,\n")
    assert read_labels(tmp_path / "l.csv", graph=graph) == {"x": "a"}
