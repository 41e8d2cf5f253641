"""The public face: names agree, are documented, and cost nothing until used."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import ohmline as ohm

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ["graph", "kernel", "learn", "query", "game", "bound", "data", "check"]


def test_the_three_lists_of_public_names_agree() -> None:
    tree = ast.parse((ROOT / "src" / "ohmline" / "__init__.py").read_text())
    typed = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ohmline")
        for alias in node.names
    } - {"__version__"}
    lazy = {name for names in ohm._HOME.values() for name in names} | set(ohm._HOME)
    assert typed == set(ohm.__all__) == lazy | {"OhmlineError"}


def test_every_public_name_can_be_had() -> None:
    for name in ohm.__all__:
        assert getattr(ohm, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Spam'"):
        ohm.Spam  # noqa: B018


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_a_docstring(package: str) -> None:
    module = importlib.import_module(f"ohmline.{package}")
    for name in module.__all__:
        value = getattr(module, name)
        if callable(value) and getattr(value, "__module__", "").startswith("ohmline"):
            assert value.__doc__, f"ohmline.{package}.{name} has no docstring"


def test_every_public_name_is_in_the_guide() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    text = "\n".join(page.read_text() for page in pages if "api" not in page.parts)
    missing = [name for name in ohm.__all__ if name not in text]
    assert not missing, f"public names in no page of docs/: {missing}"


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_is_light() -> None:
    heavy = {"numpy", "scipy", "numba", "sklearn", "matplotlib", "polars"}
    assert not heavy & loaded_by("import ohmline")
    assert not {"sklearn", "matplotlib", "polars", "igraph"} & loaded_by("import ohmline; ohmline.Perceptron")


def test_errors_have_one_root() -> None:
    errors = importlib.import_module("ohmline.errors")
    for value in vars(errors).values():
        if isinstance(value, type) and issubclass(value, Exception):
            assert issubclass(value, ohm.OhmlineError)
            assert value.__doc__


def test_the_command_line_page_is_that_of_the_commands() -> None:
    from ohmline.cli.reference import page

    assert (ROOT / "docs" / "cli.md").read_text() == page(), (
        "run python -m ohmline.cli.reference > docs/cli.md"
    )
