"""Claims of the experiments: each says when it holds and whose it is, and a report keeps the two kinds apart."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ohmline.errors import ParameterError
from ohmline.lab.experiment import REGISTRY, Claim, Experiment, Result, Row, Settings, Verdict, run
from ohmline.lab.experiment_report import experiment_page
from ohmline.lab.experiments import glz2008 as glz
from ohmline.lab.experiments.glz2008_risk import METHODS, _claims
from ohmline.lab.experiments.gu2013 import faster
from ohmline.lab.experiments.h2008 import half_the_time
from ohmline.lab.experiments.hpw2005_runs import Curves, alike_and_weaker
from ohmline.lab.finished import Finished
from ohmline.lab.paired import FEWEST, paired, t_test
from ohmline.lab.papers import gu2013

EXPERIMENTS = Path(__file__).parents[2] / "src" / "ohmline" / "lab" / "experiments"


def claims_of(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text())
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Claim"
    ]


@pytest.mark.parametrize("path", sorted(EXPERIMENTS.glob("*.py")), ids=lambda path: path.stem)
def test_every_claim_says_when_it_holds(path: Path) -> None:
    for call in claims_of(path):
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        where = f"{path.name}:{call.lineno}"
        assert "threshold" in given, (
            f"{where}: the claim has no threshold: say what must be seen for it to hold"
        )
        assert not (isinstance(given["threshold"], ast.Constant) and not given["threshold"].value), where


def test_the_walk_finds_the_claims() -> None:
    assert sum(len(claims_of(path)) for path in EXPERIMENTS.glob("*.py")) > 50


def test_what_is_beyond_the_papers_is_ours() -> None:
    for call in claims_of(EXPERIMENTS / "local.py"):
        assert any(keyword.arg == "ours" for keyword in call.keywords)


def test_every_table_and_figure_of_paper_004_has_an_experiment() -> None:
    """`ohmline reproduce --list` shows the registry."""
    shown = [item for item in gu2013.PAPER.items if item.number.startswith(("Table", "Figure"))]
    assert [item.number for item in shown] == ["Table 1", "Table 2", "Figure 1", "Figure 2", "Figure 3"]
    for item in shown:
        ids = [name.removeprefix("reproduce ") for name in item.names]
        assert ids
        assert set(ids) <= set(REGISTRY)


def found(settings: Settings) -> Result:
    return Result(
        [Row.of("d", "m", "x", [1.0, 2.0], 1.4)],
        [
            Claim("the paper's", True, "seen", "x < 2 & more"),
            Claim("our own", False, "not seen", "x < 1", ours=True),
        ],
    )


def test_a_report_keeps_the_paper_s_claims_and_ours_apart() -> None:
    reproduction = run(Experiment("id", "title", "paper", (), found))
    html = experiment_page(Finished.of(reproduction))
    theirs, ours = html.index("What the paper claims"), html.index("Ours, beside the paper")
    assert theirs < html.index("the paper&#x27;s</td>") < ours < html.index("our own")
    assert "x &lt; 2 &amp; more" in html
    assert "sample standard deviation over the runs" in html
    assert [claim["ours"] for claim in Finished.of(reproduction).document()["claims"]] == [False, True]
    assert Finished.of(reproduction).document()["claims"][0]["threshold"] == "x < 2 & more"


def test_a_side_without_claims_has_no_heading() -> None:
    lone = run(
        Experiment(
            "id", "title", "paper", (), lambda settings: Result([], [Claim("x", True, "", "y", ours=True)])
        )
    )
    assert list(Finished.of(lone).by_side()) == ["Our claims"]  # no number of a paper stands beside them


def test_a_claim_that_no_paper_made_is_not_called_reproduced_or_not() -> None:
    done = Finished.of(run(Experiment("id", "title", "paper", (), found)))
    theirs, ours = done.claims
    assert (done.word(theirs), done.word(ours)) == ("holds", "does not hold")
    assert "✗ does not hold" in experiment_page(done)
    assert done.word(replace(theirs, holds=False)) == "not reproduced"


def test_a_name_that_is_almost_right_is_answered_with_the_right_one() -> None:
    from ohmline.lab import bench, experiment

    with pytest.raises(
        ParameterError,
        match=r"unknown experiment 'local-manifod'; did you mean 'local-manifold'\? The ids are",
    ):
        experiment.find("local-manifod")
    with pytest.raises(
        ParameterError, match=r"unknown benchmark 'reed'; did you mean 'read'\? The names are"
    ):
        bench.find("reed")
    with pytest.raises(ParameterError) as caught:
        bench.find("zzzzzz")
    assert str(caught.value).startswith("unknown benchmark 'zzzzzz'. The names are ")


def test_a_claim_has_one_of_four_verdicts() -> None:
    claim = Claim("c", True, "seen", "t")
    assert claim.verdict(quick=True) is claim.verdict(quick=False) is Verdict.HOLDS
    assert replace(claim, condition="for large n").verdict(quick=True) is Verdict.CONDITION
    assert replace(claim, holds=False, condition="for large n").verdict(quick=True) is Verdict.NOT
    for holds in (True, False):
        long = replace(claim, holds=holds, full=True)
        assert long.verdict(quick=True) is Verdict.OPEN
        assert long.verdict(quick=False) is (Verdict.HOLDS if holds else Verdict.NOT)


def test_no_test_is_made_on_few_runs() -> None:
    few = paired([0.3, 0.4, 0.5], [0.1, 0.2, 0.3])
    assert few.p is None
    assert few.better
    assert "no test with 3 runs" in str(few)
    assert f"a test needs {FEWEST}" in few.rule
    with pytest.raises(ParameterError, match="needs at least 5 runs, got 4"):
        t_test(np.zeros(4), np.ones(4))


def test_a_test_says_over_how_many_runs() -> None:
    rng = np.random.default_rng(0)
    worse = 0.2 + 0.01 * rng.normal(size=20)
    clear = paired(worse, worse - 0.05 + 0.01 * rng.normal(size=20))
    assert clear.better
    assert clear.p is not None
    assert clear.p < 1e-6
    assert "20 runs" in str(clear)
    assert "over 20 runs" in clear.rule
    assert not paired(worse, worse + 0.05).better
    unclear = paired(worse, rng.permutation(worse) - 1e-6)
    assert unclear.p is not None
    assert unclear.p > 0.05
    assert not unclear.better
    assert paired(np.ones(6), np.ones(6)).p == 1.0


# -- what a claim needs in order to hold: each fails where the sentence is false ---------------------------------------


def curves_of(one: int, cyclic: int, least_norm: int) -> Curves:
    curves = Curves([0])
    curves.runs = {"1-proj": {0: [one]}, "C-proj": {0: [cyclic]}, "MNI-ag": {0: [least_norm]}}
    return curves


def test_methods_are_alike_only_where_both_halves_are_seen() -> None:
    def verdicts(**found: Curves) -> list[bool]:
        return [claim.holds for claim in alike_and_weaker(found, "alike")]

    assert verdicts(a=curves_of(75, 49, 73)) == [False, True]
    assert verdicts(a=curves_of(75, 70, 73)) == [True, True]
    assert verdicts(a=curves_of(72, 70, 73)) == [True, False]
    assert verdicts(a=curves_of(75, 70, 73), b=curves_of(75, 73, 49)) == [False, True]
    weaker = alike_and_weaker({"": curves_of(75, 70, 73)}, "alike", factor=1.2)[1]
    assert not weaker.holds
    assert weaker.threshold == "more than 1.2 times the larger of the two"


@pytest.mark.parametrize("basic", [0.94, 1.08])
def test_the_zero_function_approximates_no_risk(basic: float) -> None:
    def approximates(buffer: float, tree: float) -> bool:
        ends = dict(zip(METHODS, (basic, buffer, tree), strict=True))
        table = {method: {500: [2.0], 1000: [end]} for method, end in {**ends, glz.BATCH: 0.01}.items()}
        return next(claim.holds for claim in _claims({"x": table}) if "approximate" in claim.claim)

    assert METHODS == (glz.BASIC, glz.BUFFER, glz.TREE)
    assert approximates(basic, basic)
    assert approximates(basic + 0.005, basic - 0.005)
    assert not approximates(1.0, basic)
    assert not approximates(basic, 1.0)
    assert not approximates(basic, 0.97)


def test_a_coin_is_wrong_half_of_the_time_and_no_other_rate_is() -> None:
    rng = np.random.default_rng(0)
    assert half_the_time(rng.binomial(20, 0.5, size=100).tolist(), 20)
    for rate in (0.3, 0.4, 0.6, 0.7):
        assert not half_the_time(rng.binomial(20, rate, size=100).tolist(), 20)


def test_times_that_a_clock_cannot_tell_apart_decide_nothing() -> None:
    near = faster("SSLGC", "OLLGC", {"SSLGC": 0.00695, "OLLGC": 0.00703})
    assert not near.holds
    assert near.detail == (
        "6.95 and 7.03 ms a binary problem: they differ by less than 10%, so it is not decided"
    )
    clear = faster("SSLGC", "OLLGC", {"SSLGC": 0.005, "OLLGC": 0.007})
    assert clear.holds
    assert "decided" not in clear.detail
    slower = faster("SSLGC", "OLLGC", {"SSLGC": 0.009, "OLLGC": 0.007})
    assert not slower.holds
    assert "decided" not in slower.detail
