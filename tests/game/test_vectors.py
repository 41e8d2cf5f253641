"""Streams of vectors: their shapes, files in pieces, streams without an end, and what goes wrong."""

from __future__ import annotations

import itertools
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

from ohmline.errors import DataError, FileFormatError, LabelError, ParameterError, ShapeError
from ohmline.game import Images, Spirals, Stream, SwissRoll, follow, play, read_points
from ohmline.kernel import RBF
from ohmline.learn.manifold import Buffer, Manifold, OnlineManifold


def learner(**options):
    return OnlineManifold(RBF(0.3), Buffer(20), smoothness=Manifold(0.2), **options)


def test_spirals_are_two_arms_half_a_turn_apart():
    times, rng = np.arange(4000), np.random.default_rng(0)
    points, labels = Spirals(noise=0.0).sample(times, rng)
    radius, angle = np.hypot(*points.T), np.arctan2(points[:, 1], points[:, 0])
    expected = 3 * np.pi * radius + np.where(labels > 0, 0.0, np.pi)
    assert np.cos(angle - expected) == pytest.approx(np.ones(4000))
    assert radius.min() >= 0.12
    assert radius.max() <= 1
    # Even along the arm: as many points per length outside as inside.
    half = np.sqrt((0.12**2 + 1) / 2)
    assert np.mean(radius < half) == pytest.approx(0.5, abs=0.03)
    assert np.mean(labels > 0) == pytest.approx(0.5, abs=0.03)


def test_rotating_spirals_turn_once_in_a_period():
    source = Spirals(noise=0.0, period=4000)
    now, later = source.at(100, 500, seed=3), source.at(4100, 500, seed=3)
    assert now[0] == pytest.approx(later[0], abs=1e-9)
    half = source.at(2100, 500, seed=3)
    assert half[0] == pytest.approx(-now[0], abs=1e-9)
    stream = source.stream(1000, seed=1)
    still = Spirals(noise=0.0).stream(1000, seed=1)
    turn = 2 * np.pi * np.arange(1000) / 4000
    rotated = np.column_stack(
        [
            np.cos(turn) * still.nodes[:, 0] - np.sin(turn) * still.nodes[:, 1],
            np.sin(turn) * still.nodes[:, 0] + np.cos(turn) * still.nodes[:, 1],
        ]
    )
    assert stream.nodes == pytest.approx(rotated, abs=1e-9)


def test_streams_hide_labels_from_the_learner_and_not_from_the_trace():
    stream = Spirals(label_rate=0.1).stream(2000, seed=2)
    assert stream.revealed.mean() == pytest.approx(0.1, abs=0.03)
    assert set(stream.labels) == {-1, 1}
    assert stream.nodes.tolist() == Spirals(label_rate=0.1).stream(2000, seed=2).nodes.tolist()
    assert stream.nodes.tolist() != Spirals(label_rate=0.1).stream(2000, seed=3).nodes.tolist()


def test_an_endless_source_starts_as_its_stream_does():
    source = Spirals(label_rate=0.3)
    stream, endless = source.stream(256, seed=5), list(itertools.islice(source.endless(seed=5), 256))
    assert np.array([x for x, _ in endless]) == pytest.approx(stream.nodes)
    assert [y for _, y in endless] == [y for _, y in stream]


def test_the_swiss_roll_lies_on_its_sheet():
    points, labels = SwissRoll(stripes=3, noise=0.0).sample(np.arange(900), np.random.default_rng(0))
    angle = np.hypot(points[:, 0], points[:, 2])
    assert points[:, 0] == pytest.approx(angle * np.cos(angle))
    order = np.argsort(angle)
    assert (np.diff(labels[order]) >= 0).all()
    assert set(labels.tolist()) == {0, 1, 2}


def test_images_are_rows_of_pixels_between_0_and_1():
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, size=(30, 4, 4))
    source = Images(pictures, np.arange(30) % 3, classes=[0, 2], label_rate=0.5)
    points, labels = source.sample(np.arange(45), rng)
    assert points.shape == (45, 16)
    assert 0 <= points.min() <= points.max() <= 1
    assert set(labels.tolist()) == {0, 2}
    first = {tuple(p) for p in points[:20]}
    assert len(first) == 20  # one pass shows each picture once
    with pytest.raises(ParameterError, match="no image"):
        Images(pictures, np.arange(30) % 3, classes=[7])
    with pytest.raises(ShapeError, match="30 images and 2 labels"):
        Images(pictures, [0, 1])
    with pytest.raises(ShapeError, match="stack of pictures"):
        Images(np.zeros(5), np.zeros(5))
    with pytest.raises(ParameterError, match="finite"):
        Images(np.full((2, 2, 2), np.nan), [0, 1])


def test_an_endless_stream_of_pictures_repeats_none_before_all_have_come():
    pictures = np.arange(700 * 4).reshape(700, 2, 2)
    source = Images(pictures, np.arange(700), label_rate=1.0)
    for size in (700, 300):
        shown = [
            y
            for _, y in itertools.islice(
                Images(pictures[:size], np.arange(size), label_rate=1.0).endless(), 2 * size
            )
        ]
        assert sorted(shown[:size]) == sorted(shown[size:]) == list(range(size))
        assert shown[:size] != shown[size:]
    first, again = (list(itertools.islice(source.endless(seed=3), 900)) for _ in range(2))
    assert [y for _, y in first] == [y for _, y in again]
    assert all(np.array_equal(x, source.points[y]) for x, y in first)


def test_pictures_that_are_none_are_refused():
    for bad in ("picture", [[1.0, 2.0], [3.0]], None):
        with pytest.raises(ShapeError, match="images"):
            Images(bad, [0, 1])


def test_following_in_pieces_is_playing_at_once():
    source = Spirals(label_rate=0.2)
    whole, pieces = learner(), learner()
    trace = play(whole, source.stream(256, seed=1))
    parts = list(follow(pieces, itertools.islice(source.endless(seed=1), 256), chunk=50))
    assert [len(part) for part in parts] == [50] * 5 + [6]
    assert np.array_equal(np.concatenate([part.margin for part in parts]), trace.margin)
    assert pieces.trials == 256


def test_memory_stays_flat_on_an_endless_stream():
    model = learner()
    parts = follow(model, Spirals().endless(), chunk=500)
    for _ in range(4):
        next(parts)
    tracemalloc.start()
    try:
        peaks = []
        for _ in range(4):
            tracemalloc.reset_peak()
            for _ in range(10):
                next(parts)
            peaks.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
    # What is loaded once, here or in another thread, grows one of them; what is kept of each part grows all.
    assert min(b - a for a, b in pairwise(peaks)) < 0.25 * peaks[0]
    assert model.trials == 22_000


@pytest.mark.parametrize(
    ("bad", "error", "says"),
    [
        (([np.nan, 0.0], 1), ParameterError, r"point 8\[0\] is nan"),
        (([0.0, np.inf], None), ParameterError, r"point 8\[1\] is inf"),
        (([0.0, 1.0, 2.0], None), ShapeError, "point 8 has 3 features"),
        ((["a", "b"], None), ShapeError, "point 8 must be numbers"),
        ([1.0], ShapeError, "point 8"),
    ],
)
def test_a_bad_point_is_named_and_those_before_it_are_learned(bad, error, says):
    good = [(x, 1) for x in np.random.default_rng(0).normal(size=(7, 2))]
    model, reference = learner(), learner()
    with pytest.raises(error, match=says):
        list(follow(model, [*good, bad, *good], chunk=5))
    for x, y in good:
        reference.learn_one(x, y)
    assert model.margin_one([0.1, 0.2]) == reference.margin_one([0.1, 0.2])
    list(follow(model, good))  # still usable
    assert model.trials == 14


def test_a_stream_that_ends_at_once():
    model = learner()
    with pytest.raises(ParameterError, match="ended before its first point"):
        list(follow(model, []))
    with pytest.raises(ParameterError, match="ended before its first point"):
        list(follow(model, iter(()), limit=10))
    assert len(play(model, Stream([], []))) == 0
    assert model.trials == 0
    model.learn_one([0.0, 1.0], 1)
    assert model.predict_one([0.0, 1.0]) == 1
    with pytest.raises(ParameterError, match="chunk"):
        list(follow(model, [], chunk=0))


def write(tmp_path, text, name="points.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_csv_columns(tmp_path):
    path = write(tmp_path, "id,a,b,kind\n1,0.5,2,cat\n2,1.5,3,\n3,2.5,4,7\n\n")
    rows = list(read_points(path, label="kind", features=["a", "b"]))
    assert [x.tolist() for x, _ in rows] == [[0.5, 2.0], [1.5, 3.0], [2.5, 4.0]]
    assert [y for _, y in rows] == ["cat", None, 7]
    bare = write(tmp_path, "0.5,2,-1\n1.5,3,1\n", "bare.csv")
    rows = list(read_points(bare, label=-1, header=False))
    assert [(x.tolist(), y) for x, y in rows] == [([0.5, 2.0], -1), ([1.5, 3.0], 1)]
    assert [y for _, y in read_points(bare, label=None, header=False)] == [None, None]
    named, last = (list(read_points(bare, header=False, **given)) for given in ({}, {"label": -1}))
    assert [(x.tolist(), y) for x, y in named] == [(x.tolist(), y) for x, y in last]
    with pytest.raises(FileFormatError, match="no column 'kind'"):
        list(read_points(bare, header=False, label="kind"))
    with pytest.raises(ParameterError, match="header must be True or False, got 'no'"):
        list(read_points(bare, header="no"))


LABELS = {
    "1": 1,
    "1.0": 1,
    "+1.": 1,
    "-1.000": -1,
    " 7 ": 7,
    "nan": None,
    "NaN": None,
    "": None,
    "0.5": "0.5",
    "1_000": "1_000",
    "1e3": "1e3",
    "inf": "inf",
    "none": "none",
    "cat": "cat",
}


def test_one_rule_for_labels(tmp_path):
    path = write(tmp_path, "a,label\n" + "".join(f"0,{text}\n" for text in LABELS))
    found = [y for _, y in read_points(path)]
    assert found == list(LABELS.values())
    assert [type(y) for y in found] == [type(y) for y in LABELS.values()]


def test_the_same_rule_in_parquet(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "points.parquet"
    for given, expected in (
        (list(LABELS), list(LABELS.values())),
        ([1.0, float("nan"), None, -2.0, 0.5], [1, None, None, -2, 0.5]),
        ([True, False, None], [True, False, None]),
    ):
        polars.DataFrame({"a": np.zeros(len(given)), "label": given}).write_parquet(path)
        found = [y for _, y in read_points(path)]
        assert found == expected
        assert [type(y) for y in found] == [type(y) for y in expected]


def test_a_file_feeds_a_learner(tmp_path):
    stream = Spirals(label_rate=0.3).stream(300, seed=4)
    lines = [
        f"{x[0]!r},{x[1]!r},{'' if y is None else y}"
        for x, y in zip(stream.nodes.tolist(), dict_labels(stream), strict=True)
    ]
    path = write(tmp_path, "\n".join(["x,y,label", *lines]) + "\n")
    from_file, direct = learner(), learner()
    list(follow(from_file, read_points(path), chunk=64))
    play(direct, stream)
    assert from_file.margin_one([0.3, 0.3]) == direct.margin_one([0.3, 0.3])


def dict_labels(stream):
    return [y for _, y in stream]


def test_parquet(tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "points.parquet"
    frame = polars.DataFrame(
        {
            "a": np.arange(10.0),
            "b": np.arange(10),
            "label": ["x", None, "y", "", "x", None, None, None, None, "y"],
        }
    )
    frame.write_parquet(path)
    rows = list(read_points(path, chunk=4))
    assert [x.tolist() for x, _ in rows] == [[float(k), float(k)] for k in range(10)]
    assert [y for _, y in rows] == ["x", None, "y", None, "x", None, None, None, None, "y"]
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(FileFormatError, match=r"broken\.parquet cannot be read"):
        list(read_points(broken))
    frame.with_columns(polars.lit(None).cast(polars.Float64).alias("a")).write_parquet(path)
    with pytest.raises(FileFormatError, match="row 1"):
        list(read_points(path))
    frame.clear().write_parquet(path)
    with pytest.raises(FileFormatError, match="no rows"):
        list(read_points(path))


def test_a_file_that_breaks_off_in_the_middle(tmp_path):
    whole = "a,b,label\n" + "".join(f"{k / 10},{k / 7},{k % 2 * 2 - 1}\n" for k in range(20))
    path = write(tmp_path, whole[: whole.rindex("\n1.8")] + "\n1.8,0.")
    model = learner()
    with pytest.raises(FileFormatError, match=r"points\.csv, row 19: 2 columns, but the first row has 3"):
        list(follow(model, read_points(path), chunk=8))
    assert model.trials == 18
    assert model.learn_one([1.0, 1.0], 1).mistake in (True, False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b,label\n1,2,1\n1,zwei,1\n", "row 2: 'zwei' is not a number"),
        ("a,b,label\n1,2,1\n1,2,1\nnan,2,1\n", "row 3: .* is not all finite"),
        ("a,b,label\n", "no rows"),
        ("", "no rows"),
        ("a,b\n1,2\n", "no column 'label'; it has a, b"),
        ("label\n1\n", "no columns of features"),
    ],
)
def test_bad_files_are_named_with_their_row(tmp_path, text, says):
    with pytest.raises(FileFormatError, match=says):
        list(read_points(write(tmp_path, text)))


def test_files_that_are_none(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        next(read_points(tmp_path / "missing.csv"))
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"a,label\n1,2\n\xff\xfe\x00,1\n")
    with pytest.raises(FileFormatError, match="UTF-8"):
        list(read_points(binary))


def test_a_label_outside_the_classes_stops_the_piece_it_is_in():
    points = [(x, 1) for x in np.random.default_rng(0).normal(size=(10, 2))]
    points[7] = (points[7][0], "cat")
    model = learner()
    with pytest.raises(LabelError, match="'cat' is not among"):
        list(follow(model, points, chunk=5))
    assert model.trials == 5


def test_bad_settings_of_sources():
    with pytest.raises(ParameterError, match="period"):
        Spirals(period=0)
    with pytest.raises(ParameterError, match="label_rate"):
        Spirals(label_rate=2)
    with pytest.raises(ParameterError, match="stripes"):
        SwissRoll(stripes=1)
    with pytest.raises(ParameterError, match="trials"):
        Spirals().stream(-1)


def test_the_error_about_a_column_shows_the_last_ones_too(tmp_path):
    names = [*(f"f{k}" for k in range(60)), "kind"]
    (tmp_path / "vectors.csv").write_text(",".join(names) + "\n" + ",".join(["0"] * 60 + ["a"]) + "\n")
    with pytest.raises(
        FileFormatError, match=r"it has 61 columns: f0, f1, .*, \.\.\., .*f59, kind\. Name the label"
    ):
        list(read_points(tmp_path / "vectors.csv"))
    [(point, label)] = read_points(tmp_path / "vectors.csv", label="kind")
    assert (len(point), label) == (60, "a")
