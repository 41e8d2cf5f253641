"""Audits: the limit holds at every look, is what the literal bets give, and is no larger than it must be."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

import ohmline as ohm
from ohmline.bound import Audit
from ohmline.bound.auditing.bets import STAKES, TRUST, Population, most_wrong, refuted
from ohmline.errors import ConflictingLabels, LabelError, LearnerError, ParameterError, UnknownNode

ALPHA = 0.05


def literal_limit(size: int, doubts: list[float], wrong: list[int], looked: list[float], alpha: float) -> int:
    """The largest m whose bettor never got rich, by trying every m; plain Python."""
    centre = sum(doubts) / size
    variance = sum((s - centre) ** 2 for s in doubts) / size
    left_over = []
    for m in range(size + 1):
        logs = [-float(np.log(len(STAKES)))] * len(STAKES)
        rich = False
        together, spread = 0.0, TRUST * variance
        for t, (x, s) in enumerate(zip(wrong, looked, strict=True)):
            mu = (m - sum(wrong[:t])) / (size - t)
            if not 0 <= mu <= 1:
                rich = True
                break
            middle = (sum(doubts) - sum(looked[:t])) / (size - t)
            belief = min(max(together / spread, 0.0), 1.0) if spread > 0 else 0.0
            worst = 1 - mu + belief * (middle - min(doubts))
            if worst <= 0:
                rich = rich or x == 0
            else:
                z = mu - x + belief * (s - middle)
                logs = [
                    old + log1p(stake * max(z / worst, -1.0)) for old, stake in zip(logs, STAKES, strict=True)
                ]
                rich = rich or sum(map(exp, logs)) >= 1 / alpha
            together += (s - centre) * x
            spread += (s - centre) ** 2
        possible = sum(wrong) <= m <= size - (len(wrong) - sum(wrong))
        if possible and not rich:
            left_over.append(m)
    return max(left_over, default=sum(wrong))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_limit_is_that_of_the_literal_bets(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 40))
    doubts = data.draw(st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]), min_size=size, max_size=size))
    looks = data.draw(st.integers(0, size))
    wrong = data.draw(st.lists(st.integers(0, 1), min_size=looks, max_size=looks))
    alpha = data.draw(st.sampled_from([0.01, 0.05, 0.3]))
    found = most_wrong(
        Population.of(np.array(doubts)), np.array(wrong, float), np.array(doubts[:looks]), alpha
    )
    assert found == literal_limit(size, doubts, wrong, doubts[:looks], alpha)


def simulated(runs: int, size: int, share: float, guess: str, looks: int) -> tuple[int, int]:
    """In how many runs the limit was ever false to a user who looks after every label: ours, and a naive one."""
    rng = np.random.default_rng(5)
    m = int(share * size)
    truth = np.zeros(size)
    truth[:m] = 1
    doubts = {
        "none": np.zeros(size),
        "good": np.where(truth == 1, 0.6, 0.1),
        "misleading": np.where(truth == 1, 0.0, 0.9),
    }[guess]
    n = np.arange(1, looks + 1)
    ours = naive = 0
    population = Population.of(doubts)
    for _ in range(runs):
        order = rng.permutation(size)[:looks]
        wrong = truth[order]
        ours += bool(refuted(m, population, wrong, doubts[order], STAKES, TRUST, -np.log(ALPHA)))
        k = np.cumsum(wrong)
        naive += bool((beta.ppf(1 - ALPHA, k + 1, n - k) < m / size)[k < n].any())
    return ours, naive


@pytest.mark.parametrize("guess", ["none", "good", "misleading"])
@pytest.mark.parametrize("share", [0.05, 0.1, 0.4])
def test_a_user_who_looks_after_every_label_is_told_the_truth(share: float, guess: str) -> None:
    runs = 2000
    ours, naive = simulated(runs, 1000, share, guess, 500)
    slack = 3 * (ALPHA * (1 - ALPHA) / runs) ** 0.5
    assert ours / runs <= ALPHA + slack
    assert naive / runs > ALPHA + slack, (
        "an interval for one look must fail the same test, or the test shows nothing"
    )


def test_what_is_ruled_out_stays_so() -> None:
    rng = np.random.default_rng(0)
    wrong = (rng.random(200) < 0.1).astype(float)
    doubts = np.full(2000, 0.1)
    population = Population.of(doubts)
    limits = [most_wrong(population, wrong[:t], doubts[:t], ALPHA) for t in range(201)]
    assert limits[0] == 2000
    assert all(later <= before for before, later in pairwise(limits))


def test_good_guesses_tighten_the_limit() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(5000) < np.repeat([0.02, 0.5], 2500)
    doubts = np.repeat([0.02, 0.5], 2500)
    with_guesses, without = [], []
    for _ in range(20):
        order = rng.permutation(5000)[:400]
        wrong = truth[order].astype(float)
        with_guesses.append(most_wrong(Population.of(doubts), wrong, doubts[order], ALPHA))
        without.append(most_wrong(Population.of(np.zeros(5000)), wrong, np.zeros(400), ALPHA))
    assert np.mean(with_guesses) < np.mean(without) - 20


def test_labels_from_elsewhere_are_known_and_do_not_bias() -> None:
    """A query labels every wrong prediction first: the sample stays random, and what is left is counted as it is."""
    predictions = dict.fromkeys(range(500), "a")
    audit = Audit(predictions, seed=3)
    for node in range(40):
        audit.record(node, "b")
    for _ in range(100):
        audit.record(audit.next(), "a")
    limit = audit.at_most(0.95)
    assert limit.remaining == 360 == audit.remaining
    assert limit.sampled >= 100
    assert limit.found == sum(1 for node in audit._order[: limit.sampled] if node < 40)
    assert 0 <= limit.wrong < 360


def test_labelling_everything_makes_the_limit_exact() -> None:
    audit = Audit(dict.fromkeys(range(30), 1), seed=0)
    for node in range(30):
        audit.record(node, 1 if node % 3 else 2)
    assert audit.at_most() == audit.at_most(0.999999).__class__(0, 0, 0.95, 30, 10)
    assert audit.at_most().share == 0.0
    with pytest.raises(ParameterError, match="all 30 nodes of the audit are labelled"):
        audit.next()


def test_a_skipped_node_counts_as_wrong_and_the_order_waits_for_a_missing_one() -> None:
    audit = Audit(dict.fromkeys("abcdefghij", 0), seed=1)
    first, second, third = audit.batch(3)
    audit.record(third, 0)
    audit.record(second, 0)
    assert audit.at_most().sampled == 0
    assert audit.next() == first
    audit.skip(first)
    assert (audit.at_most().sampled, audit.at_most().found) == (3, 1)
    assert third not in audit.batch(100)


def test_predictions_that_changed_are_counted_as_wrong() -> None:
    predictions = dict.fromkeys(range(2000), 0)
    audit = Audit(predictions, seed=0)
    for node in audit.batch(200):
        audit.record(node, 0)
    now = {node: (1 if node < 50 else 0) for node in predictions}
    before, after = audit.at_most(), audit.at_most(predictions=now)
    changed = sum(1 for node in range(50) if node not in audit._known)
    assert after.changed == changed
    assert after.wrong == before.wrong + changed
    assert "changed since it began" in str(after)


def test_later_audits_spend_less_and_all_hold_together() -> None:
    limits = []
    for number in (None, 1, 2, 3):
        audit = Audit(dict.fromkeys(range(1000), 0), seed=0, number=number)
        for node in audit.batch(100):
            audit.record(node, 0)
        limits.append(audit.at_most().wrong)
    assert limits == sorted(limits)
    assert limits[0] < limits[1] < limits[3]
    assert sum(1 / (j * (j + 1)) for j in range(1, 10_000)) < 1


def test_the_forecast_is_what_comes_if_nothing_changes() -> None:
    rng = np.random.default_rng(2)
    truth = {node: int(rng.random() < 0.03) for node in range(4000)}
    audit = Audit(dict.fromkeys(truth, 0), seed=0)
    for node in audit.batch(200):
        audit.record(node, truth[node])
    promised = audit.forecast(200)
    assert promised.share < audit.at_most().share
    for node in audit.batch(200):
        audit.record(node, truth[node])
    assert promised.sampled == audit.at_most().sampled
    assert abs(promised.share - audit.at_most().share) < 0.02
    assert audit.forecast(10**6).sampled == 4000


def test_the_same_seed_gives_the_same_order() -> None:
    predictions = dict.fromkeys(range(50), 0)
    assert Audit(predictions, seed=4).batch(50) == Audit(predictions, seed=4).batch(50)
    assert Audit(predictions, seed=4).batch(50) != Audit(predictions, seed=5).batch(50)


def test_bad_input_changes_nothing_and_names_the_remedy() -> None:
    with pytest.raises(ParameterError, match="nothing to audit"):
        Audit({})
    with pytest.raises(ParameterError, match="predictions must be a Mapping"):
        Audit([1, 2])  # type: ignore[arg-type]
    with pytest.raises(LabelError, match="node 1 has no prediction"):
        Audit({0: "a", 1: None})
    with pytest.raises(ParameterError, match="doubt lacks node 1"):
        Audit({0: "a", 1: "a"}, doubt={0: 0.5})
    with pytest.raises(ParameterError, match="the doubt of node 0 must lie between 0 and 1"):
        Audit({0: "a"}, doubt={0: 1.5})
    audit = Audit({0: "a", 1: "b"})
    before = (audit.at_most(), audit.remaining)
    with pytest.raises(UnknownNode, match="node 7 is not audited"):
        audit.record(7, "a")
    with pytest.raises(LabelError, match="label of node 0 is missing"):
        audit.record(0, float("nan"))
    for confidence in (1.0, 1.5, "95%", float("nan")):
        with pytest.raises(ParameterError, match="confidence must"):
            audit.at_most(confidence)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="predictions lack node 1"):
        audit.at_most(predictions={0: "a"})
    assert (audit.at_most(), audit.remaining) == before
    audit.record(0, "a")
    audit.record(0, "a")
    with pytest.raises(ConflictingLabels, match="node 0 was 'a' before and is 'c' now"):
        audit.record(0, "c")


def test_a_label_of_another_type_is_a_slip_not_an_error_of_the_learner() -> None:
    audit = Audit({k: k % 2 for k in range(10)})
    with pytest.raises(LabelError, match="same type"):
        audit.record(3, "1")
    audit.record(3, 7)  # a class that nobody predicted: the prediction is wrong
    assert audit.remaining == 9


def test_a_class_that_nobody_knows_is_refused_unless_it_is_new() -> None:
    graph = ohm.Graph.from_edges([(k, (k + 1) % 60) for k in range(60)])
    check = ohm.audit(ohm.fit(graph, {0: "ml", 30: "db"}, classes=["ml", "db", "ai"]))
    node = check.next()
    with pytest.raises(LabelError, match=r"'mll'.*new_class=True"):
        check.record(node, "mll")
    assert check.next() == node  # nothing was recorded
    check.record(node, "ai")  # known, though predicted nowhere
    other = check.next()
    check.record(other, "os", new_class=True)
    check.record(check.next(), "os")  # known from now on
    assert check.at_most().found == 3


def test_what_was_withdrawn_leaves_no_trace() -> None:
    predictions = dict.fromkeys(range(50), "a")
    slipped, straight = Audit(predictions, seed=3), Audit(predictions, seed=3)
    nodes = straight.batch(20)
    for audit in (slipped, straight):
        for node in nodes[:8]:
            audit.record(node, "a")
    slipped.withdraw(nodes[2])
    assert slipped.next() == nodes[2]
    assert slipped.at_most().sampled == 2  # the later ones wait for it
    assert slipped.remaining == 43
    slipped.record(nodes[9], "b")
    slipped.record(nodes[2], "b")
    with pytest.raises(ConflictingLabels, match="withdraw"):
        slipped.record(nodes[2], "a")
    slipped.withdraw(nodes[2])
    slipped.record(nodes[2], "a")
    slipped.withdraw(nodes[9])
    assert slipped.at_most() == straight.at_most()
    assert slipped.next() == straight.next()
    slipped.skip(nodes[8])
    slipped.withdraw(nodes[8])
    assert slipped.at_most() == straight.at_most()
    for node in (nodes[9], "nobody"):
        with pytest.raises(UnknownNode, match="nothing was recorded"):
            slipped.withdraw(node)


def test_the_limit_holds_at_all_looks_where_slips_are_corrected() -> None:
    """A third of the labels is recorded wrongly first, looked at, and withdrawn: the looks after that all hold."""
    missed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = rng.random(120) < 0.2
        audit = Audit(dict.fromkeys(range(120), 0), seed=seed)
        broken = False
        for _ in range(60):
            node = audit.next()
            if rng.random() < 1 / 3:
                audit.record(node, int(not truth[node]))
                audit.at_most(0.8)
                audit.withdraw(node)
                assert audit.next() == node
            audit.record(node, int(truth[node]))
            known = [k for k in range(120) if k in audit._known]
            broken |= audit.at_most(0.8).wrong < truth.sum() - truth[known].sum()
        missed += broken
    assert missed <= 60 * 0.2 + 2 * 3.1


def test_a_forecast_reads_as_one() -> None:
    audit = Audit(dict.fromkeys(range(1000), 0), seed=0)
    for _ in range(60):
        audit.record(audit.next(), 0)
    said = str(audit.forecast(100))
    assert said.startswith("forecast: if 100 more random labels are like those so far, about 2 of 160 will")
    assert audit.forecast(100).ahead == 100
    assert "forecast" not in str(audit.forecast(0))
    assert audit.at_most().ahead == 0


def test_points_are_not_audited_through_a_learner() -> None:
    learner = ohm.LocalManifold()
    learner.learn_one([0.0, 1.0], "a")
    for labelled in (None, [0]):
        with pytest.raises(LearnerError, match=r"learns points.*ohm\.bound\.Audit"):
            ohm.audit(learner, labelled=labelled)


def test_when_all_are_known_no_new_prediction_is_asked_for() -> None:
    audit = Audit({"x": 1, "y": 2}, seed=0)
    for node, label in (("x", 1), ("y", 1)):
        audit.record(node, label)
    assert audit.at_most(predictions={}).wrong == 0
    fresh = Audit({"x": 1, "y": 2}, seed=0)
    with pytest.raises(ParameterError, match="predictions are empty"):
        fresh.at_most(predictions={})
