"""Pictures and reports of one line: what they show, what they refuse, and what they never overwrite."""

from __future__ import annotations

import re
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import MissingExtra, ParameterError, ShapeError, UnknownNode
from ohmline.lab.svg import COLOURS, GREY, Curve, chart, round_marks

HOSTILE = "<script>alert(1)</script>"


def club() -> tuple[ohm.Graph, dict[Any, str]]:
    found = ohm.data.load("karate")
    return found.graph, dict(zip(found.graph.nodes, found.labels, strict=True))


def game(query: Any = None, learner: Any = None) -> ohm.Trace:
    graph, labels = club()
    return ohm.play(learner or ohm.LocalLGC(graph), ohm.Stream(labels, labels.values()).shuffled(0), query)


def legend(figure: Any) -> list[str]:
    return [
        text.get_text()
        for place in (figure, *figure.axes)
        for box in _legends(place)
        for text in box.get_texts()
    ]


def _legends(place: Any) -> list[Any]:
    return list(place.legends) if hasattr(place, "legends") else [b for b in [place.get_legend()] if b]


# --- traces -------------------------------------------------------------------------------------


def test_a_trace_draws_its_mistakes_and_its_certificate() -> None:
    graph, labels = club()
    stream = ohm.Stream(labels, [1 if y == "officer" else -1 for y in labels.values()]).shuffled(0)
    trace = ohm.play(ohm.Perceptron(ohm.LaplacianKernel(graph) + ohm.Constant(1.0)), stream)
    certificate = ohm.bound.best_bound(trace)
    figure = trace.plot(certificate)
    (axes,) = figure.axes
    curve, line = axes.get_lines()
    assert curve.get_ydata()[-1] == trace.mistakes
    assert set(line.get_ydata()) == {certificate.value}
    assert (
        axes.get_title(loc="left") == f"Perceptron: {trace.mistakes} mistakes in 34 trials, every label asked"
    )
    assert legend(figure) == ["mistakes", f"certificate: at most {certificate.whole}"]
    assert all(float(mark).is_integer() for mark in axes.get_yticks())


def test_labels_asked_have_a_panel_of_their_own_where_some_were_not() -> None:
    trace = game(ohm.Budget(labels=5))
    upper, lower = trace.plot().axes
    assert upper.get_lines()[0].get_ydata()[-1] == trace.mistakes
    assert lower.get_lines()[0].get_ydata()[-1] == trace.asked == 5
    assert lower.get_title(loc="left") == "5 labels asked of 34 known"


def test_one_trial_is_not_many() -> None:
    graph, _ = club()
    one = ohm.play(ohm.LocalLGC(graph), ohm.Stream([0], ["a"]))
    assert one.plot().axes[0].get_title(loc="left") == "LocalLGC: 1 mistake in 1 trial, every label asked"
    html = one.report().html
    assert "in 1 trial<" in html
    assert "1 trials" not in html
    assert "1 labels" not in html
    assert "1 components" not in html


def test_what_cannot_be_drawn_is_refused_by_name() -> None:
    trace = game()
    with pytest.raises(ParameterError, match="certificate must be a Certificate, got 3"):
        trace.plot(3)
    void = ohm.bound.Certificate("T", 1.0, 0, assumptions=(ohm.bound.Assumption("x", True, False),))
    with pytest.raises(ParameterError, match="promises nothing"):
        trace.plot(void)
    with pytest.raises(ParameterError, match="no trials"):
        trace.first(0).plot()
    with pytest.raises(ParameterError, match="axes must be matplotlib axes"):
        trace.plot(axes="here")


def test_pictures_go_on_axes_that_somebody_else_made() -> None:
    figure_module = pytest.importorskip("matplotlib.figure")
    figure = figure_module.Figure()
    left, right = figure.subplots(1, 2)
    graph, labels = club()
    assert game().plot(axes=left) is figure
    assert graph.plot(labels, axes=right) is figure
    assert [t.get_text() for t in right.get_legend().get_texts()] == ["instructor", "officer"]


def test_a_notebook_is_given_a_png() -> None:
    assert game().plot()._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize("draw", [lambda: game().plot(), lambda: club()[0].plot()], ids=["trace", "graph"])
def test_without_matplotlib_the_error_is_the_command(draw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"pip install 'ohmline\[plot\]'"):
        draw()


# --- graphs -------------------------------------------------------------------------------------


def test_a_graph_is_coloured_by_class_with_a_name_for_what_has_none() -> None:
    graph, labels = club()
    some = {node: labels[node] for node in list(labels)[:20]}
    assert legend(graph.plot(some)) == ["instructor", "officer", "no label"]
    assert legend(graph.plot([labels[node] for node in graph.nodes])) == ["instructor", "officer"]
    assert legend(graph.plot(game())) == ["instructor", "officer", "no label"]  # the first one was not known
    assert legend(graph.plot()) == []


def test_hostile_names_are_shown_as_they_are() -> None:
    names = {0: HOSTILE, 1: "_hidden", 2: "$x^2$", 3: "$broken", 4: "x" * 100}
    graph = ohm.Graph.from_edges([(k, k + 1) for k in range(4)])
    figure = graph.plot(names, limit=60)
    assert set(legend(figure)) == {HOSTILE, "\u200b_hidden", "$x^2$", "$broken", "x" * 30 + "…"}
    assert figure._repr_png_().startswith(b"\x89PNG")
    odd = ohm.Graph.from_edges([("$a", "$b"), ("$b", HOSTILE)])
    assert odd.plot()._repr_png_().startswith(b"\x89PNG")


def test_amounts_have_a_scale() -> None:
    graph, _ = club()
    figure = graph.plot(dict.fromkeys(range(10), 0.5) | {3: 1.5})
    assert len(figure.axes) == 2
    assert legend(figure) == ["no value"]


def test_a_large_graph_says_which_part_is_drawn() -> None:
    star = ohm.Graph.from_edges([(0, k) for k in range(1, 400)] + [(399, 400)])
    figure = star.plot({k: "ab"[k % 2] for k in range(401)}, limit=50)
    assert figure.axes[0].get_title(loc="left") == "401 nodes, 400 edges"
    said = "The picture shows 50 of 401 nodes: those nearest to the best-connected one."
    assert figure.get_supxlabel() == said
    with pytest.raises(ParameterError, match="limit must be a whole number of at most 20000, got 10000000"):
        star.plot(limit=10_000_000)
    axes = ours()
    star.plot(axes=axes, limit=50)
    assert axes.get_title(loc="left").replace("\n", " ") == f"401 nodes, 400 edges {said}"


def ours() -> Any:
    """Axes that somebody made for two pictures side by side."""
    return pytest.importorskip("matplotlib.figure").Figure(figsize=(8, 4)).subplots(1, 2)[0]


@pytest.mark.parametrize("classes", [3, 24])
@pytest.mark.parametrize("shape", ["star", "line"])
def test_words_of_a_large_graph_meet_neither_each_other_nor_the_edge(shape: str, classes: int) -> None:
    n = 3000
    edges = [(0 if shape == "star" else k, k + 1) for k in range(n - 1)]
    graph = ohm.Graph.from_edges(edges)
    names = {k: f"a class with quite a long name {k % classes:02}"[-25:] for k in range(n)}
    figure = graph.plot(names, limit=60)
    figure._repr_png_()
    (axes,) = figure.axes
    note, title, box = figure._supxlabel, axes._left_title, figure.legends[0]
    places = [part.get_window_extent() for part in (note, title, box)]
    page = figure.bbox
    for place in places:
        assert place.x0 >= page.x0 - 1
        assert place.x1 <= page.x1 + 1
        assert place.y0 >= page.y0 - 1
        assert place.y1 <= page.y1 + 1
    for one, other in combinations(places, 2):
        assert not one.overlaps(other)


def test_words_stay_within_axes_that_somebody_else_made() -> None:
    axes = ours()
    ohm.Graph.from_edges([(0, k) for k in range(1, 3000)]).plot(axes=axes, limit=60)
    axes.figure.draw_without_rendering()
    place, room = axes._left_title.get_window_extent(), axes.get_position().width * axes.figure.bbox.width
    assert place.width <= room * 1.1


def test_a_class_keeps_its_colour_where_a_part_is_drawn() -> None:
    star = ohm.Graph.from_edges([(0, k) for k in range(1, 30)] + [(29, 30)])
    only = dict.fromkeys(range(30), "b") | {30: "a"}
    whole, part = star.plot(only), star.plot(only, limit=20)
    colour = part.axes[0].collections[-1].get_facecolor()[0].tolist()
    assert legend(part) == ["b"]
    assert colour == whole.axes[0].collections[-1].get_facecolor()[0].tolist()


@pytest.mark.parametrize(
    ("color", "error", "words"),
    [
        ("red", ParameterError, "dict of nodes"),
        ([1, 2], ShapeError, "34 nodes, got 2"),
        ({"nobody": 1}, UnknownNode, "nobody"),
        (3, ParameterError, "color must be a list"),
    ],
)
def test_bad_colours_are_refused(color: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        club()[0].plot(color)


# --- colours, in eyes that miss one kind of cone (Machado, Oliveira, Fernandes 2009, severity 1) --------------

CONES = {
    "all": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}


def lab(colour: str, cones: Any) -> Any:
    """The colour as the eye sees it, in CIE L*a*b*."""
    c = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.clip(
        np.asarray(cones) @ np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4), 0, 1
    )
    to_xyz = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])
    x = to_xyz @ linear / [0.95047, 1, 1.08883]
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", CONES)
def test_every_eye_can_tell_the_colours_apart(eye: str) -> None:
    seen = {colour: lab(colour, CONES[eye]) for colour in (*COLOURS, GREY)}
    nearest = min((float(np.linalg.norm(seen[a] - seen[b])), a, b) for a, b in combinations(seen, 2))
    assert nearest[0] > 11, nearest


# --- reports ------------------------------------------------------------------------------------


def test_a_report_in_one_line(tmp_path: Path) -> None:
    trace = game(ohm.Budget(labels=8))
    report = trace.report(tmp_path / "mine.html", title="A & B")
    assert (tmp_path / "mine.html").read_text() == report.html
    assert "A &amp; B" in report.html
    for words in ("average precision", "precision at k", "don&#x27;t know", "8</b><span>labels asked for"):
        assert words in report.html.replace("don't", "don&#x27;t")
    assert "did not come up" not in report.html
    shown = report._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<script" not in shown
    assert trace.report().html == trace.report().html


def test_a_report_names_what_did_not_come_up_and_escapes_what_users_name() -> None:
    graph = ohm.Graph.from_edges([(HOSTILE, "b"), ("b", "c"), ("c", "d")])
    trace = ohm.play(ohm.LocalLGC(graph), ohm.Stream([HOSTILE, "c"], [HOSTILE, "x"]))
    html = trace.report(title=HOSTILE).html
    assert "<script" not in html
    assert '<i class="grey"></i>did not come up' in html
    assert "var(" not in html.partition("</style>")[2]  # shapes carry colours that every program knows


def test_a_report_over_vectors_has_no_picture() -> None:
    trace = ohm.play(ohm.OnlineManifold(ohm.RBF(1.0)), ohm.Stream(np.eye(4), [1, -1, 1, -1]))
    html = trace.report().html
    assert "The graph" not in html
    assert "By class" in html


def test_a_report_replaces_only_reports(tmp_path: Path) -> None:
    trace, place = game(), tmp_path / "report.html"
    trace.report(place)
    trace.report(place, title="again")
    assert "again" in place.read_text()
    place.write_text("<html>my thesis</html>")
    for write in (trace.report, trace.report().save):
        with pytest.raises(ParameterError, match="no report of Ohmline's, so it is not replaced"):
            write(place)
    assert place.read_text() == "<html>my thesis</html>"
    with pytest.raises(ParameterError, match="is not a plain file"):
        trace.report(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


# --- charts -------------------------------------------------------------------------------------


def test_counts_have_whole_marks() -> None:
    for end in (1.0, 2.0, 3.0, 7.0, 26.0, 266.0):
        marks = round_marks(end, whole=True)
        assert all(mark == int(mark) for mark in marks)
        assert len(marks) >= 2
    assert round_marks(0.5, whole=True) == [0.0]


def test_names_at_the_right_end_stay_in_the_picture() -> None:
    curves = [Curve(name, [0, 1], [0, 1], "#123456") for name in "abcdefgh"]
    svg = chart(curves, x_title="x", y_title="y", whole=True)
    places = [float(y) for y in re.findall(r'class="name"[^>]* y="([-\d.]+)"', svg)]
    assert len(places) == 8
    assert min(places) >= 14
    assert svg.count('fill="none"') >= 8
