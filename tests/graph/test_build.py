"""Graphs from vectors against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ohmline as ohm
from ohmline.errors import OhmlineError, ParameterError, ShapeError, WeightError
from ohmline.graph import Gaussian, epsilon_ball, knn
from ohmline.graph.build import median_width, neighbour_width


@st.composite
def clouds(draw):
    """Points with many ties (small whole numbers), or none, near the origin or far from it."""
    n, d = draw(st.integers(3, 40)), draw(st.sampled_from([1, 2, 3, 20]))
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    kind = draw(st.sampled_from(["grid", "bits", "normal", "far", "equal"]))
    return {
        "grid": rng.integers(0, 4, (n, d)).astype(float),
        "bits": rng.integers(0, 2, (n, d)).astype(float),
        "normal": rng.standard_normal((n, d)),
        "far": rng.standard_normal((n, d)) + 1e5,
        "equal": np.full((n, d), 0.1),
    }[kind]


def distances(X):
    return np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))


def brute_force_neighbours(X, k):
    table = distances(X)
    np.fill_diagonal(table, math.inf)
    directed = np.zeros(table.shape, dtype=bool)
    for i, row in enumerate(table):
        order = sorted(range(len(X)), key=lambda j: (row[j], j))
        directed[i, order[:k]] = True
    return directed


@given(clouds(), st.data())
def test_knn_against_brute_force(X, data):
    k = data.draw(st.integers(1, len(X) - 1))
    directed = brute_force_neighbours(X, k)
    assert np.array_equal(knn(X, k).adjacency.toarray() > 0, directed | directed.T)
    assert np.array_equal(knn(X, k, mutual=True).adjacency.toarray() > 0, directed & directed.T)


@given(clouds(), st.sampled_from([0.5, 1.0, math.sqrt(2), 2.0]))
def test_epsilon_ball_against_brute_force(X, radius):
    near = distances(X) <= radius
    np.fill_diagonal(near, False)
    assert np.array_equal(epsilon_ball(X, radius).adjacency.toarray() > 0, near)


@given(st.integers(0, 999), st.floats(0.3, 3.0))
def test_gaussian_weights(seed, width):
    X = np.random.default_rng(seed).standard_normal((15, 2))
    table = distances(X)
    for graph in (knn(X, 3, weights=Gaussian(width)), epsilon_ball(X, 1.0, weights=Gaussian(width))):
        s, t, w = graph.edges()
        assert np.allclose(w, np.exp(-(table[s, t] ** 2) / (2 * width**2)))
    s, t, w = knn(X, 4, weights=Gaussian()).edges()
    typical = np.median(table[s, t])
    assert np.allclose(w, np.exp(-(table[s, t] ** 2) / (2 * typical**2)))


def test_equal_points_weigh_one():
    graph = knn(np.zeros((4, 2)), 1, weights=Gaussian())
    assert set(graph.weights) == {1.0}


def test_names_can_be_given_and_the_call_of_the_design_works():
    graph = ohm.graph.knn([[0.0], [1.0], [5.0]], 1)
    assert graph.n == 3
    named = knn([[0.0], [1.0], [5.0]], 1, nodes=["a", "b", "c"])
    assert named.neighbours("c") == {"b": 1.0}


def test_widths_from_the_data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    table = distances(X)
    assert np.isclose(median_width(X), np.median(table[np.triu_indices(50, 1)]))
    assert np.isclose(neighbour_width(X, k=7), np.median(np.sort(table, axis=1)[:, 7]))
    many = rng.standard_normal((3000, 2))
    assert np.isclose(median_width(many, sample=500), median_width(many, sample=3000), rtol=0.1)
    assert neighbour_width([[0.0], [2.0]]) == 2.0


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: knn([[0.0], [1.0]], 2), ParameterError, "k is 2; 2 rows"),
        (lambda: knn([[0.0], [1.0]], 0), ParameterError, "k must be"),
        (lambda: knn([[0.0]], 1), ParameterError, "two rows"),
        (lambda: knn([0.0, 1.0], 1), ShapeError, "two dimensions"),
        (lambda: knn([[0.0], [math.nan]], 1), ParameterError, r"X\[1, 0\] is nan"),
        (lambda: knn([["a"], ["b"]], 1), ShapeError, "numbers"),
        (lambda: knn(np.zeros((3, 0)), 1), ParameterError, "one column"),
        (lambda: knn([[0.0], [1.0]], 1, nodes=["a"]), ShapeError, "2 rows"),
        (lambda: knn([[0.0], [1.0]], 1, weights=Gaussian(1e-9)), WeightError, "width 1e-09"),
        (lambda: Gaussian(0), ParameterError, "width of Gaussian"),
        (lambda: epsilon_ball([[0.0], [1.0]], 0), ParameterError, "radius"),
        (lambda: epsilon_ball([[0.0], [1.0]], math.inf), ParameterError, "radius"),
        (lambda: median_width([[1.0], [1.0]]), ParameterError, "equal"),
    ],
)
def test_bad_input_is_named(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make()
    assert isinstance(caught.value, OhmlineError)
