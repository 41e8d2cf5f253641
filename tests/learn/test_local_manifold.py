"""LocalManifold: the literal recipe, classes as they come, drift, and what it is for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from local_manifold_oracle import LiteralLocalManifold


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
