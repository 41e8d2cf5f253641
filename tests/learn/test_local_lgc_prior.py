"""LocalLGC with a prior: the product of both, kept safe, by one contract, and nothing changed by what says nothing."""

from __future__ import annotations

import copy
import pickle
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import MultinomialNB

import ohmline as ohm
from graphs import games
from ohmline.errors import LabelError, LearnerError, OhmlineError, ParameterError, ShapeError, SnapshotError
from ohmline.learn.blend.ways import Opinions

BLOCKS = ohm.graph.generate.stochastic_block_model([20] * 3, 0.02 + 0.2 * np.eye(3), seed=5)
GRAPH, TOPICS = BLOCKS.graph, np.array(list("abc"))[BLOCKS.groups]
ROWS = np.random.default_rng(1).poisson(0.1 + 0.5 * (np.arange(9)[None] % 3 == BLOCKS.groups[:, None]))
WORDS = ohm.NodeFeatures(ROWS, GRAPH)


def stream(seed: int = 0) -> ohm.Stream:
    return ohm.Stream(GRAPH.nodes, TOPICS).shuffled(seed=seed)


def pairs(seed: int = 0) -> list[tuple[Any, Any]]:
    order = np.random.default_rng(seed).permutation(GRAPH.n)
    return [(GRAPH.nodes[int(k)], str(TOPICS[k])) for k in order]


def columns(seed: int = 0, sharp: float = 3.0) -> np.ndarray:
    """Probabilities that are often right."""
    score = np.random.default_rng(seed).standard_normal((GRAPH.n, 3)) + sharp * np.eye(3)[BLOCKS.groups] / 2
    raised = np.exp(score)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def alike(one: ohm.learn.State, other: ohm.learn.State) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


class Literal:
    """The product of two members with powers fitted by AdaGrad, in a mixture with each alone, from the words of it."""

    def __init__(self) -> None:
        self.theta, self.squares = [0.5, 0.5], [1.0, 1.0]
        self.loss = [0.0, 0.0, 0.0]  # the graph, the prior, their product
        self.own = 0.0

    def opinions(self, told: list[dict[str, float]], classes: list[str]) -> list[dict[str, float]]:
        found = []
        for said in told:
            even = {c: 1 / len(classes) for c in classes}
            total = sum(said.values())
            share = {c: said.get(c, 0.0) / total for c in classes} if said else even
            found.append({c: 0.99 * share[c] + 0.01 / len(classes) for c in classes})
        return found

    def product(self, rows: list[dict[str, float]]) -> dict[str, float]:
        raised = {c: rows[0][c] ** self.theta[0] * rows[1][c] ** self.theta[1] for c in rows[0]}
        return {c: value / sum(raised.values()) for c, value in raised.items()}

    def said(self, rows: list[dict[str, float]]) -> dict[str, float]:
        three = [*rows, self.product(rows)]
        weight = [0.25 * exp(-self.loss[0]), 0.25 * exp(-self.loss[1]), 0.5 * exp(-self.loss[2])]
        return {
            c: sum(w * row[c] for w, row in zip(weight, three, strict=True)) / sum(weight) for c in rows[0]
        }

    def learn(self, rows: list[dict[str, float]], y: str) -> None:
        product = self.product(rows)
        self.own -= log(self.said(rows)[y])
        for k, row in enumerate([*rows, product]):
            self.loss[k] -= log(row[y])
        for k, row in enumerate(rows):
            slope = sum(product[c] * log(row[c]) for c in row) - log(row[y])
            self.squares[k] += slope**2
            self.theta[k] = min(max(self.theta[k] - 0.2 * slope / sqrt(self.squares[k]), 0.0), 3.0)


@pytest.mark.parametrize("declared", [True, False])
def test_it_is_the_literal_product_and_keeps_its_promise(declared: bool) -> None:
    names = list("abc") if declared else None
    graph, words, literal = ohm.LocalLGC(GRAPH, names), ohm.OnlineLogistic(WORDS, names), Literal()
    both = ohm.LocalLGC(GRAPH, names, prior=WORDS)
    met: list[str] = list("abc") if declared else []
    for t, (node, label) in enumerate(pairs()):
        told = [graph.predict_proba_one(node), words.predict_proba_one(node)]
        if met and (told[0] or told[1]):
            rows = literal.opinions(told, met)
            chances = both.predict_proba_one(node)
            if len(met) > 1:
                assert chances == pytest.approx(literal.said(rows), abs=1e-12), t
                assert both.predict_one(node) == max(met, key=lambda c: literal.said(rows)[c])
            if label in met and len(met) > 1:
                literal.learn(rows, label)
        if label not in met:
            met.append(label)
        update = both.learn_one(node, label)
        assert update.updated
        graph.learn_one(node, label)
        words.learn_one(node, label)
    tally = both.tally
    assert tally is not None
    assert both.weights == pytest.approx(literal.theta, abs=1e-10)
    assert tally["losses"] == pytest.approx(literal.loss, abs=1e-9)
    assert literal.own <= min(literal.loss[:2]) + log(4) + 1e-9
    assert literal.own <= literal.loss[2] + log(2) + 1e-9


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), sharp=st.floats(-6, 6))
def test_never_worse_than_the_better_of_the_two_by_more_than_the_bound(seed: int, sharp: float) -> None:
    both = ohm.LocalLGC(GRAPH, list("abc"), prior=columns(seed, sharp))
    trace = ohm.play(both, stream(seed))
    tally = both.tally
    assert tally is not None
    assert tally["own_loss"][0] <= tally["losses"][:2].min() + log(4) + 1e-9
    certificate = ohm.bound.best_bound(trace)
    assert certificate.proven
    assert trace.mistakes <= certificate.value


def test_a_tie_is_counted_as_it_was_said() -> None:
    """The graph's class wins a tie, and is no longer the first one."""
    learner = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1), (2, 3)]), ["a", "b"], prior=[[0.5, 0.5]] * 4)
    prior = learner._beside
    assert prior is not None
    tied = Opinions(np.array([[1], [-1]]), np.full((2, 1, 2), 0.5))
    said = int(prior.join(tied)[1][0])
    assert said == 1
    assert int(prior.learned(tied, said, 1)["own"][0]) == 0
    assert int(prior.learned(tied, said, 0)["own"][0]) == 1
    assert int(prior.learned(tied, said, -1)["own"][0]) == 1


@settings(max_examples=30)
@given(data=st.data(), named=st.booleans())
def test_a_prior_that_says_nothing_changes_no_prediction(data: st.DataObject, named: bool) -> None:
    graph, game, _ = data.draw(games(classes=3, named=named))
    names = [*sorted(set(map(str, game.labels))), "never"]
    told = ohm.Stream(game.nodes, [str(y) for y in game.labels]).label_rate(0.8)
    rows = np.full((graph.n, len(names)), 1 / len(names))
    if data.draw(st.booleans()):
        rows[::2] = np.nan
    options = {"guess": data.draw(st.booleans())}
    alone = ohm.play(ohm.LocalLGC(graph, names, **options), told)
    learner = ohm.LocalLGC(graph, names, prior=rows, **options)
    with_prior = ohm.play(learner, told)
    assert list(with_prior.predictions) == list(alone.predictions)
    fresh = ohm.LocalLGC(graph, names, **options)
    for node, label in zip(told.nodes, told.labels, strict=True):
        fresh.learn_one(node, label)
    again = ohm.LocalLGC(graph, names, prior=rows, **options)
    again.learn_many(told.nodes, told.labels)
    assert again.predict_many().predictions == fresh.predict_many().predictions


@pytest.mark.parametrize("prior", ["features", "scikit-learn", "river", "probabilities", "manifold", "graph"])
@pytest.mark.parametrize("signed", [False, True])
def test_it_plays_as_the_blend_of_both(prior: str, signed: bool) -> None:
    s, t, w = GRAPH.edges()
    graph = GRAPH
    if signed:
        flipped = np.where(BLOCKS.groups[s] == BLOCKS.groups[t], w, -w)
        edges = zip(s.tolist(), t.tolist(), flipped.tolist(), strict=True)
        graph = ohm.Graph.from_edges(edges, nodes=range(60), signed=True)
    words = ohm.NodeFeatures(ROWS, graph)

    def beside() -> Any:
        if prior == "river":
            from river.naive_bayes import MultinomialNB as RiverBayes

            return words, RiverBayes()
        if prior == "features":
            return words
        if prior == "probabilities":
            return ohm.GivenProbabilities(columns(), graph, list("abc"))
        if prior == "graph":
            return ohm.LocalLGC(graph, mu=0.05)
        return words, (MultinomialNB() if prior == "scikit-learn" else ohm.LocalManifold(30))

    both = ohm.LocalLGC(graph, prior=beside())
    names = list("abc") if prior == "probabilities" else None  # a prior brings its classes
    blend = ohm.Blend([ohm.LocalLGC(graph, names), beside()])
    one, other = ohm.play(both, stream()), ohm.play(blend, stream())
    same = [x == y for x, y in zip(one.predictions, other.predictions, strict=True)]
    assert np.mean(same[5:]) >= 0.95  # they differ where both members are even, and in ties
    assert both.weights == pytest.approx(blend.weights, abs=0.05)
    assert one.mistakes <= ohm.play(ohm.LocalLGC(graph), stream()).mistakes + 3


def test_with_queries_it_is_one_learner_like_any_other() -> None:
    for query in (ohm.GapBelow(), ohm.RandomRate(0.4), ohm.Budget(ohm.VarianceAbove(0.3), 20)):
        games = [
            ohm.play(ohm.LocalLGC(GRAPH, prior=WORDS), stream(3), query, compiled=compiled)
            for compiled in (True, False)
        ]
        assert list(games[0].predictions) == list(games[1].predictions)
        assert np.array_equal(games[0].asked_at, games[1].asked_at)
        assert 0 < games[0].asked < GRAPH.n
        assert np.array_equal(games[0].margin, games[1].margin)
    learner = ohm.LocalLGC(GRAPH, prior=WORDS)
    learner.learn_many(dict(pairs()[:9]))
    assert len(ohm.suggest(learner, k=4)) == 4
    table = learner.predict_many()
    for row in table:
        assert learner.predict_one(row.node) == row.prediction
        chances = learner.predict_proba_one(row.node)
        assert chances == pytest.approx(dict(zip(table.classes, table.probabilities[row.node], strict=True)))
        assert not row.certain
        assert learner.view_one(row.node).margin == pytest.approx(row.margin)
    assert table.calibrated
    assert table.labels is not None


def test_learn_many_is_learn_one_for_each_and_refuses_all_or_none() -> None:
    one, many = ohm.LocalLGC(GRAPH, prior=WORDS), ohm.LocalLGC(GRAPH, prior=WORDS)
    mistakes = sum(bool(one.learn_one(x, y).mistake) for x, y in pairs())
    assert many.learn_many(dict(pairs())).mistakes == mistakes
    assert alike(one.snapshot(), many.snapshot())
    before = many.snapshot()
    with pytest.raises(OhmlineError):
        many.learn_many([*GRAPH.nodes, "nobody"], ["a"] * (GRAPH.n + 1))
    with pytest.raises(OhmlineError):
        ohm.play(many, ohm.Stream([0, "nobody"], ["b", "a"]))
    assert alike(before, many.snapshot())


PRIORS: dict[str, Any] = {
    "features": lambda: WORDS,
    "pair": lambda: (WORDS, MultinomialNB()),
    "columns": lambda: ohm.GivenProbabilities(columns(), GRAPH, list("abc")),
    "blend": lambda: ohm.Blend([WORDS, (WORDS, ohm.LocalManifold(20))], ohm.Mixture()),
}


@pytest.mark.parametrize("name", PRIORS)
def test_a_snapshot_and_a_copy_are_invisible(name: str) -> None:
    first, rest = pairs(1)[:25], pairs(1)[25:]
    learner = ohm.LocalLGC(GRAPH, prior=PRIORS[name]())
    learner.learn_many(dict(first))
    state = learner.snapshot()
    again = ohm.LocalLGC.restore(state, (GRAPH, PRIORS[name]()))
    others = [again, copy.copy(learner), copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))]
    in_place = ohm.LocalLGC(GRAPH, prior=PRIORS[name]())
    in_place.codes_of(learner.classes)
    in_place.load(state)
    for other in [*others, in_place]:
        assert alike(state, other.snapshot())
    for x, y in rest:
        said = learner.predict_proba_one(x)
        for other in [*others, in_place]:
            assert other.predict_proba_one(x) == said
            other.learn_one(x, y)
        learner.learn_one(x, y)
    for other in [*others, in_place]:
        assert alike(learner.snapshot(), other.snapshot())
    back = learner.checkpoint()
    kept = learner.snapshot()
    learner.learn_one(rest[0][0], "a" if rest[0][1] != "a" else "b")
    assert not alike(kept, learner.snapshot())
    back()
    assert alike(kept, learner.snapshot())


@pytest.mark.parametrize("name", ["features", "columns", "blend"])
def test_a_file_holds_it_with_its_prior(name: str, tmp_path: Path) -> None:
    learner = ohm.LocalLGC(GRAPH, prior=PRIORS[name]())
    learner.learn_many(dict(pairs()[:20]))
    ohm.save(learner, tmp_path / "model.ohm")
    again = ohm.load(tmp_path / "model.ohm")
    assert isinstance(again, ohm.LocalLGC)
    assert type(again.prior) is type(learner.prior)
    assert alike(learner.snapshot(), again.snapshot())
    assert np.array_equal(learner.predict_proba_many(), again.predict_proba_many())
    with pytest.raises(OhmlineError, match="another library"):
        ohm.save(ohm.LocalLGC(GRAPH, prior=(WORDS, MultinomialNB())), tmp_path / "other.ohm")


def test_other_learners_restore_it_as_their_member() -> None:
    def wrapped() -> list[Any]:
        return [
            ohm.Blend([ohm.LocalLGC(GRAPH, prior=WORDS), ohm.OnlineLogistic(WORDS)]),
            ohm.ConformalSets(ohm.LocalLGC(GRAPH, prior=WORDS)),
        ]

    for learner, fresh in zip(wrapped(), wrapped(), strict=True):
        ohm.play(learner, stream())
        again = type(learner).restore(learner.snapshot(), fresh)
        assert alike(learner.snapshot(), again.snapshot())


def test_the_graph_may_grow_and_labels_be_taken_back() -> None:
    learner = ohm.LocalLGC(GRAPH, prior=WORDS)
    learner.learn_many(dict(pairs()[:30]))
    assert learner.scores_one(3) == pytest.approx(_alone().scores_one(3))
    assert learner.certain_one(3).prediction == _alone().certain_one(3).prediction
    learner.add_node("new")
    assert learner.predict_one("new") is None
    assert learner.predict_proba_one("new") == {}
    learner.add_edge("new", pairs()[0][0])
    assert learner.predict_one("new") == pairs()[0][1]
    assert learner.learn_one("new", pairs()[0][1]).mistake is False
    assert learner.predict_many().of("new").prediction == pairs()[0][1]
    learner.forget_one("new")
    assert learner.label_one("new") is None
    again = ohm.LocalLGC.restore(learner.snapshot(), (GRAPH, WORDS))
    assert alike(learner.snapshot(), again.snapshot())


def _alone() -> ohm.LocalLGC:
    learner = ohm.LocalLGC(GRAPH)
    learner.learn_many(dict(pairs()[:30]))
    return learner


def test_a_late_class_comes_in_and_a_prior_brings_its_classes() -> None:
    learner = ohm.LocalLGC(GRAPH, prior=(WORDS, SGDClassifier(loss="log_loss", random_state=0)))
    assert learner.predict_one(0) is None
    assert learner.classes == ()
    for x, y in pairs():
        assert learner.learn_one(x, y).mistake is not None
    assert set(learner.classes) == set("abc")
    assert learner.declared_classes is None
    frame = pd.DataFrame(columns(), columns=list("bca"))
    given = ohm.LocalLGC(GRAPH, prior=frame)
    assert given.declared_classes == ("b", "c", "a")
    assert isinstance(given.prior, ohm.GivenProbabilities)
    named = ohm.LocalLGC(GRAPH, ["a", "b", "c"], prior=frame)
    assert named.classes == ("a", "b", "c")
    assert given.predict_one(0) in "abc"  # before any label the prior alone speaks
    assert ohm.LocalLGC(GRAPH).prior is None
    assert ohm.LocalLGC(GRAPH).weights is None
    assert repr(ohm.LocalLGC(GRAPH, prior=WORDS)).endswith(f"prior=OnlineLogistic({WORDS!r}))")


class Half(ohm.OnlineLearner[Any, Any]):
    """Fails to learn one of the labels."""

    nodes = GRAPH.nodes

    def predict_one(self, x: Any) -> Any:
        return None

    def view_one(self, x: Any) -> ohm.learn.View[Any]:
        return ohm.learn.View(None, 0.0)

    def learn_one(self, x: Any, y: Any) -> ohm.Update:
        if y == "c":
            raise LearnerError("not this one")
        return ohm.Update(None, False, 0.0)

    def snapshot(self) -> ohm.learn.State:
        return {}

    @classmethod
    def restore(cls, state: ohm.learn.State, kernel: Any) -> Half:
        return cls()


def test_a_label_that_the_prior_refuses_changes_nothing() -> None:
    learner = ohm.LocalLGC(GRAPH, prior=Half())
    learner.learn_many({0: "a", 1: "b"})
    before = learner.snapshot()
    with pytest.raises(LearnerError, match="not this one"):
        learner.learn_one(2, "c")
    with pytest.raises(LabelError):
        learner.learn_one(2, [])
    assert alike(before, learner.snapshot())
    assert learner.classes == ("a", "b")
    assert learner.learn_one(2, "a").updated


def test_a_prior_that_does_not_fit_is_refused() -> None:
    other = ohm.Graph.from_edges([("x", "y")])
    learned = ohm.OnlineLogistic(WORDS)
    learned.learn_one(0, "a")
    half = columns()
    half[7] = [0.5, 0.5, np.nan]
    wrong: list[tuple[Any, Any, type[OhmlineError], str]] = [
        (columns()[:-1], list("abc"), ShapeError, "shape"),
        (columns()[:, :2], list("abc"), ShapeError, "shape"),
        (2 * columns(), list("abc"), ParameterError, "no distribution"),
        (columns(), None, ParameterError, "give their classes"),
        (half, list("abc"), ParameterError, "no distribution"),
        (ohm.GivenProbabilities(columns(), GRAPH, list("abc")), list("abd"), LearnerError, "declared with"),
        (ohm.OnlineLogistic(WORDS, list("ab")), list("abc"), LearnerError, "declared with"),
        (learned, None, LearnerError, "already"),
        (ohm.NodeFeatures([[1.0], [2.0]], other), None, LearnerError, "same graph"),
        (ohm.LocalLGC(other), None, LearnerError, "same graph"),
        (ohm.LocalManifold(20), None, LearnerError, "points, not nodes"),
        (MultinomialNB(), None, LearnerError, r"\(NodeFeatures\(rows, graph\), classifier\)"),
        ((MultinomialNB(), WORDS), None, LearnerError, r"give \(features, classifier\)"),
        (ohm.OnlineLogistic, None, LearnerError, "make one first"),
        ("words", None, ParameterError, "prior must be"),
        (3, None, ParameterError, "prior must be"),
    ]
    for prior, classes, error, words in wrong:
        with pytest.raises(error, match=words):
            ohm.LocalLGC(GRAPH, classes, prior=prior)
    with pytest.raises(LearnerError, match=r"learners\[1\] is the classifier"):
        ohm.Blend([ohm.LocalLGC(GRAPH), MultinomialNB()])
    assert learned.classes == ("a",)


def test_a_snapshot_of_another_prior_or_of_none_is_refused() -> None:
    learner = ohm.LocalLGC(GRAPH, prior=WORDS)
    learner.learn_many(dict(pairs()[:9]))
    state, bare = learner.snapshot(), _alone().snapshot()
    before = learner.snapshot()
    with pytest.raises(SnapshotError, match="the snapshot has a prior and the learner has none"):
        ohm.LocalLGC.restore(state, GRAPH)
    with pytest.raises(SnapshotError, match="the learner has a prior and the snapshot has none"):
        ohm.LocalLGC.restore(bare, (GRAPH, WORDS))
    with pytest.raises(SnapshotError, match="OnlineLogistic"):
        ohm.LocalLGC.restore(state, (GRAPH, (WORDS, MultinomialNB())))
    with pytest.raises(SnapshotError, match="over its Graph"):
        ohm.LocalLGC.restore(state, "graph")
    with pytest.raises(SnapshotError, match="another graph"):
        ohm.LocalLGC.restore(state, (GRAPH, ohm.NodeFeatures(ROWS + 1, GRAPH)))
    for key, value in {
        "tally.powers": np.array([0.5, -1.0]),
        "tally.losses": np.zeros(2),
        "prior/state.label": np.full(GRAPH.n, 7),
    }.items():
        with pytest.raises(SnapshotError):
            ohm.LocalLGC.restore({**state, key: value}, (GRAPH, WORDS))
        with pytest.raises(SnapshotError):
            learner.load({**state, key: value})
    assert alike(before, learner.snapshot())
    with pytest.raises(LearnerError, match="the graph alone"):
        ohm.bound.LocalLGCBound().certify(ohm.play(ohm.LocalLGC(GRAPH, prior=WORDS), stream()))
