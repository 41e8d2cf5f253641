"""Lemma 1 and Theorem 5 of paper 002 in exact fractions, and the ends of the Laplacian's spectrum."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given

import ohmline as ohm
import rational
from graphs import graphs
from ohmline.errors import LabelError, OhmlineError, ParameterError, ShapeError
from ohmline.graph import generate
from ohmline.graph.measure import energy_parts, largest_eigenvalue, least_energy, vertex_weights
from ohmline.graph.measure.spectrum import eigenvalue_limit

Exact = list[list[Fraction]]


def exactly(table: np.ndarray) -> Exact:
    return [[Fraction(float(v)) for v in row] for row in table]


def signed_laplacian(rng: np.random.Generator, *, dominant: bool = True) -> np.ndarray:
    """A symmetric matrix of few different numbers; with a diagonal that dominates, or any."""
    n = int(rng.integers(1, 6))
    table = np.triu(rng.choice([0.0, -1.0, 1.0, -0.5, 2.0], size=(n, n), p=[0.4, 0.3, 0.1, 0.1, 0.1]), 1)
    table = table + table.T
    extra = rng.choice([0.0, 0.0, 0.5, 1.0], size=n) if dominant else rng.choice([-1.0, 0.0, 3.0], size=n)
    np.fill_diagonal(table, np.abs(table).sum(axis=1) + extra)
    return table


@pytest.mark.parametrize("dominant", [True, False])
def test_lemma_1_splits_the_energy_of_any_symmetric_matrix(dominant: bool) -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        table = signed_laplacian(rng, dominant=dominant)
        n, u = len(table), rng.integers(-4, 5, size=len(table)) / 4
        matrix, v = exactly(table), [Fraction(float(x)) for x in u]
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        alike = sum((-matrix[i][j] * (v[i] - v[j]) ** 2 for i, j in pairs if matrix[i][j] < 0), Fraction(0))
        opposed = sum((matrix[i][j] * (v[i] + v[j]) ** 2 for i, j in pairs if matrix[i][j] > 0), Fraction(0))
        weights = [matrix[i][i] - sum(abs(matrix[i][j]) for j in range(n) if j != i) for i in range(n)]
        vertex = sum((w * x**2 for w, x in zip(weights, v, strict=True)), Fraction(0))
        total = sum((v[i] * matrix[i][j] * v[j] for i in range(n) for j in range(n)), Fraction(0))
        assert alike + opposed + vertex == total  # eq. (9)
        assert vertex_weights(table).tolist() == [float(w) for w in weights]
        assert energy_parts(table, u) == (float(alike), float(opposed), float(vertex))
        if min(weights) >= 0:
            assert np.linalg.eigvalsh(table)[0] >= -1e-12


def test_a_vertex_weight_below_zero_need_not_be_positive_semidefinite() -> None:
    table = [[1.0, 2.0], [2.0, 1.0]]
    assert vertex_weights(table).tolist() == [-1.0, -1.0]
    assert sum(energy_parts(table, [1.0, -1.0])) == -2.0


@given(graphs(max_nodes=8))
def test_a_graph_has_no_vertex_weights(graph: ohm.Graph) -> None:
    assert np.abs(vertex_weights(graph.laplacian())).max() < 1e-12


def test_a_vertex_weight_is_an_edge_to_a_ground_that_is_never_asked() -> None:
    """POUNCE over M^-1 in exact numbers, and over the graph with one node more."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 6))
        tree = [(int(rng.integers(k)), k, float(rng.choice([0.5, 1.0, 2.0]))) for k in range(1, n)]
        weights = rng.choice([0.0, 0.5, 1.0], size=n)
        weights[0] = 1.0
        ground = [(i, n, float(w)) for i, w in enumerate(weights) if w]
        matrix = ohm.Graph.from_edges(tree, nodes=range(n)).laplacian().toarray() + np.diag(weights)
        assert vertex_weights(matrix).tolist() == weights.tolist()
        nodes = rng.integers(n, size=3 * n)
        u = rng.choice([-1, 1], size=n)
        trials = [(int(i), int(u[i])) for i in nodes]
        exact = rational.pounce(rational.inverse(exactly(matrix)), [0] * n, trials)
        grounded = ohm.Graph.from_edges([*tree, *ground], nodes=range(n + 1))
        trace = ohm.play(ohm.Pounce(ohm.LaplacianKernel(grounded)), trials)
        np.testing.assert_allclose(trace.margin, [float(m) for m in exact.margins], atol=1e-8)


# -- Theorem 5 ------------------------------------------------------------------------------------------------------


def least(matrix: Exact, fixed: dict[int, Fraction]) -> tuple[Fraction, list[Fraction]] | None:
    """min u'Mu with some values fixed, exactly; None where it has no minimum."""
    n = len(matrix)
    rest = [i for i in range(n) if i not in fixed]
    right = [-sum((matrix[i][j] * y for j, y in fixed.items()), Fraction(0)) for i in rest]
    free = rational.solve([[matrix[i][j] for j in rest] for i in rest], right) if rest else []
    if free is None:
        return None
    u = [fixed.get(i, Fraction(0)) for i in range(n)]
    for i, value in zip(rest, free, strict=True):
        u[i] = value
    return sum((u[i] * matrix[i][j] * u[j] for i in range(n) for j in range(n)), Fraction(0)), u


def over_half_spaces(matrix: Exact, labels: dict[int, int]) -> Fraction:
    """min u'Mu with u_i y_i >= 1: the least over every choice of which constraints are met with equality."""
    found = []
    nodes = list(labels)
    for active in product([False, True], repeat=len(nodes)):
        fixed = {i: Fraction(labels[i]) for i, on in zip(nodes, active, strict=True) if on}
        best = least(matrix, fixed)
        if best is not None and all(best[1][i] * y >= 1 for i, y in labels.items()):
            found.append(best[0])
    return min(found)


def theorem_5(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = signed_laplacian(rng)
    rows = rng.permutation(len(table))[: int(rng.integers(0, len(table) + 1))]
    y = rng.choice([-1, 1], size=len(rows))
    labels = dict(zip(rows.tolist(), y.tolist(), strict=True))
    matrix = exactly(table)
    equal = least(matrix, {i: Fraction(v) for i, v in labels.items()})
    assert equal is not None
    assert equal[0] == over_half_spaces(matrix, labels), seed  # eq. (14)
    found = least_energy(table, rows, y)
    assert found.energy == pytest.approx(float(equal[0]), abs=1e-12)
    assert found.u[rows].tolist() == y.tolist()
    assert found.u @ table @ found.u == pytest.approx(found.energy, abs=1e-12)
    other = rng.normal(size=len(table)) * 2
    other[rows] = y * (1 + rng.exponential(size=len(rows)) * rng.choice([0, 1, 3]))
    assert other @ table @ other >= found.energy - 1e-9


def greedy_against_theorem_5(seed: int) -> None:
    """A function of larger margins that descends as far as it can: it never gets below the least energy."""
    rng = np.random.default_rng(seed)
    table = signed_laplacian(rng)
    rows = rng.permutation(len(table))[: int(rng.integers(1, len(table) + 1))]
    y = rng.choice([-1.0, 1.0], size=len(rows))
    energy = least_energy(table, rows, y).energy
    u = rng.normal(size=len(table)) * 3
    u[rows] = y * (1 + rng.exponential(size=len(rows)) * 3)
    step = 1 / max(float(np.abs(table).sum(axis=1).max()), 1e-9)
    for _ in range(200):
        u = u - step * (table @ u)
        u[rows] = y * np.maximum(y * u[rows], 1.0)
    assert u @ table @ u >= energy - 1e-9


def test_theorem_5_holds_in_exact_arithmetic() -> None:
    for seed in range(200):
        theorem_5(seed)
    for seed in range(50):
        greedy_against_theorem_5(seed)


@pytest.mark.slow
def test_theorem_5_holds_in_five_thousand_exact_instances() -> None:
    for seed in range(5000):
        theorem_5(10_000 + seed)
    for seed in range(500):
        greedy_against_theorem_5(10_000 + seed)


def test_theorem_5_needs_a_dominant_diagonal() -> None:
    """Positive definite is not enough: here a larger margin is smoother, and the matrix is refused."""
    table = np.array([[1.0, -1.5], [-1.5, 4.0]])
    assert np.linalg.eigvalsh(table)[0] > 0
    matrix, labels = exactly(table), {0: 1, 1: 1}
    assert over_half_spaces(matrix, labels) == Fraction(7, 4)
    assert least(matrix, {0: Fraction(1), 1: Fraction(1)})[0] == 2
    with pytest.raises(ParameterError, match=r"vertex weight of row 0 is -0\.5"):
        least_energy(table, [0, 1], [1, 1])


def test_theorem_5_needs_margins_of_equal_size() -> None:
    """With other demands than 1 a larger value can be smoother: the labels must be -1 and +1."""
    table = generate.line(2).graph.laplacian().toarray()
    assert least(exactly(table), {0: Fraction(1), 1: Fraction(3)})[0] == 4
    assert np.array([3.0, 3.0]) @ table @ np.array([3.0, 3.0]) == 0  # u_0 >= 1 and u_1 >= 3
    with pytest.raises(LabelError, match="must be -1 or"):
        least_energy(table, [0, 1], [1, 3])


def test_a_part_without_labels_costs_nothing() -> None:
    graph = ohm.Graph.from_edges([(0, 1), (2, 3)])
    found = least_energy(graph.laplacian(), [0], [-1])
    assert found.energy == pytest.approx(0, abs=1e-15)
    assert found.u[:2] == pytest.approx([-1, -1])
    assert least_energy(graph.laplacian(), [], []).energy == 0


@pytest.mark.parametrize("signed", [False, True])
def test_the_least_energy_keeps_its_digits_over_weights_far_apart(signed: bool) -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n, span = int(rng.integers(2, 8)), float(rng.choice([3, 6, 9]))
        edges = {}
        pairs = [(int(rng.integers(k)), k) for k in range(1, n)] + rng.integers(n, size=(n, 2)).tolist()
        for a, b in pairs:
            if a < b:
                sign = -1.0 if signed and rng.random() < 0.4 else 1.0
                edges[a, b] = sign * float(10 ** rng.uniform(-span, span))
        graph = ohm.Graph.from_edges(
            [(a, b, w) for (a, b), w in edges.items()], nodes=range(n), signed=signed
        )
        matrix = [[Fraction(0)] * n for _ in range(n)]
        for (a, b), w in edges.items():
            matrix[a][b] = matrix[b][a] = -Fraction(w)
            matrix[a][a] += abs(Fraction(w))
            matrix[b][b] += abs(Fraction(w))
        rows = rng.permutation(n)[: int(rng.integers(1, n + 1))]
        y = rng.choice([-1, 1], size=len(rows))
        exact = least(matrix, {int(i): Fraction(int(v)) for i, v in zip(rows, y, strict=True)})
        assert exact is not None
        found = least_energy(graph.laplacian(), rows, y)
        assert found.energy == pytest.approx(float(exact[0]), rel=1e-11, abs=0), seed
        np.testing.assert_allclose(found.u, [float(v) for v in exact[1]], atol=1e-11)


def test_the_least_energy_with_vertex_weights_far_apart() -> None:
    # 0 -(1e-9)- 1 -(2^-10)- 2, and a vertex weight of 3e-9 on the last: three resistors in a row.
    table = np.array(
        [[1e-9, -1e-9, 0.0], [-1e-9, 1e-9 + 2.0**-10, -(2.0**-10)], [0.0, -(2.0**-10), 2.0**-10 + 3e-9]]
    )
    found = least_energy(table, [0], [1])
    assert found.energy == pytest.approx(1 / (1e9 + 2**10 + 1 / 3e-9), rel=1e-6)
    with pytest.raises(ParameterError, match="leaves the range of numbers"):
        least_energy([[1e308, -1e308], [-1e308, 1e308]], [0, 1], [1, -1])


@pytest.mark.parametrize(
    ("matrix", "error", "words"),
    [
        ([[1.0, 2.0]], ShapeError, "square"),
        ([[1.0, 2.0], [0.0, 1.0]], ParameterError, "symmetric"),
        ([[np.nan]], ParameterError, "finite"),
        ("x", OhmlineError, "numbers"),
    ],
)
def test_what_is_no_symmetric_matrix_is_refused(matrix: object, error: type, words: str) -> None:
    for call in (vertex_weights, lambda m: energy_parts(m, [1.0]), lambda m: least_energy(m, [0], [1])):
        with pytest.raises(error, match=words):
            call(matrix)


def test_bad_positions_are_refused() -> None:
    table = np.eye(3)
    with pytest.raises(ParameterError, match="twice"):
        least_energy(table, [0, 0], [1, 1])
    with pytest.raises(ParameterError, match="from 0 to 2"):
        least_energy(table, [3], [1])
    with pytest.raises(ShapeError, match="labels must have 1 entries"):
        least_energy(table, [0], [1, 1])


# -- lambda_n -------------------------------------------------------------------------------------------------------


@given(graphs(max_nodes=10))
def test_the_largest_eigenvalue(graph: ohm.Graph) -> None:
    spectrum = np.linalg.eigvalsh(graph.laplacian().toarray())
    assert largest_eigenvalue(graph) == pytest.approx(spectrum[-1], abs=1e-12)


def test_the_largest_eigenvalue_of_a_large_graph() -> None:
    ring = generate.ring(3000).graph
    assert largest_eigenvalue(ring) == pytest.approx(4.0, rel=1e-6)
    assert largest_eigenvalue(ohm.Graph.from_edges([], nodes=range(3))) == 0.0


@pytest.mark.parametrize("n", [1501, 4000, 12_000])
def test_the_largest_eigenvalue_of_a_long_line_comes_and_its_limit_holds(n: int) -> None:
    line = generate.line(n).graph
    exact = 2 - 2 * np.cos(np.pi * (n - 1) / n)
    assert largest_eigenvalue(line) == pytest.approx(exact, rel=1e-6)
    assert largest_eigenvalue(line) <= exact * (1 + 1e-12)
    assert exact <= eigenvalue_limit(line) <= exact * (1 + 1e-5)


def large_graphs() -> dict[str, ohm.Graph]:
    rng = np.random.default_rng(5)
    n = 1600
    pairs = {(min(a, b), max(a, b)) for a, b in rng.integers(n, size=(3 * n, 2)).tolist() if a != b}
    wide = [(a, b, float(10 ** rng.uniform(-6, 6))) for a, b in sorted(pairs)]
    signed = [(a, b, float(rng.choice([-1.0, 2.0]))) for a, b in sorted(pairs)]
    star = [(0, k) for k in range(1, n)]
    return {
        "wide": ohm.Graph.from_edges(wide, nodes=range(n)),
        "signed": ohm.Graph.from_edges(signed, nodes=range(n), signed=True),
        "star": ohm.Graph.from_edges(star),
        "one edge": ohm.Graph.from_edges([(0, 1)], nodes=range(n)),
    }


@pytest.mark.parametrize("name", ["wide", "signed", "star", "one edge"])
def test_the_limit_of_the_largest_eigenvalue_holds_on_large_graphs(name: str) -> None:
    graph = large_graphs()[name]
    exact = float(np.linalg.eigvalsh(graph.laplacian().toarray())[-1])
    assert largest_eigenvalue(graph) == pytest.approx(exact, rel=1e-6)
    assert exact * (1 - 1e-12) <= eigenvalue_limit(graph) <= exact * 1.01


@given(graphs(max_nodes=10))
def test_the_limit_of_the_largest_eigenvalue_holds_on_small_graphs(graph: ohm.Graph) -> None:
    exact = float(np.linalg.eigvalsh(graph.laplacian().toarray())[-1])
    assert exact * (1 - 1e-13) <= eigenvalue_limit(graph) <= exact * (1 + 1e-12) + 1e-12
