"""Probabilities are what the literal formulas say, of one node and of many; trust in the leader is learned."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.learn.local_lgc.chances import chances_of
from ohmline.learn.local_lgc.shares import chances_without
from ohmline.learn.local_lgc.trust import fresh_trust

CLASSES = ("a", "b", "c", "d", "e")


def literal_trust(trust: np.ndarray, z: float, votes: float, counts: np.ndarray) -> float:
    """The probability that the leader is right, as the page of `trust.py` says it."""
    share = counts[counts > 0] / counts.sum()
    entropy = -float(np.sum(share * np.log(share)))
    odds = z + trust[:3] @ [1, z, np.log((1 + votes) / 3)] + 0.15 * (entropy - 1.4)
    return 1 / (1 + np.exp(-np.clip(odds, -20, 20)))


def literal_powers(score: np.ndarray, counts: np.ndarray, powers: np.ndarray, q: float) -> np.ndarray:
    """P(c) before the correction, and before anything is kept for new classes."""
    votes = min(q * score.sum(), 30.0)
    share = (votes * score / score.sum() + 0.1 / (counts > 0).sum()) / (votes + 0.1)
    with np.errstate(divide="ignore"):
        logs = np.where(counts > 0, powers[0] * np.log(share + 0.02) + powers[1] * votes * share, -np.inf)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def literal_chances(score: np.ndarray, counts: np.ndarray, powers: np.ndarray, q: float) -> np.ndarray:
    """The probabilities, without regard to speed."""
    if score.sum() <= 0:
        return np.asarray((counts + 1) / (counts + 1).sum())
    chance = literal_powers(score, counts, powers, q)
    known = np.where(counts > 0, score, -1.0)
    best = np.flatnonzero(known == known.max())
    if len(best) == 1 and (counts > 0).sum() > 1:
        b = best[0]
        others = np.delete(chance, b)
        rest = others.sum() / chance[b]
        p = literal_trust(powers[5:], min(-np.log(rest), 20), min(q * score.sum(), 30), counts)
        p = max(p, others.max() / (others.max() + others.sum()))
        chance = np.where(np.arange(len(chance)) == b, p, chance * (1 - p) / others.sum())
    new, empty = ((counts == 1).sum() + 1) / (counts.sum() + 2), counts == 0
    if empty.any():
        new = min(new, empty.mean())
    if (counts > 0).sum() > 1:
        odds = new / (1 - new) * np.sqrt(0.05 / (0.05 + min(q * score.sum(), 30)))
        new = odds / (1 + odds)
    if not empty.any():
        return np.asarray((1 - new) * chance + new / len(counts))
    return np.asarray((1 - new) * chance + new * empty / empty.sum())


def taught(seed: int, labels: int) -> ohm.LocalLGC:
    """A learner whose sharpness has moved, and that has never heard of the last class."""
    graph = ohm.Graph.from_edges(
        [(k, (k * 7 + 3) % 60) for k in range(60)] + [(k, (k + 1) % 60) for k in range(60)]
    )
    rng = np.random.default_rng(seed)
    learner = ohm.LocalLGC(graph, CLASSES, guess=True)
    for node in rng.permutation(60)[:labels].tolist():
        learner.learn_one(node, CLASSES[int(rng.integers(4))])
    return learner


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("labels", [0, 1, 7, 40])
def test_chances_are_those_of_the_literal_formula(seed: int, labels: int) -> None:
    state = taught(seed, labels).state
    learned = state.order[state.order >= 0]
    rng = np.random.default_rng([seed, labels])
    rows = np.zeros((300, len(CLASSES)))
    rows[:, learned] = rng.exponential(size=(300, len(learned))) * rng.integers(0, 2, (300, len(learned)))
    rows[:100] *= 10.0 ** rng.uniform(-300, 3, (100, 1))  # far from any label
    rows[-20:] = 0.0  # no label reaches these
    precision = 10.0 ** rng.uniform(-1, 3, 300)
    found = chances_of(state, rows, precision, np.zeros(300, np.int64))
    wanted = [
        literal_chances(row, state.counts, state.sharpness, q) for row, q in zip(rows, precision, strict=True)
    ]
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


def test_what_is_learned_about_trust_is_the_literal_newton_step() -> None:
    graph = ohm.Graph.from_edges([(k, (k + s) % 80) for k in range(80) for s in (1, 9)])
    rng = np.random.default_rng(5)
    learner = ohm.LocalLGC(graph, guess=True)
    weights, curvature, prior = np.array([0.2, -0.2, 0.0]), np.zeros((3, 3)), np.diag([3.0, 25.0, 5.0])
    moved = 0
    for x in rng.permutation(80).tolist():
        y = "abc"[min(x // 30, 2)] if rng.random() < 0.8 else "d"
        learner.predict_one(x)
        score, counts = learner.state.solve.score.copy(), learner.state.counts.copy()
        q, powers = float(learner.state.precision[x]), learner.state.sharpness.copy()
        known = np.where(counts > 0, score, -1.0)
        best = np.flatnonzero(known == known.max(initial=-1.0))
        alone = len(best) == 1 and (counts > 0).sum() > 1
        if score.sum() > 0 and alone and y in learner.classes:
            p = literal_powers(score, counts, powers, q)[best[0]]
            votes, z = min(q * score.sum(), 30.0), np.log(p / (1 - p))
            said = literal_trust(weights, z, votes, counts)
            phi = np.array([1, z, np.log((1 + votes) / 3)])
            curvature = 0.9998 * curvature + said * (1 - said) * np.outer(phi, phi)
            right = learner.classes[best[0]] == y
            weights = weights - np.linalg.solve(prior + curvature, phi) * (said - right)
            moved += 1
        learner.learn_one(x, y)
        kept = learner.state.sharpness[5:]
        np.testing.assert_allclose(kept[:3], weights, atol=1e-9)
        np.testing.assert_allclose(kept[3:], curvature[np.triu_indices(3)], atol=1e-9)
    assert moved > 50


@pytest.mark.parametrize("seed", range(4))
def test_the_class_that_is_said_has_the_largest_probability(seed: int) -> None:
    """Also where labels are chosen against the learner, so that its trust is as low as it gets."""
    learner = taught(seed, 1)
    rng = np.random.default_rng(seed)
    for node in rng.permutation(60).tolist():
        table = learner.predict_many()
        best = table.probabilities.max(axis=1)
        said = table.probabilities[np.arange(60), table.codes]
        np.testing.assert_allclose(said, best, rtol=1e-9)
        wrong = [y for y in CLASSES[:4] if y != learner.predict_one(node)]
        learner.learn_one(node, wrong[int(rng.integers(len(wrong)))])


def test_dont_know_has_no_chances() -> None:
    state = taught(0, 5).state
    rows = np.ones((2, len(CLASSES)))
    found = chances_of(state, rows, np.ones(2), np.array([-1, 0]))
    assert np.isnan(found[0]).all()
    assert not np.isnan(found[1]).any()


def test_predictions_of_unreached_nodes_agree_one_by_one_and_all_at_once() -> None:
    far = ohm.Graph.from_edges(
        [(k, k + 1) for k in range(20)] + [(k, k + 1) for k in range(100, 1200)], nodes=None
    )
    learner = ohm.LocalLGC(far, CLASSES, guess=True)
    learner.learn_many({3: "a", 9: "b", 12: "b"})
    table = learner.predict_many(list(far.nodes))
    unreached = [row for row in table if row.node >= 100]
    assert len(unreached) == 1101
    for row in unreached[:5]:
        assert row.probability == pytest.approx(
            learner.predict_proba_one(row.node)[row.prediction], rel=1e-12
        )
        assert row.probability == pytest.approx(3 / 8)  # of counts plus one: 2, 3, 1, 1, 1


def test_a_class_without_labels_has_what_good_and_turing_keep_for_it() -> None:
    path = ohm.Graph.from_edges([(k, k + 1) for k in range(8)])
    learner = ohm.LocalLGC(path, CLASSES)
    learner.learn_many({0: "a", 8: "b", 1: "a"})

    def kept(node: int, far: float) -> float:
        """Of the chance far from all labels, what is left where the votes of `node` are heard."""
        votes = sum(learner.scores_one(node).values()) * float(learner.state.precision[node])
        odds = far / (1 - far) * np.sqrt(0.05 / (0.05 + votes))
        return float(odds / (1 + odds))

    told = learner.predict_proba_one(4)
    new = kept(4, 2 / 5)  # one of three labels is single, and one more
    assert told["c"] == told["d"] == told["e"] == pytest.approx(new / 3)
    assert told["a"] + told["b"] == pytest.approx(1 - new)
    nearer = learner.predict_proba_one(2)["c"]
    assert nearer < told["c"] < 2 / 5 / 3
    learner.learn_one(7, "b")
    assert learner.predict_proba_one(4)["c"] == pytest.approx(kept(4, 1 / 6) / 3)  # none is single any more
    late = ohm.LocalLGC(path)
    late.learn_many({0: "a", 8: "b"})
    assert sum(late.predict_proba_one(4).values()) == pytest.approx(1.0)
    assert min(late.predict_proba_one(1).values()) >= 0.01


def test_chances_without_a_label_are_those_before_it() -> None:
    learner = taught(3, 30)
    free = [x for x in learner.nodes if learner.label_one(x) is None][:6]
    for node in free:
        learner.refine(1e-12)
        powers = learner.state.sharpness.copy()
        before = learner.predict_proba_one(node)
        learner.learn_one(node, "b")
        learner.state.sharpness[:] = powers
        after = chances_without(learner, node)
        assert list(after.values()) == pytest.approx(list(before.values()), abs=0.01)
        learner.forget_one(node)


def test_old_snapshots_keep_their_power() -> None:
    learner = taught(1, 20)
    old = {**learner.snapshot(), "state.sharpness": np.array([2.5, 40.0])}
    restored = ohm.LocalLGC.restore(old, learner.graph)
    np.testing.assert_array_equal(restored.state.sharpness, [2.5, 0, 40, 0, 0, *fresh_trust()])
    five = {**old, "state.sharpness": np.array([2.5, 1, 40, 0, 3])}
    restored = ohm.LocalLGC.restore(five, learner.graph)
    np.testing.assert_array_equal(restored.state.sharpness, [2.5, 1, 40, 0, 3, *fresh_trust()])


@pytest.mark.parametrize(
    "powers",
    [
        [-1.0, 0, 0, 0, 0],
        [1, 21.0, 0, 0, 0],
        [1, 1, -1.0, 0, 0],
        [1, 1, 1.0, 2.0, 1.0],
        [-1.0, 2.0],
        [1, 1, 0, 0, 0, 6.0, 0, 0, 0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0.0, 0, 0, 1, 2, 0, 1, 0, 1],
        [1, 1, 0, 0, 0, 0.0, 0, 0, -1, 0, 0, 1, 0, 1],
        [1, 1, 0, 0, 0, np.nan, 0, 0, 1, 0, 0, 1, 0, 1],
        [1, 1, 0, 0, 0, 0.0, 0, 0],
    ],
)
def test_powers_that_cannot_be_are_refused(powers: list[float]) -> None:
    learner = taught(1, 20)
    before = learner.state.sharpness.copy()
    with pytest.raises(ohm.OhmlineError, match="sharpness"):
        learner.load({**learner.snapshot(), "state.sharpness": np.array(powers)})
    np.testing.assert_array_equal(learner.state.sharpness, before)


def test_two_labels_of_one_class_do_not_make_it_certain() -> None:
    """Other classes may come; and far from all labels little is known about those there are."""
    path = ohm.Graph.from_edges([(k, k + 1) for k in range(200)])
    learner = ohm.LocalLGC(path, ["a", "b"], guess=True)
    learner.learn_many({0: "a", 1: "a"})
    assert learner.predict_proba_one(2)["b"] == pytest.approx(1 / 4)
    learner = ohm.LocalLGC(path, guess=True)
    learner.learn_many({0: "a", 1: "a", 100: "b", 101: "b", 150: "b"})
    near, far = (learner.predict_proba_one(x)["a"] for x in (2, 20))
    assert near > far > 0.5
