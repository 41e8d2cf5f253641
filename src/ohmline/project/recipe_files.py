"""Where a recipe's function comes from, so that a second process can find it too."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from ohmline.checks import file_path, shown
from ohmline.errors import DataError, ParameterError
from ohmline.project.recipe import RecipeFunction

SHIPPED = ("citations", "accounts", "matches")
"""The recipes that a project can name."""
NAME = "recipe"
"""What the function is called in a file."""


def recipe_in_file(path: Any) -> RecipeFunction:
    """The function `recipe` of a Python file, which is run. Only files that the user names may come here.

    Parameters
    ----------
    path
        The name of the file.
    """
    where = file_path(path)
    if not where.is_file():
        raise DataError(f"{where} does not exist; check the name and the folder")
    spec = importlib.util.spec_from_file_location(f"ohmline_recipe_{where.stem}", where)
    if spec is None or spec.loader is None:
        raise ParameterError(f"{where} is no Python file; give one that ends in .py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, NAME, None)
    if not callable(found):
        raise ParameterError(f"{where} has no function {NAME}(graph, classes, seed); define it there")
    found.__ohmline_file__ = str(where.resolve())
    return found


def recipe_named(name: str) -> RecipeFunction:
    """A shipped recipe by its name, as `project.toml` has it; nothing else is looked for.

    Parameters
    ----------
    name
        The name.
    """
    if name in SHIPPED:
        return recipe_at(f"ohmline.recipes.{name}:{NAME}")
    known = ", ".join(SHIPPED)
    raise ParameterError(
        f"there is no recipe {shown(name)}; there are {known}, and files that you name yourself"
    )


def address_of_recipe(recipe: RecipeFunction) -> str:
    """Where another process finds a function: `file:PATH` or `MODULE:NAME`; "" where it cannot."""
    file = getattr(recipe, "__ohmline_file__", "")
    if file:
        return f"file:{file}"
    module, name = getattr(recipe, "__module__", ""), getattr(recipe, "__qualname__", "")
    there = getattr(sys.modules.get(module), name, None) if name.isidentifier() else None
    return f"{module}:{name}" if there is recipe and module != "__main__" else ""


def recipe_at(address: str) -> RecipeFunction:
    """The function at an address that `address_of_recipe` gave."""
    kind, _, rest = address.partition(":")
    if kind == "file":
        return recipe_in_file(Path(rest))
    found = getattr(importlib.import_module(kind), rest, None)
    if not callable(found):
        raise ParameterError(f"there is no recipe at {shown(address)}")
    return found
