"""Learners over the features of nodes: the literal regression, other people's classifiers, and bad rows."""

from __future__ import annotations

import copy
from math import exp, sqrt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from river import naive_bayes
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB

import ohmline as ohm
from ohmline.check import Subject
from ohmline.errors import LabelError, LearnerError, OhmlineError, ParameterError, ShapeError, SnapshotError

RING = ohm.graph.generate.ring(9).graph
STREAM = ohm.Stream([0, 3, 5, 1, 8, 2, 4, 0, 7], list("abcaabbca"))


def table(n: int = 9) -> np.ndarray:
    return np.random.default_rng(n).integers(0, 3, (n, 4)).astype(float)


def rows(graph: ohm.Graph = RING) -> ohm.NodeFeatures:
    return ohm.NodeFeatures(table(graph.n), graph)


# --- rows -----------------------------------------------------------------------------------------


def test_rows_come_in_many_forms() -> None:
    plain, names = table(), list("wxyz")
    shuffled = np.random.default_rng(1).permutation(9)
    with_ids = pd.DataFrame(plain[shuffled], columns=names).assign(id=shuffled)
    for found in (
        ohm.NodeFeatures(plain, RING),
        ohm.NodeFeatures(plain.tolist(), RING),
        ohm.NodeFeatures(sparse.coo_array(plain), RING),
        ohm.NodeFeatures(sparse.csr_matrix(plain), RING),
        ohm.NodeFeatures(pd.DataFrame(plain, columns=names), RING),
        ohm.NodeFeatures(pl.DataFrame(plain, schema=names), RING),
        ohm.NodeFeatures(with_ids, RING, node="id"),
        ohm.NodeFeatures(pl.from_pandas(with_ids), RING, node="id"),
        ohm.NodeFeatures({node: plain[node] for node in range(8, -1, -1)}, RING),
    ):
        assert np.array_equal(found.matrix.toarray(), plain)
        assert found.fingerprint == rows().fingerprint
        assert found.row(3).tolist() == plain[3].tolist()


def test_averaging_is_the_mean_with_the_neighbours() -> None:
    graph = ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, 3.0)], nodes=range(4))
    plain = table(4)
    near = graph.to_scipy().toarray() / 2.0  # the mean weight is 2
    wanted = (plain + near @ plain) / (1 + near.sum(axis=1, keepdims=True))
    assert np.allclose(ohm.NodeFeatures(plain, graph, averaged=True).matrix.toarray(), wanted)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: np.zeros((4, 2)), "has 4 rows, and the graph has 9 nodes"),
        (lambda: np.zeros(9), "two dimensions"),
        (lambda: np.zeros((9, 0)), "no columns"),
        (lambda: np.full((9, 2), np.nan), "must be finite"),
        (lambda: sparse.csr_array(np.full((9, 2), np.inf)), "must be finite"),
        (lambda: np.full((9, 2), 1e200), "scale the features first"),
        (lambda: "words", "rows must"),
        (lambda: {0: [1.0]}, "has none for node 1"),
        (lambda: pd.DataFrame({"a": ["x"] * 9}), "must be numbers"),
    ],
)
def test_bad_rows_are_refused(make: Any, message: str) -> None:
    with pytest.raises(OhmlineError, match=message):
        ohm.NodeFeatures(make(), RING)


def test_bad_frames_and_large_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"id": [0, 0, *range(2, 9)], "a": np.arange(9.0)})
    with pytest.raises(ShapeError, match="names a node twice"):
        ohm.NodeFeatures(frame, RING, node="id")
    with pytest.raises(ShapeError, match="no row for node 1"):
        ohm.NodeFeatures(frame[1:], RING, node="id")
    with pytest.raises(ParameterError, match="has no column 'who'"):
        ohm.NodeFeatures(frame, RING, node="who")
    with pytest.raises(ParameterError, match="leave node out"):
        ohm.NodeFeatures(table(), RING, node="id")
    monkeypatch.setenv("OHMLINE_MEMORY", "1e-9")
    with pytest.raises(ParameterError, match="OHMLINE_MEMORY"):
        rows()


def test_entries_and_places_are_checked() -> None:
    good = {"values": [1.0, 2.0], "indices": [0, 1], "indptr": [0, 1, *[2] * 8], "graph": RING, "width": 2}
    assert ohm.NodeFeatures.of_entries(**good).row(1).tolist() == [0.0, 2.0]
    for bad in (
        {"values": None},
        {"values": [1.0]},
        {"indices": [0, 2]},
        {"indptr": [0, 2, *[1] * 8]},
        {"names": 3},
        {"names": ["a"]},
        {"width": 0},
    ):
        with pytest.raises(OhmlineError):
            ohm.NodeFeatures.of_entries(**(good | bad))
    for place in (-1, 9, None, 10**400, 0.5):
        for read in (rows().dense_at, rows().named_at):
            with pytest.raises(ParameterError, match="place must be"):
                read(place)


# --- scale ----------------------------------------------------------------------------------------


def mixed(n: int = 9) -> np.ndarray:
    """Counts, amounts, years, a rare mark and a constant."""
    rng = np.random.default_rng(3)
    mark = np.zeros(n)
    mark[2] = 4.0
    columns = (
        rng.integers(0, 9, n),
        rng.normal(900.0, 300.0, n),
        rng.normal(2010.0, 3.0, n),
        mark,
        np.full(n, 7.0),
    )
    return np.column_stack(columns)


def test_columns_of_different_scale_are_brought_to_one() -> None:
    plain = mixed()
    found = ohm.NodeFeatures(plain, RING)
    got = found.matrix.toarray()
    filled = plain[:, :3]
    assert found.scaled
    assert np.allclose(got[:, :3], (filled - filled.mean(axis=0)) / filled.std(axis=0))
    assert got[:, 3].tolist() == (plain[:, 3] / 4.0).tolist()  # a rare mark keeps its zeros
    assert not got[:, 4].any()  # a constant says what the bias says
    shifted = ohm.NodeFeatures(plain * [1e-3, 1e5, 1.0, 0.5, 2.0] + [0, -1e6, 4, 0, 1], RING).matrix.toarray()
    assert np.allclose(shifted, got)  # units do not matter
    assert np.array_equal(ohm.NodeFeatures(pd.DataFrame(plain), RING).matrix.toarray(), got)
    assert np.allclose(ohm.NodeFeatures(sparse.csr_array(plain), RING, scaled=True).matrix.toarray(), got)
    both = ohm.NodeFeatures(plain, RING, averaged=True)
    assert np.allclose(
        both.matrix.toarray(), ohm.NodeFeatures(got, RING, averaged=True, scaled=False).matrix.toarray()
    )


def test_rows_of_one_scale_words_and_pixels_stay_as_they_are() -> None:
    words = (np.random.default_rng(0).random((9, 6)) < 0.1) * 1.0
    words[0] = 1.0
    words[:, 5] = [0.0, *[1.0] * 8]  # a mark that nearly all have
    for plain, options in (
        (table(), {}),
        (words, {}),
        (16.0 * words, {}),
        (np.ones((9, 2)), {}),
        (np.zeros((9, 2)), {}),
        (mixed(), {"scaled": False}),
        (sparse.csr_array(mixed()), {}),
    ):
        found = ohm.NodeFeatures(plain, RING, **options)
        assert not found.scaled
        assert np.array_equal(found.matrix.toarray(), sparse.csr_array(plain).toarray())
    digits = ohm.data.load("digits")
    assert not ohm.NodeFeatures(digits.points, ohm.graph.generate.ring(len(digits.points)).graph).scaled
    with pytest.raises(ParameterError, match="scaled must be"):
        ohm.NodeFeatures(table(), RING, scaled="yes")


def test_counts_beside_amounts_are_learned() -> None:
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 300)
    plain = np.column_stack([rng.poisson(2 + 8 * kind), rng.lognormal(6, 1, 300), rng.normal(2010, 3, 300)])
    graph = ohm.graph.generate.ring(300).graph

    def right(scaled: bool | None) -> float:
        learner = ohm.OnlineLogistic(ohm.NodeFeatures(plain, graph, scaled=scaled))
        for node in range(60):
            learner.learn_one(node, int(kind[node]))
        return float(np.mean(np.array(learner.predict_many().predictions)[60:] == kind[60:]))

    assert right(None) == right(True) > 0.9 > 0.75 > right(False)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_measurements_are_learned_with_half_the_errors_or_fewer(load: Any) -> None:
    points, kinds = load(return_X_y=True)  # docs/guide/features.md says so
    graph = ohm.graph.generate.ring(len(points)).graph
    stream = ohm.Stream(graph.nodes, kinds).shuffled(seed=5)
    mistakes = [
        ohm.play(ohm.OnlineLogistic(ohm.NodeFeatures(points, graph, scaled=scaled)), stream).mistakes
        for scaled in (None, False)
    ]
    assert 2 * mistakes[0] < mistakes[1]


def test_a_classifier_that_takes_no_negative_entries_is_told_of_the_scale() -> None:
    learner = ohm.FeatureLearner(ohm.NodeFeatures(mixed(), RING), MultinomialNB(), ["a", "b"])
    with pytest.raises(LearnerError, match="scaled=False"):
        learner.learn_one(0, "a")
    learner = ohm.FeatureLearner(ohm.NodeFeatures(mixed(), RING, scaled=False), MultinomialNB(), ["a", "b"])
    assert learner.learn_one(0, "a").updated


def test_scaled_rows_keep_the_laws_and_travel(tmp_path: Any) -> None:
    def units(graph: ohm.Graph) -> ohm.NodeFeatures:
        return ohm.NodeFeatures(mixed(graph.n), graph)

    subject = Subject(
        lambda g: ohm.OnlineLogistic(units(g)),
        lambda s, g: ohm.OnlineLogistic.restore(s, units(g)),
        equivariant=False,
    )
    ohm.check.learner(subject, RING, STREAM)
    learner = ohm.OnlineLogistic(ohm.NodeFeatures(mixed(), RING))
    learner.learn_one(3, "a")
    ohm.save(learner, tmp_path / "m.ohm")
    again = ohm.load(tmp_path / "m.ohm")
    assert again.features.scaled
    assert again.features.fingerprint == learner.features.fingerprint


# --- our own regression ---------------------------------------------------------------------------


class Literal:
    """AdaGrad on the log loss of a softmax, as its formulas say."""

    def __init__(self, x: np.ndarray, rate: float, replays: int) -> None:
        self.x = [[*row.tolist(), 1.0] for row in x]
        self.step = rate / (1 + float(np.abs(x).sum()) / len(x))
        self.replays, self.coin = replays, 1
        self.w: dict[str, list[float]] = {}
        self.g: dict[str, list[float]] = {}
        self.labels: dict[int, str] = {}

    def chances(self, i: int) -> dict[str, float]:
        raised = {c: exp(sum(a * b for a, b in zip(w, self.x[i], strict=True))) for c, w in self.w.items()}
        return {c: value / sum(raised.values()) for c, value in raised.items()}

    def descend(self, i: int, y: str) -> None:
        for c, p in self.chances(i).items():
            for j, value in enumerate(self.x[i]):
                slope = (p - (c == y)) * value
                if slope:
                    self.g[c][j] += slope**2
                    self.w[c][j] -= self.step * slope / sqrt(self.g[c][j])

    def learn(self, i: int, y: str) -> None:
        self.w.setdefault(y, [0.0] * len(self.x[0]))
        self.g.setdefault(y, [0.0] * len(self.x[0]))
        self.descend(i, y)
        past = list(self.labels)
        if i in self.labels:
            self.labels[i] = y
        for _ in range(self.replays if past else 0):
            self.coin = (self.coin * 1103515245 + 12345) % 2**31
            again = past[(self.coin >> 8) % len(past)]
            self.descend(again, self.labels[again])
        self.labels[i] = y


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), replays=st.integers(0, 3), declared=st.booleans())
def test_the_regression_is_the_literal_one(seed: int, replays: int, declared: bool) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((9, 4)) * (rng.random((9, 4)) < 0.6)
    names = ["never", "c", "a", "b"] if declared else None
    learner = ohm.OnlineLogistic(ohm.NodeFeatures(x, RING), names, rate=2.0, replays=replays)
    literal = Literal(x, 2.0, replays)
    for _ in range(14):
        node, label = int(rng.integers(9)), str(rng.choice(list("abc")))
        told, wanted = learner.predict_proba_one(node), literal.chances(node)
        assert {c: p for c, p in told.items() if p > 0}.keys() == wanted.keys()
        assert all(abs(told[c] - wanted[c]) < 1e-9 for c in wanted)
        learner.learn_one(node, label)
        literal.learn(node, label)
    found = learner.predict_many()
    assert found.probabilities[4].tolist() == pytest.approx(list(learner.predict_proba_one(4).values()))


def test_the_regression_keeps_the_laws() -> None:
    subject = Subject(
        make=lambda g: ohm.OnlineLogistic(rows(g), replays=3),
        restore=lambda s, g: ohm.OnlineLogistic.restore(s, rows(g)),
        equivariant=False,  # rows by position
    )
    ohm.check.learner(subject, RING, STREAM.label_rate(0.8), query=ohm.Budget(ohm.Always(), 6))


def test_the_regression_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="make them with NodeFeatures"):
        ohm.OnlineLogistic(table())
    for bad in ({"rate": 0}, {"replays": -1}, {"rate": "1"}):
        with pytest.raises(ParameterError):
            ohm.OnlineLogistic(rows(), **bad)
    learner = ohm.OnlineLogistic(rows(), "ab")
    with pytest.raises(LabelError, match="'z' is not among the declared"):
        learner.learn_one(0, "z")
    free = ohm.OnlineLogistic(rows())
    free.learn_one(0, "a")
    before = free.snapshot()
    monkeypatch.setenv("OHMLINE_MEMORY", "1e-9")
    with pytest.raises(ParameterError, match="the weights of 4 features and 2 classes"):
        free.learn_one(1, "b")
    assert free.classes == ("a",)
    assert all(np.array_equal(before[k], v) for k, v in free.snapshot().items())


# --- other people's classifiers -------------------------------------------------------------------

MODELS = {
    "scikit-learn": MultinomialNB,
    "scikit-learn, descent": lambda: SGDClassifier(loss="log_loss", random_state=0),
    "river": naive_bayes.GaussianNB,
    "vectors": lambda: ohm.OnlineManifold(ohm.RBF(1.0), ohm.Buffer(20), late_classes=True),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_classifier_of_others_keeps_the_laws(name: str) -> None:
    def make(graph: ohm.Graph) -> ohm.FeatureLearner:
        return ohm.FeatureLearner(rows(graph), MODELS[name]())

    subject = Subject(make, lambda s, g: ohm.FeatureLearner.restore(s, make(g)), equivariant=False)
    ohm.check.learner(subject, RING, STREAM, query=ohm.RandomRate(0.8))


def test_scikit_learn_is_told_late_classes_as_if_they_had_been_declared() -> None:
    late, declared = ohm.FeatureLearner(rows(), MultinomialNB()), MultinomialNB()
    for x, y in list(STREAM)[:6]:
        late.learn_one(x, y)
        declared.partial_fit(table()[[x]], [y], classes=["a", "b", "c"])
    assert list(late.predict_proba_one(6).values()) == pytest.approx(declared.predict_proba(table()[[6]])[0])
    sparse_rows = ohm.NodeFeatures(sparse.csr_array(table()), RING)
    same = ohm.FeatureLearner(sparse_rows, MultinomialNB(), classes=["a", "b", "c"])
    same.learn_many([x for x, _ in list(STREAM)[:6]], [y for _, y in list(STREAM)[:6]])
    assert same.predict_proba_one(6) == pytest.approx(late.predict_proba_one(6))


class Moody:
    """A classifier that fails, or says what is no distribution, at a chosen label."""

    def __init__(self, says: Any = None, fails_at: int = 99) -> None:
        self.says, self.fails_at, self.seen = says, fails_at, 0

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> None:
        self.seen += 1
        if self.seen == self.fails_at:
            raise RuntimeError("not today")

    def predict_proba(self, X: Any) -> Any:
        return np.array([[0.25, 0.75]]) if self.says is None else np.array([self.says])

    def __repr__(self) -> str:
        return "Moody()"


def test_a_classifier_that_fails_changes_nothing() -> None:
    learner = ohm.FeatureLearner(rows(), Moody(fails_at=3), classes=["a", "b"])
    learner.learn_many([0, 1], ["a", "b"])
    before = learner.snapshot()
    with pytest.raises(LearnerError, match=r"Moody\(\) failed to learn: not today"):
        learner.learn_one(2, "a")
    assert all(np.array_equal(before[k], v) for k, v in learner.snapshot().items())
    blend = ohm.Blend([ohm.LocalLGC(RING), ohm.FeatureLearner(rows(), Moody(fails_at=3), classes=["a", "b"])])
    blend.learn_many([0, 1], ["a", "b"])
    kept = copy.copy(blend).snapshot()
    with pytest.raises(LearnerError, match="not today"):
        blend.learn_one(2, "a")
    assert all(np.array_equal(kept[k], v) for k, v in blend.snapshot().items())
    for says in ([0.5, 0.9], [np.nan, 1.0], [1.0], [-0.5, 1.5]):
        odd = ohm.FeatureLearner(rows(), Moody(says), classes=["a", "b"])
        odd._running._model = odd.model  # as after a label
        with pytest.raises(LearnerError, match=r"no distribution over 2 classes: .* GivenProbabilities"):
            odd.predict_one(0)


class Renaming(Moody):
    """A classifier whose columns stand for other classes than it was told."""

    def __init__(self, columns: list[Any]) -> None:
        super().__init__()
        self.columns = columns

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> None:
        super().partial_fit(X, y, classes)
        self.classes_ = np.array(self.columns)


@pytest.mark.parametrize("columns", [[1, 0], ["a", "b"], [0, 1, 2], [0]])
def test_columns_of_other_classes_than_were_told_are_refused(columns: list[Any]) -> None:
    told = ohm.FeatureLearner(rows(), Renaming([0, 1]), classes=["a", "b"])
    told.learn_one(0, "a")
    assert told.predict_proba_one(1) == {"a": 0.25, "b": 0.75}
    learner = ohm.FeatureLearner(rows(), Renaming(columns), classes=["a", "b"])
    learner.learn_one(0, "a")
    before = learner.snapshot()
    with pytest.raises(LearnerError, match="in classes_, and partial_fit was told the classes 0 to 1"):
        learner.predict_one(1)
    with pytest.raises(LearnerError, match="in classes_"):
        learner.learn_one(1, "b")
    assert all(np.array_equal(before[k], v) for k, v in learner.snapshot().items())


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (MultinomialNB, "got the class MultinomialNB"),
        (SGDClassifier(), "has no predict_proba"),
        (GaussianNB().fit([[0.0], [1.0]], [0, 1]), "has been fitted already"),
        (ohm.LocalLGC(RING), "learns nodes, not rows"),
        ("a model", "is no online classifier"),
    ],
)
def test_models_that_are_none(model: Any, message: str) -> None:
    with pytest.raises(LearnerError, match=message):
        ohm.FeatureLearner(rows(), model)


def test_a_snapshot_of_another_classifier_is_refused() -> None:
    state = ohm.FeatureLearner(rows(), MultinomialNB()).snapshot()
    with pytest.raises(SnapshotError, match="the classifier given is GaussianNB"):
        ohm.FeatureLearner.restore(state, (rows(), GaussianNB()))
    with pytest.raises(SnapshotError, match="restored over"):
        ohm.FeatureLearner.restore(state, RING)


# --- given probabilities --------------------------------------------------------------------------


def even() -> np.ndarray:
    return np.full((9, 3), 1 / 3)


def test_given_probabilities_keep_the_laws_and_come_from_frames() -> None:
    chances = np.random.default_rng(0).dirichlet([1.0] * 3, 9)
    chances[4] = np.nan

    def make(graph: ohm.Graph) -> ohm.GivenProbabilities:
        return ohm.GivenProbabilities(chances, graph, list("abc"))

    subject = Subject(make, lambda s, g: ohm.GivenProbabilities.restore(s, make(g)), equivariant=False)
    ohm.check.learner(subject, RING, STREAM)
    framed = ohm.GivenProbabilities(pd.DataFrame(chances, columns=list("abc")), RING)
    assert framed.fingerprint == make(RING).fingerprint
    assert framed.predict_many().predictions == [framed.predict_one(x) for x in RING.nodes]
    assert framed.predict_one(4) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p[:, :2], r"shape \(9, 2\), but there are 9 nodes and 3 classes"),
        (lambda p: p[:5], "shape"),
        (lambda p: p * 0.9, "row 0 of probabilities is .* no distribution"),
        (lambda p: p - np.array([0.5, -0.5, 0.0]), "no distribution"),
        (lambda p: np.where(np.arange(3) == 1, np.nan, p), "no distribution"),
        (lambda p: p[0], "two dimensions"),
    ],
)
def test_what_is_no_distribution_is_refused(change: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ohm.GivenProbabilities(change(even()), RING, list("abc"))
    with pytest.raises(ParameterError, match="give their classes"):
        ohm.GivenProbabilities(even(), RING)
    with pytest.raises(LabelError, match="not among the declared"):
        ohm.GivenProbabilities(even(), RING, list("abc")).learn_one(0, "z")


def test_sparse_rows_have_the_indices_that_scikit_learn_takes() -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    words = sparse.csr_array(np.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]]))
    features = ohm.NodeFeatures(words, graph)
    assert features.matrix.indices.dtype == features.matrix.indptr.dtype == np.int32
    learner = ohm.FeatureLearner(features, SGDClassifier(loss="log_loss", random_state=0))
    told = SGDClassifier(loss="log_loss", random_state=0)
    for node, label in [(0, 0), (2, 1), (1, 0), (3, 1)]:
        learner.learn_one(node, label)
    for node, label in [(0, 0), (2, 1), (1, 0), (3, 1)]:
        told.partial_fit(words[[node]], [label], classes=[0, 1])  # dense rows move its intercept further
    chances = [learner.predict_proba_one(node)[1] for node in range(4)]
    assert chances == pytest.approx(told.predict_proba(words)[:, 1])


def test_texts_are_refused_with_a_remedy() -> None:
    graph = ohm.Graph.from_edges([("a", "b")])
    with pytest.raises(ShapeError, match="TfidfVectorizer"):
        ohm.NodeFeatures({"a": "a word", "b": "two words"}, graph)


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_that_cannot_be_features_says_which_of_its_columns(library: Any) -> None:
    path = ohm.Graph.from_edges([(0, 1), (1, 2)])
    table = {"id": [2, 0, 1], "age": [3.0, 1.0, 2.0], "land": ["DE", "FR", "DE"]}
    with pytest.raises(
        ParameterError, match=r"must be numbers, and \['land'\] are not; leave texts out.*get_dummies"
    ):
        ohm.NodeFeatures(library.DataFrame(table), path, node="id")
    with pytest.raises(ParameterError, match=r"\['land'\] are not; name the column of the nodes with node="):
        ohm.NodeFeatures(library.DataFrame(table), path)
    gap = {"id": [2, 0, 1], "age": [3.0, 1.0, float("nan")]}
    with pytest.raises(ParameterError, match=r"column 'age' of the frame is nan at node 1, and 0 more"):
        ohm.NodeFeatures(library.DataFrame(gap), path, node="id")


def test_suggest_and_audit_leave_out_the_nodes_whose_labels_a_logistic_regression_knows() -> None:
    features = ohm.NodeFeatures(
        np.arange(12.0)[:, None], ohm.Graph.from_edges([(k, k + 1) for k in range(11)])
    )
    learner = ohm.OnlineLogistic(features)
    assert not learner.labelled().any()
    learner.learn_many({0: "low", 11: "high"})
    assert np.flatnonzero(learner.labelled()).tolist() == [0, 11]
    assert sorted(ohm.suggest(learner, k=12)) == list(range(1, 11))
    assert sorted(ohm.audit(learner, seed=0).predictions) == list(range(1, 11))
    assert ohm.OnlineLogistic.restore(learner.snapshot(), features).labelled().sum() == 2


def test_a_model_that_cannot_be_copied_is_refused_with_what_would_do() -> None:
    features = ohm.NodeFeatures(np.eye(3), ohm.Graph.from_edges([(0, 1), (1, 2)]))
    with pytest.raises(ParameterError, match=r"can be copied, got .*generator.*scikit-learn or river"):
        ohm.FeatureLearner(features, (k for k in range(3)))
