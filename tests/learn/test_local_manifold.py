"""LocalManifold: the literal recipe, classes as they come, drift, and what it is for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from local_manifold_oracle import LiteralDrifting, LiteralLocalManifold, says


def blobs(seed: int, n: int, classes: int = 3, rate: float = 0.3, d: int = 3) -> tuple[np.ndarray, list[Any]]:
    """Overlapping clouds, some points twice, few labels, and some of them wrong."""
    rng = np.random.default_rng(seed)
    which = rng.integers(classes, size=n)
    points = rng.standard_normal((n, d)) * 0.6 + 1.5 * np.eye(max(classes, d))[:, :d][which]
    again = rng.random(n) < 0.1
    points[again] = points[rng.integers(n, size=n)][again]
    which = np.where(rng.random(n) < 0.1, rng.integers(classes, size=n), which)
    return points, [f"class {k}" if rng.random() < rate else None for k in which]


@pytest.mark.parametrize(
    ("seed", "size", "options"),
    [
        (0, 60, {}),
        (1, 12, {}),
        (2, 9, {"label_weight": 100.0}),
        (3, 12, {"memory": 40.0}),
        (4, 3, {}),
        (5, 2, {"memory": 5.0}),
    ],
)
def test_agrees_with_the_literal_recipe_trial_by_trial(
    seed: int, size: int, options: dict[str, float]
) -> None:
    points, labels = blobs(seed, 160, classes=5 if size == 3 else 3)
    ours, literal = ohm.LocalManifold(size, **options), LiteralLocalManifold(size, **options)
    for x, y in zip(points, labels, strict=True):
        assert list(ours.classes) == literal.classes
        np.testing.assert_allclose(list(ours.scores_one(x).values()), literal.scores(x), atol=1e-7)
        ours.learn_one(x, y)
        literal.learn(x, y)
        centres, masses, said = ours.summary
        np.testing.assert_allclose(centres, literal.z, atol=1e-9)
        np.testing.assert_allclose(masses, literal.m, rtol=1e-9)
        assert [-1 if y is None else literal.classes.index(y) for y in said] == literal.labels


@pytest.mark.parametrize(("seed", "size", "classes"), [(0, 12, 2), (1, 20, 3), (2, 7, 4)])
def test_drift_agrees_with_the_literal_pair_of_summaries(seed: int, size: int, classes: int) -> None:
    points, labels = blobs(seed, 240, classes=classes, rate=0.5)
    names = [f"class {k}" for k in range(classes)]
    turned = dict(zip(names, names[1:] + names[:1], strict=True))
    labels = [y if t < 120 or y is None else turned[y] for t, y in enumerate(labels)]
    ours, literal, led = ohm.LocalManifold(size, drift=True), LiteralDrifting(size), 0
    for x, y in zip(points, labels, strict=True):
        np.testing.assert_allclose(list(ours.scores_one(x).values()), literal.scores(x), atol=1e-7)
        said = says(literal.leader, x)
        assert ours.predict_one(x) == said
        led += literal.leader is literal.short
        ours.learn_one(x, y)
        literal.learn(x, y)
        centres, masses, known = ours.summary
        leader = literal.leader
        np.testing.assert_allclose(centres, leader.z, atol=1e-9)
        np.testing.assert_allclose(masses, leader.m, rtol=1e-9)
        assert [-1 if y is None else leader.classes.index(y) for y in known] == leader.labels
    assert literal.restarts >= 1
    assert led >= 5  # both have been asked


def test_drift_finds_back_after_a_change_and_costs_nothing_without_one() -> None:
    points, labels = blobs(12, 1200, rate=0.2)
    names = sorted({y for y in labels if y is not None})
    turned = [y if t < 600 or y is None else names[names.index(y) - 1] for t, y in enumerate(labels)]
    plain, steady, drifting, stubborn = (
        ohm.LocalManifold(40, drift=drift) for drift in (False, True, True, False)
    )
    for learner, said in ((plain, labels), (steady, labels), (drifting, turned), (stubborn, turned)):
        learner.learn_many(points, said)
    fresh, clean = blobs(13, 400, rate=1.0)
    now = [names[names.index(y) - 1] for y in clean]

    def error(learner: ohm.LocalManifold, truth: list[Any]) -> float:
        return float(
            np.mean([a != b for a, b in zip(learner.predict_many(fresh).predictions, truth, strict=True)])
        )

    assert error(steady, clean) <= error(plain, clean) + 0.02
    assert error(drifting, now) <= error(plain, clean) + 0.05 < error(stubborn, now)


def test_rounding_does_not_pile_up_over_a_long_stream() -> None:
    learner = ohm.LocalManifold(12)
    points, labels = blobs(7, 3000, rate=0.05)
    learner.learn_many(points, labels)
    centres, masses, _ = learner.summary
    exact = ((centres[:, None] - centres[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(learner.snapshot()["sqdist"], exact, atol=1e-12)
    assert masses.sum() == pytest.approx(3000)


def test_many_at_once_are_the_loop_bit_for_bit() -> None:
    points, labels = blobs(8, 200)
    one, many, played = (ohm.LocalManifold(15) for _ in range(3))
    for x, y in zip(points, labels, strict=True):
        one.learn_one(x, y)
    assert many.learn_many(points, labels).labels == sum(y is not None for y in labels)
    for trace in ohm.follow(played, zip(points, labels, strict=True), chunk=64):
        assert len(trace) in (64, 8)
    for other in (many, played):
        mine, theirs = one.snapshot(), other.snapshot()
        assert all(np.array_equal(mine[k], theirs[k]) for k in mine)
    table = many.predict_many(points)
    assert table.predictions == [one.predict_one(x) for x in points]
    chances = [one.predict_proba_one(x) for x in points[:20]]
    np.testing.assert_array_equal(table.probabilities[:20], [list(c.values()) for c in chances])
    np.testing.assert_allclose(table.probabilities.sum(axis=1), 1)


def test_a_late_class_is_treated_as_if_it_had_been_declared() -> None:
    points, labels = blobs(9, 150)
    seen = list(dict.fromkeys(y for y in labels if y is not None))
    late, declared = ohm.LocalManifold(20), ohm.LocalManifold(20, ["never", *reversed(seen)])
    for x, y in zip(points, labels, strict=True):
        theirs = declared.scores_one(x)
        assert {c: theirs[c] for c in late.classes} == late.scores_one(x)
        assert declared.predict_one(x) == late.predict_one(x)
        late.learn_one(x, y)
        declared.learn_one(x, y)
    assert late.classes == tuple(seen)


def test_a_game_that_shows_few_labels_knows_only_their_classes() -> None:
    points, labels = blobs(10, 120, rate=1.0)
    shown = np.array([y != "class 1" for y in labels])
    learner = ohm.LocalManifold(20)
    ohm.play(learner, ohm.Stream(points, labels, revealed=shown))
    other = ohm.LocalManifold(20)
    for x, y, known in zip(points, labels, shown, strict=True):
        other.learn_one(x, y if known else None)
    assert learner.classes == other.classes
    assert "class 1" not in learner.classes
    assert all(learner.scores_one(x) == other.scores_one(x) for x in points)


def test_unlabelled_points_carry_a_label_along_two_moons() -> None:
    from sklearn.datasets import make_moons

    points, truth = make_moons(900, noise=0.08, random_state=3)
    shown = np.random.default_rng(3).random(900) < 0.006
    learner = ohm.LocalManifold(100)
    ohm.play(learner, ohm.Stream(points, truth, revealed=shown))
    said = np.array(learner.predict_many(points).predictions)
    nearest = ((points[:, None] - points[shown][None]) ** 2).sum(axis=2).argmin(axis=1)
    by_labels_alone = np.mean(truth[shown][nearest] != truth)
    assert np.mean(said != truth) < 0.01 < 0.1 < by_labels_alone
