"""Theorem 4.2 of paper 001, Lemma 4.1 and Theorem 3.2, on graphs of one or several components."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import BIAS_AND_RIDGE, games, graphs
from ohmline.bound import GraphPerceptronBound, PerceptronBound, noisy_norm, point_lengths
from ohmline.bound.graph_perceptron import smoothed
from ohmline.errors import GraphError, KernelError, LearnerError
from ohmline.graph import generate, measure


def perceptron_on(graph: ohm.Graph, b: float, c: float = 0.0) -> ohm.Perceptron:
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(b)
    return ohm.Perceptron(kernel + ohm.Ridge(c) if c > 0 else kernel)


def never_beaten(game: tuple, b: float, c: float, noise: float, flip: float) -> None:
    graph, stream, u = game
    stream = stream.with_label_noise(noise, seed=1)
    trace = ohm.play(perceptron_on(graph, b, c), stream)
    concept = np.where(np.random.default_rng(5).random(graph.n) < flip, -u, u) if c > 0 else u
    loose = GraphPerceptronBound(concept).certify(trace, u)
    found = GraphPerceptronBound().certify(trace, u)
    live = GraphPerceptronBound().certify(trace)
    for certificate in (loose, found, live):
        assert certificate.proven
        assert certificate.charged == int(trace.charged.sum()) <= certificate.value + 1e-9
    if graph.is_connected and trace.charged.any():
        # Theorem 4.2 follows from Theorem 2.1 by Lemma 4.1 and Theorem 3.2, so it is never smaller.
        assert PerceptronBound().certify(trace, u).value <= found.value * (1 + 1e-9)


options = (games(), *BIAS_AND_RIDGE, st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 0.3]))


@pytest.mark.parametrize("number", [150, pytest.param(2000, marks=pytest.mark.slow)])
def test_theorem_4_2_is_never_beaten(number: int) -> None:
    settings(max_examples=number)(given(*options)(never_beaten))()


@given(games(connected=True), st.sampled_from([0.1, 1.0, 5.0]))
def test_the_terms_are_those_of_the_paper(game: tuple, b: float) -> None:
    graph, stream, u = game
    certificate = GraphPerceptronBound().certify(ohm.play(perceptron_on(graph, b), stream), u)
    expected = (4 * measure.cut(graph, u) + measure.imbalance(u) / b) * (
        measure.resistance_diameter(graph) + b
    )
    assert certificate.value == pytest.approx(expected)
    assert certificate.terms["cut"] == measure.cut(graph, u)
    assert certificate.theorem.endswith("eq. (16)") == (b == 1)


@given(graphs(max_nodes=9), st.sampled_from([0.2, 1.0, 3.0]), st.integers(0, 1000))
def test_smoothing_never_raises_z(graph: ohm.Graph, c: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u = rng.choice([-1.0, 1.0], size=graph.n)
    matter = np.ones(graph.n, dtype=bool)

    def price(v: np.ndarray) -> float:
        parts = [measure.imbalance(v[graph.component_of == k]) for k in range(graph.n_components)]
        return 4 * measure.cut(graph, v) + sum(parts) / 0.7 + 4 * np.sum(u != v) / c

    smooth = smoothed(graph, u, matter, 0.7, c)
    assert price(smooth) <= price(u) + 1e-9
    for i in range(graph.n):  # no single turn lowers it further
        turned = smooth.copy()
        turned[i] = -turned[i]
        assert price(turned) >= price(smooth) - 1e-9


def test_a_ridge_turns_a_cut_of_m_into_a_constant() -> None:
    """Section 4's example: k odd nodes cost O(k) with c = 1, and O(k m) without."""
    values = {}
    for m in (20, 60):
        noisy = generate.noisy_barbell(m, 2)
        for c in (0.0, 1.0):
            trace = ohm.play(perceptron_on(noisy.graph, 1.0, c), noisy.sequence)
            certificate = GraphPerceptronBound().certify(trace, noisy.labels)
            values[m, c] = certificate.value
            assert certificate.terms["odd"] == (2 if c else 0)
            if c:  # smoothing finds the paper's own concept
                assert certificate == GraphPerceptronBound(noisy.clean).certify(trace, noisy.labels)
    assert values[60, 1.0] <= values[20, 1.0]
    assert values[60, 0.0] >= 2.5 * values[20, 0.0]


def test_each_component_pays_for_its_own_balance() -> None:
    """With one beta for the whole graph two single-label triangles would be certified with 0."""
    triangles = ohm.Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    u = np.array([1, 1, 1, -1, -1, -1])
    trace = ohm.play(perceptron_on(triangles, 1.0), ohm.Stream(range(6), u))
    certificate = GraphPerceptronBound().certify(trace, u)
    assert measure.cut(triangles, u) == 0 == measure.imbalance(u)
    assert certificate.charged == 2
    assert certificate.terms["balance"] == 2
    assert certificate.valid


def test_components_without_a_mistake_do_not_count() -> None:
    graph = ohm.Graph.from_edges([(0, 1), *[(k, k + 1) for k in range(2, 20)]])
    trace = ohm.play(perceptron_on(graph, 1.0), ohm.Stream([0, 1], [1, 1]))
    certificate = GraphPerceptronBound().certify(
        trace, np.ones(21) - 2 * (np.arange(21) % 2) * (np.arange(21) > 1)
    )
    assert certificate.terms["cut"] == 0
    assert certificate.terms["resistance"] == 1


def test_a_concept_that_differs_needs_a_ridge() -> None:
    graph = generate.line(6).graph
    trace = ohm.play(perceptron_on(graph, 1.0), ohm.Stream(range(6), [1, -1] * 3))
    certificate = GraphPerceptronBound([1] * 6).certify(trace, [1, -1] * 3)
    assert not certificate.valid
    assert certificate.value == np.inf


@given(graphs(min_nodes=3, max_nodes=9), st.integers(0, 1000))
def test_without_a_bias_equation_16_is_meaningless_so_the_kernel_is_refused(
    graph: ohm.Graph, seed: int
) -> None:
    trace = ohm.play(ohm.Perceptron(ohm.LaplacianKernel(graph)), ohm.Stream([0], [1]))
    with pytest.raises(KernelError, match="is about LaplacianKernel"):
        GraphPerceptronBound().certify(trace, np.ones(graph.n))


def test_other_learners_are_refused() -> None:
    trace = ohm.play(ohm.NearestNeighbour(generate.line(3).graph), ohm.Stream([0], [1]))
    with pytest.raises(LearnerError, match="best_bound"):
        GraphPerceptronBound().certify(trace)


@given(graphs(max_nodes=10, connected=True))
def test_theorem_3_2_is_a_chain_of_inequalities(graph: ohm.Graph) -> None:
    chain = point_lengths(graph)
    resistances = measure.resistance_matrix(graph)
    np.testing.assert_allclose(chain.mean_resistance, resistances.mean(axis=1), atol=1e-9)
    assert np.all(chain.sqlength <= chain.mean_resistance + 1e-9)
    assert np.all(chain.mean_resistance <= chain.eccentricity + 1e-9)
    assert chain.sqlength.max() <= measure.resistance_diameter(graph) + 1e-9  # eq. (9)


@given(
    graphs(max_nodes=10),
    st.sampled_from([0.2, 1.0, 4.0]),
    st.sampled_from([0.0, 0.3, 2.0]),
    st.integers(0, 999),
)
def test_lemma_4_1_bounds_the_norm_of_a_noisy_labelling(
    graph: ohm.Graph, b: float, c: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    concept = rng.choice([-1, 1], size=graph.n)
    noisy = np.where(rng.random(graph.n) < 0.3, -concept, concept) if c > 0 else concept
    found = noisy_norm(graph, noisy, concept, b=b, c=c)
    assert found.sqnorm <= found.bound * (1 + 1e-9) + 1e-9
    if c == 0:
        assert found.sqnorm == pytest.approx(found.bound)  # eq. (13)
    plain = ohm.LaplacianKernel(graph).diagonal()
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(b)
    np.testing.assert_allclose(
        (kernel + ohm.Ridge(c) if c > 0 else kernel).diagonal(), plain + b + c, atol=1e-9
    )  # eq. (11)


def test_lemma_4_1_without_a_ridge_cannot_pay_for_odd_nodes() -> None:
    family = generate.noisy_barbell(6, 1)
    assert noisy_norm(family.graph, family.labels, family.clean, b=1.0).bound == np.inf
    exact = noisy_norm(family.graph, family.labels, family.labels, b=1.0)
    cheap = noisy_norm(family.graph, family.clean, family.clean, b=1.0)
    assert exact.sqnorm > cheap.bound  # the norm does jump, so the price is not slack


def test_theorem_3_2_refuses_a_disconnected_graph() -> None:
    with pytest.raises(GraphError, match="largest_component"):
        point_lengths(ohm.Graph.from_edges([(0, 1), (2, 3)]))
