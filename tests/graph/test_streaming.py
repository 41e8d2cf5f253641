"""Large files read as a stream: the same graphs and the same errors as from the careful reader."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from ohmline import Graph, OhmlineError
from ohmline.errors import FileFormatError, ParameterError
from ohmline.graph import read
from ohmline.graph.doors import arrow_stream
from ohmline.graph.files import edge_list, stream_text
from ohmline.graph.files import stream_edges as streams
from ohmline.graph.files.paths import write_bytes
from ohmline.graph.streaming.unusual import Unusual

NAMES = ("ada", "bob", "zoë", "日本", "a b", "x-1", "7", "007", "-3", "O'Neil", "1.5", "née\u00a0x")
ODD_LINES = (
    "",
    "  ",
    "# a comment",
    "#glued",
    "%%",
    '"quo""ted",b',
    "a",
    "a,b,c,d",
    ",",
    "a,\u00a0b",
    "a,b\r",
    "\x0b",
)
ODD_WEIGHTS = (
    "0",
    "1e3",
    "-2",
    "nan",
    "inf",
    "",
    "1,5",
    "x",
    "1_0",
    "0.1234567890123456789",
    "1e-320",
    "+3",
    ".5",
    "2.",
)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LARGE", 1)
    monkeypatch.setattr(stream_text, "PIECE", 1 << 13)
    monkeypatch.setattr(stream_text, "ROWS", 64)


def outcome(work: Callable[[], Graph]) -> Any:
    """What came of reading a file: the graph, or the error."""
    try:
        graph = work()
    except OhmlineError as error:
        return type(error), str(error)
    return graph.fingerprint, graph.dropped_loops, list(graph.nodes), graph.degree.tolist()


def random_file(rng: np.random.Generator, folder: Path) -> tuple[Path, dict[str, Any]]:
    """A file as people have them, sometimes with something wrong in it, and how to read it."""
    kind = rng.choice(["dense", "scattered", "names", "mixed"], p=[0.3, 0.2, 0.3, 0.2])
    suffix, separator = [(".csv", ","), (".csv", ";"), (".tsv", "\t"), (".txt", " "), (".edges", " ")][
        rng.integers(5)
    ]
    rows = int(rng.integers(205, 420))
    pools: dict[str, list[str]] = {
        "dense": [str(k) for k in range(60)],
        "scattered": [str(k) for k in rng.integers(-(10**12), 10**12, 60)],
        "names": [f"user{k}" for k in range(60)],
        "mixed": [*(name for name in NAMES if " " not in name or separator != " "), *map(str, range(40))],
    }
    pool = pools[str(kind)]
    quoted = separator != " " and rng.random() < 0.2
    weighted = rng.random() < 0.5
    lines = []
    for _ in range(rows):
        cells = [str(c) for c in rng.choice(pool, 2)]
        if weighted:
            cells.append(
                str(rng.choice([1, 2.5, 0.1, 7e-3])) if rng.random() < 0.9 else repr(float(rng.random()))
            )
        if quoted and rng.random() < 0.8:
            cells = [f'"{cell}"' for cell in cells]
        pad = " " if rng.random() < 0.05 else ""
        lines.append((pad + separator).join(cells))
    if rng.random() < 0.4:
        lines.insert(
            0,
            separator.join(
                [*[["source", "target"], ["payer", "payee"], ["from", "to"]][rng.integers(3)], "weight"][
                    : 3 if weighted else 2
                ]
            ),
        )
    if rng.random() < 0.3:
        lines.insert(int(rng.integers(len(lines))), str(rng.choice(ODD_LINES)).replace(",", separator))
    if weighted and rng.random() < 0.3:
        at = int(rng.integers(1, len(lines)))
        lines[at] = separator.join(["p", "q", str(rng.choice(ODD_WEIGHTS))])
    newline = "\r\n" if rng.random() < 0.2 else "\n"
    text = newline.join(lines) + (newline if rng.random() < 0.8 else "")
    raw = (b"\xef\xbb\xbf" if rng.random() < 0.1 else b"") + text.encode()
    if rng.random() < 0.03:
        raw = raw[:300] + b"\xff" + raw[300:]
    path = folder / f"edges{suffix}"
    path.write_bytes(raw)
    rules: dict[str, Any] = {
        "signed": bool(rng.random() < 0.2),
        "symmetrise": bool(rng.random() < 0.4),
        "parallel": [None, None, "sum", "max", "refuse"][rng.integers(5)],
    }
    if rng.random() < 0.15:
        rules["weight"] = False
    if rng.random() < 0.1:
        rules["header"] = bool(rng.random() < 0.5)
    return path, rules


def test_a_stream_reads_what_the_careful_reader_reads(
    small_pieces: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(13)
    streamed = graphs = 0
    for _ in range(80):
        path, rules = random_file(rng, tmp_path)
        monkeypatch.setattr(streams, "LARGE", 1 << 60)
        careful = outcome(lambda: read(path, **rules))  # noqa: B023
        monkeypatch.setattr(streams, "LARGE", 1)
        assert outcome(lambda: read(path, **rules)) == careful, (path.read_text(errors="replace"), rules)  # noqa: B023
        options = {"header": None, "source": None, "target": None, "weight": None, **rules}
        with suppress(Unusual):
            streams.stream_edges(path, stream_text.FileLimits(), **options)
            streamed += 1
        graphs += isinstance(careful[0], str)
    assert streamed > 0.8 * graphs > 20  # what can be read is read as a stream, apart from a few


def random_frame(rng: np.random.Generator) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A table of edges as people have them, sometimes with something wrong in it."""
    rows = int(rng.integers(1, 300))
    kind = str(rng.choice(["dense", "scattered", "unsigned", "names", "categories", "floats", "both"]))
    ends: list[Any] = []
    for side in range(2):
        codes = rng.integers(0, 40, rows)
        if kind == "dense":
            ends.append(pl.Series(codes, dtype=[pl.Int32, pl.Int64, pl.UInt8][side]))
        elif kind == "scattered":
            ends.append(pl.Series((codes - 20) * 10**15))
        elif kind == "unsigned":
            ends.append(
                pl.Series([int(c) + (2**63 if rng.random() < 0.001 else 0) for c in codes], dtype=pl.UInt64)
            )
        elif kind == "floats":
            ends.append(pl.Series(codes.astype(float)))
        elif kind == "both" and side:
            ends.append(pl.Series(codes))
        else:
            ends.append(pl.Series([f"Ω{c}" if c else "" for c in codes.tolist()]))
        if kind == "categories":
            ends[-1] = ends[-1].cast(pl.Categorical)
        if rng.random() < 0.05:
            ends[-1] = pl.Series([None, *ends[-1].to_list()[1:]], dtype=ends[-1].dtype)
    frame = pl.DataFrame(dict(zip(("source", "target"), ends, strict=True)))
    if rng.random() < 0.6:
        values: list[Any] = rng.choice([0.5, 1.0, 2.0, 3.25], rows).tolist()
        if rng.random() < 0.2:
            values[-1] = rng.choice([float("nan"), -1.0, 0.0, 1e308])
        weights = pl.Series(values)
        if rng.random() < 0.3:
            weights = weights.fill_nan(1).cast([pl.Int32, pl.Boolean, pl.String, pl.Float32][rng.integers(4)])
        if rng.random() < 0.1:
            weights = pl.Series([None, *weights.to_list()[1:]], dtype=weights.dtype)
        frame = frame.with_columns(weight=weights)
    rules: dict[str, Any] = {
        "signed": bool(rng.random() < 0.2),
        "symmetrise": bool(rng.random() < 0.6),
        "parallel": [None, None, "sum", "max"][rng.integers(4)],
    }
    return frame, rules


def test_batches_of_arrow_are_read_as_whole_tables_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(14)
    monkeypatch.setattr(arrow_stream, "ROWS", 64)
    connection = duckdb.connect()
    graphs = 0
    for _ in range(40):
        frame, rules = random_frame(rng)
        path = tmp_path / "edges.parquet"
        frame.write_parquet(path, row_group_size=100)
        query = f"SELECT * FROM '{path}'"
        for work in (
            lambda: read(path, **rules),  # noqa: B023
            lambda: Graph.from_duckdb(query, connection, **rules),  # noqa: B023
            lambda: Graph.from_duckdb(connection.sql(query), **rules),  # noqa: B023
        ):
            monkeypatch.setattr(arrow_stream, "LARGE", 1 << 60)
            whole = outcome(work)
            monkeypatch.setattr(arrow_stream, "LARGE", 1)
            assert outcome(work) == whole, (frame, rules)
        graphs += isinstance(whole[0], str)
    assert graphs > 12
    connection.close()


def test_a_stream_of_arrow_is_taken_where_it_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_stream, "LARGE", 1)
    pl.DataFrame({"source": ["b", "a"], "target": ["c", "b"]}).write_parquet(tmp_path / "edges.parquet")
    streamed = read(tmp_path / "edges.parquet")
    assert streamed.indices.dtype == np.int32
    assert streamed.nodes.table is not None
    assert list(streamed.nodes) == ["b", "c", "a"]
    assert streamed.is_unweighted


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_a_compressed_file_is_a_stream_as_well(packing: str, tmp_path: Path, small_pieces: None) -> None:
    text = "".join(f"a{k % 50},b{k % 31}\n" for k in range(2000))
    write_bytes(tmp_path / f"edges.csv{packing}", text.encode())
    steps: list[int] = []
    graph = read(tmp_path / f"edges.csv{packing}", progress=steps.append)
    assert graph.nodes.table is not None
    assert graph.n == 81
    assert 0 < sum(steps) <= (tmp_path / f"edges.csv{packing}").stat().st_size
    if packing:
        raw = (tmp_path / f"edges.csv{packing}").read_bytes()
        (tmp_path / f"short.csv{packing}").write_bytes(raw[: len(raw) // 2])
        with pytest.raises(FileFormatError, match="broken or cut short"):
            read(tmp_path / f"short.csv{packing}")


def test_numbers_that_double_precision_must_round(tmp_path: Path, small_pieces: None) -> None:
    rng = np.random.default_rng(2)
    numbers = [repr(float(x)) for x in np.exp(rng.normal(0, 20, 300))] + [
        "1e22",
        "1e23",
        "123456789012345678",
        "0.1e-30",
    ]
    (tmp_path / "edges.csv").write_text("".join(f"0,{k + 1},{w}\n" for k, w in enumerate(numbers)))
    graph = read(tmp_path / "edges.csv")
    assert graph.indices.dtype == np.int32
    assert graph.weights[: graph.indptr[1]].tolist() == [float(w) for w in numbers]


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ("a,b,1,2", "line 30001: 4 columns, expected 3"),
        ("a,,1", "line 30001: column 2 is empty"),
        ("a,b,heavy", "line 30001: the weight 'heavy' is not a number"),
        ('"a,b,1', "line 30001: broken quotes"),
        ("#a,b,1", "line 30001: '#a,b,1' begins like a comment"),
    ],
)
def test_an_error_in_a_huge_file_names_its_line(
    odd: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "LARGE", 1)
    monkeypatch.setattr(edge_list, "HUGE", 1)
    monkeypatch.setattr(stream_text, "PIECE", 1 << 16)
    rows = [f"user{k % 500},user{k % 7 + 500},1.5" for k in range(40_000)]
    rows[30_000 - 1] = odd
    (tmp_path / "edges.csv").write_text("\n".join(["source,target,weight", *rows]))
    monkeypatch.setenv("OHMLINE_MEMORY", "0.001")  # all rows would not fit
    with pytest.raises(OhmlineError, match=words):
        read(tmp_path / "edges.csv")
    rows[30_000 - 1] = "a,b,1e1_0"  # a number to Python alone, so that nothing is wrong with it
    (tmp_path / "edges.csv").write_text("\n".join(["source,target,weight", *rows]))
    with pytest.raises(
        ParameterError, match=r"on line 30001, so that it is read row by row, which would take"
    ):
        read(tmp_path / "edges.csv")


@pytest.mark.parametrize("kind", ["numbers", "names"])
def test_columns_in_the_other_order_give_the_same_graph(
    kind: str, tmp_path: Path, small_pieces: None
) -> None:
    rng = np.random.default_rng(4)
    ends = rng.integers(0, 80, (500, 2))
    rows = [(f"n{a}", f"n{b}") if kind == "names" else (str(a), str(b)) for a, b in ends]
    path = tmp_path / "edges.csv"
    path.write_text("to,from\n" + "".join(f"{a},{b}\n" for a, b in rows))
    swapped = read(path, source="from", target="to")
    wanted = Graph.from_edges([(b, a) if kind == "names" else (int(b), int(a)) for a, b in rows])
    assert list(swapped.nodes) == (list(wanted.nodes) if kind == "names" else sorted(wanted.nodes))
    assert all(swapped.neighbours(node) == wanted.neighbours(node) for node in wanted.nodes)
