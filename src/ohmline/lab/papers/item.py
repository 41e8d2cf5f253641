"""One numbered thing of a paper: where it is implemented, what holds it, or why it is not here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ohmline.errors import ParameterError

EXPERIMENT = "reproduce "
"""A name that begins with this is an experiment: `reproduce hpw2005-digits`."""


@dataclass(frozen=True, slots=True)
class Item:
    """A numbered algorithm, equation, theorem, lemma, corollary, table, figure or open question.

    Parameters
    ----------
    number : str
        What the paper calls it, such as `Theorem 4.1`.
    says : str
        What it is about, in a few words.
    names : tuple of str
        What implements it: names below `ohmline`, such as `bound.PounceBound` or `learn.Pounce.learn_one`,
        or an experiment, such as `reproduce hpw2005-digits`.
    tests : tuple of str
        What holds it, as `bound/test_pounce.py::test_name`, below the folder of the tests.
    because : str
        Why it is not here, or how far it is; needed where `names` is empty.
    """

    number: str
    says: str
    names: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    because: str = ""

    def __post_init__(self) -> None:
        if not self.names and not self.because:
            raise ParameterError(
                f"{self.number} has neither names nor a reason; give what implements it, or why nothing does"
            )
        if self.names and not self.tests:
            raise ParameterError(f"{self.number} has names and no tests; give the test that holds it")


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper and everything numbered in it."""

    key: str
    title: str
    items: tuple[Item, ...]


def resolve(name: str) -> Any:
    """What a name of the table stands for; an error where it does not exist."""
    if name.startswith(EXPERIMENT):
        from ohmline.lab.experiment import find

        return find(name.removeprefix(EXPERIMENT))
    parts = ["ohmline", *name.split(".")]
    for length in range(len(parts), 0, -1):
        try:
            found: Any = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = _part(found, part, name)
        return found
    raise ParameterError(f"{name!r} does not exist")


def _part(of: Any, part: str, name: str) -> Any:
    fields = getattr(of, "__dataclass_fields__", {})
    if part in fields:
        return fields[part]
    try:
        return getattr(of, part)
    except AttributeError:
        raise ParameterError(f"{name!r} does not exist: {of!r} has no {part!r}") from None
