"""LocalLGC under strain: tiny ridges, Ctrl-C, threads, extreme weights, thousands of classes."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import graphs
from ohmline.errors import GraphError, LearnerError, ParameterError, WeightError
from side_by_side import control_c, in_threads

PATH = ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3)])


def exact(graph: ohm.Graph, labels: dict[int, int], classes: int, ridge: float, mu: float) -> tuple[Any, Any]:
    """f and Q^-1 by a dense solve."""
    unit = graph.weights.mean() if len(graph.weights) else 1.0
    q = graph.laplacian().toarray() / unit + ridge * np.eye(graph.n)
    b = np.zeros((graph.n, classes))
    for i, y in labels.items():
        q[i, i] += 1 / mu
        b[i, y] = 1 / mu
    inverse = np.linalg.inv(q)
    return inverse @ b, inverse


@pytest.mark.parametrize("ridge", [1e-3, 1e-6, 1e-9, 1e-12])
def test_a_tiny_ridge_ends(ridge: float) -> None:
    learner = ohm.LocalLGC(PATH, ["a", "b"], ridge=ridge, caution=float("inf"))
    assert learner.variance_one(0) == pytest.approx((0.75 / ridge) ** 2 / (0.25 / ridge), rel=0.02)
    learner.learn_one(0, "a")
    learner.learn_one(3, "b")
    learner.learn_one(2, "b")
    learner.forget_one(2)
    f, inverse = exact(PATH, {0: 0, 3: 1}, 2, ridge, 0.6)
    for x in range(4):
        assert list(learner.scores_one(x).values()) == pytest.approx(f[x], abs=3e-4)
        said = learner.certain_one(x, tolerance=1e-9)
        assert said.variance <= inverse[x, x] * (1 + 1e-9)
        assert said.variance_at_most >= inverse[x, x] * (1 - 1e-9)
    assert learner.refine(1e-3) <= max(1e-3, 3e-14 / ridge)


@settings(max_examples=40)
@given(graphs(max_nodes=8), st.integers(0, 2**32 - 1), st.sampled_from([1e-8, 1e-4, 1.0]), st.booleans())
def test_a_global_solve_keeps_every_promise(graph: ohm.Graph, seed: int, ridge: float, finely: bool) -> None:
    """Tiny ridges force conjugate gradients; scores, certificates and variances stay what they are said to be."""
    rng = np.random.default_rng(seed)
    options: dict[str, Any] = {"tolerance": 1e-9, "caution": float("inf")} if finely else {}
    learner, labels = ohm.LocalLGC(graph, ["a", "b"], ridge=ridge, **options), {}
    for t in rng.permutation(graph.n)[: int(rng.integers(1, graph.n + 1))].tolist():
        labels[t] = int(rng.integers(2))
        learner.learn_one(graph.nodes[t], "ab"[labels[t]])
    f, inverse = exact(graph, labels, 2, ridge, learner.mu)
    for t, x in enumerate(graph.nodes):
        scores = list(learner.scores_one(x).values())
        assert np.isfinite(scores).all()
        if finely:
            assert scores == pytest.approx(f[t], abs=1e-6)
        said = learner.certain_one(x)
        assert said.variance <= inverse[t, t] * (1 + 1e-6)
        assert said.variance_at_most >= inverse[t, t] * (1 - 1e-6)
        if said.certain:
            assert "ab"[int(np.argmax(f[t]))] == said.prediction
        assert np.isfinite(learner.variance_one(x))


INTERRUPTED = """
import sys, ohmline as ohm
n = 150_000
graph = ohm.Graph.from_edges([(k, k + 1) for k in range(n)])
learner = ohm.LocalLGC(graph, ["a", "b"], ridge=1e-9, tolerance=1e-12, caution=float("inf"))
small = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1)]), ["a", "b"])
small.learn_one(0, "a"); small.variance_one(1); small.certain_one(1); small.forget_one(0); small.refine()
ohm.play(small, ohm.Stream([0], ["a"]))  # all that is called below is compiled by now
print("go", flush=True)
try:
    {call}
except KeyboardInterrupt:
    (learner.state.nodes["mark"] & 2).any() and sys.exit(3)
    print("stopped", flush=True)
"""


@pytest.mark.parametrize(
    "call",
    [
        "learner.view_one(0)",
        "learner.variance_one(0)",
        "learner.certain_one(0)",
        "ohm.play(learner, ohm.Stream(range(n), ['a'] * n))",
        "learner.state.label[5] = learner.state.counts[0] = 1; learner.refine(1e-12)",
    ],
)
def test_control_c_gets_through(call: str) -> None:
    assert control_c(INTERRUPTED.replace("{call}", call)) == ("stopped\n", 0)


def test_threads_read_their_own_answers() -> None:
    rng = np.random.default_rng(0)
    pairs = sorted({(int(min(a, b)), int(max(a, b))) for a, b in rng.integers(0, 300, (900, 2)) if a != b})
    graph = ohm.Graph.from_edges(pairs, nodes=range(300))
    learner = ohm.LocalLGC(graph)
    for x in range(0, 300, 5):
        learner.learn_one(x, f"class {x % 4}")

    def answers(x: int) -> tuple[Any, ...]:
        return (
            learner.scores_one(x),
            learner.predict_proba_one(x),
            learner.certain_one(x),
            learner.view_one(x),
            learner.variance_one(x),
        )

    alone = {x: answers(x) for x in range(300)}
    wrong: list[int] = []

    def read(seed: int) -> None:
        for x in np.random.default_rng(seed).integers(0, 300, 600).tolist():
            if answers(x) != alone[x]:
                wrong.append(x)

    in_threads(read, 8)
    assert wrong == []


def test_a_second_writer_is_refused() -> None:
    learner = ohm.LocalLGC(PATH)
    learner.learn_one(0, "a")
    before = learner.snapshot()
    writes = [
        lambda: learner.learn_one(1, "b"),
        lambda: learner.forget_one(0),
        lambda: learner.add_node("new"),
        lambda: learner.add_edge(0, 2),
        lambda: learner.refine(),
        lambda: learner.load(before),
        lambda: ohm.play(learner, ohm.Stream([1], ["b"])),
        lambda: ohm.play(learner, ohm.Stream([1], ["b"]), compiled=False),
    ]
    with learner.alone():  # as another thread in the middle of a change would
        assert learner.predict_one(1) == "a"
        for write in writes:
            with pytest.raises(LearnerError, match="is being changed"):
                write()
    assert all(np.array_equal(before[key], value) for key, value in learner.snapshot().items())
    assert learner.learn_one(1, "b").updated


def test_a_copy_has_a_lock_of_its_own() -> None:
    learner = ohm.LocalLGC(PATH)
    learner.learn_one(0, "a")
    for twin in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        with learner.alone():
            twin.learn_one(3, "b")
        assert twin.predict_one(2) == "b"
    assert learner.label_one(3) is None


def test_late_classes_are_added_in_bulk() -> None:
    """The room for classes doubles, so that a thousand of them are not a thousand copies of the estimate."""
    learner = ohm.LocalLGC(ohm.Graph.from_edges([(k, k + 1) for k in range(999)]))
    rooms = set()
    for x in range(1000):
        learner.learn_one(x, f"class {x}")
        rooms.add(id(learner.state.estimate))
        assert learner.state.estimate.shape[1] <= 2 * (x + 1)
    assert len(rooms) <= 12
    assert len(learner.classes) == 1000
    assert len(learner.scores_one(5)) == len(learner.predict_proba_one(5)) == 1000
    assert learner.snapshot()["state.estimate"].shape == (1000, 1000)
    assert learner.predict_one(5) == "class 5"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ridge", "0.5"),
        ("ridge", True),
        ("ridge", 1e-15),
        ("ridge", 1e15),
        ("mu", 1e-15),
        ("mu", 1e300),
        ("mu", b"1"),
        ("tolerance", "1e-3"),
        ("caution", "0.1"),
        ("caution", float("nan")),
        ("unit", "1"),
        ("guess", "no"),
        ("guess", 1),
        ("reach", None),
    ],
)
def test_nonsense_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=name):
        ohm.LocalLGC(PATH, **{name: value})


def test_a_graph_is_a_graph() -> None:
    with pytest.raises(GraphError, match="must be a Graph"):
        ohm.LocalLGC([(0, 1)])  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1.0, 1e200, 1e307])
@pytest.mark.parametrize("mu", [1e-12, 0.6, 1e12])
def test_extreme_numbers_give_numbers(scale: float, mu: float) -> None:
    graph = ohm.Graph.from_edges([(k, k + 1, scale * (1 + k % 3)) for k in range(20)])
    learner, usual = (
        ohm.LocalLGC(graph, mu=mu),
        ohm.LocalLGC(ohm.Graph.from_edges([(k, k + 1, 1.0 + k % 3) for k in range(20)]), mu=mu),
    )
    for one in (learner, usual):
        one.learn_one(0, "a")
        one.learn_one(20, "b")
        one.learn_one(10, "b")
        one.forget_one(10)
    for x in range(21):
        assert np.isfinite(
            [learner.view_one(x).margin, learner.variance_one(x), *learner.scores_one(x).values()]
        ).all()
        assert learner.predict_one(x) == usual.predict_one(x)
        assert list(learner.scores_one(x).values()) == pytest.approx(
            list(usual.scores_one(x).values()), abs=1e-6
        )


def test_weights_beyond_the_unit_are_refused() -> None:
    with pytest.raises(WeightError, match="larger unit"):
        ohm.LocalLGC(PATH, unit=1e-200)
    learner = ohm.LocalLGC(PATH)
    before = learner.snapshot()
    for weight in (1e200, "1", True):
        with pytest.raises(ParameterError, match="weight of edge"):
            learner.add_edge(0, 2, weight)  # type: ignore[arg-type]
    assert all(np.array_equal(before[key], value) for key, value in learner.snapshot().items())


@pytest.mark.parametrize(("ridge", "mu"), [(1e-3, 100.0), (1e-6, 1e6)])
def test_a_variance_is_found_where_all_others_are_labelled(ridge: float, mu: float) -> None:
    pair = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1, 0.5812775633218847)]), ridge=1e-6, mu=1e6, unit=1.0)
    pair.learn_one(0, "a")
    assert pair.variance_one(1) == 0.0  # no other node is unlabelled, so nobody would learn from its label
    rng = np.random.default_rng(0)
    graph = ohm.Graph.from_edges([(2 * k, 2 * k + 1, float(rng.uniform(0.2, 1))) for k in range(200)])
    learner = ohm.LocalLGC(graph, ridge=ridge, mu=mu)
    trace = ohm.play(
        learner, ohm.Stream(range(400), [k % 3 for k in range(400)]).shuffled(seed=0), ohm.GapBelow()
    )
    assert np.isfinite(trace.variance).all()
