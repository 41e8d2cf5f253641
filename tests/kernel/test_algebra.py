"""Kernels add and scale without surprises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import ohmline as ohm
from graphs import graphs
from ohmline.errors import KernelError, ParameterError

PAIR = ohm.Graph.from_edges([(0, 1), (1, 2), (3, 4)])


def matrix(kernel: ohm.Kernel) -> np.ndarray:
    return np.array([kernel.column(node) for node in kernel.nodes])


@settings(max_examples=20)
@given(graphs())
def test_terms_may_stand_on_either_side_and_in_any_order(graph: ohm.Graph) -> None:
    kernel, b, c = ohm.LaplacianKernel(graph), ohm.Constant(0.3), ohm.Ridge(0.2)
    wanted = matrix(kernel + b + c)
    for total in (b + kernel + c, c + (b + kernel), (b + c) + kernel, kernel + (c + b)):
        np.testing.assert_allclose(matrix(total), wanted, atol=1e-12)
        assert repr(total) == f"{kernel!r} + Constant(0.3) + Ridge(0.2)"


@settings(max_examples=20)
@given(graphs(connected=True))
def test_factors_reach_every_term_and_the_norm(graph: ohm.Graph) -> None:
    u = np.random.default_rng(graph.n).standard_normal(graph.n)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.3)
    for scaled in (2 * kernel, kernel * 2, 2 * ohm.LaplacianKernel(graph) + 2 * ohm.Constant(0.3)):
        np.testing.assert_allclose(matrix(scaled), 2 * matrix(kernel), atol=1e-12)
        assert scaled.sqnorm(u) == pytest.approx(kernel.sqnorm(u) / 2)
    lazy = 2 * (ohm.SolverKernel(graph) + ohm.Constant(0.3) + ohm.Ridge(0.4))
    exact = 2 * (kernel + ohm.Ridge(0.4))
    np.testing.assert_allclose(matrix(lazy), matrix(exact), atol=1e-9)
    assert lazy.sqnorm(u) == pytest.approx(exact.sqnorm(u), rel=1e-7)


def test_the_sum_of_two_kernels_is_one() -> None:
    one, two = ohm.LaplacianKernel(PAIR), ohm.SpectralKernel(PAIR, rank=2)
    np.testing.assert_allclose(matrix(one + two), matrix(one) + matrix(two), atol=1e-12)
    features = ohm.SpectralKernel(PAIR, rank=2) + 0.5 * ohm.SpectralKernel(PAIR, rank=3)
    assert features.space.explicit() is not None
    with pytest.raises(KernelError, match="different nodes"):
        one + ohm.LaplacianKernel(ohm.Graph.from_edges([(0, 1)]))


@pytest.mark.parametrize(
    "text",
    [
        "LaplacianKernel(g) + Constant(0.25)",
        "2.0 * LaplacianKernel(g) + Constant(0.25) + Ridge(1e-07)",
        "SolverKernel(g) + Constant(0.125)",
        "3.0 * SolverKernel(g) + Ridge(0.1)",
        "SpectralKernel(g, rank=2)",
        "LaplacianKernel(g) + SpectralKernel(g, rank=3)",
    ],
)
def test_a_repr_is_the_call_that_makes_the_kernel(text: str) -> None:
    scope = {
        name: getattr(ohm, name)
        for name in ("LaplacianKernel", "SolverKernel", "SpectralKernel", "Constant", "Ridge")
    }
    kernel = eval(text, {**scope, "g": PAIR})
    assert repr(kernel).replace(repr(PAIR), "g") == text
    again = eval(repr(kernel).replace(repr(PAIR), "g"), {**scope, "g": PAIR})
    np.testing.assert_array_equal(matrix(again), matrix(kernel))


def test_terms_are_plainly_not_kernels() -> None:
    assert not isinstance(ohm.Constant(1.0), ohm.Kernel)
    assert repr(2 * (ohm.Constant(0.5) + ohm.Ridge(1.0))) == "Constant(1.0) + Ridge(2.0)"
    assert ohm.Constant(0.5) + ohm.Constant(0.25) == ohm.Constant(0.75)
    for nonsense in (
        lambda: ohm.Constant(1.0) + 3,
        lambda: ohm.LaplacianKernel(PAIR) + "x",
        lambda: ohm.Ridge(1.0) * "x",
    ):
        with pytest.raises(TypeError):
            nonsense()
    for bad in (0, -1, float("nan"), float("inf")):
        for make in (
            ohm.Constant,
            ohm.Ridge,
            lambda f: f * ohm.LaplacianKernel(PAIR),
            lambda f: f * ohm.Ridge(1.0),
        ):
            with pytest.raises(ParameterError):
                make(bad)


def test_the_norm_over_a_kernel_that_is_not_centred_is_exact() -> None:
    graph = ohm.graph.generate.line(6).graph
    kernel = ohm.SpectralKernel(graph, rank=6, shift=0.3) + ohm.Constant(0.7)
    u = np.random.default_rng(0).standard_normal(6)
    assert kernel.sqnorm(u) == pytest.approx(u @ np.linalg.solve(matrix(kernel), u))
