"""Graphs in files of their own: what is written is what is opened, and nothing else gets in."""

from __future__ import annotations

import json
import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ohmline import Graph, LaplacianKernel, Perceptron
from ohmline.errors import DataError, FileFormatError, OhmlineError, ParameterError, UnknownNode
from ohmline.graph import Format, NodeIndex, convert, read, read_labels, write
from ohmline.graph.files import stream_edges
from ohmline.graph.mapped import remembered
from ohmline.graph.mapped.layout import HEAD, MAGIC, MARK, VERSION
from ohmline.graph.streaming import building

EDGES = [("ada", "bob", 2.0), ("bob", "cleo", 0.5), ("dän", "ada", 1.0)]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("OHMLINE_CACHE", str(folder))
    return folder


def graphs() -> list[Graph]:
    return [
        Graph.from_edges(EDGES),
        Graph.from_edges(EDGES, nodes=["x", "dän", "cleo", "", "bob", "ada"]),
        Graph.from_edges([(0, 1), (1, 2)]),
        Graph.from_edges([(7, 3), (3, -10), (2**62, 7)]),
        Graph.from_edges([(7, 3, -1.5), (3, 10)], nodes=[10, 3, 7, 1], signed=True),
        Graph.from_edges([((1, "a"), "1"), ("1", 1), (1, 2.5), (10**30, 1)]),
        Graph.from_edges([("\ud800", "b")]),
        Graph.from_edges([(0, 0), (0, 1)]),
        Graph.from_edges([], nodes=["only"]),
    ]


def forget(folder: Path) -> None:
    """No file counts as checked."""
    for note in folder.rglob("*"):
        if note.is_file():
            note.unlink()


@pytest.mark.parametrize("k", range(len(graphs())))
def test_what_is_written_is_opened(k: int, tmp_path: Path, own_cache: Path) -> None:
    graph, path = graphs()[k], tmp_path / "graph.ohmg"
    graph.write(path)
    forget(own_cache)
    for opened in (
        Graph.open(path),
        Graph.open(path, verify=True),
        Graph.open(path, trust=True),
        read(path),
        pickle.loads(pickle.dumps(Graph.open(path))),
    ):
        assert opened == graph
        assert graph == opened
        assert hash(opened) == hash(graph)
        assert opened.fingerprint == graph.fingerprint
        assert opened.nodes.fingerprint == graph.nodes.fingerprint
        assert [type(node) for node in opened.nodes] == [type(node) for node in graph.nodes]
        assert opened.nodes.positions(list(graph.nodes)).tolist() == list(range(graph.n))
        assert opened.dropped_loops == graph.dropped_loops
        assert opened.component_of.tolist() == graph.component_of.tolist()
        assert opened.degree.tolist() == graph.degree.tolist()
        assert opened.summary() == graph.summary()
        assert not opened.indices.flags.writeable
        assert not opened.weights.flags.writeable
    again = tmp_path / "again.ohmg"
    opened.write(again)
    assert again.read_bytes() == path.read_bytes()


def test_ids_of_a_table_behave_as_those_of_a_list(tmp_path: Path) -> None:
    for graph in graphs()[:6]:
        graph.write(tmp_path / "graph.ohmg")
        listed, table = graph.nodes, Graph.open(tmp_path / "graph.ohmg").nodes
        assert table == listed
        assert table[1:] == listed[1:]
        assert table[-1] == listed[-1]
        for node in (
            "ada",
            "nobody",
            "",
            3,
            3.0,
            3.5,
            True,
            None,
            (1, "a"),
            float("inf"),
            10**40,
            b"ada",
            "é",
            ["a"],
        ):
            assert (node in table) == (node in listed), node
        with pytest.raises(UnknownNode, match="unknown node 'nobody'"):
            table.positions([listed[0], "nobody"])
        assert table.with_node("new") == listed.with_node("new")
        assert isinstance(pickle.loads(pickle.dumps(table)), NodeIndex)


def test_components_of_a_mapped_graph_are_those_of_scipy(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        n = int(rng.integers(1, 60))
        pairs = rng.integers(0, n, (int(rng.integers(0, 60)), 2)).tolist()
        graph = Graph.from_edges([(u, v) for u, v in pairs if u != v], nodes=range(n))
        graph.write(tmp_path / "graph.ohmg")
        assert Graph.open(tmp_path / "graph.ohmg").component_of.tolist() == graph.component_of.tolist()


def test_a_learner_plays_on_a_mapped_graph(tmp_path: Path) -> None:
    graph = Graph.from_edges(EDGES)
    graph.write(tmp_path / "graph.ohmg")
    learners = [Perceptron(LaplacianKernel(g)) for g in (graph, Graph.open(tmp_path / "graph.ohmg"))]
    for learner in learners:
        learner.learn_one("ada", -1)
        learner.learn_one("cleo", 1)
    assert learners[0].margin_one("dän") == learners[1].margin_one("dän")
    (tmp_path / "labels.csv").write_text("node,label\nada,x\ncleo,y\n")
    assert read_labels(tmp_path / "labels.csv", graph=learners[1].kernel.graph) == {"ada": "x", "cleo": "y"}


def test_another_process_shares_the_file(tmp_path: Path) -> None:
    Graph.from_edges(EDGES).write(tmp_path / "graph.ohmg")
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')).neighbours('ada'))"
    (tmp_path / "graph.pickle").write_bytes(pickle.dumps(Graph.open(tmp_path / "graph.ohmg")))
    command = [sys.executable, "-c", code, str(tmp_path / "graph.pickle")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{'bob': 2.0, 'dän': 1.0}"
    Graph.from_edges([(0, 1)]).write(tmp_path / "graph.ohmg")
    with pytest.raises(DataError, match="changed after the graph was opened"):
        pickle.loads((tmp_path / "graph.pickle").read_bytes())


def test_an_open_graph_survives_that_its_file_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "graph.ohmg"
    Graph.from_edges(EDGES).write(path)
    opened = Graph.open(path)
    Graph.from_edges([(0, 1)]).write(path)
    assert opened == Graph.from_edges(EDGES)
    assert Graph.open(path).n == 2


def altered(path: Path, change: Callable[[bytearray, dict[str, Any]], None]) -> None:
    """Change a file as somebody would who knows the format: the table of contents is consistent with itself again."""
    raw = bytearray(path.read_bytes())
    *_, length, _ = HEAD.unpack_from(raw)
    contents = json.loads(raw[HEAD.size : HEAD.size + length])
    change(raw, contents)
    text = json.dumps(contents, sort_keys=True).encode()
    head = HEAD.pack(MAGIC, MARK, VERSION, len(text), sha256(text).digest()) + text
    raw[: len(head)] = head
    path.chmod(0o644)
    path.write_bytes(raw)


def put(section: str, place: int, form: str, value: Any) -> Callable[[bytearray, dict[str, Any]], None]:
    """Change one entry of an array."""

    def change(raw: bytearray, contents: dict[str, Any]) -> None:
        at = contents["sections"][section]["offset"] + place * struct.calcsize(form)
        struct.pack_into(form, raw, at, value)

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("indices", 0, "<i", 4), "node 0 has the neighbour 4, which must lie from 0 to 3"),
        (put("indices", 0, "<i", -1), "has the neighbour -1"),
        (put("indices", 0, "<i", 0), "node 0 is its own neighbour"),
        (put("indices", 1, "<i", 1), "ascending order"),
        (put("indices", 1, "<i", 2), "go both ways"),
        (put("indptr", 0, "<q", 1), "row starts run from 1"),
        (put("indptr", 4, "<q", 7), "row starts run from 0 to 7, expected 0 to 6"),
        (put("indptr", 1, "<q", 2**40), "fall after node 1"),
        (put("indptr", 2, "<q", -5), "fall after node 1"),
        (put("weights", 0, "<d", float("nan")), "has the weight nan"),
        (put("weights", 0, "<d", -1.0), "has the weight -1.0, which is not finite and above 0"),
        (put("weights", 0, "<d", 3.0), "go both ways with one weight"),
        (put("name_offsets", 1, "<q", 2**40), "overlap"),
        (put("name_offsets", 4, "<q", 2**40), "outside their bytes"),
        (put("name_bytes", 0, "<B", 0xFF), "not UTF-8"),
        (put("name_bytes", 0, "<B", 0x7A), "leads to another position"),
    ],
)
def test_hostile_rows_never_reach_compiled_code(change: Any, words: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.ohmg"
    Graph.from_edges(EDGES).write(path)
    altered(path, change)
    with pytest.raises(FileFormatError, match=words):
        Graph.open(path)
    with pytest.raises(FileFormatError, match="SHA-256 differs"):
        Graph.open(path, verify=True)


def test_slots_that_lead_anywhere_are_found(tmp_path: Path) -> None:
    path = tmp_path / "graph.ohmg"
    Graph.from_edges(EDGES).write(path)
    good = path.read_bytes()
    for value in (2**31 - 1, 3, 0, -7):
        path.chmod(0o644)
        path.write_bytes(good)

        def change(raw: bytearray, contents: dict[str, Any], value: int = value) -> None:
            slots = contents["sections"]["name_slots"]
            for k in range(slots["length"]):
                struct.pack_into("<i", raw, slots["offset"] + 4 * k, value)

        altered(path, change)
        with pytest.raises(FileFormatError, match="leads to another position"):
            Graph.open(path)
        trusted = Graph.open(path, trust=True)  # memory stays safe even so
        assert "nobody" not in trusted.nodes or value == 3


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("nodes", 3, "has 5 entries, expected 4"),
        ("nodes", 2**40, "is not a number from 1"),
        ("nodes", "4", "is not a number"),
        ("entries", 8, "has 6 entries, expected 8"),
        ("signed", 1, "signed is 1"),
        ("ids", "numbers", "there is no array ids"),
        ("ids", "pickle", "pickle"),
        ("fingerprint", "abc", "is no SHA-256"),
        ("sections", {}, "there is no array indptr"),
        ("sections", 3, "cannot be"),
        ("more", 3, "cannot be"),
    ],
)
def test_a_table_of_contents_that_cannot_be(name: str, value: Any, words: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.ohmg"
    Graph.from_edges(EDGES).write(path)
    altered(path, lambda raw, contents: contents.__setitem__(name, value))
    for trust in (False, True):
        with pytest.raises(FileFormatError, match=words):
            Graph.open(path, trust=trust)


def test_a_wrong_fingerprint_is_found_when_every_byte_is_verified(tmp_path: Path) -> None:
    path = tmp_path / "graph.ohmg"
    Graph.from_edges(EDGES).write(path)
    altered(path, lambda raw, contents: contents.__setitem__("fingerprint", "0" * 64))
    assert Graph.open(path).fingerprint == "0" * 64
    with pytest.raises(FileFormatError, match="fingerprint of another graph"):
        Graph.open(path, verify=True)


def test_damaged_heads_and_sizes(tmp_path: Path) -> None:
    path = tmp_path / "graph.ohmg"
    Graph.from_edges(EDGES).write(path)
    good = path.read_bytes()
    path.chmod(0o644)
    for raw, words in (
        (good[:-1], "cut short"),
        (good + b"\0", "something was added"),
        (good[:100], "table of contents is damaged"),
        (good[:10], "not a graph file"),
        (b"", "not a graph file"),
        (b"a,b\n", "not a graph file"),
        (good[:8] + b"\1\2\3\4" + good[12:], "another byte order"),
        (good[:12] + struct.pack("<I", 2) + good[16:], "has version 2 of the format"),
        (good[:60] + b"?" + good[61:], "table of contents is damaged"),
        (good[:16] + struct.pack("<I", 2**31) + good[20:], "table of contents is damaged"),
    ):
        path.write_bytes(raw)
        with pytest.raises(FileFormatError, match=words):
            Graph.open(path, trust=True)


def test_what_is_no_file(tmp_path: Path) -> None:
    Graph.from_edges(EDGES).write(tmp_path / "graph.ohmg")
    (tmp_path / "link.ohmg").symlink_to(tmp_path / "graph.ohmg")
    assert Graph.open(tmp_path / "link.ohmg").n == 4
    (tmp_path / "broken.ohmg").symlink_to(tmp_path / "gone.ohmg")
    with pytest.raises(DataError, match="which the link names, does not exist"):
        Graph.open(tmp_path / "broken.ohmg")
    with pytest.raises(DataError, match="does not exist"):
        Graph.open(tmp_path / "gone.ohmg")
    with pytest.raises(FileFormatError, match="is a folder"):
        Graph.open(tmp_path)
    os.mkfifo(tmp_path / "pipe.ohmg")
    with pytest.raises(FileFormatError, match="no ordinary file"):
        Graph.open(tmp_path / "pipe.ohmg")
    with pytest.raises(ParameterError, match="has its own nodes"):
        read(tmp_path / "graph.ohmg", nodes=["a"])


def test_writing_leaves_nothing_half_done(tmp_path: Path) -> None:
    path = tmp_path / "graph.ohmg"
    Graph.from_edges(EDGES).write(path)
    before = path.read_bytes()
    with pytest.raises(FileFormatError, match="cannot be written"):
        Graph.from_edges([(frozenset([1]), 2)]).write(path)
    assert path.read_bytes() == before
    assert sorted(child.name for child in tmp_path.iterdir()) == ["cache", "graph.ohmg"]
    with pytest.raises(DataError, match="does not exist"):
        Graph.from_edges(EDGES).write(tmp_path / "no" / "graph.ohmg")
    assert not path.stat().st_mode & 0o222  # nobody truncates by accident what others have mapped


def test_a_file_is_checked_once_and_again_after_a_change(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "graph.ohmg"
    Graph.from_edges(EDGES).write(path)
    steps: list[int] = []
    Graph.open(path, progress=steps.append)
    assert not steps  # we wrote it ourselves
    forget(own_cache)
    Graph.open(path, progress=steps.append)
    assert sum(steps) == 6 + 4
    Graph.open(path, progress=steps.append)
    assert sum(steps) == 6 + 4
    status = path.stat()
    altered(path, put("indices", 0, "<i", 4))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # as if it had not been touched
    with pytest.raises(FileFormatError):
        Graph.open(path)
    monkeypatch.setenv("OHMLINE_CACHE", str(tmp_path / "graph.ohmg" / "nowhere"))
    Graph.from_edges(EDGES).write(path)
    assert not remembered.is_remembered(remembered.stamp_of(path.stat()))
    assert Graph.open(path).n == 4  # where nothing can be noted, it is checked each time


def test_large_edges_go_straight_into_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    monkeypatch.setattr(stream_edges, "LARGE", 1)
    monkeypatch.setattr(building, "AT_ONCE", 1 << 12)  # several rounds over the edges
    for weights, parallel in ((False, None), (True, "sum"), (True, "max")):
        rows = rng.integers(0, 900, (3000, 2)).tolist()
        names = [f"n{u},n{v}" + (f",{rng.integers(1, 5)}" if weights else "") for u, v in rows]
        (tmp_path / "edges.csv").write_text(
            "\n".join(["source,target,weight"[: None if weights else 13], *names])
        )
        convert(tmp_path / "edges.csv", tmp_path / "graph.ohmg", parallel=parallel)  # type: ignore[arg-type]
        graph = read(tmp_path / "edges.csv", parallel=parallel)  # type: ignore[arg-type]
        opened = Graph.open(tmp_path / "graph.ohmg", verify=True)
        assert opened == graph
        assert opened.fingerprint == graph.fingerprint
        assert opened.dropped_loops == graph.dropped_loops
    (tmp_path / "edges.csv").write_text("\n".join(["a,b,1", "a,b,2", *(f"x{k},y{k},1" for k in range(300))]))
    with pytest.raises(OhmlineError, match="two weights"):
        convert(tmp_path / "edges.csv", tmp_path / "other.ohmg")
    assert sorted(child.name for child in tmp_path.iterdir()) == ["cache", "edges.csv", "graph.ohmg"]
    with pytest.raises(FileFormatError, match=r"ends in \.ohmg"):
        convert(tmp_path / "edges.csv", tmp_path / "graph.csv")


def test_the_format_can_be_named(tmp_path: Path) -> None:
    graph = Graph.from_edges(EDGES)
    write(graph, tmp_path / "graph.bin", format=Format.GRAPH_FILE)
    assert read(tmp_path / "graph.bin", format=Format.GRAPH_FILE) == graph
