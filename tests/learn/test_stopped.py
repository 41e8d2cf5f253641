"""Ctrl-C at any moment: no crash, nothing half done, nothing locked. Real signals, in processes of their own."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

HARNESS = """
import faulthandler, random, signal, sys
faulthandler.enable()
import numpy as np
import ohmline as ohm

signal.signal(signal.SIGALRM, lambda number, frame: signal.raise_signal(signal.SIGINT))
random.seed(int(sys.argv[1]))
stopped = 0
haste = 1.0

def attempt(longest, work):
    # Stopped after a random time; the times become shorter on a machine where the work ends before that.
    global stopped, haste
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, random.uniform(2e-6, longest * haste))
            work()
            haste *= 0.8
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        stopped += 1
        haste = min(1.0, 1.2 * haste)
"""


def stop_at_random(script: str, seed: int, least: int = 20) -> None:
    """Run a script whose attempts are stopped at random moments; it asserts what must hold afterwards."""
    code = HARNESS + textwrap.dedent(script) + f"\nassert stopped >= {least}, stopped\n"
    done = subprocess.run(
        [sys.executable, "-c", code, str(seed)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize(
    "make",
    [
        "ohm.SharedLGC(ohm.SpectralKernel(graph, rank=60))",
        "ohm.LocalLGC(graph)",
        "ohm.OneVsRest(lambda: ohm.OnlineLGC(kernel))",
    ],
)
def test_a_class_is_let_in_wholly_or_not_at_all(make: str) -> None:
    stop_at_random(
        f"""
        graph = ohm.Graph.from_edges([(k, (k + 1) % 300) for k in range(300)])
        kernel = ohm.SpectralKernel(graph, rank=20)
        learner = {make}
        learner.learn_one(0, "c0")
        for t in range(250):
            attempt(4e-4, lambda: learner.learn_one(t % 300, f"c{{t}}"))
        for t in range(30):
            attempt(4e-3, lambda: ohm.play(learner, [(k, f"d{{t}}.{{k}}") for k in range(3)]))
        last = learner.classes[-1]
        for x in [*range(300), *[5] * 50]:  # a learner that is driven by mistakes needs some of them
            learner.learn_one(x, last)
        assert learner.predict_one(5) == last
        assert all(np.isfinite(score) for score in learner.scores_one(5).values())
        state = learner.snapshot()
        restored = type(learner).restore(
            state, learner.make if hasattr(learner, "make") else getattr(learner, "kernel", graph)
        )
        assert restored.classes == learner.classes
        """,
        seed=1,
    )


def test_no_class_stays_that_was_never_learned() -> None:
    stop_at_random(
        """
        graph = ohm.Graph.from_edges([(k, k + 1) for k in range(2000)])
        learner = ohm.LocalLGC(graph)
        for t in range(60):
            attempt(2e-2, lambda: ohm.play(learner, [(k, f"{t}.{k}") for k in range(40)]))
        ohm.play(learner, [(0, "end")])
        assert (learner.state.order >= 0).sum() == len(learner.classes), "a class that nobody was seen of"
        """,
        seed=2,
    )


@pytest.mark.parametrize(
    "work", ["learner.learn_one(t % 31, 'ab'[t % 2])", "ohm.play(learner, [(t % 31, 'a')])"]
)
def test_a_stopped_change_leaves_the_learner_open(work: str) -> None:
    stop_at_random(
        f"""
        graph = ohm.Graph.from_edges([(k, k + 1) for k in range(30)])
        learner = ohm.LocalLGC(graph, classes=["a", "b"])
        learner.learn_one(0, "a")
        ohm.play(learner, [(1, "a")])
        for t in range(4000):
            attempt(6e-5, lambda: {work})
            learner.learn_one(3, "a")
        """,
        seed=3,
    )


def test_columns_of_a_solver_are_those_of_their_nodes() -> None:
    stop_at_random(
        """
        n = 4000
        kernel = ohm.SolverKernel(ohm.Graph.from_edges([(k, k + 1) for k in range(n)]), columns=4)
        kernel.sqdist(0, 1)
        for t in range(1500):
            attempt(3e-4, lambda: [kernel.sqdist(random.randrange(1, n), 0) for _ in range(4)])
            if t % 10 == 0:
                node = random.randrange(1, n)
                assert abs(kernel.sqdist(node, 0) - node) < 1e-6 * n, (node, kernel.sqdist(node, 0))
        """,
        seed=4,
    )


def test_a_certain_answer_can_be_stopped() -> None:
    stop_at_random(
        """
        rng = np.random.default_rng(0)
        edges = {(min(a, b), max(a, b)) for a, b in rng.integers(0, 20000, size=(60000, 2)).tolist() if a != b}
        learner = ohm.LocalLGC(ohm.Graph.from_edges(sorted(edges)), ridge=1e-4, tolerance=1e-9, caution=np.inf)
        for node in range(50):
            learner.learn_one(node, node % 3)
        learner.certain_one(60)
        for t in range(60):
            attempt(5e-2, lambda: learner.certain_one(100 + t))
        assert learner.predict_one(7) is not None
        """,
        seed=5,
        least=5,
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_the_compiler_can_be_stopped_and_works_afterwards(seed: int, tmp_path: object) -> None:
    stop_at_random(
        """
        import os
        graph = ohm.Graph.from_edges([(k, k + 1) for k in range(30)])
        for t in range(12):
            attempt([.05, .5, 3.0][t % 3], lambda: ohm.play(ohm.LocalLGC(graph), [(0, "a"), (30, "b"), (7, "a")]))
        learner = ohm.LocalLGC(graph)
        learner.learn_one(0, "a")
        assert learner.predict_one(5) == "a"
        """.replace("import os", f"import os; os.environ['NUMBA_CACHE_DIR'] = {str(tmp_path)!r}"),
        seed,
        least=1,
    )


def test_a_manifold_learner_keeps_its_classes_and_its_first_points() -> None:
    stop_at_random(
        """
        rng = np.random.default_rng(0)
        points = rng.normal(size=(400, 2))
        learner = ohm.OnlineManifold(late_classes=True)
        other = ohm.OnlineManifold(late_classes=True)
        for t, x in enumerate(points):
            before = learner.snapshot()
            done = stopped
            attempt(2e-3, lambda: learner.learn_one(x, f"c{t // 60}"))
            if stopped > done:  # not learned, or learned wholly
                state = learner.snapshot()
                if all(np.array_equal(state[k], before[k]) for k in before if k in state) and len(state) == len(before):
                    learner.learn_one(x, f"c{t // 60}")
            other.learn_one(x, f"c{t // 60}")
            assert learner.classes == other.classes, (t, learner.classes, other.classes)
        assert all(learner.predict_one(x) == other.predict_one(x) for x in points[:50])
        """,
        seed=6,
        least=5,
    )


def test_a_local_manifold_learner_learns_a_point_wholly_or_not_at_all() -> None:
    stop_at_random(
        """
        rng = np.random.default_rng(0)
        points = rng.normal(size=(400, 2))
        learner, other = ohm.LocalManifold(30), ohm.LocalManifold(30)
        for t, x in enumerate(points):
            before = learner.trials
            attempt(3e-4, lambda: learner.learn_one(x, f"c{t // 60}"))
            if learner.trials == before:
                learner.learn_one(x, f"c{t // 60}")
            other.learn_one(x, f"c{t // 60}")
            assert learner.classes == other.classes, (t, learner.classes, other.classes)
        mine, theirs = learner.snapshot(), other.snapshot()
        assert all(np.array_equal(mine[k], theirs[k]) for k in mine)
        """,
        seed=8,
        least=5,
    )


def test_halving_learns_a_label_wholly_or_not_at_all() -> None:
    stop_at_random(
        """
        line = ohm.Graph.from_edges([(k, k + 1) for k in range(60)])
        for t in range(60):
            learner = ohm.Halving(line, 3)
            for x in random.sample(range(61), 8):
                attempt(3e-3, lambda: learner.learn_one(x, 1 if x < 30 else -1))
            again = ohm.Halving.restore(learner.snapshot(), line)
            assert again.labellings == learner.labellings
        """,
        seed=7,
        least=5,
    )
