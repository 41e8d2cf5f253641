"""The command line: output, JSON purity, exit codes, no traceback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html import escape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import ohmline as ohm
from ohmline import data
from ohmline.cli.app import app
from ohmline.cli.learners import LEARNERS
from ohmline.cli.output import as_json
from ohmline.errors import DataError, DeviceError, MissingExtra
from ohmline.lab import bench, experiment
from ohmline.lab.experiment import Claim, Experiment, Row, Settings
from ohmline.lab.experiment import Result as Found

runner = CliRunner()


def ohmline(*arguments: str) -> Result:
    return runner.invoke(app, list(arguments))


def document(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def karate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("karate")
    club = data.load("karate")
    s, t, _ = club.graph.edges()
    (folder / "graph.csv").write_text("".join(f"{u},{v}\n" for u, v in zip(s, t, strict=True)))
    lines = [f"{node},{side}\n" for node, side in zip(club.graph.nodes, club.labels, strict=True)]
    (folder / "labels.csv").write_text("node,side\n" + "".join(lines))
    return str(folder / "graph.csv"), str(folder / "labels.csv")


# --- the frame ----------------------------------------------------------------------------------


def test_help_lists_every_command() -> None:
    result = ohmline("--help")
    assert result.exit_code == 0
    for command in ("demo", "play", "label", "reproduce", "bench", "data"):
        assert command in result.stdout


@pytest.mark.parametrize(
    "command", [["demo"], ["play"], ["label"], ["reproduce"], ["bench"], ["data", "list"], ["data", "get"]]
)
def test_every_command_has_json_and_seed(command: list[str]) -> None:
    result = runner.invoke(app, [*command, "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert result.exit_code == 0
    assert "--json" in result.stdout
    assert "--seed" in result.stdout


def test_version() -> None:
    assert ohmline("--version").stdout.startswith("ohmline 0.")


def test_the_package_is_a_program_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ohmline", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == ohmline("--version").stdout


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from ohmline.cli.app import app\n"
        "heavy = {'numpy', 'scipy', 'numba', 'sklearn', 'matplotlib', 'pooch'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_json_says_null_for_what_it_cannot_say() -> None:
    import numpy as np

    text = as_json(
        {"a": float("inf"), "b": np.float64(2.5), "c": np.arange(2), 3: (True, None), "d": Path("x")}
    )
    assert json.loads(text) == {"a": None, "b": 2.5, "c": [0, 1], "3": [True, None], "d": "x"}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["data", "get", "atlantis"], 2, "no data set 'atlantis'"),
        (["reproduce", "nothing"], 2, "unknown experiment 'nothing'"),
        (["bench", "nothing"], 2, "unknown benchmark 'nothing'"),
        (["bench", "pounce", "--quick"], 2, "are for peers alone"),
        (["bench", "--out", "somewhere"], 2, "are for peers alone"),
        (["data", "get", "wordnet30"], 3, "set OHMLINE_DATA"),
        (["play", "missing.csv", "labels.csv"], 3, "missing.csv does not exist"),
        (["nonsense"], 2, "nonsense"),
        (["demo", "--seed", "-1"], 2, "seed"),
    ],
)
def test_a_real_process_ends_with_one_line_and_a_code(
    arguments: list[str], code: int, words: str, tmp_path: Path
) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "OHMLINE_DATA"}
    done = subprocess.run(
        [sys.executable, "-c", "from ohmline.cli import main; main()", *arguments, "--json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment | {"COLUMNS": "200", "NO_COLOR": "1"},
        check=False,
    )
    assert done.returncode == code
    assert done.stdout == ""
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [["data", "list"], ["data", "list", "--json"], ["--help"]])
def test_a_disk_that_is_full_is_one_line_and_a_code(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from ohmline.cli import main; main()", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


# --- data ---------------------------------------------------------------------------------------


def test_data_list() -> None:
    listed = {row["name"]: row for row in document(ohmline("data", "list", "--json"))}
    assert {"cora", "pubmed", "citeseer", "usps", "mnist", "digits", "karate"} <= set(listed)
    assert listed["karate"]["here"] is True
    assert "Zachary" in ohmline("data", "list").stdout


def test_data_get() -> None:
    found = document(ohmline("data", "get", "karate", "--json"))
    assert found["graph"]["nodes"] == 34
    assert found["classes"] == ["instructor", "officer"]
    assert document(ohmline("data", "get", "digits", "--json"))["points"] == 1797
    assert "instructor, officer" in ohmline("data", "get", "karate").stdout


# --- demo and play ------------------------------------------------------------------------------


def test_demo_plays_proves_and_reports(tmp_path: Path) -> None:
    report = tmp_path / "sub" / "report.html"
    found = document(ohmline("demo", "--json", "--out", str(report), "--seed", "3"))
    even, ten = found["games"]
    assert found["seed"] == 3
    assert even["trials"] == ten["trials"] == 1797
    assert 20 < even["mistakes"] < 90
    assert 30 < ten["mistakes"] < 120
    for game in (even, ten):
        assert game["certificate"]["proven"]
        assert game["mistakes"] <= game["certificate"]["charged"] <= game["certificate"]["value"]
        assert sum(row["mistakes"] for row in game["classes"].values()) == game["mistakes"]
    job = found["job"]
    assert job["labels"] == 40
    assert job["right"] > 0.95
    assert job["right"] > job["right_with_random_labels"] > job["right_with_label_spreading"]
    assert job["at_most_wrong"] <= 0.05
    assert job["wrong_among_checked"] <= 0.05 * job["checked"]
    assert 0 < job["further_mistakes"] < 1797
    assert len(set(job["next"])) == 5
    page = report.read_text()
    assert f"<p>{escape(job['sentence'])}</p>" in page
    assert page.count('<svg class="graph"') == 1
    assert "src=" not in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert list(report.parent.iterdir()) == [report]


def test_play_on_files(karate: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    found = document(ohmline("play", *karate, "--learner", "perceptron", "--json", "--out", str(out)))
    (game,) = found["games"]
    assert game["trials"] == game["asked"] == 34
    assert set(game["classes"]) == {"instructor", "officer"}
    assert game["mistakes"] <= game["certificate"]["value"]
    assert "officer" in out.read_text()
    text = ohmline("play", *karate, "--learner", "perceptron", "--out", str(out)).stdout
    assert f"{game['mistakes']} in 34 trials" in text
    assert "at most" in text
    again = document(ohmline("play", *karate, "--json", "--out", str(out), "--order", "file"))
    assert again["games"][0]["trials"] == 34


def test_play_with_a_query_and_a_budget(karate: tuple[str, str], tmp_path: Path) -> None:
    def asked(*options: str) -> int:
        result = ohmline("play", *karate, "--json", "--out", str(tmp_path / "r.html"), *options)
        return int(document(result)["games"][0]["asked"])

    assert asked("--budget", "5") == 5
    assert 0 < asked("--query", "random:0.5") < 34
    assert asked("--query", "random:0.5", "--seed", "1") != 34


@pytest.mark.parametrize("name", ["perceptron", "local-lgc"])
def test_many_classes(name: str, tmp_path: Path) -> None:
    edges = [(u + 6 * c, v + 6 * c) for c in range(3) for u in range(6) for v in range(u)] + [(0, 6), (6, 12)]
    (tmp_path / "g.csv").write_text("".join(f"n{u},n{v}\n" for u, v in edges))
    (tmp_path / "l.tsv").write_text("".join(f"n{k}\t{'abc'[k // 6]}\n" for k in range(18)))
    arguments = ["play", str(tmp_path / "g.csv"), str(tmp_path / "l.tsv"), "--learner", name, "--json"]
    (game,) = document(ohmline(*arguments, "--out", str(tmp_path / "r.html")))["games"]
    assert set(game["classes"]) == {"a", "b", "c"}
    assert game["mistakes"] < 10


def test_every_learner_by_name_can_be_made() -> None:
    from ohmline.cli.learners import Table

    table = Table(data.load("karate").graph, rank=10)
    for name, choice in LEARNERS.items():
        learner = choice.make(table, () if choice.binary else ("a", "b"))
        assert hasattr(learner, "learn_one"), name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--learner", "oracle"], "no learner 'oracle'; choose auto or one of perceptron"),
        (["--query", "sometimes"], "no query 'sometimes'"),
        (["--query", "random"], "random:P"),
        (["--query", "random:2"], "must lie between 0 and 1"),
        (["--budget", "-5"], "--budget"),
        (
            ["--learner", "perceptron", "--query", "variance:0.4"],
            "needs a learner that knows its own variance",
        ),
        (["--learner", "nearest", "--query", "gap"], "--learner local-lgc, shared-lgc or online-lgc"),
        (["--out", "/proc/none/r.html"], "cannot be written"),
    ],
)
def test_play_refuses(karate: tuple[str, str], options: list[str], words: str, tmp_path: Path) -> None:
    result = ohmline("play", *karate, "--out", str(tmp_path / "r.html"), *options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_play_refuses_a_label_file_that_names_strangers(karate: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("0,a\n99,b\n")
    result = ohmline("play", karate[0], str(tmp_path / "l.csv"), "--out", str(tmp_path / "r.html"))
    assert result.exit_code == 2
    assert "99" in result.stderr


# --- reproduce and bench ------------------------------------------------------------------------


def fair(settings: Settings) -> Found:
    settings.tick("throwing")
    rows = [Row.of("coin", "ours", "heads", [0.4, 0.6], paper=0.5), Row("coin", "fast", "heads", 1.0)]
    claims = [
        Claim("it is fair", True, f"seed {settings.seed}", condition="if thrown high"),
        Claim("it is heavy", settings.quick, "no", "> 1", ours=True, reason="it is a coin"),
        Claim("it lands on its edge", False, "never", "once", full=True),
    ]
    return Found(rows, claims, {"a figure": lambda figure: figure.subplots().plot([1, 2])}, ["a note"])


def absent(settings: Settings) -> Found:
    raise DataError("the moon is not here; set OHMLINE_DATA")


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two experiments of our own in place of the registry: one of them lacks its data."""
    monkeypatch.setattr(experiment, "REGISTRY", {})
    monkeypatch.setattr(experiment, "_ADDED", {})
    experiment.add(Experiment("coin", "A fair coin", "paper 000", (), fair))
    experiment.add(Experiment("moon", "The moon", "paper 001", ("moon",), absent))


@pytest.mark.usefixtures("toys")
def test_reproduce_prints_the_fixed_shape(tmp_path: Path) -> None:
    found = document(ohmline("reproduce", "coin", "--json", "--seed", "7", "--out", str(tmp_path)))
    seconds = found.pop("seconds")
    assert seconds >= 0
    assert found.pop("version") == ohm.__version__
    assert found.pop("made")["Ohmline"] == ohm.__version__
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", found.pop("date"))
    heads = {"dataset": "coin", "metric": "heads"}
    claims = found.pop("claims")
    assert found == {
        "id": "coin",
        "title": "A fair coin",
        "paper": "paper 000",
        "seed": 7,
        "quick": False,
        "notes": ["a note"],
        "rows": [
            heads
            | {
                "method": "ours",
                "paper": 0.5,
                "ours": 0.5,
                "std": pytest.approx(0.1414, abs=1e-4),
                "runs": 2,
            },
            heads | {"method": "fast", "paper": None, "ours": 1.0, "std": 0.0, "runs": 1},
        ],
    }
    assert [(claim["claim"], claim["holds"], claim["verdict"]) for claim in claims] == [
        ("it is fair", True, "holds with a condition"),
        ("it is heavy", False, "not reproduced"),
        ("it lands on its edge", False, "not reproduced"),
    ]
    assert claims[1]["threshold"] == "> 1"
    assert claims[1]["ours"] is True
    assert json.loads((tmp_path / "coin.json").read_text())["id"] == "coin"
    page = (tmp_path / "coin.html").read_text()
    assert "not reproduced" in page
    assert "it is a coin" in page
    assert "if thrown high" in page
    assert "a note" in page
    assert page.count("<svg") == 1
    assert "var(--card, #ffffff)" in page  # figures follow a dark page
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {"coin.html", "coin.json", "tables/coin.csv", "tables/coin.tex", "parts/coin.json"}
    assert "coin,coin,ours,heads,0.5,0.5," in (tmp_path / "tables" / "coin.csv").read_text()
    assert (
        r"coin & ours & heads & $0.5$ & $0.5 \pm 0.14$ & 2 \\"
        in (tmp_path / "tables" / "coin.tex").read_text()
    )


@pytest.mark.usefixtures("toys")
def test_reproduce_exit_codes() -> None:
    assert ohmline("reproduce", "coin").exit_code == 0
    assert ohmline("reproduce", "coin", "--strict").exit_code == 1
    assert ohmline("reproduce", "coin", "--strict", "--quick").exit_code == 0
    # A claim that does not hold weighs more than data that are missing.
    assert ohmline("reproduce", "all", "--strict", "--json").exit_code == 1
    assert ohmline("reproduce", "all", "--strict", "--quick", "--json").exit_code == 3
    alone = ohmline("reproduce", "moon", "--json")
    assert (alone.exit_code, alone.stdout) == (3, "")
    every = ohmline("reproduce", "all", "--json")
    assert every.exit_code == 3
    assert "moon was left out" in every.stderr
    assert [one["id"] for one in json.loads(every.stdout)] == ["coin"]
    reasoned = Claim("it is heavy", False, "no", reason="it is a coin")
    experiment.add(Experiment("light", "A light coin", "paper 000", (), lambda _: Found([], [reasoned])))
    assert ohmline("reproduce", "light", "--strict").exit_code == 0
    assert "[NOT REPRODUCED] it is heavy" in ohmline("reproduce", "light").stdout


@pytest.mark.usefixtures("toys")
def test_reproduce_text_and_list() -> None:
    text = ohmline("reproduce", "coin").stdout
    theirs, ours = text.index("What the paper claims"), text.index("Ours, beside the paper")
    assert theirs < text.index("it is fair") < ours < text.index("[DOES NOT HOLD] it is heavy")
    assert "it holds if: > 1" in text
    assert "± is the sample standard deviation over the runs" in text
    assert "note: a note" in text
    assert "[not judged] it lands on its edge" in ohmline("reproduce", "coin", "--quick").stdout
    assert "A fair coin" in ohmline("reproduce", "--list").stdout
    assert ohmline("reproduce").stdout == ohmline("reproduce", "--list").stdout
    assert [e["id"] for e in document(ohmline("reproduce", "--list", "--json"))] == ["coin", "moon"]


@pytest.mark.usefixtures("toys")
def test_reproduce_all_writes_one_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = ohmline("reproduce", "all", "--quick")
    assert done.exit_code == 3  # the moon
    page = (tmp_path / "results" / "report.html").read_text()
    for words in ("A fair coin", "moon", "Left out", "holds with a condition", "not judged", "numpy"):
        assert words in page
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?https?:""", page.replace("xlink:href", ""))
    assert (tmp_path / "results" / "numbers.csv").read_text().count("\n") == 3
    assert (
        "coin,not judged,it lands on its edge,once,never,,,the paper's"
        in (tmp_path / "results" / "claims.csv").read_text()
    )


def test_every_registered_experiment_and_benchmark_can_be_found() -> None:
    for name in experiment.REGISTRY:
        assert experiment.find(name).id == name
    for name in bench.REGISTRY:
        assert callable(bench.find(name))


def test_bench_prints_the_fixed_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    def race() -> bench.Measured:
        targets = [bench.target("at least 3", 2.5, least=3), bench.target("at most 3", 2.5, most=3)]
        return bench.Measured("race", 2.5, "a snail", {"seconds": 0.5, "targets": targets})

    monkeypatch.setattr(bench, "REGISTRY", {"race": "toys"})
    monkeypatch.setattr(bench, "find", lambda name: race)
    found = document(ohmline("bench", "race", "--json"))
    assert set(found) == {"name", "ratio", "reference", "details"}
    assert (found["name"], found["ratio"], found["reference"]) == ("race", 2.5, "a snail")
    assert [line["met"] for line in found["details"]["targets"]] == [False, True]
    assert [one["name"] for one in document(ohmline("bench", "--json"))] == ["race"]
    assert document(ohmline("bench", "--list", "--json")) == ["race"]
    text = ohmline("bench", "race").stdout
    assert "2.5 times as fast as a snail" in text
    assert "[MISSED] at least 3" in text
    assert ohmline("bench", "race", "--strict").exit_code == 1


def test_a_missing_extra_is_a_line_and_code_3(monkeypatch: pytest.MonkeyPatch) -> None:
    def needs(name: str) -> Any:
        raise MissingExtra("x is not installed; run: pip install 'ohmline[x]'")

    monkeypatch.setattr(bench, "find", needs)
    result = ohmline("bench", "event")
    assert result.exit_code == 3
    assert "pip install 'ohmline[x]'" in result.stderr


def test_what_cannot_be_measured_says_so_and_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def race() -> bench.Measured:
        return bench.Measured("race", 2.5, "a snail", {"seconds": 0.5})

    def card() -> bench.Measured:
        raise DeviceError('CuPy sees no GPU; use device="cpu"')

    def package() -> bench.Measured:
        raise MissingExtra("x is not installed; run: pip install 'ohmline[x]'")

    def module() -> bench.Measured:
        raise ModuleNotFoundError("No module named 'sklearn'", name="sklearn")

    def broken() -> bench.Measured:
        raise ZeroDivisionError("division by zero")

    toys = {"broken": broken, "card": card, "module": module, "package": package, "race": race}
    monkeypatch.setattr(bench, "REGISTRY", dict.fromkeys(toys, "toys"))
    monkeypatch.setattr(bench, "find", lambda name: toys[name])
    result = ohmline("bench")
    assert result.exit_code == 3
    assert "broken: left out: broken failed: ZeroDivisionError: division by zero" in result.stdout
    assert "card: left out: CuPy sees no GPU" in result.stdout
    assert "module: left out: scikit-learn is not installed; run: pip install scikit-learn" in result.stdout
    assert "package: left out: x is not installed; run: pip install 'ohmline[x]'" in result.stdout
    assert "2.5 times as fast as a snail" in result.stdout
    rows = json.loads(ohmline("bench", "--json").stdout)
    assert [row["name"] for row in rows] == sorted(toys)
    assert [row["ratio"] for row in rows] == [None, None, None, None, 2.5]
    assert "pip install" in rows[3]["details"]["left_out"]
    assert ohmline("bench", "broken", "race").exit_code == 1
    assert ohmline("bench", "card").exit_code == 2  # asked for by name, alone
    assert "CuPy sees no GPU" in ohmline("bench", "card").stderr


def test_what_was_measured_is_printed_before_the_next_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    def first() -> bench.Measured:
        return bench.Measured("first", 2.5, "a snail")

    def second() -> bench.Measured:
        raise KeyboardInterrupt

    toys = {"first": first, "second": second}
    monkeypatch.setattr(bench, "REGISTRY", dict.fromkeys(toys, "toys"))
    monkeypatch.setattr(bench, "find", lambda name: toys[name])
    result = ohmline("bench")
    assert result.exit_code == 130
    assert "first: 2.5 times as fast as a snail" in result.stdout


def test_a_report_is_replaced_and_nothing_else_is(karate: tuple[str, str], tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    for _ in range(2):
        assert ohmline("play", *karate, "--out", str(report)).exit_code == 0
    report.write_text("a page of my own")
    for command in (["play", *karate], ["demo"]):
        result = ohmline(*command, "--out", str(report))
        assert result.exit_code == 2
        assert "no report of Ohmline's" in result.stderr
        assert "--out" in result.stderr
    assert report.read_text() == "a page of my own"


def test_the_summary_has_the_measures_of_every_class(karate: tuple[str, str], tmp_path: Path) -> None:
    result = ohmline("play", *karate, "--out", str(tmp_path / "r.html"))
    head = next(line for line in result.stdout.splitlines() if "by class" in line)
    assert head.split() == ["by", "class", "trials", "recall", "precision", "average", "precision"]
    rows = [
        line.split()
        for line in result.stdout.splitlines()
        if line.strip().startswith(("instructor", "officer"))
    ]
    assert [row[1] for row in rows] == ["17", "17"]
    document = json.loads(ohmline("play", *karate, "--out", str(tmp_path / "r.html"), "--json").stdout)
    for row in rows:
        said = document["games"][0]["classes"][row[0]]
        assert [f"{said[name]:.3f}" for name in ("recall", "precision", "average_precision")] == row[2:]


def test_a_data_set_becomes_files_that_can_be_played(tmp_path: Path) -> None:
    assert ohmline("data", "get", "karate", "--out", str(tmp_path)).exit_code == 0
    edges, labels = tmp_path / "karate.parquet", tmp_path / "karate-labels.parquet"
    report = str(tmp_path / "report.html")
    given = ["play", str(edges), str(labels), "--learner", "weighted-tree", "--out", report, "--json"]
    found = document(ohmline(*given))
    assert found["graph"]["edges"] == 78
    assert found["games"][0]["trials"] == 34
    refused = ohmline("data", "get", "digits", "--out", str(tmp_path))
    assert refused.exit_code != 0
    assert "has points and no graph" in refused.stderr
