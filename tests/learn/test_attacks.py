"""What a hostile user tried: interruptions at chosen lines, numbers at the edge, models of others that misbehave."""

from __future__ import annotations

import json
import linecache
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from river import forest
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neural_network import MLPClassifier

import ohmline as ohm
from ohmline.errors import LabelError, LearnerError, OhmlineError, SnapshotError

BARBELL = ohm.graph.generate.barbell(4).graph
PATH = ohm.Graph.from_edges([(0, 1), (1, 2)])


def ctrl_c_at(file: str, text: str, act: Callable[[], Any]) -> bool:
    """Do it, with a Ctrl-C at the first line of a file that holds a text; whether the line was reached."""
    reached = False

    def tracer(frame: Any, event: str, argument: Any) -> Any:
        nonlocal reached
        here = event == "line" and frame.f_code.co_filename.endswith(file)
        if here and not reached and text in linecache.getline(frame.f_code.co_filename, frame.f_lineno):
            reached = True
            sys.settrace(None)
            signal.raise_signal(signal.SIGINT)
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        act()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return reached


class TimeUp(Exception):
    """What a job runner's alarm raises."""


def every_line(
    file: str, make: Callable[[], Any], act: Callable[[Any], Any], number: int = signal.SIGINT
) -> list[Any]:
    """The learner after a signal at each line of a file that the act runs through, each time afresh."""

    def time_up(number: int, frame: Any) -> None:
        raise TimeUp

    handler = signal.getsignal(number)
    if number != signal.SIGINT:
        signal.signal(number, time_up)
    try:
        return _every_line(file, make, act, number)
    finally:
        signal.signal(number, handler)


def _every_line(file: str, make: Callable[[], Any], act: Callable[[Any], Any], number: int) -> list[Any]:
    lines: set[int] = set()
    learner = make()

    def collect(frame: Any, event: str, argument: Any) -> Any:
        if event == "line" and frame.f_code.co_filename.endswith(file):
            lines.add(frame.f_lineno)
        return collect

    before = sys.gettrace()
    sys.settrace(collect)
    try:
        act(learner)
    finally:
        sys.settrace(before)
    found = []
    for line in sorted(lines):

        def tracer(frame: Any, event: str, argument: Any, line: int = line) -> Any:
            if event == "line" and frame.f_lineno == line and frame.f_code.co_filename.endswith(file):
                sys.settrace(None)
                signal.raise_signal(number)
            return tracer

        learner = make()
        sys.settrace(tracer)
        try:
            act(learner)
        except (KeyboardInterrupt, TimeUp):
            pass
        finally:
            sys.settrace(before)
        found.append(learner)
    assert len(found) > 3
    return found


def equal(a: Any, b: Any) -> bool:
    mine, yours = a.snapshot(), b.snapshot()
    return mine.keys() == yours.keys() and all(np.array_equal(mine[k], yours[k]) for k in mine)


def fitted() -> ohm.TypedLGC:
    """With as many labels as there can be before the first fit."""
    learner = ohm.TypedLGC(ohm.Relations({"x": BARBELL, "y": BARBELL}))
    for k in range(7):
        learner.learn_one(k, "ab"[k % 2])
    return learner


def informed() -> ohm.LocalLGC:
    rows = ohm.NodeFeatures(np.eye(BARBELL.n), BARBELL)
    learner = ohm.LocalLGC(BARBELL, prior=rows)
    learner.learn_one(0, "a")
    return learner


def blended(way: Any = None) -> ohm.Blend:
    learner = ohm.Blend([ohm.DriftingLGC(BARBELL, trees=2), ohm.Compatibility(BARBELL)], way)
    learner.learn_one(0, "a")
    return learner


def with_words() -> ohm.Blend:
    rows = ohm.NodeFeatures(np.eye(BARBELL.n), BARBELL)
    learner = ohm.Blend([ohm.FeatureLearner(rows, MultinomialNB())])
    learner.learn_one(0, "a")
    return learner


def sets() -> ohm.ConformalSets:
    learner = ohm.ConformalSets(ohm.LocalLGC(BARBELL))
    learner.learn_one(0, "a")
    return learner


@pytest.mark.parametrize(
    ("file", "make"),
    [
        ("blend/learner.py", blended),
        ("blend/members.py", blended),
        ("blend/members.py", with_words),
        ("features/learner.py", with_words),
        ("conformal/learner.py", sets),
        ("blend/members.py", sets),
        ("relations/typed.py", fitted),
        ("local_lgc/informed.py", informed),
    ],
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGALRM, signal.SIGUSR1])
def test_a_label_is_learned_by_all_or_by_nobody(
    file: str, make: Callable[[], Any], number: signal.Signals
) -> None:
    without, learned = make(), make()
    learned.learn_one(7, "b")
    for stopped in every_line(file, make, lambda learner: learner.learn_one(7, "b"), number):
        assert equal(stopped, without) or equal(stopped, learned)
        stopped.learn_one(7, "b")
        assert stopped.classes == learned.classes


@pytest.mark.parametrize("way", [ohm.Product(), ohm.Majority()])
def test_a_game_that_is_stopped_leaves_the_blend_of_one_mind(way: Any) -> None:
    stream = [(1, "b"), (2, "a"), (5, "b")]
    prefixes = []
    for k in range(4):
        prefixes.append(blended(way))
        for x, y in stream[:k]:
            prefixes[-1].learn_one(x, y)
    file = "game/blending.py" if isinstance(way, ohm.Majority) else "blend/learner.py"
    for stopped in every_line(file, lambda: blended(way), lambda learner: ohm.play(learner, stream)):
        assert any(equal(stopped, prefix) for prefix in prefixes)


def test_the_due_fit_is_not_skipped() -> None:
    learner, whole = fitted(), fitted()
    assert ctrl_c_at("relations/typed.py", "try:", lambda: learner.learn_one(7, "a"))
    learner.learn_one(7, "a")
    whole.learn_one(7, "a")
    assert equal(learner, whole)


def test_slopes_whose_squares_are_zero() -> None:
    pair = ohm.Graph.from_edges([(0, 1)])
    learner = ohm.OnlineLogistic(ohm.NodeFeatures([[1e-200], [1.0]], pair))
    learner.learn_one(0, "a")
    learner.learn_one(0, "b")
    assert learner.classes == ("a", "b")
    assert learner.predict_one(0) == "b"
    steep = ohm.OnlineLogistic(ohm.NodeFeatures(np.eye(3), PATH), rate=1e4)
    for k in range(100):
        code = k % 2 if k < 30 else k % 3
        steep.learn_one(code, "abc"[code])
    assert [steep.predict_one(k) for k in range(3)] == ["a", "b", "c"]


def test_rates_beyond_any_use_are_refused() -> None:
    with pytest.raises(OhmlineError, match="rate"):
        ohm.OnlineLogistic(ohm.NodeFeatures(np.eye(3), PATH), rate=1e300)


def over_points() -> ohm.OnlineManifold:
    return ohm.OnlineManifold(ohm.RBF(1.0), ohm.Buffer(20), late_classes=True)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ohm.Blend([ohm.ConformalSets(ohm.LocalLGC(BARBELL)), ohm.Compatibility(BARBELL)]),
        lambda: ohm.ConformalSets(ohm.ConformalSets(ohm.LocalLGC(BARBELL))),
        lambda: ohm.ConformalSets(ohm.ConformalSets(ohm.ConformalSets(ohm.TypedLGC(BARBELL)), 0.8)),
        lambda: ohm.ConformalSets(ohm.Blend([ohm.ConformalSets(ohm.Blend([ohm.LocalLGC(BARBELL)]))])),
        lambda: ohm.LocalLGC(BARBELL, prior=ohm.ConformalSets(ohm.Compatibility(BARBELL))),
    ],
)
def test_sets_within_learners_come_back_from_files(make: Callable[[], Any], tmp_path: Any) -> None:
    learner = make()
    learner.learn_many({0: "a", 7: "b", 1: "a"})
    ohm.save(learner, tmp_path / "learner.ohm")
    again = ohm.load(tmp_path / "learner.ohm")
    assert equal(learner, again)
    assert again.predict_proba_one(3) == learner.predict_proba_one(3)


def test_sets_are_restored_over_the_learner_inside_and_over_another() -> None:
    learner = ohm.ConformalSets(ohm.ConformalSets(ohm.LocalLGC(BARBELL)))
    learner.learn_one(0, "a")
    inside = ohm.ConformalSets(ohm.LocalLGC(BARBELL))
    for kernel in (inside, ohm.ConformalSets(inside)):
        assert equal(ohm.ConformalSets.restore(learner.snapshot(), kernel), learner)
    points = ohm.Blend([ohm.ConformalSets(over_points())])
    points.learn_one([0.0, 1.0], "a")
    fresh = [ohm.ConformalSets(over_points())]
    assert equal(ohm.Blend.restore(points.snapshot(), fresh), points)


def test_a_classifier_that_does_not_know_yet_is_no_dead_end() -> None:
    rows = ohm.NodeFeatures(np.arange(16.0).reshape(8, 2) ** 2, BARBELL)
    learner = ohm.FeatureLearner(rows, GaussianNB())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for node, label in [(0, "a"), (7, "b")]:
            learner.learn_one(node, label)
        assert learner.predict_proba_one(3) == {}
        assert learner.predict_one(3) is None
        table = learner.predict_many()
        assert (table.codes == -1).all()
        for node, label in [(1, "a"), (6, "b")]:
            learner.learn_one(node, label)
        assert learner.predict_one(5) == "b"


@pytest.mark.parametrize("model", [MLPClassifier((4,)), SGDClassifier(loss="log_loss")])
def test_what_is_taught_again_is_the_same(model: Any) -> None:
    rows = ohm.NodeFeatures(np.eye(BARBELL.n), BARBELL)
    learner = ohm.FeatureLearner(rows, model)
    learner.learn_many({0: "a", 7: "b", 1: "a"})
    said = learner.predict_proba_one(3)
    learner.checkpoint()()
    assert learner.predict_proba_one(3) == said
    with pytest.raises(OhmlineError):
        learner.learn_many([4, "nowhere"], ["b", "a"])
    assert learner.predict_proba_one(3) == said
    early = learner.checkpoint()
    learner.learn_one(4, "c")
    late, then = learner.checkpoint(), learner.predict_proba_one(3)
    early()
    learner.learn_one(5, "b")
    late()
    assert learner.predict_proba_one(3) == then
    early()
    assert learner.predict_proba_one(3) == said
    restored = ohm.FeatureLearner.restore(learner.snapshot(), (rows, model))
    assert restored.predict_proba_one(3) == said
    assert model.random_state is None
    assert "random_state" not in repr(learner)


def test_a_classifier_of_river_without_a_seed_is_refused() -> None:
    rows = ohm.NodeFeatures(np.eye(BARBELL.n), BARBELL)
    with pytest.raises(LearnerError, match=r"has no seed.*ARFClassifier\(\.\.\., seed=0\)"):
        ohm.FeatureLearner(rows, forest.ARFClassifier())
    learner = ohm.FeatureLearner(rows, forest.ARFClassifier(seed=0, n_models=2))
    learner.learn_many({0: "a", 7: "b"})
    assert learner.predict_one(0) is not None


class Slow(MultinomialNB):
    """Takes its time to learn."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        time.sleep(0.02)
        return super().partial_fit(X, y, classes, sample_weight)


def test_who_reads_beside_a_writer_sees_one_moment() -> None:
    rows = ohm.NodeFeatures(np.eye(BARBELL.n), BARBELL)
    learner = ohm.FeatureLearner(rows, Slow())
    learner.learn_many({0: "a", 7: "b"})
    errors: list[Any] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            try:
                said, state = learner.predict_proba_one(3), learner.snapshot()
                table = learner.predict_many([1, 2])
                if abs(sum(said.values()) - 1) > 1e-9 or table.probabilities.shape[1] != len(table.classes):
                    errors.append(said)
                if len(set(state["events"][:, 1].tolist())) != len(json.loads(str(state["classes"]))):
                    errors.append(state)
            except Exception as error:
                errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for k, label in enumerate("cde"):
        learner.learn_one(k + 1, label)
    done.set()
    for reader in readers:
        reader.join()
    assert not errors, errors[:2]


def reordered(edges: list[tuple[Any, ...]], nodes: list[Any]) -> ohm.Graph:
    return ohm.Graph.from_edges(edges, nodes=nodes)


def test_types_are_weighed_alike_in_every_order_of_nodes() -> None:
    rng = np.random.default_rng(3)
    nodes = [f"n{k}" for k in range(24)]
    kinds = [
        [(nodes[a], nodes[b]) for a in range(24) for b in range(a) if rng.random() < 0.2] for _ in range(2)
    ]
    labels = {node: "ab"[k % 2] for k, node in enumerate(nodes[:18])}
    said = []
    for seed in range(4):
        order = [nodes[k] for k in np.random.default_rng(seed).permutation(24)]
        learner = ohm.TypedLGC(
            {name: reordered(edges, order) for name, edges in zip("xy", kinds, strict=True)}
        )
        for node, label in labels.items():
            learner.learn_one(node, label)
        assert learner._fits_at > 8
        said.append([learner.predict_proba_one(node)["a"] for node in nodes])
    far = np.ptp(said, axis=0)
    assert far[18:].max() < 1e-9
    assert far.max() < 0.02  # at nodes with a label, `LocalLGC` counts votes near by to a tolerance


def test_a_damaged_order_of_learning_is_refused() -> None:
    learner = fitted()
    relations, state = learner.relations, learner.snapshot()
    assert equal(ohm.TypedLGC.restore(state, relations), learner)
    for past in (state["past"][1:], state["past"] * 0, state["past"].astype(float)):
        with pytest.raises(SnapshotError, match="past must name every labelled node once"):
            ohm.TypedLGC.restore({**state, "past": past}, relations)


def behind_a_hub(order: int) -> tuple[ohm.Compatibility, list[Any]]:
    leaves, pairs = [f"l{k}" for k in range(200)], [(f"p{k}", f"q{k}") for k in range(50)]
    edges = [("h", leaf) for leaf in leaves] + pairs + [("t", "h")]
    nodes = [*leaves, "h", "t", *(x for pair in pairs for x in pair)][::order]
    learner = ohm.Compatibility(reordered(edges, nodes))
    labels = {leaf: "a" if k < 100 else "b" for k, leaf in enumerate(leaves[:199])}
    for p, q in pairs:
        labels |= {p: "a", q: "b"}
    for node, label in labels.items():
        learner.learn_one(node, label)
    return learner, leaves


def test_a_hub_says_the_same_in_every_order_of_nodes() -> None:
    (learner, leaves), (other, _) = behind_a_hub(1), behind_a_hub(-1)
    for node in ("t", "l0", "l199", "h"):
        said = learner.predict_proba_one(node)
        assert other.predict_proba_one(node) == pytest.approx(said, abs=1e-9)
    literal = np.array([learner.ratios()[a][b] for a in "ab" for b in "ab"]).reshape(2, 2)
    prior = np.array([151.0, 150.0]) / 301
    belief = np.log(prior) + np.log(literal) @ [100, 99]
    belief = np.exp(belief - belief.max())
    share = prior * (literal @ (belief / belief.sum()))
    assert learner.predict_proba_one("t")["a"] == pytest.approx(share[0] / share.sum(), abs=1e-9)
    restored = ohm.Compatibility.restore(learner.snapshot(), learner.relations)
    assert restored.predict_proba_one("t") == learner.predict_proba_one("t")
    for k in range(60):  # corrections are taken back from the hub as well
        learner.learn_one(leaves[k], "b")
        learner.learn_one(leaves[k], "a")
    assert learner.predict_proba_one("t") == restored.predict_proba_one("t")


def test_certificates_at_the_edge_of_numbers() -> None:
    members = [ohm.LocalLGC(BARBELL), ohm.Compatibility(BARBELL)]
    trace = ohm.play(ohm.Blend(members, ohm.Majority(0.9999999999999999)), [(0, "a"), (7, "b"), (1, "a")])
    certificate = ohm.bound.best_bound(trace)
    assert certificate.proven
    assert np.isfinite(certificate.value)
    small = ohm.Blend([ohm.LocalLGC(BARBELL), ohm.Compatibility(BARBELL)], ohm.Majority(5e-324))
    assert np.isfinite(ohm.bound.best_bound(ohm.play(small, [(0, "a"), (7, "b"), (1, "a")])).value)
    with pytest.raises(OhmlineError, match="most must be"):
        ohm.Product(most=1e200)
    large = ohm.Blend([ohm.LocalLGC(BARBELL), ohm.Compatibility(BARBELL)], ohm.Product(most=1e6))
    assert ohm.bound.best_bound(ohm.play(large, [(0, "a"), (7, "b"), (1, "a")])).proven


def test_many_members_of_one_mind_may_be_wrong(tmp_path: Any) -> None:
    pair = ohm.Graph.from_edges([(0, 1)])
    members = [ohm.GivenProbabilities([[1.0, 0.0]] * 2, pair, ["a", "b"]) for _ in range(300)]
    blend = ohm.Blend(members)
    for _ in range(400):
        blend.learn_one(0, "a")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        blend.learn_one(0, "b")
    tally = blend.tally
    assert np.isfinite(tally["losses"]).all()
    assert tally["losses"][-1] > 746  # e^-746 is 0
    assert tally["own_loss"][0] < tally["losses"][:-1].min() + np.log(600) + 1e-9
    ohm.save(blend, tmp_path / "blend.ohm")
    assert equal(ohm.load(tmp_path / "blend.ohm"), blend)


@pytest.mark.parametrize("largest", [1e308, 1.7e308])
def test_weights_whose_sums_are_no_numbers(largest: float) -> None:
    edges = [(a, b, 0.25 if (a + b) % 3 else 1.0) for a in range(8) for b in range(a) if (a * b) % 4 < 3]
    plain, heavy = (
        ohm.Graph.from_edges([(a, b, w * largest if large else w) for a, b, w in edges]) for large in (0, 1)
    )
    rows = np.arange(16.0).reshape(8, 2)
    averaged = [ohm.NodeFeatures(rows, graph, averaged=True).matrix.toarray() for graph in (plain, heavy)]
    np.testing.assert_allclose(averaged[1], averaged[0], rtol=1e-9)
    for make in (
        ohm.LocalLGC,
        lambda graph: ohm.DriftingLGC(graph, trees=2),
        ohm.Compatibility,
        ohm.TypedLGC,
        lambda graph: ohm.ClusterSpecialists(graph, seed=1),
    ):
        said = []
        for graph in (plain, heavy):
            learner = make(graph)
            learner.learn_many({0: "a", 7: "b", 3: "a"})
            said.append([learner.predict_proba_one(node)["a"] for node in range(8)])
        assert said[1] == pytest.approx(said[0], abs=1e-6)
    with pytest.raises(
        OhmlineError, match=r"the weights of the edges of node 1 add up to more.*divide all weights"
    ):
        _ = ohm.Graph.from_edges([(0, 1, 1.7e308), (1, 2, 1.7e308)]).degree
    assert heavy.summary()["total_weight"] == np.inf
    tree = ohm.graph.spanning_tree(heavy, seed=1)
    assert tree.n_edges == 7


@pytest.mark.parametrize("missing", [pd.NA, pd.NaT, float("nan"), np.float64("nan"), None])
def test_what_tables_hold_where_a_label_is_missing_is_no_label(missing: Any) -> None:
    learner = ohm.LocalLGC(PATH)
    learner.learn_one(0, "a")
    before = learner.snapshot()
    assert learner.learn_many([1, 2], [missing, missing]).labels == 0
    assert ohm.play(learner, ohm.Stream([1, 2], [missing, missing])).asked == 0
    assert ohm.play(ohm.LocalManifold(), [([0.0], missing), ([1.0], missing)]).asked == 0
    assert all(np.array_equal(value, learner.snapshot()[key]) for key, value in before.items())


def test_a_label_that_refuses_to_be_compared_is_refused_by_name() -> None:
    class Stubborn:
        __hash__ = object.__hash__

        def __ne__(self, other: object) -> bool:
            raise ValueError("no")

        def __repr__(self) -> str:
            return "Stubborn()"

    with pytest.raises(LabelError, match=r"label Stubborn\(\) cannot be compared; use numbers or strings"):
        ohm.LocalLGC(PATH).learn_one(0, Stubborn())


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    "make", [ohm.LocalManifold, lambda: ohm.OnlineManifold(ohm.RBF(1.0), late_classes=True)]
)
def test_the_points_of_a_frame_are_its_rows(frame: Any, make: Any) -> None:
    points = np.random.default_rng(0).normal(size=(6, 6))  # as many rows as columns: nothing else would tell
    labels = ["a", "b"] * 3
    plain = make()
    plain.learn_many(points, labels)
    learner = make()
    learner.learn_many(frame(points), labels)
    expected = plain.predict_many(points)
    for said in (learner.predict_many(points), learner.predict_many(frame(points))):
        assert np.array_equal(said.probabilities, expected.probabilities)
    stream = ohm.Stream(frame(points), labels)
    assert ohm.play(make(), stream).mistakes == ohm.play(make(), ohm.Stream(points, labels)).mistakes
    assert all(np.array_equal(x, row) for x, row in zip(stream.nodes, points, strict=True))
