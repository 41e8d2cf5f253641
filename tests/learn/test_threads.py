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


def run_apart(script: str) -> None:
    """In a process of its own, so that a crash is seen."""
    head = "import faulthandler, sys, threading\nfaulthandler.enable()\nimport numpy as np, ohmline as ohm\n"
    done = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_two_writers_take_turns_or_are_refused() -> None:
    run_apart(
        """
        graph = ohm.Graph.from_edges([(k, (k + 1) % 60) for k in range(60)])
        kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0) + ohm.Ridge(0.1)
        makes = [
            lambda: ohm.Projection.min_norm(kernel),
            lambda: ohm.Projection.c_proj(ohm.SolverKernel(graph, b=1.0, columns=4)),
            lambda: ohm.OneVsRest(lambda: ohm.Projection.min_norm(kernel), [1, -1]),
        ]
        sys.setswitchinterval(1e-6)
        for make in makes:
            learner, learned, raw = make(), [], []

            def write(nodes):
                for x in nodes:
                    while True:
                        try:
                            learner.learn_one(x, 1 if x < 30 else -1)
                        except ohm.OhmlineError as error:
                            if "is being changed" not in str(error):
                                raw.append(error)
                                return
                            continue
                        except BaseException as error:
                            raw.append(error)
                            return
                        break

            writers = [threading.Thread(target=write, args=(range(k, 60, 2),)) for k in (0, 1)]
            [w.start() for w in writers]
            [w.join() for w in writers]
            assert not raw, raw
            assert all(learner.predict_one(x) == (1 if x < 30 else -1) for x in range(60))
        """
    )


def test_a_refused_game_leaves_the_other_one_alone() -> None:
    run_apart(
        """
        graph = ohm.Graph.from_edges([(k, (k + 1) % 400) for k in range(400)])
        kernel = ohm.SpectralKernel(graph, rank=40)
        stream = [(k, f"c{k % 40}") for k in range(400)] * 20
        alone = ohm.SharedLGC(kernel)
        ohm.play(alone, stream)
        learner, stop = ohm.SharedLGC(kernel), threading.Event()

        def disturb():
            while not stop.is_set():
                try:
                    ohm.play(learner, [])
                except ohm.OhmlineError:
                    pass

        other = threading.Thread(target=disturb)
        game = threading.Thread(target=lambda: ohm.play(learner, stream))
        game.start(); other.start(); game.join(); stop.set(); other.join()
        assert learner.classes in ((), alone.classes)
        if learner.classes:
            assert [learner.predict_one(x) for x in range(400)] == [alone.predict_one(x) for x in range(400)]
        """
    )


def test_snapshots_and_copies_beside_a_writer_are_of_one_moment() -> None:
    run_apart(
        """
        import copy, pickle
        graph = ohm.Graph.from_edges([(k, (k + 1) % 80) for k in range(80)])
        sys.setswitchinterval(1e-6)
        learner, stop = ohm.LocalLGC(graph, ["a", "b"]), threading.Event()

        def write():
            while not stop.is_set():
                for x in range(80):
                    learner.learn_one(x, "ab"[(x // 7) % 2])
                for x in range(80):
                    learner.forget_one(x)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(150):
                state = learner.snapshot()
                assert np.array_equal(np.bincount(state["state.label"][state["state.label"] >= 0], minlength=2),
                                      state["state.counts"])
                ohm.LocalLGC.restore(state, graph)
                copy.deepcopy(learner).predict_one(3)
                pickle.loads(pickle.dumps(learner)).predict_one(3)
        finally:
            stop.set()
            writer.join()
        """
    )


def test_a_forked_child_finds_the_learner_open() -> None:
    run_apart(
        """
        import os
        graph = ohm.Graph.from_edges([(k, (k + 1) % 40) for k in range(40)])
        kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
        for learner in (ohm.LocalLGC(graph), ohm.OneVsRest(lambda: ohm.Projection.min_norm(kernel))):
            learner.learn_one(0, "a")
            with learner.alone(), learner.unmoved():
                child = os.fork()
                if child == 0:
                    learner.learn_one(5, "b")
                    os._exit(0 if learner.predict_one(5) == "b" else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        """
    )
