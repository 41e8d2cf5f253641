"""A kept cell is measured again when what it is made from has changed, and for no other reason."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from ohmline.compiled.sources import place
from ohmline.lab.peers import made_from
from ohmline.lab.peers.contract import Problem, System
from ohmline.lab.peers.graphs import problem
from ohmline.lab.peers.made_from import ASIDE, behind, code, graph, home, key, settings, sources, versions
from ohmline.lab.peers.run import MODULES, _holds, systems_of
from ohmline.lab.peers.sizes import FULL, SMALL

OURS = "ohmline.lab.peers.ours"
PLAIN = b'"""Words."""\n\ndef double(x):\n    """Twice."""\n    return 2 * x  # plain\n'


def ours() -> System:
    return next(system for module, system in systems_of(MODULES) if module == OURS)


def small_problem(weight: float = 1.0, code: int = 1) -> Problem:
    matrix = sparse.csr_matrix(np.array([[0, weight, 0], [weight, 0, 1], [0, 1, 0]]))
    return Problem("three", matrix, np.array([0, code, 1]))


def test_words_are_no_reason_and_code_is() -> None:
    rewritten = b'"""Others."""\n\n\ndef double(\n    x,\n):\n    return 2 * x\n'
    assert code(PLAIN) == code(rewritten)
    assert code(PLAIN) != code(PLAIN.replace(b"2 * x", b"3 * x"))


def test_each_module_that_runs_is_behind_our_adapter() -> None:
    """Whatever Python code of ours is called while the adapter works is hashed, or is named among what is aside."""
    called: set[str] = set()

    def note(frame: Any, event: str, argument: Any) -> None:
        called.add(frame.f_globals.get("__name__", ""))

    adapter, karate = import_module(OURS), problem("karate")
    order = np.random.default_rng(0).permutation(karate.n)
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        adapter.fit(karate, order[:6])
        adapter.play(karate, order)
        asking = adapter.Asking(karate, order[:3])
        for _ in range(4):
            node = asking.next()
            asking.learn(node, int(karate.codes[node]))
        asking.predict()
    finally:
        sys.setprofile(before)
    called = {name for name in called if place(name) is not None}
    assert "ohmline.query.next_labels" in called
    missing = called - behind(OURS) - {"ohmline", "ohmline.data.contract"}
    assert not {name for name in missing if not any(f"{name}.".startswith(f"{other}.") for other in ASIDE)}


def test_what_lies_behind_an_adapter() -> None:
    made = behind(OURS)
    assert {
        "ohmline.learn.local_lgc.step",
        "ohmline.learn.local_lgc.state",
        "ohmline.query.error_reduction",
    } <= made
    for strange in ("bound", "store", "service", "cli", "sql", "cluster", "learn.pounce", "lab.experiments"):
        assert not [name for name in made if f"{name}.".startswith(f"ohmline.{strange}.")], strange
    theirs = behind("ohmline.lab.peers.scikit_learn")
    assert "ohmline.lab.peers.coordinates" in theirs
    assert not [name for name in theirs if ".learn" in name]


def test_a_name_that_a_package_hands_on_leads_to_where_it_is_made() -> None:
    assert home("ohmline.learn", "LocalLGC") == "ohmline.learn.local_lgc.learner"
    assert home("ohmline.query", "stream") == "ohmline.query.stream"
    assert home("ohmline.arrays", "Ints") == "ohmline.arrays"


@pytest.mark.parametrize(
    "changed", ["ohmline.learn.local_lgc.step", "ohmline.query.field", "ohmline.lab.peers.tasks"]
)
def test_a_change_below_our_adapter_voids_our_cells(changed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    true, before = made_from.source, sources(OURS)
    theirs = sources("ohmline.lab.peers.scikit_network")

    def edited(name: str) -> bytes:
        return true(name) + (b"\nX = 1\n" if name == changed else b"")

    monkeypatch.setattr(made_from, "source", edited)
    sources.cache_clear()
    try:
        assert sources(OURS) != before
        assert (sources("ohmline.lab.peers.scikit_network") != theirs) == changed.endswith("tasks")
    finally:
        sources.cache_clear()


@pytest.mark.parametrize(
    "changed", ["ohmline.learn.pounce.learner", "ohmline.bound.contract", "ohmline.markup"]
)
def test_a_change_elsewhere_voids_nothing(changed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert place(changed) is not None
    true, before = made_from.source, sources(OURS)
    monkeypatch.setattr(
        made_from, "source", lambda name: true(name) + (b"\nX = 1\n" if name == changed else b"")
    )
    sources.cache_clear()
    try:
        assert sources(OURS) == before
    finally:
        sources.cache_clear()


def test_the_commit_is_no_part_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    karate = problem("karate")
    before = key(OURS, ours(), karate, SMALL, "online")
    monkeypatch.setattr(made_from, "version", lambda name: "9.9" if name == "ohmline" else "1.0")
    assert set(versions(ours()).values()) == {"1.0"}
    assert key(OURS, ours(), karate, SMALL, "online")["sources"] == before["sources"]
    peer = System("other", "scikit-network", "sknetwork")
    assert versions(peer) == {"scikit-network": "1.0"}


def test_the_graph_is_known_by_its_edges_weights_and_classes() -> None:
    assert graph(small_problem()) == graph(small_problem())
    assert graph(small_problem()) != graph(small_problem(weight=2.0))
    assert graph(small_problem()) != graph(small_problem(code=0))


def test_settings_of_another_task_are_no_reason() -> None:
    assert settings(SMALL, 34, "active") == settings(
        replace(SMALL, shares=(0.3,), refits=(9, 9)), 34, "active"
    )
    assert settings(SMALL, 34, "accuracy") != settings(replace(SMALL, shares=(0.3,)), 34, "accuracy")
    assert settings(SMALL, 134, "online") != settings(replace(SMALL, refits=(9, 9)), 134, "online")
    assert settings(FULL, 34, "online") == settings(
        replace(FULL, graphs=("karate",), patience=1.0), 34, "online"
    )


def test_a_cell_that_was_given_up_is_tried_again_with_more_patience() -> None:
    made: dict[str, Any] = {"sources": "a"}
    given_up = {"key": made, "found": None, "patience": 60.0}
    assert _holds(given_up, made, replace(SMALL, patience=60.0))
    assert not _holds(given_up, made, replace(SMALL, patience=61.0))
    assert _holds({"key": made, "found": {}, "patience": 60.0}, made, replace(SMALL, patience=61.0))
    assert not _holds({"key": made, "found": {}, "patience": 60.0}, {"sources": "b"}, SMALL)
