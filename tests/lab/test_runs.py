"""Many experiments: kept as they come, in several processes, and gone on with."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ohmline.compiled import sources
from ohmline.data import CATALOG, is_here
from ohmline.errors import DataError, OhmlineError, ParameterError
from ohmline.lab import experiment, plugins
from ohmline.lab.durations import USUAL
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings, Verdict
from ohmline.lab.finished import Finished, about_this_machine
from ohmline.lab.gathered_report import BEYOND, by_paper, gathered_page
from ohmline.lab.runs import Plan, Progress, attempt, run_all

CALLS: list[str] = []


def counting(settings: Settings) -> Result:
    CALLS.append("counting")
    settings.tick("one, two")
    return Result([Row("d", "m", "x", float(settings.seed))], [Claim("c", True, "", "t")])


def endless(settings: Settings) -> Result:
    raise RuntimeError("a pipe burst")


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment, "_ADDED", {})
    CALLS.clear()
    experiment.add(Experiment("counting", "Counting", "one's own", (), counting))
    experiment.add(Experiment("endless", "Endless", "one's own", (), endless))


def outcomes(plan: Plan) -> dict[str, Finished | OhmlineError]:
    return dict(run_all(plan))


def test_a_run_goes_on_where_it_ended(tmp_path: Path) -> None:
    plan = Plan(("counting",), seed=3, folder=tmp_path)
    first = outcomes(plan)["counting"]
    again = outcomes(plan)["counting"]
    assert isinstance(first, Finished)
    assert isinstance(again, Finished)
    assert again.document() == first.document()
    assert len(CALLS) == 1
    outcomes(Plan(("counting",), seed=4, folder=tmp_path))
    assert len(CALLS) == 2
    outcomes(Plan(("counting",), seed=4, quick=True, folder=tmp_path))
    assert len(CALLS) == 3
    outcomes(Plan(("counting",), seed=4, quick=True, folder=tmp_path, fresh=True))
    assert len(CALLS) == 4
    outcomes(Plan(("counting",), seed=4, quick=True))  # no folder, nothing kept
    assert len(CALLS) == 5


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"key": {}}', '{"key": null, "document": {}}'])
def test_a_damaged_result_is_made_again(tmp_path: Path, damage: str) -> None:
    plan = Plan(("counting",), folder=tmp_path)
    outcomes(plan)
    place = tmp_path / "parts" / "counting.json"
    kept = place.read_text()
    place.write_text(damage)
    assert isinstance(outcomes(plan)["counting"], Finished)
    assert len(CALLS) == 2
    document = json.loads(kept)
    document["document"]["claims"][0]["spam"] = 1
    place.write_text(json.dumps(document))
    assert isinstance(outcomes(plan)["counting"], Finished)
    assert len(CALLS) == 3


def changed(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """This machine as it would be with another version or other hardware."""
    there = {**about_this_machine(), name: value}
    monkeypatch.setattr("ohmline.lab.runs.about_this_machine", lambda: there)


@pytest.mark.parametrize("name", ["numba", "Python", "Ohmline", "processor", "a library that is new"])
def test_a_result_of_another_machine_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    outcomes(Plan(("counting",), folder=tmp_path))
    changed(monkeypatch, name, "another")
    outcomes(Plan(("counting",), folder=tmp_path))
    assert len(CALLS) == 2


def test_other_hardware_will_do_where_the_work_is_spread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes(Plan(("counting",), folder=tmp_path))
    changed(monkeypatch, "processor", "another")
    spread = Plan(("counting", "endless"), folder=tmp_path, anywhere=True)
    asked: list[str] = []

    def elsewhere(ids: Sequence[str]) -> Iterator[tuple[str, Finished | OhmlineError]]:
        asked.extend(ids)
        return ((id, attempt(id, 0, False)) for id in ids)

    assert isinstance(dict(run_all(spread, elsewhere=elsewhere))["counting"], Finished)
    assert asked == ["endless"]  # what is kept is asked of nobody
    changed(monkeypatch, "numpy", "another")
    dict(run_all(spread, elsewhere=elsewhere))
    assert asked == ["endless", "counting", "endless"]


def test_what_lacked_data_is_judged_again_when_they_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(settings: Settings) -> Result:
        CALLS.append("judge")
        gone = "" if is_here("karate") else "the club"
        return Result([], [Claim("the club split", True, "", "t", missing=gone)])

    experiment.add(Experiment("lacking", "Lacking", "one's own", (), judge))
    karate, plan = CATALOG["karate"], Plan(("lacking",), folder=tmp_path)
    monkeypatch.setitem(CATALOG, "karate", replace(karate, embedded=None))

    def verdict() -> Verdict:
        found = outcomes(plan)["lacking"]
        assert isinstance(found, Finished)
        return found.verdict(found.claims[0])

    assert verdict() == verdict() == Verdict.OPEN
    assert len(CALLS) == 1
    monkeypatch.setitem(CATALOG, "karate", karate)
    assert verdict() == verdict() == Verdict.HOLDS
    assert len(CALLS) == 2


def test_what_functions_import_counts() -> None:
    assert "ohmline.lab.runs" in sources.imports("ohmline.cli.reproduce", inner=True)
    assert "ohmline.lab.runs" not in sources.imports("ohmline.cli.reproduce")
    assert sources.fingerprint(["ohmline.cli.reproduce"], inner=True) != sources.fingerprint(
        ["ohmline.cli.reproduce"]
    )


SLOW = """
import os, time
from pathlib import Path
from ohmline import lab

here = Path(__file__).parent

def run(name, waits):
    (here / f"{name}-{os.getpid()}.ran").touch()
    deadline = time.monotonic() + 120
    while waits and not (here / "open").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return lab.Result([lab.Row("d", name, "x", ours=1.0)], [])

@lab.add_experiment("own-first", "the first")
def first(settings):
    return run("first", False)

@lab.add_experiment("own-second", "the second, which waits until a gate is open")
def second(settings):
    return run("second", True)
"""


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something that must come true."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def ended(process: int) -> bool:
    """Whether a process is gone, or is about to be: a zombie whose end nobody has read."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are watched through /proc")
@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_run_goes_on_where_it_ended(
    tmp_path: Path, signal_: signal.Signals, jobs: int
) -> None:
    (tmp_path / "mine.py").write_text(SLOW)
    command = [
        sys.executable,
        "-c",
        "from ohmline.cli import main; main()",
        "reproduce",
        "own-first",
        "own-second",
    ]
    command += ["--with", "mine.py", "--out", "out", "--jobs", str(jobs)]

    def ran(name: str) -> list[int]:
        return [int(path.stem.rpartition("-")[2]) for path in tmp_path.glob(f"{name}-*.ran")]

    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: bool(ran("second")) and (tmp_path / "out" / "parts" / "own-first.json").exists())
        process.send_signal(signal_)
        told = process.communicate(timeout=60)[1]
    assert process.returncode == (130 if signal_ == signal.SIGINT else -signal_)
    assert "Traceback" not in told
    until(lambda: all(ended(worker) for worker in ran("second")))  # nobody works on for a run that is gone
    assert not (tmp_path / "out" / "report.html").exists()
    (tmp_path / "open").touch()
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "own-second" in done.stdout
    assert (len(ran("first")), len(ran("second"))) == (1, 2)
    report = (tmp_path / "out" / "report.html").read_text()
    assert 'id="own-first"' in report
    assert 'id="own-second"' in report


def test_one_that_fails_is_named_and_stops_no_other(tmp_path: Path) -> None:
    found = outcomes(Plan(("endless", "counting"), folder=tmp_path))
    assert "endless failed: RuntimeError: a pipe burst" in str(found["endless"])
    assert isinstance(found["counting"], Finished)
    with pytest.raises(ParameterError, match="unknown experiment 'nothing'"):
        outcomes(Plan(("counting", "nothing")))


def test_several_processes_know_the_files_of_others(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from ohmline import lab\n"
        "for name in ('one', 'two', 'three'):\n"
        "    @lab.add_experiment(f'own-{name}', name)\n"
        "    def work(settings, name=name):\n"
        "        if name == 'three':\n"
        "            import os\n"
        "            os._exit(1)\n"
        "        return lab.Result([lab.Row('d', name, 'x', ours=1.0)], [])\n"
    )
    plugins.load_file(mine)
    found = outcomes(Plan(("own-one", "own-two"), jobs=2, folder=tmp_path))
    assert [found[id].rows[0].method for id in ("own-one", "own-two")] == ["one", "two"]  # type: ignore[union-attr]
    lost = outcomes(Plan(("own-three", "own-one"), jobs=2))
    assert "ended with its process" in str(lost["own-three"])


def test_progress_says_what_runs_and_what_is_left() -> None:
    seen: list[Progress] = []
    dict(run_all(Plan(("counting", "endless")), seen.append))
    assert [each.running for each in seen if each.message == "one, two"] == [("counting",)]
    assert seen[0].done == 0
    assert seen[0].left > 0
    assert seen[-1].done == seen[-1].of == 2
    assert seen[-1].left == 0


def test_every_experiment_has_a_usual_duration() -> None:
    assert not set(experiment.REGISTRY) - set(USUAL)


def test_results_travel_through_json() -> None:
    start = time.perf_counter()
    made = Finished.of(experiment.run(experiment.find("counting"), seed=1))
    assert made.seconds <= time.perf_counter() - start
    document = json.loads(json.dumps(made.document()))
    assert Finished.read(document, {}).document() == document
    with pytest.raises(DataError, match="no result of an experiment"):
        Finished.read({"id": 1}, {})


def test_the_report_has_a_section_for_each_paper() -> None:
    base = Finished.of(experiment.run(experiment.find("counting")))
    named = [
        Finished(id, *(getattr(base, name) for name in Finished.__slots__[1:]))  # type: ignore[misc]
        for id in ("gu2013-x", "hpw2005-y", "counting")
    ]
    assert [heading[:3] for heading in by_paper(named)] == ["000", "004", BEYOND[:3]]
    page = gathered_page(named, {"moon": "no <data>"}, 2.0)
    assert page.index("hpw2005-y</a>") < page.index("gu2013-x</a>") < page.index("counting</a>")
    assert "no &lt;data&gt;" in page
    assert 'id="gu2013-x"' in page
