"""Run the notebook of the guide and keep what it shows: `make notebook`, after a change that moves its numbers."""

from __future__ import annotations

from base64 import b64decode, b64encode
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from PIL import Image

COLOURS = 64
"""As many as a picture needs here; with all of them the notebook would be too large to keep."""
PATH = Path(__file__).resolve().parents[1] / "docs" / "examples" / "everyday.ipynb"


def main() -> None:
    """Execute every cell afresh, and write the notebook without anything of this machine."""
    book = nbformat.read(PATH, 4)
    about = deepcopy(book.metadata)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    with TemporaryDirectory() as folder:
        NotebookClient(
            book, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}
        ).execute()
    for cell in book.cells:
        cell.metadata.pop("execution", None)  # times of day
        if cell.cell_type == "code":
            cell.outputs = [
                out for out in cell.outputs if out.output_type in ("execute_result", "display_data")
            ]
    book.metadata = about  # without the version of this Python
    for cell in book.cells:
        for out in cell.get("outputs", []):
            if "image/png" in out.data:
                out.data["image/png"] = small(out.data["image/png"])
    nbformat.write(book, PATH)


def small(picture: str) -> str:
    """The same PNG with few colours."""
    file = BytesIO()
    Image.open(BytesIO(b64decode(picture))).convert("RGB").quantize(COLOURS).save(file, "png", optimize=True)
    return b64encode(file.getvalue()).decode()


if __name__ == "__main__":
    main()
