"""Several threads on one learner: reading is safe, a second change is refused by name."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from typing import Any

import pytest

import ohmline as ohm
from ohmline.errors import LearnerError

GRAPH = ohm.Graph.from_edges([(k, (k + 1) % 40) for k in range(40)])


@pytest.mark.parametrize(
    "make",
    [
        "ohm.LocalLGC(graph)",
        "ohm.SharedLGC(ohm.SpectralKernel(graph, rank=10))",
        "ohm.OneVsRest(lambda: ohm.OnlineLGC(ohm.SpectralKernel(graph, rank=10)))",
    ],
)
@pytest.mark.parametrize("writing", [False, True])
def test_readers_of_a_learner_that_nobody_has_read_yet(make: str, writing: bool) -> None:
    """Eight threads ask for predictions and variances at once, from the first one on, beside one that learns."""
    script = f"""
        import faulthandler, sys, threading
        faulthandler.enable()
        sys.setswitchinterval(1e-6)
        import ohmline as ohm
        graph = ohm.Graph.from_edges([(k, (k + 1) % 40) for k in range(40)])
        errors = []

        def read(learner, wanted):
            try:
                for x in list(range(40)) * 3:
                    seen = learner.predict_one(x), learner.variance_one(x)
                    if wanted is not None and seen != wanted[x]:
                        errors.append((x, seen, wanted[x]))
            except BaseException as error:
                errors.append(error)

        for round in range(25):
            learner, same = {make}, {make}
            for each in (learner, same):
                for x, y in ((0, "a"), (13, "b"), (26, "c")):
                    each.learn_one(x, y)
            wanted = None if {writing} else [(same.predict_one(x), same.variance_one(x)) for x in range(40)]
            readers = [threading.Thread(target=read, args=(learner, wanted)) for _ in range(8)]
            for reader in readers:
                reader.start()
            if {writing}:
                for x in range(40):
                    learner.learn_one(x, f"late{{x}}")
            for reader in readers:
                reader.join()
        assert not errors, errors[:3]
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


LEARNERS: dict[str, Any] = {
    "SharedLGC": lambda: ohm.SharedLGC(ohm.SpectralKernel(GRAPH, rank=10)),
    "LocalLGC": lambda: ohm.LocalLGC(GRAPH),
    "Perceptron": lambda: ohm.Perceptron(ohm.LaplacianKernel(GRAPH) + ohm.Constant(1.0)),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_game_within_a_game_is_refused_by_name(name: str) -> None:
    learner = LEARNERS[name]()
    stream = [(x, 1 if x < 20 else -1) for x in range(40)]

    def play_again(trials: int) -> None:
        ohm.play(learner, stream)

    with pytest.raises(LearnerError, match=f"this {name} is being changed, by another thread or by the game"):
        ohm.play(learner, stream, progress=play_again)
    assert len(ohm.play(learner, stream)) == 40


def test_a_game_in_another_thread_is_refused_by_name() -> None:
    learner = LEARNERS["SharedLGC"]()
    found: list[BaseException] = []

    def elsewhere() -> None:
        try:
            learner.learn_one(3, "late")
        except LearnerError as error:
            found.append(error)

    def meanwhile(trials: int) -> None:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()

    ohm.play(learner, [(0, "a"), (20, "b")], progress=meanwhile)
    assert len(found) == 1
    assert learner.classes == ("a", "b")
