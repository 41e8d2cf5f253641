"""The DBLP four-area files: authors, their papers, and the area of some of them; read from the user's own copy."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ohmline.arrays import Ints
from ohmline.data.tables import GraphTable
from ohmline.errors import DataError

FOLDER = "DBLP_four_area"
"""The name of the folder that the archive unpacks to."""
AREAS = ("database", "data mining", "machine learning", "information retrieval")
"""The areas in the order of the labels; some copies count them from 0 and some from 1."""
LARGEST = 2**31
"""No author, paper or area has a larger number."""
REMEDY = "take the file from a fresh copy of the archive"


def read(folder: Path) -> GraphTable:
    """Who wrote papers with whom: every author with an area is a node, and an edge weighs its number of joint papers.

    `author_label.txt` (author, area, name) gives the nodes, in the order of their numbers, and `paper_author.txt`
    (paper, author) the papers; authors without an area and their papers' other authors are passed over. Where
    `author.txt` and `paper.txt` are there, every number must be listed in them.
    """
    author, area = _columns(folder / "author_label.txt")
    paper, writer = _columns(folder / "paper_author.txt")
    _expect_distinct(folder / "author_label.txt", author, "author")
    for name, numbers, kind in (
        ("author.txt", np.concatenate([author, writer]), "author"),
        ("paper.txt", paper, "paper"),
    ):
        if (folder / name).exists():
            _expect_listed(folder / name, numbers, kind)
    order = np.argsort(author)
    ends, joint = _joint_papers(author[order], paper, writer)
    if not len(ends):
        raise DataError(f"{folder} has no paper by two authors with an area; {REMEDY}")
    codes = _codes(folder / "author_label.txt", area[order])
    return GraphTable.of(len(author), ends, codes, AREAS, joint.astype(np.float64))


def _joint_papers(author: Ints, paper: Ints, writer: Ints) -> tuple[Ints, Ints]:
    """The pairs of authors, by position, that have papers together, and how many; an author counts once a paper."""
    place = np.minimum(np.searchsorted(author, writer), len(author) - 1)
    known = author[place] == writer
    once = np.unique(np.stack([paper[known], place[known]], axis=1), axis=0)
    starts = np.flatnonzero(np.diff(once[:, 0], prepend=once[:1, 0] - 1))
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for writers in np.split(once[:, 1], starts[1:]):
        first, second = np.triu_indices(len(writers), 1)
        pairs.append(np.stack([writers[first], writers[second]], axis=1))
    ends, joint = np.unique(np.concatenate(pairs), axis=0, return_counts=True)
    return ends, joint


def _columns(path: Path) -> tuple[Ints, Ints]:
    """The first two columns, whole numbers; what follows (names, in any encoding) is not read."""
    table = np.array(_numbers(path, 2, "two whole numbers with a tab between them"), dtype=np.int64)
    return table[:, 0], table[:, 1]


def _numbers(path: Path, columns: int, expected: str) -> list[list[int]]:
    """The first columns of every line that is not blank: plain digits, of no larger number than the data set has."""
    numbers = []
    for row, line in _lines(path):
        fields = [field.strip() for field in line.split(b"\t")[:columns]]
        if len(fields) < columns or not all(field.removeprefix(b"-").isdigit() for field in fields):
            raise DataError(f"{path}, line {row}: expected {expected}, got {_shown(line)!r}; {REMEDY}")
        for field in fields:
            if not field.isdigit() or len(field) > len(str(LARGEST)) or int(field) > LARGEST:
                raise DataError(
                    f"{path}, line {row}: {_shown(field)} is no number of this data set, which has 0 to {LARGEST}; "
                    f"{REMEDY}"
                )
        numbers.append([int(field) for field in fields])
    return numbers


def _shown(found: bytes) -> str:
    text = found.decode("utf-8", "replace")
    return text if len(text) <= 60 else text[:57] + "..."


def _lines(path: Path) -> list[tuple[int, bytes]]:
    """The lines that are not blank, each with its number."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataError(
            f"{path} is not there; the folder {FOLDER} has author_label.txt and paper_author.txt in it"
        ) from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    rows = enumerate(content.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1)
    lines = [(row, line) for row, line in rows if line.strip()]
    if not lines:
        raise DataError(f"{path} is empty; {REMEDY}")
    return lines


def _codes(path: Path, area: Ints) -> Ints:
    """The areas from 0 on, whether the copy counts from 0 or from 1."""
    lowest, highest = int(area.min()), int(area.max())
    if highest - (lowest > 0) >= len(AREAS):
        raise DataError(
            f"{path} has areas from {lowest} to {highest}; there are {len(AREAS)}, counted from 0 or from 1; {REMEDY}"
        )
    if lowest > 0 and highest < len(AREAS):
        raise DataError(
            f"{path} has areas from {lowest} to {highest}, so it does not show whether they are counted from 0 or "
            f"from 1; {REMEDY}"
        )
    return area - (lowest > 0)


def _expect_distinct(path: Path, numbers: Ints, kind: str) -> None:
    found, times = np.unique(numbers, return_counts=True)
    if times.max() > 1:
        raise DataError(f"{path} lists {kind} {found[times.argmax()]} {times.max()} times; {REMEDY}")


def _expect_listed(path: Path, numbers: Ints, kind: str) -> None:
    """Every number has a line of its own in the dictionary of its kind."""
    listed = _numbers(path, 1, "a number, a tab and a name")
    missing = np.setdiff1d(numbers, np.array(listed, dtype=np.int64))
    if len(missing):
        raise DataError(f"{kind} {missing[0]} is not in {path} ({len(missing)} are not); {REMEDY}")
