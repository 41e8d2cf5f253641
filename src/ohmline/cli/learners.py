"""The learners that ``ohmline play`` knows by name.

Each entry imports its learner when it is asked for. A binary one gives a function that makes a fresh
learner over a kernel; with more than two classes ``play`` puts one against the rest around it. One
for many classes gives a function of the graph and the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ohmline.errors import ParameterError

if TYPE_CHECKING:
    from ohmline.graph.graph import Graph
    from ohmline.kernel.contract import Kernel


@dataclass(frozen=True, slots=True)
class Choice:
    """One name of ``--learner``."""

    text: str
    binary: Callable[[Kernel], Any] | None = None
    many: Callable[[Graph, Sequence[Any]], Any] | None = None


def _perceptron(kernel: Kernel) -> Any:
    from ohmline.learn import Perceptron

    return Perceptron(kernel)


LEARNERS: dict[str, Choice] = {
    "perceptron": Choice("the graph perceptron of paper 001", binary=_perceptron),
}


def choice_of(name: str) -> Choice:
    """The learner of that name."""
    if name not in LEARNERS:
        raise ParameterError(f"no learner {name!r}; choose one of {', '.join(LEARNERS)}")
    return LEARNERS[name]
