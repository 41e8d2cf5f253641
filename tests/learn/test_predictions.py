"""The table of predictions, and the files and frames that it becomes."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import DataError, UnknownNode

EDGES = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")]


def table(classes: tuple[object, object] = ("red", "blue"), nodes: object = "abcdefg") -> ohm.Predictions:
    graph = ohm.Graph.from_edges(EDGES, nodes=nodes)  # type: ignore[arg-type]
    return ohm.fit(graph, {"a": classes[0], "e": classes[1]}).predict_many()


def test_rows_and_columns() -> None:
    found = table()
    assert len(found) == 7
    assert [row.node for row in found] == list("abcdefg")
    assert found[0] == found.of("a")
    assert found[-1].prediction is None
    assert found[-1].probability == 0
    assert found[1:3] == [found[1], found[2]]
    assert found.known.tolist() == [True] * 5 + [False] * 2
    assert found.counts == {"red": 3, "blue": 2}
    assert set(found.to_dict()) == set("abcde")
    assert repr(found) == "Predictions(7 nodes: red 3, blue 2; 2 don't know)"
    with pytest.raises(UnknownNode, match="'z'"):
        found.of("z")
    with pytest.raises(IndexError):
        found[7]
    with pytest.raises(ValueError, match="read-only"):
        found.codes[0] = 1


def test_csv_round_trip(tmp_path: Path) -> None:
    found = table(("re,d", 'bl"ue\n'))
    for name in ("p.csv", "p.csv.gz"):
        found.to_csv(tmp_path / name)
    text = (tmp_path / "p.csv").read_text()
    assert gzip.decompress((tmp_path / "p.csv.gz").read_bytes()).decode() == text
    with (tmp_path / "p.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "node",
        "label",
        "prediction",
        "probability",
        "margin",
        "known",
        "certain",
        "p(re,d)",
        'p(bl"ue\n)',
    ]
    assert [row["prediction"] or None for row in rows] == found.predictions
    assert rows[6]["p(re,d)"] == ""
    assert rows[6]["known"] == "false"
    assert [float(row["margin"]) for row in rows] == found.margins.tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.csv", "p.csv.gz"]


def test_frames_and_parquet(tmp_path: Path) -> None:
    import polars as pl

    found = table()
    frame = found.to_frame()
    assert frame["node"].to_list() == list("abcdefg")
    assert frame["prediction"].to_list() == found.predictions
    assert frame["p(red)"].null_count() == 2
    found.to_parquet(tmp_path / "p.parquet")
    assert pl.read_parquet(tmp_path / "p.parquet").equals(frame)
    arrow = found.to_arrow()
    assert arrow.column_names == frame.columns
    assert arrow.num_rows == 7


def test_ids_keep_their_type_where_they_have_one() -> None:
    import polars as pl

    path = ohm.Graph.from_edges([(0, 1), (1, 2)])
    whole = ohm.fit(path, {0: 1, 2: -1}).predict_many().to_frame()
    assert whole["node"].dtype == pl.Int64
    assert whole["prediction"].dtype == pl.Int64
    mixed = ohm.fit(ohm.Graph.from_edges([(0, "b"), ("b", 2**70)]), {0: 1, "b": "1"}).predict_many()
    assert mixed.to_frame()["node"].to_list() == ["0", "b", str(2**70)]
    assert {"p(1)", "p('1')"} <= set(mixed.columns())


def test_a_folder_that_is_not_there_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        table().to_csv(tmp_path / "no" / "p.csv")
    with pytest.raises(DataError, match="cannot be written"):
        table().to_parquet(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_table() -> None:
    graph = ohm.Graph.from_edges(EDGES)
    nothing = ohm.LocalLGC(graph).predict_many([])
    assert len(nothing) == 0
    assert nothing.probabilities.shape == (0, 0)
    assert nothing.to_frame().shape[0] == 0
    unknown = ohm.LocalLGC(graph).predict_many()
    assert unknown.predictions == [None] * 5
    assert np.array_equal(unknown.certain, np.zeros(5, bool))


def test_the_table_remembers_labels_and_becomes_a_pandas_frame() -> None:
    frame = table().to_pandas()
    assert frame["label"].dropna().to_dict() == {0: "red", 4: "blue"}
    assert frame["probability"].isna().sum() == 2
    kernel = ohm.LaplacianKernel(ohm.Graph.from_edges(EDGES)) + ohm.Constant(1.0)
    assert "label" not in ohm.Perceptron(kernel).predict_many().columns()


def test_ids_that_are_near_stay_apart() -> None:
    graph = ohm.Graph.from_edges([(2**53, 2**53 + 1), (2**53 + 1, 0.5)])
    assert ohm.fit(graph, {0.5: 1}).predict_many().to_frame()["node"].n_unique() == 3


@pytest.mark.parametrize("name", ["\ud800", "a\0b"])
def test_text_that_no_file_can_hold_is_refused_by_name(tmp_path: Path, name: str) -> None:
    found = ohm.fit(ohm.Graph.from_edges(EDGES), {"a": name}).predict_many()
    for write in (found.to_csv, found.to_parquet):
        with pytest.raises(DataError, match="cannot be written as text"):
            write(tmp_path / "p.csv")
    with pytest.raises(DataError, match="rename"):
        found.to_frame()
    assert list(tmp_path.iterdir()) == []


def test_a_node_that_cannot_be_one_is_unknown() -> None:
    with pytest.raises(UnknownNode):
        table().of(["a"])  # type: ignore[arg-type]


@pytest.mark.parametrize("declared", [None, ["red", "blue"]])
@pytest.mark.parametrize("make", [ohm.LocalLGC, ohm.DriftingLGC])
def test_what_one_class_says_is_not_calibrated(make: type[ohm.LocalLGC], declared: list[str] | None) -> None:
    learner = make(ohm.Graph.from_edges(EDGES, nodes="abcdefg"), declared)
    learner.learn_one("a", "red")
    found = learner.predict_many()
    assert found.of("e").prediction == "red"
    assert not found.calibrated
    if declared is None:
        assert found.of("e").probability == 1
        assert "Only one class is known" in found._repr_html_()
    learner.learn_one("e", "blue")
    assert learner.predict_many().calibrated


def test_one_class_by_any_learner_is_not_calibrated() -> None:
    manifold = ohm.LocalManifold()
    manifold.learn_one([0.0, 1.0], "red")
    assert not manifold.predict_many([[0.0, 2.0]]).calibrated
    blend = ohm.relational(ohm.Graph.from_edges(EDGES, nodes="abcdefg"))
    blend.learn_one("a", "red")
    assert not blend.predict_many().calibrated
    blend.learn_one("b", "blue")
    assert blend.predict_many().calibrated


def test_views_that_say_the_same_are_equal_whether_or_not_they_have_a_variance() -> None:
    """Python 3.13 compares the fields of a dataclass one by one, and NaN is not equal to itself."""
    one, other = ohm.View("a", 0.5, float("nan")), ohm.View("a", 0.5, -float("nan"))
    assert one == other == ohm.View("a", 0.5)
    assert len({one, other, ohm.View("a", 0.5)}) == 1
    assert one != ohm.View("a", 0.5, 0.0)
    assert one != ohm.View("b", 0.5)
    assert one != ("a", 0.5, None)
    assert ohm.View("a", 0.5, 0.25) == ohm.View("a", 0.5, 0.25)
