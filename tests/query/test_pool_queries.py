"""Every pool query chooses what a refit per choice would choose, and refuses learners that it cannot read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ohmline as ohm
import refitted
from ohmline.errors import KernelError, LearnerError, ParameterError
from ohmline.query import covariance
from ohmline.query.meeting import met
from refitted import Refitted


def weighted_graph(seed: int, n: int = 40) -> ohm.Graph:
    rng = np.random.default_rng(seed)
    edges = {(int(rng.integers(k)), k) for k in range(1, n)}
    edges |= {tuple(sorted(int(v) for v in rng.choice(n, 2, replace=False))) for _ in range(n)}
    return ohm.Graph.from_edges(
        [(a, b, float(rng.uniform(0.2, 3))) for a, b in sorted(edges)], nodes=range(n)
    )


def taught(seed: int, labels: int = 6, **options: Any) -> ohm.LocalLGC:
    learner = ohm.LocalLGC(weighted_graph(seed), classes=["a", "b", "c"], **options)
    rng = np.random.default_rng(seed)
    for place, node in enumerate(rng.choice(40, labels, replace=False).tolist()):
        learner.learn_one(node, "abc"[place % 3])
    return learner


QUERIES: list[tuple[Any, Any]] = [
    (ohm.Uncertainty(), refitted.gap),
    (ohm.SigmaOptimal(), refitted.sigma),
    (ohm.VOptimal(candidates=40), refitted.trace),
    (ohm.Contested(), refitted.contested),
    (ohm.ModelChange(candidates=40), refitted.change),
    (ohm.FarthestFirst(), refitted.variance),
    (ohm.ErrorReduction(candidates=40), refitted.saved),
]


@pytest.mark.parametrize(("query", "score"), QUERIES, ids=lambda q: getattr(q, "__name__", repr(q)))
@pytest.mark.parametrize("seed", range(4))
def test_a_batch_is_that_of_a_refit_before_every_choice(query: Any, score: Any, seed: int) -> None:
    learner = taught(seed, ridge=0.05, mu=0.4)
    assert list(ohm.suggest(learner, 8, query)) == Refitted(learner).batch(score, 8)


@pytest.mark.parametrize(("query", "score"), QUERIES, ids=lambda q: getattr(q, "__name__", repr(q)))
def test_a_learner_that_went_on_is_met_as_if_for_the_first_time(query: Any, score: Any) -> None:
    learner = taught(9)
    for step in range(12):  # the field is kept from one meeting to the next
        (node,) = ohm.suggest(learner, 1, query)
        assert [node] == Refitted(learner).batch(score, 1)
        if step == 5:
            learner.forget_one(
                node if learner.label_one(node) else next(x for x in range(40) if learner.label_one(x))
            )
        if step == 7:
            learner.learn_one(next(x for x in range(40) if learner.label_one(x) == "a"), "c")
        learner.learn_one(node, "abc"[step % 3])


def test_a_field_follows_a_graph_that_grows_and_classes_that_come() -> None:
    learner = ohm.LocalLGC(weighted_graph(3))
    learner.learn_one(0, "a")
    ohm.suggest(learner, 2)
    learner.learn_one(5, "b")
    learner.add_node("new")
    learner.add_edge("new", 7, 2.0)
    assert "new" in list(ohm.suggest(learner, 50))
    with met(learner, None, variance=True) as field:
        learner.refine(1e-12)
        want = np.array([list(learner.scores_one(x).values()) for x in learner.nodes])
        np.testing.assert_allclose(field.mean, want, atol=1e-9)


def test_many_labels_between_two_meetings_make_a_field_afresh() -> None:
    line = ohm.Graph.from_edges([(k, k + 1) for k in range(700)])
    learner, other = ohm.LocalLGC(line), ohm.LocalLGC(line)
    for node in range(0, 600, 2):
        learner.learn_one(node, "ab"[node % 4 // 2])
        other.learn_one(node, "ab"[node % 4 // 2])
        if node == 2:
            ohm.suggest(learner, 1)
    assert list(ohm.suggest(learner, 3)) == list(ohm.suggest(other, 3))


def test_without_a_factor_conjugate_gradients_choose_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = taught(5)
    wanted = list(ohm.suggest(learner, 5, ohm.Uncertainty()))
    with met(learner, None, variance=True) as field:
        exact, lengths = field.variance.copy(), field.sqlengths()
    monkeypatch.setattr(covariance, "FILL_LIMIT", 0)
    again = taught(5)
    assert list(ohm.suggest(again, 5, ohm.Uncertainty())) == wanted
    with met(again, None, variance=True) as field:
        assert isinstance(field.covariance, covariance.Iterated)
        np.testing.assert_allclose(field.variance, exact, rtol=0.5)
        np.testing.assert_allclose(field.sqlengths(), lengths, rtol=1e-5)


def test_the_lengths_of_columns_are_estimated_well_and_kept_up() -> None:
    learner = taught(2)
    with met(learner, None, variance=True) as field:
        branch = field.branch()
        branch.sqlengths()
        branch.condition(3, 1)
        exact = np.array([(branch.column(i) ** 2).sum() for i in range(40)])
        estimate = branch.sqlengths()
        fresh = field.branch()
        fresh.condition(3, 1)
        np.testing.assert_allclose(estimate, fresh.sqlengths(), rtol=1e-9)
        assert np.corrcoef(np.log(exact), np.log(estimate))[0, 1] > 0.9
        assert abs(np.log(estimate / exact)).mean() < 0.3


def test_a_linear_learner_is_conditioned_as_it_would_learn() -> None:
    kernel = ohm.SpectralKernel(weighted_graph(1), rank=8)
    learner = ohm.SharedLGC(kernel, classes=["a", "b"])
    for node, label in ((0, "a"), (9, "b"), (17, "a")):
        learner.learn_one(node, label)
    with met(learner, None, variance=True) as field:
        branch = field.branch()
        branch.condition(30, 1)
    learner.learn_one(30, "b")
    with met(learner, None, variance=True) as after:
        np.testing.assert_allclose(branch.mean, after.mean, atol=1e-9)
        np.testing.assert_allclose(branch.variance, after.variance, atol=1e-9)
        np.testing.assert_allclose(branch.column(4), after.column(4), atol=1e-9)
        r = np.array([learner.variance_one(x) for x in range(40)])
        np.testing.assert_allclose(after.variance, r / (1 - r), rtol=1e-6)


def test_minimum_norm_interpolation_is_conditioned_as_it_would_learn() -> None:
    kernel = ohm.LaplacianKernel(weighted_graph(6)) + ohm.Constant(2.0)
    learner = ohm.Projection.min_norm(kernel)
    for node, label in ((0, 1), (9, -1), (17, 1)):
        learner.learn_one(node, label)
    with met(learner, None, variance=True) as field:
        branch = field.branch()
        branch.condition(30, 0)
    learner.learn_one(30, -1)
    with met(learner, None, variance=True) as after:
        np.testing.assert_allclose(branch.mean, after.mean, atol=1e-9)
        seen = [0, 9, 17, 30]
        matrix = np.array([kernel.column(x) for x in range(40)])
        left = matrix - matrix[:, seen] @ np.linalg.solve(matrix[np.ix_(seen, seen)], matrix[seen])
        np.testing.assert_allclose(after.variance, np.diag(left), atol=1e-8)


def binary_learners() -> list[Any]:
    kernel = ohm.LaplacianKernel(weighted_graph(4)) + ohm.Constant(1.0)
    spectral = ohm.SpectralKernel(weighted_graph(4), rank=6)
    return [
        ohm.Perceptron(kernel),
        ohm.PassiveAggressive(kernel),
        ohm.Pounce(kernel),
        ohm.Projection.one_proj(kernel),
        ohm.Projection.min_norm(kernel),
        ohm.OnlineLGC(spectral),
        ohm.NearestNeighbour(weighted_graph(4)),
    ]


@pytest.mark.parametrize("learner", binary_learners(), ids=lambda x: type(x).__name__)
def test_every_learner_is_given_suggestions(learner: Any) -> None:
    for node, label in ((0, 1), (20, -1), (31, 1)):
        learner.learn_one(node, label)
    rest = [x for x in range(40) if x not in (0, 20, 31)]
    found = list(ohm.suggest(learner, 6, nodes=rest))
    assert len(set(found)) == 6
    assert set(found) <= set(rest)


def many_class_learners() -> list[Any]:
    kernel = ohm.LaplacianKernel(weighted_graph(4)) + ohm.Constant(1.0)
    spectral = ohm.SpectralKernel(weighted_graph(4), rank=6)
    return [
        ohm.SharedLGC(spectral),
        ohm.OneVsRest(lambda: ohm.Perceptron(kernel)),
        ohm.OneVsRest(lambda: ohm.OnlineLGC(spectral)),
        ohm.LocalLGC(weighted_graph(4)),
    ]


@pytest.mark.parametrize("learner", many_class_learners(), ids=lambda x: type(x).__name__)
def test_learners_of_many_classes_before_and_after_their_first_label(learner: Any) -> None:
    assert len(set(ohm.suggest(learner, 4, nodes=range(40)))) == 4
    for node, label in ((0, "a"), (20, "b"), (31, "c")):
        learner.learn_one(node, label)
    rest = [x for x in range(40) if x not in (0, 20, 31)]
    found = list(ohm.suggest(learner, 6, nodes=rest))
    assert len(set(found)) == 6
    assert set(found) <= set(rest)


@pytest.mark.parametrize(
    "query",
    [
        ohm.SigmaOptimal(),
        ohm.VOptimal(),
        ohm.Contested(),
        ohm.ErrorReduction(),
        ohm.ModelChange(),
        ohm.FarthestFirst(),
    ],
    ids=repr,
)
def test_a_query_that_needs_a_variance_refuses_a_learner_without_one(query: Any) -> None:
    learner = ohm.Perceptron(ohm.LaplacianKernel(weighted_graph(4)) + ohm.Constant(1.0))
    with pytest.raises(LearnerError, match=f"{type(query).__name__}.*Perceptron.*Uncertainty"):
        ohm.suggest(learner, 3, query, nodes=range(40))


def test_uncertainty_over_margins_refuses_a_learner_without_a_kernel() -> None:
    with pytest.raises(LearnerError, match=r"NearestNeighbour.*MinMargin"):
        ohm.suggest(ohm.NearestNeighbour(weighted_graph(4)), 3, ohm.Uncertainty(), nodes=range(40))


def test_a_kernel_that_does_not_know_its_diagonal_is_refused_by_name() -> None:
    learner = ohm.Projection.min_norm(ohm.SolverKernel(weighted_graph(4), fill_limit=0) + ohm.Constant(1.0))
    learner.learn_one(0, 1)
    with pytest.raises(KernelError, match="diagonal"):
        ohm.suggest(learner, 3, ohm.FarthestFirst())


def test_disagreement_is_largest_where_two_learners_differ() -> None:
    one, two = taught(1), taught(1, ridge=1e-4)
    (node,) = ohm.suggest(one, 1, ohm.Disagreement(two))

    def shares(learner: ohm.LocalLGC, x: int) -> np.ndarray:
        score = np.array(list(learner.scores_one(x).values()))
        return score / score.sum()

    for learner in (one, two):
        learner.refine(1e-12)
    apart = [
        np.abs(shares(one, x) - shares(two, x)).sum() if one.label_one(x) is None else -1 for x in range(40)
    ]
    assert node == int(np.argmax(apart))
    assert len(set(ohm.suggest(one, 10, ohm.Disagreement(two)))) == 10


def test_disagreement_refuses_what_cannot_disagree() -> None:
    one = taught(1)
    with pytest.raises(ParameterError, match="same learner twice"):
        ohm.suggest(one, 1, ohm.Disagreement(one))
    with pytest.raises(LearnerError, match="over 3 nodes"):
        ohm.suggest(one, 1, ohm.Disagreement(ohm.LocalLGC(ohm.Graph.from_edges([(0, 1), (1, 2)]))))
    with pytest.raises(LearnerError, match="learner"):
        ohm.Disagreement("other")  # type: ignore[arg-type]


def test_pool_queries_play_an_active_game() -> None:
    strips = ohm.graph.generate.line(30)
    for query in (ohm.FarthestFirst(), ohm.Uncertainty(), ohm.SigmaOptimal(), ohm.Contested()):
        learner = ohm.Projection.min_norm(ohm.LaplacianKernel(strips.graph) + ohm.Constant(1.0))
        trace = ohm.play_active(learner, range(30), strips.labels, query, selections=6)
        assert trace.selected == len(set(trace.nodes[:6])) == 6
        assert trace.future_mistakes(6) <= 6
