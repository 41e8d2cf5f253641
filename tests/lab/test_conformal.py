"""The experiment on sets of labels: what it counts, and (slow) its claims."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import DataError
from ohmline.lab.experiment import find, run
from ohmline.lab.experiments.conformal import (
    ALL,
    COVERAGES,
    KEPT,
    NONE,
    RECENT,
    SIZE,
    figures_of,
    listen,
    worst,
)


def test_listening_counts_what_the_learner_counts() -> None:
    graph = ohm.graph.generate.stochastic_block_model([60] * 3, 0.01 + 0.1 * np.eye(3), seed=1)
    stream = ohm.Stream(range(180), graph.groups).shuffled(seed=2)
    heard = listen(ohm.LocalLGC(graph.graph), stream, None)
    sets = ohm.ConformalSets(ohm.LocalLGC(graph.graph), COVERAGES)
    ohm.play(sets, stream)
    for k, coverage in enumerate(COVERAGES):
        found = figures_of(heard, k)
        assert found[KEPT] == pytest.approx(1 - sets.missed_share(coverage))
        assert 0 <= found[ALL] + found[NONE] <= 1
        assert found[SIZE] == pytest.approx(heard.sizes[k].mean())
    assert heard.promise <= 1
    assert heard.whole[:, 0].all()  # before the first label nothing can be left out


def test_the_worst_window_is_the_worst_after_the_first() -> None:
    inside = np.ones(4 * RECENT, np.bool_)
    inside[:100] = False  # at the start, which does not count
    assert worst(inside) == 1.0
    inside[2 * RECENT : 2 * RECENT + 100] = False
    assert worst(inside) == pytest.approx(1 - 100 / RECENT)


@pytest.mark.slow
def test_the_claims_hold() -> None:
    try:
        found = run(find("conformal"), quick=True)
    except DataError as error:
        pytest.skip(str(error))
    assert len(found.result.claims) >= 8
    assert all(claim.holds for claim in found.result.claims), [c for c in found.result.claims if not c.holds]
