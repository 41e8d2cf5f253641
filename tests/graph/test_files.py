"""Graphs and labels in files: round trips, what foreign files look like, and what is wrong with bad ones."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphs import graphs
from ohmline.errors import (
    ConflictingLabels,
    DataError,
    DirectedError,
    FileFormatError,
    GraphError,
    MissingExtra,
    OhmlineError,
    ShapeError,
    UnknownNode,
    WeightError,
)
from ohmline.graph import Format, Graph, generate, read, read_labels, write

ENDINGS = [
    ".csv",
    ".tsv",
    ".txt",
    ".edges",
    ".csv.gz",
    ".graphml",
    ".graphml.gz",
    ".mtx",
    ".mtx.gz",
    ".parquet",
]
NAMED = [".csv", ".tsv", ".tsv.gz", ".graphml", ".parquet"]

MARKET = "%%MatrixMarket matrix coordinate real "

every_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)


def put(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


# Round trips


@pytest.mark.parametrize("ending", ENDINGS)
@given(graph=graphs())
@every_file
def test_round_trip_of_numbers(tmp_path, ending, graph):
    path = tmp_path / f"graph{ending}"
    write(graph, path)
    assert read(path) == graph
    assert os.listdir(tmp_path) == [path.name]


names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=6)
printable = names.filter(lambda name: name.isprintable() and name == name.strip())


@pytest.mark.parametrize("ending", NAMED)
@given(ids=st.lists(printable, min_size=2, max_size=6, unique=True), seed=st.integers(0, 99))
@every_file
def test_round_trip_of_any_names(tmp_path, ending, ids, seed):
    rng = np.random.default_rng(seed)
    ends = rng.integers(len(ids), size=(4, 2))
    edges = {tuple(sorted(pair)) for pair in ends.tolist() if pair[0] != pair[1]}
    graph = Graph.from_edges([(ids[a], ids[b], float(rng.random()) + 0.1) for a, b in edges], nodes=ids)
    path = tmp_path / f"graph{ending}"
    write(graph, path)
    assert read(path) == graph


@pytest.mark.parametrize("ending", [*NAMED, ".txt"])
@pytest.mark.parametrize(
    "nodes",
    [
        ["2", "1"],
        ["1", 2, "x"],
        [10**12, -5, 3],
        [3, 1, 2],
        ["007", "7"],
        ["source", "target"],
        ["nan", "1e5"],
    ],
)
def test_types_and_order_of_ids_survive(tmp_path, ending, nodes):
    graph = Graph.from_edges([(nodes[0], nodes[1], 0.1 + 0.2)], nodes=nodes)
    write(graph, tmp_path / f"graph{ending}")
    back = read(tmp_path / f"graph{ending}")
    assert back == graph
    assert [type(node) for node in back.nodes] == [type(node) for node in nodes]


@pytest.mark.parametrize("ending", ENDINGS)
def test_signed_graphs_and_graphs_without_edges(tmp_path, ending):
    path = tmp_path / f"graph{ending}"
    signed = Graph.from_edges([(0, 1, -1.5), (1, 2, 1 / 3)], signed=True)
    write(signed, path)
    assert read(path, signed=True) == signed
    with pytest.raises(WeightError, match="signed=True"):
        read(path)
    lonely = Graph.from_edges([], nodes=range(3))
    write(lonely, path)
    assert read(path) == lonely


def test_names_that_look_like_comments(tmp_path):
    graph = Graph.from_edges([("#1", "%x"), ("a,b", 'say "hi"')])
    write(graph, tmp_path / "graph.csv")
    assert read(tmp_path / "graph.csv") == graph
    with pytest.raises(FileFormatError, match=r"'#1'.*write a \.csv"):
        write(graph, tmp_path / "graph.txt")


def test_unweighted_lists_are_plain(tmp_path):
    write(generate.line(3).graph, tmp_path / "line.txt")
    assert (tmp_path / "line.txt").read_text() == "0 1\n1 2\n"
    write(generate.line(3).graph, tmp_path / "line.csv")
    assert (tmp_path / "line.csv").read_text() == "source,target\n0,1\n1,2\n"


# Foreign files


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("0 1\n1 2\n", [(0, 1), (1, 2)]),
        ("0\t1\n1\t2\n", [(0, 1), (1, 2)]),
        ("0,1\r\n1,2\r\n", [(0, 1), (1, 2)]),
        ("0;1;0.5\n1;2;2\n", [(0, 1, 0.5), (1, 2, 2)]),
        ("  0   1  \n\n1 \t 2", [(0, 1), (1, 2)]),
        ("# Directed graph\n# FromNodeId\tToNodeId\n0\t1\n1\t0\n1\t2\n", [(0, 1), (1, 2)]),
        ("% sym unweighted\n0 1\n1 2\n", [(0, 1), (1, 2)]),
        ("from,to\n0,1\n1,2\n", [(0, 1), (1, 2)]),
        ("Source;Target;Weight\n0;1;3\n", [(0, 1, 3)]),
        ("left,right,strength\na,b,2\n", [("a", "b", 2)]),
        ("paper,other\n0,1\n1,2\n", [(0, 1), (1, 2)]),
        ('"a b","c, d",1.5\n', [("a b", "c, d", 1.5)]),
        ("a,b\nb,c\n", [("a", "b"), ("b", "c")]),
        ("u,v\nv,w\n", [("u", "v"), ("v", "w")]),
        ("\ufeffsource,target\n0,1\n", [(0, 1)]),
        ("0 1 1e-3\n", [(0, 1, 0.001)]),
        ("0 0\n0 1\n", [(0, 1)]),
    ],
)
def test_edge_lists_as_people_write_them(tmp_path, text, edges):
    path = tmp_path / "edges.txt"
    path.write_bytes(text.encode())
    assert read(path) == Graph.from_edges(edges)


def test_numbers_name_only_the_nodes_that_occur(tmp_path):
    graph = read(put(tmp_path, "edges.txt", "7 3\n3 5\n"))
    assert list(graph.nodes) == [3, 5, 7]


def test_header_can_be_said(tmp_path):
    path = put(tmp_path, "edges.csv", "a,b\n0,1\n")
    assert read(path, header=False).n == 4
    assert read(path, header=True).n == 2
    assert read(path).n == 2


def test_format_can_be_said(tmp_path):
    path = put(tmp_path, "edges.data", "0 1\n")
    with pytest.raises(FileFormatError, match=r"ending '.data' names no format.*Format\.EDGE_LIST"):
        read(path)
    assert read(path, format=Format.EDGE_LIST).n == 2
    write(generate.line(4).graph, tmp_path / "graph", format=Format.GRAPHML)
    assert read(tmp_path / "graph", format=Format.GRAPHML) == generate.line(4).graph


def test_direction_is_an_error_unless_symmetrised(tmp_path):
    two = put(tmp_path, "two.csv", "0,1,2\n1,0,3\n")
    with pytest.raises(DirectedError, match=r"two.csv: edge \(0, 1\) has two weights, 2.0 and 3.0"):
        read(two)
    assert read(two, symmetrise=True).neighbours(0) == {1: 3.0}
    market = put(tmp_path, "one.mtx", MARKET + "general\n2 2 1\n1 2 4.0\n")
    with pytest.raises(DirectedError, match=r"one.mtx: edge .* goes one way only"):
        read(market)
    assert read(market, symmetrise=True).neighbours(0) == {1: 4.0}
    nx = pytest.importorskip("networkx")
    nx.write_graphml(nx.DiGraph([("a", "b")]), tmp_path / "way.graphml")
    with pytest.raises(DirectedError, match=r"way.graphml holds a directed graph"):
        read(tmp_path / "way.graphml")
    assert read(tmp_path / "way.graphml", symmetrise=True).neighbours("a") == {"b": 1.0}


def test_graphml_of_networkx_and_igraph(tmp_path):
    nx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    karate = nx.karate_club_graph()
    nx.write_graphml(karate, tmp_path / "nx.graphml")
    assert read(tmp_path / "nx.graphml") == Graph.from_networkx(karate)
    theirs = igraph.Graph(3, [(0, 1), (1, 2)])
    theirs.write_graphml(str(tmp_path / "plain.graphml"))
    assert read(tmp_path / "plain.graphml").n_edges == 2
    theirs.vs["name"] = ["x", "y", "z"]
    theirs.write_graphml(str(tmp_path / "named.graphml"))
    assert list(read(tmp_path / "named.graphml").nodes) == ["x", "y", "z"]
    theirs.vs["name"] = ["x", "x", "z"]
    theirs.write_graphml(str(tmp_path / "twice.graphml"))
    assert list(read(tmp_path / "twice.graphml").nodes) == ["n0", "n1", "n2"]


def test_market_of_every_kind(tmp_path):
    head = "%%MatrixMarket matrix "
    pattern = put(tmp_path, "pattern.mtx", head + "coordinate pattern symmetric\n% hello\n3 3 2\n2 1\n3 2\n")
    assert read(pattern) == generate.line(3).graph
    dense = put(tmp_path, "dense.mtx", head + "array real general\n2 2\n0\n2\n2\n0\n")
    assert read(dense).neighbours(0) == {1: 2.0}


def test_parquet_of_others(tmp_path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": ["x", "y"], "b": ["y", "z"]})
    frame.write_parquet(tmp_path / "two.parquet")
    assert list(read(tmp_path / "two.parquet").nodes) == ["x", "y", "z"]
    frame = polars.DataFrame({"time": [1, 2], "target": [1, 2], "source": [0, 1], "weight": [0.5, 2.0]})
    frame.write_parquet(tmp_path / "more.parquet")
    assert read(tmp_path / "more.parquet") == Graph.from_edges([(0, 1, 0.5), (1, 2, 2.0)])


# Labels


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("a,+1\nb,-1\n", {"a": 1, "b": -1}),
        ("node,label\n0,ml\n1,db\n", {0: "ml", 1: "db"}),
        ("paper_id\tsubject\n31336\tNeural_Networks\n1061127\tRule_Learning\n",
         {31336: "Neural_Networks", 1061127: "Rule_Learning"}),
        ("0 3\n1 4\n0 3\n", {0: 3, 1: 4}),
        ("# who\nada;x y\n", {"ada": "x y"}),
        ("a 1\nb +x\n", {"a": "1", "b": "+x"}),
        ("0,1.5\n1,2\n", {0: "1.5", 1: "2"}),
    ],
)  # fmt: skip
def test_labels_as_people_write_them(tmp_path, text, labels):
    assert read_labels(put(tmp_path, "labels.txt", text)) == labels


def test_labels_take_the_ids_of_the_graph(tmp_path):
    graph = Graph.from_edges([("1", "a"), ("a", "2")])
    path = put(tmp_path, "labels.tsv", "1\tx\n2\ty\n")
    assert read_labels(path) == {1: "x", 2: "y"}
    assert read_labels(path, graph=graph) == {"1": "x", "2": "y"}
    with pytest.raises(UnknownNode, match=r"labels.tsv, line 2: unknown node '2'.*2 nodes, for example '1'"):
        read_labels(path, graph=graph.subgraph(["1", "a"]))


def test_conflicting_labels_name_both_lines(tmp_path):
    path = put(tmp_path, "labels.csv", "node,label\nada,1\nbob,1\nada,1\n\nada,-1\n")
    with pytest.raises(ConflictingLabels, match=r"node 'ada' has the label 1 on line 2 and -1 on line 6"):
        read_labels(path)


def test_compressed_labels(tmp_path):
    (tmp_path / "labels.csv.gz").write_bytes(gzip.compress(b"a,1\nb,2\n"))
    assert read_labels(tmp_path / "labels.csv.gz") == {"a": 1, "b": 2}
    (tmp_path / "labels.csv").write_bytes(gzip.compress(b"a,1\nb,2\n"))
    assert read_labels(tmp_path / "labels.csv") == {"a": 1, "b": 2}


# Bad files


@pytest.mark.parametrize(
    ("name", "text", "error", "words"),
    [
        ("empty.csv", "", FileFormatError, "empty.csv is empty"),
        ("empty.mtx", "", FileFormatError, "is empty"),
        ("empty.graphml", "", FileFormatError, "is empty"),
        ("empty.parquet", "", FileFormatError, "is empty"),
        ("notes.csv", "# nothing\n\n", FileFormatError, "no rows"),
        ("header.csv", "source,target\n", FileFormatError, "a header and no rows"),
        ("short.csv", "0,1\n1,2\n3", FileFormatError, "short.csv, line 3: 1 column, expected 2.*cut short"),
        ("long.csv", "# hi\n0,1\n1,2,3\n", FileFormatError, "line 3: 3 columns, expected 2"),
        ("four.csv", "a,b,c,d\n", FileFormatError, "line 1: 4 columns, expected 2 or 3"),
        ("page.txt", "<!DOCTYPE html>\n", FileFormatError, "web page"),
        ("blanks.csv", "0 1\n", FileFormatError, "line 1: no comma"),
        ("gap.csv", "a,b\nb,\n", FileFormatError, "line 2: column 2 is empty"),
        ("quote.csv", 'a,b\n"c,d\n', FileFormatError, "line 2: broken quotes"),
        ("weight.csv", "a,b,1\nb,c,heavy\n", FileFormatError, "line 2: the weight 'heavy' is not a number"),
        ("nan.csv", "a,b,1\nb,c,nan\n", WeightError, "nan.csv, line 2: the weight is nan"),
        ("inf.tsv", "a\tb\tinf\n", WeightError, "inf.tsv, line 1: the weight is inf"),
        ("minus.txt", "a b -1\n", WeightError, "line 1: the weight is -1; .*signed=True"),
        ("zero.csv", "a,\0b\n", FileFormatError, "line 1: the file is binary"),
        ("list.csv", "# ohmline-nodes: [1,\n1,2\n", FileFormatError, "line 1: the list of nodes is broken"),
        ("list.csv", "# ohmline-nodes: {}\n1,2\n", FileFormatError, "line 1: the list of nodes is broken"),
        ("list.csv", "# ohmline-nodes: [1]\n1,2\n", FileFormatError, "line 2: node '2' is not among"),
        ("list.csv", "# ohmline-nodes: [1, 1]\n", GraphError, "list.csv: node 1 is listed twice"),
        ("text.mtx", "0 1\n", FileFormatError, "does not begin with %%MatrixMarket"),
        ("cut.mtx", MARKET + "symmetric\n3 3 2\n2 1 1\n", FileFormatError, "cut short"),
        ("odd.mtx", MARKET + "general\n2 3 1\n1 3 1\n", ShapeError, "odd.mtx: .*square"),
        ("nul.mtx", MARKET + "symmetric\n2 2 1\n2 1 \0\n", FileFormatError, "not text"),
        ("nan.mtx", MARKET + "symmetric\n2 2 1\n2 1 nan\n", WeightError, "nan"),
        ("text.graphml", "0 1\n", FileFormatError, "no <graphml> element"),
        ("cut.graphml", '<?xml version="1.0"?><graphml><graph><node id="', FileFormatError, "cut short"),
        ("none.graphml", '<?xml version="1.0"?><graphml></graphml>', FileFormatError, "is broken"),
        ("text.parquet", "0 1\n", FileFormatError, "not Parquet"),
        ("text.csv.gz", "0,1\n", FileFormatError, "ends in .gz and is not gzip"),
    ],
)  # fmt: skip
def test_bad_files_are_named(tmp_path, name, text, error, words):
    with pytest.raises(error, match=words) as caught:
        read(put(tmp_path, name, text))
    assert isinstance(caught.value, OhmlineError)
    assert name in str(caught.value)


def test_broken_bytes(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_bytes(b"a,b\nb,\xff\n")
    with pytest.raises(FileFormatError, match="line 2: byte 0xff is not UTF-8"):
        read(path)
    whole = gzip.compress(b"0 1\n" * 1000)
    zipped = tmp_path / "edges.txt.gz"
    for broken in (whole[: len(whole) // 2], whole[:-6] + b"xxxxxx"):
        zipped.write_bytes(broken)
        with pytest.raises(FileFormatError, match="broken or cut short"):
            read(zipped)


@pytest.mark.parametrize("ending", [".graphml", ".mtx", ".parquet"])
def test_cut_short_anywhere_is_an_error_of_ours(tmp_path, ending):
    path = tmp_path / f"graph{ending}"
    write(generate.barbell(4).graph, path)
    whole = path.read_bytes()
    ends = range(60, len(whole) - 30, 7) if ending == ".mtx" else [len(whole) // 5, len(whole) // 2]
    for end in ends:
        path.write_bytes(whole[:end])
        with pytest.raises(FileFormatError, match=r"cut short|not GraphML"):
            read(path)


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(DataError, match=r"absent.csv does not exist"):
        read(tmp_path / "absent.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match=r"folder.csv has no .parquet files"):
        read(tmp_path / "folder.csv")
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path / "folder.csv", format=Format.EDGE_LIST)
    with pytest.raises(DataError, match=r"the folder .* does not exist"):
        write(generate.line(2).graph, tmp_path / "absent" / "graph.csv")
    with pytest.raises(DataError, match="cannot be written"):
        write(generate.line(2).graph, tmp_path / "folder.csv")
    (tmp_path / "plain.csv").write_text("a,b\n")
    with pytest.raises(DataError, match=r"cannot be written: Not a directory; name another file"):
        write(generate.line(2).graph, tmp_path / "plain.csv" / "graph.csv")
    (tmp_path / "plain.csv").unlink()
    assert sorted(os.listdir(tmp_path)) == ["folder.csv"]


def test_parquet_with_gaps_or_other_columns(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "bad.parquet"
    polars.DataFrame({"source": [1, 2], "target": [2, None]}).write_parquet(path)
    with pytest.raises(FileFormatError, match="row 2: column 'target' is empty"):
        read(path)
    polars.DataFrame({"a": [1], "b": [2], "c": [3], "d": [4]}).write_parquet(path)
    with pytest.raises(FileFormatError, match="columns a, b, c, d; expected source, target"):
        read(path)
    polars.DataFrame({"source": [1], "target": [2], "weight": [float("nan")]}).write_parquet(path)
    with pytest.raises(WeightError, match=r"bad.parquet: the weight of edge \(1, 2\) is nan"):
        read(path)
    polars.DataFrame({"source": [], "target": []}).write_parquet(path)
    with pytest.raises(FileFormatError, match="no rows"):
        read(path)
    frame = polars.DataFrame({"source": [1], "target": [2]})
    frame.write_parquet(path, metadata={"ohmline-nodes": "[1"})
    with pytest.raises(FileFormatError, match="list of nodes is broken"):
        read(path)
    frame.write_parquet(path, metadata={"ohmline-nodes": "[1]"})
    with pytest.raises(OhmlineError, match="unknown node 2"):
        read(path)


@pytest.mark.parametrize("ending", [".csv", ".txt", ".graphml", ".parquet", ".mtx"])
@pytest.mark.parametrize("odd", [(0, 1), 2.5, "line\nbreak", " x", "", True, b"x"])
def test_ids_that_cannot_be_written_leave_the_old_file(tmp_path, ending, odd):
    path = tmp_path / f"graph{ending}"
    write(generate.line(2).graph, path)
    before = path.read_bytes()
    with pytest.raises(FileFormatError, match=path.name):
        write(Graph.from_edges([(odd, "other")]), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


def test_two_ids_with_one_spelling_cannot_be_written(tmp_path):
    with pytest.raises(FileFormatError, match="both be written as '1'"):
        write(Graph.from_edges([(1, "1")]), tmp_path / "graph.csv")


def test_a_failure_while_writing_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "graph.csv"
    write(generate.line(2).graph, path)
    before = path.read_bytes()

    def full_disk(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(DataError, match="No space left"):
        write(generate.line(9).graph, path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["graph.csv"]


@pytest.mark.parametrize(("ending", "module"), [(".graphml", "igraph"), (".parquet", "polars")])
def test_a_missing_extra_gives_the_command(tmp_path, monkeypatch, ending, module):
    path = tmp_path / f"graph{ending}"
    write(generate.line(2).graph, path)
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingExtra, match=r"pip install 'ohmline\[io\]'"):
        read(path)


def test_a_first_row_that_looks_like_a_header_is_kept(tmp_path):
    graph = Graph.from_edges([("a", "b"), ("1", "2"), ("2", "3")])
    write(graph, tmp_path / "graph.txt")
    assert read(tmp_path / "graph.txt") == graph


def test_the_class_reads_too(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("a,b,2\nb,c,1\n")
    assert Graph.read(path) == read(path) == Graph.from_edges([("a", "b", 2.0), ("b", "c", 1.0)])


def test_numbers_too_long_for_parquet_are_refused_and_lists_take_them(tmp_path):
    graph = Graph.from_edges([(2**63, 1), (1, -(2**70))])
    with pytest.raises(
        FileFormatError, match=rf"node {2**63} is beyond the whole numbers of 64 bits|node -{2**70} is"
    ):
        graph.write(tmp_path / "long.parquet")
    assert not (tmp_path / "long.parquet").exists()
    graph.write(tmp_path / "long.csv")
    assert set(read(tmp_path / "long.csv").nodes) == set(graph.nodes)
    most = Graph.from_edges([(2**63 - 1, 1), (1, -(2**63))])
    most.write(tmp_path / "most.parquet")
    assert read(tmp_path / "most.parquet").nodes == most.nodes
