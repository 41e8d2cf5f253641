"""The comparison with other systems: the work is what it says, and nothing that goes wrong stops it."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ohmline.arrays import Ints
from ohmline.errors import OhmlineError, ParameterError
from ohmline.game import Stream, play
from ohmline.lab.benches.peers import judged, write_all
from ohmline.lab.peers import ours, run
from ohmline.lab.peers.contract import Problem, System
from ohmline.lab.peers.graphs import problem
from ohmline.lab.peers.picture import curves
from ohmline.lab.peers.run import FILE, MODULES, Plan, compare, read, refuse_nothing, systems_of
from ohmline.lab.peers.sizes import SIZES, SMALL
from ohmline.lab.peers.tables import firsts, markdown
from ohmline.lab.peers.tasks import TASKS, accuracy, active, can, online
from ohmline.lab.rivals.label_propagation import propagate
from peer_examples import SYSTEMS, Repeats

ROOT = Path(__file__).resolve().parents[2]
IMPATIENT = replace(SMALL, patience=4.0)


def cell(document: dict[str, Any], system: str, task: str) -> dict[str, Any]:
    (found,) = (c for c in document["cells"] if c["system"] == system and c["task"] == task)
    return dict(found)


def neighbours_vote(problem: Problem, known: Ints) -> Ints:
    """The commonest class among labelled neighbours; class 0 where there is none."""
    votes = np.zeros((problem.n, problem.classes))
    votes[known, problem.codes[known]] = 1
    said = np.asarray((problem.adjacency @ votes).argmax(axis=1))
    said[known] = problem.codes[known]
    return said


VOTE = System("vote", "ohmline", "ohmline", fit=neighbours_vote)


def test_what_refits_expect_is_what_refitting_on_every_trial_gives() -> None:
    karate = problem("karate")
    literal = replace(SMALL, literal=100, repeats=(60, 60, 60))
    expected = replace(SMALL, literal=0, refits=(33, 33), repeats=(60, 60, 60))
    one = online(VOTE, karate, literal, 0)
    other = online(VOTE, karate, expected, 1)
    assert one["how"] == "every trial"
    assert other["how"] == "refits"
    error = 4 * np.hypot(one["std"], other["std"]) / np.sqrt(60)
    assert abs(one["rate"] - other["rate"]) < error + 0.01  # the midpoints of stretches of the order


def test_a_game_is_counted_trial_by_trial() -> None:
    karate = problem("karate")
    literal = replace(SMALL, literal=100, repeats=(1, 1, 1))
    order = np.random.default_rng([5, 0, 7]).permutation(karate.n)
    wrong = 0
    for t, node in enumerate(order):
        known = order[:t]
        present = np.unique(karate.codes[known])
        said = (
            (present[0] if len(present) else 0) if len(present) < 2 else neighbours_vote(karate, known)[node]
        )
        wrong += said != karate.codes[node]
    assert online(VOTE, karate, literal, 5)["rate"] == wrong / karate.n


@pytest.mark.parametrize("first", [0, 1])
def test_before_its_first_label_everybody_says_the_same_class(first: int) -> None:
    """Ours says "don't know" there, which is a mistake in a game; the others are taken to say a class."""
    karate = problem("karate")
    order = np.random.default_rng(2).permutation(karate.n)
    start = int(np.flatnonzero(karate.codes[order] == first)[0])
    order = np.roll(order, -start)
    learner, wrong = ours.learner(karate), 0
    for node in order.tolist():
        said = learner.predict_one(node)
        wrong += (0 if said is None else said) != karate.codes[node]
        learner.learn_one(node, int(karate.codes[node]))
    assert ours.play(karate, order) == wrong
    in_a_game = play(ours.learner(karate), Stream(order, karate.codes[order])).mistakes
    assert in_a_game - wrong == (1 if first == 0 else 0)


def test_accuracy_is_of_the_nodes_without_a_label() -> None:
    karate = problem("karate")
    found = accuracy(VOTE, karate, replace(SMALL, shares=(0.06, 0.5), repeats=(3, 3, 3)), 0)
    assert len(found["accuracy"]) == 2
    assert all(0 <= value <= 1 for value in found["accuracy"])
    all_right = System("truth", "ohmline", "ohmline", fit=lambda problem, known: problem.codes)
    assert accuracy(all_right, karate, SMALL, 0)["accuracy"] == [1.0]


def test_systems_that_ask_twice_are_refused() -> None:
    with pytest.raises(ValueError, match="has its label"):
        active(System("repeats", "ohmline", "ohmline", begin=Repeats), problem("karate"), SMALL, 0)


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}:{ROOT / 'tests'}")
    return "peer_examples"


@pytest.mark.slow
def test_what_goes_wrong_is_said_and_stops_nothing(examples: str, tmp_path: Path) -> None:
    told: list[str] = []
    plan = Plan(IMPATIENT, folder=tmp_path, modules=(examples,), tell=told.append)
    document = compare(plan)
    assert cell(document, "absent", "accuracy")["failed"] == "run: pip install 'no-such-thing'"
    assert cell(document, "raises", "online")["failed"] == "RuntimeError: a pipe burst"
    assert cell(document, "leaves", "accuracy")["failed"] == "SystemExit: it ends the interpreter"
    assert "ended with code 7" in cell(document, "dies in one task", "accuracy")["failed"]
    assert "ended with code 7" in cell(document, "dies in one task", "online")["failed"]
    assert "has its label" in cell(document, "dies in one task", "active")["failed"]
    assert cell(document, "works for ever", "online")["failed"] == "over 4 s"
    assert cell(document, "works for ever", "accuracy")["found"]
    assert "shape (33,)" in cell(document, "short", "accuracy")["failed"]
    assert 0 < cell(document, "commonest", "accuracy")["found"]["accuracy"][0] < 1
    page = markdown(document)
    assert "pip install 'no-such-thing'" in page
    assert "a pipe burst" in page
    told.clear()
    assert compare(plan)["cells"] == document["cells"]  # all is there
    assert not told


@pytest.mark.slow
def test_an_interrupted_run_goes_on(examples: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(Exception):
        pass

    def stop(message: str) -> None:
        if message.startswith("commonest"):
            raise Stopped

    only = tuple(s for s in SYSTEMS if s.name in ("raises", "commonest"))
    monkeypatch.setattr(run, "systems_of", lambda modules: [(examples, system) for system in only])
    plan = Plan(SMALL, folder=tmp_path, modules=(examples,), tell=stop)
    with pytest.raises(Stopped):
        compare(plan)
    assert {c["system"] for c in read(tmp_path / FILE)["cells"]} == {"raises"}
    told: list[str] = []
    document = compare(replace(plan, tell=told.append))
    assert told == ["commonest on karate: accuracy, online"]
    assert {c["system"] for c in document["cells"]} == {"raises", "commonest"}
    told.clear()
    compare(replace(plan, tell=told.append, fresh=True))
    assert len(told) == 2


@pytest.mark.parametrize(("gap", "level"), [(0.001, True), (0.1, False)])
def test_who_is_first_is_said_with_what_the_draws_can_tell(gap: float, level: bool) -> None:
    system = {"ours": False, "tasks": ["online"], "note": "", "distribution": "d", "version": "1"}
    cells = [
        {
            "system": name,
            "graph": "cora",
            "task": "online",
            "failed": "",
            "found": {"rate": rate, "std": 0.01},
        }
        for name, rate in (("Ohmline", 0.2), ("theirs", 0.2 + gap))
    ]
    document = {
        "graphs": [{"name": "cora", "repeats": 5, "loops": 5}],
        "asked": [],
        "systems": [{**system, "name": "Ohmline", "ours": True}, {**system, "name": "theirs"}],
        "cells": cells,
    }
    (said,) = firsts(document)
    assert said.startswith("Cora, online: Ohmline is first with 20.0 % mistakes; the best peer, theirs, has")
    assert ("cannot tell" in said) is level


def test_where_random_labels_are_first_it_is_said_how_our_own_questions_did() -> None:
    found = {"Ohmline": 0.4, "Ohmline, random labels": 0.6, "theirs": 0.5}
    systems = [
        {"name": name, "ours": name != "theirs", "tasks": ["active"], "note": "", "distribution": "d"}
        for name in found
    ]
    document = {
        "graphs": [{"name": "cora", "repeats": 4, "loops": 4}],
        "asked": [50],
        "systems": systems,
        "cells": [
            {
                "system": name,
                "graph": "cora",
                "task": "active",
                "failed": "",
                "found": {"accuracy": [value], "std": [0.001]},
            }
            for name, value in found.items()
        ],
    }
    assert list(firsts(document)) == [
        "Cora, after 50 queries: Ohmline, random labels is first with 60.0 % right; the best peer, theirs, has 50.0 %. "
        "Ohmline with questions of its own has 40.0 %."
    ]


def test_a_page_says_what_its_run_did_not_come_to() -> None:
    document = read(ROOT / "docs" / "peers.json")
    cells = [
        cell
        for cell in document["cells"]
        if cell["graph"] != "wikimovies4"
        and (cell["graph"], cell["system"]) != ("digits", "dense relaxation")
    ]
    cut = markdown({**document, "cells": cells})
    assert "wikimovies4: no system was measured to the end" in cut
    assert "| wikimovies4 |" not in cut
    assert "digits, 10 neighbours: dense relaxation was not measured to the end" in cut
    assert cut.count("measured to the end") == 2
    assert "ParameterError" not in cut


def test_a_file_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    for content in ("not JSON", "{}", '{"cells": 3}', "[]"):
        (tmp_path / FILE).write_text(content)
        with pytest.raises(ParameterError, match="move it away"):
            compare(Plan(SMALL, folder=tmp_path))
        assert (tmp_path / FILE).read_text() == content


def test_ours_and_scikit_learn_for_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [
        (module, system)
        for module, system in systems_of(MODULES)
        if system.name in ("Ohmline", "scikit-learn LabelSpreading, alpha 0.8")
    ]
    monkeypatch.setattr(run, "systems_of", lambda modules: chosen)
    document = compare(Plan(SMALL, folder=tmp_path))
    assert not [c["failed"] for c in document["cells"] if c["failed"]]
    assert len(document["cells"]) == 6
    measured = judged(document)
    assert measured.ratio > 0
    assert {"target", "value", "met"} == set(measured.details["targets"][0])
    json.dumps(measured.document())
    write_all(document, tmp_path)
    assert "Mistakes online" in (tmp_path / "peers.md").read_text()
    assert "<table>" in (tmp_path / "peers.html").read_text()


@pytest.mark.slow
def test_every_system_on_a_small_graph(tmp_path: Path) -> None:
    document = compare(Plan(SMALL, folder=tmp_path))
    refuse_nothing(document)
    for _, system in systems_of(MODULES):
        cells = [c for c in document["cells"] if c["system"] == system.name]
        assert cells
        if system.is_here():
            assert not [c["failed"] for c in cells if c["failed"]]
        else:
            assert {c["failed"] for c in cells} == {f"run: {system.remedy}"}


@pytest.mark.filterwarnings("ignore")  # of other people's libraries
@pytest.mark.parametrize("system", [s for _, s in systems_of(MODULES)], ids=lambda system: system.name)
def test_each_adapter_does_what_it_says(system: System) -> None:
    """A few draws of the karate club in each task that it can do: a label is worth something."""
    if not system.is_here():
        pytest.skip(system.remedy)
    karate = problem("karate")
    first = {name: task(system, karate, SMALL, 0) for name, task in TASKS.items() if can(system, name)}
    assert first
    for task, numbers in first.items():
        for name in ("accuracy", "rate"):
            values = np.atleast_1d(numbers.get(name, 0.5))
            assert np.isfinite(values).all(), task
            assert ((values >= 0) & (values <= 1)).all(), task
    if "accuracy" in first:
        assert first["accuracy"]["accuracy"][0] > 0.5  # two classes of equal size


def test_nothing_measured_is_an_error() -> None:
    with pytest.raises(OhmlineError, match="no system could be measured"):
        refuse_nothing({"cells": [{"found": None}]})


def test_systems_have_names_of_their_own_and_something_to_do() -> None:
    systems = [system for _, system in systems_of(MODULES)]
    assert len({system.name for system in systems}) == len(systems)
    for system in systems:
        assert system.fit or system.play or system.begin
    assert set(SIZES) == {"full", "small"}


def test_label_propagation_is_its_formula() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(2, 12))
        weights = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
        weights = weights + weights.T
        known = rng.permutation(n)[: int(rng.integers(1, n))]
        codes = rng.integers(0, 3, len(known))
        labels = np.zeros((n, 3))
        for i, c in zip(known, codes, strict=True):
            labels[i, c] = 1
        scores = labels.copy()
        for _ in range(7):
            following = 0.2 * labels
            for i in range(n):
                for j in range(n):
                    if weights[i, j]:
                        scale = np.sqrt(weights[i].sum() * weights[j].sum())
                        following[i] += 0.8 * weights[i, j] / scale * scores[j]
            scores = following
        best = np.sort(scores, axis=1)
        clear = best[:, -1] - best[:, -2] > 1e-5
        said = propagate(weights, known, codes, 3, steps=7, alpha=0.8)
        assert np.array_equal(said[clear], scores.argmax(axis=1)[clear])


@pytest.mark.parametrize(
    "wrong", [{"steps": -1}, {"alpha": 1.5}, {"alpha": float("nan")}, {"steps": 2.5}, {"steps": "3"}]
)
def test_label_propagation_refuses_what_it_cannot_use(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        propagate(np.ones((2, 2)) - np.eye(2), np.array([0]), np.array([0]), 1, **wrong)


def test_the_page_is_what_was_measured() -> None:
    measured = ROOT / "docs" / "peers.json"
    assert (ROOT / "docs" / "peers.md").read_text(encoding="utf-8") == markdown(read(measured)), (
        "run ohmline bench peers --out docs"
    )


def test_the_figures_are_those_of_the_page() -> None:
    """What README and docs print of the comparison is in the file of figures, which `tools/figures.py` makes of it."""
    spec = importlib.util.spec_from_file_location("figures", ROOT / "tools" / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    figures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(figures)
    measured = figures.numbers(read(ROOT / "docs" / "peers.json"))
    kept = json.loads((ROOT / "docs" / "figures" / "peers.json").read_text(encoding="utf-8"))["numbers"]
    assert kept == pytest.approx(measured, rel=1e-5), (
        "run python tools/figures.py peers --from docs/peers.json"
    )


def test_the_picture_has_of_each_library_what_its_best_system_has_after_each_number_of_labels() -> None:
    rows = {
        "Ohmline": (True, [0.6, 0.7]),
        "scikit-learn one": (False, [0.5, 0.6]),
        "scikit-learn two": (False, [0.3, 0.65]),
        "river only": (False, [0.2, 0.4]),
    }
    document = {
        "systems": [{"name": name, "ours": ours} for name, (ours, _) in rows.items()],
        "cells": [
            {"system": name, "graph": "cora", "task": "active", "found": {"accuracy": values}}
            for name, (_, values) in rows.items()
        ],
    }
    assert curves(document, "cora") == {
        "Ohmline": [0.6, 0.7],
        "scikit-learn, best of 2": [0.5, 0.65],
        "river": [0.2, 0.4],
    }
