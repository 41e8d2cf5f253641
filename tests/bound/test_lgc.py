"""Paper 004's theorems: what holds is never beaten, and what is printed wrong is shown to be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.bound import LabelComplexity, OnlineLGCBound, OnlineLGCRegret
from ohmline.bound.asked_trials import evidence
from ohmline.bound.lgc import label_ceiling, ridge_of
from ohmline.errors import LearnerError, ParameterError

Game = tuple[ohm.Graph, ohm.Stream, np.ndarray]
MUS = st.sampled_from([1e-3, 0.1, 1.0, 5.0])


def kernel_of(graph: ohm.Graph, rank: int = 6) -> ohm.Kernel:
    return ohm.SpectralKernel(graph, rank=min(rank, graph.n), shift=0.1)


def point(mu: float = 1.0, *, mistake_driven: bool = True) -> ohm.OnlineLGC:
    """One node with the feature m = 1: d = 1."""
    lone = ohm.Graph.from_edges([], nodes=[0])
    return ohm.OnlineLGC(ohm.SpectralKernel(lone, rank=1, shift=1.0), mu, mistake_driven=mistake_driven)


def contrary(trials: int) -> ohm.Trace:
    """Labels that are never what the learner says."""
    learner = point()
    labels = []
    for _ in range(trials):
        labels.append(-learner.predict_one(0))
        learner.learn_one(0, labels[-1])
    return ohm.play(point(), ohm.Stream([0] * trials, labels))


@given(game=games(), mu=MUS, every=st.booleans())
def test_the_losses_over_their_variances_are_the_minimum(game: Game, mu: float, every: bool) -> None:
    """sum_U (y - margin)^2 / (1 + q) = min_u {sum_U (u . m - y)^2 + mu ||u||^2}, exactly."""
    graph, stream, _ = game
    kernel = kernel_of(graph)
    trace = ohm.play(ohm.OnlineLGC(kernel, mu, mistake_driven=not every), stream)
    moved = trace.updated
    rows = kernel.space.rows[graph.nodes.positions(stream.nodes)[moved]]
    labels = np.array(trace.labels, dtype=float)[moved]
    q, a = [], mu * np.eye(rows.shape[1])
    for m in rows:
        q.append(float(m @ np.linalg.solve(a, m)))
        a += np.outer(m, m)
    u = np.linalg.solve(a, rows.T @ labels)
    least = float(np.sum((rows @ u - labels) ** 2) + mu * u @ u)
    played = float(np.sum((labels - trace.margin[moved]) ** 2 / (1 + np.array(q))))
    assert played == pytest.approx(least, rel=1e-6, abs=1e-9)
    ridge = ridge_of(trace, evidence(trace, ohm.OnlineLGC))
    np.testing.assert_allclose(ridge.q, q, rtol=1e-6, atol=1e-9)
    certificate = OnlineLGCBound().certify(trace)
    assert certificate.terms["loss"] + certificate.terms["penalty"] == pytest.approx(least, rel=1e-6)
    after = np.array(q) / (1 + np.array(q))
    charged = trace.charged[moved]
    assert certificate.terms["variance"] == pytest.approx(float(after[charged].sum()), rel=1e-6, abs=1e-12)


@settings(max_examples=200)
@given(game=games(max_nodes=10), mu=MUS, every=st.booleans(), data=st.data())
def test_never_beaten(game: Game, mu: float, every: bool, data: st.DataObject) -> None:
    graph, stream, labelling = game
    query = data.draw(st.sampled_from([ohm.Always(), ohm.RandomRate(0.6), ohm.VarianceAbove(0.5)]))
    noisy = stream.with_label_noise(data.draw(st.sampled_from([0.0, 0.3])), seed=1)
    trace = ohm.play(ohm.OnlineLGC(kernel_of(graph), mu, mistake_driven=not every), noisy, query)
    for bound in (OnlineLGCBound(), OnlineLGCRegret()):
        live, hindsight = bound.certify(trace), bound.certify(trace, labelling)
        for certificate in (live, hindsight):
            assert certificate.proven
            assert certificate.charged == int((trace.charged & trace.asked_at).sum())
            assert certificate.charged <= certificate.value * (1 + 1e-9)
        assert live.value <= hindsight.value * (1 + 1e-9) or bound.__class__ is OnlineLGCRegret
        if isinstance(bound, OnlineLGCRegret):
            for certificate in (live, hindsight):
                terms = certificate.terms
                assert terms["regret"] <= terms["regret_bound"] * (1 + 1e-9) + 1e-9


def test_corollary_5_is_false_as_printed() -> None:
    """1000 mistakes; min_f |f - y|^2/2 + mu f'Lf/2 + gamma d log(1 + TB/(d mu)) = 506.9 at f = 0."""
    trace = contrary(1000)
    printed = 0.5 * 1000 + np.log(1 + 1000)  # u = 0: gamma = 1, B = 1, mu = 1, d = 1
    assert printed == pytest.approx(506.9, abs=0.05)
    assert int(trace.charged.sum()) == 1000 > printed
    certificate = OnlineLGCBound().certify(trace)
    assert certificate.proven
    assert 1000 <= certificate.value <= 1000 + np.log(1001) + 1


def test_theorem_4_costs_two_mu_phi() -> None:
    """In the exact space of a balanced labelling, (mu/2)||u||^2 is 2 mu Phi, not mu Phi."""
    ring = ohm.Graph.from_edges([(k, (k + 1) % 10) for k in range(10)])
    labelling = np.array([1] * 5 + [-1] * 5)
    learner = ohm.OnlineLGC(ohm.LaplacianKernel(ring), 0.7)
    trace = ohm.play(learner, ohm.Stream(range(10), labelling).shuffled(seed=2).repeated(3))
    certificate = OnlineLGCRegret().certify(trace, labelling)
    cut = 2.0  # two edges join the halves
    assert certificate.terms["penalty"] == pytest.approx(2 * 0.7 * cut)
    assert certificate.proven


def test_a_learner_that_was_not_fresh_has_no_certificate() -> None:
    ring = ohm.Graph.from_edges([(k, (k + 1) % 10) for k in range(10)])
    learner = ohm.OnlineLGC(kernel_of(ring), 0.1)
    stream = ohm.Stream(range(10), [1] * 5 + [-1] * 5).shuffled(seed=3)
    ohm.play(learner, stream)
    learned = ohm.play(learner, ohm.Stream(range(10), [1, -1] * 5))
    certificate = OnlineLGCBound().certify(learned)
    assert not certificate.valid
    assert "void" in str(certificate)


def test_other_learners_are_refused() -> None:
    ring = ohm.Graph.from_edges([(0, 1)])
    trace = ohm.play(ohm.Perceptron(kernel_of(ring)), ohm.Stream([0], [1]))
    with pytest.raises(LearnerError, match="OnlineLGC"):
        OnlineLGCBound().certify(trace)
    with pytest.raises(ParameterError, match="kappa"):
        LabelComplexity(1.5)


@settings(max_examples=100)
@given(game=games(), mu=MUS, kappa=st.sampled_from([0.1, 0.4, 0.8, 1.0]))
def test_label_complexity_holds_where_every_label_is_learned(game: Game, mu: float, kappa: float) -> None:
    graph, stream, _ = game
    learner = ohm.OnlineLGC(kernel_of(graph), mu, mistake_driven=False)
    trace = ohm.play(learner, stream.repeated(10), ohm.VarianceAbove(kappa))
    certificate = LabelComplexity(kappa).certify(trace)
    assert certificate.proven
    assert certificate.charged == trace.asked
    assert trace.asked <= certificate.value * (1 + 1e-9)
    assert trace.asked <= certificate.terms["in_hindsight"] * (1 + 1e-9)
    d, b, n = certificate.terms["rank"], certificate.terms["sqradius"], trace.asked
    assert n <= len(trace) ** kappa * d * np.log1p(n * b / (mu * d)) * (1 + 1e-9)


def test_label_complexity_is_false_with_mistake_driven_updates() -> None:
    """One node, one label: learned once, right ever after, and asked for ever after."""
    stream = ohm.Stream([0] * 10_000, [1] * 10_000)
    trace = ohm.play(point(), stream, ohm.VarianceAbove(0.4))
    certificate = LabelComplexity(0.4).certify(trace)
    assert trace.asked > 9_900 > 10 * certificate.value
    assert not certificate.valid
    patient = ohm.play(point(mistake_driven=False), stream, ohm.VarianceAbove(0.4))
    assert patient.asked <= LabelComplexity(0.4).certify(patient).value < 300
    assert "labels" in str(LabelComplexity(0.4).certify(patient))
    assert str(certificate).startswith("nothing is certified (paper 004, Theorem 7")


def test_label_complexity_needs_the_right_query() -> None:
    trace = ohm.play(point(mistake_driven=False), ohm.Stream([0] * 500, [1] * 500))
    certificate = LabelComplexity(0.4).certify(trace)
    assert trace.asked == 500
    assert [a.holds for a in certificate.assumptions] == [True, False, True]


@given(
    trials=st.integers(1, 10**6),
    kappa=st.floats(0, 1),
    d=st.integers(1, 200),
    b=st.floats(1e-6, 1e6),
    mu=st.floats(1e-6, 1e3),
)
def test_the_ceiling_is_the_largest_root(trials: int, kappa: float, d: int, b: float, mu: float) -> None:
    ceiling = label_ceiling(trials, kappa, d, b, mu)

    def right(n: float) -> float:
        return float(trials**kappa * d * np.log1p(n * b / (mu * d)))

    assert 0 <= ceiling <= trials
    if ceiling < trials:
        assert right(ceiling + 1e-3 * (1 + ceiling)) < ceiling + 1e-3 * (1 + ceiling)
    else:
        assert right(trials) >= trials * (1 - 1e-6)
