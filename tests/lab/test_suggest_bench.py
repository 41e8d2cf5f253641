"""The loop that the benchmark of suggestions is measured against does the same work."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.lab.benches.suggest import Refitting, accuracies, accuracy, codes_of, started
from ohmline.query.meeting import met


def digits() -> tuple[ohm.Graph, np.ndarray]:
    data = ohm.data.load("digits")
    return ohm.graph.knn(data.points[:200], 5), codes_of(data.labels[:200])


def test_a_refit_with_a_label_that_may_come_is_the_update_of_the_field() -> None:
    graph, codes = digits()
    learner = started(graph, codes, 0)
    loop = Refitting(learner)
    loop.factor()
    with met(learner, None, variance=True) as field:
        branch = field.branch()
    i = int(np.flatnonzero(~learner.labelled())[7])
    branch.condition(i, 3)
    np.testing.assert_allclose(loop.hypothetical_label(i, 3), branch.mean[:, 3], atol=1e-4)


def test_every_start_has_one_label_of_each_class_and_choices_are_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph, codes = digits()
    learner = started(graph, codes, 1)
    assert sorted(codes[learner.labelled()].tolist()) == list(range(10))
    monkeypatch.setattr("ohmline.lab.benches.suggest.SEEDS", range(2))
    monkeypatch.setattr("ohmline.lab.benches.suggest.AFTER", (5, 40))
    few, many = accuracies(graph, codes, None).mean(axis=0)
    assert accuracy(learner, codes) < many
    assert few < many
