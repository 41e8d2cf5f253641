"""ClusterSpecialists against the paper's box, written out specialist by specialist, in fractions or sixty digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import graphs
from ohmline.errors import LabelError, OhmlineError
from specialist_oracle import Oracle


def agree(learner: ohm.ClusterSpecialists, oracle: Oracle, graph: ohm.Graph, stream: Any) -> int:
    """Trial by trial, up to the first near tie that is none; how many trials that were."""
    for t, (x, y) in enumerate(stream):
        place = graph.nodes.position(x)
        expected = oracle.shares(place)
        found = learner.predict_proba_one(x)
        if expected is None:
            assert found == {}
            assert learner.predict_one(x) is None
        else:
            if any(spine.close(p, oracle.classes) for spine, p in oracle.at(place)):
                return t
            assert {c for c, p in found.items() if p > 0} == {c for c, p in expected.items() if p > 0}
            assert np.allclose(
                [found[c] for c in expected], [float(p) for p in expected.values()], atol=1e-12
            )
            top, *rest = sorted(map(float, expected.values()), reverse=True)
            lead = top - rest[0] if rest else top
            assert learner.view_one(x).margin == pytest.approx(lead, abs=2e-9)
            if lead > 1e-8:
                assert learner.predict_one(x) == max(oracle.classes, key=expected.__getitem__)
        learner.learn_one(x, y)
        oracle.learn(place, y)
    return len(stream)


@settings(max_examples=30, deadline=None)
@given(
    graphs(max_nodes=10),
    st.integers(1, 3),
    st.sampled_from(["0.002", "0.25", "0.00000001"]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_agrees_with_the_box(graph: Any, trees: int, share: str, declared: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, stream = rng.integers(3, size=graph.n), []
    for t in range(40):
        if t % 10 == 9:
            labels[rng.integers(graph.n)] = rng.integers(3)
        x = int(rng.integers(graph.n))
        stream.append((graph.nodes[x], f"class {labels[x]}"))
    classes = ["class 2", "class 0", "class 1"] if declared else None
    with localcontext() as context:
        context.prec = 60
        learner = ohm.ClusterSpecialists(graph, classes, trees=trees, share=float(share), seed=3)
        agree(learner, Oracle(graph, trees, Decimal(share), 3), graph, stream)


@settings(max_examples=30, deadline=None)
@given(graphs(max_nodes=7), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_agrees_with_the_box_in_fractions(graph: Any, trees: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    stream = [(graph.nodes[int(x)], int(y)) for x, y in rng.integers([graph.n, 3], size=(10, 2))]
    learner = ohm.ClusterSpecialists(graph, trees=trees, share=0.125, seed=5)
    agree(learner, Oracle(graph, trees, Fraction(1, 8), 5), graph, stream)


def test_a_whole_game_agrees_with_the_box() -> None:
    """Without a tie on the way: no trial is left out."""
    graph = ohm.graph.generate.ring(14).graph
    rng, labels, stream = np.random.default_rng(4), np.repeat([0, 1], 7), []
    for t in range(60):
        if t in (20, 40):
            labels[rng.integers(14) :] ^= 1
        x = int(rng.integers(14))
        stream.append((x, int(labels[x])))
    with localcontext() as context:
        context.prec = 60
        learner = ohm.ClusterSpecialists(graph, trees=1, share=0.03, seed=1)
        assert agree(learner, Oracle(graph, 1, Decimal("0.03"), 1), graph, stream) > 30


# --- hostile use ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"trees": 0}, "trees"),
        ({"trees": 2.5}, "trees"),
        ({"trees": 10**6}, "trees"),
        ({"share": 0.0}, "share"),
        ({"share": 0.7}, "share"),
        ({"share": float("nan")}, "share"),
        ({"share": "0.1"}, "share"),
        ({"seed": -1}, "seed"),
        ({"draw": "wilson"}, "draw"),
    ],
)
def test_options_that_cannot_be(options: Any, named: str) -> None:
    with pytest.raises(OhmlineError, match=named):
        ohm.ClusterSpecialists(ohm.graph.generate.ring(5).graph, **options)


def test_signed_graphs_and_other_things_are_refused() -> None:
    signed = ohm.Graph.from_edges([(0, 1, -1.0), (1, 2, 1.0)], signed=True)
    with pytest.raises(OhmlineError, match="negative"):
        ohm.ClusterSpecialists(signed)
    with pytest.raises(OhmlineError, match="graph"):
        ohm.ClusterSpecialists([(0, 1)])


def test_one_node_no_edges_and_components() -> None:
    alone = ohm.ClusterSpecialists(ohm.Graph.from_edges([], nodes=["a"]), trees=2)
    assert alone.predict_one("a") is None
    alone.learn_one("a", 1)
    assert alone.predict_one("a") == 1
    alone.learn_one("a", 2)
    assert alone.predict_one("a") == 2
    apart = ohm.ClusterSpecialists(ohm.Graph.from_edges([(0, 1), (2, 3)], nodes=range(5)), trees=3)
    apart.learn_one(0, "x")
    assert [apart.predict_one(k) for k in range(5)] == ["x", "x", None, None, None]
    table = apart.predict_many()
    assert np.isnan(table.probabilities[2:]).all()
    assert table.probabilities[:2].sum(axis=1) == pytest.approx(1.0)
    assert apart.labelled().tolist() == [True, False, False, False, False]
    assert apart.label_one(0) == "x"


def test_refusals_change_nothing_and_late_classes_cost_little() -> None:
    graph = ohm.graph.generate.ring(20).graph
    learner = ohm.ClusterSpecialists(graph, trees=3)
    for k in range(300):  # three hundred classes
        learner.learn_one(k % 20, f"class {k}")
    assert len(learner.classes) == 300
    before = learner.snapshot()
    for x, y in ((99, "class 1"), (0, object()), (0, [1])):
        with pytest.raises(OhmlineError):
            learner.learn_one(x, y)
    fixed = ohm.ClusterSpecialists(graph, ["a", "b"], trees=3)
    with pytest.raises(LabelError, match="declared"):
        fixed.learn_one(0, "c")
    after = learner.snapshot()
    assert all(np.array_equal(before[key], after[key]) for key in before)


def test_ten_thousand_mistakes_at_one_node_and_the_smallest_share() -> None:
    graph = ohm.graph.generate.ring(30).graph
    learner = ohm.ClusterSpecialists(graph, trees=2, share=1e-9)
    rng = np.random.default_rng(0)
    learner.learn_many([0] * 10_000, rng.integers(3, size=10_000).tolist())
    assert np.isfinite(learner.state.weight).all()
    # All specialists of a tree together, with those for a class unseen, weigh no more than there are of them.
    ticks = learner.state.clock[:, :1] - learner.state.since
    kept = np.exp(ticks * learner.space.keep)[:, :, None]
    now = kept * learner.state.weight[:, :, :3] + 1 - kept
    others = np.where(learner.state.since < 0, 1, -np.expm1(ticks * learner.space.keep))
    # Interval 2n - 1 is nobody's, and stays as it began.
    all_weight = now[:, :-1].sum(axis=(1, 2)) + others[:, :-1].sum(axis=1)
    assert (all_weight <= 4 * (2 * 30 - 1) * (1 + 1e-6)).all()
    assert (all_weight > 3 * (2 * 30 - 1)).all()
    again = ohm.ClusterSpecialists.restore(learner.snapshot(), graph)
    assert again.predict_proba_one(5) == learner.predict_proba_one(5)


def test_it_follows_a_switch() -> None:
    """Two halves of a line that change places: no more mistakes after it than a few for each tree."""
    line = ohm.graph.generate.line(64)
    learner = ohm.ClusterSpecialists(line.graph, trees=5, share=1e-3)
    rng, wrong = np.random.default_rng(2), [0, 0]
    for phase in (0, 1):
        for _ in range(400):
            x = int(rng.integers(64))
            wrong[phase] += learner.learn_one(x, (x < 32) ^ (phase == 1)).mistake
    assert wrong[0] < 25
    assert wrong[1] < 50


@pytest.mark.parametrize("classes", [["x", "z"], None])
@pytest.mark.parametrize("before", [[], [170]])
def test_the_first_label_of_a_class_overturns_no_cluster(classes: Any, before: list[int]) -> None:
    """A hundred right predictions on one half of a ring are worth more than one label on the other half."""
    learner = ohm.ClusterSpecialists(ohm.graph.generate.ring(200).graph, classes)
    learner.learn_many(before, ["z"] * len(before))
    learner.learn_many(range(100), ["x"] * 100)
    learner.learn_one(150, "z")
    said = learner.predict_many().predictions
    assert list(said[:100]) == ["x"] * 100
    assert list(said).count("z") > 40  # and those around it follow
    assert learner.predict_proba_one(50)["x"] > 0.9


def test_the_first_label_of_a_class_stays_in_its_block() -> None:
    rng = np.random.default_rng(0)
    block = np.arange(200) // 100
    joined = np.triu(rng.random((200, 200)) < np.where(block[:, None] == block, 0.1, 0.005), 1)
    graph = ohm.Graph.from_edges(np.argwhere(joined).tolist(), nodes=range(200))
    learner = ohm.ClusterSpecialists(graph)
    learner.learn_many(range(100), ["x"] * 100)
    for node, late in ((150, "y"), (160, "z"), (170, "w")):
        learner.learn_one(node, late)
        assert list(learner.predict_many(range(100)).predictions) == ["x"] * 100
    learner.learn_one(50, "z")  # nor does one label that differs, in the midst of them
    assert list(learner.predict_many(range(100)).predictions).count("x") >= 97


@pytest.mark.parametrize("share", [1e-9, 1e-3, 0.5])
def test_a_mistake_is_never_far_from_what_the_theorem_allows(share: float) -> None:
    """Theorem 2 of the paper for labels that never change, on one tree, whose proof allows for changes at every label.

    M ln 2 <= (specialists of a comparator) (ln of all weight + T ln(1 / (1 - share))), besides the first labels.
    """
    line = ohm.graph.generate.line(64).graph
    rng = np.random.default_rng(7)
    for cuts in (1, 3, 7):
        learner = ohm.ClusterSpecialists(line, trees=1, share=share, seed=2)
        truth = np.searchsorted(np.sort(rng.choice(64, cuts, replace=False)), np.arange(64)) % 2
        trials = rng.integers(64, size=600)
        made = sum(bool(learner.learn_one(int(x), int(truth[x])).mistake) for x in trials)
        place = learner.space.place[:, 0]
        along = np.empty(64, int)
        along[place] = truth
        pieces = dyadic_pieces(along)
        ticks = int(learner.state.clock[0, 0])
        price = -ticks * learner.space.keep
        assert made <= 2 + pieces * (np.log(3 * 127) + price) / np.log(2)
        assert price <= -600 * np.log1p(-share)


def dyadic_pieces(labels: Any) -> int:
    """How many intervals of the dyadic basis cover a line of labels, each with one label."""
    if len(set(labels.tolist())) == 1:
        return 1
    half = (len(labels) + 1) // 2
    return dyadic_pieces(labels[:half]) + dyadic_pieces(labels[half:])
