"""Vectors whose classes are learned as they come: the same as if they had been declared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from ohmline.check import Subject
from ohmline.errors import LabelError


def blobs(seed: int, n: int = 90) -> tuple[np.ndarray, list[str | None]]:
    rng = np.random.default_rng(seed)
    which = rng.integers(3, size=n)
    points = rng.standard_normal((n, 2)) * 0.3 + np.array([[0, 0], [2, 0], [0, 2]])[which]
    return points, [f"class {k}" if rng.random() < 0.4 else None for k in which]


def make(**options: object) -> ohm.OnlineManifold:
    return ohm.OnlineManifold(ohm.RBF(0.7), ohm.Buffer(40), smoothness=ohm.Manifold(0.4), **options)


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_a_late_class_has_the_scores_of_a_declared_one(seed: int) -> None:
    points, labels = blobs(seed)
    seen = list(dict.fromkeys(y for y in labels if y is not None))
    late, declared = make(late_classes=True), make(classes=[*seen, "never", "ever"])
    assert late.predict_one(points[0]) is None
    for x, y in zip(points, labels, strict=True):
        if late.classes:
            mine = late.scores_one(x)
            theirs = declared.scores_one(x)[: len(mine)]
            np.testing.assert_allclose(mine, theirs, atol=1e-9)
        late.learn_one(x, y)
        declared.learn_one(x, y)
    assert late.classes == tuple(seen)


@settings(max_examples=8)
@given(st.integers(0, 10**6), st.booleans())
def test_the_laws_hold(seed: int, warm_up: bool) -> None:
    points, labels = blobs(seed, 120)
    stream = ohm.Stream(points, labels)
    options = {} if warm_up else {"kernel": ohm.RBF(0.7), "smoothness": ohm.Manifold(0.4)}
    subject = Subject(
        make=lambda g: ohm.OnlineManifold(basis=ohm.Buffer(40), late_classes=True, **options),
        restore=lambda s, g: ohm.OnlineManifold.restore(s),
        equivariant=False,
    )
    ohm.check.learner(subject, ohm.Graph.from_edges([(0, 1)]), stream, query=ohm.RandomRate(0.6))


def test_some_classes_may_be_declared_and_others_come() -> None:
    learner = make(classes=["a", "b"], late_classes=True)
    learner.learn_one([0.0, 0.0], "c")
    assert learner.classes == ("a", "b", "c")
    assert learner.predict_one([0.0, 0.0]) == "c"
    fixed = make(classes=["a", "b"])
    with pytest.raises(LabelError, match="late_classes=True"):
        fixed.learn_one([0.0, 0.0], "c")
