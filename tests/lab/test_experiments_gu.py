"""Paper 004's experiments on the real graphs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import DataError, ParameterError
from ohmline.lab.experiment import Reproduction, Result, Settings, find
from ohmline.lab.experiment_report import experiment_page
from ohmline.lab.experiments import gu2013_label_rate as label_rate
from ohmline.lab.experiments.gu2013_protocol import (
    COAUTHOR,
    STAND_IN,
    TITLES,
    Setting,
    held_out,
    play_problems,
    seconds_by_round,
    setting,
    shuffles,
    tuned_mu,
)
from ohmline.lab.finished import Finished

pytestmark = pytest.mark.data


def graph(name: str) -> Setting:
    if not ohm.data.is_here(name):
        pytest.skip(
            f"{name} is not here: set OHMLINE_DATA to a folder that has it, or run ohmline data get {name}"
        )
    try:
        return setting(name)
    except DataError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def cora() -> Setting:
    return graph("cora")


def failures(result: Result) -> list[str]:
    return [f"{claim.claim}: {claim.detail}" for claim in result.claims if not claim.holds]


def test_cora_is_the_paper_s_graph(cora: Setting) -> None:
    assert cora.graph.n == 2485
    assert len(cora.graph.indices) == 10138  # the paper's "#links": two per edge
    assert cora.classes == 7


def test_table_2_on_three_shuffles_of_cora(cora: Setting) -> None:
    settings = Settings(quick=True)
    mu = tuned_mu(cora, settings)
    assert mu == 1.0
    assert held_out(settings) not in shuffles(settings, full=20)
    problems = [cora.problems(cora.order(seed)) for seed in shuffles(settings)]
    gpa = play_problems(problems, lambda: ohm.Perceptron(cora.kernel))
    online = play_problems(problems, lambda: ohm.OnlineLGC(cora.kernel, mu))
    selective = play_problems(problems, lambda: ohm.OnlineLGC(cora.kernel, mu), ohm.VarianceAbove(0.4))
    assert gpa.error.mean() == pytest.approx(0.1169, abs=0.006)
    assert online.error.mean() == pytest.approx(0.0758, abs=0.003)
    assert selective.error.mean() == pytest.approx(0.0832, abs=0.005)
    assert selective.asked.mean() == pytest.approx(1525, abs=60)
    assert online.asked.mean() == 2485
    assert online.mistakes_by_round[-1] == pytest.approx(2485 * online.error.mean())
    # The other reading of r_t asks for more.
    before = play_problems(
        problems, lambda: ohm.OnlineLGC(cora.kernel, mu, variance=ohm.Variance.BEFORE), ohm.VarianceAbove(0.4)
    )
    assert before.asked.mean() > selective.asked.mean() + 20


def test_working_ahead_and_single_precision_on_cora(cora: Setting) -> None:
    stream = cora.problems(cora.order(5))[2]
    query = ohm.VarianceAbove(0.4)
    ahead = ohm.play(ohm.OnlineLGC(cora.kernel, 1.0), stream, query)
    steady = ohm.play(ohm.OnlineLGC(cora.kernel, 1.0, blocked=False), stream, query)
    np.testing.assert_array_equal(ahead.log.prediction, steady.log.prediction)
    np.testing.assert_array_equal(ahead.asked_at, steady.asked_at)
    single = ohm.play(ohm.OnlineLGC(cora.kernel, 1.0, dtype=np.float32), stream, query)
    assert abs(single.mistakes - ahead.mistakes) <= 5


def test_the_shared_form_needs_fewer_labels_than_the_paper(cora: Setting) -> None:
    """Where one-vs-rest SSLGC errs on a quarter of the nodes with three times the labels."""
    kernel = ohm.SpectralKernel(cora.graph, normalised=True, shift=1e-2)
    traces = [
        ohm.play(ohm.SharedLGC(kernel), cora.stream(cora.order(seed)), ohm.GapBelow(1.0)) for seed in range(3)
    ]
    assert np.mean([trace.asked for trace in traces]) < 1000
    assert np.mean([trace.error_rate for trace in traces]) < 0.19


def test_certificates_hold_on_cora(cora: Setting) -> None:
    stream = cora.problems(cora.order(1))[0]
    trace = ohm.play(ohm.OnlineLGC(cora.kernel, 1.0), stream)
    certificate = ohm.bound.OnlineLGCBound().certify(trace)
    assert certificate.proven
    assert certificate.charged <= certificate.value < len(stream)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cora", "pubmed"])
def test_table_2_holds(name: str) -> None:
    graph(name)
    broken = failures(find(f"gu2013-{name}").run(Settings()))
    # With some 60 labels on Cora, SharedLGC's query is no better than chance; the report says so. Time is not tested.
    left = [claim for claim in broken if "takes less time" not in claim]
    assert [claim for claim in left if not claim.startswith("SharedLGC with GapBelow")] == []


def test_table_1_is_counted() -> None:
    graph("cora"), graph("pubmed"), graph("wikimovies4")
    result = find("gu2013-data").run(Settings())
    assert failures(result) == []
    assert len(result.claims) == 2
    movies = {row.metric: row for row in result.rows if row.dataset == TITLES["wikimovies4"]}
    assert (movies["nodes"].ours, movies["links"].ours, movies["classes"].ours) == (6211, 178542, 4)
    assert all(row.paper is None for row in movies.values())
    assert STAND_IN in result.notes


def test_the_rounds_of_figure_2(cora: Setting) -> None:
    """Time by round: of as many rounds as there are trials, from 0, never falling."""
    streams = [stream.take(300) for stream in cora.problems(cora.order(0))[:2]]
    rounds, seconds = seconds_by_round(streams, lambda: ohm.Perceptron(cora.kernel))
    assert rounds.tolist() == list(range(0, 301, 30))
    assert seconds[0] == 0
    assert np.all(np.diff(seconds) >= 0)
    assert seconds[-1] > 0


def test_the_label_rate_grows_with_kappa(cora: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a part of the experiment: rank 5, three values of kappa."""
    monkeypatch.setattr(label_rate, "KAPPAS", (0.1, 0.4, 0.8))
    seeds = shuffles(Settings(quick=True))[:1]
    every, mistaken = (
        label_rate._curve(cora, 1.0, 5, seeds, mistake_driven=driven) for driven in (False, True)
    )
    assert every.proven
    assert not mistaken.proven
    for curve in (every, mistaken):
        assert np.all(np.diff(curve.asked[0]) > 0)
    assert np.all(every.asked <= every.ceiling)
    assert mistaken.asked[0, 0] > every.ceiling[0]  # Theorem 7 is false for Algorithm 2 as printed
    assert np.all(mistaken.asked > every.asked)


def test_table_2_on_a_small_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Coauthor from a folder of the user's own: four groups who write together, and a stranger."""
    folder = tmp_path / "DBLP_four_area"
    folder.mkdir()
    rng = np.random.default_rng(0)
    area = np.arange(41) // 10 % 4
    papers = [rng.choice(np.flatnonzero(area[:40] == k % 4), 3, replace=False) for k in range(120)]
    papers += [np.array([10 * k, 10 * k + 10]) for k in range(3)]
    lines = [f"{p}\t{a}\n" for p, authors in enumerate(papers) for a in authors]
    (folder / "paper_author.txt").write_text("".join(lines))
    (folder / "author_label.txt").write_text("".join(f"{a}\t{area[a]}\tname\n" for a in range(41)))
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path))
    bed = setting("coauthor")
    assert (bed.graph.n, bed.classes) == (40, 4)
    result = find("gu2013-coauthor").run(Settings(quick=True))
    assert COAUTHOR in result.notes
    assert {row.method for row in result.rows} == {"GPA", "OLLGC", "SSLGC"}
    assert next(row for row in result.rows if row.metric == "error rate").paper == 0.2326
    held = {claim.claim: claim for claim in result.claims}
    assert not held["SSLGC queries 1275.3 nodes (Table 2)"].holds
    assert "a test needs 5" in held["OLLGC errs less than GPA"].threshold
    page = experiment_page(Finished.of(Reproduction(find("gu2013-coauthor"), Settings(), result, 1.0)))
    assert "Figure 2" in page


@pytest.mark.slow
def test_the_stand_in_is_said_to_be_one() -> None:
    graph("wikimovies4")
    result = find("gu2013-movies").run(Settings(quick=True))
    assert result.notes[0] == STAND_IN
    assert all(row.paper is None and "stand-in for IMDB" in row.dataset for row in result.rows)


@pytest.mark.slow
def test_rank_and_kappa_run() -> None:
    graph("cora"), graph("pubmed"), graph("wikimovies4")
    assert failures(find("gu2013-rank").run(Settings(quick=True))) == []
    result = find("gu2013-kappa").run(Settings(quick=True))
    held = {claim.claim: claim.holds for claim in result.claims}
    assert held["Cora: SSLGC is better than random sampling with GPA at every kappa"]
    assert held["PubMed: SSLGC is better than random sampling with GPA at every kappa"]
    assert not held["Cora: SSLGC is better than random sampling with the same learner at every kappa"]


def test_truncating_a_kernel_keeps_its_first_eigenpairs(cora: Setting) -> None:
    small = cora.kernel.truncated(10)
    np.testing.assert_array_equal(small.space.rows, cora.kernel.space.rows[:, :10])
    with pytest.raises(ParameterError, match="above the 100 eigenpairs"):
        cora.kernel.truncated(101)
