"""Algorithm 1 of paper 000: projections on convex sets of any kind, and what is refused as none."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import ohmline as ohm
import rational
from ohmline.errors import LearnerError, OhmlineError, ParameterError, ShapeError
from ohmline.learn import HalfSpace, Metric, project_online
from small_games import small_graph, small_trials


def ball(centre: np.ndarray, radius: float):
    def project(w: np.ndarray) -> np.ndarray:
        out = w - centre
        return centre + out * min(1.0, radius / max(float(np.linalg.norm(out)), 1e-300))

    return project


def box(low: np.ndarray, high: np.ndarray):
    return lambda w: np.clip(w, low, high)


def affine(rows: np.ndarray, values: np.ndarray):
    return lambda w: w + np.linalg.pinv(rows) @ (values - rows @ w)


def hull(points: np.ndarray):
    """The nearest point of a convex hull, by trying every face."""

    def project(w: np.ndarray) -> np.ndarray:
        best, far = points[0], np.inf
        for mask in range(1, 1 << len(points)):
            some = points[[bool(mask >> k & 1) for k in range(len(points))]]
            sides = some[1:] - some[0]
            weights = np.linalg.lstsq(sides.T, w - some[0], rcond=None)[0] if len(sides) else np.zeros(0)
            if np.all(weights >= -1e-12) and weights.sum() <= 1 + 1e-12:
                point = some[0] + sides.T @ weights if len(sides) else some[0]
                if np.linalg.norm(point - w) < far - 1e-12:
                    best, far = point, float(np.linalg.norm(point - w))
        return best

    return project


@pytest.mark.parametrize("seed", range(12))
def test_half_spaces_of_a_graph_give_the_game_of_the_learner(seed: int) -> None:
    """Algorithm 2 is Algorithm 1 on half-spaces: 1-proj, in the inner product of the kernel, against exact numbers."""
    rng = np.random.default_rng(seed)
    graph = small_graph(rng, most=6)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.5)
    columns = kernel.space.matrix
    metric = Metric(np.linalg.inv(columns))
    trials = small_trials(graph, rng, noise=False)
    trace = ohm.play(ohm.Projection.one_proj(kernel, aggressive=True, cyclic=True), trials)
    sets = [HalfSpace(columns[i], y, metric=metric) for i, y in trials]
    run = project_online(sets, np.zeros(graph.n), metric=metric)
    np.testing.assert_allclose(run.sqmoves, trace.progress, atol=1e-9)
    np.testing.assert_allclose(
        [w[i] for w, (i, _) in zip(run.points, trials, strict=False)], trace.margin, atol=1e-8
    )
    exact = rational.projection(
        rational.kernel(graph, Fraction(1, 2)), trials, lambda m, t: [t], cyclic=True, aggressive=True
    )
    assert run.progress == pytest.approx(float(sum(exact.progress, Fraction(0))), abs=1e-9)


def test_lemma_3_1_the_projection_on_a_half_space_and_its_border() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(1, 5))
        root = rng.normal(size=(n, n))
        metric = Metric(root @ root.T + np.eye(n))
        x, w, y = rng.normal(size=n), rng.normal(size=n) * 3, int(rng.choice([-1, 1]))
        margin = float(rng.normal())
        value, sq = metric.inner(w, x), metric.sqnorm(x)
        side, border = (HalfSpace(x, y, margin=margin, border=b, metric=metric)(w) for b in (False, True))
        np.testing.assert_allclose(side, w + y * max(0, margin - y * value) / sq * x)
        np.testing.assert_allclose(border, w + (y * margin - value) / sq * x)
        assert metric.inner(border, x) == pytest.approx(y * margin)


def random_sets(rng: np.random.Generator) -> tuple[list, np.ndarray, np.ndarray]:
    """Convex sets of several kinds with a common point, that point, and a start."""
    n = int(rng.integers(1, 4))
    u, start = rng.normal(size=n), rng.normal(size=n) * 4
    sets = []
    for _ in range(int(rng.integers(1, 12))):
        kind = int(rng.integers(6))
        if kind == 0:
            centre = u + rng.normal(size=n)
            sets.append(ball(centre, float(np.linalg.norm(u - centre)) + rng.exponential()))
        elif kind == 1:
            sets.append(box(u - rng.exponential(size=n), u + rng.exponential(size=n)))
        elif kind == 2:
            rows = rng.normal(size=(int(rng.integers(1, n + 1)), n))
            sets.append(affine(rows, rows @ u))
        elif kind == 3:
            x = rng.normal(size=n)
            sets.append(HalfSpace(x, margin=float(x @ u) - rng.exponential()))
        elif kind == 4:
            sets.append(hull(np.vstack([u, u + rng.normal(size=(2, n))])))
        else:
            sets.append(lambda w: w)
    return [sets[k] for k in rng.integers(len(sets), size=2 * len(sets))], u, start


def lemma_3_2(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sets, u, start = random_sets(rng)
    run = project_online(sets, start)
    norms = np.sum((run.points - u) ** 2, axis=1)
    slack = 1e-9 * (1 + norms[0])
    # Theorem 3.1 in every trial, and eq. (6) in all.
    assert np.all(run.sqmoves <= norms[:-1] - norms[1:] + slack), seed
    assert run.progress <= norms[0] - norms[-1] + slack
    for length in (0.01, float(np.sqrt(run.sqmoves.max(initial=1e-6))), 1.0):
        certificate = ohm.bound.certify_moves(run, u, length=length)
        assert certificate.proven, (seed, certificate)
        assert certificate.charged == int(np.sum(run.sqmoves >= length**2 * (1 - 1e-12))) <= certificate.value


def greedy(seed: int) -> None:
    """An adversary that always presents the set that moves the hypothesis furthest, for as long as one does."""
    rng = np.random.default_rng(seed)
    sets, u, w = random_sets(rng)
    start, order = w, []
    for _ in range(60):
        k = int(np.argmax([np.linalg.norm(project(w) - w) for project in sets]))
        if np.linalg.norm(sets[k](w) - w) < 1e-6:
            break
        order.append(sets[k])
        w = sets[k](w)
    run = project_online(order, start, tests=1)
    longest = float(np.sqrt(run.sqmoves.max(initial=1e-6)))
    for length in (0.01, longest, longest / 2):
        certificate = ohm.bound.certify_moves(run, u, length=length)
        assert certificate.proven, (seed, certificate)
        assert certificate.charged <= certificate.value


def test_lemma_3_2_is_never_beaten() -> None:
    for seed in range(150):
        lemma_3_2(seed)
    for seed in range(40):
        greedy(seed)


@pytest.mark.slow
def test_lemma_3_2_is_never_beaten_in_thousands_of_runs() -> None:
    for seed in range(5000):
        lemma_3_2(10_000 + seed)
    for seed in range(500):
        greedy(10_000 + seed)


def test_an_affine_set_attains_theorem_3_1() -> None:
    """ "In particular, if N is an affine set the equality holds." """
    rng = np.random.default_rng(2)
    for _ in range(100):
        rows, u, w = rng.normal(size=(2, 4)), rng.normal(size=4), rng.normal(size=4)
        run = project_online([affine(rows, rows @ u)], w)
        assert np.sum((u - w) ** 2) == pytest.approx(np.sum((u - run.points[1]) ** 2) + run.progress)
    certificate = ohm.bound.certify_moves(
        project_online([HalfSpace([1.0, 0.0], margin=2.0, border=True)], [0.0, 0.0]), [2.0, 0.0], length=2.0
    )
    assert certificate.charged / certificate.value == pytest.approx(1.0, abs=1e-6)


def test_a_comparator_outside_of_a_set_beats_the_formula_and_voids_the_certificate() -> None:
    """Two sets without a common point are projected on for ever."""
    ends = [HalfSpace([1.0], 1), HalfSpace([1.0], -1)]
    run = project_online(ends * 20, [0.0])
    certificate = ohm.bound.certify_moves(run, [1.0], length=2.0)
    assert certificate.charged == 39 > certificate.value
    assert not certificate.valid
    assert "lies in every set" in str(certificate)


def test_a_set_that_is_not_convex_beats_the_formula() -> None:
    """The two ends of a stick: nearest points exist and stay where they are, and still Theorem 3.1 fails."""

    def ends(w: np.ndarray) -> np.ndarray:
        return np.array([1.0 if w[0] >= 0 else -1.0])

    push = HalfSpace([1.0], -1, margin=0.1)  # u <= -0.1
    pull = HalfSpace([1.0], 1, margin=-2.0)  # u >= -2
    with pytest.raises(ParameterError, match="set 2 is no projection on a convex set"):
        project_online([push, pull, ends], [0.5])
    unseen = project_online([ends], [0.5], tests=0)
    certificate = ohm.bound.certify_moves(unseen, [-1.0], length=0.5)
    assert not certificate.valid
    assert "nearest point of a convex set" in str(certificate)
    assert unseen.progress > (0.5 + 1) ** 2 - (1 + 1) ** 2  # eq. (6) does not hold


def test_a_function_that_overshoots_beats_the_formula() -> None:
    """A point of the set that is not the nearest one: idempotent, and no projection."""
    jumps = [lambda w: np.array([max(w[0], 0.0), 5.0]), lambda w: np.array([max(w[0], 0.0), -5.0])]
    run = project_online([lambda w: np.array([w[0] if w[0] >= 1 else 9.0])], [0.0], tests=0)
    certificate = ohm.bound.certify_moves(run, [1.0], length=5.0)
    assert certificate.charged == 1 > certificate.value
    assert not certificate.valid
    with pytest.raises(ParameterError, match="no projection on a convex set"):
        project_online([lambda w: np.array([w[0] if w[0] >= 1 else 9.0])] * 2, [0.0])
    assert len(project_online(jumps, [0.0, 0.0])) == 2  # each is a projection on a half-line of its own


@pytest.mark.parametrize(
    ("sets", "start", "error", "words"),
    [
        ([lambda w: 2 * w], [1.0], ParameterError, "set 0 is no projection: it takes"),
        ([lambda w: -w], [1.0], ParameterError, "must stay where it is"),
        ([lambda w: w + 1], [1.0], ParameterError, "must stay where it is"),
        ([lambda w: w[:1]], [1.0, 2.0], ShapeError, "gave 1 entries for a point with 2"),
        ([lambda w: w[:, None]], [1.0, 2.0], ShapeError, "one dimension"),
        ([lambda w: "x"], [1.0], ShapeError, "must be numbers"),
        ([lambda w: w * np.nan], [1.0], ParameterError, "every entry must be finite"),
        ([lambda w: 1 / 0], [1.0], ParameterError, "set 0 cannot project .*ZeroDivisionError"),
        ([3], [1.0], ParameterError, "set 0 must be a function"),
        ([], [], ShapeError, "start is empty"),
    ],
)
def test_what_is_no_projection_is_refused(sets: list, start: list, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        project_online(sets, start)


def test_other_bad_arguments() -> None:
    with pytest.raises(ParameterError, match="zero vector"):
        HalfSpace([0.0, 0.0])
    with pytest.raises(ParameterError, match="y must be -1 or"):
        HalfSpace([1.0], 2)
    with pytest.raises(ParameterError, match="symmetric"):
        Metric([[1.0, 2.0], [0.0, 1.0]])
    with pytest.raises(ShapeError, match="square"):
        Metric([[1.0, 2.0]])
    with pytest.raises(ParameterError, match="eigenvalue"):
        Metric([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ShapeError, match="start has 1 entries and the metric 2"):
        project_online([], [1.0], metric=Metric(np.eye(2)))
    run = project_online([], [1.0, 2.0])
    assert (len(run), run.progress, run.points.tolist()) == (0, 0.0, [[1.0, 2.0]])
    assert ohm.bound.certify_moves(run, [1.0, 2.0], length=1.0).charged == 0
    with pytest.raises(LearnerError, match="give what project_online"):
        ohm.bound.certify_moves([1.0], [1.0], length=1.0)
    for bad in ({"length": 0.0}, {"length": "1"}, {"length": 1e308}, {"length": 5e-324}):
        with pytest.raises(OhmlineError):
            ohm.bound.certify_moves(run, [1.0, 2.0], **bad)


def test_a_set_gets_a_copy_of_the_point() -> None:
    def careless(w: np.ndarray) -> np.ndarray:
        w[:] = np.maximum(w, 0.0)
        return w

    run = project_online([careless], [-1.0, 1.0])
    assert run.points.tolist() == [[-1.0, 1.0], [0.0, 1.0]]


@pytest.mark.parametrize("tests", [0, 3])
def test_the_limit_of_moves_allows_for_all_that_the_tests_let_through(tests: int) -> None:
    """Each set pushes one coordinate outwards by just less than the tests can tell from a rounding."""
    steps, push = 40, np.sqrt(1.9e-9)

    def pushed(k: int):
        def project(w):
            if np.abs(w).max() < 0.5:
                return w
            w[k] += push if w[k] < push / 2 else 0
            return w

        return project

    run = project_online([pushed(k) for k in range(1, steps + 1)], [1.0] + [0.0] * steps, tests=tests)
    certificate = ohm.bound.certify_moves(run, np.zeros(steps + 1), length=push * 0.999999)
    assert certificate.charged == steps
    assert not certificate.beaten
    assert certificate.value >= steps


def test_points_too_large_to_square_are_refused() -> None:
    def capped(w):
        return np.minimum(w, 1e200)

    with pytest.raises(ParameterError, match="start has the squared norm inf"):
        project_online([capped], [1e300, 1.0])
    with pytest.raises(ParameterError, match="what set 0 gave has the squared norm"):
        project_online([lambda w: w + 1e200], [0.0, 1.0], tests=0)
    run = project_online([HalfSpace([1.0, 0.0])], [0.0, 0.0])
    with pytest.raises(ParameterError, match="comparator has the squared norm inf"):
        ohm.bound.certify_moves(run, [1e300, 0.0], length=1.0)
    near = project_online([HalfSpace([1.0, 0.0])], [-1e140, 0.0])
    certificate = ohm.bound.certify_moves(near, [1e140, 0.0], length=1e140)
    assert certificate.proven
    assert certificate.charged == 1 <= certificate.value < np.inf
