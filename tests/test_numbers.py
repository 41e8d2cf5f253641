"""A measured number on a page is in a file that a command writes again (`make figures`), or its page says why not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FIGURES = {path.stem: json.loads(path.read_text()) for path in (ROOT / "docs" / "figures").glob("*.json")}
REPORT = json.loads((ROOT / "docs" / "reproduced.json").read_text(encoding="utf-8"))
FIGURES["reproduced"] = {
    "command": REPORT["command"],
    "numbers": {
        f"{document['id']}/{row['dataset']}/{row['method']}/{row['metric']}": row["ours"]
        for document in REPORT["documents"]
        for row in document["rows"]
    },
}
"""The full report of all experiments has its own file; a number of it is named by its experiment first."""

GENERATED = {
    "cli.md": "made from the commands; a test compares them",
    "reproduced.md": "written by `tools/report.py` from docs/reproduced.json; a test compares them",
    "peers.md": "written by `ohmline bench peers` from docs/peers.json; a test compares them",
}
"""Pages that a command writes as a whole."""
MACHINES = {
    "examples/large-graphs.md": "a record of two large runs, with their commands",
    "guide/cluster.md": "`ohmline bench cluster`, on several machines",
    "guide/gpu.md": "`ohmline bench gpu`, on a card; its table is held to docs/figures/gpu.json",
    "guide/scale.md": "`ohmline bench million`, `many-classes`, `solver`, `spectral-pubmed`, `predict-large`",
    "notes/frontier.md": "a note on how it was measured, with its commands",
}
"""Pages about machines or hours that are not everywhere, and what measures them. New pages are not to be added."""

MARK = re.compile(
    r"(?P<shown>[\d,]*\.?\d+)(?P<unit> ?%| (?:ms|us|µs|milliseconds|microseconds))?\**"
    r"<!-- (?P<name>[\w-]+): (?P<key>[^>]+?) -->"
)
UNITS = {"": 1, "%": 100, "ms": 1e3, "milliseconds": 1e3, "us": 1e6, "µs": 1e6, "microseconds": 1e6}
"""What a number of the file, in shares or seconds, is multiplied by."""
CODE = re.compile(
    r"^( *)(`{3,}).*?^\1\2|`[^`]+`|\]\([^)]*\)|Python \d\.\d+"
    r"|(?:[Tt]heorems?|Thm|[Ll]emma|[Cc]orollary|[Dd]efinitions?|[Ss]ections?) \d+\.\d+(?:(?:,| and| or) \d+\.\d+)*",
    re.M | re.S,
)
"""Code, addresses, versions, and the numbers of theorems."""
MEASURED = re.compile(
    r"(?<![\w.,])(?:\d*\.\d+|\d[\d,]*"
    r"(?: ?%| (?:s|ms|us|µs|GB|MB|GiB|MiB|(?:micro|milli)?seconds|minutes|hours|times)\b))(?!\.?\d)"
)


def marks() -> list[tuple[str, re.Match[str]]]:
    return [(page.name, mark) for page in PAGES for mark in MARK.finditer(page.read_text(encoding="utf-8"))]


def agrees(mark: re.Match[str]) -> bool:
    """Whether what is shown is the measured value, rounded to the digits that are shown."""
    shown = mark["shown"].replace(",", "")
    value = FIGURES[mark["name"]]["numbers"][mark["key"]] * UNITS[(mark["unit"] or "").strip()]
    digits = len(shown.partition(".")[2])
    return abs(float(shown) - value) <= 0.5 * 10.0**-digits * (1 + 1e-6)


@pytest.mark.parametrize(
    ("page", "mark"), marks(), ids=lambda each: each if isinstance(each, str) else each["key"]
)
def test_a_marked_number_is_the_measured_one(page: str, mark: re.Match[str]) -> None:
    assert mark["name"] in FIGURES, f"there is no docs/figures/{mark['name']}.json"
    numbers = FIGURES[mark["name"]]["numbers"]
    assert mark["key"] in numbers, f"{mark['name']}.json has no {mark['key']}; it has {sorted(numbers)}"
    assert agrees(mark), f"{page} shows {mark['shown']}, measured was {numbers[mark['key']]}"


def test_numbers_are_marked_at_all() -> None:
    assert sum(page == "README.md" for page, _ in marks()) >= 4
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        comments = re.findall(r"<!-- (?!reference)[\w-]+: ", text)
        assert len(comments) == len(list(MARK.finditer(text))), (
            f"{page.name}: a mark without a number before it"
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_measured_number_stands_alone(page: Path) -> None:
    if str(page.relative_to(ROOT)).removeprefix("docs/") in GENERATED | MACHINES:
        return
    text = CODE.sub("", MARK.sub("", page.read_text(encoding="utf-8")))
    alone = MEASURED.findall(text)
    assert not alone, (
        f"{page.name} prints {alone}: mark them as tools/figures.py says, or put constants into backticks"
    )


def test_the_rule_sees_what_it_is_for() -> None:
    seen = MEASURED.findall("an error of .153, 0.2 and 12 % in 3 s, 80 times")
    assert seen == [
        ".153",
        "0.2",
        "12 %",
        "3 s",
        "80 times",
    ]
    assert not MEASURED.findall("Python 3 has 20 nodes, 1,797 digits and Theorem 2")
    shown = {"15.4 %": True, ".154": True, ".153": False, "**.154**": True, "154 ms": True, "1.5 ms": False}
    for text, right in shown.items():
        mark = MARK.search(f"{text}<!-- x: a -->")
        assert mark is not None
        FIGURES["x"] = {"numbers": {"a": 0.1537}}
        assert agrees(mark) is right
    del FIGURES["x"]


def test_every_file_has_its_command() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "figures.py"), "no-such"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    known = set(done.stderr.split("there are ")[1].strip().split(", "))
    assert set(FIGURES) - {"reproduced"} <= known
    for name, document in FIGURES.items():
        assert document["command"].startswith(("ohmline ", f"python tools/{name}.py")), name
        assert document["numbers"], name
