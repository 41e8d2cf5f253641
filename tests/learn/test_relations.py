"""`Compatibility`, `TypedLGC` and `relational` against literal oracles, and what they are there for."""

from __future__ import annotations

from itertools import product
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.check import Subject
from ohmline.errors import LabelError, SnapshotError, UnknownNode
from ohmline.learn.relations.votes import DOUBT, GRID, NOISE, Votes, fitted, loss, votes_of, worths


class Pairs:
    """`Compatibility`, as its docstring says it: dicts, and everything counted afresh at each trial."""

    def __init__(self, relations: ohm.Relations) -> None:
        self.relations, self.label, self.classes = relations, {}, []
        self.ends: dict[Any, list[tuple[Any, tuple[str, int], float]]] = {x: [] for x in relations.nodes}
        for name in relations.types:
            graph = relations[name]
            ways = relations.directions.get(name, np.zeros(len(graph.indices), np.int64))
            p = 0
            for row in range(graph.n):
                for _ in range(graph.indptr[row], graph.indptr[row + 1]):
                    power = min(graph.weights[p] / graph.weights.mean(), 2.0)
                    other = graph.nodes[int(graph.indices[p])]
                    self.ends[graph.nodes[row]].append((other, (name, int(ways[p])), float(power)))
                    p += 1

    def prior(self, a: Any) -> float:
        counts = [sum(y == c for y in self.label.values()) + 1 for c in self.classes]
        return counts[self.classes.index(a)] / sum(counts)

    def ratio(self, kind: tuple[str, int], a: Any, b: Any) -> float:
        seen = [
            (self.label[x], self.label[j])
            for x, ends in self.ends.items()
            for j, k, _ in ends
            if k == kind and x in self.label and j in self.label
        ]
        of_type = [
            self.label[j]
            for x, ends in self.ends.items()
            for j, (name, _), _ in ends
            if name == kind[0] and x in self.label and j in self.label
        ]
        end = (of_type.count(b) + self.prior(b)) / (len(of_type) + 1)
        return (seen.count((a, b)) / end + 1) / (sum(c == a for c, _ in seen) + 1)

    def going(self, x: Any, name: str) -> dict[int, float]:
        """How many edges of a type go each way at x, scaled down to 3, in parts of 1024."""
        ways = [way for _, (of, way), _ in self.ends[x] if of == name]
        scale = 3 / max(len(ways), 3)
        return {way: round(ways.count(way) * scale * 1024) / 1024 for way in (1, 2, 3)}

    def direction(self, x: Any, a: Any) -> float:
        """The log of W(a) over the edges of x."""
        found = 0.0
        for name in self.relations.directions:
            known = [(y, self.going(j, name)) for j, y in self.label.items()]
            of_a = sum(sum(ways.values()) for y, ways in known if y == a)
            every = sum(sum(ways.values()) for _, ways in known)
            for way, many in self.going(x, name).items():
                share = (sum(ways[way] for _, ways in known) + 1 / 3) / (every + 1)
                here = sum(ways[way] for y, ways in known if y == a)
                found += many * log((here / share + 1) / (of_a + 1))
        return found

    def chances(self, x: Any) -> dict[Any, float]:
        known = x in self.label
        score = {
            a: log(self.prior(a)) + self.direction(x, a) + (4.6 if known and self.label[x] == a else 0)
            for a in self.classes
        }
        for j, kind, power in self.ends[x]:
            if j in self.label:
                known = True
                for a in self.classes:
                    score[a] += power * log(self.ratio(kind, a, self.label[j]))
                continue
            heard = [(k, self.label[i], p) for i, k, p in self.ends[j] if i != x and i in self.label]
            if heard:
                known = True
                belief = {b: self.prior(b) * np.exp(self.direction(j, b)) for b in self.classes}
                for b, (k, y, p) in product(self.classes, heard):
                    belief[b] *= self.ratio(k, b, y) ** p
                total = sum(belief.values())
                for a in self.classes:
                    said = sum(self.ratio(kind, a, b) * belief[b] / total for b in self.classes)
                    score[a] += power * log(said)
        if not known:
            return {}
        top = max(score.values())
        raised = {a: np.exp(s - top) for a, s in score.items()}
        return {a: float(r / sum(raised.values())) for a, r in raised.items()}

    def learn(self, x: Any, y: Any) -> None:
        self.label[x] = y
        if y not in self.classes:
            self.classes.append(y)


def typed(graph: ohm.Graph, seed: int) -> ohm.Relations:
    """A graph as one type, and random directed edges as another."""
    rng, nodes = np.random.default_rng(seed), list(graph.nodes)
    pairs = rng.integers(graph.n, size=(2 * graph.n, 2)).tolist()
    arcs = ohm.graph.directions([(nodes[a], nodes[b]) for a, b in pairs], nodes=nodes)
    return ohm.Relations({"near": graph, **arcs.graphs}, arcs.directions)


@settings(max_examples=12)
@given(game=games(classes=3, named=True), seed=st.integers(0, 1000), declared=st.booleans())
def test_compatibility_agrees_with_the_literal_one(game: Any, seed: int, declared: bool) -> None:
    graph, stream, _ = game
    relations = typed(graph, seed)
    oracle = Pairs(relations)
    learner = ohm.Compatibility(relations, ["class 2", "never", "class 0", "class 1"] if declared else None)
    for x, y in list(stream)[:14]:
        for node in list(graph.nodes)[:4]:
            mine, wanted = learner.predict_proba_one(node), oracle.chances(node)
            assert {a: p for a, p in mine.items() if p > 0} == pytest.approx(wanted, abs=1e-9)
        wanted = oracle.chances(x)
        said = learner.predict_one(x)
        assert (said is None) == (not wanted)
        if wanted:
            assert wanted[said] >= max(wanted.values()) - 1e-8
        learner.learn_one(x, y)
        oracle.learn(x, y)
    for name in ("near", "direct"):
        kind = (name, 1 if name == "direct" else 0)
        table = learner.ratios(name)
        for a, b in product(oracle.classes, repeat=2):
            assert table[a][b] == pytest.approx(oracle.ratio(kind, a, b))
    table = learner.predict_many()
    for node, row in zip(table.nodes, table.probabilities, strict=True):
        wanted = learner.predict_proba_one(node)
        assert dict(zip(table.classes, row, strict=True)) == wanted if wanted else np.isnan(row).all()


def test_a_correction_takes_the_old_pairs_back() -> None:
    graph = ohm.Graph.from_edges([(k, (k + 1) % 9) for k in range(9)] + [(0, 4), (2, 7)])
    changed, fresh = ohm.Compatibility(graph), ohm.Compatibility(graph)
    rng = np.random.default_rng(0)
    last = {}
    for _ in range(60):
        node, label = int(rng.integers(9)), "abc"[rng.integers(3)]
        changed.learn_one(node, label)
        last[node] = label
    fresh.codes_of(changed.classes)
    fresh = ohm.Compatibility.restore(changed.snapshot(), graph)
    assert np.array_equal(fresh.state.pairs, changed.state.pairs)
    assert np.array_equal(fresh.state.counts, changed.state.counts)
    assert changed.state.pairs.min() >= 0
    assert [changed.label_one(k) for k in range(9)] == [last.get(k) for k in range(9)]


def literal_loss(relations: ohm.Relations, label: dict[Any, Any], weights: list[float]) -> float:
    """The loss of leaving each label out, written from the docstring."""
    total = 0.0
    for x, y in label.items():
        share = (sum(z == y for z in label.values()) + 1) / (len(label) + len(set(label.values())))
        right = every = 0.0
        for name, w in zip(relations.types, weights, strict=True):
            graph = relations[name]
            for j, v in graph.neighbours(x).items():
                if j in label:
                    every += w * v / graph.weights.mean()
                    right += w * v / graph.weights.mean() * (label[j] == y)
        total -= log((1 - NOISE) * (share + right) / (1 + every) + NOISE * share)
    return total + DOUBT * sum(log(max(w, 0.01)) ** 2 for w in weights)


@settings(max_examples=10)
@given(game=games(classes=3, repeats=False), seed=st.integers(0, 1000))
def test_the_weights_are_those_of_least_loss(game: Any, seed: int) -> None:
    graph, stream, _ = game
    relations = ohm.Relations({"near": graph, "far": typed(graph, seed)["direct"]})
    label = dict(zip(stream.nodes, stream.labels, strict=True))
    names = list(dict.fromkeys(label.values()))
    codes = np.array([names.index(label[x]) if x in label else -1 for x in relations.nodes])
    votes = votes_of([relations[name] for name in relations.types], codes)
    for w in ([1.0, 1.0], [0.0, 1.0], [3.0, 0.2]):
        assert loss(votes, np.array(w)) == pytest.approx(literal_loss(relations, label, w))
    found = fitted(votes, np.ones(2))
    assert found.max() == 1
    best = min(loss(votes, np.array(w)) for w in product(GRID, repeat=2))
    reached = min(loss(votes, found * scale) for scale in GRID[1:])
    assert reached <= loss(votes, np.ones(2)) + 1e-9
    assert reached <= best + 1.0  # one type after the other: near the best of the whole grid
    without = [literal_loss(relations, label, w) - DOUBT * doubt(w) for w in ([0, found[1]], [found[0], 0])]
    here = literal_loss(relations, label, found.tolist()) - DOUBT * doubt(found)
    assert worths(votes, found) == pytest.approx((np.array(without) - here) / len(label))


def doubt(weights: Any) -> float:
    return sum(log(max(w, 0.01)) ** 2 for w in weights)


def test_without_labels_every_type_counts_one() -> None:
    nothing = Votes(np.zeros((3, 0)), np.zeros((3, 0)), np.zeros(0))
    assert fitted(nothing, np.ones(3)).tolist() == [1, 1, 1]
    assert worths(nothing, np.ones(3)).tolist() == [0, 0, 0]


def blocks(n: int, same: float, other: float, seed: int, classes: int = 2) -> Any:
    matrix = np.full((classes, classes), other) + (same - other) * np.eye(classes)
    return ohm.graph.generate.stochastic_block_model([n // classes] * classes, matrix, seed=seed)


def random_graph(n: int, edges: int, seed: int) -> ohm.Graph:
    ends = np.random.default_rng(seed).integers(n, size=(edges, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    return ohm.Graph.from_columns(*ends.T, nodes=range(n), parallel="max")


def test_typed_lgc_is_local_lgc_over_the_weighted_sum() -> None:
    made = blocks(120, 0.1, 0.01, 3)
    relations = ohm.Relations({"good": made.graph, "bad": random_graph(120, 500, 1)})
    learner = ohm.TypedLGC(relations)
    order = np.random.default_rng(2).permutation(120)
    for node in order[:90].tolist():
        learner.learn_one(node, int(made.groups[node]))
    weights = learner.weights
    assert weights["good"] == 1
    assert weights["bad"] < 0.1
    mean = {name: relations[name].weights.mean() for name in relations.types}
    total = sum(relations[name].adjacency.toarray() * (w / mean[name]) for name, w in weights.items())
    assert np.allclose(learner.learner.graph.adjacency.toarray(), total)
    assert [learner.label_one(k) for k in order[:90].tolist()] == made.groups[order[:90]].tolist()
    worth = learner.worths()
    assert worth["good"] > 0.1 > worth["bad"]


def test_one_type_is_local_lgc_itself() -> None:
    made = blocks(100, 0.1, 0.02, 5, classes=4)
    stream = ohm.Stream(range(100), made.groups).shuffled(seed=0)
    alone = ohm.play(ohm.LocalLGC(made.graph), stream)
    assert ohm.play(ohm.TypedLGC({"only": made.graph}), stream).predictions == alone.predictions


def test_a_type_of_noise_is_left_out() -> None:
    made = blocks(400, 0.03, 0.004, 7, classes=4)
    relations = ohm.Relations({"good": made.graph, "bad": random_graph(400, 3000, 3)})
    stream = ohm.Stream(range(400), made.groups).shuffled(seed=1)
    union = ohm.play(ohm.LocalLGC(relations.union()), stream).mistakes
    alone = ohm.play(ohm.LocalLGC(made.graph), stream).mistakes
    for learner in (ohm.TypedLGC(relations), ohm.relational(relations)):
        assert ohm.play(learner, stream).mistakes < alone + 0.3 * (union - alone)


@pytest.mark.parametrize(("classes", "homophily"), [(c, h) for c in (2, 4) for h in (0.05, 0.5, 0.95)])
def test_never_worse_than_ignoring_it_beyond_the_bound(classes: int, homophily: float) -> None:
    """Six graphs of each kind: the promise in every game, and how much is lost or gained over all of them."""
    nodes, degree, alone, together = 600, 8, [], []
    for seed in range(6):
        size = nodes / classes
        within, across = degree * homophily / size, degree * (1 - homophily) / (nodes - size)
        made = blocks(nodes, within, across, 40 + seed, classes=classes)
        stream = ohm.Stream(range(nodes), made.groups).shuffled(seed=seed)
        trace = ohm.play(ohm.relational(made.graph), stream)
        certificate, tally = ohm.bound.best_bound(trace), trace.learner.tally
        assert certificate.proven
        assert trace.mistakes <= certificate.value
        # the first of the two members ignores all of it
        assert tally["own_loss"][0] <= tally["losses"][0] + log(2 * 2) + 1e-9
        alone.append(ohm.play(ohm.LocalLGC(made.graph), stream).mistakes)
        together.append(trace.mistakes)
        assert together[-1] <= alone[-1] + 0.04 * nodes
    assert np.mean(together) <= np.mean(alone) + 0.01 * nodes
    if homophily == 0.05:
        assert np.mean(together) < (0.1 if classes == 2 else 0.6) * np.mean(alone)


@pytest.mark.parametrize("contrary", [0, 1], ids=["the blend", "the member that ignores it"])
def test_the_promise_holds_against_an_adversary(contrary: int) -> None:
    """Every label is chosen to be another one than was just predicted."""
    made = blocks(120, 0.05, 0.05, 3, classes=3)
    blend = ohm.relational(made.graph, classes=range(3))
    for x in np.random.default_rng(contrary).permutation(120).tolist():
        said = (blend.learners[0] if contrary else blend).predict_one(x)
        blend.learn_one(x, (said + 1) % 3 if said is not None else 0)
        tally = blend.tally
        assert tally["own_loss"][0] <= tally["losses"].min() + log(2 * 2) + 1e-9


def test_classes_may_follow_one_another() -> None:
    """Ten classes, each joined to the next one: no neighbour agrees, and all of them tell."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=1000)
    by = [np.flatnonzero(y == c) for c in range(10)]
    s = rng.integers(1000, size=5000)
    t = np.array([rng.choice(by[(y[k] + 1) % 10]) for k in s])
    stream = ohm.Stream(range(1000), y).shuffled(seed=0)
    arcs = ohm.Relations.from_columns(s, t, ["then"] * 5000, nodes=range(1000), directed=True)
    alone = ohm.play(ohm.LocalLGC(arcs["then"]), stream).error_rate
    assert alone > 0.5
    assert ohm.play(ohm.relational(arcs), stream).error_rate < 0.12
    assert ohm.play(ohm.Compatibility(arcs), stream).error_rate < 0.12


def of_names(nodes: Any) -> list[str]:
    return ["client" if node[0] == "c" else "shop" for node in nodes]


@pytest.mark.parametrize("refunds", [0.0, 0.1])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_direction_that_gives_the_class_away_helps(refunds: float, seed: int) -> None:
    """Clients pay shops: of all edges that go one way, an end has one class, and nothing is left to divide by."""
    rng = np.random.default_rng(seed)
    edges = [(f"c{i}", f"s{(7 * i + k * k + seed - 1) % 40}", "pays") for i in range(100) for k in range(3)]
    edges += [(b, a, of) for a, b, of in edges if rng.random() < refunds]
    mistakes: dict[tuple[Any, bool], int] = {}
    for make, directed in product((ohm.Compatibility, ohm.relational), (False, True)):
        relations = ohm.Relations.from_edges(edges, directed=directed)
        stream = ohm.Stream(relations.nodes, of_names(relations.nodes)).shuffled(seed=seed)
        mistakes[make, directed] = ohm.play(make(relations), stream).mistakes
        few = dict(list(stream)[:40])
        rest = [node for node in relations.nodes if node not in few]
        table = ohm.fit(relations, few, make).predict_many(rest)
        assert np.mean(np.array(table.predictions) == of_names(rest)) >= 0.95
    for make in (ohm.Compatibility, ohm.relational):
        assert mistakes[make, True] <= mistakes[make, False] + 1 <= 14


def test_directions_of_two_types_are_not_worse_than_ignoring_them() -> None:
    """Clients pay shops, and anybody follows anybody."""
    rng = np.random.default_rng(3)
    side = np.where(rng.random(300) < 0.3, "shop", "client")
    shops, clients = np.flatnonzero(side == "shop"), np.flatnonzero(side == "client")
    rows = [(int(i), int(j), "pays") for i in clients for j in rng.choice(shops, 3)]
    rows += [(i, int(j), "follows") for i in range(300) for j in rng.integers(300, size=2) if i != j]
    stream = ohm.Stream(range(300), side).shuffled(seed=1)
    for make in (ohm.Compatibility, ohm.relational):
        without, ways = (
            ohm.play(make(ohm.Relations.from_edges(rows, nodes=range(300), directed=d)), stream).mistakes
            for d in (False, True)
        )
        assert ways <= without < 20


@pytest.mark.parametrize("homophily", [0.05, 0.95])
def test_directions_that_say_nothing_cost_little(homophily: float) -> None:
    """Each edge goes from the younger to the older node, and age has nothing to do with the class."""
    lost = 0
    for seed in range(3):
        made = blocks(300, 0.06 * homophily, 0.06 * (1 - homophily), seed)
        u, v = made.graph.edges()[:2]
        age = np.random.default_rng(seed).permutation(300)
        ahead = age[u] < age[v]
        arcs = ohm.Relations.from_columns(
            np.where(ahead, u, v), np.where(ahead, v, u), ["e"] * len(u), nodes=range(300), directed=True
        )
        stream = ohm.Stream(range(300), made.groups).shuffled(seed=seed)
        with_ways = ohm.play(ohm.relational(arcs), stream).mistakes
        lost += with_ways - ohm.play(ohm.relational(made.graph), stream).mistakes
    assert lost <= 3 * 4


def test_co_citation_is_found_where_direct_edges_disagree() -> None:
    """Readers cite sources of their topic, and sources are of another kind: only whom two have in common tells."""
    rng = np.random.default_rng(4)
    topic = rng.integers(3, size=300)
    edges = [(k, 300 + 30 * int(topic[k]) + int(h)) for k in range(300) for h in rng.integers(30, size=3)]
    ways = ohm.graph.directions(edges, nodes=range(390))
    label = [f"reader {c}" for c in topic] + [f"source {k // 30}" for k in range(90)]
    stream = ohm.Stream(range(390), label).shuffled(seed=0)
    plain = ohm.play(ohm.LocalLGC(ways["direct"]), stream).mistakes
    learner = ohm.TypedLGC(ways)
    assert ohm.play(learner, stream).mistakes < 0.5 * plain
    assert learner.weights["direct"] < 0.2
    assert ohm.play(ohm.relational(ways), stream).mistakes < 0.5 * plain


def test_the_blend_keeps_the_laws() -> None:
    graph = ohm.graph.generate.ring(9).graph
    stream = ohm.Stream([0, 3, 5, 1, 8, 0], list("abcaab")).label_rate(0.9)
    subject = Subject(
        make=lambda g: ohm.relational(typed(g, 1)),
        restore=lambda s, g: ohm.Blend.restore(s, ohm.relational(typed(g, 1))),
        bound=ohm.bound.MixtureBound,
        equivariant=False,
    )
    ohm.check.learner(subject, graph, stream, query=ohm.RandomRate(0.7))


def test_dont_know_late_classes_and_refusals() -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2), (4, 5)], nodes=range(7))
    other = ohm.Graph.from_edges([(0, 2)], nodes=range(7))
    empty = ohm.Graph.from_edges([], nodes=range(7))
    for learner in (
        ohm.Compatibility(graph),
        ohm.TypedLGC({"a": graph, "b": other, "nobody": empty}),
        ohm.relational({"a": graph, "nobody": empty}),
        ohm.relational({"nobody": empty}),
    ):
        assert learner.predict_one(0) is None
        learner.learn_one(0, "x")
        assert learner.predict_one(6) is None
        assert learner.predict_proba_one(4) == {}
        learner.learn_one(4, "late")
        assert learner.classes == ("x", "late")
        before = learner.snapshot()
        for bad in ([], None):
            with pytest.raises(UnknownNode if bad is None else LabelError):
                learner.learn_one(99 if bad is None else 0, "x" if bad is None else bad)
        assert learner.learn_one(1, None).mistake is None
        after = learner.snapshot()
        assert all(np.array_equal(before[key], after[key]) for key in before)
    fixed = ohm.relational({"a": graph, "b": other}, ["x", "y"])
    with pytest.raises(LabelError, match="not among the declared"):
        fixed.learn_one(0, "z")


def test_one_node_and_extreme_weights() -> None:
    lonely = ohm.Graph.from_edges([], nodes=["only"])
    for learner in (ohm.Compatibility(lonely), ohm.TypedLGC({"a": lonely, "b": lonely})):
        learner.learn_one("only", "x")
        assert learner.predict_one("only") == "x"
    wild = ohm.Graph.from_edges([(0, 1, 1e-200), (1, 2, 1e200), (2, 3, 1.0)])
    pairs = ohm.Compatibility(wild)
    for node, label in enumerate("abab"):
        pairs.learn_one(node, label)
        assert all(np.isfinite(list(pairs.predict_proba_one(k).values())).all() for k in range(4))


def test_fit_and_files_take_relations(tmp_path: Any) -> None:
    made = blocks(60, 0.2, 0.02, 1)
    relations = ohm.Relations({"good": made.graph, "bad": random_graph(60, 200, 2)})
    label = {k: "ab"[made.groups[k]] for k in range(0, 60, 2)}
    learner = ohm.fit(relations, label)
    right = [learner.predict_one(k) == "ab"[made.groups[k]] for k in range(1, 60, 2)]
    assert np.mean(right) > 0.8
    assert isinstance(ohm.fit(relations, label, ohm.TypedLGC), ohm.TypedLGC)
    loaded = ohm.load(ohm.save(learner, tmp_path / "model.ohm"))
    assert loaded.predict_many().to_dict() == learner.predict_many().to_dict()
    ways = typed(made.graph, 3)
    learner = ohm.fit(ways, label)
    assert len(learner.learners) == 4  # the last one ignores directions
    loaded = ohm.load(ohm.save(learner, tmp_path / "ways.ohm"))
    assert loaded.predict_many().to_dict() == learner.predict_many().to_dict()


def test_damaged_snapshots_are_refused() -> None:
    made = blocks(60, 0.2, 0.02, 1)
    relations = ohm.Relations({"good": made.graph, "bad": random_graph(60, 200, 2)})
    learner = ohm.TypedLGC(relations)
    learner.learn_many(range(40), made.groups[:40].tolist())
    good = learner.snapshot()
    for key, value in (
        ("shares", np.array([np.nan, 1.0])),
        ("shares", np.array([0.5, 0.5])),
        ("shares", np.array([1.0, -1.0])),
        ("shares", np.ones(3)),
        ("fits_at", np.array(0)),
        ("types", np.array('["good", "worse"]')),
        ("fingerprint", np.array("x")),
        ("learner/state.label", np.full(60, 7)),
    ):
        with pytest.raises(SnapshotError):
            ohm.TypedLGC.restore({**good, key: value}, relations)
    with pytest.raises(SnapshotError, match="restored over its Relations"):
        ohm.TypedLGC.restore(good, None)  # type: ignore[arg-type]
    again = ohm.TypedLGC.restore(good, relations)
    assert again.weights == learner.weights
    pairs = ohm.Compatibility(relations)
    pairs.learn_many(range(40), made.groups[:40].tolist())
    saved = pairs.snapshot()
    for key, value in (
        ("state.label", np.full(60, 2)),
        ("state.order", np.array([0, 0])),
        ("state.order", np.array([1, -1])),
        ("state.seen", np.array([1])),
    ):
        with pytest.raises(SnapshotError):
            ohm.Compatibility.restore({**saved, key: value}, relations)


def test_classes_keep_their_order_when_the_weights_are_fitted_again() -> None:
    """Also one whose only label was corrected: a blend could not be restored without it."""
    rng = np.random.default_rng(0)
    line = ohm.Graph.from_edges([(k, k + 1) for k in range(39)])
    noise = [(int(a), int(b)) for a, b in rng.integers(40, size=(60, 2)) if a != b]
    relations = ohm.Relations({"line": line, "noise": ohm.Graph.from_edges(noise, nodes=line.nodes)})
    typed, blend, met = ohm.TypedLGC(relations), ohm.relational(relations), []
    nodes = [3, 3, *rng.permutation(40).tolist()]
    labels = ["gone", *(f"c{node // 10}" for node in nodes[1:])]
    for node, label in zip(nodes, labels, strict=True):
        typed.learn_one(node, label)
        blend.learn_one(node, label)
        met += [] if label in met else [label]
        assert list(typed.classes) == met
    assert min(typed.weights.values()) < 1  # they were fitted
    assert set(met) > {typed.label_one(node) for node in line.nodes} - {None}
    again = ohm.Blend.restore(blend.snapshot(), ohm.relational(relations))
    assert again.classes == blend.classes
    assert [again.predict_proba_one(k) for k in range(40)] == [blend.predict_proba_one(k) for k in range(40)]
