"""Tuning on a held-out shuffle."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import ParameterError

RING = ohm.Graph.from_edges([(k, (k + 1) % 60) for k in range(60)] + [(k, (k + 2) % 60) for k in range(60)])
KERNEL = ohm.SpectralKernel(RING, rank=20)
LABELS = np.array(["a"] * 25 + ["b"] * 20 + ["c"] * 15)
STREAM = ohm.Stream(range(60), LABELS)
GRID = {"mu": [1e-3, 1.0, 1e3], "mistake_driven": [True, False]}


def make(mu: float, mistake_driven: bool = True) -> ohm.OnlineLGC:
    return ohm.OnlineLGC(KERNEL, mu, mistake_driven=mistake_driven)


def test_the_table_is_what_play_says_and_the_best_is_its_least() -> None:
    binary = STREAM.binary("a")
    found = ohm.tune(make, binary, GRID, seed=7, jobs=1)
    assert [tried.parameters for tried in found.table] == [
        {"mu": mu, "mistake_driven": driven} for mu in GRID["mu"] for driven in GRID["mistake_driven"]
    ]
    for tried in found.table:
        trace = ohm.play(make(**tried.parameters), binary.shuffled(7))
        assert tried.error_rate == trace.error_rate
        assert tried.asked == len(binary)
    least = min(tried.error_rate for tried in found.table)
    assert found.best == next(tried.parameters for tried in found.table if tried.error_rate == least)


def test_several_streams_are_averaged_in_one_order() -> None:
    problems = [STREAM.binary(label) for label in "abc"]
    query = ohm.VarianceAbove(0.4)
    found = ohm.tune(make, problems, {"mu": [0.1]}, query=query, seed=2, jobs=1)
    traces = [ohm.play(make(0.1), problem.shuffled(2), query) for problem in problems]
    assert traces[0].nodes == traces[1].nodes
    assert found.table[0].error_rate == pytest.approx(np.mean([trace.error_rate for trace in traces]))
    assert found.table[0].asked == pytest.approx(np.mean([trace.asked for trace in traces]))


def test_processes_find_the_same() -> None:
    streams = [STREAM.binary("a")]
    alone = ohm.tune(lambda mu: ohm.OnlineLGC(KERNEL, mu), streams, {"mu": [0.01, 0.1, 1.0]}, jobs=1)
    together = ohm.tune(lambda mu: ohm.OnlineLGC(KERNEL, mu), streams, {"mu": [0.01, 0.1, 1.0]}, jobs=2)
    assert alone == together


def test_nothing_is_printed_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    ohm.tune(make, STREAM.binary("b"), {"mu": [0.1, 1.0]}, jobs=1)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("stream", "grid", "jobs", "message"),
    [
        (STREAM, {}, 1, "grid must map"),
        (STREAM, [1, 2], 1, "grid must map"),
        (STREAM, {"mu": []}, 1, "no value for 'mu'"),
        ([], {"mu": [1.0]}, 1, "at least one trial"),
        (ohm.Stream([], []), {"mu": [1.0]}, 1, "at least one trial"),
        ([(0, 1)], {"mu": [1.0]}, 1, "at least one trial"),
        (STREAM, {"mu": [1.0]}, 0, "jobs must be"),
    ],
)
def test_bad_input_is_named(stream: object, grid: object, jobs: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ohm.tune(make, stream, grid, jobs=jobs)


def test_a_bad_parameter_is_the_learner_s_own_error() -> None:
    with pytest.raises(ParameterError, match="mu must be"):
        ohm.tune(make, STREAM.binary("a"), {"mu": [1.0, -1.0]}, jobs=1)


def test_a_tie_is_a_tie_and_the_default_is_kept_in_it() -> None:
    """Labels of which a fifth is wrong: what a node's own label is worth does not show before it is learned."""
    truth = np.repeat(["a", "b"], 200)
    made = ohm.graph.generate.stochastic_block_model([200, 200], 0.002 + 0.03 * np.eye(2), seed=0)
    noisy = ohm.Stream(range(400), truth).shuffled(seed=0).with_label_noise(0.2, seed=1)

    def fresh(mu: float) -> ohm.LocalLGC:
        return ohm.LocalLGC(made.graph, mu=mu)

    grid = {"mu": [1.0, 2.0, 0.5]}
    found = ohm.tune(fresh, noisy, grid, jobs=1)
    least = min(tried.error_rate for tried in found.table)
    assert found.best == next(tried.parameters for tried in found.table if tried.error_rate == least)
    assert found.tied == found.table
    for mu in grid["mu"]:
        assert ohm.tune(fresh, noisy, grid, default={"mu": mu}, jobs=1).best == {"mu": mu}


def test_what_is_worse_beyond_chance_is_not_tied() -> None:
    blocks = ohm.graph.generate.stochastic_block_model([100, 100], 0.01 + 0.1 * np.eye(2), seed=0)
    cut = ohm.Graph.from_edges([], nodes=range(200))
    stream = ohm.Stream(range(200), np.repeat(["a", "b"], 100))

    def fresh(with_edges: bool) -> ohm.LocalLGC:
        return ohm.LocalLGC(blocks.graph if with_edges else cut)

    found = ohm.tune(fresh, stream, {"with_edges": [False, True]}, default={"with_edges": False}, jobs=1)
    assert found.best == {"with_edges": True}
    assert [tried.parameters for tried in found.tied] == [{"with_edges": True}]


@pytest.mark.parametrize("default", [{"mu": 3.0}, {"nu": 1.0}, 1.0, {"mu": 1.0, "nu": 2}])
def test_a_default_outside_of_the_grid_is_refused(default: object) -> None:
    with pytest.raises(ParameterError, match="default must be a point of the grid"):
        ohm.tune(make, STREAM.binary("a"), {"mu": [1.0]}, default=default, jobs=1)  # type: ignore[arg-type]
