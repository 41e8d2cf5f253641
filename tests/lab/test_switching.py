"""The experiment on labels that change: its streams are what they say, and (slow) its claims."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import DataError
from ohmline.lab.experiment import find, run
from ohmline.lab.experiments.switching_streams import POINTS, TRIALS, Change, geometric, real


@pytest.mark.parametrize("change", [Change.STATIC, Change.LOCAL, Change.GLOBAL])
def test_geometric_streams_change_between_segments_alone(change: Change) -> None:
    found = geometric(3, change)
    assert found.graph.n == POINTS
    assert found.graph.is_connected
    assert set(np.unique(found.truth)) == {0, 1}
    for k in range(10):  # within a segment, a node has one label
        part = slice(k * TRIALS, (k + 1) * TRIALS)
        assert len({*zip(found.trials[part], found.truth[part], strict=True)}) == len(set(found.trials[part]))
    whole = len({*zip(found.trials, found.truth, strict=True)}) - len(set(found.trials))
    assert (whole == 0) == (change is Change.STATIC)


@pytest.mark.parametrize("change", [Change.STATIC, Change.BALL, Change.SWAP, Change.SPLIT])
def test_real_streams_change_what_they_say(change: Change) -> None:
    graph = ohm.graph.generate.ring(60).graph
    found = real(graph, np.repeat([0, 1, 2], 20), 5, change)
    assert len(found.trials) == 300
    assert (found.truth.max() > 2) == (change is Change.SPLIT)
    first, second = found.truth[:60], found.truth[60:120]
    if change in (Change.STATIC, Change.SWAP):
        assert np.array_equal(first, np.repeat([0, 1, 2], 20)[found.trials[:60]])
    moved = np.repeat([0, 1, 2], 20)[found.trials[60:120]] != second
    assert moved.any() == (change is not Change.STATIC) or change is Change.BALL


def test_noise_is_what_it_says_and_never_the_right_class() -> None:
    found = geometric(1, Change.STATIC)
    shown = np.array(found.stream(0.05, 1).labels)
    assert np.mean(shown != found.truth) == pytest.approx(0.05, abs=0.01)
    assert np.array_equal(np.array(found.stream(0.0, 1).labels), found.truth)


@pytest.mark.slow
def test_the_claims_hold() -> None:
    try:
        found = run(find("switching"), quick=True)
    except DataError as error:
        pytest.skip(str(error))
    assert all(np.isfinite(row.ours) for row in found.result.rows)
    assert all(claim.holds for claim in found.result.claims if not claim.full)
