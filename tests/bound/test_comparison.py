"""Theorems 3.1 and 4.1, Corollary 3.1 and Lemma 3.1 of paper 001: attacked, and each assumption dropped in turn."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.bound import compared_lengths, monotonicity, split_norm
from ohmline.errors import GraphError, KernelError, ShapeError
from ohmline.graph import generate, measure
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.space import Dense
from ohmline.kernel.sums import sqnorm_from_space

TIMES = pytest.mark.parametrize(
    ("random", "greedy"), [(250, 40), pytest.param(5000, 500, marks=pytest.mark.slow)]
)


class MatrixKernel(ohm.Kernel):
    """Any positive semidefinite matrix."""

    def __init__(self, matrix: np.ndarray) -> None:
        self.matrix = np.asarray(matrix, dtype=float)

    @property
    def nodes(self) -> NodeIndex:
        return NodeIndex(range(len(self.matrix)))

    @property
    def component_of(self) -> np.ndarray:
        return np.zeros(len(self.matrix), dtype=np.int64)

    @property
    def space(self) -> Dense:
        return Dense(self.matrix)

    def sqnorm(self, u: np.ndarray) -> float:
        return sqnorm_from_space(self.space, u)


def definite(rng: np.random.Generator, size: int) -> np.ndarray:
    root = rng.normal(size=(size, size)) * 10.0 ** rng.uniform(-1, 1, size=size)
    return root @ root.T + 10.0 ** rng.uniform(-3, 0) * np.eye(size)


def ordered_pair(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """K and K' of one span with ||.||_M <= ||.||_M': M' = M + something, all within the span."""
    n = int(rng.integers(1, 7))
    size = int(rng.integers(1, n + 1))
    basis = np.linalg.qr(rng.normal(size=(n, size)))[0]
    norm = definite(rng, size)
    more = rng.normal(size=(size, int(rng.integers(0, size + 1))))
    stricter = norm + more @ more.T
    return basis @ np.linalg.inv(norm) @ basis.T, basis @ np.linalg.inv(stricter) @ basis.T


def symmetric(matrix: np.ndarray) -> MatrixKernel:
    return MatrixKernel((matrix + matrix.T) / 2)


@TIMES
def test_theorem_3_1_holds_for_every_combination(random: int, greedy: int) -> None:
    for seed in range(random):
        rng = np.random.default_rng(seed)
        one, two = map(symmetric, ordered_pair(rng))
        a = rng.normal(size=one.n)
        found = compared_lengths(one, two, a)
        assert found.other <= found.sqlength * (1 + 1e-7)
        assert found.sqlength == pytest.approx(float(a @ one.matrix @ a))
    for seed in range(greedy):  # turn one coefficient at a time to where the inequality is tightest
        rng = np.random.default_rng(50_000 + seed)
        one, two = map(symmetric, ordered_pair(rng))
        a = rng.normal(size=one.n)
        for _ in range(3):
            for k in range(one.n):
                tried = [np.where(np.arange(one.n) == k, value, a) for value in (-2, -1, 0, 1, 2, a[k])]
                values = [compared_lengths(one, two, b) for b in tried]
                a = tried[int(np.argmin([v.sqlength - v.other for v in values]))]
                assert min(v.sqlength * (1 + 1e-7) + 1e-12 - v.other for v in values) >= 0


def test_theorem_3_1_needs_each_of_its_assumptions() -> None:
    unit = np.eye(2)
    # The order of the norms: ||.||_M = 2 ||.||_M' and yet a'K a < a'K'a.
    assert 0.5 * unit[0, 0] < unit[0, 0]
    with pytest.raises(KernelError, match=r"is 2 times that; exchange the kernels"):
        compared_lengths(MatrixKernel(0.5 * unit), MatrixKernel(unit), [1, 0])
    # The span: M = diag(1, 0) has the smaller norms, and its second point has length 0 < 1.
    assert np.linalg.pinv(np.diag([1.0, 0.0]))[1, 1] < unit[1, 1]
    with pytest.raises(KernelError, match="span the same functions, and these span 1 and 2"):
        compared_lengths(MatrixKernel(np.diag([1.0, 0.0])), MatrixKernel(unit), [0, 1])
    with pytest.raises(KernelError, match="span the same functions"):
        compared_lengths(MatrixKernel(np.diag([1.0, 0.0])), MatrixKernel(np.diag([0.0, 1.0])), [0, 1])
    # Positive norms: M = -1 <= 1 = M', and 1/M < 1/M'. No kernel has such a matrix.
    assert not np.linalg.inv(-unit)[0, 0] >= unit[0, 0]
    # The same nodes.
    with pytest.raises(KernelError, match=r"nodes of these \(2 and 3\) differ"):
        compared_lengths(MatrixKernel(unit), MatrixKernel(np.eye(3)), [1, 0])
    with pytest.raises(ShapeError, match="coefficients"):
        compared_lengths(MatrixKernel(unit), MatrixKernel(unit), [1])


def test_theorem_3_1_with_a_constant_on_both_sides() -> None:
    line, ring = generate.line(6).graph, generate.ring(6).graph
    biased = [ohm.LaplacianKernel(g) + ohm.Constant(1.0) for g in (line, ring)]
    found = compared_lengths(*biased, np.arange(6))
    assert found.other < found.sqlength
    with pytest.raises(KernelError, match="exchange"):
        compared_lengths(*biased[::-1], np.arange(6))
    with pytest.raises(KernelError, match="span"):
        compared_lengths(biased[0], ohm.LaplacianKernel(ring), np.arange(6))


def chain(*weights: float) -> ohm.LaplacianKernel:
    return ohm.LaplacianKernel(ohm.Graph.from_edges([(k, k + 1, w) for k, w in enumerate(weights)]))


def four_ring(*weights: float) -> ohm.Kernel:
    graph = ohm.Graph.from_edges([(k, (k + 1) % 4, w) for k, w in enumerate(weights)])
    return ohm.LaplacianKernel(graph) + ohm.Constant(1.0)


@pytest.mark.parametrize("weak", [1.0, 1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("strong", [1.0, 1e3, 1e6])
def test_theorem_3_1_notices_one_false_direction_among_weights_far_apart(weak: float, strong: float) -> None:
    base = chain(weak, strong)
    for heavier in (chain(2 * weak, strong), chain(weak, 2 * strong)):
        with pytest.raises(
            KernelError, match=r"is 2(\.\d+)? times that; exchange|is 1\.9\d* times that; exchange"
        ):
            compared_lengths(heavier, base, [1, 0, 0])
    # The right order is seen from the weights, whatever they are.
    found = compared_lengths(base, chain(2 * weak, strong), [1, 0, 0])
    assert found.other < found.sqlength


def test_theorem_3_1_of_a_ring_with_weights_far_apart() -> None:
    lighter, heavier = four_ring(1e-6, 1e-6, 1e4, 1e4), four_ring(2e-6, 2e-6, 1e4, 1e4)
    found = compared_lengths(lighter, heavier, [0, 1, 0, -1])
    assert found.sqlength == pytest.approx(2 * found.other)
    with pytest.raises(KernelError, match="exchange"):
        compared_lengths(heavier, lighter, [0, 1, 0, -1])


def test_what_rounding_hides_is_refused_by_name() -> None:
    # 1e-9 and 1e9: the heavy edge is far below the rounding of the light one's resistance.
    for pair in ((chain(1e-9, 2e9), chain(1e-9, 1e9)), (chain(1e-9, 1e9), chain(1e-9, 2e9))):
        with pytest.raises(KernelError, match=r"rounding hides what Theorem 3\.1 is about"):
            compared_lengths(*pair, [0, 1, -1])
    # Neither graph's edges are all lighter, and the entries cannot tell.
    with pytest.raises(KernelError, match=r"largest ratio .* is off|off by up to"):
        compared_lengths(
            chain(1e-6, 1e6) + ohm.Constant(1.0),
            MatrixKernel(chain(1e-6, 1e6).plus(b=1.0).space.matrix),
            [1, 0, 0],
        )
    zero = compared_lengths(chain(1.0, 2.0), chain(2.0, 2.0), [1, 1, 1])
    assert max(map(abs, zero)) < 1e-12


@pytest.mark.parametrize("weight", [1.0, 1e3, 1e6, 1e9, 1e12, 1e15])
def test_theorem_4_1_keeps_every_direction_or_refuses(weight: float) -> None:
    kernel = chain(1.0, weight)
    u = np.array([0.0, 1.0, 1.0 + 1e-6])
    exact = (1.0 + weight * (u[2] - u[1]) ** 2) / 2 + u.mean() ** 2  # of 2 L+ + 1
    if weight < 1e12:
        found = split_norm(kernel + ohm.Constant(1.0), kernel, u)
        assert found.sqnorm == pytest.approx(exact, rel=1e-6)
        assert found.first_sqnorm + found.second_sqnorm == pytest.approx(exact, rel=1e-5)
    else:
        with pytest.raises(KernelError, match=r"rounding hides what Theorem 4\.1 is about"):
            split_norm(kernel + ohm.Constant(1.0), kernel, u)


def connected(rng: np.random.Generator) -> dict[tuple[int, int], float]:
    n = int(rng.integers(2, 9))
    edges = {(int(rng.integers(k)), k): float(10.0 ** rng.uniform(-1, 1)) for k in range(1, n)}
    for a, b in rng.integers(n, size=(n, 2)).tolist():
        if a < b:
            edges.setdefault((a, b), float(10.0 ** rng.uniform(-1, 1)))
    return edges


def graph_of(edges: dict[tuple[int, int], float]) -> ohm.Graph:
    nodes = range(max(b for _, b in edges) + 1)
    return ohm.Graph.from_edges([(a, b, w) for (a, b), w in edges.items() if w > 0], nodes=nodes)


def weakened(edges: dict[tuple[int, int], float], rng: np.random.Generator) -> dict[tuple[int, int], float]:
    out = dict(edges)
    for pair in list(edges):
        kept = out[pair]
        out[pair] = kept * float(rng.choice([0.0, 0.3, 1.0]))
        if not graph_of(out).is_connected:
            out[pair] = kept
    return out


def falls(graph: ohm.Graph, weaker: ohm.Graph) -> float:
    """Corollary 3.1 holds; by how little, as a share."""
    found = monotonicity(graph, weaker)
    pairs = (
        (found.sqlength, found.weaker_sqlength),
        (found.resistance, found.weaker_resistance),
    )
    gaps = []
    for ours, theirs in pairs:
        assert np.all(ours <= theirs * (1 + 1e-9) + 1e-12)
        gaps.append(float(np.max(ours / np.maximum(theirs, 1e-300), initial=0.0)))
    return max(gaps)


@TIMES
def test_corollary_3_1_holds_for_every_weaker_graph(random: int, greedy: int) -> None:
    for seed in range(random):
        rng = np.random.default_rng(seed)
        edges = connected(rng)
        falls(graph_of(edges), graph_of(weakened(edges, rng)))
    for seed in range(greedy):  # weaken the one edge that the graph feels least, again and again
        edges = connected(np.random.default_rng(50_000 + seed))
        graph, left = graph_of(edges), dict(edges)
        for _ in range(2):
            choices = [{**left, pair: left[pair] * factor} for pair in left for factor in (0.0, 0.5)]
            choices = [c for c in choices if graph_of(c).is_connected]
            left = max(choices, key=lambda c: falls(graph, graph_of(c)))


def test_corollary_3_1_needs_each_of_its_assumptions_and_the_square() -> None:
    pair = ohm.Graph.from_edges([(0, 1)])
    apart = ohm.Graph.from_edges([], nodes=range(2))
    # Connected graphs: without its edge the pair has no resistance, and points of length 0.
    assert ohm.LaplacianKernel(pair).diagonal()[0] > ohm.LaplacianKernel(apart).diagonal()[0]
    with pytest.raises(GraphError, match="connected graphs without negative weights"):
        monotonicity(pair, apart)
    # No lighter edge: a heavier pair has the smaller resistance.
    heavy = ohm.Graph.from_edges([(0, 1, 2.0)])
    assert measure.resistance(pair, 0, 1) > measure.resistance(heavy, 0, 1)
    with pytest.raises(GraphError, match=r"nodes 0 and 1 is lighter by 1; exchange the graphs"):
        monotonicity(pair, heavy)
    # Positive weights: -0.5 is more than -1, and gives the longer points.
    signed = [ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, 1.0), (0, 2, w)], signed=True) for w in (-0.5, -1.0)]
    lengths = [ohm.LaplacianKernel(g).diagonal() for g in signed]
    assert np.any(lengths[0] > lengths[1])
    with pytest.raises(GraphError, match="negative"):
        monotonicity(*signed)
    with pytest.raises(GraphError, match=r"those of these \(2 and 3\) differ"):
        monotonicity(pair, generate.line(3).graph)
    # The square that the paper lacks: on a line of 12, ||v_p||^2 <= ||v_p|| is false.
    line = generate.line(12).graph
    assert falls(line, line) == pytest.approx(1)
    found = monotonicity(line, line)
    assert found.sqlength[0] > np.sqrt(found.weaker_sqlength[0])


def two_kernels(rng: np.random.Generator) -> tuple[MatrixKernel, MatrixKernel, np.ndarray]:
    n = int(rng.integers(1, 7))
    roots = [rng.normal(size=(n, int(rng.integers(1, n + 1)))) for _ in range(2)]
    one, two = (symmetric(root @ root.T) for root in roots)
    return one, two, (one.matrix + two.matrix) @ rng.normal(size=n)


def cost(one: MatrixKernel, two: MatrixKernel, part: np.ndarray, w: np.ndarray) -> float:
    """||w_1||^2 + ||w - w_1||^2 by pseudoinverses."""
    rest = w - part
    first, second = (np.linalg.pinv(k.matrix, rcond=1e-10, hermitian=True) for k in (one, two))
    return float(part @ first @ part + rest @ second @ rest)


def shared(one: MatrixKernel, two: MatrixKernel) -> np.ndarray:
    """A basis of what both kernels span, along which a split can move."""
    spans = [np.linalg.svd(k.matrix)[0][:, : np.linalg.matrix_rank(k.matrix, tol=1e-8)] for k in (one, two)]
    left, sizes, _ = np.linalg.svd(spans[0].T @ spans[1])
    return np.asarray(spans[0] @ left[:, : len(sizes)][:, sizes > 1 - 1e-9])


@TIMES
def test_theorem_4_1_is_the_least_of_all_splits(random: int, greedy: int) -> None:
    for seed in range(random):
        rng = np.random.default_rng(seed)
        one, two, w = two_kernels(rng)
        found = split_norm(one, two, w)
        size = max(1.0, float(np.abs(w).max()))
        np.testing.assert_allclose(found.first + found.second, w, atol=1e-6 * size)
        assert found.sqnorm == pytest.approx(found.first_sqnorm + found.second_sqnorm, rel=1e-6)
        assert found.sqnorm == pytest.approx((one + two).sqnorm(w), rel=1e-5)
        assert found.sqnorm == pytest.approx(cost(one, two, found.first, w), rel=1e-4, abs=1e-9)
        basis = shared(one, two)
        for scale in (1e-3, 1.0):
            other = found.first + basis @ (scale * rng.normal(size=basis.shape[1]))
            assert cost(one, two, other, w) >= found.sqnorm * (1 - 1e-4) - 1e-9
    for seed in range(greedy):  # from some split go downhill, one direction at a time
        rng = np.random.default_rng(50_000 + seed)
        one, two, w = two_kernels(rng)
        found, basis = split_norm(one, two, w), shared(one, two)
        part = found.first + basis @ rng.normal(size=basis.shape[1])
        for _ in range(20):
            for direction in basis.T:
                moves = [part + step * direction for step in (0.0, 1.0, -1.0, 0.1, -0.1, 0.01, -0.01)]
                part = min(moves, key=lambda p: cost(one, two, p, w))
        assert cost(one, two, part, w) >= found.sqnorm * (1 - 1e-4) - 1e-9


def test_theorem_4_1_needs_each_of_its_assumptions() -> None:
    # Parts within the two spaces: the constant costs nothing in L's seminorm, and lies outside the space of L+.
    line = generate.line(3).graph
    ridge = MatrixKernel(np.eye(3))
    kernel = MatrixKernel(ohm.LaplacianKernel(line).space.matrix)
    constant = np.ones(3)
    found = split_norm(kernel, ridge, constant)
    assert found.sqnorm == pytest.approx(3)
    laplacian = line.laplacian().toarray()
    assert constant @ laplacian @ constant + 0.0 < found.sqnorm
    # w within the space of the sum.
    with pytest.raises(KernelError, match="outside the space of the two kernels"):
        split_norm(kernel, kernel, constant)
    # Positive matrices: with M_1 = -1 and M_2 = 1/2 the sum has the norm 1, and the splits have no least one.
    assert 1 / (1 / -1.0 + 1 / 0.5) == 1
    assert -(100.0**2) + 0.5 * (1 - 100.0) ** 2 < 1
    with pytest.raises(KernelError, match="differ"):
        split_norm(ridge, MatrixKernel(np.eye(2)), constant)


def test_theorem_4_1_explains_the_ridge() -> None:
    """Lemma 4.1 by the split that its proof names: the clean labelling and what is odd about the noisy one."""
    family = generate.noisy_barbell(8, 2)
    kernel = ohm.LaplacianKernel(family.graph) + ohm.Constant(1.0)
    found = split_norm(kernel, MatrixKernel(2.0 * np.eye(16)), family.labels)
    assert found.sqnorm == pytest.approx((kernel + ohm.Ridge(2.0)).sqnorm(family.labels))
    odd = family.labels - family.clean
    assert found.sqnorm <= kernel.sqnorm(family.clean) + float(odd @ odd) / 2.0


def test_equation_14_a_ridge_pays_four_over_c_for_each_odd_label() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n, c = int(rng.integers(1, 8)), float(10.0 ** rng.uniform(-2, 2))
        kernel = symmetric(np.linalg.inv(definite(rng, n)))
        u, noisy = rng.choice([-1.0, 1.0], size=(2, n))
        odd = int(np.sum(u != noisy))
        ridged = MatrixKernel(kernel.matrix + c * np.eye(n))
        assert ridged.sqnorm(noisy) <= (kernel.sqnorm(u) + 4 * odd / c) * (1 + 1e-7)


def test_lemma_3_1_the_shortest_function_through_a_point() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        graph = graph_of(connected(rng))
        kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.7)
        node = int(rng.integers(graph.n))
        column = kernel.column(node)
        least = column / column[node]
        assert least[node] == 1
        assert kernel.sqnorm(least) == pytest.approx(1 / column[node], rel=1e-6)
        other = least + rng.normal(size=graph.n) * 10.0 ** rng.uniform(-3, 0)
        other[node] = 1
        assert kernel.sqnorm(other) >= (1 - 1e-9) / column[node]
