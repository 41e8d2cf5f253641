"""The notebook of the guide runs, and shows what it showed when it was written."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
PATH = Path(__file__).resolve().parents[1] / "docs" / "examples" / "everyday.ipynb"


def shown(book: Any) -> list[str]:
    """The plain text of what cells show, as far as it does not depend on the machine."""
    texts = [
        out.data["text/plain"] for cell in book.cells for out in cell.get("outputs", []) if "data" in out
    ]
    steady = ("Graph(", "Trace(", "Predictions(", "Suggestions(", "playing", "true \\ predicted")
    return [text for text in texts if text.startswith(steady)]


def test_the_committed_outputs_are_small_and_of_no_machine() -> None:
    text = PATH.read_text(encoding="utf-8")
    assert len(text) < 400_000
    assert not re.search(r"/(?:home|tmp|root|work|Users)/", text)
    book = nbformat.reads(text, 4)
    nbformat.validate(book)
    for cell in book.cells:
        if cell.cell_type == "code":
            ast.parse(cell.source)
            assert cell.outputs, f"this cell shows nothing: {cell.source}"
            assert all(out.output_type in ("execute_result", "display_data") for out in cell.outputs)
    assert (
        sum("image/png" in out.get("data", {}) for cell in book.cells for out in cell.get("outputs", [])) >= 4
    )


@pytest.mark.slow
def test_the_notebook_runs_and_shows_the_same(tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    kept = nbformat.read(PATH, 4)
    book = nbformat.read(PATH, 4)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    nbclient.NotebookClient(
        book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    assert shown(book) == shown(kept)
    for before, after in zip(kept.cells, book.cells, strict=True):
        kinds = [[sorted(out.get("data", {})) for out in cell.get("outputs", [])] for cell in (before, after)]
        assert kinds[0] == kinds[1]
