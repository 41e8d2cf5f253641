"""Blends: each way of joining agrees with its literal form, keeps its promise, and leaves no half of a trial."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from math import exp, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

import ohmline as ohm
from ohmline.check import Subject
from ohmline.errors import LabelError, LearnerError, OhmlineError, ParameterError, SnapshotError, UnknownNode

FIVE = ohm.Graph.from_edges([(k, k + 1) for k in range(4)])
WAYS = [ohm.Majority(), ohm.Majority(0.3), ohm.Mixture(), ohm.FixedShare(), ohm.Product()]


def bound_of(way: Any) -> Any:
    """The theorem about a way."""
    if isinstance(way, ohm.FixedShare):
        return ohm.bound.TrackingBound
    return ohm.bound.MajorityBound if isinstance(way, ohm.Majority) else ohm.bound.MixtureBound


class Scripted(ohm.OnlineLearner[Any, Any]):
    """Says what it was told to say, whatever the labels are; None for "don't know"."""

    def __init__(self, script: list[dict[str, float]], *, fails_at: int = -1) -> None:
        self.script, self.trial, self.fails_at = script, 0, fails_at
        self.nodes = FIVE.nodes

    def predict_proba_one(self, x: Any) -> dict[str, float]:
        return self.script[self.trial]

    def predict_one(self, x: Any) -> Any:
        said = self.script[self.trial]
        return max(said, key=said.__getitem__) if said else None

    def view_one(self, x: Any) -> ohm.learn.View[Any]:
        return ohm.learn.View(self.predict_one(x), 1.0)

    def learn_one(self, x: Any, y: Any) -> ohm.Update:
        if self.trial == self.fails_at:
            raise LearnerError("it fails here")
        self.trial += 1
        return ohm.Update(None, True, 1.0)

    def checkpoint(self) -> Any:
        kept = self.trial

        def put_back() -> None:
            self.trial = kept

        return put_back

    def snapshot(self) -> ohm.learn.State:
        return {"trial": np.array(self.trial)}

    @classmethod
    def restore(cls, state: ohm.learn.State, kernel: Any) -> Scripted:
        raise NotImplementedError


@st.composite
def scripts(draw: Any, classes: str = "abc") -> tuple[list[list[dict[str, float]]], list[str]]:
    """What each of several members says in each trial, and the labels."""
    members, trials = draw(st.integers(1, 4)), draw(st.integers(1, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = [str(y) for y in rng.choice(list(classes), trials)]
    skill = rng.uniform(0, 6, members)

    def row(k: int, t: int) -> dict[str, float]:
        if rng.random() < 0.15:
            return {}
        score = rng.standard_normal(len(classes)) + skill[k] * np.array([c == labels[t] for c in classes])
        if rng.random() < 0.1:  # as sure as can be
            score *= 1e3
        shares = np.exp(score - score.max())
        return dict(zip(classes, (shares / shares.sum()).tolist(), strict=True))

    return [[*(row(k, t) for t in range(trials)), {}] for k in range(members)], labels


def literal(way: Any, members: list[list[dict[str, float]]], labels: list[str]) -> Iterator[dict[str, float]]:
    """The ways as their formulas say, in plain Python; the shares before each label."""
    seen: list[str] = []
    n = len(members)
    wrong, loss = [0] * n, [0.0] * n
    product_loss, powers, squares = 0.0, [0.5] * n, [1.0] * n
    shared, scored = [1 / n] * n, 0
    for t, y in enumerate(labels):
        rows, said = [], []
        for script in members:
            told = {c: script[t].get(c, 0.0) for c in seen} if script[t] else {}
            total = sum(told.values())
            rows.append(
                {c: 0.99 * (told[c] / total if total else 1 / len(seen)) + 0.01 / len(seen) for c in seen}
            )
            best = max(script[t], key=script[t].__getitem__) if script[t] else None
            said.append(best if best in seen else None)
        silent = all(c is None for c in said)
        raised = {c: exp(sum(p * log(r[c]) for p, r in zip(powers, rows, strict=True))) for c in seen}
        product = {c: raised[c] / sum(raised.values()) for c in seen}
        if isinstance(way, ohm.Majority):
            shares = {c: sum(way.beta**m for m, s in zip(wrong, said, strict=True) if s == c) for c in seen}
        elif isinstance(way, ohm.Mixture):
            shares = {c: sum(exp(-l) * r[c] for l, r in zip(loss, rows, strict=True)) for c in seen}
        elif isinstance(way, ohm.FixedShare):
            shares = {c: sum(v * r[c] for v, r in zip(shared, rows, strict=True)) for c in seen}
        else:
            shares = {
                c: sum(exp(-l) * r[c] for l, r in zip(loss, rows, strict=True)) / (2 * n)
                + exp(-product_loss) * product[c] / 2
                for c in seen
            }
        total = sum(shares.values())
        yield {} if silent else {c: shares[c] / total for c in seen}
        wrong = [m + (s != y) for m, s in zip(wrong, said, strict=True)]
        if y in seen and not silent:
            loss = [l - log(r[y]) for l, r in zip(loss, rows, strict=True)]
            product_loss -= log(product[y])
            scored += 1
            posterior = [v * r[y] for v, r in zip(shared, rows, strict=True)]
            part = 1 / (scored + 1)
            shared = [(1 - part) * v / sum(posterior) + part / n for v in posterior]
            for i, r in enumerate(rows):
                slope = sum(product[c] * log(r[c]) for c in seen) - log(r[y])
                squares[i] += slope**2
                powers[i] = min(max(powers[i] - 0.2 * slope / squares[i] ** 0.5, 0.0), 3.0)
        seen += [] if y in seen else [y]


@pytest.mark.parametrize("way", WAYS, ids=repr)
@settings(max_examples=10)
@given(game=scripts())
def test_agrees_with_the_formulas(way: Any, game: Any) -> None:
    members, labels = game
    blend = ohm.Blend([Scripted(script) for script in members], way)
    for y, expected in zip(labels, literal(way, members, labels), strict=True):
        told = blend.predict_proba_one(0)
        assert told.keys() == expected.keys()
        assert all(abs(told[c] - expected[c]) < 1e-9 for c in expected)
        best = max(expected.values(), default=0.0)
        assert expected.get(blend.predict_one(0), 0.0) >= best - 1e-9
        blend.learn_one(0, y)


@pytest.mark.parametrize("way", WAYS, ids=repr)
@settings(max_examples=12)
@given(game=scripts())
def test_never_worse_than_the_best_member_by_more_than_the_bound(way: Any, game: Any) -> None:
    members, labels = game
    blend = ohm.Blend([Scripted(script) for script in members], way)
    trace = ohm.play(blend, ohm.Stream([0] * len(labels), labels))
    certificate = ohm.bound.best_bound(trace)
    assert certificate.valid
    assert trace.mistakes <= certificate.charged <= certificate.value
    n, tally = len(members), blend.tally
    if isinstance(way, ohm.Majority):
        wrong = [
            sum(
                not s or max(s, key=s.__getitem__) != y or y not in labels[:t]
                for t, (s, y) in enumerate(pairs)
            )
            for pairs in (list(zip(script, labels, strict=False)) for script in members)
        ]
        most = (log(n) + min(wrong) * log(1 / way.beta)) / log(2 / (1 + way.beta))
        assert trace.mistakes <= most + 1e-9
    else:
        prior = log(2 * n) if isinstance(way, ohm.Product) else log(n)
        if isinstance(way, ohm.FixedShare):  # against one member, which never switches
            prior += log(max(len(labels), 1))
        assert tally["own_loss"][0] <= tally["losses"][:n].min() + prior + 1e-9
        if isinstance(way, ohm.Product):
            assert tally["own_loss"][0] <= tally["losses"][n] + log(2) + 1e-9
            assert tally["losses"][n] <= tally["losses"][:n].min() + way.regret(tally)


@pytest.mark.parametrize("way", WAYS, ids=repr)
def test_the_bound_holds_against_an_adversary_that_knows_the_blend(way: Any) -> None:
    rng = np.random.default_rng(0)
    trials, classes = 60, "abc"
    script = [
        [*(dict(zip(classes, rng.dirichlet([0.3] * 3).tolist(), strict=True)) for _ in range(trials)), {}]
        for _ in range(3)
    ]
    blend = ohm.Blend([Scripted(each) for each in script], way)
    things, labels = [], []
    for t in range(trials):  # the label is the class that the blend believes in least, and does not predict
        told = blend.predict_proba_one(0)
        told.pop(blend.predict_one(0), None)
        y = classes[t] if t < 3 else min(told, key=told.__getitem__)
        blend.learn_one(0, y)
        things.append(0)
        labels.append(y)
    again = ohm.Blend([Scripted(each) for each in script], way)
    trace = ohm.play(again, ohm.Stream(things, labels))
    assert trace.mistakes == trials
    assert ohm.bound.best_bound(trace).value >= trace.mistakes
    found = bound_of(way)().certify(trace)
    assert found.proven
    assert found.value >= found.charged


def test_a_member_that_always_abstains_costs_little_and_alone_says_nothing() -> None:
    silent = [{}] * 11
    for way in WAYS:
        alone = ohm.Blend([Scripted(silent)], way)
        trace = ohm.play(alone, ohm.Stream([0] * 10, list("ababababab")))
        assert trace.predictions == [None] * 10
        assert ohm.bound.best_bound(trace).value >= 10
        sure = [{y: 1.0} for y in "ababababab"] + [{}]
        both = ohm.play(
            ohm.Blend([Scripted(sure), Scripted(silent)], way), ohm.Stream([0] * 10, list("ababababab"))
        )
        assert both.mistakes == 2  # the first of each class


def test_a_certificate_is_void_where_the_blend_learned_something_else() -> None:
    blend = ohm.Blend([ohm.LocalLGC(FIVE), ohm.LocalLGC(FIVE, mu=0.1)])
    blend.learn_one(0, "a")
    trace = ohm.play(blend, ohm.Stream([1, 2, 3], ["a", "b", "b"]))
    assert not ohm.bound.MixtureBound().certify(trace).valid
    with pytest.raises(LearnerError, match="about a Blend by Majority"):
        ohm.bound.MajorityBound().certify(trace)


# --- the laws, with real members ------------------------------------------------------------------


def rows(graph: ohm.Graph) -> ohm.NodeFeatures:
    table = np.random.default_rng(graph.n).integers(0, 3, (graph.n, 4))
    return ohm.NodeFeatures(table, graph)


def real(graph: ohm.Graph) -> list[Any]:
    return [ohm.LocalLGC(graph), ohm.OnlineLogistic(rows(graph), replays=2)]


@pytest.mark.parametrize("way", WAYS[1:], ids=repr)
def test_keeps_the_laws(way: Any) -> None:
    graph = ohm.graph.generate.ring(9).graph
    stream = ohm.Stream([0, 3, 5, 1, 8, 2, 4, 0, 7], list("abcaabbca")).label_rate(0.8)
    subject = Subject(
        make=lambda g: ohm.Blend(real(g), way),
        restore=lambda s, g: ohm.Blend.restore(s, real(g)),
        bound=bound_of(way),
        equivariant=False,
    )
    ohm.check.learner(subject, graph, stream, query=ohm.RandomRate(0.7))


def test_a_vote_in_compiled_loops_is_that_of_single_events() -> None:
    graph = ohm.graph.generate.ring(9).graph
    rng = np.random.default_rng(3)
    stream = ohm.Stream(rng.integers(0, 9, 60), rng.choice(list("abc"), 60)).label_rate(0.8)
    for query in (ohm.Always(), ohm.RandomRate(0.5), ohm.Budget(ohm.Always(), 7)):
        fast, slow = ohm.Blend(real(graph), ohm.Majority()), ohm.Blend(real(graph), ohm.Majority())
        for part in (stream.take(20), ohm.Stream(stream.nodes[20:], stream.labels[20:])):
            one, two = ohm.play(fast, part, query), ohm.play(slow, part, query, compiled=False)
            assert one.predictions == two.predictions
            assert np.array_equal(one.margin, two.margin)
            assert np.array_equal(one.updated, two.updated)
            assert np.array_equal(one.progress, two.progress)
            assert same(fast, slow)
    with pytest.raises(LabelError):
        ohm.play(ohm.Blend([ohm.LocalLGC(graph, "ab")], ohm.Majority()), ohm.Stream([0, 1], ["a", "z"]))


def test_binary_members_vectors_and_blends_in_blends() -> None:
    kernel = ohm.LaplacianKernel(FIVE) + ohm.Constant(1.0)
    inner = ohm.Blend([ohm.Perceptron(kernel), ohm.NearestNeighbour(FIVE)], ohm.Majority())
    blend = ohm.Blend([inner, ohm.LocalLGC(FIVE)])
    assert blend.classes == (-1, 1)
    ohm.play(blend, ohm.Stream([0, 4, 1], [1, -1, 1]))
    assert blend.predict_one(2) == 1
    with pytest.raises(LabelError, match="'red' is not among the declared"):
        blend.learn_one(0, "red")
    points = ohm.Blend([ohm.OnlineManifold(ohm.RBF(w), late_classes=True) for w in (0.3, 1.0)])
    points.learn_many([[0.0, 0.0], [1.0, 1.0], [0.1, 0.0]], ["a", "b", None])
    assert points.predict_one([0.9, 1.0]) == "b"
    assert points.predict_many([[0.1, 0.1], [1.0, 0.9]]).predictions == ["a", "b"]
    with pytest.raises(ParameterError, match="give predict_many the points"):
        points.predict_many()


def test_one_and_many_agree() -> None:
    blend = ohm.Blend(real(FIVE))
    assert blend.predict_many().codes.tolist() == [-1] * 5
    assert np.isnan(blend.predict_many().probabilities).all()
    blend.learn_many([0, 4], ["a", "b"])
    table = blend.predict_many()
    for node in FIVE.nodes:
        assert table.of(node).prediction == blend.predict_one(node)
        assert table.probabilities[node].tolist() == pytest.approx(
            list(blend.predict_proba_one(node).values())
        )
    assert blend.learn_many({1: "a", 3: "b"}).labels == 2


# --- refusals --------------------------------------------------------------------------------------


def same(a: Any, b: Any) -> bool:
    mine, yours = a.snapshot(), b.snapshot()
    return mine.keys() == yours.keys() and all(np.array_equal(mine[k], yours[k]) for k in mine)


def test_a_member_that_raises_undoes_the_trial() -> None:
    good = [{"a": 1.0}] * 4
    for order in (0, 1):
        members = [Scripted(good, fails_at=1), ohm.LocalLGC(FIVE), ohm.OnlineLogistic(rows(FIVE))]
        blend = ohm.Blend(members[order:] + members[:order])
        blend.learn_one(0, "a")
        before = copy.copy(blend)
        with pytest.raises(LearnerError, match="it fails here"):
            blend.learn_one(1, "new")
        assert same(blend, before)
        assert blend.classes == ("a",)
        with pytest.raises(LearnerError, match="it fails here"):
            blend.learn_many([2, 3], ["a", "a"])
        assert same(blend, before)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (list, "a blend of no learners"),
        (lambda: [ohm.LocalLGC], "got the class LocalLGC|must be an OnlineLearner"),
        (lambda: [FIVE], r"learners\[0\] must be an OnlineLearner"),
        (lambda: [ohm.LocalLGC(FIVE)] * 2, r"learners\[1\] is there twice"),
        (
            lambda: [ohm.LocalLGC(FIVE), ohm.OnlineManifold(ohm.RBF(1.0))],
            "over nodes and others over vectors",
        ),
        (lambda: [ohm.LocalLGC(FIVE), ohm.LocalLGC(ohm.Graph.from_edges([(0, 1)]))], "over the same graph"),
        (lambda: [ohm.LocalLGC(FIVE, "ab"), ohm.LocalLGC(FIVE, "ac")], "disagree on the classes"),
        (lambda: [ohm.LocalLGC(FIVE, "ab"), ohm.NearestNeighbour(FIVE)], "disagree on the classes"),
    ],
)
def test_members_that_do_not_fit_together(make: Any, message: str) -> None:
    with pytest.raises(OhmlineError, match=message):
        ohm.Blend(make())


def test_a_member_that_learned_other_labels_is_refused() -> None:
    old = ohm.LocalLGC(FIVE)
    old.learn_one(0, "x")
    for members in ([ohm.LocalLGC(FIVE), old], [old, ohm.LocalLGC(FIVE)], [ohm.LocalLGC(FIVE, "ab"), old]):
        with pytest.raises(LearnerError, match="it comes from other data"):
            ohm.Blend(members)
    other = ohm.LocalLGC(FIVE, mu=0.1)
    other.learn_one(0, "x")
    assert ohm.Blend([old, other]).predict_one(1) == "x"


def test_bad_parameters_nodes_and_snapshots() -> None:
    for beta in (0, 1, 1.5, "0.5", True, float("nan")):
        with pytest.raises(ParameterError, match="beta must be"):
            ohm.Majority(beta)
    with pytest.raises(ParameterError, match="most must be"):
        ohm.Product(0.5)
    with pytest.raises(ParameterError, match="way must be a Way"):
        ohm.Blend([ohm.LocalLGC(FIVE)], "product")
    blend = ohm.Blend(real(FIVE))
    with pytest.raises(UnknownNode):
        blend.learn_one("nowhere", "a")
    with pytest.raises(UnknownNode):
        blend.predict_one("nowhere")
    state = blend.snapshot()
    with pytest.raises(SnapshotError, match="of 2 members, got 1"):
        ohm.Blend.restore(state, real(FIVE)[:1])
    with pytest.raises(SnapshotError):
        ohm.Blend.restore(state, real(FIVE)[::-1])
    with pytest.raises(SnapshotError, match="which this version does not know"):
        ohm.Blend.restore({**state, "way": np.array("Wisdom")}, real(FIVE))


def test_its_table_has_the_labels_that_a_member_remembers() -> None:
    graph = ohm.graph.generate.barbell(4).graph
    given = {0: "left", 7: "right"}
    for blend in (
        ohm.relational(graph),
        ohm.Blend([rows(graph), ohm.LocalLGC(graph)]),
        ohm.Blend([ohm.relational(graph), rows(graph)]),
    ):
        blend.learn_many(given)
        assert blend.predict_many().labels == [given.get(node) for node in graph.nodes]
        assert blend.predict_many([7, 1]).labels == ["right", None]
    nobody = ohm.Blend([(rows(graph), GaussianNB()), (rows(graph), GaussianNB())])
    nobody.learn_many(given)
    assert nobody.predict_many().labels is None
