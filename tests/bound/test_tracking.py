"""TrackingBound: fixed share against sums over all sequences, random and adversarial losses, and what it rests on."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from ohmline.bound import TrackingBound
from ohmline.errors import LearnerError, ParameterError
from ohmline.learn.tracking import Followed, follow

price = TrackingBound.price


def played(table: np.ndarray) -> Followed:
    """Row t: the probability that each expert gives to label t."""
    found = Followed.fresh(table.shape[1])
    for row in table:
        follow(found, np.ascontiguousarray(row))
    return found


def chance_of(path: tuple[int, ...], experts: int) -> Fraction:
    """Of a sequence, as the docstring says."""
    found = Fraction(1, experts)
    for t, (a, b) in enumerate(pairwise(path), start=1):
        away = Fraction(1, t + 1)
        found *= (1 - away + away / experts) if a == b else away / experts
    return found


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_agrees_with_sums_over_all_sequences_in_fractions(experts: int, trials: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    exact = [[Fraction(int(rng.integers(1, 1000)), 1000) for _ in range(experts)] for _ in range(trials)]
    found = played(np.array(exact, dtype=np.float64))
    total, best = Fraction(0), None
    for path in product(range(experts), repeat=trials):
        said = chance_of(path, experts)
        for t, k in enumerate(path):
            said *= exact[t][k]
        total += said
        best = said if best is None else max(best, said)
    assert found.own_loss[0] == pytest.approx(-log(total), abs=1e-9)
    assert found.priced.min() == pytest.approx(-log(best), abs=1e-9)
    assert sum(chance_of(p, experts) for p in product(range(experts), repeat=trials)) == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(1, 80), st.integers(0, 2**32 - 1), st.booleans())
def test_never_beaten_by_any_sequence(experts: int, trials: int, seed: int, hostile: bool) -> None:
    rng = np.random.default_rng(seed)
    found = Followed.fresh(experts)
    table = np.empty((trials, experts))
    for t in range(trials):
        table[t] = (
            rng.uniform(1e-12, 1, experts) if rng.random() < 0.5 else rng.choice([1e-300, 1.0], experts)
        )
        if hostile:  # whoever is believed most is made wrong
            table[t] = 1.0
            table[t, found.weights.argmax()] = 1e-9
        follow(found, np.ascontiguousarray(table[t]))
    slack = 1e-9 * (1 + found.own_loss[0])
    assert found.sound()
    assert found.own_loss[0] <= found.priced.min() + slack
    losses = -np.log(table)
    for _ in range(20):
        after = np.flatnonzero(rng.random(trials - 1) < rng.random()) + 1
        part = np.searchsorted(
            after, np.arange(1, trials + 1)
        )  # trial t is of the part after t - 1 switches before it
        who = rng.integers(experts, size=len(after) + 1)
        for a in range(1, len(who)):  # a switch goes to another one, where there is one
            who[a] = (who[a - 1] + 1 + rng.integers(experts - 1)) % experts if experts > 1 else 0
        spent = losses[np.arange(trials), who[part]].sum()
        assert found.own_loss[0] <= spent + price(experts, trials, after.tolist()) + slack
        assert found.priced.min() <= spent + price(experts, trials, after.tolist()) + slack
    best = int(found.priced.argmin())
    assert found.sequence[best] + log(experts) <= found.priced[best] + slack


@pytest.mark.parametrize("make", ["drifting", "blend"])
def test_never_beaten_on_a_graph_by_an_adversary(make: str) -> None:
    graph = ohm.graph.generate.ring(12).graph

    def fresh() -> Any:
        if make == "drifting":
            return ohm.DriftingLGC(graph, trees=2)
        return ohm.Blend([ohm.LocalLGC(graph), ohm.ClusterSpecialists(graph, trees=2)], ohm.FixedShare())

    rng, learner, stream = np.random.default_rng(1), fresh(), []
    for _ in range(80):  # the label is the class that the learner believes in least
        node = int(rng.integers(12))
        told = learner.predict_proba_one(node)
        told.pop(learner.predict_one(node), None)
        y = min(told, key=told.__getitem__) if told and rng.random() < 0.9 else str(rng.choice(list("abc")))
        learner.learn_one(node, y)
        stream.append((node, y))
    trace = ohm.play(fresh(), stream)
    certificate = TrackingBound().certify(trace)
    assert certificate.proven
    assert trace.mistakes > 50
    assert certificate.charged <= certificate.value
    assert certificate.terms["sequence"] + certificate.terms["price"] <= certificate.value * log(2)
    assert ohm.bound.best_bound(trace).value <= certificate.value


# --- what it rests on -----------------------------------------------------------------------------


def test_without_the_share_it_is_beaten() -> None:
    """Exponential weights alone do not follow a switch: half the game each of two experts is right."""
    half = 400
    table = np.array([[0.99, 0.01]] * half + [[0.01, 0.99]] * half)
    unshared = -log(0.5 * np.exp(np.log(table).sum(axis=0)).sum() + 1e-320)
    sequence = -np.log(table.max(axis=1)).sum()
    limit = sequence + price(2, 2 * half, [half])
    assert played(table).own_loss[0] <= limit < unshared


def test_without_the_price_of_a_switch_it_is_beaten() -> None:
    table = np.array([[1.0, 1e-6], [1e-6, 1.0]] * 40)
    found = played(table)
    free = -np.log(table.max(axis=1)).sum() + log(2) + log(len(table))
    assert found.own_loss[0] > free
    assert found.own_loss[0] <= found.priced.min()


def test_with_labels_of_another_game_it_is_void() -> None:
    graph = ohm.graph.generate.ring(12).graph
    for learner in (
        ohm.DriftingLGC(graph, trees=1),
        ohm.Blend([ohm.LocalLGC(graph), ohm.LocalLGC(graph, mu=0.1)], ohm.FixedShare()),
    ):
        learner.learn_one(0, "a")
        certificate = TrackingBound().certify(ohm.play(learner, [(1, "b"), (2, "a"), (3, "b")]))
        assert not certificate.valid
        assert "no others" in str(certificate)


def test_without_the_labels_that_are_not_scored_it_is_beaten() -> None:
    """Every label is the first of its class: all mistakes, and no loss."""
    graph = ohm.graph.generate.ring(12).graph
    trace = ohm.play(ohm.DriftingLGC(graph, trees=1), [(k, f"class {k}") for k in range(12)])
    certificate = TrackingBound().certify(trace)
    assert certificate.valid
    assert trace.mistakes == 12 == certificate.terms["unscored"]
    assert certificate.terms["loss"] == 0.0
    assert certificate.value - certificate.terms["unscored"] < trace.mistakes <= certificate.value


def test_is_about_its_learners_alone() -> None:
    line = ohm.graph.generate.line(8)
    trace = ohm.play(ohm.LocalLGC(line.graph), ohm.Stream(range(8), line.labels))
    with pytest.raises(LearnerError, match="about a Blend by FixedShare"):
        TrackingBound().certify(trace)


@pytest.mark.parametrize("switches", [[0], [5], [2, 2], [3, 1], ["1"], [1.5]])
def test_a_price_of_switches_that_cannot_be(switches: Any) -> None:
    with pytest.raises(ParameterError, match="switches"):
        price(3, 5, switches)


def test_prices() -> None:
    assert price(1, 1, []) == 0.0
    assert price(4, 10, [2, 6]) == pytest.approx(3 * log(4) + log(10) + log(2) + log(6))
    with pytest.raises(ParameterError, match="experts"):
        price(0, 5, [])
    with pytest.raises(ParameterError, match="ascend"):
        price(2, 1, [1])
