"""LocalLGC that keeps the few largest classes of each node: against a dense estimate that is cut by the same rule."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import usual_mu
from ohmline.errors import LabelError, LearnerError, OhmlineError, ParameterError, SnapshotError
from ohmline.learn.local_lgc.few import every

RIDGE = 0.1
CLASSES = ["a", "b", "c", "d", "e", "f"]


def uneven(n: int, seed: int, links: int = 3) -> ohm.Graph:
    """A random graph no two weights of which are alike, so that no two values are; it may be in several pieces."""
    rng = np.random.default_rng(seed)
    pairs = {(int(min(a, b)), int(max(a, b))) for a, b in rng.integers(n, size=(links * n, 2)) if a != b}
    return ohm.Graph.from_edges([(a, b, float(rng.random() + 0.1)) for a, b in sorted(pairs)], nodes=range(n))


def table(learner: ohm.LocalLGC) -> np.ndarray:
    """The estimate with every class."""
    return every(learner.state.estimate, len(learner.nodes), len(learner.classes)).copy()


class Ledger:
    """Graph and labels as they are now, with the exact solution of their Q f = b, written as it is read."""

    def __init__(self, graph: ohm.Graph) -> None:
        self.n = graph.n
        self.edges = {
            (int(a), int(b)): float(w) for a, b, w in zip(*graph.edges(), strict=True)
        }  # nodes are called by their positions
        self.unit, self.mu = float(graph.weights.mean()), usual_mu(graph)
        self.labels: dict[int, str] = {}

    def system(self) -> tuple[np.ndarray, np.ndarray]:
        q, b = RIDGE * np.eye(self.n), np.zeros((self.n, len(CLASSES)))
        for (i, j), w in self.edges.items():
            q[[i, j], [j, i]] -= w / self.unit
            q[[i, j], [i, j]] += w / self.unit
        for i, y in self.labels.items():
            q[i, i] += 1 / self.mu
            b[i, CLASSES.index(y)] = 1 / self.mu
        return q, b

    def exact(self) -> np.ndarray:
        return np.linalg.solve(*self.system())


def live(ledger: Ledger, learners: list[ohm.LocalLGC], rng: np.random.Generator, steps: int) -> str:
    """A random life of learners that do the same: labels learned, corrected, withdrawn, nodes and edges added."""
    last = ""
    for _ in range(steps):
        x, last = int(rng.integers(ledger.n)), ["learn", "learn", "forget", "node", "edge"][rng.integers(5)]
        if last == "learn":
            y = CLASSES[int(rng.integers(len(CLASSES)))]
            if x in ledger.labels:
                last = "correct" if ledger.labels[x] != y else "nothing"
            ledger.labels[x] = y
            for learner in learners:
                learner.learn_one(x, y)
        elif last == "forget" and not ledger.labels:
            last = "nothing"
        elif last == "forget":
            x = sorted(ledger.labels)[int(rng.integers(len(ledger.labels)))]
            del ledger.labels[x]
            for learner in learners:
                learner.forget_one(x)
        elif last == "node":
            for learner in learners:
                learner.add_node(ledger.n)
            ledger.n += 1
        elif last == "edge":
            z = int(rng.integers(ledger.n))
            pair, weight = (min(x, z), max(x, z)), float(rng.random() + 0.1)
            last = "edge" if x != z and pair not in ledger.edges else "nothing"
            if last == "edge":
                ledger.edges[pair] = weight
                for learner in learners:
                    learner.add_edge(x, z, weight)
    return last


def cut(row: np.ndarray, kept: int) -> None:
    """Only the largest stay."""
    row[np.argsort(row)[: max(len(row) - kept, 0)]] = 0.0


@settings(max_examples=25)
@given(
    st.integers(2, 14),
    st.integers(0, 2**32 - 1),
    st.integers(1, 7),
    st.sampled_from([1e-9, 0.01, 0.2]),
    st.sampled_from([0, 2]),
)
def test_every_trial_is_that_of_a_dense_estimate_cut_by_the_same_rule(
    n: int, seed: int, kept: int, tolerance: float, sweeps: int
) -> None:
    graph, rng = uneven(n, seed), np.random.default_rng(seed)
    if not len(graph.indices):
        return
    learner = ohm.LocalLGC(graph, CLASSES, classes_kept=kept, tolerance=tolerance, sweeps=sweeps)
    ledger, f = Ledger(graph), np.zeros((n, len(CLASSES)))
    for done, t in enumerate(rng.permutation(n).tolist()):
        q, b = ledger.system()
        scores = np.array(list(learner.scores_one(t).values()))
        x, r = (learner.state.nodes[name][:n].copy() for name in ("x", "r"))
        np.testing.assert_allclose(scores, b.T @ x + f.T @ r, atol=1e-12)
        y = int(rng.integers(len(CLASSES)))
        learner.learn_one(t, CLASSES[y])
        x, r = (learner.state.nodes[name][:n].copy() for name in ("x", "r"))  # it may have gone on
        if sweeps and done in (1, 2, 4, 8):
            for j in [*range(n), *reversed(range(n))]:
                f[j] = np.minimum((b[j] - q[j] @ f + q[j, j] * f[j]) / q[j, j], 1.0)
                cut(f[j], kept)
        score = b.T @ x + f.T @ r
        f[t] = score
        cut(f[t], kept)
        move = (np.eye(len(CLASSES))[y] - score) / (ledger.mu + x[t])
        for j in np.flatnonzero(x):
            f[j] = np.clip(f[j] + x[j] * np.where((f[j] > 0) | (move > 0), move, 0.0), 0.0, 1.0)
            cut(f[j], kept)
        ledger.labels[t] = CLASSES[y]
        np.testing.assert_allclose(table(learner), f, atol=1e-12)
        assert ((f > 0).sum(axis=1) <= kept).all()


@settings(max_examples=20)
@given(st.integers(2, 9), st.integers(0, 2**32 - 1), st.sampled_from([0, 2]), st.booleans())
def test_with_room_for_every_class_nothing_differs_by_a_bit(
    n: int, seed: int, sweeps: int, declared: bool
) -> None:
    graph, rng = uneven(n, seed), np.random.default_rng(seed)
    options: dict[str, Any] = {"sweeps": sweeps, "classes": CLASSES if declared else None}
    full, few = ohm.LocalLGC(graph, **options), ohm.LocalLGC(graph, classes_kept=6, **options)
    ledger = Ledger(graph) if len(graph.indices) else None
    if ledger is None:
        return
    live(ledger, [full, few], rng, 25)
    np.testing.assert_array_equal(table(full), table(few))
    for x in range(ledger.n):
        assert full.view_one(x) == few.view_one(x)
        assert full.scores_one(x) == few.scores_one(x)
        assert full.predict_proba_one(x) == few.predict_proba_one(x)
        assert full.certain_one(x) == few.certain_one(x)
        assert full.variance_one(x) == few.variance_one(x)
    ours, theirs = full.predict_many(), few.predict_many()
    np.testing.assert_array_equal(ours.codes, theirs.codes)
    np.testing.assert_array_equal(ours.probabilities, theirs.probabilities)
    np.testing.assert_array_equal(full.exact_many().scores, few.exact_many().scores)
    full.refine(1e-9)
    assert few.refine(1e-9) <= 2e-9 * max(1.0, float(np.diag(ledger.system()[0]).max()))
    np.testing.assert_array_equal(table(full), table(few))


@settings(max_examples=25)
@given(st.integers(3, 10), st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 30))
def test_what_is_promised_of_rows_with_holes(n: int, seed: int, kept: int, steps: int) -> None:
    graph, rng = uneven(n, seed), np.random.default_rng(seed)
    if not len(graph.indices):
        return
    learner, ledger = ohm.LocalLGC(graph, CLASSES, classes_kept=kept, tolerance=0.01), Ledger(graph)
    last = live(ledger, [learner], rng, steps)
    exact, f = ledger.exact(), table(learner)
    assert ((f > 0).sum(axis=1) <= kept).all()
    assert f.min() >= 0
    assert f.max() <= 1
    if last in ("correct", "forget", "edge"):
        assert (f <= exact + 0.01 + 1e-12).all()
    for t in range(ledger.n):
        scores = np.array(list(learner.scores_one(t).values()))
        assert np.abs(scores - exact[t]).max() <= learner.state.solve.found[0]["residual"] + 1e-12
        assert (scores[exact[t] == 0] == 0).all()
        found = learner.certain_one(t)
        if found.certain:
            best = CLASSES.index(found.prediction)
            assert exact[t, best] - np.delete(exact[t], best).max() >= found.lead - 1e-12
    reached = learner.refine(1e-9)
    f = table(learner)
    assert (f <= exact + 1e-9 + 1e-12).all()
    assert np.abs(f - exact).max() <= reached <= 1.0
    q, b = ledger.system()
    for c in range(len(CLASSES)):  # what is kept solves its own equations
        there = np.flatnonzero(f[:, c] > 0)
        alone = np.linalg.solve(q[np.ix_(there, there)], b[there, c])
        np.testing.assert_allclose(f[there, c], alone, atol=2e-9)


@settings(max_examples=10)
@given(st.integers(3, 9), st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_certificates_do_not_rest_on_what_is_kept(n: int, seed: int, kept: int) -> None:
    graph, rng = uneven(n, seed), np.random.default_rng(seed)
    if not len(graph.indices):
        return
    full, few = ohm.LocalLGC(graph, CLASSES), ohm.LocalLGC(graph, CLASSES, classes_kept=kept)
    live(Ledger(graph), [full, few], rng, 20)
    for x in full.nodes:
        ours, theirs = full.certain_one(x), few.certain_one(x)
        assert (ours.certain, ours.lead) == (theirs.certain, theirs.lead)
        assert (ours.variance, ours.variance_at_most) == (theirs.variance, theirs.variance_at_most)
        assert ours.prediction == theirs.prediction or not ours.certain
    np.testing.assert_allclose(full.exact_many().scores, few.exact_many().scores, atol=1e-4)
    for learner in (full, few):
        said, exact = learner.predict_many(), few.exact_many()
        right = np.asarray(said.codes) == exact.scores.argmax(axis=1)
        assert right[np.asarray(said.certain)].all()


def trained(kept: int = 2, n: int = 40, **options: Any) -> tuple[ohm.LocalLGC, ohm.Graph]:
    graph, rng = uneven(n, 3), np.random.default_rng(0)
    learner = ohm.LocalLGC(graph, classes_kept=kept, **options)
    for x in rng.permutation(n)[: n // 2].tolist():
        learner.learn_one(x, CLASSES[x % 6])
    return learner, graph


def same(one: ohm.LocalLGC, other: ohm.LocalLGC) -> bool:
    return all(one.view_one(x) == other.view_one(x) for x in one.nodes) and np.array_equal(
        table(one), table(other)
    )


def test_snapshots_copies_and_games_that_are_put_back() -> None:
    learner, graph = trained()
    saved = learner.snapshot()
    assert saved["state.estimate"].shape == saved["state.kept"].shape == (40, 2)
    twin = ohm.LocalLGC.restore(saved, graph)
    assert twin.classes_kept == 2
    assert "classes_kept=2" in repr(twin)
    for other in (twin, copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        assert same(learner, other)
    put_back = learner.checkpoint()
    learner.learn_one(int(np.flatnonzero(~learner.labelled())[0]), "a class of its own")
    learner.forget_one(int(np.flatnonzero(learner.labelled())[0]))
    assert not same(learner, twin)
    put_back()
    assert same(learner, twin)

    def refuse(x: Any) -> Any:
        raise KeyError(x)

    with pytest.raises(KeyError):
        ohm.play(learner, np.flatnonzero(~learner.labelled())[:5].tolist(), ohm.Always(), oracle=refuse)
    assert same(learner, twin)
    live_on = np.random.default_rng(5)
    for x in live_on.permutation(40)[:20].tolist():
        for each in (learner, twin):
            each.learn_one(x, CLASSES[x % 5])
    assert same(learner, twin)


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("state.kept", lambda a: a + 10),
        ("state.kept", lambda a: np.where(a >= 0, 0, a)),
        ("state.kept", lambda a: np.full_like(a, -1)),
        ("state.kept", lambda a: a[:, :1]),
        ("state.kept", lambda a: a.astype(float)),
        ("state.estimate", lambda a: np.zeros_like(a)),
        ("state.estimate", lambda a: a * 3),
        ("state.estimate", lambda a: np.full_like(a, np.nan)),
        ("state.estimate", lambda a: a[:, :1]),
        ("classes_kept", lambda a: np.array(0)),
        ("classes_kept", lambda a: np.array(3)),
        ("classes_kept", lambda a: np.array(-2)),
        ("classes_kept", lambda a: np.array("two")),
    ],
)
def test_a_damaged_snapshot_is_refused_and_changes_nothing(key: str, change: Any) -> None:
    learner, graph = trained()
    saved = learner.snapshot()
    damaged = {**saved, key: change(saved[key])}
    with pytest.raises(SnapshotError):
        ohm.LocalLGC.restore(damaged, graph)
    twin = copy.deepcopy(learner)
    with pytest.raises(SnapshotError):
        learner.load(damaged)
    assert same(learner, twin)


def test_a_snapshot_of_all_classes_is_not_one_of_few() -> None:
    learner, graph = trained(classes=CLASSES)
    full = ohm.LocalLGC(graph, CLASSES)
    full.learn_one(0, "a")
    before = copy.deepcopy(learner)
    with pytest.raises(SnapshotError, match="classes_kept"):
        learner.load(full.snapshot())
    with pytest.raises(SnapshotError, match="classes_kept"):
        full.load(learner.snapshot())
    assert same(learner, before)
    older = full.snapshot()
    del older["classes_kept"]
    assert ohm.LocalLGC.restore(older, graph).classes_kept is None


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "8", np.nan, [3], 1001, 10**10])
def test_what_is_no_number_of_classes_is_refused(wrong: Any) -> None:
    with pytest.raises(
        ParameterError, match=r"classes_kept must be a whole number of at (least 1|most 1000)"
    ):
        ohm.LocalLGC(uneven(5, 0), classes_kept=wrong)


def test_signed_graphs_keep_every_class() -> None:
    graph = ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, -1.0)], signed=True)
    with pytest.raises(ParameterError, match="without signs"):
        ohm.LocalLGC(graph, classes_kept=2)


def test_too_many_places_are_refused_before_any_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = uneven(5, 0)
    monkeypatch.setenv("OHMLINE_MEMORY", "0.00001")
    with pytest.raises(OhmlineError, match="1000 are kept"):
        ohm.LocalLGC(graph, classes_kept=1000)


def test_refusals_change_nothing() -> None:
    learner, _ = trained(classes=CLASSES)
    twin = copy.deepcopy(learner)
    with pytest.raises(LabelError):
        learner.learn_one(0, "unheard of")
    with pytest.raises(LearnerError, match="no label"):
        learner.forget_one(int(np.flatnonzero(~learner.labelled())[0]))
    assert same(learner, twin)


def test_many_late_classes_and_a_class_that_goes() -> None:
    graph = ohm.Graph.from_edges([(k, k + 1) for k in range(59)])
    learner = ohm.LocalLGC(graph, classes_kept=3)
    for x in range(60):
        learner.learn_one(x, f"class {x}")
    assert len(learner.classes) == 60
    assert (table(learner) > 0).sum(axis=1).max() <= 3
    for x in range(0, 60, 2):
        learner.forget_one(x)
        assert learner.scores_one(x)[f"class {x}"] == 0.0
    assert learner.predict_one(0) == "class 1"


def test_an_audited_game_and_a_prior() -> None:
    graph = uneven(60, 1)
    labels = np.array([CLASSES[k % 6] for k in range(60)])
    trace = ohm.play(ohm.LocalLGC(graph, classes_kept=2), ohm.Stream(range(60), labels).shuffled(seed=0))
    assert trace.mistakes <= ohm.bound.LocalLGCBound().certify(trace).value
    numbers = np.random.default_rng(0).random((60, 3))
    words = ohm.NodeFeatures(numbers, graph)
    both = ohm.LocalLGC(graph, classes_kept=2, prior=words)
    both.learn_many(range(30), labels[:30].tolist())
    assert both.predict_one(31) in CLASSES
    restored = ohm.LocalLGC.restore(both.snapshot(), (graph, ohm.NodeFeatures(numbers, graph)))
    assert restored.predict_proba_one(31) == both.predict_proba_one(31)
