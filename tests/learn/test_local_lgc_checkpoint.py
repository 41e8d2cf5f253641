"""What LocalLGC is put back to after a refused game: everything it knew, without the room that it works in."""

from __future__ import annotations

import tracemalloc
from copy import deepcopy

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import OhmlineError


def graph_of(n: int, seed: int) -> ohm.Graph:
    rng = np.random.default_rng(seed)
    edges = {(k, k + 1): 1.0 for k in range(n - 6)}  # the last nodes are isolated
    for a, b in rng.integers(n - 5, size=(n, 2)).tolist():
        if a != b:
            edges[(min(a, b), max(a, b))] = float(rng.uniform(0.1, 3.0))
    return ohm.Graph.from_edges([(a, b, w) for (a, b), w in edges.items()], nodes=range(n))


def work(learner: ohm.LocalLGC, rng: np.random.Generator, *, classes: int = 3) -> list[object]:
    """All that one does with a learner, in an order that chance has chosen; what it said."""
    said: list[object] = []
    for _ in range(12):
        node = int(rng.integers(len(learner.nodes)))
        match int(rng.integers(5)):
            case 0:
                said.append(learner.learn_one(node, f"c{rng.integers(classes)}"))
            case 1:
                said.append(learner.variance_one(node))
            case 2:
                if learner.label_one(node) is not None:
                    learner.forget_one(node)
            case 3:
                stream = ohm.Stream(rng.integers(40, size=15).tolist(), ["c0", "c1", "c2"] * 5)
                query = [ohm.VarianceAbove(0.25), ohm.Budget(ohm.Always(), labels=4)][int(rng.integers(2))]
                said.extend(ohm.play(learner, stream, query).margin.tolist())
            case _:
                said.append((learner.view_one(node), learner.scores_one(node)))
    return said


def same(one: ohm.LocalLGC, other: ohm.LocalLGC) -> bool:
    mine, theirs = one.snapshot(), other.snapshot()
    return mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_came_after_it_is_as_if_it_had_not_been(seed: int) -> None:
    rng, graph = np.random.default_rng(seed), graph_of(60, seed)
    fixed = ["c0", "c1", "c2"] if seed % 2 else None
    learner = ohm.LocalLGC(graph, fixed)
    for _ in range(4):
        work(learner, rng)
        twin, put_back = deepcopy(learner), learner.checkpoint()
        work(learner, rng, classes=3 if seed % 2 else 40)
        put_back()
        assert learner.classes == twin.classes
        assert same(learner, twin)
        ahead = int(rng.integers(2**32))
        mine, theirs = (work(each, np.random.default_rng(ahead)) for each in (learner, twin))
        assert mine == theirs
        assert same(learner, twin)


@pytest.mark.parametrize("bad", ["nobody", None])
def test_a_refused_game_in_which_variances_were_read_leaves_no_trace(bad: object) -> None:
    learner = ohm.LocalLGC(graph_of(60, 3), ["c0", "c1"])
    learner.learn_many({k: f"c{k % 2}" for k in range(8)})
    twin = deepcopy(learner)
    nodes, labels = [*range(10, 30)], ["c0", "c1"] * 10
    with pytest.raises(OhmlineError):
        ohm.play(
            learner,
            ohm.Stream([*nodes, 5 if bad is None else bad], [*labels, "c7"]),
            ohm.VarianceAbove(0.25),
        )
    assert same(learner, twin)
    stream = ohm.Stream(nodes, labels)
    np.testing.assert_array_equal(ohm.play(learner, stream).margin, ohm.play(twin, stream).margin)


def test_it_takes_no_more_than_what_is_known_of_the_nodes() -> None:
    n, classes = 20_000, 2
    learner = ohm.LocalLGC(ohm.Graph.from_edges([(k, k + 1) for k in range(n - 1)]), ["a", "b"])
    learner.learn_one(0, "a")
    learner.checkpoint()
    tracemalloc.start()
    put_back = learner.checkpoint()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    width = (
        classes * learner.state.estimate.itemsize + 8 + 4 + 4 + 8
    )  # Q_jj, class, marks, labels of a component
    assert used < width * n + 20_000
    put_back()
    assert learner.predict_one(1) == "a"
