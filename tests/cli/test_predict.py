"""`ohmline predict` and `ohmline suggest`, as a person runs them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import ohmline as ohm
from ohmline.cli.app import app

RUN = CliRunner()
MAIN = (sys.executable, "-c", "from ohmline.cli import main; main()")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a graph of two triangles joined by an edge, an isolated node, and two labels."""
    monkeypatch.chdir(tmp_path)
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "d")]
    Path("edges.csv").write_text("from,to\n" + "".join(f"{u},{v}\n" for u, v in edges))
    Path("labels.csv").write_text("who,what\na,left\nf,right\nb,\n")
    Path("nodes.csv").write_text("node\n" + "".join(f"{node}\n" for node in "abcdefg"))
    return tmp_path


def ran(*arguments: str, code: int = 0) -> Any:
    result = RUN.invoke(app, list(arguments))
    assert result.exit_code == code, result.output + result.stderr
    return result


def rows(name: str = "predictions.csv") -> dict[str, dict[str, str]]:
    with open(name, newline="") as file:
        return {row["node"]: row for row in csv.DictReader(file)}


@pytest.mark.usefixtures("here")
def test_predictions_for_every_node() -> None:
    said = ran("predict", "edges.csv", "labels.csv", "--nodes", "nodes.csv").output
    assert "2 of 7 nodes are labelled" in said
    assert "no class: 1, which no label reaches" in said
    table = rows()
    assert {node: row["prediction"] for node, row in table.items()} == {
        **dict.fromkeys("abc", "left"),
        **dict.fromkeys("def", "right"),
        "g": "",
    }
    assert table["a"]["label"] == "left"
    assert table["b"]["label"] == ""
    assert float(table["b"]["p(left)"]) + float(table["b"]["p(right)"]) == pytest.approx(1)
    assert "only one class" not in said


def test_a_learner_for_neighbours_that_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trades = ohm.graph.generate.stochastic_block_model([60, 60], [[0.01, 0.1], [0.1, 0.01]], seed=0)
    first, second, _ = trades.graph.edges()
    Path("trades.csv").write_text(
        "from,to\n" + "".join(f"{u},{v}\n" for u, v in zip(first, second, strict=True))
    )
    truth = {str(node): f"side {trades.groups[node]}" for node in range(120)}
    Path("sides.csv").write_text("node,side\n" + "".join(f"{n},{truth[str(n)]}\n" for n in range(0, 120, 2)))

    def right(*options: str) -> float:
        ran("predict", "trades.csv", "sides.csv", *options)
        rest = {node: row["prediction"] for node, row in rows().items() if not row["label"]}
        return sum(truth[node] == said for node, said in rest.items()) / len(rest)

    assert right("--learner", "relational", "--save", "it.ohm") > 0.9 > 0.4 > right()
    assert right("--model", "it.ohm") > 0.8  # it goes on from the file
    for options in (["--query", "uncertainty"], []):
        said = json.loads(
            ran(
                "suggest", "trades.csv", "sides.csv", "--learner", "relational", "-k", "3", "--json", *options
            ).stdout
        )
        asked = {row["node"] for row in said["suggestions"]}
        assert len(asked) == 3
        assert all(int(node) % 2 for node in asked)  # none that has a label
    game = json.loads(ran("play", "trades.csv", "sides.csv", "--learner", "relational", "--json").stdout)[
        "games"
    ][0]
    assert game["learner"]


@pytest.mark.usefixtures("here")
def test_one_class_alone_is_said() -> None:
    Path("one.csv").write_text("who,what\na,left\n")
    said = ran("predict", "edges.csv", "one.csv").output
    assert "only one class is known, so every node is predicted as it" in said


@pytest.mark.usefixtures("here")
def test_the_json_has_the_shape_of_the_design() -> None:
    document = json.loads(ran("predict", "edges.csv", "labels.csv", "--out", "p.parquet", "--json").stdout)
    assert document | {"seconds": 0, "seed": 0, "model": None} == {
        "nodes": 6,
        "labelled": 2,
        "unreached": 0,
        "classes": ["left", "right"],
        "counts": {"left": 3, "right": 3},
        "out": "p.parquet",
        "seconds": 0,
        "seed": 0,
        "model": None,
    }
    import polars as pl

    assert pl.read_parquet("p.parquet")["prediction"].to_list().count("left") == 3


@pytest.mark.usefixtures("here")
def test_a_model_is_saved_and_goes_on() -> None:
    ran("predict", "edges.csv", "labels.csv", "--save", "m.ohm")
    first = rows()
    ran("predict", "edges.csv", "--model", "m.ohm", "--out", "again.csv")
    assert rows("again.csv") == first
    Path("more.csv").write_text("node,label\nc,right\n")
    ran("predict", "edges.csv", "more.csv", "--model", "m.ohm", "--save", "m.ohm")
    assert rows()["a"]["label"] == "left"
    assert rows()["c"]["label"] == "right"
    assert isinstance(ohm.load("m.ohm"), ohm.LocalLGC)
    Path("other.csv").write_text("a,b\nb,z\n")
    wrong = ran("predict", "other.csv", "--model", "m.ohm", code=2).stderr
    assert "another graph" in wrong


@pytest.mark.usefixtures("here")
def test_a_model_of_relations_goes_on_over_weighted_edges() -> None:
    edges = [("a", "b", 4), ("b", "c", 2), ("c", "d", 9), ("d", "e", 1)]
    Path("paid.csv").write_text("from,to,weight\n" + "".join(f"{u},{v},{w}\n" for u, v, w in edges))
    Path("some.csv").write_text("who,what\na,left\ne,right\n")
    ran("predict", "paid.csv", "some.csv", "--learner", "relational", "--save", "m.ohm")
    first = rows()
    said = ran("predict", "paid.csv", "--model", "m.ohm", "--out", "again.csv").output
    assert rows("again.csv") == first
    assert "2 of 5 nodes are labelled" in said


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("learner", ["perceptron", "min-norm", "shared-lgc", "nearest", "relational"])
def test_other_learners_predict_too(learner: str) -> None:
    ran("predict", "edges.csv", "labels.csv", "--learner", learner)
    assert {row["prediction"] for row in rows().values()} == {"left", "right"}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["edges.csv"], "give LABELS, or --model"),
        (["edges.csv", "labels.csv", "--out", "p.txt"], "name it .csv, .csv.gz or .parquet"),
        (["edges.csv", "labels.csv", "--out", "labels.csv"], "is LABELS, which is never overwritten"),
        (["edges.csv", "labels.csv", "--save", "edges.csv"], "is GRAPH, which is never overwritten"),
        (["edges.csv", "labels.csv", "--out", "p.csv", "--save", "p.csv"], "name two files"),
        (["edges.csv", "labels.csv", "--learner", "magic"], "no learner 'magic'"),
        (["labels.csv", "edges.csv"], ""),
        (["edges.csv", "edges.csv"], "GRAPH and LABELS are both edges.csv"),
        (["edges.csv", "labels.csv", "--nodes", "nodes.csv", "--out", "nodes.csv"], "is the file of --nodes"),
        (
            ["edges.csv", "labels.csv", "--nodes", "nodes.csv", "--save", "./nodes.csv"],
            "is the file of --nodes",
        ),
        (
            ["edges.csv", "labels.csv", "--out", "edges.csv/x.csv"],
            "edges.csv is not a folder; make it, or name",
        ),
        (["edges.csv", "labels.csv", "--save", "gone/m.ohm"], "the folder gone does not exist; make it"),
        (["edges.csv", "labels.csv", "--node", "nobody"], "--node"),
        (["edges.csv", "labels.csv", "--model", "labels.csv"], "no model file"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(arguments: list[str], words: str) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    result = ran("predict", *arguments, code=2)
    assert result.stderr.startswith("ohmline: ")
    assert words in result.stderr
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("command", ["suggest", "play"])
@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("edges.csv", "is GRAPH, which is never overwritten"),
        ("./labels.csv", "is LABELS, which is never overwritten"),
        ("nodes.csv", "is the file of --nodes, which is never overwritten"),
        ("edges.csv/x", "edges.csv is not a folder"),
        ("gone/x", "the folder gone does not exist"),
    ],
)
def test_no_command_writes_over_what_it_reads(command: str, out: str, words: str) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    result = ran(command, "edges.csv", "labels.csv", "--nodes", "nodes.csv", "--out", out, code=2)
    assert words in result.stderr
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before
    assert "are both edges.csv" in ran(command, "edges.csv", "edges.csv", code=2).stderr


@pytest.mark.usefixtures("here")
def test_a_header_that_is_a_guess_is_told_and_its_flag_is_that_of_the_file() -> None:
    told = ran("predict", "edges.csv", "labels.csv").stderr
    assert told.startswith(
        "ohmline: labels.csv: the first row, who, what, is taken for the names of the columns"
    )
    wrong = ran("predict", "edges.csv", "labels.csv", "--no-labels-header", "--node", "who", code=2).stderr
    assert "--no-labels-header says that columns have no names" in wrong
    assert "taken for" not in ran("predict", "edges.csv", "labels.csv", "--labels-header").stderr


@pytest.mark.usefixtures("here")
def test_a_name_as_long_as_the_file_system_takes_is_written() -> None:
    name = "n" * 245 + ".csv"
    ran("predict", "edges.csv", "labels.csv", "--out", name)
    assert len(rows(name)) == 6
    longer = ran("predict", "edges.csv", "labels.csv", "--out", "n" + 7 * "n" + name, code=3).stderr
    assert "cannot be written: File name too long; name another file" in longer
    assert sorted(os.listdir()) == ["edges.csv", "labels.csv", name, "nodes.csv"]


@pytest.mark.usefixtures("here")
def test_labels_of_unknown_nodes_are_refused_or_skipped() -> None:
    Path("labels.csv").write_text("node,label\na,left\nzoe,right\nf,right\n")
    assert "'zoe'" in ran("predict", "edges.csv", "labels.csv", code=2).stderr
    assert "--skip-unknown" in ran("predict", "edges.csv", "labels.csv", code=2).stderr
    ran("predict", "edges.csv", "labels.csv", "--skip-unknown")
    assert len(rows()) == 6


@pytest.mark.usefixtures("here")
def test_suggestions_are_diverse_and_not_labelled() -> None:
    document = json.loads(ran("suggest", "edges.csv", "labels.csv", "-k", "2", "--json").stdout)
    found = document["suggestions"]
    assert set(document) == {"suggestions", "seed", "seconds"}
    assert set(found[0]) == {"node", "prediction", "probability", "why"}
    assert not {row["node"] for row in found} & {"a", "f"}
    said = ran("suggest", "edges.csv", "labels.csv", "-k", "2", "--out", "next.csv").output
    assert found[0]["why"] in said
    assert list(rows("next.csv")) == [row["node"] for row in found]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "query", ["uncertainty", "sigma-optimal", "v-optimal", "model-change", "farthest-first", "random"]
)
def test_every_query_can_be_named(query: str) -> None:
    document = json.loads(
        ran("suggest", "edges.csv", "labels.csv", "-k", "9", "--query", query, "--json").stdout
    )
    assert {row["node"] for row in document["suggestions"]} == set("bcde")


@pytest.mark.usefixtures("here")
def test_an_unknown_query_is_refused() -> None:
    assert "no query 'best'" in ran("suggest", "edges.csv", "labels.csv", "--query", "best", code=2).stderr


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("command", ["predict", "suggest", "play"])
def test_remedies_are_those_of_the_command_line(command: str) -> None:
    Path("empty.csv").write_text("node,label\na,\nb,\n")
    assert "empty.csv has no labels of nodes" in ran(command, "edges.csv", "empty.csv", code=2).stderr
    Path("two.csv").write_text("a,b,1\na,b,2\n")
    told = ran(command, "two.csv", "labels.csv", code=2).stderr
    assert "pass --symmetrise to take max(S, S'), or pass --parallel sum or --parallel max" in told
    Path("foes.csv").write_text("a,b,-1\n")
    assert "in Python, pass signed=True" in ran(command, "foes.csv", "labels.csv", code=2).stderr
    Path("g.what").write_text("a,b\n")
    assert "rename it, or in Python, pass format=" in ran(command, "g.what", "labels.csv", code=2).stderr


@pytest.mark.usefixtures("here")
def test_a_reader_that_has_gone_is_no_failed_claim() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        arguments = [*MAIN, "predict", "edges.csv", "labels.csv", "--json"]
        done = subprocess.run(arguments, stdout=gone, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr
    assert len(rows()) == 6


def test_an_interrupt_while_modules_load_is_quiet() -> None:
    code = (
        "import builtins, os, signal\n"
        "from ohmline.cli import main\n"
        "load = builtins.__import__\n"
        "def slow(name, *rest, **more):\n"
        "    if name == 'typer':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return load(name, *rest, **more)\n"
        "builtins.__import__ = slow\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.usefixtures("here")
def test_names_are_harmless_on_the_screen() -> None:
    odd = "b\x1b]0;owned\x07"
    Path("odd.csv").write_text(f"from,to\na,{odd}\n{odd},[red]\n[red],#d\n")
    Path("odd_labels.csv").write_text("node,label\na,left\x1b[2J\n[red],right\n")
    said = ran("predict", "odd.csv", "odd_labels.csv").output
    said += ran("suggest", "odd.csv", "odd_labels.csv", "-k", "2").output
    assert "left\ufffd[2J" in said
    assert "b\ufffd]0;owned\ufffd" in said
    assert "\x1b" not in said
    assert "\x07" not in said
    assert len(ohm.graph.read_labels("predictions.csv", node="node", label="prediction")) == 4


def test_drift_plays_the_lines_in_their_order_with_a_node_as_often_as_it_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("edges.csv").write_text("".join(f"n{k},n{k + 1}\n" for k in range(9)))
    seen = [(f"n{k}", "up") for k in range(10)] + [(f"n{k}", "down") for k in range(10)]
    Path("seen.csv").write_text("who,what\n" + "".join(f"{node},{label}\n" for node, label in seen))
    table = json.loads(ran("play", "edges.csv", "seen.csv", "--drift", "--labels-header", "--json").stdout)
    trace = ohm.play(ohm.DriftingLGC(ohm.graph.read("edges.csv"), ["down", "up"]), seen)
    assert (table["games"][0]["trials"], table["games"][0]["mistakes"]) == (20, trace.mistakes)
    told = ran("play", "edges.csv", "seen.csv", code=2).stderr
    assert "has the label 'up' on line 2 and 'down' on line 12" in told
    assert "if labels change over time, pass --drift" in told
    unknown = ran("play", "edges.csv", "seen.csv", "--drift", "--no-labels-header", code=2).stderr
    assert "seen.csv, line 1: unknown node 'who'" in unknown


def test_predict_with_drift_learns_a_node_as_often_as_it_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("edges.csv").write_text("".join(f"n{k},n{k + 1}\n" for k in range(9)))
    seen = [(f"n{k}", "up") for k in range(10)] + [(f"n{k}", "down") for k in range(5)]
    Path("seen.csv").write_text("".join(f"{node},{label}\n" for node, label in seen))
    flags = ("--no-labels-header", "--no-header")
    told = ran("predict", "edges.csv", "seen.csv", *flags, code=2).stderr
    assert "if labels change over time, pass --drift, which takes both in their order" in told
    ran("predict", "edges.csv", "seen.csv", *flags, "--drift", "--save", "town.ohm")
    wanted = ohm.DriftingLGC(ohm.graph.read("edges.csv"), ["down", "up"])
    wanted.learn_many([node for node, _ in seen], [label for _, label in seen])
    table = wanted.predict_many()
    found = rows()
    assert [found[node]["prediction"] for node in table.nodes] == table.predictions
    assert [float(found[node]["p(down)"]) for node in table.nodes] == pytest.approx(table.probabilities[:, 0])
    assert found["n0"]["label"] == "down"
    assert found["n9"]["label"] == "up"
    Path("news.csv").write_text("".join(f"n{k},down\n" for k in (5, 6, 7, 8, 9, 7, 8, 9)))
    ran("predict", "edges.csv", "news.csv", *flags, "--drift", "--model", "town.ohm")
    assert {row["prediction"] for row in rows().values()} == {"down"}


@pytest.mark.usefixtures("here")
def test_drift_is_refused_where_nothing_would_follow_it() -> None:
    told = ran("predict", "edges.csv", "labels.csv", "--drift", "--learner", "nearest", code=2).stderr
    assert "--drift chooses the learner, and --learner nearest another one" in told
    ran("predict", "edges.csv", "labels.csv", "--save", "still.ohm")
    told = ran("predict", "edges.csv", "labels.csv", "--drift", "--model", "still.ohm", code=2).stderr
    assert "still.ohm holds LocalLGC, which is not for labels that change; leave out --drift" in told
    told = ran("predict", "edges.csv", "labels.csv", "--drift", "--workers", "1", code=2).stderr
    assert "--drift" in told


@pytest.mark.usefixtures("here")
def test_a_guessed_header_names_the_flag_of_its_file() -> None:
    Path("named.csv").write_text("payer,payee\na,b\nb,c\n")
    Path("kinds.csv").write_text("account,kind\na,x\nc,y\n")
    told = ran("predict", "named.csv", "kinds.csv").stderr.splitlines()
    assert [line.rpartition("; ")[2] for line in told] == [
        "if it is one like the others, pass --no-header",
        "if it is one like the others, pass --no-labels-header",
    ]
    told = ran("graph", "convert", "named.csv", "named.ohmg").stderr
    assert told.endswith("pass --no-header\n")


@pytest.mark.usefixtures("here")
def test_columns_the_other_way_round_are_noticed() -> None:
    Path("named.csv").write_text("a,b\nb,c\nc,d\n")
    Path("turned.csv").write_text("x,a\ny,c\nx,d\n")
    told = ran("predict", "named.csv", "turned.csv", code=2).stderr
    assert "if the label stands before the node, pass --node 1, --label 0" in told
    ran("predict", "named.csv", "turned.csv", "--node", "1", "--label", "0")
