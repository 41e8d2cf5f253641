"""OnlineLGC and SSLGC against Algorithms 1 and 2 written out with a full inverse at every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.check import Subject
from ohmline.errors import KernelError, LabelError, ParameterError, SnapshotError, UnknownNode


@dataclass
class Literal:
    """What the algorithm boxes of paper 004 do, trial by trial."""

    margin: list[float]
    variance: list[float]
    asked: list[bool]
    updated: list[bool]
    weights: np.ndarray

    @classmethod
    def play(
        cls,
        rows: np.ndarray,
        labels: np.ndarray,
        mu: float,
        *,
        kappa: float | None = None,
        every: bool = False,
        before: bool = False,
    ) -> Literal:
        d = rows.shape[1]
        a, b, w = mu * np.eye(d), np.zeros(d), np.zeros(d)
        out = cls([], [], [], [], w)
        for t, (m, y) in enumerate(zip(rows, labels, strict=True), start=1):
            margin = float(w @ m)
            r = float(m @ np.linalg.inv(a if before else a + np.outer(m, m)) @ m)
            asked = kappa is None or r > t**-kappa
            updated = asked and (every or margin * y <= 1e-9)
            if updated:
                a = a + np.outer(m, m)
                b = b + y * m
                w = np.linalg.inv(a) @ b
            for column, value in zip(
                (out.margin, out.variance, out.asked, out.updated),
                (margin, r, asked, updated),
                strict=True,
            ):
                column.append(value)
        out.weights = w
        return out


def wheel(n: int, chords: int, seed: int) -> ohm.Graph:
    """A ring with random chords: connected, without the symmetries that make ties."""
    rng = np.random.default_rng(seed)
    edges = [(k, (k + 1) % n) for k in range(n)]
    extra = {tuple(sorted(pair)) for pair in rng.integers(n, size=(chords, 2)).tolist() if pair[0] != pair[1]}
    return ohm.Graph.from_edges(sorted({tuple(sorted(e)) for e in edges} | extra))


def clusters(n: int, seed: int) -> tuple[ohm.Graph, np.ndarray]:
    """Four noisy groups and a labelling with some odd nodes."""
    rng = np.random.default_rng(seed)
    group = rng.integers(4, size=n)
    edges = {(min(k, k + 1), k + 1) for k in range(n - 1)}
    for i in range(n):
        for j in rng.choice(np.flatnonzero(group == group[i]), 4).tolist():
            if i != j:
                edges.add((min(i, j), max(i, j)))
    labels = np.where((group < 2) ^ (rng.random(n) < 0.05), 1, -1)
    return ohm.Graph.from_edges(sorted(edges)), labels


def near_a_decision(margin: float, variance: float, t: int, kappa: float | None) -> bool:
    """Two sound ways of summing may part here."""
    return abs(margin) < 1e-7 or (kappa is not None and abs(variance - t**-kappa) < 1e-7)


def agree(trace: ohm.Trace, oracle: Literal, kappa: float | None) -> int:
    """Trials that agree, up to the first that rounding may decide."""
    for t in range(len(trace)):
        assert trace.margin[t] == pytest.approx(oracle.margin[t], rel=1e-6, abs=1e-8)
        if kappa is not None:
            assert trace.variance[t] == pytest.approx(oracle.variance[t], rel=1e-6, abs=1e-10)
        started = any(oracle.updated[:t])  # until then the margin is 0 for both
        if near_a_decision(oracle.margin[t] if started else 1.0, oracle.variance[t], t + 1, kappa):
            return t
        assert trace.asked_at[t] == oracle.asked[t]
        assert trace.updated[t] == oracle.updated[t]
    return len(trace)


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("every", [False, True])
@settings(max_examples=20)
@given(
    seed=st.integers(0, 10**6),
    mu=st.sampled_from([1e-3, 0.1, 1.0, 7.0]),
    kappa=st.sampled_from([None, 0.1, 0.4, 0.9]),
)
def test_follows_the_algorithm_boxes(
    before: bool, every: bool, seed: int, mu: float, kappa: float | None
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 25))
    graph = wheel(n, n // 2, seed)
    kernel = ohm.SpectralKernel(graph, rank=int(rng.integers(1, n + 1)), shift=0.05)
    order = rng.integers(n, size=2 * n)
    labels = rng.choice([-1, 1], size=n)[order]
    learner = ohm.OnlineLGC(
        kernel,
        mu,
        mistake_driven=not every,
        variance=ohm.Variance.BEFORE if before else ohm.Variance.AFTER,
    )
    query = ohm.Always() if kappa is None else ohm.VarianceAbove(kappa)
    trace = ohm.play(learner, ohm.Stream(order, labels), query)
    oracle = Literal.play(kernel.space.rows[order], labels, mu, kappa=kappa, every=every, before=before)
    if agree(trace, oracle, kappa) == len(trace):
        np.testing.assert_allclose(learner.state.weights, oracle.weights, rtol=1e-6, atol=1e-7)


def test_every_label_learned_is_kernel_ridge_regression() -> None:
    """Over the exact kernel, the margins are k'(K + mu I)^-1 y: the dual, with no features at all."""
    graph = wheel(18, 9, seed=3)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.7)
    rng = np.random.default_rng(0)
    order, labels = rng.permutation(18), rng.choice([-1, 1], size=18)
    learner = ohm.OnlineLGC(kernel, 0.3, mistake_driven=False)
    matrix = kernel.space.matrix
    for t, (i, y) in enumerate(zip(order, labels, strict=True)):
        past = order[:t]
        gram = matrix[np.ix_(past, past)] + 0.3 * np.eye(t)
        coefficients = np.linalg.solve(gram, np.column_stack([labels[:t], matrix[past, i]]))
        view = learner.view_one(int(i))
        assert view.margin == pytest.approx(float(matrix[i, past] @ coefficients[:, 0]), abs=1e-9)
        posterior = float(matrix[i, i] - matrix[i, past] @ coefficients[:, 1])
        q = posterior / 0.3
        assert learner.variance_one(int(i)) == pytest.approx(q / (1 + q), rel=1e-8)
        learner.learn_one(int(i), int(y))


def test_a_ridge_in_the_kernel_becomes_features() -> None:
    graph = wheel(9, 4, seed=1)
    plain = ohm.SpectralKernel(graph, rank=3) + ohm.Ridge(0.5)
    learner = ohm.OnlineLGC(plain, 1.0, mistake_driven=False)
    learner.learn_one(0, 1)
    matrix = plain.column(0)
    assert learner.margin_one(0) == pytest.approx(matrix[0] / (matrix[0] + 1.0))
    assert learner.margin_one(4) == pytest.approx(matrix[4] / (matrix[0] + 1.0))


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize(
    "query", [ohm.VarianceAbove(0.4), ohm.VarianceAbove(0.9), ohm.GapBelow(0.5, repeats=0)]
)
def test_blocks_ahead_give_the_predictions_of_the_stream(every: bool, query: ohm.query.StreamQuery) -> None:
    graph, labels = clusters(700, seed=5)
    kernel = ohm.SpectralKernel(graph, rank=40, shift=1e-3)
    stream = ohm.Stream(np.arange(700), labels).shuffled(seed=1).repeated(2)
    for mu in (1e-3, 1.0):
        ahead = ohm.OnlineLGC(kernel, mu, mistake_driven=not every)
        steady = ohm.OnlineLGC(kernel, mu, mistake_driven=not every, blocked=False)
        fast, slow = ohm.play(ahead, stream, query), ohm.play(steady, stream, query)
        assert 0 < fast.asked < len(stream)
        for name in ("asked", "updated", "prediction"):
            np.testing.assert_array_equal(getattr(fast.log, name), getattr(slow.log, name), err_msg=name)
        for name in ("margin", "variance", "progress"):
            np.testing.assert_allclose(
                getattr(fast.log, name), getattr(slow.log, name), rtol=1e-6, atol=1e-9, err_msg=name
            )
        np.testing.assert_allclose(ahead.state.inverse, steady.state.inverse, rtol=1e-6, atol=1e-6 / mu)
        np.testing.assert_allclose(ahead.state.weights, steady.state.weights, rtol=1e-6, atol=1e-8)


def test_a_budget_stops_inside_a_block() -> None:
    graph, labels = clusters(300, seed=2)
    kernel = ohm.SpectralKernel(graph, rank=40)
    stream = ohm.Stream(np.arange(300), labels).shuffled(seed=0)
    query = ohm.Budget(ohm.VarianceAbove(0.9), labels=37)
    trace = ohm.play(ohm.OnlineLGC(kernel), stream, query)
    slow = ohm.play(ohm.OnlineLGC(kernel, blocked=False), stream, query)
    assert trace.asked == 37
    np.testing.assert_array_equal(trace.asked_at, slow.asked_at)


def test_single_precision_makes_nearly_the_same_mistakes() -> None:
    graph, labels = clusters(600, seed=7)
    kernel = ohm.SpectralKernel(graph, rank=40)
    stream = ohm.Stream(np.arange(600), labels).shuffled(seed=1)
    for query in (ohm.Always(), ohm.VarianceAbove(0.4)):
        double = ohm.play(ohm.OnlineLGC(kernel, 0.1), stream, query)
        learner = ohm.OnlineLGC(kernel, 0.1, dtype=np.float32)
        single = ohm.play(learner, stream, query)
        assert learner.state.inverse.dtype == np.float32
        assert np.count_nonzero(single.log.prediction != double.log.prediction) <= 6
        assert single.mistakes < 200


def test_the_variance_falls_only_where_labels_are_learned() -> None:
    graph, _ = clusters(60, seed=0)
    learner = ohm.OnlineLGC(ohm.SpectralKernel(graph, rank=10), mistake_driven=False)
    before = [learner.variance_one(x) for x in range(60)]
    learner.learn_one(3, None)
    assert [learner.variance_one(x) for x in range(60)] == before
    learner.learn_one(3, 1)
    after = np.array([learner.variance_one(x) for x in range(60)])
    assert np.all(after <= np.array(before) + 1e-12)
    assert after[3] < before[3]


def test_a_variance_is_computed_only_where_somebody_asks_for_it() -> None:
    graph, labels = clusters(40, seed=0)
    learner = ohm.OnlineLGC(ohm.SpectralKernel(graph, rank=5))
    assert np.isnan(learner.view_one(0).variance)
    assert learner.variance_one(0) > 0
    assert np.isnan(ohm.play(learner, ohm.Stream(range(40), labels)).variance).all()


@settings(max_examples=15)
@given(data=st.data())
def test_keeps_the_laws(data: st.DataObject) -> None:
    every = data.draw(st.booleans())
    dtype = data.draw(st.sampled_from([np.float64, np.float32]))

    def kernel(graph: ohm.Graph) -> ohm.Kernel:
        return ohm.SpectralKernel(graph, rank=graph.n, shift=0.1)

    subject = Subject(
        make=lambda g: ohm.OnlineLGC(kernel(g), 0.5, mistake_driven=not every),
        restore=lambda state, g: ohm.OnlineLGC.restore(state, kernel(g)),
    )
    graph, stream, _ = data.draw(games(named=data.draw(st.booleans())))
    query = data.draw(st.sampled_from([ohm.Always(), ohm.VarianceAbove(0.4), ohm.GapBelow(0.3)]))
    ohm.check.learner(subject, graph, stream.label_rate(0.9), query=query)
    learner = ohm.OnlineLGC(kernel(graph), 0.5, mistake_driven=not every, dtype=dtype)
    ohm.play(learner, stream)
    again = ohm.OnlineLGC.restore(learner.snapshot(), kernel(graph))
    assert again.snapshot().keys() == learner.snapshot().keys()
    for x in graph.nodes:
        assert again.view_one(x) == learner.view_one(x)


@pytest.mark.parametrize("mu", [0.0, -1.0, float("nan"), float("inf"), "much"])
def test_mu_must_be_positive(mu: object) -> None:
    kernel = ohm.SpectralKernel(wheel(6, 2, 0), rank=3)
    with pytest.raises(ParameterError, match="mu must be"):
        ohm.OnlineLGC(kernel, mu)


def test_rank_above_n_is_refused() -> None:
    with pytest.raises(ParameterError, match="rank 7 is above the number of nodes, 6"):
        ohm.OnlineLGC(ohm.SpectralKernel(wheel(6, 2, 0), rank=7))


def test_other_bad_options_are_named() -> None:
    kernel = ohm.SpectralKernel(wheel(6, 2, 0), rank=3)
    with pytest.raises(ParameterError, match=r"Variance\.AFTER"):
        ohm.OnlineLGC(kernel, variance="before")
    with pytest.raises(ParameterError, match="float32"):
        ohm.OnlineLGC(kernel, dtype=np.int64)
    with pytest.raises(ParameterError, match="must be a Kernel"):
        ohm.OnlineLGC(wheel(6, 2, 0))


def test_bad_events_change_nothing() -> None:
    graph, labels = clusters(30, seed=1)
    learner = ohm.OnlineLGC(ohm.SpectralKernel(graph, rank=6))
    ohm.play(learner, ohm.Stream(range(20), labels[:20]))
    kept = {name: array.copy() for name, array in learner.snapshot().items()}
    with pytest.raises(UnknownNode, match="unknown node 99"):
        learner.learn_one(99, 1)
    with pytest.raises(LabelError, match="not -1 or \\+1"):
        learner.learn_one(3, 2)
    with pytest.raises(LabelError, match="not -1 or \\+1"):
        ohm.play(learner, ohm.Stream([1, 2, 3], [1, -1, 5]))
    with pytest.raises(UnknownNode, match="unknown node 30"):
        ohm.play(learner, ohm.Stream([1, 2, 30], [1, -1, 1]))
    for name, array in learner.snapshot().items():
        np.testing.assert_array_equal(array, kept[name])


def test_a_snapshot_of_another_rank_is_refused() -> None:
    graph = wheel(8, 3, 0)
    state = ohm.OnlineLGC(ohm.SpectralKernel(graph, rank=3)).snapshot()
    with pytest.raises(SnapshotError, match="another graph or kernel"):
        ohm.OnlineLGC.restore(state, ohm.SpectralKernel(graph, rank=4))


def test_columns_on_demand_are_refused() -> None:
    class OnDemand(ohm.Kernel):
        @property
        def nodes(self) -> ohm.graph.NodeIndex:
            return ohm.graph.NodeIndex(2)

        @property
        def component_of(self) -> np.ndarray:
            return np.zeros(2, np.int64)

        @property
        def space(self) -> ohm.kernel.space.Columns:
            return ohm.kernel.space.Columns.empty(2, np.ones(2))

        def sqnorm(self, u: np.ndarray) -> float:
            return 0.0

    with pytest.raises(KernelError, match="SpectralKernel"):
        ohm.OnlineLGC(OnDemand())


def test_a_mu_that_rounding_swallows_is_refused() -> None:
    path = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
    kernel = ohm.SpectralKernel(path, rank=5)
    for make in (ohm.OnlineLGC, lambda k, mu, **o: ohm.SharedLGC(k, None, mu, **o)):
        for mu, dtype in ((1e-15, np.float64), (1e-300, np.float64), (1e-5, np.float32)):
            with pytest.raises(ParameterError, match="but rounding; use at least"):
                make(kernel, mu, dtype=dtype)
        trace = ohm.play(make(kernel, 1e-9), ohm.Stream([*range(10)] * 3, ([1] * 5 + [-1] * 5) * 3))
        assert np.isfinite(trace.margin).all()
