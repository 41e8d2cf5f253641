"""The experiments of papers 000, 001 and 002 reach the figures that are written down for them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.data import load
from ohmline.errors import DataError
from ohmline.lab.experiment import REGISTRY, Result, Settings, find
from ohmline.lab.experiments.hp2006_terms import Norms, Task

IDS = sorted(id for id in REGISTRY if id.startswith(("hpw2005", "hp2006", "h2008")))


def run(id: str, *, quick: bool = True) -> Result:
    return find(id).run(Settings(quick=quick))


def ours(result: Result, dataset: str, method: str, metric: str = "mistakes") -> float:
    found = [
        row.ours for row in result.rows if (row.dataset, row.method, row.metric) == (dataset, method, metric)
    ]
    assert len(found) == 1, [(row.dataset, row.method, row.metric) for row in result.rows]
    return found[0]


def holds(result: Result) -> dict[str, bool]:
    assert all(isinstance(claim.holds, bool) and claim.detail for claim in result.claims)
    return {claim.claim: claim.holds for claim in result.claims}


def drawn(result: Result) -> None:
    matplotlib = pytest.importorskip("matplotlib.figure")
    assert result.figures
    for draw in result.figures.values():
        figure = matplotlib.Figure()
        draw(figure)
        assert figure.axes
        figure.canvas.draw()


def test_each_is_registered_by_its_id() -> None:
    assert len(IDS) >= 10
    for id in IDS:
        assert find(id).id == id


def test_octopus() -> None:
    result = run("hp2006-octopus")
    for p, bound in ((3, 35), (5, 55)):
        name = f"octopus, p = {p}, m = 80"
        for k in (1, 3, 5, 9):  # every tip, the first trial, and a tie at each of the next (k - 1) / 2 heads
            for distance in ("geodesic", "resistance"):
                assert ours(result, name, f"{k}-NN, {distance} distance") == 81 + (k - 1) // 2
        assert ours(result, name, "perceptron K_0^1") == 2
        assert ours(result, name, "bound eq. (16), diameter 2p and any balance", "mistakes at most") == bound
    assert all(holds(result).values())
    drawn(result)


def test_barbells() -> None:
    result = run("hp2006-barbell")
    assert ours(result, "barbell, m = 200", "perceptron K_0^1, adversary") == 2
    for k, ridge, none in ((1, 4, 206), (3, 8, 608)):
        name = f"noisy barbell, m = 200, k = {k}"
        assert ours(result, name, "perceptron K_1^1, adversary") == ridge
        # The greedy adversary's ties are broken by position here, which moves the long games a little.
        assert ours(result, name, "perceptron K_0^1, adversary") == pytest.approx(none, rel=0.02)
    assert ours(result, "thick barbell, m = 200, l = 199", "perceptron b = 1/4n, adversary") == 1
    assert all(holds(result).values())
    drawn(result)


def test_flower() -> None:
    result = run("hp2006-flower")
    name = "flower, p = 8, m = 3000"
    assert ours(result, name, "the stem's end in L+", "||v_1||^2") == pytest.approx(6.982, abs=5e-4)
    assert ours(result, name, "lower bound of section 3", "||v_1||^2 at least") == pytest.approx(
        6.739, abs=5e-4
    )
    assert ours(result, name, "eccentricity, eq. (8)", "||v_1||^2 at most") == 8
    assert all(holds(result).values())
    drawn(result)


def test_line() -> None:
    result = run("hp2006-line")
    for n, halving, perceptron, pounce in ((8, 3, 5, 4), (16, 4, 9, 4), (64, 6, 20, 7)):
        name = f"line, n = {n}, cut 1"
        assert ours(result, name, "halving, adversary") == halving
        # A stronger adversary forces more; it may not force less than was seen before.
        assert ours(result, name, "perceptron, adversary") >= perceptron
        assert ours(result, name, "POUNCE, adversary") >= pounce
    assert all(holds(result).values())
    drawn(result)


def test_halving_on_a_ring_and_the_perceptron_on_a_star() -> None:
    result = run("hp2006-line")
    ring, star = "ring, n = 32, cut 2", "star, 100,000 leaves, cut 1"
    bits = ours(result, ring, "halving, certificate", "mistakes at most")
    assert bits == pytest.approx(np.log2(32 * 31))
    assert ours(result, ring, "halving, adversary") <= bits
    assert ours(result, star, "perceptron, eq. (16)", "mistakes at most") == pytest.approx(15, abs=0.01)
    assert ours(result, star, "halving, log2 of its class", "mistakes at most") > 17


def test_b_and_c() -> None:
    result = run("hp2006-b-and-c")
    said = holds(result)
    near = next(claim for claim in said if claim.startswith("The b and c of the least bound"))
    assert said[near]
    assert said["No bound was beaten"]
    name = "noisy barbell, m = 50, k = 3, adversary"
    default = ours(result, name, "b = a tenth of the median K_ii, c = 0")
    assert ours(result, name, "b = c = 1") < default / 5  # a ridge pays for odd labels
    drawn(result)


def test_the_norms_over_the_grid_are_those_of_the_kernels() -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2, 2.0), (3, 4)], nodes=range(6))
    rng = np.random.default_rng(0)
    labellings = tuple(rng.choice([-1.0, 1.0], size=6) for _ in range(3))
    norms = Norms(Task("small", graph, labellings))
    for b, c in ((0.3, 0.0), (2.0, 0.5)):
        kernel = ohm.LaplacianKernel(graph).plus(b=b, c=c)
        assert norms.total(b, c) == pytest.approx(sum(kernel.sqnorm(u) for u in labellings))


def test_three_clusters() -> None:
    result = run("h2008-three-clusters")
    for m, bound in ((10, 41), (40, 99), (160, 338), (320, 658)):
        name = f"three clusters, m = {m}"
        assert ours(result, name, "POUNCE") <= 3
        assert ours(result, name, "perceptron, certificate", "mistakes at most") == pytest.approx(
            bound, rel=0.02
        )
        assert ours(result, name, "POUNCE, certificate Theorem 2", "mistakes at most") <= 20
    assert ours(result, "three clusters, m = 320", "perceptron, b = R") >= 90
    assert all(holds(result).values())
    drawn(result)


def test_strips() -> None:
    result = run("h2008-strips")
    found = [row.ours for row in result.rows if row.method.startswith("POUNCE, a")]
    assert len(found) == 4
    assert max(found) <= 3
    assert all(holds(result).values())
    limits = [row.metric for row in result.rows if row.paper == 3]
    assert limits == ["mistakes at most"]  # the paper's limit is no number of mistakes
    drawn(result)


@pytest.mark.slow
def test_strips_at_every_scale() -> None:
    result = run("h2008-strips", quick=False)
    scales = {row.method for row in result.rows if row.method.startswith("POUNCE, a")}
    assert scales == {f"POUNCE, a = {40 * 2**k:g}" for k in range(8)} | {"POUNCE, a = inf"}
    assert max(row.ours for row in result.rows if row.method in scales) <= 3


def test_two_moons() -> None:
    result = run("h2008-two-moons")
    name = "two moons, 200 points"
    assert ours(result, name, "POUNCE, a = inf") == 2
    assert ours(result, name, "separating cover by path-connected sets, C°", "sets") == 2
    assert all(holds(result).values())
    drawn(result)


def test_size_of_a() -> None:
    result = run("h2008-size-of-a")
    assert all(claim.ours or "Theorem 8" in claim.claim for claim in result.claims)
    assert all(holds(result).values())
    for dataset in {row.dataset for row in result.rows}:
        least, printed = (
            ours(result, dataset, f"a' as {how}", "a x d") for how in ("computed here", "printed")
        )
        assert 0 < least <= printed
        assert ours(result, dataset, "POUNCE, a = inf") < ours(result, dataset, "POUNCE, a = 0.1 / d")
    aligned = "two moons, noise 0.04, 60 points"
    assert (
        ours(result, aligned, "POUNCE, a = inf")
        == 2
        == ours(result, aligned, "component separating cover, C°", "sets")
    )
    drawn(result)


@pytest.fixture
def usps() -> None:
    try:
        load("usps")
    except DataError as error:
        pytest.skip(f"needs USPS: set OHMLINE_DATA to a folder that holds it ({error})")


@pytest.mark.data
@pytest.mark.usefixtures("usps")
def test_digits() -> None:
    result = run("hpw2005-digits")
    name, metric = "USPS digits, 100 of each, 3-NN", "mistakes after 5 labels"
    one = ours(result, name, "1-proj", metric)
    assert 85 <= one <= 120  # four runs; the full experiment reaches 95 to 115
    assert 0.5 <= ours(result, name, "Act-st, aggressive after", metric) / one <= 0.75
    said = holds(result)
    printed = next(claim for claim in said if "66.9" in claim)
    assert not said[printed]
    assert "aggressive suffix" in next(c.detail for c in result.claims if c.claim == printed)
    drawn(result)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.usefixtures("usps")
def test_digits_in_full() -> None:
    result = run("hpw2005-digits", quick=False)
    name, metric = "USPS digits, 100 of each, 3-NN", "mistakes after 5 labels"
    one = ours(result, name, "1-proj", metric)
    assert 95 <= one <= 115
    for method in ("Act-st, aggressive after", "random choice, aggressive after"):
        assert 0.57 <= ours(result, name, method, metric) / one <= 0.69
    assert ours(result, name, "Act-st", metric) / one > 0.9
    for method, total in (("1-proj", 108.2), ("C-proj", 77.5), ("MNI-ag", 65.1)):
        assert ours(result, name, method) == pytest.approx(total, rel=0.06)


def test_hierarchical() -> None:
    result = run("hpw2005-hierarchical")
    counts = {
        noise: {
            method: ours(result, f"hierarchical graph, q = 26, k = 2, noise {noise:g}", method)
            for method in ("1-proj", "C-proj", "MNI-ag", "MNI-ag with a bias b = 1")
        }
        for noise in (0.0, 0.05, 0.1)
    }
    for by_method in counts.values():
        assert by_method["1-proj"] > by_method["C-proj"]
    for method in ("1-proj", "C-proj"):
        assert counts[0.0][method] < counts[0.05][method] < counts[0.1][method]
    alike = next(claim for claim in result.claims if claim.claim == "MNI-ag and C-proj perform similarly")
    assert alike.condition == "at noise 0.05, noise 0.1"  # without noise C-proj is far better
    assert holds(result)["1-proj is weaker than both"]
    small = "hierarchical graph, q = 6, k = 2 (Figure 1)"
    low, high = (ours(result, small, f"{which} node", "K_pp") for which in ("most central", "least central"))
    assert 0.1 < low < 0.4 < 0.6 < high < 1.6
    assert 0.3 < ours(result, small, "most central node", "margin up to which (15) prefers it") < 0.7
    drawn(result)


def test_a_seed_gives_the_same_numbers_again() -> None:
    def numbers(seed: int) -> str:
        result = find("h2008-strips").run(Settings(seed=seed, quick=True))
        rows: list[Any] = [(row.method, row.ours, row.std) for row in result.rows]
        return json.dumps(rows)

    assert numbers(4) == numbers(4)


def test_progress_is_told() -> None:
    told: list[str] = []
    find("h2008-strips").run(Settings(quick=True, tick=told.append))
    assert told
    assert all(isinstance(message, str) and message for message in told)
    assert np.char.str_len(np.array(told)).max() < 80
