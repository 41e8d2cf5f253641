"""The DBLP four-area files, from a small folder in their format: read, and refused where they are damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ohmline import data
from ohmline.data import four_area
from ohmline.errors import DataError

LABELS = "30\t0\tAnn Ähre\n7\t3\tBob\n12\t1\tCid\n40\t2\tDee\n41\t2\tEve\n"
PAPERS = [(1, 30), (1, 7), (2, 30), (2, 7), (2, 12), (3, 12), (3, 99), (4, 40), (5, 99), (5, 100), (2, 12)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five authors with an area, two without, five papers; one line stands twice."""
    folder = tmp_path / four_area.FOLDER
    folder.mkdir()
    (folder / "author_label.txt").write_bytes(LABELS.encode("cp1252"))
    (folder / "paper_author.txt").write_text("".join(f"{paper}\t{author}\n" for paper, author in PAPERS))
    (folder / "author.txt").write_text("".join(f"{k}\tname\n" for k in (7, 12, 30, 40, 41, 99, 100)))
    (folder / "paper.txt").write_text("".join(f"{k}\ttitle\n" for k in range(1, 6)))
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path))
    return folder


def test_edges_count_joint_papers(place: Path) -> None:
    assert data.is_here("coauthor")
    found = data.load("coauthor")
    assert found.graph.n == 5  # authors 7, 12, 30, 40, 41
    source, target, weight = found.graph.edges()
    assert dict(zip(zip(source.tolist(), target.tolist(), strict=True), weight.tolist(), strict=True)) == {
        (0, 1): 1.0,
        (0, 2): 2.0,
        (1, 2): 1.0,
    }
    assert found.labels == [
        "information retrieval",
        "data mining",
        "database",
        "machine learning",
        "machine learning",
    ]
    assert found.source == four_area.FOLDER
    assert found.largest_component().graph.n == 3


def test_every_pair_against_a_literal_count(place: Path) -> None:
    rng = np.random.default_rng(5)
    rows = [
        (int(p), int(a)) for p, a in zip(rng.integers(60, size=300), rng.integers(40, size=300), strict=True)
    ]
    (place / "paper_author.txt").write_text("".join(f"{p}\t{a}\n" for p, a in rows))
    (place / "author_label.txt").write_text("".join(f"{a}\t{a % 4}\tx\n" for a in range(0, 40, 2)))
    for name in ("author.txt", "paper.txt"):
        (place / name).unlink()
    table = four_area.read(place)
    writes: dict[int, set[int]] = {}
    for p, a in rows:
        writes.setdefault(p, set()).add(a)
    wanted = {
        (i, j): float(both)
        for i in range(20)
        for j in range(i + 1, 20)
        if (both := sum({2 * i, 2 * j} <= authors for authors in writes.values()))
    }
    pairs = zip(table.source.tolist(), table.target.tolist(), strict=True)
    assert table.weight is not None
    assert dict(zip(pairs, table.weight.tolist(), strict=True)) == wanted


def test_areas_may_be_counted_from_one(place: Path) -> None:
    before = data.load("coauthor").labels
    shifted = "30\t1\tA\n7\t4\tB\n12\t2\tC\n40\t3\tD\n41\t3\tE\n"
    (place / "author_label.txt").write_text(shifted)
    assert data.load("coauthor").labels == before


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        (
            "author_label.txt",
            "30\t0\tA\n7\n",
            r"author_label.txt, line 2: expected two whole numbers .* got '7'",
        ),
        ("author_label.txt", "30 0 A\n", "line 1: expected two whole numbers with a tab"),
        ("author_label.txt", "30\tzero\tA\n", "line 1: expected two whole numbers"),
        ("author_label.txt", "30\t0\tA\n30\t1\tA\n", "lists author 30 2 times"),
        ("author_label.txt", "30\t0\tA\n7\t4\tB\n", "areas from 0 to 4; there are 4"),
        ("author_label.txt", "30\t1\tA\n7\t5\tB\n", "areas from 1 to 5; there are 4"),
        (
            "author_label.txt",
            "30\t1\tA\n7\t3\tB\n",
            "does not show whether they are counted from 0 or from 1",
        ),
        ("author_label.txt", "-30\t1\tA\n", "-30 is no number of this data set"),
        ("author_label.txt", "", "is empty"),
        ("author_label.txt", "\n\n", "is empty"),
        ("author_label.txt", "30\t0\tA\n31\t1\tB\n", "author 31 is not in .*author.txt"),
        ("paper_author.txt", "1\t30\n1\t\n", "paper_author.txt, line 2: expected two whole numbers"),
        ("paper_author.txt", "1\t30\n2\t7\n", "no paper by two authors with an area"),
        ("paper_author.txt", "1\t30\n1\t7\n77\t7\n", r"paper 77 is not in .*paper.txt \(1 are not\)"),
        ("paper_author.txt", "1\t99999999999999999999\n", "is no number of this data set"),
        (
            "author.txt",
            "seven\tname\n",
            "author.txt, line 1: expected a number, a tab and a name, got 'seven",
        ),
        (
            "author.txt",
            "30\tA\n\n18446744073709551616\tB\n",
            r"author.txt, line 3: 18446744073709551616 is no number of this data set, which has 0 to 2147483648",
        ),
        ("author.txt", "30\tA\n" + 5000 * "9" + "\tB\n", r"author.txt, line 2: 9{57}\.\.\. is no number"),
        ("paper.txt", "1_0\ttitle\n", "paper.txt, line 1: expected a number, a tab and a name, got '1_0"),
        ("paper_author.txt", "1\t30\n1_0\t7\n", "paper_author.txt, line 2: expected two .* got '1_0"),
        (
            "paper_author.txt",
            "1\t30\n1\t" + 5000 * "9",
            r"paper_author.txt, line 2: 9{57}\.\.\. is no number",
        ),
        ("author_label.txt", "2147483649\t0\tA\n", "author_label.txt, line 1: 2147483649 is no number"),
    ],
)
def test_damage_is_named(place: Path, file: str, content: str, message: str) -> None:
    (place / file).write_text(content)
    with pytest.raises(DataError, match=message):
        data.load("coauthor")


def test_a_missing_file_is_named(place: Path) -> None:
    (place / "paper_author.txt").unlink()
    with pytest.raises(DataError, match=r"paper_author.txt is not there; the folder DBLP_four_area has"):
        data.load("coauthor")
    (place / "paper_author.txt").mkdir()
    with pytest.raises(DataError, match="cannot be read"):
        data.load("coauthor")


def test_without_the_folder_the_catalog_says_where_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path))
    assert not data.is_here("coauthor")
    with pytest.raises(DataError, match=r"get the DBLP four-area files .* has DBLP_four_area in it"):
        data.load("coauthor")
    assert "DBLP_four_area.zip" in data.CATALOG["coauthor"].obtain
