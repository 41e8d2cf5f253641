"""Servers that many tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.running import Running, make_project, running


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A folder of projects with one in it."""
    folder: Path = tmp_path_factory.mktemp("served")
    make_project(folder / "club")
    with running(folder) as found:
        yield found
