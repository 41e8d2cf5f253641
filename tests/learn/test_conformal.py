"""Sets of labels keep their coverage on every sequence, also on the worst, and are what the paper's recursion says."""

from __future__ import annotations

import copy
from math import ceil, inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from fuzz.examples import LEARNERS
from ohmline.errors import ConflictingLabels, LabelError, LearnerError, ParameterError, SnapshotError

PATH = ohm.Graph.from_edges([(k, k + 1) for k in range(11)])


class Literal:
    """Gibbs and Candes, Eq. (2), with a sorted list of what was seen."""

    def __init__(self, coverage: float, step: float, window: int) -> None:
        self.alpha, self.step, self.window = 1 - coverage, step, window
        self.seen: list[float] = []
        self.errors: list[bool] = []

    @property
    def level(self) -> float:
        """Eq. (2) summed up: where it meets 0 or 1, step by step, rounding would decide."""
        return self.alpha + self.step * (len(self.errors) * self.alpha - sum(self.errors))

    def covers(self, chances: dict[Any, float], y: Any) -> bool:
        if self.level >= 1:
            return False
        n = len(self.seen)
        rank = ceil((n + 1) * (1 - self.level))
        if self.level <= 0 or rank > n or not chances:
            return True
        return 1 - chances.get(y, -inf) <= sorted(self.seen)[rank - 1] + 1e-9

    def learn(self, chances: dict[Any, float], y: Any) -> None:
        self.errors.append(not self.covers(chances, y))
        if chances:
            self.seen = [*self.seen, max(1 - chances.get(y, -inf), 0.0)][-self.window :]


def worst(learner: ohm.ConformalSets, node: Any, labels: list[Any], rng: np.random.Generator) -> Any:
    """A label outside of the set, where there is one."""
    said = learner.predict_set_one(node)
    outside = [y for y in labels if y not in said]
    return outside[int(rng.integers(len(outside)))] if outside else labels[int(rng.integers(len(labels)))]


def kept(learner: ohm.ConformalSets) -> bool:
    return all(abs(learner.missed_share(c) - (1 - c)) <= learner.promise(c) + 1e-12 for c in learner.coverage)


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    st.floats(0.05, 0.95),
    st.floats(0.01, 1.0),
    st.sampled_from(["random", "worst", "drift", "new", "friendly"]),
)
def test_coverage_is_kept_on_every_sequence(seed: int, coverage: float, step: float, kind: str) -> None:
    rng = np.random.default_rng(seed)
    learner = ohm.ConformalSets(ohm.LocalLGC(PATH, guess=True), coverage, step=step, window=15)
    literal = Literal(coverage, step, 15)
    for t in range(60):
        node = int(rng.integers(12))
        y: Any = {
            "random": int(rng.integers(3)),
            "worst": 0 if kind != "worst" else worst(learner, node, [0, 1, 2], rng),
            "drift": (node < 6) ^ (t // 15 % 2),
            "new": f"class {t}" if t % 3 == 0 else "old",
            "friendly": int(node < 6),
        }[kind]
        y = int(y) if isinstance(y, bool | np.bool_) else y
        chances = learner.predict_proba_one(node)
        assert (y in learner.predict_set_one(node)) == literal.covers(chances, y)
        literal.learn(chances, y)
        learner.learn_one(node, y)
        assert learner.missed_share() == pytest.approx(np.mean(literal.errors))
        assert kept(learner)


@pytest.mark.parametrize("rate", [0.3, 0.8])
def test_coverage_of_revealed_labels_is_kept_where_a_query_asks_for_some(rate: float) -> None:
    karate = ohm.data.load("karate")
    learner = ohm.ConformalSets(ohm.LocalLGC(karate.graph), [0.7, 0.9], step=0.05)
    rng = np.random.default_rng(0)
    nodes = rng.integers(karate.graph.n, size=300)
    codes = karate.codes[nodes] ^ (np.arange(300) > 150)  # all labels are swapped half way
    trace = ohm.play(
        learner, ohm.Stream([karate.graph.nodes[k] for k in nodes], codes), ohm.RandomRate(rate), seed=1
    )
    assert learner.snapshot()["labels"] == trace.asked < 300
    assert kept(learner)


class Hostile:
    """An oracle that says what is outside of the set, or, to waste coverage, always what is inside."""

    def __init__(self, learner: ohm.ConformalSets, rng: np.random.Generator, *, kind: bool) -> None:
        self.learner, self.rng, self.kind = learner, rng, kind

    def __call__(self, node: Any) -> str:
        said = self.learner.predict_set_one(node)
        wanted = [y for y in "abc" if (y in said) == self.kind]
        return wanted[int(self.rng.integers(len(wanted)))] if wanted else "a"


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.floats(0.05, 0.95), st.floats(0.01, 1.0), st.booleans())
def test_the_certificate_is_never_beaten(seed: int, coverage: float, step: float, kind: bool) -> None:
    rng = np.random.default_rng(seed)
    learner = ohm.ConformalSets(ohm.LocalLGC(PATH, "abc"), [0.5, coverage], step=step, window=15)
    nodes = rng.integers(12, size=60).tolist()
    trace = ohm.play(learner, nodes, oracle=Hostile(learner, rng, kind=kind))
    for each in (None, 0.5, coverage):
        certificate = ohm.bound.CoverageBound(each).certify(trace)
        assert certificate.proven
        assert certificate.terms["least"] <= certificate.charged <= certificate.value
        assert certificate.charged == learner.missed(each) <= learner.labels == 60
        wanted = 0.5 if each is None else each
        assert certificate.value / 60 - (1 - wanted) <= learner.promise(each) + 1e-9


def test_certificates_of_other_games_and_learners() -> None:
    stream = ohm.Stream(range(12), ["a"] * 6 + ["b"] * 6)
    taught = ohm.ConformalSets(ohm.LocalLGC(PATH))
    taught.learn_one(0, "a")
    assert not ohm.bound.CoverageBound().certify(ohm.play(taught, stream)).valid
    trace = ohm.play(ohm.ConformalSets(ohm.LocalLGC(PATH)), stream)
    with pytest.raises(ParameterError, match=r"0\.8 is none of"):
        ohm.bound.CoverageBound(0.8).certify(trace)
    with pytest.raises(LearnerError, match="about ConformalSets"):
        ohm.bound.CoverageBound().certify(ohm.play(ohm.LocalLGC(PATH), stream))
    with pytest.raises(ParameterError, match="coverage"):
        ohm.bound.CoverageBound("most")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [n for n in LEARNERS if n not in ("Halving", "ConformalSets")])
def test_every_learner_can_be_given_sets(name: str) -> None:
    member = LEARNERS[name]()
    learner = ohm.ConformalSets(member, 0.6, step=0.3, window=5)
    things: list[Any] = [0, 1, 2, 3, 4, 5]
    labels: list[Any] = [1, -1]
    if learner.nodes is None:
        things = list(np.random.default_rng(0).normal(size=(6, 2)))
    rng = np.random.default_rng(1)
    for t in range(12):
        x = things[t % 6]
        before = [learner.predict_one(each) for each in things]
        y = worst(learner, x, labels, rng)
        assert [learner.predict_one(each) for each in things] == before
        assert learner.predict_set_one(x) == learner.predict_set_many([x])[0]
        try:
            learner.learn_one(x, y)
        except ConflictingLabels:  # projections refuse a second label of a node; then nothing has changed
            assert learner.snapshot()["labels"] == t
            learner.learn_one(x, -y)
        assert kept(learner)
    again = ohm.ConformalSets.restore(learner.snapshot(), member)
    twin = copy.deepcopy(learner)
    for x in things:
        assert learner.predict_set_one(x) == again.predict_set_one(x) == twin.predict_set_one(x)


def test_the_ends_say_everything_and_nothing() -> None:
    learner = ohm.ConformalSets(ohm.LocalLGC(PATH, ["a", "b"]), 0.5, step=1.0)
    assert learner.predict_set_one(0) == ohm.LabelSet(("a", "b"), everything=True)  # no label yet
    assert "a class that nobody has seen" in learner.predict_set_one(0)
    learner.learn_one(0, "a")  # inside: the level rises from .5 to 1
    nothing = learner.predict_set_one(1)
    assert nothing == ohm.LabelSet(())
    assert len(nothing) == 0
    assert "a" not in nothing
    learner.learn_one(1, "a")  # outside: it falls to .5, and to 0 when the next is outside too
    assert learner.missed_share() == 0.5


def test_a_refused_label_changes_nothing() -> None:
    learner = ohm.ConformalSets(ohm.LocalLGC(PATH, ["a", "b"]))
    learner.learn_many({0: "a", 5: "b"})
    before = learner.snapshot()
    for x, y, error in ((99, "a", Exception), (1, "c", LabelError), (1, ["a"], LabelError)):
        with pytest.raises(error):
            learner.learn_one(x, y)
    with pytest.raises(LabelError):
        learner.learn_many({1: "a", 2: "c"})
    after = learner.snapshot()
    assert all(np.array_equal(before[key], after[key]) for key in before)
    assert learner.learn_one(3, None).mistake is None
    assert learner.snapshot()["labels"] == 2


@pytest.mark.parametrize(
    "coverage", [0, 1, 1.0, -0.1, 90, float("nan"), "0.9", None, True, [], [0.9, 0.9], [0.5, 2]]
)
def test_bad_coverage(coverage: Any) -> None:
    with pytest.raises(ParameterError, match="coverage"):
        ohm.ConformalSets(ohm.LocalLGC(PATH), coverage)


def test_bad_arguments() -> None:
    learner = ohm.ConformalSets(ohm.LocalLGC(PATH), [0.9, 0.5])
    with pytest.raises(ParameterError, match=r"0\.8 is none of \(0\.9, 0\.5\)"):
        learner.predict_set_one(0, 0.8)
    with pytest.raises(ParameterError, match="coverage"):
        learner.predict_set_many([0], "most")  # type: ignore[arg-type]
    for options in ({"step": 0}, {"step": 2}, {"window": 0}):
        with pytest.raises(ParameterError):
            ohm.ConformalSets(ohm.LocalLGC(PATH), **options)
    with pytest.raises(LearnerError):
        ohm.ConformalSets(PATH)  # type: ignore[arg-type]
    learner.learn_many({0: "a", 5: "b", 7: "b"})
    state = learner.snapshot()
    for key, bad in {
        "coverage": np.array([0.9, 1.5]),
        "step": np.array(0.0),
        "window": np.array(0),
        "missed": np.array([5, 0]),
        "labels": np.array(-1),
        "strangeness": np.array([0.5, 1.5]),
    }.items():
        with pytest.raises(SnapshotError, match=key):
            ohm.ConformalSets.restore({**state, key: bad}, ohm.LocalLGC(PATH))
