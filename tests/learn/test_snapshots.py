"""Snapshots are checked whole before anything changes, and know the graph and the kernel they were made over."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.check.learners import damages
from ohmline.errors import LearnerError, OhmlineError, SnapshotError
from ohmline.learn.node_learner import BinaryKernelLearner, BinaryNodeLearner, NodeLearner
from ohmline.learn.ranges import MAY_BE_INFINITE
from ohmline.learn.trees.learner import TreeLearner

PATH = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
RING = ohm.Graph.from_edges([(k, (k + 1) % 10) for k in range(10)])
STREAM = ohm.Stream([0, 9, 4, 5, 2], [1, -1, 1, -1, 1])


def biased(graph: ohm.Graph) -> ohm.Kernel:
    return ohm.LaplacianKernel(graph) + ohm.Constant(0.5)


MAKERS: dict[str, Callable[[ohm.Graph], NodeLearner[Any]]] = {
    "perceptron": lambda g: ohm.Perceptron(biased(g)),
    "passive-aggressive": lambda g: ohm.PassiveAggressive(biased(g)),
    "one projection": lambda g: ohm.Projection.one_proj(biased(g)),
    "cyclic": lambda g: ohm.Projection.c_proj(biased(g)),
    "minimum norm": lambda g: ohm.Projection.min_norm(biased(g)),
    "pounce": lambda g: ohm.Pounce(ohm.LaplacianKernel(g)),
    "LGC": lambda g: ohm.OnlineLGC(ohm.SpectralKernel(g, rank=4)),
    "shared": lambda g: ohm.SharedLGC(ohm.SpectralKernel(g, rank=4)),
    "local": lambda g: ohm.LocalLGC(g),
    "nearest": lambda g: ohm.NearestNeighbour(g),
    "three nearest": lambda g: ohm.NearestNeighbour(g, k=3),
    "tree": lambda g: ohm.SpanningTree(g),
    "compatibility": lambda g: ohm.Compatibility(g),
    "specialists": lambda g: ohm.ClusterSpecialists(g, trees=2),
    "drifting": lambda g: ohm.DriftingLGC(g, trees=1),
    "weighted tree": lambda g: ohm.WeightedTree(g),
}


def concrete(kind: type) -> set[type]:
    below = {kind} if not getattr(kind, "__abstractmethods__", None) else set()
    return below.union(*(concrete(child) for child in kind.__subclasses__()))


def test_every_learner_states_the_range_of_its_whole_numbers() -> None:
    met = set()
    over_features = ohm.OnlineLogistic(ohm.NodeFeatures(np.eye(PATH.n), PATH))
    for learner in (*(make(PATH) for make in MAKERS.values()), over_features):
        met.add(type(learner))
        for name, array in learner.state._asdict().items():
            if isinstance(array, np.ndarray) and array.dtype.kind in "iu":
                assert name in learner.ranges, f"{type(learner).__name__}.ranges has no {name!r}"
    ours = {kind for kind in concrete(NodeLearner) if kind.__module__.startswith("ohmline.")}
    ours -= {BinaryKernelLearner, TreeLearner}
    assert ours <= met, "add the new learner to MAKERS"


def test_a_learner_that_states_no_range_is_told_so() -> None:
    class Careless(BinaryNodeLearner):  # type: ignore[misc]
        kind = "NearestNeighbour"
        ranges = MappingProxyType({"gap": MAY_BE_INFINITE})
        nodes = PATH.nodes
        fingerprint = PATH.fingerprint

        def settings(self) -> dict[str, Any]:
            return {}

        @classmethod
        def restore(cls, state: Any, kernel: Any) -> Any: ...

    saved = ohm.NearestNeighbour(PATH)
    careless = Careless()
    careless.state = saved.state
    with pytest.raises(LearnerError, match="states no range"):
        careless.load(saved.snapshot())


TALLIES = ("mistakes", "mistaken", "wrong", "switches")
"""Counts of what happened: no place in any array, so that none is too large."""


@pytest.mark.parametrize("name", MAKERS)
def test_a_shifted_index_is_refused_before_compiled_code_reads_it(name: str) -> None:
    learner = MAKERS[name](PATH)
    ohm.play(learner, STREAM)
    before = learner.snapshot()
    shifted = 0
    for key, array in before.items():
        if key.startswith("state.") and array.dtype.kind in "iu" and array.size:
            shifted += 1
            larger = () if key.rpartition(".")[2] in TALLIES else (10**7, len(PATH.nodes) + 1)
            for offset in (-(10**7), *larger):
                with pytest.raises(
                    SnapshotError, match=r"must lie from|must count the nodes|must name each class|is damaged"
                ):
                    learner.load({**before, key: array + offset})
    assert shifted or name in ("perceptron", "passive-aggressive", "LGC")
    assert all(np.array_equal(array, learner.snapshot()[key]) for key, array in before.items())


@pytest.mark.parametrize(
    ("make", "size", "items"),
    [
        (ohm.Projection.min_norm, "size", "order"),
        (ohm.Projection.min_norm, "used", "support"),
        (ohm.Projection.c_proj, "size", "order"),
        (ohm.SharedLGC, "seen", "order"),
    ],
)
def test_a_list_that_names_a_thing_twice_is_refused(make: Any, size: str, items: str) -> None:
    """Compiled code adds what a list does not name at its end, and would write past it."""
    learner = make(ohm.LaplacianKernel(PATH) + ohm.Constant(1.0))
    for node, label in ((0, -1), (9, 1), (4, -1)):
        learner.learn_one(node, label)
    before = learner.snapshot()
    listed = before[f"state.{items}"].copy()
    listed[1] = listed[0]
    with pytest.raises(SnapshotError, match=f"{items} must all differ"):
        learner.load({**before, f"state.{items}": listed})
    assert all(np.array_equal(array, learner.snapshot()[key]) for key, array in before.items())


@pytest.mark.parametrize("size", [0, 2, 4])
def test_a_list_of_examples_must_agree_with_their_labels(size: int) -> None:
    learner = ohm.Projection.min_norm(ohm.LaplacianKernel(PATH) + ohm.Constant(1.0))
    for node, label in ((0, -1), (9, 1), (4, -1)):
        learner.learn_one(node, label)
    with pytest.raises(SnapshotError, match=r"must all differ|its order lists"):
        learner.load({**learner.snapshot(), "state.size": np.array([size])})


def test_the_lists_of_nearest_neighbours_are_those_of_the_labelled_nodes() -> None:
    learner = ohm.NearestNeighbour(PATH)
    learner.learn_one(0, 1)
    with pytest.raises(SnapshotError, match="list the nearest labelled nodes"):
        learner.load({**learner.snapshot(), "state.own": np.zeros(10, np.int64)})


@pytest.mark.parametrize("value", [0.0, 1e3, 1e300])
def test_a_sharpness_at_the_end_of_its_range_leaves_probabilities(value: float) -> None:
    learner = ohm.LocalLGC(PATH)
    for node, label in ((0, "a"), (9, "b"), (1, "a")):
        learner.learn_one(node, label)
    learner.load({**learner.snapshot(), "state.sharpness": np.array([value, 0.0])})
    for node in range(10):
        chances = learner.predict_proba_one(node)
        assert sum(chances.values()) == pytest.approx(1.0)
        learner.learn_one(node, "a" if node < 5 else "b")


@pytest.mark.parametrize("name", MAKERS)
def test_a_snapshot_of_another_graph_of_equal_size_is_refused(name: str) -> None:
    learner = MAKERS[name](PATH)
    ohm.play(learner, STREAM)
    saved = learner.snapshot()
    heavier = ohm.Graph.from_edges([(k, k + 1, 2.0) for k in range(9)])
    renamed = ohm.Graph.from_edges([(str(k), str(k + 1)) for k in range(9)])
    for other in (RING, heavier, renamed):
        with pytest.raises(SnapshotError, match="another graph"):
            MAKERS[name](other).load(saved)
    saved.pop("fingerprint")
    with pytest.raises(SnapshotError, match=r"no '?fingerprint"):
        MAKERS[name](PATH).load(saved)


def test_kernels_of_other_parameters_have_other_fingerprints() -> None:
    plain = ohm.LaplacianKernel(PATH)
    points = np.arange(10.0)[:, None]
    kernels = [
        plain,
        plain + ohm.Constant(1.0),
        plain + ohm.Constant(1.5),
        plain + ohm.Ridge(1.0),
        2 * plain,
        ohm.LaplacianKernel(RING),
        ohm.LaplacianKernel(RING) + ohm.Constant(1.0),
        ohm.SolverKernel(PATH),
        ohm.SpectralKernel(PATH, rank=3),
        ohm.SpectralKernel(PATH, rank=4),
        ohm.SpectralKernel(PATH, rank=3, shift=0.1),
        ohm.SpectralKernel(PATH, rank=3, normalised=True),
        plain + ohm.SpectralKernel(PATH, rank=3),
        plain + ohm.SpectralKernel(RING, rank=3),
        ohm.RBF(1.0).over(points),
        ohm.RBF(2.0).over(points),
        ohm.RBF(1.0).over(2 * points),
    ]
    assert len({kernel.fingerprint for kernel in kernels}) == len(kernels)
    assert plain.fingerprint == ohm.LaplacianKernel(PATH).fingerprint
    embedded = ohm.ExponentialEmbedding(points, 1.0)
    assert embedded.fingerprint != ohm.ExponentialEmbedding(points, 2.0).fingerprint


@pytest.mark.parametrize("what", [None, 3, [], "state", b"", np.zeros(3)])
def test_what_is_no_snapshot_is_refused(what: Any) -> None:
    for make in MAKERS.values():
        with pytest.raises(SnapshotError):
            make(PATH).load(what)


def test_one_against_the_rest_and_halving_check_their_snapshots_too() -> None:
    many = ohm.OneVsRest(lambda: ohm.Perceptron(biased(PATH)))
    ohm.play(many, STREAM)
    half = ohm.Halving(PATH, 9)
    ohm.play(half, STREAM)
    for what, state in damages(many.snapshot()):
        try:
            restored = ohm.OneVsRest.restore(state, lambda: ohm.Perceptron(biased(PATH)))
        except OhmlineError:
            continue
        assert "off by 10000000" in what or "off by -10000000" in what or "fixed" in what, what
        restored.predict_one(3)
    for what, state in damages(half.snapshot()):
        try:
            ohm.Halving.restore(state, PATH)
        except OhmlineError:
            continue
        assert "cut_budget" in what or "width_limit" in what
    with pytest.raises(SnapshotError, match="another graph"):
        ohm.Halving.restore(half.snapshot(), ohm.Graph.from_edges([(0, k) for k in range(1, 10)]))


KERNELS: dict[str, Callable[[], ohm.Kernel]] = {
    "dense": lambda: ohm.LaplacianKernel(PATH) + ohm.Constant(0.5),
    "features": lambda: ohm.SpectralKernel(PATH, rank=10, shift=0.1),
    "columns": lambda: ohm.SolverKernel(PATH, b=0.5),
}
REFUSING: dict[str, Callable[[ohm.Kernel], Any]] = {
    "minimum norm": ohm.Projection.min_norm,
    "cyclic": ohm.Projection.c_proj,
    "a function": lambda k: ohm.Projection(k, lambda mistakes, margin, examples: range(len(examples))),
    "one against the rest": lambda k: ohm.OneVsRest(lambda: ohm.Projection.min_norm(k)),
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", REFUSING)
def test_conflicting_labels_leave_the_learner_as_it_was(name: str, kernel: str, compiled: bool) -> None:
    learner = REFUSING[name](KERNELS[kernel]())
    ohm.play(learner, STREAM, compiled=compiled)
    before = learner.snapshot()
    bad = ohm.Stream([7, 1, 3, 4], [-1, 1, -1, -1])  # node 4 was +1
    with pytest.raises(OhmlineError):
        ohm.play(learner, bad, compiled=compiled)
    after = learner.snapshot()
    assert before.keys() == after.keys()
    assert all(before[key].tobytes() == after[key].tobytes() for key in before)
    with pytest.raises(OhmlineError):
        learner.learn_one(4, -1)
    assert all(before[key].tobytes() == value.tobytes() for key, value in learner.snapshot().items())
    twin = REFUSING[name](KERNELS[kernel]())
    ohm.play(twin, STREAM, compiled=compiled)
    more = ohm.Stream([7, 1, 3], [-1, 1, -1])
    assert ohm.play(learner, more).margin.tolist() == ohm.play(twin, more).margin.tolist()


def test_halving_and_late_classes_are_put_back_too() -> None:
    half = ohm.Halving(PATH, 1)
    half.learn_one(0, 1)
    count = half.labellings
    with pytest.raises(OhmlineError):
        ohm.play(half, [(9, -1), (4, 1), (2, -1)])
    assert half.labellings == count
    assert half.predict_one(9) == ohm.Halving.restore(half.snapshot(), PATH).predict_one(9)
    for make in (lambda: ohm.LocalLGC(PATH), lambda: ohm.SharedLGC(ohm.SpectralKernel(PATH, rank=4))):
        for compiled in (True, False):
            learner = make()
            learner.learn_one(0, "a")
            with pytest.raises(OhmlineError):
                ohm.play(learner, [(1, "b"), (2, "c"), ("nowhere", "d")], compiled=compiled)
            assert learner.classes == ("a",)


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        (lambda k: ohm.OnlineLGC(k, 10.0), lambda k: ohm.OnlineLGC(k, 0.1), "mu = 10.0"),
        (lambda k: ohm.SharedLGC(k, ["a", "b"]), lambda k: ohm.SharedLGC(k, ["b", "a"]), "classes"),
        (lambda k: ohm.PassiveAggressive(k, 5.0), lambda k: ohm.PassiveAggressive(k, 1.0), "aggressiveness"),
        (lambda k: ohm.Projection.one_proj(k), lambda k: ohm.Projection.min_norm(k), "strategy"),
    ],
)
def test_a_snapshot_of_other_parameters_is_not_loaded(one: Any, other: Any, what: str) -> None:
    kernel = ohm.SpectralKernel(ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3)]), rank=3)
    learner = other(kernel)
    before = learner.snapshot()
    with pytest.raises(SnapshotError, match=f"the snapshot was made with {what}"):
        learner.load(one(kernel).snapshot())
    assert all(np.array_equal(before[key], value) for key, value in learner.snapshot().items())
