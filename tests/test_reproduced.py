"""The published report: written from its file by its command, and small."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from ohmline.lab.experiment import Claim, Experiment, Result, Row, run
from ohmline.lab.finished import Finished

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LARGEST = 1_500_000


@pytest.fixture
def report() -> ModuleType:
    spec = importlib.util.spec_from_file_location("report", ROOT / "tools" / "report.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_that_of_the_file(report: ModuleType) -> None:
    kept = json.loads((DOCS / "reproduced.json").read_text(encoding="utf-8"))
    text = (DOCS / "reproduced.md").read_text(encoding="utf-8")
    assert text == report.page(kept), "run python tools/report.py"
    assert not any(document["quick"] for document in kept["documents"])
    shown = set(re.findall(r"\]\((images/reproduced/[^)]+)\)", text))
    assert shown == {f"images/reproduced/{path.name}" for path in (DOCS / "images" / "reproduced").iterdir()}
    for path in (DOCS / "reproduced.json", DOCS / "reproduced.md", *(DOCS / name for name in shown)):
        assert path.stat().st_size < LARGEST


def test_results_become_a_page(report: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "IMAGES", tmp_path / "images")
    claims = [
        Claim("a | b_c holds", True, "<seen>", "x < 1"),
        Claim("no", False, "not", reason="for a reason"),
    ]
    found = Result([Row("d", "m", "x", 1.0, paper=2.0), Row("d", "m", "y", 3.0)], claims)
    experiment = Experiment("gu2013-own", "An own one", "paper 004", (), lambda settings: found)
    finished = Finished.of(run(experiment))
    drawing = f'<svg><path d="M 1.23456 2.5  {"L 3.14159 4 " * 20}"/></svg>'
    kept = {
        "key": {},
        "document": finished.document(),
        "figures": {"small": drawing, "large": "<svg>" + "x" * 200_000},
    }
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "gu2013-own.json").write_text(json.dumps(kept), encoding="utf-8")
    text = report.page(json.loads(json.dumps(report.gather(tmp_path))))
    assert "## 004: Gu" in text
    assert r"| ✓ holds | a \| b\_c holds | x \< 1 | \<seen\> |" in text
    assert "| ✗ not reproduced | no |  | not; for a reason |" in text
    assert "| d | m | x | 2 | 1 | 1 |" in text
    assert "1 of 2 numbers" in text
    assert "![small](images/reproduced/gu2013-own-0.svg)" in text
    assert "*large*: a large figure" in text
    assert f"| processor | {report.plain(finished.made['processor'])} |" in text
    written = [path.read_text() for path in (tmp_path / "images").iterdir()]
    assert len(written) == 1
    assert 'd="M 1.23 2.5 L 3.14 4 ' in written[0]

    other = {**kept, "document": {**finished.document(), "id": "gu2013-other"}, "figures": {"small": drawing}}
    before = report.gather(tmp_path)
    (tmp_path / "parts" / "gu2013-own.json").unlink()
    (tmp_path / "parts" / "gu2013-other.json").write_text(json.dumps(other), encoding="utf-8")
    both = report.gather(tmp_path, before)
    assert [document["id"] for document in both["documents"]] == ["gu2013-other", "gu2013-own"]
    assert sorted(path.name for path in (tmp_path / "images").iterdir()) == [
        "gu2013-other-0.svg",
        "gu2013-own-0.svg",
    ]
    alone = report.gather(tmp_path)  # from nothing, what is not among the results goes
    assert [document["id"] for document in alone["documents"]] == ["gu2013-other"]
    assert [path.name for path in (tmp_path / "images").iterdir()] == ["gu2013-other-0.svg"]
