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
    # Conservative: all specialists of a tree together weigh as much as there are of them.
    made = (learner.state.mistakes - 0)[:, :1] - learner.state.since
    kept = np.exp(made * learner.space.keep)[:, :, None]
    now = kept * learner.state.weight[:, :, :3] + 1 - kept
    # Interval 2n - 1 is nobody's, and stays as it began.
    assert now[:, :-1].sum(axis=(1, 2)) == pytest.approx(3 * (2 * 30 - 1), rel=1e-6)
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
