"""`ohmline label`: a real terminal, real keys, real signals, and what is refused."""

from __future__ import annotations

import csv
import json
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli.killing import grid
from cli.terminal import COMMAND, Terminal
from ohmline.cli.app import app
from ohmline.cli.declared import classes_of, share_of
from ohmline.cli.label_keys import Keymap
from ohmline.errors import FileFormatError, OhmlineError
from ohmline.graph import Graph
from ohmline.labelling.export import labels_in
from ohmline.labelling.texts import harmless, read_texts
from ohmline.store.journal import Journal, read_journal

QUESTION = r"(?s)node \S+.*q quit.*\n(estimated|\d+ of)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    grid(tmp_path, 5)
    return tmp_path


def ohmline(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["label", *arguments])


# --- at a terminal ------------------------------------------------------------------------------


def test_a_person_labels_undoes_skips_and_quits(folder: Path) -> None:
    (folder / "nodes.csv").write_text('id,title,about\n2-2,"Middle\x1b]0;owned\x07","four\nneighbours"\n')
    (folder / "labels.csv").write_text("0-0,red\n4-4,blue\n")
    arguments = [
        "label",
        "grid.csv",
        "labels.csv",
        "--classes",
        "red,blue,ruby",
        "--text",
        "nodes.csv",
        "--json",
    ]
    terminal = Terminal(arguments, folder, out=folder / "out.json")
    first = terminal.node()
    assert "2 of 25 labelled" in terminal.screen
    assert "1/r red   2/b blue   3/y ruby" in terminal.screen
    terminal.press("x")
    terminal.until("'x' does nothing here")
    terminal.press("\n")
    terminal.until("Enter alone does nothing here")
    terminal.press("\x1b[1~")  # the Home key must not be taken for the key 1
    terminal.until("that key does nothing here")
    terminal.press("1")
    terminal.until(f"saved #2: {first} → red")
    terminal.until("3 of 25 labelled")
    second = terminal.node()
    assert second != first
    terminal.press("Y")  # letters count whatever their case
    terminal.until("4 of 25 labelled")
    terminal.press("u")
    terminal.until(f"(?s)3 of 25 labelled.*{second} is open again")
    assert terminal.node() == second
    terminal.press("s")
    terminal.until("3 of 25 labelled, 1 skipped")
    terminal.press("?")
    terminal.until("Any key goes back")
    terminal.press("1")  # only goes back
    terminal.until("3 of 25 labelled, 1 skipped")
    for width, height in ((44, 14), (20, 8), (160, 60)):
        terminal.resize(width, height)
        terminal.until(rf"(?m)^─{{{width}}}$")
        terminal.until("q quit|q\nquit")
        assert max(map(len, terminal.screen.splitlines())) == width
    terminal.press("q")
    assert terminal.wait() == 0
    assert b"\x1b]" not in terminal.raw
    assert "\x07" not in terminal.text
    found = json.loads((folder / "out.json").read_text())
    assert (found["labels"], found["imported"], found["skipped"]) == (3, 2, 1)
    assert found["counts"] == {"red": 2, "blue": 1, "ruby": 0}
    rows = list(csv.reader((folder / "grid.labels.csv").read_text().splitlines()))
    assert rows == [["node", "label"], ["0-0", "red"], ["4-4", "blue"], [first, "red"]]
    assert (folder / "labels.csv").read_text() == "0-0,red\n4-4,blue\n"
    kinds = [event.kind for event in read_journal(folder / "grid.labels.jsonl")]
    assert kinds == ["opened", "imported", "labelled", "labelled", "undone", "skipped"]


def test_every_way_to_end_leaves_all_answers_and_the_same_command_goes_on(folder: Path) -> None:
    arguments = ["label", "grid.csv", "--classes", "a,b"]
    labelled: dict[str, str] = {}
    for number, code in (
        (signal.SIGINT, 130),
        (signal.SIGTERM, 143),
        (signal.SIGHUP, 129),
        (signal.SIGKILL, -9),
    ):
        terminal = Terminal(arguments, folder)
        node = terminal.node()
        assert node not in labelled
        assert f"{len(labelled)} of 25 labelled" in terminal.screen
        terminal.press("2")
        terminal.until(f"{node} → b")
        labelled[node] = "b"
        assert terminal.kill(number) == code
        assert "Traceback" not in terminal.text
        assert labels_in(folder / "grid.labels.jsonl") == labelled
        if number != signal.SIGKILL:
            assert len((folder / "grid.labels.csv").read_text().splitlines()) == 1 + len(labelled)
    with Journal(folder / "grid.labels.jsonl", {}):
        done = Terminal(arguments, folder)
        assert done.wait() == 2
        assert re.search(rf"ohmline: grid.labels.jsonl is in use by process\s+{os.getpid()}", done.text)


def test_a_window_that_is_closed_leaves_all_answers_and_the_file(folder: Path) -> None:
    terminal = Terminal(["label", "grid.csv", "--classes", "a,b"], folder)
    node = terminal.node()
    terminal.press("2")
    terminal.until("1 of 25 labelled")
    os.close(terminal.fd)
    _, status = os.waitpid(terminal.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 129)
    assert (folder / "grid.labels.csv").read_text() == f"node,label\n{node},b\n"


def test_many_classes_take_two_digits_or_a_name(folder: Path) -> None:
    names = [f"class{k}" for k in range(1, 12)] + ["other"]
    terminal = Terminal(["label", "grid.csv", "--classes", ",".join(names)], folder)
    first = terminal.node()
    terminal.press("1")
    terminal.until(r"(?s)\A(?!.*02 class2).*10 class10")
    terminal.press("1")
    terminal.until(f"(?s)1 of 25 labelled.*{first} → class11")
    second = terminal.node()
    terminal.press("/cl")
    terminal.until("class: cl")
    terminal.press("\r")
    terminal.until("more than one class fits")
    terminal.press("\x1b")
    terminal.until("2 digits")
    terminal.press("/oth\t")
    terminal.until("class: other")
    terminal.press("\r")
    terminal.until(f"{second} → other")
    terminal.until("2 of 25 labelled")
    terminal.press("9")
    terminal.until("'9' does nothing here")
    terminal.press("13")
    terminal.until("no class has the number 1'3'")
    terminal.press("q")
    assert terminal.wait() == 0
    assert labels_in(folder / "grid.labels.jsonl") == {first: "class11", second: "other"}


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs prlimit")
def test_a_full_disk_is_said_and_nothing_is_acknowledged(folder: Path) -> None:
    terminal = Terminal(["label", "grid.csv", "--classes", "a,b"], folder)
    terminal.node()
    terminal.press("1")
    terminal.until("1 of 25 labelled")
    size = (folder / "grid.labels.jsonl").stat().st_size
    resource.prlimit(terminal.pid, resource.RLIMIT_FSIZE, (size + 20, -1))  # room for 20 more bytes
    node = terminal.node()
    for key in "2su":
        terminal.press(key)
        terminal.until("NOT saved: grid.labels.jsonl cannot be written: File too large")
        assert terminal.node() == node
        assert "1 of 25 labelled" in terminal.screen
        terminal.press("?")
        terminal.until("Any key goes back")
        terminal.press("x")
        terminal.until(QUESTION)
    assert (folder / "grid.labels.jsonl").stat().st_size == size
    resource.prlimit(terminal.pid, resource.RLIMIT_FSIZE, (-1, -1))
    terminal.press("2")
    terminal.until("2 of 25 labelled")
    terminal.press("q")
    assert terminal.wait() == 0
    assert labels_in(folder / "grid.labels.jsonl")[node] == "b"


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs prlimit")
def test_a_disk_that_is_full_when_a_check_begins(folder: Path) -> None:
    known = {f"{x}-{y}": "a" if x < 3 else "b" for x in range(5) for y in range(5)}
    rows = [f"{node},{label}" for node, label in list(known.items())[::-1][:21]]
    (folder / "known.csv").write_text("\n".join(rows[:19]) + "\n")
    who = (
        "a" * 4500
    )  # so long that the journal has outgrown the file of its head, which has 8 kB and has room
    arguments = ["label", "grid.csv", "known.csv", "--classes", "a,b", "--goal", "40%", "--out", "o.csv"]
    arguments += ["--who", who]
    terminal = Terminal(arguments, folder)
    node = terminal.node()
    size = (folder / "grid.labels.jsonl").stat().st_size
    assert size > 8192
    room = size + len(who) + 400  # the answer, and no check
    resource.prlimit(terminal.pid, resource.RLIMIT_FSIZE, (room, -1))
    terminal.press("1" if known[node] == "a" else "2")
    terminal.until(r"NOT saved: .*make\s+room and press a key")
    terminal.press("x")
    terminal.pump(0.3)
    terminal.until(r"NOT saved: .*make\s+room and press a key")
    terminal.press("q")
    assert terminal.wait() == 2
    assert "Traceback" not in terminal.text
    assert len((folder / "o.csv").read_text().splitlines()) == 1 + 20
    terminal = Terminal(arguments, folder)
    terminal.until("(?s)node .*a random check.*q quit")
    terminal.press("q")
    assert terminal.wait() == 0


def test_a_window_without_room_for_the_question_takes_no_label(folder: Path) -> None:
    terminal = Terminal(["label", "grid.csv", "--classes", "a,b"], folder, size=(12, 5))
    terminal.until("the window")
    terminal.press("1")
    terminal.press("s")
    terminal.pump(0.5)
    terminal.resize(80, 24)
    terminal.node()
    assert "0 of 25 labelled" in terminal.screen
    terminal.resize(80, 3)
    terminal.until("the window is too small")
    terminal.press("q")
    assert terminal.wait() == 0
    assert [event.kind for event in read_journal(folder / "grid.labels.jsonl")] == ["opened"]


def test_names_in_the_summary_are_harmless(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from ohmline.cli.label_work import tell as _tell

    name = "red\x1b]0;owned\x07\nblue"
    summary = {"labels": 1, "nodes": 2, "counts": {name: 1}, "at_most": None, "predictions": name}
    _tell({**summary, "out": name, "journal": name})
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert len(shown.splitlines()) == 5


def test_the_goal_ends_the_session_and_the_last_answer_can_be_taken_back(tmp_path: Path) -> None:
    parts = [range(0, 120, 2), range(1, 120, 2)]
    edges = [(u, v) for part in parts for u in part for v in part if u < v and (v - u) <= 12]
    (tmp_path / "two.csv").write_text("".join(f"{u},{v}\n" for u, v in [*edges, (0, 1)]))
    arguments = ["label", "two.csv", "--classes", "even,odd", "--goal", "20%", "--predictions", "all.csv"]
    terminal = Terminal(arguments, tmp_path)
    for k in range(119):
        node = int(terminal.node())
        if "a random check" in terminal.screen:
            assert "hidden until you have answered" in terminal.screen
        terminal.press("eo"[node % 2])
        terminal.until(f"{k + 1} of 120 labelled")
        if "The goal is reached" in terminal.until("q quit"):
            break
    assert k < 80
    assert re.search(r"with 95 % confidence at most [\d.]+ %", terminal.screen)
    terminal.press("u")
    terminal.until("a random check")
    assert int(terminal.node()) == node
    terminal.press("eo"[node % 2])
    terminal.until("The goal is reached")
    terminal.press("q")
    assert terminal.wait() == 0
    rows = list(csv.DictReader((tmp_path / "all.csv").read_text().splitlines()))
    assert len(rows) == 120
    assert all(row["class"] == ("even", "odd")[int(row["node"]) % 2] for row in rows)
    assert {row["source"] for row in rows} == {"label", "prediction"}


# --- killed at any moment -----------------------------------------------------------------------


def killed(folder: Path, kills: int, mode: str) -> dict[str, int]:
    script = Path(__file__).with_name("killing.py")
    done = subprocess.run(
        [sys.executable, str(script), str(kills), "1", str(folder), mode],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_no_acknowledged_label_is_lost_in_200_kills(tmp_path: Path) -> None:
    found = killed(tmp_path, 200, "fork")
    assert found["lost"] == 0
    assert found["acknowledged"] > 200
    assert found["start"] > 10


@pytest.mark.slow
def test_no_acknowledged_label_is_lost_when_the_command_itself_is_killed(tmp_path: Path) -> None:
    found = killed(tmp_path, 20, "real")
    assert found["lost"] == 0
    assert found["acknowledged"] > 10


@pytest.mark.slow
def test_the_kills_find_a_journal_that_acknowledges_too_soon(tmp_path: Path) -> None:
    assert killed(tmp_path, 20, "late")["lost"] > 0


# --- refused ------------------------------------------------------------------------------------


def test_a_pipe_is_refused_by_name(folder: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "label", "grid.csv", "--classes", "a,b"],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 2
    assert "needs a terminal, and standard input is none" in done.stderr
    assert "ohmline suggest GRAPH LABELS" in done.stderr
    assert done.stdout == ""
    assert [each.name for each in folder.iterdir()] == ["grid.csv"]


TWO = ["--classes", "a,b"]


@pytest.mark.parametrize(
    ("files", "arguments", "words"),
    [
        ({"l.csv": "0-0,a\n9-9,b\n"}, ["l.csv", *TWO], "l.csv, line 2: unknown node '9-9'"),
        ({"l.csv": "0-0,a\n0-0,b\n"}, ["l.csv", *TWO], "node '0-0' has the label 'a' on line 1"),
        ({"l.csv": "0-0,a\n0-1,c\n"}, ["l.csv", *TWO], "'c', which is not among --classes a,b"),
        ({}, ["grid.csv", *TWO], "GRAPH and LABELS are both grid.csv"),
        ({}, [], "no classes are declared; write --classes a,b,c"),
        ({}, ["--classes", "a,,b"], "--classes 'a,,b' has an empty name"),
        ({}, ["--classes", "a,b,a"], "--classes names 'a' twice"),
        ({}, ["--classes", "1,+1"], "--classes names '1' twice"),
        ({}, ["--classes", "a,NaN"], "a class 'NaN' could not be read back"),
        ({}, ["--classes", "a,b\x1b[2J"], r"a class 'b\x1b[2J' could not be read back"),
        ({}, [*TWO, "--goal", "5"], "--goal '5' is no share"),
        ({}, [*TWO, "--goal", "x%"], "--goal 'x%' is no share"),
        ({}, [*TWO, "--confidence", "100%"], "no share between 0 and 1; write --confidence 95% or"),
        ({}, [*TWO, "--out", "no/x.csv"], "--out no/x.csv cannot be written: the folder no does not exist"),
        ({}, [*TWO, "--predictions", "no/x.csv"], "--predictions no/x.csv cannot be written"),
        ({}, [*TWO, "--out", "."], "--out . cannot be written: it is a folder"),
        ({"t.csv": "node,text\nzz,hello\n"}, [*TWO, "--text", "t.csv"], "text for no node of the graph"),
        ({}, [*TWO, "--text", "t.csv"], "t.csv does not exist"),
        (
            {"n.csv": "node\n0\n"},
            [*TWO, "--nodes", "n.csv", "--predictions", "n.csv"],
            "--predictions n.csv is the file of --nodes, which is never overwritten",
        ),
        ({}, [*TWO, "--out", "grid.csv"], "--out grid.csv is GRAPH, which is never overwritten"),
        ({"l.csv": "0-0,a\n"}, ["l.csv", *TWO, "--out", "./l.csv"], "is LABELS, which is never"),
        ({"mine.csv": "a,b\n"}, [*TWO, "--out", "mine.csv"], "exists and was not written by this"),
        ({"grid.labels.csv": "0-0,a\n"}, TWO, "give it as LABELS"),
        ({"grid.labels.csv": "node,label\n0-0,a\n"}, TWO, "no table of labels that grid.labels.jsonl has"),
        ({}, [*TWO, "--out", "x.csv", "--predictions", "x.csv"], "are both x.csv"),
        ({}, ["--export"], "grid.labels.jsonl does not exist"),
        ({"grid.labels.jsonl": "nonsense\n"}, ["--export"], "no journal of ohmline"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    arguments: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(folder)
    for name, text in files.items():
        Path(name).write_text(text)
    result = ohmline("grid.csv", *arguments)
    assert result.exit_code in (2, 3)
    assert words in result.stderr
    assert "Traceback" not in result.output
    assert {each.name for each in folder.iterdir()} == {"grid.csv", *files}
    for name, text in files.items():
        assert Path(name).read_text() == text


def test_export_writes_the_labels_of_a_journal_that_is_in_use(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ohmline.labelling import Session

    monkeypatch.chdir(folder)
    with Session(Graph.read("grid.csv"), ["a", "b,c"], journal="grid.labels.jsonl", labels={"0-0": "b,c"}):
        result = ohmline("grid.csv", "--export", "--json")
    assert json.loads(result.stdout) == {
        "journal": "grid.labels.jsonl",
        "out": "grid.labels.csv",
        "labels": 1,
    }
    assert Path("grid.labels.csv").read_text() == 'node,label\n0-0,"b,c"\n'


# --- keys and texts -----------------------------------------------------------------------------


def test_every_class_has_a_key_of_its_own() -> None:
    keys = Keymap(["sup", "quit", "up", "why", "Sup", "", "süd", "1", "9"])
    assert len(set(keys.numbers)) == 9
    letters = [letter for letter in keys.letters if letter]
    assert len(set(letters)) == len(letters)
    assert not set(letters) & set("usqw?/")
    assert keys.find("1") == 0
    assert keys.find("?") is None
    assert keys.find("") is None
    assert Keymap([str(k) for k in range(100)]).find("007") == 6


@pytest.mark.parametrize("text", ["", "0", "1", "100%", "-5%", "five", "nan", "inf%", "5%%"])
def test_a_share_is_between_0_and_1(text: str) -> None:
    with pytest.raises(OhmlineError, match="--goal"):
        share_of(text, "--goal")


def test_classes_are_named_once() -> None:
    assert classes_of(" a , b") == ["a", "b"]


def test_texts_are_harmless() -> None:
    shown = harmless("".join(map(chr, range(0x3000))) + "\udc80\u202e\U000e0041")
    assert not {c for c in shown if ord(c) < 32 and c != "\n"} | set("\x7f\x9b\u202e\udc80\u2066") & set(
        shown
    )
    shown.encode("utf-8")


def test_texts_of_every_shape(tmp_path: Path) -> None:
    graph = Graph.from_edges([("a", "b"), ("b", "node")])
    path = tmp_path / "t.csv"

    def texts(content: str) -> dict[object, str]:
        path.write_text(content)
        return dict(read_texts(path, graph))

    assert texts("a,one\nb,two\n") == {"a": "one", "b": "two"}
    assert texts("paper;text\na;one, two\n") == {"a": "one, two"}
    assert texts('text\tid\n"x\ny"\ta\n') == {"a": "x\ny"}
    assert texts("id,title,year\na,T,1999\nb,,2000\nzz,U,1\n") == {"a": "T\nyear: 1999", "b": "2000"}
    for content, words in [
        ("a,one\na,two\n", "line 1 and another on line 2"),
        ("a,one\nb\n", "line 2: 1 columns, expected 2"),
        ('a,"one\n', "line 1"),
        ("a\nb\n", "no comma, tab or semicolon"),
        ("id,text\n", "a header and no rows"),
    ]:
        with pytest.raises(FileFormatError, match=words):
            texts(content)


def test_a_check_that_the_common_class_would_pass_says_so_on_the_screen(tmp_path):
    ids = [[f"n{a}-{b}" for b in range(20)] for a in range(20)]
    edges = [(row[b], row[b + 1]) for row in ids for b in range(19)]
    edges += [(ids[a][b], ids[a + 1][b]) for a in range(19) for b in range(20)]
    (tmp_path / "grid.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in edges))
    known = "".join(f"{row[b]},good\n" for row in ids for b in range(0, 20, 5))
    (tmp_path / "known.csv").write_text("node,label\n" + known)
    words = ["label", "grid.csv", "known.csv", "--classes", "good,bad", "--goal", "5%", "--who", "ann"]
    terminal = Terminal(words, tmp_path)
    terminal.until(r"(?s)a random check begins, and nothing is known of\s+'bad'.*My\s+class\s+is\s+rare")
    terminal.press("q")
    assert terminal.wait() == 0
