"""An id that is missing is an error that names line and column; a name that only looks like one is a name."""

from __future__ import annotations

from pathlib import Path

import pytest

import ohmline as ohm
from ohmline.errors import FileFormatError
from ohmline.graph.files import stream_edges

MORE = "".join(f"{k},{k + 1}\n" for k in range(10, 300))


@pytest.fixture(params=["careful", "stream"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "stream":
        monkeypatch.setattr(stream_edges, "LARGE", 1)
    return str(request.param)


@pytest.mark.parametrize("word", ["NaN", "nan", "NA", "<NA>", "null", "None", "N/A", "-", "?"])
@pytest.mark.parametrize("head", ["", "source,target\n"])
def test_a_word_for_nothing_among_numbers(tmp_path: Path, reader: str, word: str, head: str) -> None:
    path = tmp_path / "edges.csv"
    path.write_text(f"{head}1,2\n2,{word}\n{word},3\n{MORE}")
    line = 3 if head else 2
    with pytest.raises(
        FileFormatError, match=rf"line {line}: column 2 is '.*', which stands for a missing value"
    ):
        ohm.graph.read(path)
    ids = sorted({cell for row in f"1,2\n2,3\n{MORE}".split() for cell in row.split(",")})
    assert ohm.graph.read(path, nodes=[*ids, word]).neighbours(word) == {"2": 1.0, "3": 1.0}


def test_at_the_far_end_of_a_large_file(tmp_path: Path, reader: str) -> None:
    path = tmp_path / "edges.csv"
    path.write_text(f"source,target\n{MORE}007,NaN\n")
    with pytest.raises(FileFormatError, match="line 292: column 2 is 'NaN'"):
        ohm.graph.read(path)
    path.write_text(f"source,target\n{MORE}007,1\n")
    assert "007" in ohm.graph.read(path).nodes


@pytest.mark.parametrize("word", ["NA", "Nan", "null", "None"])
def test_among_names_it_is_a_name(tmp_path: Path, reader: str, word: str) -> None:
    path = tmp_path / "countries.csv"
    path.write_text("source,target\n" + f"ZA,{word}\n" + "".join(f"A{k},B{k}\n" for k in range(200)))
    assert ohm.graph.read(path).neighbours(word) == {"ZA": 1.0}


def test_an_empty_cell_is_an_error_in_any_file(tmp_path: Path, reader: str) -> None:
    for row in ("ada,", ",ada", 'ada,""', "ada,  "):
        path = tmp_path / "edges.csv"
        path.write_text(f"source,target\nada,bob\n{row}\n" + "".join(f"a{k},b{k}\n" for k in range(200)))
        with pytest.raises(FileFormatError, match=r"line 3: column [12] is empty"):
            ohm.graph.read(path)


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    graph = ohm.Graph.from_edges([("1", "2"), ("2", "NaN"), ("NaN", "?")])
    for name in ("g.csv", "g.tsv", "g.edges", "g.parquet"):
        graph.write(tmp_path / name)
        assert ohm.graph.read(tmp_path / name) == graph
