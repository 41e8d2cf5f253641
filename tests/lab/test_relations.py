"""The experiment on types of edges and differing neighbours: its graphs are what they say, and (slow) its claims."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import DataError
from ohmline.lab.experiment import find, run
from ohmline.lab.experiments.relations import (
    BLEND,
    IGNORING,
    NODES,
    PAIRS,
    TYPED,
    Case,
    Found,
    beside_differing,
    beside_noise,
    block_model,
    measure,
    one_after_the_other,
    one_type,
)


def alike(graph: ohm.Graph, labels: np.ndarray) -> float:
    ends = graph.edges()
    return float(np.mean(labels[ends[0]] == labels[ends[1]]))


@pytest.mark.parametrize(("classes", "homophily"), [(2, 0.05), (4, 0.5), (10, 0.8)])
def test_block_models_have_the_degree_and_the_homophily_that_were_asked_for(
    classes: int, homophily: float
) -> None:
    made = [block_model(classes, homophily, seed) for seed in range(4)]
    assert np.mean([2 * len(g.edges()[0]) / g.n for g, _ in made]) == pytest.approx(8, rel=0.05)
    assert np.mean([alike(g, y) for g, y in made]) == pytest.approx(homophily, abs=0.02)


def test_types_say_what_they_should() -> None:
    relations, labels = beside_noise(3)
    assert alike(relations["near"], labels) == pytest.approx(0.8, abs=0.05)
    assert alike(relations["noise"], labels) == pytest.approx(0.25, abs=0.05)
    assert len(relations["noise"].indices) > 1.9 * len(relations["near"].indices)
    relations, labels = beside_differing(3)
    assert alike(relations["far"], labels) == pytest.approx(0.05, abs=0.03)
    relations, labels = one_after_the_other(3)
    assert set(relations.directions) == {"then"}
    ends = relations["then"].edges()
    apart = (labels[ends[0]] - labels[ends[1]]) % 10
    assert np.mean((apart == 1) | (apart == 9)) > 0.75
    assert np.mean(apart == 0) < 0.05


def test_every_learner_plays_the_same_game() -> None:
    found = Found.nothing()
    measure(Case("one", partial(one_type, 2, 0.05), True), 11, found)
    relations, labels = one_type(2, 0.05, 11)
    order = np.random.default_rng([11, 1]).permutation(NODES)
    alone = ohm.play(ohm.LocalLGC(relations["near"]), ohm.Stream(order, labels[order]))
    assert found.errors[IGNORING] == [alone.error_rate]
    assert found.errors[BLEND][0] < 0.1 < found.errors[IGNORING][0]
    assert found.errors[PAIRS][0] < 0.1
    assert TYPED not in found.errors  # there is one type only
    assert found.certified == [True]
    assert found.above[0] < 0


@pytest.mark.slow
def test_the_claims_hold() -> None:
    try:
        found = run(find("relations"), quick=True)
    except DataError as error:
        pytest.skip(str(error))
    assert len(found.result.claims) >= 6
    assert all(claim.holds for claim in found.result.claims), [c for c in found.result.claims if not c.holds]
