"""Tables as people write them: headers of any kind, columns by name, missing labels, large files in columns."""

from __future__ import annotations

import gzip
import sqlite3

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphs import graphs
from ohmline.errors import (
    ConflictingLabels,
    DirectedError,
    FileFormatError,
    GraphError,
    LabelError,
    MissingExtra,
    OhmlineError,
    ParameterError,
    UnknownNode,
    WeightError,
)
from ohmline.graph import (
    FileLimits,
    Graph,
    labels_from_sql,
    labels_of,
    read,
    read_labels,
    read_nodes,
    write,
)
from ohmline.graph.files import fast_table

pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
zstandard = pytest.importorskip("zstandard")


def put(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


FRIENDS = Graph.from_edges([("ann", "bob"), ("bob", "cat"), ("cat", "ann")])

# Headers


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("person,friend\nann,bob\nbob,cat\ncat,ann\n", [("ann", "bob"), ("bob", "cat"), ("cat", "ann")]),
        ("Konto A;Konto B\nann;bob\nbob;cat\n", [("ann", "bob"), ("bob", "cat")]),
        ("person\tfriend\tyears\nann\tbob\t2\nbob\tcat\t3\n", [("ann", "bob", 2), ("bob", "cat", 3)]),
        ("person,friend\n1,2\n2,3\n", [(1, 2), (2, 3)]),
        ("weight,target,source\n2,b,a\n", [("a", "b", 2)]),
        ("id,source,target,when\n7,a,b,monday\n8,b,c,\n", [("a", "b"), ("b", "c")]),
        # No header: an end comes again, or another row stands alone as well, or nothing can be said.
        ("ann,bob\nbob,cat\ncat,dan\n", [("ann", "bob"), ("bob", "cat"), ("cat", "dan")]),
        ("ann,bob\ncat,dan\neve,fay\n", [("ann", "bob"), ("cat", "dan"), ("eve", "fay")]),
        ("ann,bob\ncat,dan\n", [("ann", "bob"), ("cat", "dan")]),
        ("ann bob\ncat dan\ndan eve\n", [("ann", "bob"), ("cat", "dan"), ("dan", "eve")]),
        ("7,8\n1,2\n2,3\n", [(7, 8), (1, 2), (2, 3)]) ,
    ],
)  # fmt: skip
def test_edges_with_any_header(tmp_path, text, edges):
    name = "edges.txt" if "," not in text and ";" not in text and "\t" not in text else "edges.csv"
    for whole in (text, text.replace("\n", "\r\n"), "# a comment\n" + text):
        if "7,8" in text:
            assert read(put(tmp_path, name, whole), header=False) == Graph.from_edges(edges)
        else:
            assert read(put(tmp_path, name, whole)) == Graph.from_edges(edges)


def test_what_was_said_about_the_header_holds(tmp_path):
    path = put(tmp_path, "edges.csv", "person,friend\nann,bob\nbob,cat\n")
    assert read(path, header=False).n == 5
    assert read(path, header=True).n == 3
    source = put(tmp_path, "words.csv", "source,target\ntarget,weight\n")
    assert list(read(source, header=False).nodes) == ["source", "target", "weight"]
    with pytest.raises(ParameterError, match="header must be True or False"):
        read(path, header="yes")


def test_columns_of_edges_by_name_and_by_number(tmp_path):
    path = put(tmp_path, "pay.csv", "day,payer,payee,amount\n1,a,b,5\n1,b,a,2\n2,b,c,1\n")
    expected = Graph.from_edges([("a", "b", 7.0), ("b", "c", 1.0)])
    assert read(path, source="payer", target="payee", weight="amount", parallel="sum") == expected
    assert read(path, source=1, target=2, weight=3, parallel="sum") == expected
    assert read(path, source="payer", target="payee").n_edges == 2
    with pytest.raises(DirectedError, match=r"pay.csv: edge .* has two weights"):
        read(path, source="payer", target="payee", weight="amount")
    with pytest.raises(GraphError, match=r"pay.csv: edge .* is listed 2 times"):
        read(path, source="payer", target="payee", parallel="refuse")
    with pytest.raises(
        FileFormatError, match="no column 'from' for source; it has day, payer, payee, amount"
    ):
        read(path, source="from", target="payee")
    with pytest.raises(
        FileFormatError, match=r"4 columns, expected 2 or 3; name two of them with source=..."
    ):
        read(path, header=False)
    with pytest.raises(ParameterError, match="'payer' names a column, and header=False"):
        read(path, source="payer", target="payee", header=False)
    with pytest.raises(ParameterError, match="source= is given and target= is not"):
        read(path, source="payer")
    with pytest.raises(FileFormatError, match=r"line 2: the weight 'a' is not a number"):
        read(path, source=2, target=3, weight=1)
    three = put(tmp_path, "three.csv", "source,target,when\na,b,monday\n")
    with pytest.raises(FileFormatError, match="line 2: the weight 'monday' is not a number"):
        read(three)
    assert read(three, weight=False).n_edges == 1


def test_a_file_of_labels_is_no_file_of_edges(tmp_path):
    path = put(tmp_path, "labels.csv", "node,label\nann,x\nbob,y\n")
    with pytest.raises(
        FileFormatError, match="second column is called 'label', so this looks like a file of labels"
    ):
        read(path)
    assert read(path, source="node", target="label").n == 4


# Nodes


def test_nodes_from_a_file(tmp_path):
    edges = put(tmp_path, "edges.csv", "source,target\n1,2\n2,3\n")
    nodes = put(tmp_path, "nodes.csv", "node,text\n3,three\n1,one\n9,\n2,two\n")
    graph = read(edges, nodes=nodes)
    assert list(graph.nodes) == [3, 1, 9, 2]
    assert graph.summary()["isolated_nodes"] == 1
    assert read(edges, nodes=[3, 1, 9, 2]) == graph
    assert list(read(edges, nodes=["x", "1", "2", "3"]).nodes) == ["x", "1", "2", "3"]
    with pytest.raises(FileFormatError, match="line 3: node '3' is not among the nodes that nodes= names"):
        read(edges, nodes=[1, 2])
    one = put(tmp_path, "one.csv", "name\nann lee\nbob\n")
    assert read_nodes(one) == ["ann lee", "bob"]
    assert read_nodes(put(tmp_path, "n.txt", "4\n5\n4\n")) == [4, 5]
    assert read_nodes(put(tmp_path, "n.csv", "text,who\nx,ann\n"), node="who") == ["ann"]
    assert read_nodes(put(tmp_path, "n.csv", "x,ann\n"), node=1) == ["ann"]
    with pytest.raises(FileFormatError, match="no column 'who' for node"):
        read_nodes(one, node="who")
    with pytest.raises(FileFormatError, match="line 2: column 1 is empty"):
        read_nodes(put(tmp_path, "gap.csv", "node,text\n,x\n"))
    pl.DataFrame({"text": ["a", "b"], "id": [3, 4]}).write_parquet(tmp_path / "nodes.parquet")
    assert read_nodes(tmp_path / "nodes.parquet") == [3, 4]


def test_nodes_and_columns_of_other_formats(tmp_path):
    market = put(tmp_path, "m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1.0\n")
    assert list(read(market, nodes=["a", "b"]).nodes) == ["a", "b"]
    with pytest.raises(ParameterError, match="Matrix Market has no columns, so source='a' names nothing"):
        read(market, source="a", target="b")
    with pytest.raises(ParameterError, match="leave weight= out"):
        read(market, weight="w")
    write(FRIENDS, tmp_path / "g.graphml")
    with pytest.raises(ParameterError, match="GraphML lists its nodes itself"):
        read(tmp_path / "g.graphml", nodes=["ann"])
    with pytest.raises(FileFormatError, match=r"no edge attribute 'km'; it has .*weight"):
        read(tmp_path / "g.graphml", weight="km")
    assert read(tmp_path / "g.graphml", weight=False) == FRIENDS
    pl.DataFrame({"u": ["a"], "v": ["b"], "km": [2.0], "x": [1]}).write_parquet(tmp_path / "g.parquet")
    graph = read(tmp_path / "g.parquet", source="u", target="v", weight="km", nodes=["b", "a", "c"])
    assert graph == Graph.from_edges([("a", "b", 2.0)], nodes=["b", "a", "c"])


# Labels


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("who,what\nann,x\nbob,y\n", {"ann": "x", "bob": "y"}),
        ("who,what\nann,x\n", {"ann": "x"}),
        ("who what\nann 1\nbob 2\n", {"ann": 1, "bob": 2}),
        ("ann,\nbob,x\ncat,nan\n", {"bob": "x"}),
        ("ann,1\nbob,\ncat,2\n", {"ann": 1, "cat": 2}),
        ("ann,\nann,x\nann,\n", {"ann": "x"}),
        ("label,id\nx,ann\ny,bob\n", {"ann": "x", "bob": "y"}),
        ("text,label,node\nhello,x,ann\n,y,bob\n", {"ann": "x", "bob": "y"}),
    ],
)
def test_labels_with_any_header_and_gaps(tmp_path, text, labels):
    assert read_labels(put(tmp_path, "labels.txt", text), graph=FRIENDS) == labels


def test_a_first_node_that_is_unknown_is_data_if_its_label_comes_again(tmp_path):
    path = put(tmp_path, "labels.csv", "zoe,x\nann,x\nbob,y\n")
    with pytest.raises(
        UnknownNode, match="line 1: unknown node 'zoe'; the graph has 3 nodes, for example 'ann'"
    ):
        read_labels(path, graph=FRIENDS)
    assert read_labels(path, graph=FRIENDS, header=True) == {"ann": "x", "bob": "y"}
    assert read_labels(path, graph=FRIENDS, skip_unknown=True) == {"ann": "x", "bob": "y"}
    assert read_labels(path) == {"zoe": "x", "ann": "x", "bob": "y"}


def test_unknown_nodes_are_counted_with_the_remedy(tmp_path):
    path = put(tmp_path, "labels.csv", "node,label\nann,x\nzoe,x\nyan,y\nzoe,x\n")
    with pytest.raises(
        UnknownNode, match=r"line 3: unknown node 'zoe', and 1 more .*nodes=.*skip_unknown=True"
    ):
        read_labels(path, graph=FRIENDS)
    numbers = Graph.from_edges([(1, 2), (2, 3)])
    with pytest.raises(
        UnknownNode, match=r"unknown node '1'.* and 1, which is a number where this is a string"
    ):
        labels_of({"1": "x"}, graph=numbers)


def test_columns_of_labels_by_name(tmp_path):
    path = put(tmp_path, "people.csv", "name,age,kind\nann,7,x\nbob,8,\n")
    assert read_labels(path, node="name", label="kind") == {"ann": "x"}
    assert read_labels(path, node=0, label=2, header=True) == {"ann": "x"}
    assert read_labels(path, label="age") == {"ann": 7, "bob": 8}
    with pytest.raises(
        FileFormatError, match=r"3 columns, expected 2 \(a node and its label; .*file of edges.*node="
    ):
        read_labels(path)
    with pytest.raises(FileFormatError, match="no column 'class' for label; it has name, age, kind"):
        read_labels(path, label="class")
    pl.DataFrame({"kind": ["x", None], "who": ["ann", "bob"]}).write_parquet(tmp_path / "labels.parquet")
    assert read_labels(tmp_path / "labels.parquet", node="who", label="kind", graph=FRIENDS) == {"ann": "x"}


def test_the_file_of_edges_is_no_file_of_labels(tmp_path):
    ring = [(f"n{k}", f"n{(k + 1) % 12}") for k in range(12)]
    graph = Graph.from_edges(ring)
    path = put(tmp_path, "edges.csv", "source,target\n" + "".join(f"{u},{v}\n" for u, v in ring))
    with pytest.raises(LabelError, match="every row is an edge of the graph, so this is the file of edges"):
        read_labels(path, graph=graph)
    star = [("n0", f"n{k}") for k in range(1, 6)]
    path = put(tmp_path, "star.csv", "".join(f"{u},{v}\n" for u, v in star))
    with pytest.raises(ConflictingLabels, match="is this the file of edges"):
        read_labels(path, graph=Graph.from_edges(star))
    weighted = put(tmp_path, "weighted.csv", "n0,n1,2.5\n")
    with pytest.raises(FileFormatError, match=r"3 columns, expected 2 .*looks like a file of edges"):
        read_labels(weighted, graph=graph)
    # Classes that are numbers, as some nodes are, are labels like all others, even at every edge of a star.
    hub = Graph.from_edges([(0, k) for k in range(1, 30)])
    assert labels_of(dict.fromkeys(range(30), 0), graph=hub) == dict.fromkeys(range(30), 0)
    numbers = Graph.from_edges([(k, k + 1) for k in range(20)])
    labels = {k: k % 3 for k in range(21)}
    path = put(tmp_path, "labels.csv", "".join(f"{k},{y}\n" for k, y in labels.items()))
    assert read_labels(path, graph=numbers) == labels


@pytest.mark.parametrize("share", [1.0, 0.1])
def test_swapped_files_are_noticed(tmp_path, share):
    rng = np.random.default_rng(0)
    edges = put(tmp_path, "edges.csv", "".join(f"n{u},n{v}\n" for u, v in rng.integers(60, size=(200, 2))))
    labels = put(
        tmp_path, "labels.csv", "".join(f"n{k},c{k % 3}\n" for k in range(60) if rng.random() < share)
    )
    assert read_labels(labels, graph=read(edges))
    with pytest.raises(OhmlineError, match="is this the file of edges"):
        read_labels(edges, graph=read(labels))


def test_conflicts_name_both_rows_at_every_door(tmp_path):
    rows = [("ann", "x"), ("bob", "y"), ("ann", "z")]
    path = put(tmp_path, "labels.csv", "".join(f"{u},{y}\n" for u, y in rows))
    with pytest.raises(ConflictingLabels, match="node 'ann' has the label 'x' on line 1 and 'z' on line 3"):
        read_labels(path)
    frame = {"node": [u for u, _ in rows], "label": [y for _, y in rows]}
    for given_rows in (
        rows,
        pd.DataFrame(frame),
        pl.DataFrame(frame),
        pd.Series(frame["label"], frame["node"]),
    ):
        with pytest.raises(ConflictingLabels, match="'x' on row 1 and 'z' on row 3"):
            labels_of(given_rows)


def test_labels_of_whatever_holds_them(tmp_path):
    expected = {"ann": 1, "cat": 2}
    path = put(tmp_path, "labels.csv", "ann,1\nbob,\ncat,2\n")
    frame = {"node": ["ann", "bob", "cat"], "label": [1.0, float("nan"), 2.0]}
    connection = sqlite3.connect(":memory:")
    query = "SELECT 'ann' AS node, 1 AS label UNION ALL SELECT 'bob', NULL UNION ALL SELECT 'cat', 2"
    assert labels_from_sql(connection, query, graph=FRIENDS) == expected
    connection.close()
    for labels in (
        {"ann": 1, "bob": None, "cat": np.int64(2)},
        [("ann", 1), ("bob", float("nan")), ("cat", 2)],
        zip(frame["node"], frame["label"], strict=True),
        pd.DataFrame(frame),
        pl.DataFrame(frame),
        pl.DataFrame(frame).lazy(),
        pl.DataFrame(frame).to_arrow(),
        pd.Series(frame["label"], index=frame["node"]),
        str(path),
        path,
    ):
        found = labels_of(labels, graph=FRIENDS)
        assert found == expected
        assert {type(label) for label in found.values()} == {int}
    for bad, error, words in (
        (5, LabelError, "labels must map nodes to labels, got 5"),
        ([("ann",)], ParameterError, "item 0 of labels"),
        ([(["ann"], 1)], LabelError, "not hashable"),
        ({"ann": ["x"]}, LabelError, "label .* is not hashable"),
        (pl.Series([1, 2]), LabelError, "must say whose they are"),
        (
            pd.DataFrame({"a": [1], "b": [2], "c": [3]}),
            LabelError,
            "columns a, b, c; expected node and label",
        ),
        (pd.DataFrame({"node": ["ann", None], "label": [1, 2]}), LabelError, "row 2: column 'node' is empty"),
    ):
        with pytest.raises(error, match=words):
            labels_of(bad)


# Compressed


def test_zstandard_is_read_and_written(tmp_path):
    path = tmp_path / "graph.csv.zst"
    write(FRIENDS, path)
    assert path.read_bytes().startswith(b"\x28\xb5\x2f\xfd")
    assert read(path) == FRIENDS
    frames = b"".join(zstandard.compress(line) for line in (b"a,b\n", b"b,c\n", b"c,d\n" * 5000))
    assert read(put(tmp_path, "frames.csv.zst", frames)).n == 4
    assert read_labels(put(tmp_path, "labels.zst.csv", zstandard.compress(b"a,x\nb,y\n"))) == {
        "a": "x",
        "b": "y",
    }
    with pytest.raises(FileFormatError, match=r"ends in .zst and is not Zstandard"):
        read(put(tmp_path, "plain.csv.zst", b"a,b\n"))


@pytest.mark.parametrize("damage", [lambda z: z[: len(z) // 2], lambda z: z[:-1], lambda z: z[:-1] + b"x"])
def test_broken_zstandard(tmp_path, damage):
    whole = zstandard.ZstdCompressor(write_checksum=True).compress(b"0 1\n" * 1000)
    with pytest.raises(FileFormatError, match="broken or cut short"):
        read(put(tmp_path, "edges.txt.zst", damage(whole)))


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".zst", zstandard.compress)])
def test_bombs_are_refused_before_they_fill_the_memory(tmp_path, ending, pack):
    import tracemalloc

    bomb = put(tmp_path, f"bomb.csv{ending}", pack(b"a,b\n" * (30 * 2**20)))
    assert bomb.stat().st_size < 300_000
    with pytest.raises(FileFormatError):  # what is compiled or imported the first time is not the file's
        read(bomb, limits=FileLimits(size=10**6))
    tracemalloc.start()
    with pytest.raises(FileFormatError, match=r"holds more than 1000000 bytes.*FileLimits\(size="):
        read(bomb, limits=FileLimits(size=10**6))
    assert tracemalloc.get_traced_memory()[1] < 60 * 2**20
    tracemalloc.stop()


def test_zstandard_names_the_extra(tmp_path, monkeypatch):
    import sys

    path = tmp_path / "graph.csv.zst"
    write(FRIENDS, path)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtra, match=r"pip install 'ohmline\[io\]'"):
        read(path)


# Large files in columns

every_file = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None
)
cells = st.sampled_from(
    ["a", "b", "1", "2", "07", " c", "", "x y", '"q"', '"r,s"', 'w"', "#h", "%", "é", "1.5", "nan"]
)
tables = st.lists(
    st.one_of(
        st.lists(cells, min_size=2, max_size=2),
        st.lists(cells, min_size=2, max_size=2),
        st.lists(cells, min_size=1, max_size=3),
        st.just(["#", "comment"]),
        st.just([""]),
    ),
    min_size=1,
    max_size=8,
)


def outcome(action):
    try:
        found = action()
    except OhmlineError as error:
        return type(error), str(error)
    return found, [type(node) for node in (found.nodes if isinstance(found, Graph) else found)]


@given(rows=tables, separator=st.sampled_from([",", "\t", ";", " "]), end=st.sampled_from(["\n", "\r\n"]))
@every_file
def test_large_files_are_read_as_small_ones_are(tmp_path, rows, separator, end):
    path = put(tmp_path, "table.txt", end.join(separator.join(row) for row in rows) + end)
    graph = Graph.from_edges([("a", "b"), ("b", "c")])
    actions = (
        lambda: read(path, parallel="max"),
        lambda: read(path, header=True, weight=False, parallel="sum"),
        lambda: read_labels(path),
        lambda: read_labels(path, graph=graph, skip_unknown=True),
        lambda: dict.fromkeys(read_nodes(path)),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_table, "LARGE", 10**9)
        careful = [outcome(action) for action in actions]
        patch.setattr(fast_table, "LARGE", 0)
        assert [outcome(action) for action in actions] == careful


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt"])
@given(graph=graphs(named=False))
@every_file
def test_round_trip_in_columns(tmp_path, ending, graph):
    path = tmp_path / f"graph{ending}"
    write(graph, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_table, "LARGE", 0)
        assert read(path) == graph


@pytest.mark.parametrize(("name", "make"), [("numbers", int), ("names", lambda k: f"user{k}")])
def test_a_file_that_is_large_is_read_in_columns(tmp_path, monkeypatch, name, make):
    rng = np.random.default_rng(0)
    ends = rng.integers(5000, size=(100_000, 2))
    rows = [
        f"{make(u)},{make(v)},{w}"
        for (u, v), w in zip(ends.tolist(), rng.random(len(ends)).round(3), strict=True)
    ]
    path = put(tmp_path, f"{name}.csv", "# made\nfrom,to,weight\n" + "\n".join(rows) + "\n")
    assert path.stat().st_size > fast_table.LARGE
    seen = []
    monkeypatch.setattr(
        "ohmline.graph.files.table.careful_table", lambda *args, **options: seen.append(args) or 1 / 0
    )
    graph = read(path, parallel="sum")
    assert not seen
    monkeypatch.undo()
    monkeypatch.setattr(fast_table, "LARGE", 10**9)
    assert read(path, parallel="sum") == graph


def test_errors_of_large_files_name_their_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(fast_table, "LARGE", 0)
    path = put(tmp_path, "edges.csv", "# made\n\nfrom,to,weight\na,b,1\nb,c,-1\n")
    with pytest.raises(WeightError, match="line 5: the weight is -1"):
        read(path)
    path = put(tmp_path, "labels.csv", "# who\nnode,label\na,x\na,y\n")
    with pytest.raises(ConflictingLabels, match="'x' on line 3 and 'y' on line 4"):
        read_labels(path)
