"""Probabilities of one node and of many come from two bodies; here they are held to each other."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.compiled import compiled
from ohmline.learn.local_lgc.chances import chances
from ohmline.learn.local_lgc.everywhere import chances_of

CLASSES = ("a", "b", "c", "d", "e")


@compiled
def one_by_one(state, rows, out):  # type: ignore[no-untyped-def]
    for a in range(rows.shape[0]):
        state.solve.score[:] = rows[a]
        chances(state, out[a])


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
def test_chances_of_many_are_those_of_each(seed: int, labels: int) -> None:
    state = taught(seed, labels).state
    learned = state.order[state.order >= 0]
    rng = np.random.default_rng([seed, labels])
    rows = np.zeros((300, len(CLASSES)))
    rows[:, learned] = rng.exponential(size=(300, len(learned))) * rng.integers(0, 2, (300, len(learned)))
    rows[:100] *= 10.0 ** rng.uniform(-300, 3, (100, 1))  # far from any label
    rows[-20:] = 0.0  # no label reaches these
    wanted = np.empty_like(rows)
    one_by_one(state, rows, wanted)
    found = chances_of(state, rows, np.zeros(300, np.int64))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=0)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


def test_dont_know_has_no_chances() -> None:
    state = taught(0, 5).state
    rows = np.ones((2, len(CLASSES)))
    found = chances_of(state, rows, np.array([-1, 0]))
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
