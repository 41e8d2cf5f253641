"""Paper 003's no-regret guarantee: never beaten where it is proven, and beaten where an assumption is dropped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.bound import ManifoldRegret, best_bound
from ohmline.bound.manifold_regret import beforehand, regret_terms
from ohmline.bound.manifold_run import manifold_run
from ohmline.errors import LearnerError, ParameterError, ShapeError
from ohmline.learn.manifold import Loss, Scene, Slopes, Smoothness

GAMMAS, WEIGHTS = [0.01, 0.1, 0.5], [0.0, 0.1, 1.0]


def random_learner(rng: np.random.Generator, d: int) -> ohm.OnlineManifold:
    graph: Any = ohm.Manifold(float(rng.choice([0.2, 1.0])))
    if d > 1 and rng.random() < 0.3:
        graph = ohm.Multiview([0], list(range(1, d)))
    return ohm.OnlineManifold(
        ohm.Linear() if rng.random() < 0.2 else ohm.RBF(float(rng.choice([0.3, 1.0, 3.0]))),
        ohm.Full() if rng.random() < 0.8 else ohm.Buffer(40),
        list(Loss)[rng.integers(4)],
        graph,
        ohm.Printed(float(rng.choice(GAMMAS))),
        classes=[-1, 1] if rng.random() < 0.7 else ["a", "b", "c"],
        label_rate=float(rng.choice([0.2, 0.5, 1.0])),
        lambda_1=float(rng.choice([0.0, 1e-3, 0.1, 1.0])),
        lambda_2=float(rng.choice(WEIGHTS)),
    )


def random_stream(rng: np.random.Generator, classes: Any, d: int) -> ohm.Stream:
    trials = int(rng.integers(2, 26))
    pool = rng.normal(size=(int(rng.integers(1, trials + 1)), d))
    chosen = rng.integers(0, len(pool), trials)
    said = rng.integers(0, len(classes), len(pool))[chosen]
    if rng.random() < 0.5:
        said = rng.integers(0, len(classes), trials)
    shown = rng.random(trials) < rng.choice([0.2, 0.6, 1.0])
    return ohm.Stream(pool[chosen], [classes[k] for k in said], revealed=shown)


def random_function(rng: np.random.Generator, trace: ohm.Trace) -> ohm.learn.KernelFunction:
    f = trace.learner.function
    size = 10.0 ** rng.uniform(-2, 1)
    return ohm.learn.KernelFunction(f.kernels, f.columns, f.points, size * rng.normal(size=f.alpha.shape))


def never_beaten(trace: ohm.Trace, u: Any) -> None:
    certificate = ManifoldRegret().certify(trace, u)
    terms = certificate.terms
    assert certificate.proven, certificate
    assert certificate.charged == int((trace.charged & trace.asked_at).sum())
    assert certificate.charged <= certificate.value
    assert terms["regret"] <= terms["regret_bound"]
    assert terms["regret_bound"] <= terms["zinkevich"] * (1 + 1e-9)
    assert terms["regret"] <= terms["beforehand"]


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    learner = random_learner(rng, d)
    trace = ohm.play(learner, random_stream(rng, learner.classes, d))
    never_beaten(trace, None if rng.random() < 0.5 else random_function(rng, trace))


def adversary(seed: int) -> None:
    """At every trial the point and label with the largest risk for f_t, less what they cost the function 0."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 3))
    learner = random_learner(rng, d)
    pool, rows, labels = rng.normal(size=(5, d)), [], []
    twin = ohm.OnlineManifold.restore(learner.snapshot())
    risk = manifold_risk(twin)
    said = [(k, label) for k in range(len(pool)) for label in (*twin.classes, None)]
    for _ in range(int(rng.integers(2, 16))):
        best = said[int(rng.integers(len(said) - 1))]
        if rows:
            f = twin.function
            best, most = best, -np.inf
            for k, label in said:
                codes = np.array([-1 if label is None else twin.classes.index(label)])
                seen = np.vstack([rows, pool[k]])
                values, asked = f.by_view(seen), signs_of(codes, len(twin.classes))[0]
                ratio = 1 / twin.options.label_rate
                cost = risk.at(values, f.sqnorm, seen, asked, ratio) - risk.at(
                    0 * values, 0.0, seen, asked, ratio
                )
                if cost > most:
                    best, most = (k, label), cost
        rows.append(pool[best[0]])
        labels.append(best[1])
        twin.learn_one(rows[-1], labels[-1])
    never_beaten(ohm.play(learner, ohm.Stream(np.array(rows), labels)), None)


def manifold_risk(learner: ohm.OnlineManifold) -> ohm.learn.ManifoldRisk:
    o = learner.options
    return ohm.learn.ManifoldRisk(o.smoothness, o.lambda_1, o.lambda_2, o.loss, learner.classes)


def signs_of(codes: Any, classes: int) -> Any:
    if classes == 2:
        return np.where(codes < 0, 0.0, 2.0 * codes - 1)[:, None]
    return np.where(codes[:, None] < 0, 0.0, np.where(codes[:, None] == np.arange(classes), 1.0, -1.0))


@pytest.mark.parametrize("block", range(3))
def test_random_games_never_beat_it(block: int) -> None:
    for k in range(100):
        attack(1000 * block + k)


def test_a_greedy_adversary_never_beats_it() -> None:
    for k in range(60):
        adversary(k)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_five_thousand_random_games_never_beat_it(block: int) -> None:
    for k in range(1000):
        attack(100_000 + 1000 * block + k)


@pytest.mark.slow
def test_five_hundred_greedy_games_never_beat_it() -> None:
    for k in range(500):
        adversary(10_000 + k)


def simple(*, basis: Any = None, step: Any = None, rate: float | None = 1.0, **options: Any) -> Any:
    defaults = {"smoothness": ohm.Manifold(1.0), "lambda_1": 0.1, "lambda_2": 0.0}
    return ohm.OnlineManifold(
        options.pop("kernel", ohm.RBF(1.0)),
        ohm.Full() if basis is None else basis,
        step=ohm.Printed(0.3) if step is None else step,
        label_rate=rate,
        **{**defaults, **options},
    )


def test_the_terms_are_those_of_the_risk() -> None:
    """Against `ManifoldRisk`: the declared rate is that of the stream, so the means are J_air and J."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(20, 2)), [1, -1, None, None] * 5
    trace = ohm.play(simple(rate=0.5, lambda_2=0.2), ohm.Stream(x, y))
    risk = ohm.learn.ManifoldRisk(ohm.Manifold(1.0), 0.1, 0.2)
    best = ohm.LapSVM(ohm.RBF(1.0), ohm.RBF(1.0), lambda_1=0.1, lambda_2=0.2).fit(x, y)
    u = ohm.learn.KernelFunction.single(ohm.RBF(1.0), x, best.coefficients[:, 0])
    terms = ManifoldRegret().certify(trace, u).terms
    paid = risk.paid(simple(rate=0.5, lambda_2=0.2), x, y)
    assert terms["paid"] / 20 == pytest.approx(paid.mean())
    assert terms["comparator"] / 20 == pytest.approx(risk.batch(u, x, y))
    assert terms["comparator"] / 20 == pytest.approx(
        best.risk, rel=1e-4
    )  # weights below the cutoff are missing
    assert terms["regret"] / 20 == pytest.approx(risk.regret(paid, u, x, y))


def test_without_the_graph_regret_is_known_beforehand_and_falls() -> None:
    rng, means = np.random.default_rng(0), []
    fixed = ohm.learn.KernelFunction.single(
        ohm.RBF(1.0), np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, -1.0])
    )
    for trials in (50, 200, 800):
        x = rng.normal(size=(trials, 2))
        trace = ohm.play(simple(), ohm.Stream(x, np.where(x[:, 0] > 0, 1, -1).tolist()))
        certificate = ManifoldRegret().certify(trace, fixed)
        terms = certificate.terms
        assert certificate.proven
        assert terms["regret"] <= terms["beforehand"] < np.inf
        means.append(terms["beforehand"] / trials)
    assert means[2] < 0.6 * means[1] < 0.4 * means[0]  # O(1 / sqrt(T))


def in_turn(trials: int) -> Any:
    """Two points in turn, one label each: every step is longer than the one before."""
    learner = simple(lambda_2=1.0, step=ohm.Printed(1.0))
    labels = [1, -1] + [None] * (trials - 2)
    return ohm.play(learner, ohm.Stream(np.tile([[0.0], [1.0]], (trials // 2, 1)), labels))


def test_with_the_graph_gradients_are_not_bounded_and_regret_does_not_fall() -> None:
    """The paper's "mild conditions" fail: J_air - J(f*) grows, whatever the constant before sqrt(T)."""
    found = [ManifoldRegret().certify(in_turn(trials)) for trials in (20, 60, 120)]
    average = [c.terms["regret"] / t for c, t in zip(found, (20, 60, 120), strict=True)]
    assert average[0] < average[1] < average[2]
    assert average[2] > 1e6 * abs(average[0])
    assert all(c.proven and c.terms["regret"] <= c.terms["regret_bound"] for c in found)
    assert all(c.terms["beforehand"] == np.inf for c in found)
    run = manifold_run(in_turn(120))
    object.__setattr__(run.learner.options, "lambda_2", 0.0)  # as if there were no graph
    assert found[2].terms["regret"] > beforehand(run, 0.0)


def excess(trace: ohm.Trace) -> float:
    """By how much the regret exceeds what the proof would sum, dropped assumption and all."""
    terms = regret_terms(manifold_run(trace), None)
    return terms["regret"] - terms["regret_bound"]


def noisy(rng: np.random.Generator) -> ohm.Stream:
    x = rng.normal(size=(30, 1))
    return ohm.Stream(x, rng.choice([-1, 1], size=30).tolist(), revealed=rng.random(30) < 0.5)


DROPPED = {
    "gradient steps": lambda: simple(step=ohm.Proximal(5.0), rate=0.1),
    "every point stayed": lambda: simple(basis=ohm.Buffer(3, keep="newest")),
    "label rate was declared": lambda: simple(rate=None),
}


@pytest.mark.parametrize("says", DROPPED)
def test_a_dropped_assumption_makes_it_void_and_false(says: str) -> None:
    found = []
    for seed in range(20):
        trace = ohm.play(DROPPED[says](), noisy(np.random.default_rng(seed)))
        certificate = ManifoldRegret().certify(trace)
        broken = [a.text for a in certificate.assumptions if not a.holds]
        assert len(broken) == 1
        assert says in broken[0]
        assert "void" in str(certificate)
        found.append(excess(trace))
    assert max(found) > 0.01, "without the assumption it is false"


def test_a_learner_that_was_not_fresh_has_no_certificate() -> None:
    learner = simple(step=ohm.Printed(1.0))
    ohm.play(learner, ohm.Stream([[0.0]] * 20, [1] * 20))
    trace = ohm.play(learner, ohm.Stream([[0.0]] * 3, [-1] * 3))
    certificate = ManifoldRegret().certify(trace)
    assert not certificate.valid
    assert "seen nothing before" in str(certificate)


class HatLoss(Smoothness):
    """Omega_t of a semi-supervised SVM, max(1 - |f(x_t)|, 0): section 2.1, iii. Not convex."""

    def energy(self, scene: Scene) -> float:
        return float(np.maximum(1 - np.abs(scene.here), 0.0).sum())

    def slopes(self, scene: Scene) -> Slopes:
        inside = np.abs(scene.here) < 1
        here = np.where(inside, -np.sign(scene.here), 0.0)
        return Slopes(here, np.zeros_like(scene.there), 0.0)


def test_a_semi_supervised_svm_is_not_convex_and_has_no_guarantee() -> None:
    """Its risk is 1 between two functions where it is 0, so no tangent lies below it, and the regret shows it."""

    def omega(f: float) -> float:
        return HatLoss().energy(Scene(*[np.zeros((1, 1))] * 3, np.array([[f]]), *[np.zeros((1, 1, 0))] * 3))

    assert omega(-1.0) == omega(1.0) == 0.0
    assert omega(0.0) == 1.0
    # One label pushes f to the wrong side of a crowd that has none: there the hat keeps it for ever.
    points = np.array([[0.0]] + [[0.3]] * 40 + [[0.0]])
    learner = simple(smoothness=HatLoss(), lambda_1=0.01, lambda_2=1.0, rate=0.02, step=ohm.Printed(0.01))
    trace = ohm.play(learner, ohm.Stream(points, [-1] + [None] * 40 + [1]))
    certificate = ManifoldRegret().certify(trace)
    assert certificate.valid
    assert not certificate.proven
    assert "assuming that the regulariser is convex" in str(certificate)
    run = manifold_run(trace)
    right = ohm.learn.KernelFunction.single(ohm.RBF(1.0), np.array([[0.3]]), np.array([1.1]))
    terms = regret_terms(run, right)
    assert terms["regret"] > terms["regret_bound"] + 1.0


def test_convex_regularisers_of_ones_own_are_taken_on_trust() -> None:
    class TotalVariation(Smoothness):
        """Omega_t = sum_i |f(x_i) - f(x_t)|."""

        def energy(self, scene: Scene) -> float:
            return float(np.sum(np.abs(scene.there - scene.here[:, :, None])))

        def slopes(self, scene: Scene) -> Slopes:
            there = np.sign(scene.there - scene.here[:, :, None])
            return Slopes(-there.sum(axis=2), there, float(np.sum(scene.apart)))

    for seed in range(20):
        trace = ohm.play(
            simple(smoothness=TotalVariation(), lambda_2=0.1), noisy(np.random.default_rng(seed))
        )
        certificate = ManifoldRegret().certify(trace)
        assert certificate.valid
        assert not certificate.proven
        assert certificate.terms["regret"] <= certificate.terms["regret_bound"]


def test_what_it_is_not_about() -> None:
    ring = ohm.Graph.from_edges([(0, 1)])
    trace = ohm.play(ohm.Perceptron(ohm.LaplacianKernel(ring)), ohm.Stream([0], [1]))
    with pytest.raises(LearnerError, match="OnlineManifold"):
        ManifoldRegret().certify(trace)
    tree = ohm.play(simple(basis=ohm.RPTree()), ohm.Stream([[0.0]], [1]))
    with pytest.raises(LearnerError, match="over the points themselves"):
        ManifoldRegret().certify(tree)
    learner = ohm.OnlineManifold(basis=ohm.Full(), step=ohm.Printed(0.1), label_rate=1.0)
    with pytest.raises(LearnerError, match="known from the start"):
        ManifoldRegret().certify(ohm.play(learner, noisy(np.random.default_rng(0))))
    with pytest.raises(ShapeError, match="KernelFunction"):
        ManifoldRegret().certify(ohm.play(simple(), ohm.Stream([[0.0]], [1])), [1])


def test_the_best_bound_of_a_manifold_learner() -> None:
    stream = ohm.Stream([[0.0], [3.0]] * 20, [1, -1] * 20)
    certificate = best_bound(ohm.play(simple(), stream))
    assert certificate.theorem.startswith("paper 003")
    assert certificate.charged <= certificate.value <= 12
    with pytest.raises(LearnerError, match="no theorem here is about OnlineManifold"):
        best_bound(ohm.play(simple(step=ohm.Proximal()), stream))


def over(kernel: Any, **options: Any) -> ohm.learn.KernelFunction:
    f = ohm.learn.KernelFunction.single(kernel, np.array([[1.0]]), np.array([0.0095]))
    return replace(f, **options)


OUTSIDE = {
    "another kernel": (
        over(ohm.Linear()),
        ParameterError,
        r"function of Linear\(\), and the learner's are of RBF",
    ),
    "another width": (over(ohm.RBF(30.0)), ParameterError, r"function of RBF\(30\.0\)"),
    "another scale": (over(ohm.RBF(1.0), scale=np.array([0.5])), ParameterError, "scales its features"),
    "other columns": (over(ohm.RBF(1.0), columns=(np.array([], dtype=int),)), ShapeError, "sees the columns"),
    "two views": (over(ohm.RBF(1.0), kernels=(ohm.RBF(1.0),) * 2), ShapeError, "has 2 views"),
    "two functions": (over(ohm.RBF(1.0), alpha=np.ones((1, 2, 1))), ShapeError, "1 views and 1 functions"),
    "not a number": (
        over(ohm.RBF(1.0), alpha=np.full((1, 1, 1), np.nan)),
        ParameterError,
        "alpha of the comp",
    ),
}


@pytest.mark.parametrize("what", OUTSIDE)
def test_a_comparator_of_another_space_is_refused(what: str) -> None:
    """The linear one is near 1 at x = 100 for next to no norm of its own: no distance to f_t, and a false limit."""
    u, error, says = OUTSIDE[what]
    trace = ohm.play(simple(), ohm.Stream(np.full((30, 1), 100.0), [1] * 30))
    with pytest.raises(error, match=says):
        ManifoldRegret().certify(trace, u)
    with pytest.raises(error, match=says):
        best_bound(trace, u)
    for inside in (over(ohm.RBF(1.0)), over(ohm.RBF(1), scale=np.ones(1)), trace.learner.average):
        assert ManifoldRegret().certify(trace, inside).proven


@pytest.mark.parametrize("kernel", [ohm.RBF(1.0), ohm.Linear()])
@pytest.mark.parametrize("rate", [0.5, None])
@pytest.mark.parametrize("graph", [ohm.Manifold(1.0), ohm.Multiview([0], [1])])
def test_a_game_without_trials_has_no_mistakes(kernel: Any, rate: Any, graph: Any) -> None:
    def fresh() -> Any:
        return simple(kernel=kernel, rate=rate, smoothness=graph)

    played = ohm.play(fresh(), ohm.Stream(np.eye(3, 2), [1, -1, 1]))
    never = [ohm.play(fresh(), ohm.Stream(nothing, [])) for nothing in ([], np.zeros((0, 2)))]
    for trace in (played.first(0), *never):
        for u in (None, played.learner.function):
            certificate = ManifoldRegret().certify(trace, u)
            assert certificate.valid == (rate is not None)
            assert (certificate.value, certificate.charged) == (0, 0)
        assert best_bound(trace).value == 0
    for t in (1, 2):
        again = ohm.play(fresh(), ohm.Stream(np.eye(3, 2)[:t], [1, -1, 1][:t]))
        assert ManifoldRegret().certify(played.first(t)).terms == ManifoldRegret().certify(again).terms
