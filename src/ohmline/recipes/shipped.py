"""The recipes that ship, found by their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.project.recipe import RecipeFunction
from ohmline.recipes import accounts, citations, matches

MODULES = {"accounts": accounts, "citations": citations, "matches": matches}
"""The recipes that ship, each in a module with `recipe` and `demo`."""
RECIPES: dict[str, RecipeFunction] = {name: module.recipe for name, module in MODULES.items()}
"""Their functions."""


def find(name: str) -> RecipeFunction:
    """The recipe of that name.

    Parameters
    ----------
    name
        "citations", "accounts" or "matches".

    Examples
    --------
    >>> find("citations").__module__
    'ohmline.recipes.citations'
    """
    found: RecipeFunction = _known(name).recipe
    return found


def demo(folder: Any, name: str = "citations", *, size: int | None = None, seed: int = 0) -> Path:
    """Make a project to try a recipe with, on data that is generated.

    Parameters
    ----------
    folder
        The name of the new folder.
    name
        Which recipe. Default "citations".
    size
        How many papers, accounts or people there are. None (default) for as many as the recipe's own `demo` makes.
    seed
        The same seed gives the same data. Default 0.

    Returns
    -------
    Path
        The folder.
    """
    options = {"seed": seed} if size is None else {"size": size, "seed": seed}
    found: Path = _known(name).demo(folder, **options)
    return found


def _known(name: Any) -> Any:
    if not isinstance(name, str) or name not in MODULES:
        raise ParameterError(
            f"there is no recipe {shown(name)}; there are {', '.join(sorted(MODULES))}, and ohmline serve --recipe "
            "FILE takes one of your own"
        )
    return MODULES[name]
