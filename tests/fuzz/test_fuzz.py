"""The fuzzer runs for a minute, has an example of everything public, and sees what it is there to see."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ohmline as ohm
from fuzz import examples
from fuzz.attacks import Changed, attempt, damaged
from fuzz.nasty import Boom
from ohmline.errors import ParameterError

TESTS = Path(__file__).resolve().parent.parent


def test_a_raw_error_and_a_change_are_found_and_a_refusal_is_not() -> None:
    def raw() -> None:
        ohm.graph.NodeIndex(2).__eq__(None)
        np.zeros(2)[5]

    def changed() -> None:
        raise Changed("state.w")

    def refused() -> None:
        raise ParameterError("no")

    def foreign() -> None:
        raise Boom

    found = attempt("call f(x=1)", raw)
    assert found is not None
    assert found.what == "IndexError"
    found = attempt("call f(x=1)", changed)
    assert found is not None
    assert found.what == "changed"
    assert attempt("call f(x=1)", refused) is None
    assert attempt("call f(x=1)", foreign) is None


def test_damage_is_the_same_for_the_same_seed() -> None:
    data = bytes(range(200))
    assert damaged(data, "a 1") == damaged(data, "a 1")
    assert len({damaged(data, f"a {k}") for k in range(50)}) > 40


@pytest.mark.slow
def test_every_public_callable_has_a_valid_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed = {}
    for name, (get, _) in examples.targets().items():
        if name.endswith(".load") or name in (
            "Multiview",
            "MultiviewSVM",
        ):  # a snapshot and views of their own
            continue
        thing = get()
        try:
            thing(**examples.arguments(name, thing))
        except Exception as error:  # every name that fails is shown, not only the first
            failed[name] = error
    assert not failed, "\n".join(f"{name}: {error!r:.200}" for name, error in failed.items())


@pytest.mark.slow
def test_a_minute_of_attacks_finds_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", "--seconds", "60", "--seed", "0"],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
