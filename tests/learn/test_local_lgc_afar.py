"""What the whole graph's labels add to the scores of all nodes, beside a dense inverse and the formula as printed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.learn.local_lgc import afar
from ohmline.learn.local_lgc.afar import MANY, VOTES, add_votes
from ohmline.learn.local_lgc.everywhere import swept


def taught(seed: int, n: int = 120, classes: int = 3, labels: int = 7, parts: int = 1) -> ohm.LocalLGC:
    """A learner over a random weighted graph, in so many pieces of which the last has no label."""
    rng = np.random.default_rng(seed)
    piece = np.arange(n) * parts // n
    edges = {}
    for _ in range(3 * n):
        u, v = rng.choice(np.flatnonzero(piece == piece[rng.integers(n)]), 2, replace=False).tolist()
        edges[min(u, v), max(u, v)] = float(10 ** rng.uniform(-1, 1)) if seed % 2 else 1.0
    graph = ohm.Graph.from_edges([(u, v, w) for (u, v), w in sorted(edges.items())], nodes=range(n))
    learner = ohm.LocalLGC(graph, classes=range(classes))
    for place, node in enumerate(
        rng.permutation(n * (parts - 1) // parts if parts > 1 else n)[:labels].tolist()
    ):
        learner.learn_one(node, place % classes)
    return learner


def oracle(learner: ohm.LocalLGC, scores: np.ndarray) -> np.ndarray:
    """The formula, node by node and class by class, over a dense inverse."""
    n, classes = scores.shape
    weights = learner.graph.adjacency.toarray() / learner.unit
    precision = np.diag(weights.sum(axis=1)) - weights + learner.ridge * np.eye(n)
    wanted, counts = np.zeros((n, classes)), np.zeros(classes)
    for j in range(n):
        label = learner.label_one(j)
        if label is not None:
            precision[j, j] += 1 / learner.mu
            wanted[j, label] = 1 / learner.mu
            counts[label] += 1
    field = np.linalg.solve(precision, wanted)
    base = field.sum(axis=0) / field.sum()
    known, labels = int((counts > 0).sum()), counts.sum()
    few, out = 1 - labels / (0.1 * n), scores.copy()
    for j in range(n):
        if field[j].sum() < 1e-12:
            continue
        for c in range(classes):
            if counts[c] > 0:
                often = (counts[c] + 1) / (labels + known)
                excess = max(field[j, c] / field[j].sum() - base[c], 0.0)
                deviation = np.sqrt(base[c] * (1 - base[c]) / (known - 1))
                out[j, c] += 2.0 * few * often * excess / deviation / precision[j, j]
        out[j] *= max(field[j].sum(), scores[j].sum()) / out[j].sum()
    return out


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_formula(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(afar, "NEAR", 1e-6)
    learner = taught(seed, classes=2 + seed % 4, parts=1 + seed // 4)
    if seed == 3:  # a class that had labels once
        for node in range(120):
            if learner.label_one(node) == 1:
                learner.forget_one(node)
    scores = swept(learner.space, learner.state, len(learner.classes))
    wanted, before = oracle(learner, scores), scores.copy()
    add_votes(learner.space, learner.state, scores)
    np.testing.assert_allclose(scores, wanted, atol=2e-5)
    assert np.abs(scores - before).max() > 1e-3
    assert (scores >= 0).all()
    assert (scores.sum(axis=1) <= 1 + 1e-9).all()


def test_nothing_is_added_where_labels_are_many_or_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def moved(learner: ohm.LocalLGC) -> bool:
        scores = swept(learner.space, learner.state, len(learner.classes))
        before = scores.copy()
        add_votes(learner.space, learner.state, scores)
        return not np.array_equal(scores, before)

    assert moved(taught(0))
    assert moved(taught(0, labels=11))
    assert not moved(taught(0, labels=12))  # one in ten
    assert not moved(taught(0, labels=0))
    assert not moved(taught(0, labels=1))  # of one class
    signed = ohm.Graph.from_edges([(k, k + 1, -1.0 if k % 3 else 1.0) for k in range(119)], signed=True)
    learner = ohm.LocalLGC(signed, classes=["a", "b"])
    learner.learn_many({3: "a", 40: "b"})
    assert not moved(learner)
    assert (VOTES, MANY) == (2.0, 0.1)  # what the formula above was written with
    monkeypatch.setattr(afar, "NEAR", 1e-6)
    monkeypatch.setattr(afar, "STEPS", 3)  # it would take more
    assert not moved(taught(0))


def blocks(seed: int, sizes: list[int], inside: float, outside: float) -> tuple[ohm.Graph, np.ndarray]:
    shares = np.full((len(sizes), len(sizes)), outside) + (inside - outside) * np.eye(len(sizes))
    made = ohm.graph.generate.stochastic_block_model(sizes, shares, seed=seed)
    return made.graph, np.repeat(np.arange(len(sizes)), sizes)


def both(learner: ohm.LocalLGC, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """The table, and that without far votes."""
    table = learner.predict_many()
    with monkeypatch.context() as patch:
        patch.setattr("ohmline.learn.local_lgc.learner.add_votes", lambda *given: False)
        return table, learner.predict_many()


def test_with_few_labels_more_nodes_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    gains = []
    for seed in range(3):
        graph, truth = blocks(seed, [400, 300, 200], 0.015, 0.002)
        learner = ohm.LocalLGC(graph, classes=range(3))
        rng = np.random.default_rng(seed)
        for c in range(3):
            for node in rng.choice(np.flatnonzero(truth == c), 4 * (c + 1), replace=False).tolist():
                learner.learn_one(graph.nodes[node], c)
        table, before = both(learner, monkeypatch)
        gains.append(np.mean(table.codes == truth) - np.mean(before.codes == truth))
        certain = learner.exact_many()
        assert (certain.codes[table.certain] == table.codes[table.certain]).all()
    assert np.mean(gains) > 0.05, gains


def test_it_is_as_sure_as_before_of_another_class(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, truth = blocks(4, [400, 300, 200], 0.015, 0.002)
    learner = ohm.LocalLGC(graph, classes=range(3))
    shown = np.random.default_rng(4).permutation(900)[:20].tolist()
    learner.learn_many({graph.nodes[k]: int(truth[k]) for k in shown})
    table, before = both(learner, monkeypatch)
    moved = np.flatnonzero((table.codes != before.codes) & before.known)
    assert len(moved) > 20
    known = before.known & table.known
    np.testing.assert_array_equal(
        np.sort(table.probabilities[known], axis=1), np.sort(before.probabilities[known], axis=1)
    )
    np.testing.assert_array_equal(table.confidence[moved], before.confidence[moved])
    unmoved = known & (table.codes == before.codes)
    np.testing.assert_array_equal(table.probabilities[unmoved], before.probabilities[unmoved])


def test_a_rare_class_is_not_said_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, truth = blocks(1, [970, 30], 0.02, 0.003)
    learner = ohm.LocalLGC(graph, classes=range(2))
    rng = np.random.default_rng(1)
    shown = [*rng.choice(970, 58, replace=False).tolist(), 975, 990]
    learner.learn_many({graph.nodes[k]: int(truth[k]) for k in shown})
    table, before = both(learner, monkeypatch)
    assert np.mean(table.codes == truth) > np.mean(before.codes == truth) - 0.02
    assert (table.codes == 1).sum() < 100


def test_the_class_that_is_said_is_the_most_probable_and_parts_without_labels_stay_unknown() -> None:
    learner = taught(2, n=1600, classes=4, labels=20, parts=2)
    table = learner.predict_many()
    assert not table.known[800:].any()
    reached = np.flatnonzero(table.known)
    assert len(reached) > 700
    assert (table.probabilities[reached].argmax(axis=1) == table.codes[reached]).mean() > 0.999
    np.testing.assert_allclose(table.probabilities[reached].sum(axis=1), 1.0)
    assert (table.margins >= 0).all()
