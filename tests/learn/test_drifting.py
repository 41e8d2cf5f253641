"""DriftingLGC against its recipe in plain Python, hostile use, and what it is for."""

from __future__ import annotations

from collections import deque
from decimal import Decimal, localcontext
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import graphs, usual_mu
from ohmline.errors import LabelError, LearnerError, OhmlineError, ParameterError, SnapshotError
from ohmline.learn.drifting.learner import HEAD_NAMES
from specialist_oracle import Oracle

STATIC, FADING, DOUBT, STEADY = range(4)
Scores = dict[Any, float]


class Recipe:
    """The recipe, with dictionaries: every step in its order, nothing kept that can be computed."""

    def __init__(self, graph: ohm.Graph, memory: float, trees: int, seed: int) -> None:
        n = graph.n
        mean = float(np.mean(graph.weights)) if len(graph.weights) else 1.0
        self.near = [
            [(graph.nodes.position(k), w / mean) for k, w in graph.neighbours(x).items()] for x in graph.nodes
        ]
        for row in self.near:
            row.sort()
        self.degree = [sum(w for _, w in row) for row in self.near]
        self.leak = 0.01 * max(sum(self.degree) / n, 1.0)
        self.n, self.mu, self.memory, self.time = n, usual_mu(graph), memory, 0.0
        self.f: list[list[Scores]] = [[{} for _ in range(n)] for _ in range(4)]
        self.faded = [0.0] * n
        self.label: list[Any] = [None] * n
        self.held: list[Any] = [None] * n
        self.strength, self.told, self.confidence = [0] * n, [0.0] * n, [1.0] * n
        self.counts: dict[Any, int] = {}
        self.sharp, self.slopes, self.v, self.scored = [1.0] * 10, [1.0] * 10, [0.1] * 10, 0
        halves = slice(0, trees), slice(trees, 2 * trees)
        shares = Decimal("1e-4"), Decimal("1e-3")
        self.committees = [
            Oracle(graph, 2 * trees, s, seed, part, every=False)
            for s, part in zip(shares, halves, strict=True)
        ]

    def own(self, e: int, j: int) -> Any:
        return self.held[j] if e == STEADY else self.label[j]

    def precision(self, e: int, j: int) -> float:
        if self.label[j] is None:
            return 0.0
        part = {
            STATIC: 1.0,
            FADING: exp((self.told[j] - self.time) / self.memory),
            DOUBT: self.confidence[j],
            STEADY: 1.0 if self.strength[j] > 0 else 0.5,
        }[e]
        return part / self.mu if part >= 1e-4 else 0.0

    def estimate(self, e: int, j: int, c: Any) -> float:
        part = exp((self.faded[j] - self.time) / self.memory) if e == FADING else 1.0
        return part * self.f[e][j].get(c, 0.0)

    def solve(self, e: int, t: int) -> tuple[dict[int, float], dict[int, float], Scores]:
        x: dict[int, float] = {}
        r: dict[int, float] = {t: 1.0}

        def q(j: int) -> float:
            return self.degree[j] + 0.1 + self.precision(e, j)

        def much(j: int) -> bool:
            return r[j] > tolerance * min(q(j), 3.0 * (len(self.near[j]) + 1))

        tolerance = 1e-2
        while True:
            queue = deque(j for j in r if much(j) or (j == t and t not in x))
            while queue:
                j = queue.popleft()
                moved, r[j] = r[j] / q(j), 0.0
                x[j] = x.get(j, 0.0) + moved
                for k, w in self.near[j]:
                    r[k] = r.get(k, 0.0) + moved * w
                    if k not in queue and much(k):
                        queue.append(k)
            score = {c: sum(r[j] * self.estimate(e, j, c) for j in r) for c in self.counts}
            for j in x:
                if self.own(e, j) is not None:
                    score[self.own(e, j)] += x[j] * self.precision(e, j)
            top = sorted([*score.values(), 0.0, 0.0], reverse=True)
            if top[0] - top[1] > 0.1 * sum(r.values()) or tolerance <= 1e-3:
                return x, r, score
            tolerance = max(tolerance / 3, 1e-3)

    def look(self, t: int) -> None:
        self.solves = [self.solve(e, t) for e in range(4)]
        self.heads: list[Scores] = []
        for e, (x, _, score) in enumerate(self.solves):
            self.heads.append(score)
            more, own = 7 * self.precision(e, t), self.own(e, t)
            self.heads.append(
                {c: (s + (x[t] * more if c == own else 0.0)) / (1 + more * x[t]) for c, s in score.items()}
            )
        for committee in self.committees:
            told = committee.shares(t)
            self.heads.append({c: float(told[c]) if told else 0.0 for c in self.counts})
        self.chances = [self.chance(k) for k in range(10)]

    def chance(self, k: int) -> Scores:
        mass = sum(self.heads[k].values())
        raised = {
            c: (self.heads[k][c] / mass + 0.02) ** self.sharp[k] if mass > 0 else self.counts[c] + 1.0
            for c in self.counts
        }
        return {c: p / sum(raised.values()) for c, p in raised.items()}

    def mean(self) -> Scores:
        if not any(sum(head.values()) > 0 for head in self.heads):
            return {}
        return {c: sum(v * p[c] for v, p in zip(self.v, self.chances, strict=True)) for c in self.counts}

    def score(self, y: Any) -> None:
        if y not in self.counts or not self.mean():
            return
        self.scored += 1
        posterior = [v * p[y] for v, p in zip(self.v, self.chances, strict=True)]
        away = 1 / (self.scored + 1)
        self.v = [(1 - away) * v / sum(posterior) + away / 10 for v in posterior]
        for k, head in enumerate(self.heads):
            mass = sum(head.values())
            if mass <= 0:
                continue
            shares = {c: head[c] / mass + 0.02 for c in self.counts}
            total = sum(s ** self.sharp[k] for s in shares.values())
            slope = sum(s ** self.sharp[k] * log(s) for s in shares.values()) / total - log(shares[y])
            self.slopes[k] += slope**2
            self.sharp[k] = min(max(self.sharp[k] - 0.4 * slope / sqrt(self.slopes[k]), 0.0), 20.0)

    def relabel(self, e: int, t: int, y: Any, part: float) -> None:
        x, _, score = self.solves[e]
        before, after, old = self.precision(e, t), part / self.mu, self.own(e, t)
        delta, move = after - before, {}
        for c in self.counts:
            z = (after if c == y else 0.0) - (before if c == old else 0.0)
            move[c] = z - delta * (score.get(c, 0.0) + x[t] * z) / (1 + delta * x[t])
        for j in x:
            now = {c: self.estimate(e, j, c) for c in self.counts}
            if j == t:
                now = {c: score.get(c, 0.0) for c in self.counts}
            self.f[e][j] = {c: min(max(now[c] + x[j] * move[c], 0.0), 1.0) for c in self.counts}
        if e == FADING:
            for j in x:
                self.faded[j] = self.time

    def learn(self, t: int, y: Any) -> None:
        old = self.label[t]
        self.score(y)
        self.counts.setdefault(y, 0)
        if old == y:
            x = self.solves[DOUBT][0]
            for j in x:
                if j != t and self.label[j] == old:
                    self.confidence[j] = 1 - (1 - self.confidence[j]) * exp(-16 * x[j] / x[t])
            # The precision that the solve at t had is that of t itself, which nobody but t changes.
        for e in (STATIC, FADING, DOUBT):
            self.relabel(e, t, y, 1.0)
        self.hold(t, y)
        if old is not None and old != y:
            self.disagree(t, old, y)
        self.label[t], self.told[t], self.confidence[t] = y, self.time, 1.0
        self.counts[y] += 1
        for committee in self.committees:
            committee.learn(t, y)
        self.time += 1

    def hold(self, t: int, y: Any) -> None:
        held, strength = self.held[t], self.strength[t]
        x, _, score = self.solves[STEADY]
        if held is None or (strength == 0 and held != y):
            new = y, 1
        elif held == y:
            new = y, min(strength + 1, 2)
        elif strength == 2:
            new = held, 1
        else:
            own = x[t] * self.precision(STEADY, t)
            new = (y if score.get(y, 0.0) > score[held] - own else held), 0
        part = 1.0 if new[1] > 0 else 0.5
        if new[0] != held or part / self.mu != self.precision(STEADY, t):
            self.relabel(STEADY, t, new[0], part)
        self.held[t], self.strength[t] = new

    def disagree(self, t: int, old: Any, y: Any) -> None:
        h: dict[int, float] = {}
        r, queue = {t: 1.0}, deque([t])
        while queue:
            j = queue.popleft()
            moved, r[j] = r[j] / (self.degree[j] + self.leak), 0.0
            h[j] = h.get(j, 0.0) + moved
            for k, w in self.near[j]:
                if self.label[k] in (None, old):
                    r[k] = r.get(k, 0.0) + moved * w
                    if k not in queue and r[k] > 1e-3 * (self.degree[k] + self.leak):
                        queue.append(k)
        for j in h:
            if j == t:
                continue
            near = min(h[j] / h[t], 1.0)
            kept, row = exp(-16 * near), self.f[DOUBT][j]
            gone = (1 - kept) * row.get(old, 0.0)
            row[old] = row.get(old, 0.0) - gone
            row[y] = min(row.get(y, 0.0) + gone * near, 1.0)
            if self.label[j] == old:
                self.confidence[j] = max(0.005, self.confidence[j] * kept)


@settings(max_examples=15, deadline=None)
@given(graphs(min_nodes=2, max_nodes=11), st.integers(0, 2**32 - 1), st.sampled_from([1.5, 7.0, 1e4]))
def test_agrees_with_the_recipe(graph: Any, seed: int, memory: float) -> None:
    rng = np.random.default_rng(seed)
    learner = ohm.DriftingLGC(graph, memory=memory, trees=1, seed=2)
    labels = rng.integers(3, size=graph.n)
    with localcontext() as context:
        context.prec = 50
        recipe = Recipe(graph, memory, 1, 2)
        for t in range(45):
            if t % 15 == 14:
                labels[rng.random(graph.n) < 0.4] = rng.integers(3)
            x = int(rng.integers(graph.n))
            y = int(rng.integers(3)) if rng.random() < 0.1 else int(labels[x])
            node = graph.nodes[x]
            if any(spine.close(p, c.classes) for c in recipe.committees for spine, p in c.at(x)):
                return  # a tie of a tree that rounding may decide
            recipe.look(x)
            expected, view = recipe.mean(), learner.view_one(node)
            assert learner.weights == pytest.approx(dict(zip(HEAD_NAMES, recipe.v, strict=True)), abs=1e-7)
            if not expected:
                assert view.prediction is None
                assert learner.predict_proba_one(node) == {}
            else:
                mean = learner.state.solves.mean
                codes = {c: learner.classes.index(c) for c in expected}
                assert {c: mean[k] for c, k in codes.items()} == pytest.approx(expected, abs=1e-7)
                top = sorted(expected.values(), reverse=True)
                if len(top) == 1 or top[0] - top[1] > 1e-6:
                    assert view.prediction == max(expected, key=expected.__getitem__)
                assert sum(learner.predict_proba_one(node).values()) == pytest.approx(1.0)
            learner.learn_one(node, y)
            recipe.learn(x, y)
            for e in range(4):
                for j in range(graph.n):
                    found = learner.state.estimate[e, j]
                    row = {c: found[learner.classes.index(c)] for c in recipe.f[e][j]}
                    assert row == pytest.approx(recipe.f[e][j], abs=1e-7)
            assert learner.state.confidence == pytest.approx(recipe.confidence, abs=1e-7)
            assert learner.state.strength.tolist() == recipe.strength


# --- what it is for -------------------------------------------------------------------------------


def clusters(size: int) -> ohm.Graph:
    edges = [(b * size + i, b * size + j) for b in range(4) for i in range(size) for j in range(i)]
    return ohm.Graph.from_edges([*edges, *((b * size, b * size + size) for b in range(3))])


def test_a_cluster_that_changes_is_followed_and_the_others_are_not() -> None:
    graph, rng = clusters(12), np.random.default_rng(0)
    truth = np.repeat(list("abcd"), 12)
    ours, static, wrong = ohm.DriftingLGC(graph), ohm.LocalLGC(graph), [0, 0]
    for t in range(600):
        if t in (200, 400):
            truth[:12] = "e" if t == 200 else "b"
        x = int(rng.integers(48))
        for k, learner in enumerate((ours, static)):
            wrong[k] += bool(learner.learn_one(x, str(truth[x])).mistake)
    assert wrong[0] < 0.7 * wrong[1]
    assert [ours.predict_one(k) for k in (3, 15, 27, 39)] == list("bbcd")


def test_wrong_labels_do_less_harm_than_to_the_static_learner() -> None:
    graph, rng = clusters(12), np.random.default_rng(1)
    truth, wrong = np.repeat(list("abcd"), 12), [0, 0]
    ours, static = ohm.DriftingLGC(graph), ohm.LocalLGC(graph, mu=ohm.DriftingLGC(graph).mu)
    for _ in range(800):
        x = int(rng.integers(48))
        y = str(rng.choice(list("abcd"))) if rng.random() < 0.1 else str(truth[x])
        for k, learner in enumerate((ours, static)):
            wrong[k] += learner.predict_one(x) != truth[x]
            learner.learn_one(x, y)
    assert wrong[0] < wrong[1]


def test_fit_learns_pairs_in_their_order() -> None:
    graph = clusters(6)
    pairs = [(0, "a"), (6, "b"), (0, "b"), (1, "b"), (0, "b")]
    learner = ohm.fit(graph, pairs, drift=True)
    assert isinstance(learner, ohm.DriftingLGC)
    assert learner.now == 5.0
    assert learner.label_one(0) == "b"
    assert ohm.fit(graph, {0: "a", 7: "b"}, drift=True, classes=["a", "b", "c"]).classes == ("a", "b", "c")
    with pytest.raises(LearnerError, match="drift is for learner=None"):
        ohm.fit(graph, pairs, ohm.LocalLGC, drift=True)
    with pytest.raises(ParameterError, match="drift"):
        ohm.fit(graph, pairs, drift="yes")  # type: ignore[arg-type]
    with pytest.raises(LabelError, match="no label"):
        ohm.fit(graph, [(0, None), (1, None)], drift=True)


# --- hostile use ----------------------------------------------------------------------------------


@pytest.mark.parametrize("time", [float("nan"), float("inf"), -float("inf"), 4.9, -1, "6", None, True])
def test_times_that_cannot_be_change_nothing(time: Any) -> None:
    learner = ohm.DriftingLGC(clusters(3), trees=1)
    learner.learn_many([0, 1, 2, 3, 4], list("aabbb"))
    before = learner.snapshot()
    with pytest.raises(ParameterError, match="time"):
        learner.advance_to(time)
    after = learner.snapshot()
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[key], after[key]) for key in before)
    assert learner.now == 5.0


def test_times_are_what_they_are_told_to_be() -> None:
    learner = ohm.DriftingLGC(clusters(3), trees=1, memory=10.0)
    learner.advance_to(0.0)
    learner.learn_one(0, "a")
    learner.learn_one(3, "b")
    assert learner.now == 0.0
    fresh = learner.view_one(1)
    learner.advance_to(1e300)
    assert np.isfinite(learner.view_one(1).margin)
    assert learner.predict_one(1) == fresh.prediction == "a"
    learner.learn_one(1, "b")
    again = ohm.DriftingLGC.restore(learner.snapshot(), learner.graph)
    assert again.now == 1e300
    with pytest.raises(ParameterError, match="backwards"):
        again.advance_to(0)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"memory": 0}, "memory"),
        ({"memory": float("inf")}, "memory"),
        ({"ridge": 0.0}, "ridge"),
        ({"mu": 1e13}, "mu"),
        ({"trees": 0}, "trees"),
        ({"seed": 0.5}, "seed"),
        ({"classes": []}, "classes"),
    ],
)
def test_options_that_cannot_be(options: Any, named: str) -> None:
    with pytest.raises(OhmlineError, match=named):
        ohm.DriftingLGC(clusters(3), **options)


def test_no_edges_one_node_and_components() -> None:
    alone = ohm.DriftingLGC(ohm.Graph.from_edges([], nodes=["a", "b"]), trees=1)
    assert alone.predict_one("a") is None
    for y in (1, 2, 2, 1):
        alone.learn_one("a", y)
    assert alone.predict_one("a") in (1, 2)
    assert alone.predict_one("b") is None
    table = alone.predict_many()
    assert np.isnan(table.probabilities[1]).all()
    assert not np.isnan(table.probabilities[0]).any()
    with pytest.raises(OhmlineError, match="negative"):
        ohm.DriftingLGC(ohm.Graph.from_edges([(0, 1, -1.0)], signed=True))


def test_weights_of_every_size() -> None:
    rng, n = np.random.default_rng(3), 30
    edges = [(int(rng.integers(k)), k, float(10.0 ** rng.uniform(-150, 150))) for k in range(1, n)]
    graph = ohm.Graph.from_edges(edges)
    learner = ohm.DriftingLGC(graph, trees=2)
    for _ in range(200):
        x = int(rng.integers(n))
        assert np.isfinite(learner.view_one(x).margin)
        learner.learn_one(x, int(rng.integers(3)))
    assert np.isfinite(learner.state.estimate).all()
    assert learner.state.followed.sound()
    ohm.DriftingLGC.restore(learner.snapshot(), graph)


def test_snapshots_that_contradict_themselves_are_refused() -> None:
    graph = clusters(3)
    learner = ohm.DriftingLGC(graph, trees=1)
    learner.learn_many([0, 1, 4, 0], ["a", "a", "b", "b"])
    good = learner.snapshot()
    damages = {
        "state.weights": good["state.weights"] * 0.5,
        "state.held": np.full_like(good["state.held"], -1),
        "state.clock": np.array([1.0]),
        "state.scored": good["state.scored"] + 1,
        "state.order": good["state.order"][::-1].copy() * 0,
        "state.slow.label": np.full_like(good["state.slow.label"], 0),
        "state.priced": np.zeros_like(good["state.priced"]),
    }
    for key, array in damages.items():
        with pytest.raises(SnapshotError):
            ohm.DriftingLGC.restore({**good, key: array}, graph)


def test_members_that_disagree_on_classes_are_refused_by_fixed_share_too() -> None:
    graph = clusters(3)
    with pytest.raises(OhmlineError, match="class"):
        ohm.Blend(
            [ohm.DriftingLGC(graph, ["a", "b"], trees=1), ohm.LocalLGC(graph, ["a", "c"])], ohm.FixedShare()
        )
    blend = ohm.Blend([ohm.DriftingLGC(graph, ["a", "b"], trees=1), ohm.LocalLGC(graph)], ohm.FixedShare())
    blend.learn_one(0, "a")
    before = blend.snapshot()
    with pytest.raises(LabelError):
        blend.learn_one(1, "c")
    after = blend.snapshot()
    assert all(np.array_equal(before[key], after[key]) for key in before)
