"""The experiment on calibration: its measures on forecasters whose calibration is known, and its figures."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.lab.experiment import find, run
from ohmline.lab.experiments.calibration import (
    MOST_STREAMS,
    SHUFFLES,
    TOGETHER,
    Said,
    blocks,
    enough,
    error_of,
    floor_of,
    listen,
    together,
)


def forecaster(seed: int, n: int, off: float) -> Said:
    """Right as often as it says, but for `off`."""
    rng = np.random.default_rng(seed)
    sure = rng.uniform(0.3, 0.9, n)
    return Said(sure, rng.random(n) < sure - off)


def test_the_floor_is_the_error_of_a_calibrated_forecaster_and_no_more() -> None:
    fair = [forecaster(seed, 400, 0.0) for seed in range(40)]
    measured = np.mean([error_of(s) for s in fair])
    assert measured == pytest.approx(np.mean([floor_of(s) for s in fair]), rel=0.1)
    assert measured > 0.04
    assert error_of(together(fair)) < 0.02
    bold = forecaster(0, 20_000, 0.1)
    assert error_of(bold) == pytest.approx(0.1, abs=0.01)
    assert floor_of(bold) < 0.015


def test_what_was_not_said_does_not_count() -> None:
    said = Said(np.array([np.nan, 0.8, 0.8, 0.8, 0.8, 0.8]), np.array([False, True, True, True, True, False]))
    assert error_of(said) == pytest.approx(0.0)
    assert len(said.first(0.5).right) == 3


def test_blocks_have_the_degree_and_the_share_that_were_asked_for() -> None:
    graph, labels = blocks(4, 400, 10.0, 0.6, 3)
    ends = graph.edges()[:2]
    assert 2 * len(ends[0]) / graph.n == pytest.approx(10, rel=0.05)
    assert np.mean(labels[ends[0]] == labels[ends[1]]) == pytest.approx(0.6, abs=0.02)


def test_listening_is_the_game_that_is_played() -> None:
    graph, labels = blocks(4, 60, 8.0, 0.7, 1)
    order = np.random.default_rng(5).permutation(graph.n)
    stream = ohm.Stream(order, labels[order])
    every = ohm.play(ohm.LocalLGC(graph, guess=True), stream)
    said = listen(graph, labels, 5, None)
    np.testing.assert_array_equal(~said.right, every.mistake)
    assert np.nanmax(said.confidence) <= 1.0
    # variances depend a little on when they are read, and so do questions
    some = ohm.play(ohm.LocalLGC(graph, guess=True), stream, ohm.GapBelow())
    assert (~listen(graph, labels, 5, ohm.GapBelow()).right).sum() == pytest.approx(some.mistakes, abs=8)


def test_first_tenths_are_played_alone_and_are_enough_to_tell() -> None:
    graph, labels = blocks(4, 60, 8.0, 0.7, 1)
    whole, part = listen(graph, labels, 5, None), listen(graph, labels, 5, None, 0.25)
    assert len(part.right) == 60
    np.testing.assert_array_equal(part.right, whole.right[:60])
    np.testing.assert_array_equal(part.confidence, whole.confidence[:60])
    assert [enough(n) for n in (100, 2485, 19_717, 10**6)] == [MOST_STREAMS, 33, SHUFFLES, SHUFFLES]
    calibrated = forecaster(1, TOGETHER, 0.0)
    assert floor_of(calibrated) < 0.02


@pytest.mark.slow
def test_block_models_and_digits_are_calibrated() -> None:
    """Whole streams of other seeds than those that chose the constants."""
    claims = {c.claim: c for c in run(find("calibration"), quick=True).result.claims}
    assert not any("first tenth" in name for name in claims)
    whole = [c for name, c in claims.items() if "all labels" in name]
    assert len(whole) >= 3
    assert all(c.holds for c in whole), [c.detail for c in whole]
