"""Files that can be read in two ways: the safe way is taken, or an error names the line. Nothing vanishes silently."""

from __future__ import annotations

import logging

import pytest

from ohmline.errors import FileFormatError, GraphError, LabelError, UnknownNode
from ohmline.graph import Graph, read, read_labels, read_nodes
from ohmline.graph.files import fast_table


@pytest.fixture(params=["careful", "fast"], autouse=True)
def reader(request, monkeypatch):
    """Both readers must agree."""
    if request.param == "fast":
        monkeypatch.setattr(fast_table, "LARGE", 1)


def edges(path, text, **options):
    path.write_text(text)
    graph = read(path, **options)
    return [(graph.nodes[i], graph.nodes[j], w) for i, j, w in zip(*map(list, graph.edges()), strict=True)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.csv", "a;b;1,5\nb;c;2,5\n"),
        ("g.csv", "a;b;1,500\nb;c;2,5\n"),
        ("g.csv", "a;b;+1,5\nb;c;25,0e-1\n"),
        ("g.csv", "source;target;weight\na;b;1,5\nb;c;2,5\n"),
        ("g.txt", "a b 1,5\nb c 2,5\n"),
        ("g.tsv", "a\tb\t1,5\nb\tc\t2,5\n"),
    ],
)
def test_a_decimal_comma_separates_nothing(tmp_path, name, text):
    assert edges(tmp_path / name, text) == [("a", "b", 1.5), ("b", "c", 2.5)]


def test_a_quoted_comma_separates_nothing(tmp_path):
    found = edges(tmp_path / "g.csv", '"Smith, J";"Doe, A"\n"Doe, A";"Roe, B"\n')
    assert found == [("Smith, J", "Doe, A", 1), ("Doe, A", "Roe, B", 1)]
    assert edges(tmp_path / "g.csv", "a;x,b\nb,c\nc,d\n")[0] == ("a;x", "b", 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a;b;1,500\nb;c;2,250\n", r"line 1: the weight '1,500' may be .* thousands; write 1.500 or 1500"),
        ("a;b;1.5\nb;c;2,5\n", r"line 2: the weight '2,5' may be"),
        ("a,b,\nb,c,1\nc,a,1\n", r"line 1: column 3 is empty.*header=True"),
        ("a,b,x\nb,c,1\nc,a,1\n", r"line 1: the weight 'x' is not a number.*header=True"),
        ("a,b,n/a\nc,d,1\n", r"line 1: the weight 'n/a' is not a number"),
        ("1,2,x\n3,4,1\n", r"line 1: the weight 'x' is not a number"),
        ("bob,#cats\n#cats,#dogs\n#dogs,bob\n", r"line 2: '#cats,#dogs' begins like a comment"),
        ("#cats,#dogs\nbob,#cats\n", r'line 1: .* quote the name .* "#cats"'),
        ("%5,%6\n%6,%7\n1,%5\n", r"line 1: .* begins like a comment"),
    ],
)
def test_what_may_be_an_edge_is_never_dropped(tmp_path, text, words):
    with pytest.raises(FileFormatError, match=words):
        edges(tmp_path / "g.csv", text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1,2\n3,4\n4,5\n", 3),
        ("a,b,1.5\nc,d,2\nd,e,3\n", 3),
        ('"#cats",#dogs\nbob,"#cats"\n', 2),
        ("# Nodes: 3\n#source,target\n#\n## more\na,b\nb,c\n", 2),
        ("a,b\n# a,c\nb,c\n", 2),
        ("#a comment without columns\na,b\nb,c\n", 2),
    ],
)
def test_every_row_counts_and_comments_do_not(tmp_path, text, count):
    assert len(edges(tmp_path / "g.csv", text)) == count


def test_a_guessed_header_is_told(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "ohmline"):
        assert len(edges(tmp_path / "g.csv", "who,whom,how\na,b,1\nb,c,2\n")) == 2
    assert "the first row, who, whom, how, is taken for the names" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING, "ohmline"):
        assert len(edges(tmp_path / "g.csv", "source,target\na,b\nb,c\n")) == 2
    assert not caplog.text


def test_no_label_is_taken_for_a_header(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("99,a\n1,b\n")
    with pytest.raises(UnknownNode, match="line 1: unknown node '99'"):
        read_labels(path, graph=Graph.from_edges([(1, 2)]))
    path.write_text("zoe,1\nann,2\n")
    with pytest.raises(UnknownNode, match="line 1: unknown node 'zoe'"):
        read_labels(path, graph=Graph.from_edges([("ann", "bob")]))
    path.write_text("who,what\nann,2\n")
    assert read_labels(path, graph=Graph.from_edges([("ann", "bob")])) == {"ann": 2}


def test_two_nodes_that_are_written_alike(tmp_path):
    path = tmp_path / "labels.csv"
    graph = Graph.from_edges([(1, "1"), ("1", 2)])
    path.write_text("node,label\n2,a\n")
    assert read_labels(path, graph=graph) == {2: "a"}
    path.write_text("node,label\n1,a\n")
    with pytest.raises(LabelError, match="'1' may be the node 1 or the node '1'"):
        read_labels(path, graph=graph)
    path.write_text("1,2\n")
    with pytest.raises(GraphError, match="'1' may be the node 1 or the node '1'"):
        read(path, nodes=[1, "1", 2])


def test_lists_of_nodes(tmp_path):
    path = tmp_path / "nodes.csv"
    path.write_text('"Smith, J"\n"Doe, A"\n')
    assert read_nodes(path) == ["Smith, J", "Doe, A"]
    path.write_text("# two\ncats\n#dogs\n")
    with pytest.raises(FileFormatError, match="line 3: '#dogs' begins like a comment"):
        read_nodes(path)
