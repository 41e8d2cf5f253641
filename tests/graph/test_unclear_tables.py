"""Tables and graphs of other libraries in which something is missing or comes twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ohmline.errors import FileFormatError, GraphError, LabelError, ParameterError, UnknownNode
from ohmline.graph import Graph, convert, labels_of, read, read_labels
from ohmline.graph.doors import arrow_stream
from ohmline.graph.files import stream_edges
from ohmline.graph.streaming import Edges


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
            files = {"path": tmp_path / "e.csv", "nodes": tmp_path / "n.csv"}
            with pytest.raises(
                FileFormatError, match=r"(?s)'person' is no end of an edge.*nodes_header=True"
            ):
                read(**files)
            assert list(read(**files, nodes_header=True).nodes) == ["x", "y", "z", "w"]
            assert list(read(**files, nodes_header=False).nodes) == ["person", "x", "y", "z", "w"]


@pytest.mark.parametrize("nodes", ["node\nlonely\nx\ny\nz\n", "lonely\nx\ny\nz\n"])
def test_an_isolated_node_may_come_first_below_a_header(tmp_path: Path, nodes: str) -> None:
    (tmp_path / "e.csv").write_text("a,b\nx,y\ny,z\n")
    (tmp_path / "n.csv").write_text(nodes)
    said = None if nodes.startswith("node") else False
    for call in (read, converted):
        graph = call(tmp_path / "e.csv", nodes=tmp_path / "n.csv", nodes_header=said)
        assert list(graph.nodes) == ["lonely", "x", "y", "z"]
        assert graph.degree.tolist() == [0, 1, 2, 1]
        with pytest.raises(ParameterError, match="nodes_header"):
            call(tmp_path / "e.csv", nodes=["lonely", "x", "y", "z"], nodes_header=True)


def converted(path: Path, **options: Any) -> Graph:
    """The graph that `convert` makes of a file."""
    goal = path.with_suffix(".ohmg")
    convert(path, goal, **options)
    return Graph.open(goal)


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("packed", ["csv", "parquet"])
def test_a_stream_of_edges_keeps_the_nodes_that_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: bool, packed: str
) -> None:
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 400, (1000, 2))
    ids = [f"n{k}" if names else 3 * k for k in rng.permutation(450).tolist()]
    rows = [(ids[a], ids[b]) for a, b in ends.tolist()]
    edges, listed = tmp_path / f"e.{packed}", tmp_path / "n.csv"
    listed.write_text("account\n" + "".join(f"{node}\n" for node in ids))
    if packed == "csv":
        edges.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in rows))
        monkeypatch.setattr(stream_edges, "LARGE", 0)
    else:
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow.parquet import write_table

        write_table(
            pyarrow.table(dict(zip(("source", "target"), zip(*rows, strict=True), strict=True))), edges
        )
        monkeypatch.setattr(arrow_stream, "LARGE", 0)
    whole = Graph.from_edges(dict.fromkeys(rows), nodes=ids)
    seen = []
    written = Edges.write
    monkeypatch.setattr(Edges, "write", lambda *given: seen.append(written(*given)))
    options = {"nodes": listed, "nodes_header": True}
    assert converted(edges, **options) == whole
    assert len(seen) == 1, "it went through as a stream"
    assert converted(edges, nodes=ids) == whole
    with pytest.raises((FileFormatError, UnknownNode), match=str(rows[0][0])):
        converted(edges, nodes=[node for node in ids if node != rows[0][0]])
    if names:
        with pytest.raises(FileFormatError, match="'account' is no end of an edge"):
            converted(edges, nodes=listed)


def test_a_node_without_edge_and_without_label_is_no_error(tmp_path: Path) -> None:
    graph = Graph.from_edges([("x", "y"), ("y", "z")])
    assert labels_of({"x": "a", "nobody": None}, graph=graph) == {"x": "a"}
    (tmp_path / "l.csv").write_text("node,label\nx,a\nnobody,\n")
    assert read_labels(tmp_path / "l.csv", graph=graph) == {"x": "a"}
