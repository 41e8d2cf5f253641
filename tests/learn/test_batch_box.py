"""The quadratic over a box behind the hinge loss, against every face of the box."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import ohmline as ohm
from ohmline.learn import LapSVM, MultiviewSVM
from ohmline.learn.batch.box import box_gap, fill_box


def value(p, v):
    return v.sum() - v @ p @ v / 2


def largest(p):
    """Over every face: some entries at 0, some at 1, and the others where the slope is 0."""
    best = 0.0
    for face in product((0.0, 1.0, None), repeat=len(p)):
        free = np.array([side is None for side in face])
        v = np.array([0.0 if side is None else side for side in face])
        v[free] = np.linalg.lstsq(p[np.ix_(free, free)], (1 - p @ v)[free], rcond=None)[0]
        best = max(best, value(p, np.clip(v, 0.0, 1.0)))
    return best


def quadratic(rng, n):
    """Of every rank, also 0, with rows that repeat and rows that contradict each other."""
    rows = rng.normal(size=(n, int(rng.integers(0, n + 1))))
    for k in range(1, n):
        if rng.random() < 0.3:
            rows[k] = rng.choice([-1, 1]) * rows[k - 1]
    return rows @ rows.T * 10.0 ** rng.uniform(-4, 4)


@pytest.mark.parametrize("block", range(4))
def test_no_face_of_the_box_has_more(block):
    for seed in range(50):
        rng = np.random.default_rng([block, seed])
        p = quadratic(rng, int(rng.integers(1, 6)))
        v = fill_box(p)
        assert np.all((v >= 0) & (v <= 1))
        gap, most = box_gap(v, p @ v - 1), largest(p)
        assert 0 <= gap <= 1e-9 * most
        assert most - gap - 1e-12 * most <= value(p, v) <= most * (1 + 1e-9)


def test_an_indefinite_quadratic_ends_with_a_gap_that_tells():
    v = fill_box(-np.ones((3, 3)))
    assert np.all((v >= 0) & (v <= 1))
    assert box_gap(v, -np.ones((3, 3)) @ v - 1) >= 0


def contradictory(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(12, 3))
    x[1] = x[0]
    labels = [(1 if t % 2 else -1) if t < 6 else None for t in range(12)]
    return x, labels, 10 ** rng.uniform(-3, 0), 10 ** rng.uniform(-2, 2)


@pytest.mark.parametrize("seed", range(30))
def test_one_point_of_two_labels_is_solved_to_the_last_digits(seed):
    x, labels, lambda_1, lambda_2 = contradictory(seed)
    views = MultiviewSVM([0], [1, 2], [0, 2], kernel=ohm.RBF(1.0), lambda_1=lambda_1, lambda_2=lambda_2)
    one = LapSVM(ohm.RBF(1.0), lambda_1=lambda_1, lambda_2=lambda_2)
    for model in (views, one):
        model.fit(x, labels)
        assert 0 <= model.gap <= 1e-10 * model.risk


@pytest.mark.parametrize("lambda_1", [1e-4, 0.01, 0.1, 1.0])
def test_two_labels_of_one_point_among_four(lambda_1):
    """The two cost at least 2 of 4 between them whatever f is there, and f = 0 costs 1."""
    x = np.array([[0.0], [0.0], [1.0], [2.0]])
    model = LapSVM(ohm.RBF(1.0), lambda_1=lambda_1, lambda_2=0.1).fit(x, [1, -1, 1, -1])
    assert 0 <= model.gap <= 1e-12
    assert 0.5 < model.risk <= 1
    same = MultiviewSVM([0], [1]).fit(np.zeros((4, 2)), [1, -1, None, 1])
    assert 0 <= same.gap <= 1e-12
