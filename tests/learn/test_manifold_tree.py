"""The random projection tree: against a literal one, with ties, with and without shrinkage, and after many points."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons

from ohmline.game import Spirals, Stream, play
from ohmline.kernel import RBF
from ohmline.learn.manifold import Manifold, OnlineManifold, RPTree, Split
from ohmline.learn.manifold.bases.leaf_shape import Shapes, add_point, overlap

WORD = 2**64


class LiteralTree:
    """A random projection tree with growing lists, as section 3.2 of paper 003 tells it.

    "When enough points fall into a leaf, the RPtree grows by splitting the leaf along a hyperplane with random
    orientation." `widest` adds our choice among eight orientations, and the ration of leaves.
    """

    def __init__(self, leaves, points, *, widest, seed=0):
        self.leaves, self.points, self.widest, self.word = leaves, points, widest, seed
        self.members, self.recent, self.root = [[]], [[]], ("leaf", 0)

    def uniform(self):
        self.word = z = (self.word + 0x9E3779B97F4A7C15) % WORD
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
        return ((z ^ (z >> 31)) >> 11) / 2**53

    def orientation(self, d):
        v = [np.sqrt(-2 * np.log(1 - self.uniform())) * np.cos(2 * np.pi * self.uniform()) for _ in range(d)]
        return np.array(v) / np.linalg.norm(v)

    def leaf(self, x, node=None):
        node = self.root if node is None else node
        while node[0] != "leaf":
            _, v, threshold, left, right = node
            node = right if v @ x > threshold else left
        return node[1]

    def add(self, x):
        i = self.leaf(x)
        self.members[i].append((1.0, x))
        self.recent[i].append(x)
        if len(self.recent[i]) >= self.points and len(self.members) < self.leaves and self.may_split(i):
            self.split(i)

    def mass(self, i):
        return sum(weight for weight, _ in self.members[i])

    def mean(self, i):
        return sum(weight * x for weight, x in self.members[i]) / self.mass(i)

    def spread(self, i):
        return sum(weight * float(np.sum((x - self.mean(i)) ** 2)) for weight, x in self.members[i])

    def may_split(self, i):
        if not self.widest:
            return True
        every = range(len(self.members))
        mean = sum(map(self.spread, every)) / sum(map(self.mass, every))
        left = 1 - len(self.members) / self.leaves
        return self.spread(i) / self.mass(i) * left >= 0.3 * mean

    def split(self, i):
        held = np.array(self.recent[i][-self.points :])
        share = self.mass(i) / self.points
        tried = [self.orientation(held.shape[1]) for _ in range(8 if self.widest else 1)]
        v = max(tried, key=lambda v: np.var(held @ v))
        threshold = float(np.median(held @ v)) if self.points % 2 == 0 else None
        if threshold is None:
            ordered = np.sort(held @ v)
            threshold = float(ordered[(self.points - 1) // 2 : (self.points - 1) // 2 + 2].mean())
        fresh = len(self.members)
        self.recent[i] = [x for x in held if v @ x <= threshold]
        self.recent.append([x for x in held if v @ x > threshold])
        self.members[i] = [(share, x) for x in self.recent[i]]
        self.members.append([(share, x) for x in self.recent[fresh]])
        self.root = self.replaced(self.root, i, ("node", v, threshold, ("leaf", i), ("leaf", fresh)))

    def replaced(self, node, i, new):
        if node[0] == "leaf":
            return new if node[1] == i else node
        return (*node[:3], self.replaced(node[3], i, new), self.replaced(node[4], i, new))


@pytest.mark.parametrize("split", list(Split))
@pytest.mark.parametrize("points", [4, 7])
def test_agrees_with_the_literal_tree(split, points):
    x = np.random.default_rng(3).normal(size=(150, 3))
    learner = OnlineManifold(
        RBF(0.5), RPTree(20, points=points, split=split), smoothness=Manifold(0.3), seed=5
    )
    literal = LiteralTree(20, points, widest=split is Split.WIDEST, seed=5)
    for row in x:
        learner.learn_one(row, None)
        literal.add(row)
    every = range(len(literal.members))
    assert len(every) > 12
    assert learner.function.points == pytest.approx(np.array([literal.mean(i) for i in every]), abs=1e-10)
    masses = learner._model.expansion.mass[: len(every)]
    assert masses == pytest.approx([literal.mass(i) for i in every], rel=1e-12)
    assert masses.sum() == pytest.approx(150)


def moons_with_zeros(basis, zeros=0.6, seed=0):
    """(leaves, error) on two moons, most of whose rows are zero and unlabelled."""
    rng = np.random.default_rng(seed)
    x, y = make_moons(3000, noise=0.1, random_state=seed)
    x = x - [0.5, 0.25]
    empty = rng.random(2000) < zeros
    stream = np.where(empty[:, None], 0.0, x[:2000])
    model = OnlineManifold(RBF(0.2), basis, smoothness=Manifold(0.1), classes=[0, 1])
    play(model, Stream(stream, y[:2000].tolist(), revealed=(rng.random(2000) < 0.1) & ~empty))
    wrong = np.mean((model.function(x[2000:]) >= 0) != y[2000:])
    assert model._model.expansion.mass.sum() == pytest.approx(2000)
    return len(model.function.points), float(wrong)


@pytest.mark.parametrize("covariance", [False, True])
@pytest.mark.parametrize("split", list(Split))
def test_a_tied_median_does_not_stop_the_tree(covariance, split):
    leaves, error = moons_with_zeros(RPTree(covariance=covariance, split=split))
    assert leaves > 50
    assert error < 0.03


@pytest.mark.parametrize("covariance", [False, True])
def test_a_leaf_of_equal_points_splits_when_another_comes(covariance):
    learner = OnlineManifold(RBF(0.5), RPTree(8, points=4, covariance=covariance), smoothness=Manifold(0.3))
    for _ in range(50):
        learner.learn_one([1.0, 2.0], None)
    assert learner.function.points.tolist() == [[1.0, 2.0]]
    learner.learn_one([1.0, np.nextafter(2.0, 3.0)], None)
    for _ in range(8):
        learner.learn_one([5.0, 5.0], None)
    assert [5.0, 5.0] in learner.function.points.tolist()
    assert learner._model.expansion.mass.sum() == pytest.approx(59)
    assert np.isfinite(learner.margin_one([1.0, 2.0]))


def test_without_shrinkage_the_covariance_is_that_of_the_points():
    rng, width = np.random.default_rng(0), 0.6
    x = rng.normal(size=(6, 3)) * [1.0, 0.5, 0.2]
    plain, shrunk = (Shapes.empty(1, 3, 3, width, shrinks=flag) for flag in (False, True))
    mean = np.zeros(3)
    for m, row in enumerate(x):
        add_point(plain, 0, mean, row, float(m))
        add_point(shrunk, 0, mean, row, float(m))
        mean += (row - mean) / (m + 1)
    covariance = (x - mean).T @ (x - mean) / len(x)
    probe = mean + np.array([0.3, -0.2, 0.4])
    z = probe - mean
    total = covariance + width**2 * np.eye(3)
    exact = np.exp(-z @ np.linalg.solve(total, z) / 2) / np.sqrt(np.linalg.det(total / width**2))
    sq = float(z @ z)
    assert overlap(plain, 0, mean, probe, sq, np.inf) == pytest.approx(exact, rel=1e-12)
    assert overlap(shrunk, 0, mean, probe, sq, np.inf) != pytest.approx(exact, rel=1e-3)


def test_shrinkage_is_an_option_that_a_snapshot_keeps():
    x = np.random.default_rng(1).normal(size=(80, 3))
    margins = []
    for shrinkage in (True, False):
        basis = RPTree(10, points=5, covariance=True, shrinkage=shrinkage)
        learner = OnlineManifold(RBF(0.5), basis, smoothness=Manifold(0.3))
        for k, row in enumerate(x[:60]):
            learner.learn_one(row, None if k % 3 else 1 if row[0] > 0 else -1)
        other = OnlineManifold.restore(learner.snapshot())
        assert repr(other) == repr(learner)
        for row in x[60:]:
            assert other.margin_one(row) == learner.margin_one(row)
            other.learn_one(row, 1)
            learner.learn_one(row, 1)
        margins.append(learner.margin_one(x[0]))
    assert margins[0] != margins[1]


def test_ppk_holds_after_sixty_four_thousand_points():
    """The last leaves go to the widest: one that reached from arm to arm would join them with all its weight."""
    for seed in range(2):
        source = Spirals()
        model = OnlineManifold(
            RBF(0.08),
            RPTree(covariance=True),
            smoothness=Manifold(0.05),
            lambda_1=1e-4,
            lambda_2=1.0,
            label_rate=0.02,
        )
        play(model, source.stream(64_000, seed))
        points, labels = source.at(0, 2000, seed)
        assert np.mean(np.where(model.function(points) >= 0, 1, -1) != labels) <= 0.005
