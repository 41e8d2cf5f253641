"""The lab: games as they are shown, layout, pictures, pages, figures, benchmarks' pieces."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import ohmline as ohm
from ohmline.bound import OneVsRestBound, PerceptronBound, best_bound
from ohmline.errors import ParameterError
from ohmline.graph import Graph
from ohmline.lab import page
from ohmline.lab.bench import side_by_side
from ohmline.lab.benches import foundation
from ohmline.lab.experiment import Row
from ohmline.lab.game import Game
from ohmline.lab.game_report import game_page, neighbourhood
from ohmline.lab.layout import layout
from ohmline.lab.plot import as_svg, drawn
from ohmline.lab.svg import Curve, chart, draw_graph, round_marks


def cliques(groups: int, size: int) -> Graph:
    edges = [(g * size + u, g * size + v) for g in range(groups) for u in range(size) for v in range(u)]
    return Graph.from_edges(edges + [(g * size, (g + 1) * size) for g in range(groups - 1)])


# --- games --------------------------------------------------------------------------------------


def test_a_binary_game_carries_its_live_certificate() -> None:
    graph = cliques(2, 6)
    learner = ohm.Perceptron(ohm.LaplacianKernel(graph) + ohm.Constant(1.0))
    trace = ohm.play(learner, ohm.Stream(range(12), [1] * 6 + [-1] * 6).shuffled(seed=1))
    game = Game.of("two", trace)
    assert game.certificate is not None
    assert game.certificate.value == pytest.approx(best_bound(trace).value)
    assert game.certificate.value <= PerceptronBound().certify(trace).value
    assert game.bound[-1] >= game.certificate.value - 1e-9
    charged = np.append(0, np.cumsum(trace.charged))
    assert np.all(game.bound >= charged[game.checkpoints] - 1e-9)
    assert game.kept


def test_many_classes_are_certified_by_the_sum_of_the_binary_bounds() -> None:
    graph = cliques(3, 5)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
    learner = ohm.OneVsRest(lambda: ohm.Perceptron(kernel), classes=("a", "b", "c"))
    labels = [c for c in "abc" for _ in range(5)]
    stream = ohm.Stream(range(15), labels).shuffled(seed=2)
    game = Game.of("three", ohm.play(learner, stream))
    apart = [best_bound(ohm.play(ohm.Perceptron(kernel), stream.binary(c))) for c in "abc"]
    added = OneVsRestBound().certify(game.trace)
    assert added.value == pytest.approx(sum(each.value for each in apart))
    assert game.trace.mistakes <= added.charged == sum(each.charged for each in apart)
    assert game.certificate is not None
    assert game.trace.mistakes <= game.certificate.value == min(added.value, 15)
    assert game.bound[-1] >= game.certificate.value - 1e-9


def test_a_learner_without_a_theorem_has_no_certificate() -> None:
    graph = cliques(2, 4)
    trace = ohm.play(ohm.NearestNeighbour(graph), ohm.Stream(range(8), [1, 1, 1, 1, -1, -1, -1, -1]))
    game = Game.of("nearest", trace)
    assert game.certificate is None
    assert game.kept
    assert game.document()["certificate"] is None


def test_a_beaten_certificate_is_noticed() -> None:
    graph = cliques(2, 3)
    learner = ohm.Perceptron(ohm.LaplacianKernel(graph) + ohm.Constant(1.0))
    trace = ohm.play(learner, ohm.Stream(range(6), [1, 1, 1, -1, -1, -1]))
    certificate = PerceptronBound().certify(trace)
    low = type(certificate)("made up", certificate.charged - 1.0, certificate.charged)
    assert not Game("low", trace, certificate=low).kept


# --- layout and pictures ------------------------------------------------------------------------


def test_layout_is_repeatable_inside_the_square_and_keeps_clusters() -> None:
    graph = cliques(4, 12)
    places = layout(graph, seed=3)
    assert np.array_equal(places, layout(graph, seed=3))
    assert places.min() >= 0
    assert places.max() <= 1
    centres = places.reshape(4, 12, 2).mean(axis=1)
    spread = np.linalg.norm(places.reshape(4, 12, 2) - centres[:, None], axis=2).mean()
    between = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(4, 1)].min()
    assert between > 2 * spread


@pytest.mark.parametrize(
    "graph",
    [
        Graph.from_edges([], nodes=["only"]),
        Graph.from_edges([(0, 1)]),
        Graph.from_edges([(0, 1), (2, 3), (4, 5)], nodes=range(9)),
        Graph.from_edges([(0, 1, -1.0), (1, 2, 2.0)], signed=True),
    ],
    ids=["one node", "one edge", "isolated nodes", "signed"],
)
def test_layout_of_odd_graphs_is_finite(graph: Graph) -> None:
    places = layout(graph)
    assert places.shape == (graph.n, 2)
    assert np.isfinite(places).all()


def test_small_components_do_not_lie_on_the_large_one() -> None:
    big = cliques(3, 8)
    s, t, _ = big.edges()
    edges = [*zip(s.tolist(), t.tolist(), strict=True), (24, 25)]
    places = layout(Graph.from_edges(edges))
    assert places[24:, 1].min() > places[:24, 1].max()


def test_round_marks() -> None:
    assert round_marks(1797)[-1] <= 1797
    assert round_marks(0.04)[1] == pytest.approx(0.01)
    assert round_marks(0.0) == [0.0]


def test_chart_draws_finite_points_only() -> None:
    svg = chart(
        [
            Curve("a", [0, 1, 2], [0.0, 1.0, 3.0], "#123456", stepped=True),
            Curve("b <&>", [0, 1, 2], [1.0, float("inf"), float("nan")], "#654321"),
        ],
        x_title="x",
        y_title="y",
    )
    assert "nan" not in svg
    assert "inf" not in svg
    assert "b &lt;&amp;&gt;" in svg
    assert svg.count('class="curve"') == 2


def test_wrong_nodes_are_drawn_last_and_ringed() -> None:
    svg = draw_graph(
        np.array([[0, 0], [1, 1], [0.5, 1]]),
        (np.array([0]), np.array([1])),
        ["red", "green", "blue"],
        np.array([True, False, False]),
        ["x", "y", 'say "z" <now>'],
    )
    circles = re.findall(r"<circle.*?</circle>", svg)
    assert len(circles) == 3
    assert 'class="wrong"' in circles[-1]
    assert "red" in circles[-1]
    assert "&lt;now&gt;" in svg


def test_a_large_graph_is_shown_around_its_hub() -> None:
    star = Graph.from_edges([(0, k) for k in range(1, 50)] + [(49, 50), (50, 51)])
    assert neighbourhood(star, 100).tolist() == list(range(52))
    part = neighbourhood(star, 20)
    assert len(part) == 20
    assert 0 in part
    assert 51 not in part


# --- pages --------------------------------------------------------------------------------------


class _Balance(HTMLParser):
    """Every element that opens closes, in order."""

    VOID = frozenset({"meta", "rect", "path"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_report_is_whole_and_escapes_what_users_name() -> None:
    names = ["<b>", "b&c", '"q"', "d", "e", "f"]
    graph = Graph.from_edges([(names[k], names[k + 1]) for k in range(5)])
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
    stream = ohm.Stream([*names[:5]], [1, 1, -1, None, -1])
    trace = ohm.play(ohm.Perceptron(kernel), stream, ohm.RandomRate(0.7), seed=1)
    game = Game.of("<script>", trace, {1: "<yes>", -1: "no & no"})
    html = game_page("a <title>", "a & b", graph, [game])
    assert "<script>" not in html
    assert "<yes>" not in html
    assert "did not come up" in html
    assert "nobody knows" in html
    checker = _Balance()
    checker.feed(html.replace("<!doctype html>", ""))
    assert checker.open == []


def test_write_is_all_or_nothing(tmp_path: Path) -> None:
    target = tmp_path / "a" / "r.html"
    page.write(target, "one")
    page.write(target, "two")
    assert target.read_text() == "two"
    with pytest.raises(UnicodeEncodeError):
        page.write(target, "broken \ud800")
    assert target.read_text() == "two"
    assert [path.name for path in target.parent.iterdir()] == ["r.html"]
    with pytest.raises(ParameterError, match="cannot be written"):
        page.write(target / "below" / "r.html", "three")


def test_figures_are_repeatable_and_leave_the_global_style_alone() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    before = dict(matplotlib.rcParams)

    def draw(figure: object) -> None:
        axes = figure.subplots()
        axes.plot([1, 2, 3], [3, 1, 2], label="a")
        axes.legend()

    assert as_svg(drawn(draw)) == as_svg(drawn(draw))
    assert as_svg(drawn(draw)).startswith("<svg")
    assert dict(matplotlib.rcParams) == before


# --- benchmarks and rows ------------------------------------------------------------------------


def test_row_of_several_runs() -> None:
    row = Row.of("d", "m", "x", [1.0, 3.0], paper=2.5)
    assert (row.ours, row.paper, row.runs) == (2.0, 2.5, 2)
    assert row.std == pytest.approx(np.sqrt(2))
    assert Row.of("d", "m", "x", [4.0]).std == 0.0


def test_side_by_side_runs_everything_in_turn() -> None:
    order: list[str] = []
    times = side_by_side(lambda: order.append("a"), lambda: order.append("b"), repeat=3)
    assert order == ["a", "b"] * 3
    assert all(0 <= seconds < 1 for seconds in times)


def test_the_benchmarked_loops_do_the_same_work() -> None:
    graph = cliques(3, 10)
    labels = np.where(np.arange(30) < 10, 1, -1)
    kernel = ohm.SpectralKernel(graph, rank=8)
    rows, order = kernel.space.rows, np.random.default_rng(0).permutation(30)
    trace = ohm.play(ohm.Perceptron(kernel), ohm.Stream(order, labels[order]))
    assert foundation.literal_play(rows, order, labels) == int(trace.charged.sum())
    out = np.empty(30)
    foundation.bare_dots(rows, order, rows[0].copy(), out)
    np.testing.assert_allclose(out, (rows @ rows[0])[order])


def test_the_stand_in_has_the_size_of_pubmed() -> None:
    graph, labels = foundation._block_model(400, 900)
    assert graph.n == 400
    assert graph.is_connected
    assert 820 < graph.n_edges <= 900
    s, t, _ = graph.edges()
    assert np.mean(labels[s] != labels[t]) < 0.35
