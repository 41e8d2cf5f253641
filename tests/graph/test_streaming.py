"""Large files read as a stream: the same graphs and the same errors as from the careful reader."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ohmline import Graph, OhmlineError
from ohmline.graph import read
from ohmline.graph.files import stream_edges as streams
from ohmline.graph.files import stream_text
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
    for _ in range(150):
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
    assert streamed > 0.8 * graphs > 30  # what can be read is read as a stream, apart from a few
