"""The public face: names agree, are documented to the last parameter, and cost nothing until used."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import ohmline as ohm
from ohmline.lazy_names import public_names
from public_api import MODULES, names_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = [module for module in MODULES if module]


def test_every_public_name_is_there() -> None:
    for name in ohm.__all__:
        assert getattr(ohm, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Spam'"):
        ohm.Spam  # noqa: B018


def test_the_names_of_the_design_are_public() -> None:
    names = """Graph LaplacianKernel SolverKernel SpectralKernel RBF Constant Ridge Perceptron Projection Pounce
    OnlineLGC LocalLGC OnlineManifold LocalManifold Full Buffer RPTree PassiveAggressive NearestNeighbour Halving
    OneVsRest LapSVM LLGC Harmonic MaxProgress MinMargin Random VarianceAbove GapBelow GapAhead RandomRate Always Budget
    Stream play Trace Until OhmlineError bound data graph"""
    assert not set(names.split()) - set(ohm.__all__)


def public_objects() -> Iterator[tuple[str, Any]]:
    for package in PACKAGES:
        module = importlib.import_module(f"ohmline.{package}")
        adapter = package.startswith("adapt.")
        for name in names_of(module) if adapter else public_names(f"ohmline.{package}"):
            value = getattr(module, name)
            if callable(value) and getattr(value, "__module__", "").startswith("ohmline"):
                yield f"{package}.{name}", value


def documented(text: str | None) -> set[str]:
    """The names under "Parameters" (or "Attributes") in a docstring."""
    found: set[str] = set()
    for section in re.findall(
        r"(?:Parameters|Attributes)\n-+\n(.*?)(?=\n\n\S[^\n]*\n-+\n|\Z)", text or "", re.S
    ):
        for line in section.splitlines():
            if line and not line.startswith(" "):
                found |= {name.strip().lstrip("*") for name in line.split(",")}
    return found


def parameters(function: Any) -> set[str]:
    return {name for name in inspect.signature(function).parameters if name not in ("self", "cls")}


def undocumented() -> Iterator[str]:
    for name, value in public_objects():
        if not inspect.isclass(value):
            for missing in sorted(parameters(value) - documented(inspect.getdoc(value))):
                yield f"{name}({missing})"
            continue
        if issubclass(value, BaseException | Enum) or getattr(value, "_is_protocol", False):
            continue
        for missing in sorted(
            parameters(value) - documented(value.__doc__ and inspect.cleandoc(value.__doc__))
        ):
            yield f"{name}({missing})"
        for method_name, method in vars(value).items():
            function = getattr(method, "__func__", method)
            if method_name.startswith("_") or not inspect.isfunction(function):
                continue
            known = documented(inspect.getdoc(getattr(value, method_name)))
            for missing in sorted(parameters(function) - known):
                yield f"{name}.{method_name}({missing})"


def test_every_public_parameter_is_documented() -> None:
    missing = list(dict.fromkeys(undocumented()))
    assert not missing, f"{len(missing)} parameters without a word: {missing}"


def test_every_public_name_has_a_docstring() -> None:
    bare = [name for name, value in public_objects() if not value.__doc__]
    assert not bare


def test_docstrings_have_one_markup_and_present_day_words() -> None:
    roles, quotes = r":(?:meth|class|func|mod|attr):[`]", r"(?<![`])[`]{2}(?![`])"
    old = re.compile(rf"{roles}|{quotes}|\b(?:dear|road|astray|were had|a row a|labell?ings? a )\b")
    found = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if old.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


def test_every_public_name_is_in_the_guide() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    text = "\n".join(page.read_text() for page in pages if "api" not in page.parts)
    missing = [name for name in ohm.__all__ if not re.search(rf"\b{name}\b", text)]
    assert not missing, f"public names in no page of docs/: {missing}"


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_is_light() -> None:
    heavy = {"numpy", "scipy", "numba", "sklearn", "matplotlib", "polars"}
    assert not heavy & loaded_by("import ohmline")
    assert not {"sklearn", "matplotlib", "polars", "igraph"} & loaded_by("import ohmline; ohmline.Perceptron")


def test_a_misspelled_name_fails_a_users_type_check(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text("import ohmline as ohm\nohm.Perceptron\nohm.Percepton\n")
    command = [sys.executable, "-m", "mypy", "--no-incremental", "--follow-imports=silent", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert 'Module has no attribute "Percepton"' in done.stdout
    assert done.stdout.count("error:") == 1


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


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    subcommands = getattr(command, "commands", None)
    if subcommands is None:
        yield name, command
        return
    for word, each in subcommands.items():
        yield from commands(each, f"{name} {word}")


def test_every_command_and_option_has_words() -> None:
    from typer.main import get_command

    from ohmline.cli.app import app

    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    bare = []
    for name, command in commands(get_command(app), "ohmline"):
        assert f"## {name}\n" in page
        bare += [] if command.help else [name]
        bare += [f"{name} {each.name}" for each in command.params if not (each.help or "").strip()]
    assert not bare, f"commands or options without a word: {bare}"
